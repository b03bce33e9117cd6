"""Sweeps of files: each run counts as by itself; how paths name runs."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import arraycoref as ac
from alike import alike
from arraycoref.sweeps import sweep_files
from arraycoref.sweeps.files import settings_of
from marks import cases
from strategies import examples

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


def test_globs_lists_and_mappings(folder):
    key, pattern = folder / "key.conll", str(folder / "runs/*/out.conll")
    found = sweep_files(key, pattern, threads=2)
    assert found.settings == tuple({"lr": lr, "seed": 3} for lr in RUNS)
    for setting, batch in found.items():
        alone = ac.score_files(key, folder / f"runs/lr={setting['lr']},seed=3/out.conll")
        assert batch.names == alone.names
        np.testing.assert_array_equal(batch.counts.rows, alone.counts.rows)
    assert alike(ac.sweep(key, pattern), found)
    paths = [folder / f"runs/lr={lr},seed=3" for lr in (0.2, 0.1)]
    assert alike(sweep_files(key, paths), found.select([1, 0]))
    named = sweep_files(key, {"a": paths[0], ("b", 1): str(paths[1])})
    assert named.settings == ("a", ("b", 1))
    np.testing.assert_array_equal(named.counts.rows, found.counts.rows[[1, 0]])
    (folder / "run[1].conll").write_text(conll(KEY))  # looks like a pattern
    assert len(sweep_files(key, folder / "run[1].conll")) == 1


def test_directories_are_runs(folder):
    outputs = folder / "outputs"
    (outputs / "parts").mkdir(parents=True)
    (outputs / ".hidden").write_text("not read")
    with gzip.open(outputs / "one.conll.gz", "wt") as file:
        file.write(conll(KEY))
    for part, column in enumerate(KEY):
        (outputs / "parts" / f"{part}.conll").write_text(conll([column], part))
    found = sweep_files(folder / "key.conll", str(outputs / "*"), metrics="muc")
    assert found.settings == ("one.conll.gz", "parts")
    assert found["muc"].f1.tolist() == [1.0, 1.0]
    with pytest.raises(ac.ReadError, match=r"a second document .* and the files of one side are read together"):
        sweep_files(folder / "key.conll", outputs)


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(3, 5), st.integers(0, 4)), max_size=12)


def jsonlines(path, documents):
    """Write documents whose mentions are (start, end, entity), repeated ones among them."""
    lines = []
    for name, rows in documents.items():
        clusters = [[[start, end] for start, end, each in rows if each == entity] for entity in range(5)]
        lines.append(json.dumps({"doc_key": name, "clusters": [cluster for cluster in clusters if cluster]}))
    path.write_text("\n".join(lines) + "\n")
    return path


@examples()
@given(st.lists(ROWS, min_size=1, max_size=4), st.data())
def test_runs_are_scored_as_by_themselves(tmp_path_factory, rows, data):
    """Repeated mentions, spurious ones, documents on one side, in any order; every policy."""
    folder = tmp_path_factory.mktemp("runs")
    key = {f"d{d}": occurrences for d, occurrences in enumerate(rows)}
    names = data.draw(st.permutations([*key, "other"]))[: data.draw(st.integers(1, len(key) + 1))]
    options = {
        "duplicates": data.draw(st.sampled_from(["first", "last", "drop"])),
        "missing_documents": data.draw(st.sampled_from(["empty", "skip"])),
        "extra_documents": "ignore",
        "singletons": data.draw(st.sampled_from(["keep", "drop"])),
        "metrics": "mentions,muc,bcub,ceafm,ceafe,blanc,lea,pairwise,ceaf-phi2,bcub-all,ceafm-sys",
        "on_error": print,  # sides without mentions, of which users are warned
    }
    assume(set(key) & set(names))
    paths = jsonlines(folder / "key", key), jsonlines(folder / "run", {name: data.draw(ROWS) for name in names})
    expected = ac.score_files(*paths, format="jsonlines", **options)
    found = sweep_files(paths[0], [paths[1]], format="jsonlines", **options)
    assert found.scored[0].sum() == len(expected)
    assert found.batch(0).names == expected.names
    np.testing.assert_array_equal(found.batch(0).counts.rows, expected.counts.rows)


def test_errors_name_the_run(folder):
    key = folder / "key.conll"
    (folder / "bad.conll").write_text("#begin document (text/a); part 000\nx\t0\t0\tw\t(0\n#end document\n")
    (folder / "half.conll").write_text(conll(KEY[:1]))
    for runs, error, message in [
        (str(folder / "none/*"), ac.ReadError, "no file matches this pattern"),
        (str(folder / "none"), ac.ReadError, "none: no such file"),
        ([], ac.InputError, "no runs"),
        ([key, key], ac.InputError, "two runs are named"),
        ([folder / "bad.conll"], ac.ReadError, r"bad\.conll"),
        ({"half": folder / "half.conll"}, ac.DocumentMismatchError, "run half: missing from the response: 1 of 2"),
    ]:
        with pytest.raises(error, match=message):
            sweep_files(key, runs, threads=2)


@cases(
    "paths,settings",
    [
        (["runs/lr=0.1/out.conll", "runs/lr=1e-3/out.conll"], [{"lr": 0.1}, {"lr": 0.001}]),
        (["t=0.5.conll.gz", "t=1.conll.gz"], [{"t": 0.5}, {"t": 1}]),
        (["a=1/o", "a=1/p"], ["o", "p"]),
        (["r/a/s1/o", "r/b/s2/o"], ["a/s1", "b/s2"]),
        (["r/a/o", "r/o"], ["r/a/o", "r/o"]),
        (["system=x,seed=1.conll", "system=y,seed=2.conll"], [{"system": "x", "seed": 1}, {"system": "y", "seed": 2}]),
        (["x_seed1.conll", "x_seed2.conll"], ["x_seed1.conll", "x_seed2.conll"]),  # not guessed
    ],
)
def test_names_of_runs(paths, settings):
    assert settings_of(paths) == settings


def test_groups_of_a_regular_expression(folder):
    pattern = str(folder / "runs/*/out.conll")
    found = sweep_files(folder / "key.conll", pattern, metrics="muc", name_pattern=r"lr=0\.(?P<tenths>\d)(?P<more>\d)?")
    assert found.settings == tuple({"tenths": tenths, "more": None} for tenths in (1, 2, 3))
    for group, error, message in [
        ("lr", ac.OptionError, "expected a regular expression with named groups"),
        ("(?P<a>nowhere)", ac.InputError, "is not found in .*lr=0.1"),
    ]:
        with pytest.raises(error, match=message):
            sweep_files(folder / "key.conll", pattern, name_pattern=group)
