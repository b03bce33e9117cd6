"""A metric of which less is better, and which counts: ranked, tested, printed and drawn as the registry says."""

import math

import pytest
from stats_data import scored

import arraycoref as ac
from arraycoref.scoring.metrics.registry import direction
from arraycoref.stats import compare, paired_test

METRIC = "merge-distance"


@pytest.fixture(scope="module")
def distances():
    return {f"s{k}": scored(k, n_documents=40, wrong=0.1 * k, metrics=METRIC) for k in range(1, 6)}


def test_the_lowest_score_comes_first(distances):
    assert (direction("muc"), direction(METRIC)) == (1, -1)
    c = compare(distances, metric=METRIC, resamples=300)
    estimates = [s.score.estimate for s in c.systems]
    assert estimates == sorted(estimates) == [distances[s.name][METRIC].f1 for s in c.systems]
    assert [s.rank for s in c.systems] == [1, 2, 3, 4, 5]
    assert (c.reference, c.systems[0].name, c.systems[0].mark) == ("s1", "s1", "a")
    assert math.isnan(c.systems[0].difference.estimate)
    assert all(s.difference.estimate == s.score.estimate - estimates[0] > 0 for s in c.systems[1:])
    assert ac.stats.best(distances, METRIC, resamples=100).setting == "s1"


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_alternatives(distances, test):
    """``greater`` asks whether the first system is better: here whether its score is lower."""
    a, b = distances["s1"], distances["s4"]
    greater, less, both = (
        paired_test(a, b, metric=METRIC, test=test, alternative=name, resamples=700)
        for name in ("greater", "less", "two-sided")
    )
    assert greater.difference < 0
    assert greater.pvalue < both.pvalue + 1e-12 < less.pvalue
    assert less.pvalue > 0.5


def test_counts_are_printed_as_counts(distances):
    c = compare(distances, metric=METRIC, resamples=100)
    lines, best = str(c).splitlines(), c.systems[0].score
    assert lines[0].split()[2:4] == [METRIC, "95%"]
    assert lines[2].split()[:3] == ["1", "s1", f"{best.estimate:.0f}"]
    assert f"{c.systems[1].difference.estimate:+.0f}" in lines[3]
    assert "micro average, counts" in str(c)
    assert "percent" not in str(c)


def test_figures(distances):
    pytest.importorskip("matplotlib")
    from arraycoref.stats.figures import plot_differences, plot_scores

    a, b = distances["s1"], distances["s4"]
    won, lost = (int((sign * (b.documents[METRIC].f1 - a.documents[METRIC].f1) > 0).sum()) for sign in (1, -1))
    axes = plot_differences(a, b, metric=METRIC).axes[0]
    assert axes.get_title(loc="left").splitlines()[-1].startswith(f"A better in {won}, B in {lost}")
    assert axes.get_ylabel() == "Merge distance: A − B"
    axes = plot_scores(compare(distances, metric=METRIC, resamples=100)).axes[0]
    assert axes.get_xlabel() == "Merge distance, 95% interval"
