"""``arraycoref score``: its options and formats."""

from __future__ import annotations

import csv
import io
import json

import pytest

import arraycoref


def test_table(run, key, response):
    done = run("score", key, response)
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["metric", "recall", "precision", "F1", "recall", "counts", "precision", "counts"]
    table = {line.split()[0]: line.split()[1:] for line in lines[2:13]}
    assert list(table) == ["mentions", "muc", "bcub", "ceafm", "ceafe", "blanc", "-", "lea", "pairwise", "conll"]
    assert table["muc"] == ["66.67", "100.00", "80.00", "4", "/", "6", "4", "/", "4"]
    assert lines[14] == "2 documents, ratios in percent"
    policies = "dup:error|missing:error|extra:error|singletons:keep|beta:1"
    assert lines[15:] == [f"arraycoref|v:{arraycoref.__version__}|profile:paper|{policies}"]


def test_json_equals_python(run, key, response):
    done = run("score", key, response, "--format", "json")
    b = arraycoref.score_files(key, response)
    found = json.loads(done.stdout)
    assert list(found) == ["signature", "documents", "scores"]
    assert found["signature"]["version"] == arraycoref.__version__
    assert found["documents"] == 2
    assert list(found["scores"]) == list(b.metrics)
    for metric in ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "pairwise"):
        assert found["scores"][metric] == vars(b[metric])
    assert found["scores"]["blanc"]["coreference"] == vars(b["blanc"].coreference)
    assert found["scores"]["blanc"]["recall_num"] is None
    assert found["scores"]["conll"] == {"f1": b.conll}


def test_per_document(run, key, response):
    found = json.loads(run("score", key, response, "--format", "json", "--per-document").stdout)
    assert list(found["per_document"]) == ["text/a_0", "text/a_1"]
    assert found["per_document"]["text/a_0"]["muc"]["recall"] == 0.6
    assert found["per_document"]["text/a_1"]["conll"]["f1"] == 1
    rows = list(csv.DictReader(io.StringIO(run("score", key, response, "--format=csv", "--per-document").stdout)))
    assert {(row["document"], row["metric"]): row["recall"] for row in rows}["text/a_0", "muc"] == "0.6"
    assert "text/a_0" in run("score", key, response, "--per-document").stdout


def test_macro(run, key, response):
    found = json.loads(run("score", key, response, "--format", "json", "--macro").stdout)
    assert found["macro"]["muc"]["recall"] == pytest.approx((0.6 + 1) / 2)
    assert "mean over 2 documents" in run("score", key, response, "--macro").stdout


@pytest.mark.parametrize("arguments", [["--metrics", "muc,lea"], ["--metrics", "MUC", "--metrics", "lea, muc"]])
def test_metrics(run, key, response, arguments):
    found = json.loads(run("score", key, response, "--format", "json", *arguments).stdout)
    assert list(found["scores"]) == ["muc", "lea"]


def test_beta(run, key, response):
    done = run("score", key, response, "--beta", "2")
    assert done.stdout.split()[3] == "F2"
    assert done.stdout.endswith("beta:2\n")
    f2 = json.loads(run("score", key, response, "--beta", "2", "--format", "json").stdout)["scores"]["muc"]["f1"]
    assert f2 == pytest.approx(5 * 1 * (2 / 3) / (4 + 2 / 3))


def test_policies_are_passed_on(run, write, key):
    spoilt = write("spoilt.conll", [["(0)|(1)", "(0)", "(0)", "(1)", "(0)", "(0)"]], names=["text/a"])
    assert run("score", key, spoilt).exit_code == 1
    done = run("score", key, spoilt, "--duplicates", "first", "--missing-documents", "skip", "--format", "json")
    found = json.loads(done.stdout)
    assert found["documents"] == 1
    assert (found["signature"]["duplicates"], found["signature"]["missing_documents"]) == ("first", "skip")
    assert run("score", key, spoilt, "--profile", "conll").exit_code == 0
    assert run("score", spoilt, key, "--profile", "conll", "--duplicates", "drop").exit_code == 0
    found = json.loads(
        run("score", key, key, "--singletons", "drop", "--extra-documents", "ignore", "--format", "json").stdout
    )
    assert (found["signature"]["singletons"], found["signature"]["extra_documents"]) == ("drop", "ignore")


def test_conll_format_per_document(run, key, response):
    done = run("score", key, response, "--format", "conll", "--per-document", "--metrics", "muc")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("version: 8.01 arraycoref ")
    assert lines[2:9] == [
        "Total key mentions: 6",
        "Total response mentions: 6",
        "Strictly correct identified mentions: 6",
        "Partially correct identified mentions: 0",
        "No identified: 0",
        "Invented: 0",
        "Recall: (3 / 5) 60%\tPrecision: (3 / 3) 100%\tF1: 74.99%",
    ]
    assert "METRIC" not in done.stdout


@pytest.mark.parametrize("options", [["--macro"], ["--beta", "2"], ["--metrics", "lea,muc"], ["--metrics", "mentions"]])
def test_conll_format_refuses_what_it_cannot_tell(run, key, response, options):
    done = run("score", key, response, "--format", "conll", *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--format conll" in done.stderr


@pytest.mark.parametrize("name", ["table", "json", "csv", "markdown", "latex", "conll"])
def test_empty_sides_never_print_nan(run, write, name):
    empty, full = write("empty.conll", [["-", "-"]], names=["e"]), write("full.conll", [["(0)", "(0)"]], names=["e"])
    for files in ((empty, full), (full, empty), (empty, empty)):
        for options in ([], ["--per-document"]):
            done = run("score", *files, "--format", name, *options)
            assert done.exit_code == 0
            assert "nan" not in done.stdout.lower()


@pytest.mark.parametrize("option", ["--columns=document,mention,label", "--frame=0.02"])
def test_documents_have_no_options_of_tables(run, key, response, option):
    done = run("score", key, response, option)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{option.split('=')[0]} needs tables with one row per mention" in done.stderr
