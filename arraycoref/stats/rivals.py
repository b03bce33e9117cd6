"""Test which of many systems may be as good as the best: from swaps of documents, or from redrawn scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from arraycoref.ragged import Floats
from arraycoref.scoring.metrics.registry import direction
from arraycoref.stats.paired_tests import TOLERANCE, swapped
from arraycoref.stats.resampling import Draws, Ints, all_swaps, swaps
from arraycoref.stats.sample import Sample

CLEARLY = 0.1
"""Share of alpha that is spent on leaving out clearly worse systems; the rest is for testing those that remain."""

SYSTEMS_AT_ONCE = 64
"""Number of systems above which those far below the best are left out before all pairs are compared.

It is also the number of systems that are compared with the best together.
"""

LEAST_EFFECTIVE = 3
"""Effective number of units of a difference below which a test has no power, whatever the difference."""

TAIL = 3.18
"""A bound: numbers with random signs add up to more than x standard deviations at most 3.18 times as often as a normal
variable exceeds x."""


def best_pvalues(sample: Sample, place: int, best: int, alpha: float, draws: Draws) -> Floats:
    """Test for each system whether it may be the best.

    The statistic of a system s is the largest (F_j - F_s) / sd over all competitors j. Here F is the score, and sd is
    the root mean square of that difference over the swaps, in which s and j exchange documents. The distribution of the
    statistic is that of the same maximum over the swaps, where all pairs exchange the same documents. First come rounds
    at a tenth of alpha, until one leaves out no system: each leaves out the systems that are clearly worse, as these
    would only widen the distribution for the other systems. Then those that remain are tested once, at the rest of
    alpha. If there are no more ways to exchange the documents that differ than resamples, each is taken once.

    Args:
        sample: S systems on D documents; the first metric is compared.
        place: position of recall, precision or F.
        best: position of the system with the best score.
        alpha: level of significance.
        draws: how swaps are drawn.

    Returns:
        float64 (S,) corrected p-values: a system may be the best if its p-value is above alpha. A system that was left
        out in a round has ten times its p-value of that round; a system that remained has 1/0.9 times its p-value of
        the last round. All are nan if there is one unit; that of a system whose difference from the best rests on fewer
        than `LEAST_EFFECTIVE` units of one clustering, as where a giant entity was merged, is nan too.

    Source: Romano, Shaikh and Wolf (2014), a test in two steps, the first of which leaves out systems at a small level.
    The bound for many systems: Bentkus and Dzindzalieta (2015), theorem 1.1.
    """
    n_systems = len(sample.rows)
    if not sample.is_tested:
        return np.full(n_systems, np.nan)
    pvalues, remaining = np.ones(n_systems), np.arange(n_systems)
    differing = np.flatnonzero((sample.rows != sample.rows[:1]).any(axis=(0, 2)))
    exchanged = differing if 2**differing.size <= draws.resamples else None
    if n_systems > SYSTEMS_AT_ONCE:
        pvalues = _far_below(sample, place, best, alpha, draws, exchanged)
        remaining = np.flatnonzero(pvalues > alpha)
    pvalues[remaining] = _in_rounds(_swaps(sample.take(remaining), place, draws, exchanged), remaining.size, alpha)
    if sample.units.meetings:
        effective = np.array([sample.spread(0, place, s, best).effective for s in range(n_systems)])
        pvalues[effective < LEAST_EFFECTIVE] = np.nan
    return pvalues


def best_of_redraws(drawn: Floats, observed: Floats, alpha: float) -> Floats:
    """Test for each system whether it may be the best, as `best_pvalues`, but from scores of redrawn documents or runs.

    The test uses the deviations of the redrawn scores from the observed score, and assumes that deviations of a
    difference upwards are as likely as deviations downwards.

    Args:
        drawn: float64 (S, R) redrawn scores, the higher the better.
        observed: float64 (S,) observed scores, the higher the better.
        alpha: level of significance.

    Returns:
        float64 (S,) p-values as those of `best_pvalues`; all are nan if any redrawn score is undefined.
    """
    strays = drawn - observed[:, np.newaxis]
    if np.isnan(strays).any():
        return np.full(len(observed), np.nan)

    def differences(s: int, others: Ints) -> tuple[Floats, Floats]:
        return strays[others] - strays[s], observed[others] - observed[s]

    return _in_rounds(_Outcomes(differences, strays.shape[1]), len(observed), alpha)


def _in_rounds(outcomes: _Outcomes, n_systems: int, alpha: float) -> Floats:
    """Leave out clearly worse systems in rounds, then test those that remain; see `best_pvalues`."""
    pvalues, remaining = np.ones(n_systems), np.arange(n_systems)
    while True:
        found = outcomes.test(remaining)
        stays = found > CLEARLY * alpha
        if stays.all():
            pvalues[remaining] = np.minimum(1.0, found / (1.0 - CLEARLY))
            return pvalues
        pvalues[remaining[~stays]] = found[~stays] / CLEARLY
        remaining = remaining[stays]


def _far_below(sample: Sample, place: int, best: int, alpha: float, draws: Draws, exchanged: Ints | None) -> Floats:
    """Return p-values of the systems whose difference from the best alone shows them far below it; 1 for all others.

    The largest of n statistics exceeds x at most n times as often as one of them does, and `TAIL` bounds how often.
    """
    below = np.empty(len(sample.rows))
    for first in range(0, below.size, SYSTEMS_AT_ONCE):
        some = np.arange(first, min(first + SYSTEMS_AT_ONCE, below.size))
        swapped_some = _swaps(sample.take([best, *some.tolist()]), place, draws, exchanged)
        below[some] = -swapped_some.better(0, np.arange(1, 1 + some.size))[1]
    tail = TAIL * np.array([math.erfc(t / math.sqrt(2.0)) / 2.0 for t in below])
    pvalues = np.ones(below.size)
    while True:
        remaining = pvalues > alpha
        bound = np.maximum((np.count_nonzero(remaining) - 1) * tail, 1.0 / swapped_some.total)
        far = remaining & (bound <= CLEARLY * alpha)
        if not far.any():
            return pvalues
        pvalues[far] = bound[far] / CLEARLY


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """Differences between systems in half of R outcomes of a test; the other half has the same with opposite signs.

    Attributes:
        differences: function of one system and of P others; it returns how much better than the one each of the P is:
            float64 (P, R/2) in the outcomes, and float64 (P,) as observed.
        half: R/2.
        observed: 1 if the observed outcome counts in addition to the R; 0 if they are all that there are.
    """

    differences: Callable[[int, Ints], tuple[Floats, Floats]]
    half: int
    observed: int = 1

    @property
    def total(self) -> float:
        """Number of outcomes."""
        return self.observed + 2.0 * self.half

    def test(self, systems: Ints) -> Floats:
        """Return the p-value of each of S systems for being the best of these, float64 (S,)."""
        n, half = systems.size, self.half
        largest, least = np.zeros((n, 2 * half)), np.zeros(n)
        for s in range(n - 1):
            rest = slice(s + 1, n)
            values, observed, slack = self.better(int(systems[s]), systems[rest])
            least[s] = max(least[s], float((observed - slack).max()))
            np.maximum(least[rest], -observed - slack, out=least[rest])
            highest, lowest = values.max(axis=0), values.min(axis=0)
            np.maximum(largest[s], np.concatenate((highest, -lowest)), out=largest[s])
            np.maximum(largest[rest, :half], -values, out=largest[rest, :half])
            np.maximum(largest[rest, half:], values, out=largest[rest, half:])
        return np.asarray((self.observed + (largest >= least[:, np.newaxis]).sum(axis=1)) / self.total)

    def better(self, s: int, others: Ints) -> tuple[Floats, Floats, Floats]:
        """Divide the differences of P other systems from a system, each by its root mean square over the outcomes.

        Returns:
            float64 (P, R/2) quotients in the outcomes, float64 (P,) as observed, and float64 (P,) the rounding error up
            to which two quotients of a system are equal.
        """
        values, observed = self.differences(s, others)
        scale = np.sqrt((self.observed * observed**2 + 2.0 * np.einsum("pr,pr->p", values, values)) / self.total)
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > TOLERANCE)
        values *= inverse[:, np.newaxis]
        return values, observed * inverse, TOLERANCE * inverse


def _swaps(sample: Sample, place: int, draws: Draws, documents: Ints | None) -> _Outcomes:
    """Return the differences between systems after they exchanged documents, for R/2 choices of the documents.

    In the other R/2 outcomes they exchange all documents but these, which reverses the sign of every difference. If all
    choices of some ``documents`` are taken, the last of these is never exchanged in the first half.
    """
    n, totals, sign = sample.n_units, sample.totals[..., np.newaxis], direction(sample.metrics[0])
    if documents is None:
        half, weights, none = replace(draws, resamples=(draws.resamples + 1) // 2), swaps(draws.seed, n), []
    else:
        half, weights = replace(draws, resamples=2 ** documents[:-1].size - 1), all_swaps(documents[:-1], n)
        none = [np.zeros_like(totals)]
    exchanged = np.concatenate([*none, *half.over_blocks(sample.sums, weights, n)], axis=2)

    def differences(s: int, others: Ints) -> tuple[Floats, Floats]:
        in_outcomes, observed = (
            sign * swapped(sample, sums, totals, others, np.array([s]), place)
            for sums in (exchanged, np.zeros_like(totals))
        )
        stretch = np.array([sample.stretch(0, place, int(other), s) for other in others])
        return in_outcomes, observed[:, 0] / stretch

    return _Outcomes(differences, exchanged.shape[2], int(documents is None))
