"""Groups of documents: rows are added up before they are resampled or exchanged."""

import math

import numpy as np
import pytest
from stats_data import scored

import arraycoref as ac
from arraycoref.stats import bootstrap, compare, paired_test
from marks import cases

TOPIC = np.arange(12) // 3
FEW = {"resamples": 300, "seed": 4}


def summed(b):
    """The same scores with the documents of a topic as one."""
    rows = np.add.reduceat(b.counts.rows, range(0, 12, 3), axis=0)
    return ac.scoring.scores.BatchScores(b.metrics, ac.Counts(None, b.counts.metrics, rows), b.signature)


def by_names(b):
    names = tuple(f"topic{t}_{d}" for d, t in enumerate(TOPIC))
    return ac.scoring.scores.BatchScores(b.metrics, ac.Counts(names, b.counts.metrics, b.counts.rows), b.signature)


@cases("by", {"labels": TOPIC, "texts": [f"t{t}" for t in TOPIC], "regex": r"^topic\d"})
def test_groups_are_as_documents_that_were_added_up(a, b, by):
    systems = [by_names(each) for each in (a, b)]
    for method in ("percentile", "bca"):
        found = bootstrap(systems[0], resample_by=by, method=method, **FEW)
        expected = bootstrap(summed(a), method=method, **FEW)
        assert list(vars(found["bcub"].f1).values()) == pytest.approx(list(vars(expected["bcub"].f1).values()))
    for test in ("randomization", "bootstrap"):
        options = {"metric": "muc", "test": test, **FEW}
        pvalue = paired_test(*systems, resample_by=by, **options).pvalue
        assert pvalue == pytest.approx(paired_test(summed(a), summed(b), **options).pvalue)
    ranked = compare({"a": systems[0], "b": systems[1]}, resample_by=by, metric="muc", **FEW)
    assert ranked.systems[1].pvalue == pytest.approx(paired_test(summed(a), summed(b), metric="muc", **FEW).pvalue)
    assert ranked.how.resample_by == (by if isinstance(by, str) else "labels")
    assert "resampled: 4 groups of documents, whose 12 documents are added up" in ranked.notes
    assert "only 4 groups of documents: with fewer than 30, bootstrap intervals" in str(ranked)


@cases("zero_division", ["zero", "skip"])
def test_means_over_the_documents_of_groups(zero_division):
    """Are means over all drawn documents, however many the groups have."""
    b = scored(1, zero_division=zero_division)
    uneven = [0] * 2 + [1] * 7 + [2] * 3
    found = bootstrap(b, resample_by=uneven, average="macro", method="percentile", **FEW)["muc"].f1
    assert found.estimate == pytest.approx(b.macro["muc"].f1)
    draws = np.random.default_rng(0).integers(0, 3, (4000, 3))
    f1 = b.documents["muc"].f1
    means = [np.mean(np.concatenate([f1[np.array(uneven) == g] for g in draw])) for draw in draws]
    if zero_division == "zero":
        assert found.standard_error == pytest.approx(np.std(means), rel=0.15)


def test_tables_by_group_and_with_runs(runs):
    """Labels go with the documents, where blocks take some of them; redrawn runs take groups too."""
    topic = np.arange(40) // 4
    table = ac.table(runs, metrics="muc", by=["x"] * 20 + ["y"] * 20, resample_by=topic, baseline="s1", **FEW)
    part = {name: b[:20] for name, b in runs.items()}
    alone = ac.table(part, metrics="muc", resample_by=topic[:20], baseline="s1", **FEW)
    np.testing.assert_allclose(table.adjusted[0], alone.adjusted[0])
    seeds = {"p": [runs["s1"], runs["s2"]], "q": [runs["s3"], runs["s4"]]}
    options = {"metrics": "muc", "intervals": True, **FEW}
    wide, narrow = (ac.table(seeds, resample_by=by, **options) for by in (np.arange(40) // 20, "document"))
    assert not math.isclose(wide.low[0, 0, 0, 2], narrow.low[0, 0, 0, 2], abs_tol=1e-4)
