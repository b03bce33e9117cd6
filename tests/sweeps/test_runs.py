"""Sweeps of files, and how their paths name them."""

import gzip
import os
import shutil
from contextlib import chdir

import pytest

import arraycoref as ac
from arraycoref.files import read_some
from arraycoref.sweeps import load_sweep, sweep_files
from arraycoref.sweeps.runs import settings_of
from marks import cases

KEY = [["(0)", "(0)", "(0)", "(0)"], ["(1)", "-", "(1)"]]
RUNS = {0.1: [["(0)", "(0)", "(1)", "(1)"], ["(7)", "-", "(7)"]], 0.2: KEY, 0.3: [["(0)", "-", "-", "(0)"], ["-"] * 3]}


def conll(columns, first=0):
    lines = []
    for part, column in enumerate(columns, first):
        lines.append(f"#begin document (text/a); part {part:03d}")
        lines += [f"text/a\t{part}\t{token}\tword\t{mark}" for token, mark in enumerate(column)]
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "key.conll").write_text(conll(KEY))
    for lr, columns in RUNS.items():
        run = tmp_path / "runs" / f"lr={lr},seed=3"
        run.mkdir(parents=True)
        (run / "out.conll").write_text(conll(columns))
    return tmp_path


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("singletons", ["keep", "drop"])
def test_a_glob_of_runs(folder, threads, singletons):
    found = sweep_files(folder / "key.conll", str(folder / "runs/*/out.conll"), threads=threads, singletons=singletons)
    assert found.settings == tuple({"lr": lr, "seed": 3} for lr in RUNS)
    for setting, batch in zip(found.settings, found, strict=True):
        path = folder / f"runs/lr={setting['lr']},seed=3/out.conll"
        alone = ac.score_files(folder / "key.conll", path, singletons=singletons)
        assert batch == alone
    assert found.best("conll").setting == {"lr": 0.2, "seed": 3}


def test_sweep_takes_paths_too(folder):
    key, pattern = folder / "key.conll", str(folder / "runs/*/out.conll")
    options = {"metrics": "muc,ceafe", "singletons": "drop", "beta": 2.0, "threads": 2}
    assert ac.sweep(key, pattern, **options) == sweep_files(key, pattern, **options)
    with pytest.raises(ac.InputError, match="settings was given beside a key file"):
        ac.sweep(str(key), pattern, settings=["a"])


def test_lists_mappings_and_directories(folder):
    paths = [folder / f"runs/lr={lr},seed=3" for lr in (0.2, 0.1)]
    found = sweep_files(folder / "key.conll", paths, metrics="muc")
    assert [setting["lr"] for setting in found.settings] == [0.2, 0.1]
    named = sweep_files(folder / "key.conll", {"a": paths[0], ("b", 1): str(paths[1])}, metrics="muc")
    assert named.settings == ("a", ("b", 1))
    assert named["muc"].f1.tolist() == found["muc"].f1.tolist()


def test_compressed_runs_without_parameters(folder):
    for name in "ab":
        with gzip.open(folder / f"{name}.conll.gz", "wt") as file:
            file.write(conll(KEY))
    found = sweep_files(folder / "key.conll", folder / "[ab].conll.gz")
    assert found.settings == ("a.conll.gz", "b.conll.gz")
    assert found["conll"].f1.tolist() == [1, 1]


def test_runs_of_a_checkpoint_are_not_read_again(folder, monkeypatch):
    pattern, kept = str(folder / "runs/*/out.conll"), folder / "kept.npz"
    first = sweep_files(folder / "key.conll", pattern, checkpoint=kept)
    read = []
    monkeypatch.setattr("arraycoref.sweeps.files.read_some", lambda *given: read.append(given[0]) or read_some(*given))
    assert sweep_files(folder / "key.conll", pattern, checkpoint=kept) == first == load_sweep(kept)
    assert read == [[str(folder / "key.conll")]]
    listed = {setting["lr"]: str(folder / f"runs/lr={setting['lr']},seed=3/out.conll") for setting in first.settings}
    shutil.rmtree(folder / "runs")  # whose scores are kept all the same
    assert sweep_files(folder / "key.conll", list(listed.values()), checkpoint=kept) == first


@pytest.mark.parametrize("how", ["size", "time", "number"])
def test_runs_that_were_edited_are_scored_again(folder, how):
    """The scores of the earlier text are not shown for the new one; those of other runs stay."""
    pattern, kept, said = str(folder / "runs/*"), folder / "kept.npz", []
    first = sweep_files(folder / "key.conll", pattern, checkpoint=kept)
    run = folder / "runs/lr=0.1,seed=3"
    path = run / "out.conll"
    before = path.stat()
    path.write_text(conll(KEY) + "\n" * (how == "size"))
    assert path.stat().st_size == before.st_size + (how == "size")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + (how == "time")))
    if how == "number":
        path.write_text(conll(KEY[:1]))
        (run / "second.conll").write_text(conll(KEY[1:], 1))
    options = {"checkpoint": kept, "report": said.append}
    found = sweep_files(folder / "key.conll", pattern, **options)
    assert found.settings == first.settings
    assert found == sweep_files(folder / "key.conll", pattern) == load_sweep(kept)
    assert found.sums[0].tolist() != first.sums[0].tolist()
    assert [str(error) for error in said] == [f"{run}: changed since {kept} has its scores; scored again"]
    assert sweep_files(folder / "key.conll", pattern, **options) == found
    assert len(said) == 1


def test_an_edited_run_that_cannot_be_scored_leaves_the_checkpoint(folder):
    pattern, kept = str(folder / "runs/*/out.conll"), folder / "kept.npz"
    first = sweep_files(folder / "key.conll", pattern, checkpoint=kept)
    (folder / "runs/lr=0.3,seed=3/out.conll").write_text("no longer a file of this format (")
    with pytest.warns(ac.ReadWarning, match="scored again"), pytest.raises(ac.ReadError, match=r"lr=0\.3"):
        sweep_files(folder / "key.conll", pattern, checkpoint=kept)
    assert load_sweep(kept) == first


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_what_can_be_read_once_is_named_once(folder):
    os.mkfifo(folder / "pipe")
    for key, runs in [
        ("-", {"a": ["-"]}),
        (iter(["-"]), {"a": "x", "b": iter(["y", "-"])}),
        (folder / "pipe", {"a": [folder / "pipe"]}),
    ]:
        with pytest.raises(ac.OptionError, match="appears twice among key and runs; it can be read only once"):
            sweep_files(key, runs)


def test_runs_of_other_files_are_not_taken_for_those_of_a_checkpoint(folder):
    """Runs are known by their names, which files of two folders may share."""
    key, kept = folder / "key.conll", folder / "kept.npz"
    for name, text in (("one", conll(KEY)), ("two", conll(KEY).replace("(0)", "-"))):
        (folder / name).mkdir()
        for run in "ab":
            (folder / name / f"{run}.conll").write_text(text)
    first = sweep_files(key, str(folder / "one/*"), checkpoint=kept)
    with pytest.raises(ac.InputError, match=r"kept\.npz holds the scores of .*one/a\.conll as a\.conll, .* is .*two"):
        sweep_files(key, str(folder / "two/*"), checkpoint=kept)
    with chdir(folder):
        assert sweep_files("key.conll", "one/*", checkpoint="kept.npz") == load_sweep(kept) == first
    for options in ({"column": "response:1"}, {"response_format": "conll"}):
        with pytest.raises(ac.InputError, match=r"one/a\.conll as read with no options, and now with (column=1|form)"):
            sweep_files(key, str(folder / "one/*"), checkpoint=kept, **options)
    both = sweep_files(key, {"c": folder / "two/a.conll"}, checkpoint=kept)
    assert len(both) == 3
    assert sweep_files(key, {"c": [folder / "two/a.conll"]}, checkpoint=kept) == both
    with pytest.raises(ac.InputError, match=r"holds the scores of .*two/a\.conll as c, and this is .*two/b\.conll"):
        sweep_files(key, {"c": [folder / "two/b.conll"]}, checkpoint=kept)
    other = sweep_files(folder / "two/a.conll", folder / "one", checkpoint=folder / "other.npz")
    assert other.settings == first.settings
    with pytest.raises(ac.InputError, match=r"other\.npz: the earlier sweep has another key"):
        sweep_files(key, folder / "one", checkpoint=folder / "other.npz")
    with pytest.raises(ac.ReadError, match=r"no sweep as Sweep\.save writes it: File is not a zip file"):
        sweep_files(key, folder / "one", checkpoint=key)


def test_errors(folder):
    key = folder / "key.conll"
    with pytest.raises(ac.InputError, match="matches no file"):
        sweep_files(key, str(folder / "none/*"))
    with pytest.raises(ac.InputError, match="no runs"):
        sweep_files(key, [])
    with pytest.raises(ac.InputError, match="'-' appears twice"):
        sweep_files("-", {"a": key, "b": "-"})
    with pytest.raises(ac.InputError, match="two runs are named"):
        sweep_files(key, [key, key])
    bad = folder / "bad.conll"
    bad.write_text("#begin document (text/a); part 000\nx\t0\t0\tw\t(0\n#end document\n")
    with pytest.raises(ac.ReadError, match=r"bad\.conll"):
        sweep_files(key, [bad], threads=2)
    half = folder / "half.conll"
    half.write_text(conll(KEY[:1]))
    with pytest.raises(ac.DocumentMismatchError):
        sweep_files(key, [half])
    assert sweep_files(key, [half], missing_documents="empty").n_documents == 2


@cases(
    "paths,settings",
    [
        (["runs/lr=0.1/out.conll", "runs/lr=1e-3/out.conll"], [{"lr": 0.1}, {"lr": 0.001}]),
        (["t=0.5.conll.gz", "t=1.conll.gz"], [{"t": 0.5}, {"t": 1}]),
        (["a=1,b=x/o", "a=2,b=y/o"], [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]),
        (["a=1/o", "a=1/p"], ["o", "p"]),
        (["a=1,b=2/o", "b=1,a=2/o"], [{"a": 1, "b": 2}, {"b": 1, "a": 2}]),
        (["r/a/s1/o", "r/b/s2/o"], ["a/s1", "b/s2"]),
        (["r/a/o", "r/o"], ["r/a/o", "r/o"]),
        (["r/o"], ["r/o"]),
        (["a=1/o", "b=1/o"], ["a=1", "b=1"]),
        (["lr=0.1.conll", "lr=1e-5.jsonl.gz"], [{"lr": 0.1}, {"lr": 1e-5}]),
        (["system=x,seed=1.conll", "system=y,seed=2.conll"], [{"system": "x", "seed": 1}, {"system": "y", "seed": 2}]),
        (["x_seed1.conll", "x_seed2.conll"], [{"system": "x", "seed": 1}, {"system": "x", "seed": 2}]),
        (["r/x-v1.5_seed_1.jsonl.gz", "r/y.Seed-2"], [{"system": "x-v1.5", "seed": 1}, {"system": "y", "seed": 2}]),
        (["r/x/run1/o.conll", "r/y/run2/o.conll"], [{"system": "x", "run": 1}, {"system": "y", "run": 2}]),
        (["seed1.conll", "seed2.conll"], [{"seed": 1}, {"seed": 2}]),
        (["x_seed1_epoch3", "x_seed2_epoch4"], [{"system": "x", "seed": s, "epoch": s + 2} for s in (1, 2)]),
        (["a/x_seed1.o", "b/c/x_seed1.o"], [{"system": "a/x", "seed": 1}, {"system": "b/c/x", "seed": 1}]),
        (["r/x/1.conll", "r/y/2.conll"], [{"system": "x", "seed": 1}, {"system": "y", "seed": 2}]),
        (["x_seed1.conll"], [{"system": "x", "seed": 1}]),
        (["x_seed1", "x_seed01"], ["x_seed1", "x_seed01"]),  # which would have one name
        (["x_seed1", "y"], ["x_seed1", "y"]),
        (["x_seed1", "y_run1"], ["x_seed1", "y_run1"]),
        (["linseed1", "linseed2", "xrun-1b"], ["linseed1", "linseed2", "xrun-1b"]),
        (["r/1.conll", "r/2.conll"], ["1.conll", "2.conll"]),
        (["r/x/0.5.conll", "r/y/0.5.conll"], ["x", "y"]),
        (["..", "."], ["..", "."]),
    ],
)
def test_names_of_runs(paths, settings):
    assert settings_of(paths) == settings


def test_groups_of_a_regular_expression(folder):
    pattern = str(folder / "runs/*/out.conll")
    found = sweep_files(folder / "key.conll", pattern, metrics="muc", group=r"lr=0\.(?P<tenths>\d)(?P<more>\d)?")
    assert found.settings == tuple({"tenths": tenths, "more": None} for tenths in (1, 2, 3))
    for options, error, message in [
        ({"group": "("}, ac.OptionError, "no regular expression: missing"),
        ({"group": 3}, ac.OptionError, "group is 3, which is no regular expression"),
        ({"group": "lr"}, ac.OptionError, "expected a regular expression with named groups"),
        ({"group": "(?P<a>nowhere)"}, ac.InputError, "is not found in .*lr=0.1"),
        ({"group": "(?P<a>seed)"}, ac.InputError, "two runs are named a=seed"),
    ]:
        with pytest.raises(error, match=message):
            sweep_files(folder / "key.conll", pattern, **options)
    with pytest.raises(ac.OptionError, match="beside a mapping"):
        sweep_files(folder / "key.conll", {"a": pattern}, group="(?P<a>x)")


def test_a_directory_of_runs(folder):
    """Each file in it is a run, and each folder, all files of which are read."""
    outputs = folder / "outputs"
    (outputs / "parts").mkdir(parents=True)
    (outputs / "none").mkdir()
    (outputs / ".hidden").write_text("not read")
    (outputs / "one.conll").write_text(conll(KEY))
    for part, column in enumerate(KEY):
        (outputs / "parts" / f"{part}.conll").write_text(conll([column], part))
    with pytest.raises(ac.ReadError, match="none: no file in this directory"):
        sweep_files(folder / "key.conll", outputs)
    (outputs / "none").rmdir()
    found = sweep_files(folder / "key.conll", outputs, metrics="muc")
    assert found.settings == ("one.conll", "parts")
    assert found["muc"].f1.tolist() == [1.0, 1.0]
    (folder / "empty").mkdir()
    with pytest.raises(ac.InputError, match="empty directory"):
        sweep_files(folder / "key.conll", folder / "empty")


@pytest.mark.parametrize("runs", [3, None, [None], b"runs", [["one.conll", "two.conll"]]])
def test_what_is_no_path(folder, runs):
    with pytest.raises(ac.InputError, match="is not the path of a run; expected a glob pattern, paths, or a mapping"):
        sweep_files(folder / "key.conll", runs)


def test_a_name_that_looks_like_a_pattern(folder):
    (folder / "run[1].conll").write_text(conll(KEY))
    assert len(sweep_files(folder / "key.conll", folder / "run[1].conll", metrics="muc")) == 1
