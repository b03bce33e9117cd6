"""Many systems at once: the step-down maximum and the set of the best, held against loops over every exchange."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from stats_data import scored, some_documents

from arraycoref.errors import InputError
from arraycoref.stats import adjust_pvalues, compare, multiple_tests, paired
from arraycoref.stats.best_set import best_pvalues
from arraycoref.stats.options import Settings
from oracle import many_systems as oracle
from strategies import examples


def documents(b, metric):
    """The four sums of each document, as plain lists."""
    return b.counts[metric].tolist()


def f1(rows):
    recall_num, recall_den, precision_num, precision_den = (math.fsum(column) for column in zip(*rows, strict=True))
    recall = recall_num / recall_den if recall_den else 0.0
    precision = precision_num / precision_den if precision_den else 0.0
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def mean_f1(rows):
    return math.fsum(f1([row]) for row in rows) / len(rows)


def drawn(seed, n_systems, n_documents, metric="bcub"):
    return {
        f"s{s}": scored(10 * seed + s, n_documents=n_documents, n_mentions=9, wrong=0.15 + 0.07 * s, metrics=metric)
        for s in range(n_systems)
    }


@given(st.integers(1, 300), st.integers(2, 5), st.integers(2, 6), st.sampled_from(["muc", "bcub"]), st.booleans())
@examples(0.2)
def test_step_down_equals_loops(seed, n_systems, n_documents, metric, macro):
    """Every exchange listed, for all pairs and for those with a baseline."""
    runs = drawn(seed, n_systems, n_documents, metric)
    score, average = (mean_f1, "macro") if macro else (f1, "micro")
    for baseline in (None, "s1"):
        c = compare(runs, metric=metric, baseline=baseline, average=average)
        names = [s.name for s in c.systems]
        rows = {name: documents(b, metric) for name, b in runs.items()}
        pairs = [pair for pair in combinations(range(n_systems), 2) if baseline in (None, *(names[s] for s in pair))]
        values = [oracle.swapped_differences(rows[names[i]], rows[names[j]], score) for i, j in pairs]
        expected = oracle.step_down_pvalues([value[0] for value in values], values)
        assert [c.adjusted[pair] for pair in pairs] == pytest.approx(expected, abs=1e-12)
        assert c.exact


@given(st.integers(1, 300), st.integers(2, 4), st.integers(2, 4))
@examples(0.1)
def test_step_down_of_the_bootstrap_equals_loops(seed, n_systems, n_documents):
    runs = drawn(seed, n_systems, n_documents)
    c = compare(runs, metric="bcub", test="bootstrap")
    rows = [documents(runs[s.name], "bcub") for s in c.systems]
    pairs = list(combinations(range(n_systems), 2))
    values = [oracle.drawn_differences(rows[i], rows[j], f1) for i, j in pairs]
    expected = oracle.step_down_pvalues([f1(rows[i]) - f1(rows[j]) for i, j in pairs], values)
    assert [c.adjusted[pair] for pair in pairs] == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 300), st.integers(1, 5), st.integers(2, 7), st.sampled_from([0.05, 0.3, 0.8]))
@examples(0.2)
def test_the_set_of_the_best_equals_loops(seed, n_systems, n_documents, alpha):
    runs = drawn(seed, n_systems, n_documents)
    rows = [documents(b, "bcub") for b in runs.values()]
    scores = [f1(row) for row in rows]
    best = scores.index(max(scores))
    pvalues = best_pvalues(list(runs.values()), best, Settings(metric="bcub", alpha=alpha))
    assert set(np.flatnonzero(pvalues > alpha)) == oracle.may_be_best(rows, f1, alpha)
    assert pvalues[best] == 1


def of_adjusted(c):
    return c.adjusted[np.triu_indices(len(c.systems), 1)]


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_never_less_than_the_pvalue_and_in_its_order(runs, test, average):
    """Properties of any step-down procedure; no number depends on order, threads, batch or the passes made."""
    options = {"test": test, "average": average, "resamples": 400, "seed": 3}
    c = compare(runs, **options)
    adjusted, pvalues = of_adjusted(c), c.pvalues[np.triu_indices(5, 1)]
    assert (adjusted >= pvalues).all()
    assert adjusted.min() == pytest.approx(1 / 401)
    turned = compare(dict(reversed(runs.items())), threads=2, batch=1, **options)
    assert np.array_equal(c.adjusted, turned.adjusted, equal_nan=True)
    assert c.correction == "maxt"
    pair = compare({name: runs[name] for name in ("s1", "s2")}, **options)
    assert pair.systems[1].adjusted == pair.systems[1].pvalue


def test_few_differences_are_held_from_pass_to_pass(runs, monkeypatch):
    whole = compare(runs, resamples=300)
    monkeypatch.setattr(paired, "_HELD", 0)
    assert np.array_equal(compare(runs, resamples=300).adjusted, whole.adjusted, equal_nan=True)


def test_monotone_in_the_order_of_the_statistic():
    observed, scale = np.array([0.03, -0.05, 0.001, 0.02]), np.array([0.01, 0.01, 0.01, 0.02])
    values = np.random.default_rng(0).normal(size=(4, 500)) * scale[:, np.newaxis]
    adjusted = multiple_tests.step_down(observed, scale, [(values, np.ones(500))], 1.0, 1e-12)
    assert adjusted[1] <= adjusted[0] <= adjusted[3] <= adjusted[2]
    assert adjusted[1] == 1 / 501


def test_identical_systems(a, b):
    """A pair without any difference is never significant, nor in the way of others."""
    c = compare({"x": a, "twin": a, "z": scored(5, wrong=0.9)}, resamples=4096)
    assert of_adjusted(c).tolist() == [1, *of_adjusted(c)[1:]]
    assert of_adjusted(c)[1] == of_adjusted(c)[2] < 0.01
    same = compare({str(s): a for s in range(4)}, resamples=100)
    assert (of_adjusted(same) == 1).all()
    assert best_pvalues([b, a, b], 0, Settings(metric="bcub")).tolist()[::2] == [1, 1]
    assert best_pvalues([a, a], 0, Settings(metric="bcub")).tolist() == [1, 1]
    assert best_pvalues([a], 0, Settings(metric="bcub")).tolist() == [1]


def test_a_pair_of_few_differing_documents_beside_others():
    """Its p-value is listed, the others' are drawn; the adjusted one is never below it."""
    a, far = scored(1, n_documents=40), scored(2, n_documents=40, wrong=0.9)
    rows = np.concatenate((far.counts.rows[:3], a.counts.rows[3:]))
    near = type(a)(a.metrics, replace(a.counts, rows=rows), a.signature)
    c = compare({"a": a, "near": near, "far": far}, resamples=200)
    pvalue = {frozenset((c.systems[i].name, c.systems[j].name)): c.pvalues[i, j] for i, j in combinations(range(3), 2)}
    assert pvalue[frozenset(("a", "near"))] in (0.25, 0.5, 0.75, 1.0)
    assert (of_adjusted(c) >= c.pvalues[np.triu_indices(3, 1)]).all()
    assert not c.exact


def test_one_document_and_one_resample(a, b):
    one = [some_documents(x, [0]) for x in (a, b)]
    assert np.isnan(best_pvalues(one, 0, Settings())).all()
    wide = {name: scored(s, n_documents=30) for s, name in enumerate("xyz")}
    assert (of_adjusted(compare(wide, resamples=1)) >= 0.5).all()
    assert (best_pvalues(list(wide.values()), 0, Settings(resamples=1)) >= 0.05).all()


def test_a_correction_that_needs_the_resamples():
    with pytest.raises(InputError, match=r"maxt.*largest of all differences.*expected 'holm', 'bh' or 'none'"):
        adjust_pvalues([0.01, 0.02], "maxt")


def test_a_floor_above_alpha_is_said():
    """15 systems and 1,000 resamples: Holm's smallest p-value is 105/1001."""
    runs = {f"s{s:02}": scored(s, n_documents=40, wrong=0.05 * s) for s in range(15)}
    holm, bh, maxt = (compare(runs, resamples=1000, correction=name) for name in ("holm", "bh", "maxt"))
    assert {s.mark for s in holm.systems} == {"a"}
    assert "Holm: of 105 tests with p-values of 0.001 or more none can be significant" in holm.notes[0]
    assert holm.notes[0] in str(holm)
    assert holm.notes[0] in holm.to_dict()["notes"]
    assert "fewer than 3 cannot be significant" in bh.notes[0]
    assert maxt.notes == ()
    assert not set(maxt.systems[0].mark) & set(maxt.systems[-1].mark)
    few = compare({name: some_documents(b, range(6)) for name, b in runs.items()}, correction="holm")
    assert "p-values of 0.031 or more none can be significant" in few.notes[1]


def test_effect_sizes_stand_beside_marks(runs):
    c = compare(runs, resamples=300)
    row = c.systems[2]
    assert row.difference_low < row.difference < row.difference_high < 0
    assert math.isnan(c.systems[0].difference_low)
    assert f"{100 * row.difference_low:+.2f} to {100 * row.difference_high:+.2f}" in str(c).splitlines()[4]
    assert row.to_dict()["difference_low"] == row.difference_low


def test_many_systems_leave_out_those_far_below():
    """With more than 64, the hopeless go by their distance to the best alone, and the same remain."""
    good = [scored(s, n_documents=40, metrics="bcub", wrong=0.2) for s in range(4)]
    bad = [scored(s, n_documents=40, metrics="bcub", wrong=0.9) for s in range(100, 165)]
    scores = [b.corpus["bcub"].f1 for b in good]
    best = scores.index(max(scores))
    settings = Settings(metric="bcub", resamples=1000)
    alone, among = best_pvalues(good, best, settings), best_pvalues([*good, *bad], best, settings)
    assert among[:4].tolist() == alone.tolist()
    assert (among[4:] <= 0.05).all()
