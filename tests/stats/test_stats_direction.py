"""Metrics of which less is better, and metrics that count: ranked, tested and printed as the registry says."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from stats_data import scored

import arraycoref.scoring.metrics.registry
from alike import alike
from arraycoref.errors import InputError
from arraycoref.scoring.metrics.registry import METRICS, direction
from arraycoref.stats import bootstrap, compare, paired_test, power


@pytest.fixture
def entry(monkeypatch):
    """Change what the registry says of MUC."""

    def change(**said):
        monkeypatch.setattr(
            arraycoref.scoring.metrics.registry, "METRICS", {**METRICS, "muc": replace(METRICS["muc"], **said)}
        )

    return change


def test_direction(entry):
    assert (direction("muc"), direction("a tagger's measure")) == (1, 1)
    entry(better="lower")
    assert (direction("muc"), direction("bcub")) == (-1, 1)


def test_ranks(runs, entry):
    """The lowest score comes first, the others are compared with it, and nothing else changes."""
    more = compare(runs, metric="muc", resamples=300)
    entry(better="lower")
    less = compare(runs, metric="muc", resamples=300)
    assert [s.name for s in less.systems] == [s.name for s in reversed(more.systems)]
    estimates = [s.score.estimate for s in less.systems]
    assert estimates == sorted(estimates) == [runs[s.name]["muc"].f1 for s in less.systems]
    assert [s.rank for s in less.systems] == [1, 2, 3, 4, 5]
    assert less.reference == less.systems[0].name
    assert math.isnan(less.systems[0].difference)
    assert all(s.difference == s.score.estimate - estimates[0] > 0 for s in less.systems[1:])
    assert {s.name: s.score.low for s in less.systems} == pytest.approx({s.name: s.score.low for s in more.systems})
    np.testing.assert_allclose(less.pvalues, more.pvalues[::-1, ::-1])
    assert less.systems[0].mark == "a"


def test_equal_scores_share_a_rank(a, entry):
    entry(better="lower")
    c = compare({"y": a, "x": a, "z": scored(5, wrong=0.9)}, metric="muc", resamples=100)
    assert [(s.rank, s.name) for s in c.systems] == [(1, "z"), (2, "x"), (2, "y")]


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_alternatives(entry, test):
    """``greater`` asks whether the first system is better: here whether its score is lower."""
    a, b = scored(1, n_documents=40), scored(2, n_documents=40, wrong=0.8)
    names = ("greater", "less", "two-sided")
    options = {"metric": "muc", "test": test, "resamples": 700}
    more = [paired_test(a, b, alternative=name, **options) for name in names]
    entry(better="lower")
    less = [paired_test(a, b, alternative=name, **options) for name in names]
    assert [t.pvalue for t in less] == [more[1].pvalue, more[0].pvalue, more[2].pvalue]
    assert {t.difference for t in less} == {a["muc"].f1 - b["muc"].f1}
    assert more[0].pvalue < 0.5 < less[0].pvalue


def test_intervals_do_not_change(a, entry):
    more = bootstrap(a, metrics="muc", resamples=100)["muc"]
    entry(better="lower", unit="count")
    assert alike(bootstrap(a, metrics="muc", resamples=100)["muc"], more)


def test_counts_are_printed_as_counts(runs, entry):
    entry(better="lower", unit="count")
    c = compare(runs, metric="muc", resamples=100)
    lines = str(c).splitlines()
    best = c.systems[0].score
    assert lines[0].split()[2:4] == ["muc", "95%"]
    assert lines[2].split()[:3] == ["1", c.systems[0].name, f"{best.estimate:.2f}"]
    assert f"{best.low:.2f} to {best.high:.2f}" in lines[2]
    assert f"{c.systems[1].difference:+.2f}" in lines[3]
    assert "micro average, counts" in str(c)
    assert "percent" not in str(c)
    assert "MUC &" in c.render("latex")


def test_power_of_counts(entry):
    a, b = scored(1, n_documents=40, wrong=0.2), scored(2, n_documents=40, wrong=0.3)
    with pytest.raises(InputError, match="difference to be found is 3"):
        power(a, b, metric="muc", difference=3.0)
    entry(unit="count")
    assert power(a, b, metric="muc", difference=3.0, sizes=[20], resamples=100).needed == 20
    with pytest.raises(InputError, match="difference to be found is 0"):
        power(a, b, metric="muc", difference=0.0)


def test_figures(runs, entry):
    pytest.importorskip("matplotlib")
    from arraycoref.stats.figures import plot_differences, plot_scores

    a, b = runs["s1"], runs["s4"]
    won, lost = (int((sign * (a.documents["muc"].f1 - b.documents["muc"].f1) > 0).sum()) for sign in (1, -1))
    assert won != lost
    title = plot_differences(a, b, metric="muc").axes[0].get_title(loc="left")
    assert title.splitlines()[-1].startswith(f"A better in {won}, B in {lost}")
    entry(better="lower", unit="count")
    axes = plot_differences(a, b, metric="muc").axes[0]
    assert axes.get_title(loc="left").splitlines()[-1].startswith(f"A better in {lost}, B in {won}")
    assert axes.get_ylabel() == "MUC: A − B"
    axes = plot_scores(compare(runs, metric="muc", resamples=100)).axes[0]
    assert axes.get_xlabel() == "MUC, 95% interval"
    assert max(line.get_xdata()[-1] for line in axes.lines) <= 1
