"""``arraycoref score``: its options and formats."""

import json

import pytest

import arraycoref
from arraycoref.display.formats import FORMATS
from arraycoref.scoring.reports import ScoresReport


@pytest.mark.parametrize("name", FORMATS)
def test_prints_what_python_returns(run, key, response, name):
    done = run("score", key, response, "--format", name)
    b = arraycoref.score_files(key, response)
    assert (done.exit_code, done.stderr, done.stdout) == (0, "", ScoresReport(b).render(name))


def test_options_are_passed_on(run, key, response):
    found = json.loads(run("score", key, response, "--format", "json", "--per-document", "--macro").stdout)
    assert found["per_document"]["text/a_0"]["muc"]["recall"] == 0.6
    assert found["per_document"]["text/a_1"]["conll"]["f1"] == 1
    assert found["macro"]["muc"]["recall"] == pytest.approx((0.6 + 1) / 2)
    found = json.loads(run("score", key, response, "--beta", "2", "--format", "json").stdout)
    assert found["scores"]["muc"]["f1"] == pytest.approx(5 * 1 * (2 / 3) / (4 + 2 / 3))
    some = json.loads(run("score", key, response, "--metrics=MUC", "--metrics=lea, muc", "--format", "json").stdout)
    assert list(some["scores"]) == ["muc", "lea"]
    conll = run("score", key, response, "--format", "conll", "--per-document", "--metrics", "muc").stdout
    assert "Recall: (3 / 5) 60%\tPrecision: (3 / 3) 100%\tF1: 74.99%" in conll


def test_policies_are_passed_on(run, write, key):
    spoilt = write("spoilt.conll", [["(0)|(1)", "(0)", "(0)", "(1)", "(0)", "(0)"]], names=["text/a"])
    assert run("score", key, spoilt).exit_code == 1
    assert run("score", key, spoilt, "--profile", "conll").exit_code == 0
    policies = {"duplicates": "first", "missing-documents": "skip", "extra-documents": "ignore", "singletons": "drop"}
    options = [f"--{name}={value}" for name, value in policies.items()]
    found = json.loads(run("score", key, spoilt, *options, "--format", "json").stdout)
    assert found["documents"] == 1
    assert {name: found["signature"][name.replace("-", "_")] for name in policies} == policies


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "conll", "--metrics", "lea,muc"], "--format conll"),
        (["--scheduler=x"], "--scheduler needs --engine dask"),
        (["--input-format=parquet", "--matching=head"], "--matching has no effect on Parquet tables"),
    ],
)
def test_options_that_do_not_fit(run, key, response, options, message):
    done = run("score", key, response, *options)
    assert (done.exit_code, done.stdout, message in done.stderr) == (2, "", True)


def test_bare_number(run, key, response):
    table = run("score", key, response, "--metrics", "muc,bcub").stdout.splitlines()
    shown = {row.split()[0]: row.split() for row in table[2:4]}
    assert run("score", key, response, "-b", "B3").stdout == f"{shown['bcub'][3]}\n"
    assert run("score", key, response, "--bare", "muc.recall", "--metrics", "lea").stdout == f"{shown['muc'][1]}\n"
    failing = run("score", key, response, "-b", "muc", "--fail-under", "muc=99")
    assert (failing.exit_code, failing.stdout) == (3, f"{shown['muc'][3]}\n")


def test_groups_are_listed_worst_first(run, tmp_path):
    """MUC of a, b and c is 1, 6/7 and 2/3; the group without a match stays last."""
    documents = {"a_1": [[0, 1, 2, 3, 4]], "b_1": [[0, 1, 2], [3, 4]], "c_1": [[0, 1, 2]], "x": [[0, 1]]}
    for name, clusters in (("key", {name: [[0, 1, 2, 3, 4]] for name in documents}), ("response", documents)):
        rows = [
            {"doc_key": d, "clusters": [[[m, m] for m in entity] for entity in each]} for d, each in clusters.items()
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    command = ["score", tmp_path / "key.jsonl", tmp_path / "response.jsonl", "--by", "([abc])_", "--metrics", "muc"]
    names = [line.split()[0] for line in run(*command).stdout.splitlines()[2:7]]
    assert names == ["c", "b", "a", "(other)", "total"]
