"""``arraycoref tags`` and the options it shares with ``score``: files, faults, progress, the CoNLL 2018 table."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from arraycoref.cli import main
from arraycoref.cli.score import score
from arraycoref.cli.tags import tags

ROW = "{}\t{}\t_\t{}\tX\t{}\t0\tdep\t_\t_\n"
GOLD = (
    ROW.format(1, "ab", "NOUN", "Case=Nom") + ROW.format(2, "c", "VERB", "_") + ROW.format(3, "d", "X", "Own=1") + "\n"
)
SYSTEM = (
    ROW.format(1, "a", "NOUN", "Case=Nom")
    + ROW.format(2, "b", "X", "_")
    + ROW.format(3, "c", "VERB", "_")
    + ROW.format(4, "d", "X", "_")
    + "\n"
)


@pytest.fixture
def files(tmp_path):
    """Two files in two folders, and a third of gold's."""
    for side, text in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / side).mkdir()
        for name in ("one", "two"):
            (tmp_path / side / f"{name}.conllu").write_text(text)
    (tmp_path / "gold" / "three.conllu").write_text(GOLD)
    return tmp_path


def run(*arguments, status=0, **options):
    result = CliRunner().invoke(main, ["tags", *map(str, arguments)], **options)
    assert result.exit_code == status, result.output
    return result


def pair(files):
    return files / "gold" / "one.conllu", files / "system" / "one.conllu"


def test_options_are_those_of_score():
    """All options of score but those about mentions, entities, coreference columns and tables."""
    here, there = (
        {name: option for option in command.params for name in option.opts if name.startswith("-")}
        for command in (tags.commands["score"], score)
    )
    for name in (
        "--metrics",
        "--missing-documents",
        "--extra-documents",
        "--beta",
        "--threads",
        "--input-format",
        "--lenient",
        "--max-bytes",
        "--per-document",
        "--macro",
        "--format",
        "--output",
        "--quiet",
        "--progress",
    ):
        assert name in there
        assert name in here
    formats = [name for name in there["--format"].type.choices if name != "github"]
    assert list(here["--format"].type.choices) == formats


def test_the_table_of_the_shared_task(files):
    """3 words against 4; c and d are aligned, ab is not. UPOS and XPOS are right, so are universal features."""
    row = "{:11}|     50.00 |     66.67 |     57.14 |{}"
    expected = [
        "Metric     | Precision |    Recall |  F1 Score | AligndAcc",
        "-----------+-----------+-----------+-----------+-----------",
        row.format("Words", ""),
        *(row.format(name, "    100.00") for name in ("UPOS", "XPOS", "UFeats", "AllTags")),
    ]
    assert run("score", *pair(files), "--format", "conll").stdout == "\n".join([*expected, ""])
    chosen = run("score", *pair(files), "--format", "conll", "--measure", "alltags,upos").stdout
    assert chosen.splitlines() == [*expected[:2], expected[3], expected[6]]


def test_measures_of_conllu(files):
    found = json.loads(run("score", *pair(files), "--format", "json", "--threads", "0").stdout)
    assert list(found["scores"]) == ["UPOS", "XPOS", "UFeats", "AllTags"]
    assert found["scores"]["UPOS"]["recall"] == 2 / 3
    assert found["scores"]["UPOS"]["precision"] == 1 / 2
    assert found["signature"]["missing_documents"] == "error"
    found = json.loads(run("score", *pair(files), "--format", "json", "--tagset", "ud", "--metrics", "PA").stdout)
    assert list(found["scores"]) == ["pa"]


def test_folders_and_policies(files):
    sides = files / "gold", files / "system"
    message = run("score", *sides, status=1).stderr
    assert "lacks 1 of 3 documents ('three')" in message
    assert "--missing-documents 'empty' scores them as empty responses, 'skip' leaves them out" in message
    found = json.loads(
        run("score", *sides, "--missing-documents", "empty", "--per-document", "--format", "json").stdout
    )
    assert list(found["per_document"]) == ["one", "three", "two"]
    assert [found["per_document"][name]["UPOS"]["recall_num"] for name in ("one", "three", "two")] == [2, 0, 2]
    assert found["scores"]["UPOS"]["recall"] == 4 / 9
    skipped = run("score", *sides, "--missing-documents", "skip", "--format", "csv", "--measure", "upos").stdout
    assert skipped.splitlines()[1].startswith(f"UPOS,{4 / 6!r},0.5,")
    table = run("confusions", *sides, "--missing-documents", "empty", "--tagset", "ud", "--format", "csv").stdout
    assert table.splitlines()[1] == "pos,9,4,0,0,5,0"
    assert "two.conllu" not in run("score", *sides[::-1], "--extra-documents", "ignore").stderr


def test_lenient_and_quiet(files):
    gold, system = pair(files)
    gold.write_text(GOLD + "junk\n")
    assert "one.conllu:5: 1 columns, expected 10" in run("score", gold, system, status=1).stderr
    warned = run("score", gold, system, "--lenient", "--format", "conll")
    assert warned.stderr == f"arraycoref: warning: {gold}:5: 1 columns, expected 10\n"
    quiet = run("score", gold, system, "--lenient", "--quiet", "--format", "conll")
    assert (quiet.stdout, quiet.stderr) == (warned.stdout, "")
    arguments = ("confusions", gold, system, "--tagset", "ud")
    assert run(*arguments, status=1).stdout == ""
    assert "warning" in run(*arguments, "--lenient").stderr
    assert run(*arguments, "--lenient", "--quiet").stderr == ""
    arguments = ("weights", "--ambiguity", gold, "--tagset", "ud", "--format", "json")
    assert run(*arguments, status=1).stdout == ""
    warned = run(*arguments, "--lenient")
    assert "warning" in warned.stderr
    assert json.loads(warned.stdout)["categories"]["pos"] == 1
    assert run(*arguments, "--lenient", "--quiet").stderr == ""
    rules = files / "rules.jsonl"
    rules.write_text('{"terminals": [{"categories": ["pos"]}]}\n{\n')
    assert "rules.jsonl:2: expected" in run("weights", "--rules", rules, status=1).stderr
    assert '"pos" = 1.0' in run("weights", "--rules", rules, "--lenient").stdout
    tree = files / "tree.conllu"
    tree.write_text("1\ta\t_\tX\t_\t_\t2\t_\t_\t_\n2\tb\t_\tY\t_\t_\t0\t_\t_\t_\n3\tc\t_\tX\t_\t_\t1\t_\t_\t_\n")
    assert "tree.conllu:2: tag 'Y|_'" in run("weights", "--treebank", tree, "--tagset", "ud", status=1).stderr
    assert '"pos" = 2.0' in run("weights", "--treebank", tree, "--tagset", "ud", "--lenient", "--quiet").stdout


def test_output_and_standard_input(files):
    gold, system = pair(files)
    assert run("score", gold, system, "--output", files / "out", "--format", "conll").stdout == ""
    piped = run("score", gold, "-", "--input-format", "conllu", "--format", "conll", input=SYSTEM)
    assert (files / "out").read_text() == piped.stdout


def test_separator(files):
    path = files / "ud.tsv"
    path.write_text("a\tNOUN|Case=Nom\n")
    assert "unknown part of speech" in run("score", path, path, "--tagset", "ud", status=1).stderr
    assert "100.00" in run("score", path, path, "--tagset", "ud", "--separator", "").stdout
    assert '"Case" = 1.0' in run("weights", "--ambiguity", path, "--tagset", "ud", "--separator", "").stdout
