"""``arraycoref tags``: score, weights, confusions."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import arraycoref as ac
from arraycoref.cli import main
from arraycoref.tagging import load_weights, score_tag_files

GOLD = "mam\tfin:sg:pri:imperf\nzadanie\tsubst:sg:acc:n|subst:sg:nom:n\n.\tinterp\n"
SYSTEM = "mam\tfin:sg:pri:imperf\nzadanie\tger:sg:nom:n:perf:aff\n.\tinterp\n"


@pytest.fixture
def files(tmp_path):
    for name, text in (("gold.tsv", GOLD), ("system.tsv", SYSTEM)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return str(tmp_path / "gold.tsv"), str(tmp_path / "system.tsv")


def run(*arguments, status=0):
    result = CliRunner().invoke(main, ["tags", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result.output


def test_score_as_json(files):
    found = json.loads(run("score", *files, "--tagset", "nkjp", "--weights", "poliqarp", "--format", "json"))
    assert list(found["scores"]) == ["exact", "pos", "pa", "wpa"]
    pa = found["scores"]["pa"]
    assert pa["precision"] == pytest.approx((1 + 0.6 + 1) / 3)
    assert pa["recall"] == pytest.approx((1 + 0.6 + 0.4 + 1) / 4)
    assert pa["weak"] == pytest.approx((1 + 0.6 + 1) / 3)
    assert pa["strong"] == pytest.approx((1 + 0.4 + 1) / 3)
    assert pa["aligned_accuracy"] is None
    assert found["signature"]["tagset"] == "nkjp"


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "csv"])
def test_other_formats(files, format):
    output = run("score", *files, "--tagset", "nkjp", "--measure", "exact,PA", "--measure", "pos", "--format", format)
    assert all(name in output for name in ("exact", "pa", "pos"))
    assert "86.67" in output or "0.8666" in output


def test_csv_has_a_column_for_all(files):
    rows = list(csv.DictReader(io.StringIO(run("score", *files, "--measure", "exact", "--format", "csv"))))
    assert rows[0]["strong"] == repr(2 / 3)
    assert rows[0]["aligned_accuracy"] == ""
    assert "document" in run("score", *files, "--per-document", "--format", "csv")
    assert run("score", *files, "--macro", "--format", "csv").startswith("metric,recall")


@pytest.mark.parametrize("name", ["table", "markdown", "latex", "html", "csv"])
def test_sentences_are_called_so(files, name):
    for file in files:
        Path(file).write_text(2 * (Path(file).read_text(encoding="utf-8") + "\n"), encoding="utf-8")
    output = run("score", *files, "--unit", "sentence", "--per-document", "--format", name)
    assert "document" not in output
    assert re.search(r"sentence(,metric| \(F1\))", output)
    assert name == "csv" or "2 sentences, ratios in percent" in output
    scores = score_tag_files(*files, unit="sentence")
    assert "of 2 sentences, percent" in repr(scores)
    for result in (ac.compare({"a": scores}, metric="exact"), ac.table({"a": scores}, metrics="exact")):
        assert "2 sentences, micro average" in str(result)


def test_lexicon_units_and_output(files, tmp_path):
    (tmp_path / "lexicon.tsv").write_text(".\tinterp\n")
    arguments = [*files, "--lexicon", tmp_path / "lexicon.tsv", "--unit", "sentence"]
    output = run("score", *arguments, "--format", "json", "--output", tmp_path / "out.json")
    assert output == ""
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["words"]["known"]["exact"]["recall"] == 1
    assert found["words"]["unknown"]["exact"]["recall"] == pytest.approx(1 / 3)
    assert found["words"]["unknown"]["exact"]["aligned_accuracy"] is None  # zadanie has two tags
    assert found["words"]["known"]["exact"]["aligned_accuracy"] == 1
    table = run("score", *arguments).split("\n\n")
    assert table[1].split("\n")[0].split() == ["words", "(F1)", "exact"]
    assert table[1].split("\n")[3].split() == ["unknown", "40.00"]  # 1 of 3 gold tags, 1 of 2 assigned
    assert table[2].split("\n")[2:] == ["known                100.00", "unknown", "ambiguous"]
    rows = list(csv.DictReader(io.StringIO(run("score", *arguments, "--format", "csv"))))
    assert [(row["words"], row["recall"]) for row in rows] == [
        ("all", "0.5"),
        ("known", "1.0"),
        ("unknown", repr(1 / 3)),
        ("ambiguous", "0.0"),
    ]


def test_weights(files, tmp_path):
    (tmp_path / "log").write_text("[case=nom]\n[pos=subst & case=acc]\n")
    (tmp_path / "rules.jsonl").write_text('{"terminals": [{"pos": "prep", "categories": ["pos", "case"]}]}\n')
    (tmp_path / "tree.conllu").write_text(
        "1\tnowy\t_\tADJ\t_\tCase=Nom\t2\tamod\t_\t_\n2\tdom\t_\tNOUN\t_\tCase=Nom\t0\troot\t_\t_\n"
    )
    cases = [
        (["--preset", "poliqarp"], {"case": 14055}),
        (["--queries", tmp_path / "log", "--tagset", "nkjp"], {"pos": 1, "case": 2}),
        (["--ambiguity", files[0], "--tagset", "nkjp"], {"case": pytest.approx(2 / 3)}),
        (["--rules", tmp_path / "rules.jsonl"], {"pos": 1, "case": 1}),
        (["--treebank", tmp_path / "tree.conllu", "--tagset", "ud"], {"pos": 2, "Case": 2}),
    ]
    for arguments, expected in cases:
        for suffix in ("toml", "json"):
            path = tmp_path / f"w.{suffix}"
            run("weights", *arguments, "--format", suffix, "--output", path)
            categories = load_weights(path).categories
            assert {name: categories[name] for name in expected} == expected


def test_confusions(files):
    assert "ger" in run("confusions", *files, "--tagset", "nkjp", "--category", "pos")
    found = json.loads(run("confusions", *files, "--tagset", "nkjp", "--format", "json"))
    assert found[0] == {
        "category": "pos",
        "gold": 4,
        "correct": 2,
        "wrong": 2,
        "missing": 0,
        "unassigned": 0,
        "spurious": 0,
    }
    output = run("confusions", *files, "--tagset", "nkjp", "--category", "case", "--top", "1", "--format", "csv")
    assert output == "gold,assigned,tags\nacc,nom,1\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["score", "GOLD", "none.tsv"], 1, "none.tsv: No such file"),
        (["score", "GOLD", "SYSTEM", "--measure", "bleu"], 2, "unknown measure 'bleu'"),
        (["score", "GOLD", "SYSTEM", "--tagset", "penn"], 2, "unknown --tagset 'penn'"),
        (["score", "GOLD", "SYSTEM", "--measure", "pa"], 2, "--measure pa needs --tagset"),
        (["score", "GOLD", "SYSTEM", "--metrics", ""], 2, "--measure names no measure"),
        (["score", "GOLD", "SYSTEM", "--measure", "WPA", "--tagset", "nkjp"], 2, "--measure WPA needs --weights"),
        (["score", "GOLD", "SYSTEM", "--weights", "x"], 2, "unknown --weights 'x'"),
        (["score", "GOLD", "SYSTEM", "--tagset", "ipipan", "--weights", "w.toml"], 1, "w.toml"),
        (["score", "GOLD", "SYSTEM", "--weights", "poliqarp"], 2, "--weights needs --tagset"),
        (["score", "GOLD", "SYSTEM", "--format=csv", "--macro", "--per-document"], 2, "--format csv has rows for one"),
        (["score", "GOLD", "SYSTEM", "--format=csv", "--lexicon=GOLD", "--macro"], 2, "--format csv has rows for one"),
        (["score", "-", "-", "--input-format", "tsv"], 2, "both '-', which can be read only once"),
        (["score", "GOLD", "SYSTEM", "--format", "conll"], 1, "'UPOS' needs CoNLL-U"),
        (["score", "GOLD", "SYSTEM", "--format", "conll", "--metrics", "UPOS,pa"], 2, "AllTags; not pa"),
        (["score", "GOLD", "SYSTEM", "--format", "conll", "--macro"], 2, "--format conll has neither"),
        (["score", "GOLD", "SYSTEM", "--format", "conll", "--lexicon", "GOLD"], 2, "--format conll has neither"),
        (["score", "GOLD", "SYSTEM", "--max-bytes", "9"], 1, "more than 9 bytes"),
        (["score", "GOLD", "SYSTEM", "--threads", "-1"], 2, "--threads"),
        (["confusions", "GOLD", "SYSTEM", "--tagset", "nkjp", "--category", "tense"], 1, "unknown category 'tense'"),
        (["confusions", "GOLD", "SYSTEM", "--tagset", "nkjp", "--format", "conll"], 2, "'conll' is not one of"),
        (["confusions", "GOLD", "SYSTEM"], 2, "expected --tagset"),
        (["weights"], 2, "expected one of --preset"),
        (["weights", "--queries", "GOLD"], 2, "--queries needs --tagset"),
        (["weights", "--preset", "poliqarp", "--separator", "+"], 2, "--separator needs --ambiguity"),
        (["weights", "--rules", "GOLD", "--max-bytes", "9"], 2, "--max-bytes needs --ambiguity"),
        (["weights", "--queries", "GOLD", "--lenient"], 2, "--lenient needs --ambiguity, --rules or --treebank"),
        (["score", "-", "SYSTEM", "--input-format", "tsv", "--lexicon", "-"], 2, "both '-', which can be read only"),
    ],
)
def test_errors(files, arguments, status, message):
    named = {"GOLD": files[0], "SYSTEM": files[1]}
    assert message in run(*(named.get(argument, argument) for argument in arguments), status=status)


def test_importing_imports_little():
    code = (
        "import sys, arraycoref.cli.tags; print([m for m in ('numba', 'scipy', 'lxml', 'arraycoref.tagging') if m in "
        "sys.modules]); import arraycoref.tagging; print([m for m in ('numba', 'scipy', 'lxml') if m in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert output.split("\n")[:2] == ["[]", "[]"]


@pytest.mark.parametrize(
    ("source", "text", "options"),
    [
        ("queries", "[case=nom]\n", ["--tagset", "nkjp"]),
        ("rules", '{"terminals": [{"pos": "adj", "categories": ["case"]}]}\n', []),
        ("treebank", "1\ta\t_\tDET\t_\t_\t2\t_\t_\t_\n2\tb\t_\tNOUN\t_\t_\t0\t_\t_\t_\n", ["--tagset", "ud"]),
        ("ambiguity", "a\tsubst:sg:nom:n|subst:sg:acc:n\n", ["--tagset", "nkjp", "--input-format", "tsv"]),
    ],
)
def test_weights_of_standard_input(tmp_path, source, text, options):
    (tmp_path / "file").write_text(text, encoding="utf-8")
    arguments = ["tags", "weights", f"--{source}", "-", *options]
    of_input = CliRunner().invoke(main, arguments, input=text)
    assert (of_input.exit_code, "<stdin>" in of_input.output) == (0, True)
    arguments[3] = str(tmp_path / "file")
    assert CliRunner().invoke(main, arguments).output == of_input.output.replace("<stdin>", arguments[3])
