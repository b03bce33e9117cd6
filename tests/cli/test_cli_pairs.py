"""``arraycoref score --file-pairs``: a row per pair and the total, in every format; a pair that fails is named."""

import json
import re
from pathlib import Path

import pytest


@pytest.fixture
def pairs(write, tmp_path, monkeypatch):
    """Write three pairs whose documents have the same name, and a list of two of them, with one that fails between."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keys").mkdir()
    (tmp_path / "responses").mkdir()
    marks = {"a": ("(0)", "(0)", "(1)"), "b": ("(0)", "(1)", "(1)"), "c": ("(2)", "(2)", "(2)")}
    for name, column in marks.items():
        write(f"keys/{name}.conll", [["(0)", "(0)", "(1)"]], names=["d"])
        write(f"responses/{name}.conll", [column], names=["d"])
    lines = [f"keys/{name}.conll\tresponses/{name}.conll\n" for name in ("a", "absent", "c")]
    (tmp_path / "list.tsv").write_text("".join(lines))
    return "list.tsv"


FAILED = "arraycoref: error: pair 'responses/absent.conll': keys/absent.conll: No such file or directory\n"


def test_table(run, pairs):
    done = run("score", "--file-pairs", "keys", "responses", "--metrics", "muc,lea")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["pair", "(F1)", "muc", "lea"]
    assert [line[0] for line in lines[2:6]] == ["a", "b", "c", "total"]
    assert lines[2] == ["a", "100.00", "100.00"]
    assert lines[3] == ["b", "0.00", "0.00"]
    assert lines[4][1] == "66.67"  # MUC by hand: 1 of 1 link found, 1 of 2 is right
    assert lines[5][1] == "57.14"  # 2 of 3 links found, 2 of 4 are right
    assert lines[6][:4] == ["mean", "of", "pairs", "55.56"]  # (1 + 0 + 2/3) / 3
    assert done.stdout.splitlines()[8] == "3 pairs, 3 documents; recall, precision and F1 in percent"
    found = json.loads(run("score", "--file-pairs", "keys", "responses", "--metrics", "muc", "--format", "json").stdout)
    assert found["mean"]["muc"] == {"recall": 2 / 3, "precision": 0.5, "f1": (1 + 2 / 3) / 3}


def test_a_pair_that_fails_is_named_and_the_others_are_printed(run, pairs):
    done = run("score", "--file-pairs", pairs, "--metrics", "muc")
    assert (done.exit_code, done.stderr) == (1, FAILED)
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["responses/a.conll", "responses/c.conll", "total"]
    assert lines[4].split()[1] == "80.00"  # 2 of 2 links found, 2 of 3 are right
    assert lines[7:9] == [
        "2 pairs, 2 documents; recall, precision and F1 in percent",
        "not scored, and not in the total: responses/absent.conll",
    ]
    assert run("score", "--file-pairs", pairs, "--quiet").stderr == FAILED
    assert run("score", "--file-pairs", pairs, "--output", "scores.txt", "--metrics", "muc").exit_code == 1
    with open("scores.txt", encoding="utf-8") as file:
        assert file.read() == done.stdout


def test_what_has_no_partner_is_named(run, pairs, tmp_path):
    (tmp_path / "keys" / "b.conll").unlink()
    done = run("score", "--file-pairs", "keys/", "responses/", "--format", "json")
    assert done.exit_code == 1
    assert done.stderr == "arraycoref: error: pair 'b': responses/b.conll has no partner in keys/\n"
    found = json.loads(done.stdout)
    assert (list(found["pairs"]), found["failures"]) == (["a", "c"], {"b": "responses/b.conll has no partner in keys/"})


def test_when_all_pairs_fail_there_is_no_total(run, pairs):
    Path("lost.tsv").write_text("no key.conll\tlost.conll\n", encoding="utf-8")
    for name in ("table", "csv", "conll"):
        done = run("score", "--file-pairs", "lost.tsv", "--format", name)
        assert (done.exit_code, "pair 'lost.conll': no key.conll: No such file" in done.stderr) == (1, True)
        assert re.search(r"\b1?0[.]0|100", done.stdout) is None
    for options in ((), ("--corefud-columns",)):
        assert run("score", "--file-pairs", "lost.tsv", "-b", "muc", *options).stdout.strip() == ""
    found = json.loads(run("score", "--file-pairs", "lost.tsv", "--format", "json", "--fail-under", "blanc=90").stdout)
    assert (found["total"], found["bounds"][0]["reached"]) == (None, False)


def test_conll_is_the_text_of_pair_after_pair(run, pairs):
    """A pair that fails has the first line alone, as the reference scorer prints it before it reads files."""
    done = run("score", "--file-pairs", pairs, "--format", "conll", "--per-document")
    assert (done.exit_code, done.stderr) == (1, FAILED)
    one, other = (
        run("score", f"keys/{name}.conll", f"responses/{name}.conll", "--format", "conll", "--per-document").stdout
        for name in ("a", "c")
    )
    assert done.stdout == one + one.splitlines()[0] + "\n" + other


def test_options_are_handed_on(run, pairs, write):
    assert "profile:conll" in run("score", "--file-pairs", pairs, "--profile", "conll").stdout
    write("keys/a.conll", [["(0)", "(0)"], ["(0)", "(0)"]], names=["d", "more"])
    done = run("score", "--file-pairs", pairs, "--progress")
    assert "; --missing-documents 'empty' scores them as empty responses, 'skip' leaves them out\n" in done.stderr
    done = run("score", "--file-pairs", pairs, "--missing-documents", "skip", "--tokens", "ignore")
    assert done.stderr == FAILED
