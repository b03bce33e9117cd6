"""No command writes what it reads, nor into a directory that it reads."""

import json
import os
import shutil

import pytest

NAMES = ("key.conll", "a.conll", "b.conll")


@pytest.fixture
def folder(key, response, tmp_path, monkeypatch):
    """Files of all kinds in the working directory; the rest are folders of runs, of pairs and of blocks."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.conll", "b.conll", "runs/lr=1/out.conll", "runs/lr=2/out.conll", "dev/a.conll"):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        shutil.copy(response, name)
    for name in ("dev/key.conll", "keys/a.conll"):
        os.makedirs(os.path.dirname(name), exist_ok=True)
        shutil.copy(key, name)
    shutil.copytree("dev", "test")
    (tmp_path / "pairs.tsv").write_text("key.conll\ta.conll\n")
    (tmp_path / "gold.conllu").write_text("1\ta\ta\tX\tx\t_\t0\troot\t_\t_\n\n")
    os.symlink("key.conll", "link")
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SCORED = ("score", "key.conll", "a.conll")
EARLIER = (*SCORED, "--format=json", "--per-document", "--output=scores.json")
TABLE = ("table", "{block}/key.conll", "{block}/a.conll", "--blocks=dev, test")
SWEEP = ("sweep", "key.conll", "runs")
TAGS = ("tags", "score", "gold.conllu", "gold.conllu")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*SCORED, "--output=key.conll"), "--output is 'key.conll', which KEY names too"),
        ((*SCORED, "--output=./link"), "--output is './link', which KEY names too"),
        ((*SCORED, "--output=a.conll"), "--output is 'a.conll', which RESPONSE names too"),
        (("score", "key.conll", "*.conll", "--output=b.conll"), "--output is 'b.conll', which RESPONSE names too"),
        (("score", "dev", "test", "--output=dev/a.conll"), "--output is 'dev/a.conll' in 'dev', a directory of KEY"),
        (("score", "dev", "test", "--output=test/new"), "--output is 'test/new' in 'test', a directory of RESPONSE"),
        ((*SCORED, "--compare-to=scores.json", "--output=scores.json"), "which --compare-to names too"),
        (("score", "--pairs", "pairs.tsv", "--output=pairs.tsv"), "--output is 'pairs.tsv', which KEY names too"),
        (("score", "--pairs", "pairs.tsv", "--output=a.conll"), "--output is 'a.conll', which KEY names too"),
        (("score", "--pairs", "keys", "dev", "--output=keys/new"), "--output is 'keys/new' in 'keys', a directory"),
        (("compare", "key.conll", "x=a.conll", "b.conll", "--output=a.conll"), "which RESPONSE names too"),
        (("compare", "key.conll", "a.conll", "--plot=runs/../a.conll"), "--plot is 'runs/../a.conll', which RESPONSE"),
        ((*TABLE, "--output=test/key.conll"), "--output is 'test/key.conll', which KEY names too"),
        ((*SWEEP, "--save=runs/sweep.npz"), "--save is 'runs/sweep.npz' in 'runs', a directory of RUNS"),
        ((*SWEEP, "--save=key.conll"), "--save is 'key.conll', which KEY names too"),
        ((*SWEEP, "--save=x.npz", "--output=x.npz"), "--save and --output are both 'x.npz'; expected two files"),
        (("check", ".", "--output=found.json"), "--output is 'found.json' in '.', a directory of FILES"),
        (("check", "dev/*", "--output=dev/a.conll"), "--output is 'dev/a.conll', which FILES names too"),
        (("convert", "dev", "dev/new.jsonl"), "OUT is 'dev/new.jsonl' in 'dev', a directory of IN"),
        ((*TAGS, "--output=gold.conllu"), "--output is 'gold.conllu', which GOLD names too"),
        ((*TAGS, "--lexicon=a.conll", "--output=a.conll"), "which --lexicon names too"),
        (("tags", "weights", "--treebank=gold.conllu", "--output=gold.conllu"), "which --treebank names too"),
    ],
)
def test_what_is_read_is_kept(run, folder, arguments, said):
    assert run(*EARLIER).exit_code == 0
    before = contents(folder)
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert contents(folder) == before


@pytest.mark.parametrize(
    "arguments",
    [
        (*SCORED, "--output=dev/key.conll"),
        (*SCORED, "--output=new.conll"),
        (*SCORED, "--output=/dev/null"),
        ("score", "keys", "keys", "--output=keys/.scores"),
        ("score", "keys", "keys", "--output=keys.txt"),
        ("sweep", "key.conll", "runs/*/out.conll", "--output=runs/table.txt", "--save=runs/sweep.npz"),
        (*TABLE, "--output=dev/table.txt"),
        ("score", "--pairs", "pairs.tsv", "--output=b.conll"),
    ],
)
def test_all_else_is_written(run, folder, arguments):
    assert run(*arguments).exit_code == 0
    assert run(*arguments).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [
        (("score", "", "a.conll"), "KEY"),
        (("score", "key.conll", "a.conll", "--compare-to="), "--compare-to"),
        (("score", "key.conll", "a.conll", "--output="), "--output"),
        (("compare", "key.conll", "a.conll", ""), "RESPONSE"),
        (("compare", "key.conll", "a.conll", "--plot="), "--plot"),
        ((*SWEEP, "--save="), "--save"),
        (("check", "key.conll", ""), "FILES"),
        (("convert", "", "x.conll"), "IN"),
        (("convert", "key.conll", ""), "OUT"),
        ((*TAGS, "--lexicon="), "--lexicon"),
    ],
)
def test_paths_of_variables_that_are_not_set(run, folder, arguments, typed):
    """A lexicon was taken for none, and of the others nothing was named: ``error: : No such file or directory``."""
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"Error: {typed} is empty; expected a path" in done.stderr


@pytest.mark.parametrize(
    ("path", "said"), [("absent/scores.json", "No such file or directory"), ("dev", "Is a directory")]
)
def test_what_cannot_be_written_is_said_before_anything_is_read(run, folder, path, said):
    for arguments in (("score", "none.conll", "none.conll", "--output", path), ("convert", "none.conll", path)):
        done = run(*arguments)
        assert (done.exit_code, done.stderr) == (1, f"arraycoref: error: {path}: {said}\n")


def test_a_list_beside_responses_is_no_folder(run, folder):
    done = run("score", "--pairs", "a.conll", "keys", "--output=new.txt")
    assert done.exit_code == 1
    assert "'a.conll' is no folder; expected one of keys" in done.stderr


def test_what_is_saved_is_read_again(run, folder):
    for _ in range(2):
        done = run("sweep", "key.conll", "runs", "--save=sweep.npz", "--format=json")
        assert len(json.loads(done.stdout)["settings"]) == 2
