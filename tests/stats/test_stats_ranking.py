"""Many systems: correction, letters, and independence of order and company."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from stats_data import scored, some_documents

import arraycoref as ac
from arraycoref.errors import InputError, UnknownNameError
from arraycoref.stats import adjust_pvalues, bootstrap, compare, paired_test
from arraycoref.stats.multiple_tests import compact_letters
from strategies import examples


def test_holm_by_hand():
    """Holm's steps: 4 x .01, 3 x .02, 2 x .03, and never less than the one before."""
    assert adjust_pvalues([0.03, 0.01, 0.02, 0.04]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert adjust_pvalues([0.9, math.nan, 0.7], "holm").tolist() == pytest.approx([1, math.nan, 1], nan_ok=True)
    assert adjust_pvalues([], "holm").size == 0
    assert adjust_pvalues([0.2, 0.1], "none").tolist() == [0.2, 0.1]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@examples()
def test_benjamini_hochberg_equals_scipy(pvalues):
    assert adjust_pvalues(pvalues, "bh") == pytest.approx(stats.false_discovery_control(pvalues, method="bh"))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from([0.01, 0.05, 0.3]))
@examples()
def test_holm_equals_its_definition(pvalues, alpha):
    """Reject in order while p <= alpha / tests left."""
    rejected, order = set(), sorted(range(len(pvalues)), key=lambda t: pvalues[t])
    for step, t in enumerate(order):
        if pvalues[t] * (len(pvalues) - step) > alpha:
            break
        rejected.add(t)
    assert set(np.flatnonzero(adjust_pvalues(pvalues) <= alpha)) == rejected


def test_wrong_pvalues():
    with pytest.raises(InputError, match=r"pvalues hold 1\.5; expected p-values between 0 and 1"):
        adjust_pvalues([0.5, 1.5])
    with pytest.raises(InputError, match=r"shape \(1, 1\)"):
        adjust_pvalues([[0.5]])
    for wrong in (["a"], [0.5j], [[0.1], [0.2, 0.3]]):
        with pytest.raises(InputError, match="pvalues hold a value that is no number"):
            adjust_pvalues(wrong)
    with pytest.raises(UnknownNameError, match=r"unknown correction \['holm'\]"):
        adjust_pvalues([0.5], ["holm"])
    with pytest.raises(UnknownNameError, match="holm, bh, none"):
        adjust_pvalues([0.5], "bonferroni")


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.tuples(*[st.integers(0, n - 1)] * 2)))))
@examples()
def test_letters_say_exactly_what_differs(drawn):
    n, pairs = drawn
    different = np.zeros((n, n), bool)
    for i, j in pairs:
        different[i, j] = different[j, i] = i != j
    assert_letters(different)


def assert_letters(different):
    letters = [re.findall("[A-Za-z][0-9]*", text) for text in compact_letters(different)]
    assert letters[0][0] == "a"
    for i in range(len(letters)):
        for j in range(len(letters)):
            assert bool(set(letters[i]) & set(letters[j])) != different[i, j]


def test_letters_beyond_the_alphabet():
    letters = compact_letters(~np.eye(60, dtype=bool))
    assert len(set(letters)) == 60
    assert letters[51:53] == ["Z", "a1"]


def test_rank_and_reference(runs):
    c = compare(runs, resamples=500)
    scores = [s.score.estimate for s in c.systems]
    assert scores == sorted(scores, reverse=True)
    assert [s.rank for s in c.systems] == [1, 2, 3, 4, 5]
    assert (c.reference, c.baseline, c.n_tests) == (c.systems[0].name, False, 10)
    assert math.isnan(c.systems[0].difference)
    assert c.systems[2].difference == pytest.approx(scores[2] - scores[0])
    assert c.differences[2, 0] == c.systems[2].difference
    assert c.systems[0].mark == "a"


def latex_rows(text):
    lines = [line.removesuffix(r"\\") for line in text.splitlines() if line.endswith(r"\\")]
    return [[cell.strip() for cell in line.split("&")] for line in lines]


def test_rendered(runs):
    """A comparison prints as ``arraycoref compare`` does, and writes a table for a paper."""
    c = compare(runs, metric="bcub", resamples=200)
    lines = str(c).splitlines()
    assert [line.split()[1] for line in lines[2:7]] == [s.name for s in c.systems]
    assert lines[-1] == str(c.signature)
    assert c.render() == str(c) + "\n"
    head, first, *_ = latex_rows(c.render("latex", digits=1))
    interval = r"95\% interval"
    assert head == ["", "System", "B$^3$ F1", interval, "Difference", interval, "$p$ (step-down maxT)"]
    best = c.systems[0]
    assert first[:2] == ["1", best.name]
    assert first[2].startswith(f"{100 * best.score.estimate:.1f}")
    uncorrected = compare(runs, metric="bcub", resamples=200, correction="none")
    assert latex_rows(uncorrected.render("latex"))[0][-1] == "$p$"
    with pytest.raises(UnknownNameError, match="table, json, csv, markdown, latex, html"):
        c.render("pdf")


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_numbers_do_not_depend_on_order_or_company(runs, test, average):
    """Each interval is `bootstrap`'s and each p-value `paired_test`'s, to the bit; any order, threads, batch."""
    options = {"test": test, "average": average, "resamples": 700, "seed": 3}
    c = compare(runs, correction="none", **options)
    turned = compare(dict(reversed(runs.items())), correction="none", threads=2, batch=1, **options)
    assert repr(c.systems) == repr(turned.systems)
    assert np.array_equal(c.pvalues, turned.pvalues, equal_nan=True)
    for s in c.systems:
        alone = bootstrap(runs[s.name], metrics="conll", average=average, resamples=700, seed=3)
        assert s.score == alone["conll"].f1
    for i in range(5):
        for j in range(i):
            pair = paired_test(runs[c.systems[i].name], runs[c.systems[j].name], **options)
            assert c.pvalues[i, j] == pair.pvalue


def test_baseline(runs):
    c = compare(runs, baseline="s3", resamples=2000, correction="bh")
    row = {s.name: s for s in c.systems}
    assert (c.reference, c.n_tests, row["s3"].mark) == ("s3", 4, "")
    assert row["s1"].mark == row["s5"].mark == "*"
    assert np.isfinite(c.pvalues).sum() == 8
    others = [s for s in c.systems if s.name != "s3"]
    assert [s.adjusted for s in others] == adjust_pvalues([s.pvalue for s in others], "bh").tolist()


def test_equal_scores_share_a_rank(a):
    c = compare({"y": a, "x": a, "z": scored(5, wrong=0.9)}, resamples=100)
    assert [(s.rank, s.name) for s in c.systems] == [(1, "x"), (1, "y"), (3, "z")]
    assert "x and y: the systems have the same counts" in c.notes[-1]


def test_scores_that_are_equal_up_to_rounding():
    """B-cubed of both is 44/87, whose recall is 11/27: thirds and ninths add up to it in two orders."""
    key = [2, 1, 1, 0, 0, 0, 0, 0, 0]
    responses = {"p": [3, 2, 3, 1, 0, 2, 1, 3, 0], "q": [0, 0, 3, 1, 0, 2, 2, 3, 1]}
    runs = {
        name: ac.score_labels_batch(key * 2, response * 2, [0, 9, 18], metrics="bcub")
        for name, response in responses.items()
    }
    scores = [b["bcub"].f1 for b in runs.values()]
    assert scores[0] < scores[1]
    assert scores == pytest.approx([44 / 87] * 2, rel=1e-15)
    c = compare(runs, metric="bcub", resamples=50)
    assert [(s.rank, s.name) for s in c.systems] == [(1, "p"), (1, "q")]
    table = ac.table(runs, metrics="bcub", fields="f1", marks=True, differences=True, resamples=50)
    assert table.best[0, :, 0, 2].tolist() == [True, True]
    assert "-0.00" not in str(c) + str(table)
    swept = ac.sweep(key, list(responses.values()), settings=list(responses), metrics="bcub")
    assert swept.best().setting == "p"


def test_systems_named_by_numbers_of_numpy(a, b):
    c = compare(dict(zip(np.arange(2), (a, b), strict=True)), resamples=50)
    found = json.loads(c.render("json"))
    assert {system["system"] for system in found["systems"]} == {0, 1}
    assert [{pair["a"], pair["b"]} for pair in found["pairs"]] == [{0, 1}]
    assert found["reference"] == found["systems"][0]["system"]


def test_one_system_and_one_document(a, b):
    alone = compare({"a": a}, resamples=100)
    assert (alone.n_tests, alone.systems[0].mark) == (0, "a")
    c = compare({"a": some_documents(a, [0]), "b": some_documents(b, [0])}, resamples=100)
    assert np.isnan(c.pvalues).all()
    assert [s.mark for s in c.systems] == ["", ""]
    assert c.notes[0].startswith("one document")


def test_many_notes_are_cut(a):
    c = compare({str(s): a for s in range(5)}, resamples=100)
    assert c.notes[-1] == "and so for 7 more pairs"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"baseline": "s9"}, UnknownNameError, "unknown baseline 's9'"),
        ({"correction": "sidak"}, UnknownNameError, "holm, bh, none"),
        ({"alpha": 5}, InputError, "alpha is 5"),
        ({"metric": "blanc-gold"}, UnknownNameError, "not scored for 's1'"),
    ],
)
def test_wrong_options(runs, options, error, message):
    with pytest.raises(error, match=message):
        compare(runs, **options)


def test_no_systems():
    with pytest.raises(InputError, match="no systems"):
        compare({})


def test_letters_of_pairs_that_differ_within_only():
    """As of forty models with and without a small step each: of the groups that cannot be extended there are 2^40."""
    different = np.kron(np.eye(40, dtype=bool), [[False, True], [True, False]])
    assert_letters(different)
    assert max(map(len, compact_letters(different))) < 20


def test_baseline_of_what_is_no_mapping(a, b):
    for wrong in ([a, b], a, 5):
        with pytest.raises(InputError, match="expected a mapping"):
            compare(wrong, baseline="a")
    with pytest.raises(UnknownNameError, match=r"unknown baseline \['a'\]"):
        compare({"a": a, "b": b}, baseline=["a"])


@pytest.mark.parametrize("baseline", [None, "s3"])
@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
@pytest.mark.parametrize("n_documents", [8, 40])
def test_pvalues_are_corrected_whether_outcomes_are_listed_or_drawn(correction, baseline, n_documents):
    runs = {f"s{k}": scored(k, n_documents=n_documents, wrong=0.1 + 0.1 * k) for k in range(4)}
    c = compare(runs, baseline=baseline, correction=correction, resamples=500)
    tested = np.isfinite(c.pvalues) & np.triu(np.ones((4, 4), bool))
    assert c.exact == (n_documents == 8)
    assert tested.sum() == c.n_tests
    np.testing.assert_array_equal(c.adjusted[tested], adjust_pvalues(c.pvalues[tested], correction))
    assert (c.adjusted[tested] > c.pvalues[tested]).any() == (correction != "none")
