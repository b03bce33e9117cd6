"""Paired tests: the exact p-values of scipy, and equal to plain loops over the same outcomes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from stats_data import scipy_exchanges, scored, some_documents, tagged

import arraycoref as ac
from alike import alike
from arraycoref.exceptions import DocumentMismatchError
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import METRICS
from arraycoref.stats import compare, paired_test
from arraycoref.stats.draws import multiplicities, swaps
from oracle.many_systems import exchanges
from strategies import examples


def value(b, metric="conll", field="f1"):
    return getattr(b.corpus[metric], field)


def exchanged(a, b, swap):

    def mixed(x, y):
        rows = np.array([(y if s else x).counts.rows[d] for d, s in enumerate(swap)])
        return type(x)(x.metrics, replace(x.counts, rows=rows), x.signature)

    return mixed(a, b), mixed(b, a)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    ("make", "metric", "field"),
    [
        (scored, "bcub", "recall"),
        (scored, "conll", "f1"),
        (scored, "blanc", "precision"),
        (tagged, "pa", "f1"),
        (tagged, "wpa", "precision"),
        (tagged, "exact", "recall"),
    ],
)
def test_the_exact_pvalue_of_scipy(make, metric, field, alternative):
    a, b = make(1, n_documents=8), make(2, n_documents=8, wrong=0.36 if make is tagged else 0.5)

    def statistic(x, y):
        one, other = exchanged(a, b, np.asarray(x) >= 8)  # y has what x has not
        return value(one, metric, field) - value(other, metric, field)

    expected = scipy_exchanges(statistic, alternative)
    found = paired_test(a, b, metric=metric, field=field, alternative=alternative)
    assert found.difference == pytest.approx(expected.statistic, abs=1e-15)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


def counted(metric):
    return ("muc", "bcub", "ceafe") if metric == "conll" else (metric,)


@given(st.integers(1, 200), st.integers(2, 8), st.sampled_from(["muc", "blanc", "conll", "lea"]))
@examples(0.4)
def test_equals_loops(seed, n, metric):
    a, b = scored(seed, n_documents=n, n_mentions=8), scored(seed + 500, n_documents=n, n_mentions=8)
    observed = value(a, metric) - value(b, metric)
    systems = [[[each.counts[name][d].tolist() for name in counted(metric)] for d in range(n)] for each in (a, b)]
    pairs = [exchanged(a, b, swap) for swap in exchanges(systems, 50, lambda: swaps(0, n)(0, 50))]
    extreme = [True, *(abs(value(x, metric) - value(y, metric)) >= abs(observed) - 1e-12 for x, y in pairs)]
    assert paired_test(a, b, metric=metric, resamples=50).pvalue == pytest.approx(np.mean(extreme))
    drawn = [np.repeat(np.arange(n), times) for times in multiplicities(0, n)(0, 50).astype(int)]
    strays = [abs(value(some_documents(a, d), metric) - value(some_documents(b, d), metric) - observed) for d in drawn]
    expected = np.mean([True, *(stray >= abs(observed) - 1e-12 for stray in strays)])
    assert paired_test(a, b, metric=metric, test="bootstrap", resamples=50).pvalue == pytest.approx(expected)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_same_seed(test):
    a, b = scored(1, n_documents=150), scored(2, n_documents=150, wrong=0.31)
    first = paired_test(a, b, test=test, seed=5, resamples=3000)
    assert alike(paired_test(a, b, test=test, seed=5, resamples=3000, threads=2), first)
    turned = paired_test(b, a, test=test, seed=5, resamples=3000)
    assert (turned.pvalue, turned.difference) == (first.pvalue, -first.difference)
    assert paired_test(a, b, test=test, seed=7, resamples=3000).pvalue != first.pvalue


def test_notes(a, b):
    one = paired_test(some_documents(a, [0]), some_documents(b, [0]))
    assert math.isnan(one.pvalue)
    assert one.notes[0].startswith("one document")
    rows = np.concatenate((b.counts.rows[:2], a.counts.rows[2:]))
    few = paired_test(a, type(a)(a.metrics, replace(a.counts, rows=rows), a.signature))
    assert few.n_differing == 2
    assert few.pvalue == pytest.approx(0.5, abs=0.02) or few.pvalue == 1
    assert "differ in 2 documents only" in few.notes[-1]
    assert "p below 0.5" in few.notes[-1]
    assert "same counts" in paired_test(a, a, test="bootstrap").notes[-1]
    same = paired_test(a, a)
    assert (same.pvalue, same.difference) == (1, 0)


def test_documents_that_differ(a):
    """In what the test exchanges: counts, or the scores that a macro average is of."""
    rows = np.array([[[2.0, 4, 2, 2]], [[1, 2, 1, 5]], [[3, 3, 3, 4]]])
    doubled = rows * [[[1, 1, 1, 1]], [[1, 1, 2, 2]], [[1, 1, 2, 2]]]  # other counts of the same ratios
    first, second = (type(a)(("muc",), Counts(None, ("muc",), made), a.signature) for made in (rows, doubled))
    micro, macro = (paired_test(first, second, metric="muc", average=average) for average in ("micro", "macro"))
    assert (micro.n_differing, macro.n_differing) == (2, 0)
    assert "or scores where these are averaged" in macro.notes[-1]


@pytest.mark.parametrize("metric", [name for name in ac.METRIC_NAMES if name not in ("conll", "kbp")])
def test_another_key_by_any_metric(metric):
    """Of some metrics no sum is of the key alone; by all others systems with one key pass, whatever their mentions."""
    rng = np.random.default_rng(5)
    key, other, *responses = rng.integers(0, 4, (8, 40))
    if not METRICS[metric].gold_mentions:  # which take the same mentions on both sides alone
        for labels in (key, *responses):
            labels[rng.random(40) < 0.2] = -1
    runs = {str(k): ac.score_labels_batch(key, r, [0, 20, 40], metrics=metric) for k, r in enumerate(responses)}
    compare(runs, metric=metric, resamples=10)
    runs["other"] = ac.score_labels_batch(other % 3, responses[0], [0, 20, 40], metrics=metric)
    if metric in ("vmeasure", "ari", "ami", "purity", "merge-distance"):
        compare(runs, metric=metric, resamples=10)
    elif metric != "rand":  # of as many mentions
        with pytest.raises(DocumentMismatchError, match=f"differs: the denominator of {metric} recall is"):
            compare(runs, metric=metric, resamples=10)
