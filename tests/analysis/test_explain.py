"""Explanations: the fractions that papers print for their examples; rows and steps that add up to the counts."""

import json
import random
import re
from dataclasses import replace
from fractions import Fraction

import pytest

import arraycoref as ac
from arraycoref.analysis.explanation import WORKED
from arraycoref.exceptions import UnknownNameError
from oracle.golden import worked_examples

PRADHAN = [list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")]
LUO = [list("abc"), ["d"]], [list("bc"), list("de")]


@pytest.mark.parametrize(
    ("metric", "sides", "lines"),
    [
        (
            "muc",
            PRADHAN,
            [
                "K1 {a, b} {c} 3 − 2 3 − 1",
                "K2 {d} {e} {f, g} 4 − 3 4 − 1",
                "R = ((3 − 2) + (4 − 3)) / ((3 − 1) + (4 − 1)) = 2 / 5 = 40.00 %",
                "P = ((2 − 1) + (2 − 2) + (4 − 3)) / ((2 − 1) + (2 − 1) + (4 − 1)) = 2 / 5 = 40.00 %",
            ],
        ),
        (
            "bcub",
            PRADHAN,
            [
                "c K1 R2 1 1/3 1/2",
                "e K2 0 0",
                "R = (2²/3 + 1²/3 + 1²/4 + 2²/4) / 7 = (35/12) / 7 = 5/12 = 41.67 %",
                "P = (2²/2 + 1²/2 + 1²/2 + 2²/4) / 8 = 4 / 8 = 1/2 = 50.00 %",
            ],
        ),
        ("ceafm", PRADHAN, ["R = (2 + 2) / 7 = 4 / 7 = 57.14 %", "P = (2 + 2) / 8 = 4 / 8 = 1/2 = 50.00 %"]),
        (
            "ceafe",
            PRADHAN,
            [
                "K1 R1 {a, b} 2·2/(3 + 2) 4/5 yes",
                "not aligned: R2",
                "R = (2·2/(3 + 2) + 2·2/(4 + 4)) / 2 = (13/10) / 2 = 13/20 = 65.00 %",
                "P = (2·2/(3 + 2) + 2·2/(4 + 4)) / 3 = (13/10) / 3 = 13/30 = 43.33 %",
            ],
        ),
        (
            "blanc",
            PRADHAN,
            ["R_c = 2 / 9 = 22.22 %", "P_c = 2 / 8 = 1/4 = 25.00 %", "BLANC = (F_c + F_n) / 2 = 25/68 = 36.76 %"],
        ),
        (
            "blanc",
            LUO,
            [
                "C_k = {(a, b), (a, c), (b, c)}",
                "N_k ∩ N_r = {(b, d), (c, d)}",
                "R_n = 2 / 3 = 66.67 %",
                "F_n = 2 P_n R_n / (P_n + R_n) = 4/7 = 57.14 %",
                "BLANC = (F_c + F_n) / 2 = 17/35 = 48.57 %",
            ],
        ),
        ("blanc", ([["a"]], [["b"]]), ["BLANC = no links; 1 for the same mentions = 0 = 0.00 %"]),
        ("blanc", ([["a"], ["b"], ["c"]], [["a"], ["b"], ["d"]]), ["BLANC = F_n = 1/3 = 33.33 %"]),
        ("blanc", ([list("abc")], [list("bc")]), ["R = R_c = 1/3 = 33.33 %", "BLANC = F_c = 1/2 = 50.00 %"]),
        (
            "lea",
            PRADHAN,
            ["K2 {d} {e} {f, g} 1 of 6 2/3 4", "R = (3 · 1/3 + 4 · 1/6) / 7 = (5/3) / 7 = 5/21 = 23.81 %"],
        ),
    ],
)
def test_as_the_papers_write_it(metric, sides, lines):
    """Pradhan et al. (2014), section 4; Luo et al. (2014), section 4.2."""
    shown = [" ".join(line.split()) for line in str(ac.explain(metric, *sides)).splitlines()]
    for line in lines:
        assert line in shown


@pytest.mark.parametrize("example", worked_examples(), ids=lambda example: example["name"])
def test_fractions_of_worked_examples(example):
    for name, expected in example.get("exact", {}).items():
        metric, *group, field = name.split(".")
        if not group and metric in WORKED:
            assert getattr(ac.explain(metric, example["key"], example["response"]), field) == Fraction(expected), name


def random_side(rng, n):
    entities = [[] for _ in range(rng.randint(1, 6))]
    for mention in range(n):
        if rng.random() < 0.8:
            rng.choice(entities).append(mention)
    return [entity for entity in entities if entity]


@pytest.mark.parametrize("profile", ["paper", "conll"])
def test_sums_of_random_documents(profile):
    """1,000 documents by two profiles: sums, scores, and what the rows add up to."""
    rng = random.Random(53)
    sides = [{f"d{d}": random_side(rng, rng.randrange(14)) for d in range(500)} for _ in range(2)]
    a = ac.analyze(*sides, profile=profile)
    b = ac.score_batch(*sides, profile=profile)
    for d, name in enumerate(b.names):
        for metric in WORKED:
            e, expected = a.explain(metric, name), b[name][metric]
            n_groups = len(e.sums)
            rows = b.counts[metric][d].reshape(-1, 4)[:n_groups].tolist()
            assert [[float(value) for value in group] for group in e.sums] == [pytest.approx(row) for row in rows]
            scores = [float(e.recall), float(e.precision), float(e.f1)]
            assert scores == pytest.approx([expected.recall, expected.precision, expected.f1]), (name, metric)
            if metric in ("muc", "lea"):
                for part, total, half in zip(e.parts, e.totals, (e.sums[0][:2], e.sums[0][2:]), strict=True):
                    assert tuple(total[-2:]) == half
                    if metric == "lea":
                        assert tuple(sum(row[c] for row in part) for c in (-2, -1)) == half
            elif metric == "bcub":
                halves = [sum((row[c] for row in e.parts[0] if row[c] != ""), Fraction(0)) for c in (-2, -1)]
                assert halves == [e.sums[0][0], e.sums[0][2]]
            elif metric.startswith("ceaf"):
                assert sum(row[4] for row in e.parts[0] if row[5]) == e.sums[0][0]
            else:
                assert [(row[3], row[1], row[3], row[2]) for row in e.parts[0]] == [*e.sums]


def test_documents_are_named_or_the_worst():
    key = {"right": [["a", "b"]], "wrong": [["a", "b"]]}
    response = {"right": [["a", "b"]], "wrong": [["a"], ["b"]]}
    assert ac.explain("muc", key, response).document == "wrong"
    e = ac.explain("b3", key, response, document="right")
    assert (e.document, e.metric, e.f1, e.signature.subset) == ("right", "bcub", 1, "1 of 2")
    with pytest.raises(UnknownNameError, match="document"):
        ac.explain("muc", key, response, document="other")
    with pytest.raises(UnknownNameError, match="metric to explain 'conll'"):
        ac.explain("conll", key, response)


def test_beta_and_other_formats():
    e = ac.explain("bcub", *PRADHAN, beta=2)
    assert float(e.f1) == pytest.approx(ac.score(*PRADHAN, beta=2)["bcub"].f1)
    assert "F = (1 + 4) P R / (4 P + R) = 25/58" in str(e)
    values = json.loads(e.render("json"))
    assert (values["sums"], values["recall"]) == ([["35/12", "7", "4", "8"]], "5/12")
    assert values["rows"][2] == {
        **{"mention": "c", "key": "K1", "response": "R2", "shared": 1},
        **{"recall": "1/3", "precision": "1/2"},
    }
    assert e.render("csv").splitlines()[3].startswith("c,K1,R2,1,1/3,1/2,")
    assert "| K1       | {a, b, c}    |      3 |" in e.render("markdown")
    assert "| sum       |       |            |          |    35/12 |           4 |" in e.render("markdown")


def test_long_sums():
    """Only the first terms are written; all are counted."""
    n = 60
    e = ac.explain("blanc", [[(2 * i, 2 * i) for i in range(n)]], [[(2 * i, 2 * i)] for i in range(n)])
    assert f"… {n * (n - 1) // 2 - 24} more}}" in str(e)
    assert e.sums[0] == (0, n * (n - 1) // 2, 0, 0)


def test_files_and_command(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from arraycoref.cli import main

    monkeypatch.chdir(tmp_path)
    words = ["she", "saw", "her", "as", "she", "left"]
    for name, clusters in (("key", [[[0, 0], [4, 4]], [[2, 2]]]), ("response", [[[0, 0], [2, 2], [4, 4]]])):
        document = {"doc_key": "d", "sentences": [words], "clusters": clusters}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(document), encoding="utf-8")
    e = ac.analyze_files("key.jsonl", "response.jsonl").explain("bcub")
    assert e.entities == ([["she @0", "she @4"], ["her"]], [["she @0", "her", "she @4"]])
    done = CliRunner().invoke(main, ["explain", "b3", "key.jsonl", "response.jsonl", "--format", "markdown"])
    assert (done.exit_code, done.stdout) == (0, replace(e, is_full=False).render("markdown"))
    assert done.stdout.startswith("bcub of document d, percent: recall 100.00, precision 55.56, F1 71.43")
    done = CliRunner().invoke(main, ["explain", "b3", "key.jsonl", "response.jsonl", "--document", "x"])
    assert (done.exit_code, "unknown --document 'x'" in done.stderr) == (2, True)


def test_command_leaves_out_entities_without_an_error(tmp_path):
    from click.testing import CliRunner

    from arraycoref.cli import main

    words = [f"w{n}" for n in range(20)]
    for name, clusters in (("key", [[[0, 2], [4, 4]], [[6, 6]]]), ("response", [[[0, 2], [4, 4]], [[6, 6], [8, 19]]])):
        document = {"doc_key": "d", "sentences": [words], "clusters": clusters}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(document), encoding="utf-8")
    command = ["explain", "muc", f"{tmp_path}/key.jsonl", f"{tmp_path}/response.jsonl"]
    short, full = (CliRunner().invoke(main, [*command, *more]).stdout for more in ([], ["--all"]))
    assert not re.search(r"\b[KR]1\b", short)
    assert "left out: 1 of 2 key entities" in short
    assert re.search(r"\bK1\b.*\n", full)
    assert "left out" not in full
    assert "P = ((2 − 1) + (2 − 2)) / ((2 − 1) + (2 − 1)) = 1 / 2 = 50.00 %" in short
