"""Test which of many systems may be as good as the best: from swaps of documents, or from redrawn scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.metrics.registry import direction
from arraycoref.stats.draws import Draws, all_swaps, swaps
from arraycoref.stats.few_errors import Ends, unit_ends
from arraycoref.stats.paired_tests import TOLERANCE, swapped
from arraycoref.stats.sample import Sample, weighted

CLEARLY = 0.1
"""Share of alpha that is spent on leaving out clearly worse systems; the rest is for testing those that remain."""

MANY_SYSTEMS = 64
"""Number of systems above which those far below the best are left out before any are resampled."""

LEAST_EFFECTIVE = 3
"""Effective number of units of a difference below which a test has no power, whatever the difference."""

TAIL = 3.18
"""A bound: numbers with random signs add up to more than x standard deviations at most 3.18 times as often as a normal
variable exceeds x."""


class Rivals(NamedTuple):
    """Which of S systems may be the best.

    Attributes:
        pvalues: float64 (S,) corrected p-values: a system may be the best if its p-value is above alpha.
        n_worse: number of systems that are worse without resamples.
        n_exchanged: number of units in which the others differ, which were exchanged.
    """

    pvalues: Floats
    n_worse: int = 0
    n_exchanged: int = 0


def best_pvalues(
    sample: Sample, place: int, best: int, alpha: float, draws: Draws, apart: Sequence[Ends] = ()
) -> Rivals:
    """Test for each system whether it may be the best.

    The statistic of a system s is the largest (F_j - F_s) / sd over all competitors j. Here F is the score, and sd is
    the root mean square of that difference over the swaps, in which s and j exchange documents. The distribution of the
    statistic is that of the same maximum over the swaps, where all pairs exchange the same documents. First come rounds
    at a tenth of alpha, until one leaves out no system: each leaves out the systems that are clearly worse, as these
    would only widen the distribution for the other systems. Then those that remain are tested once, at the rest of
    alpha. If there are no more ways to exchange the documents that differ than resamples, each is taken once.

    Of many systems, those are left out before whose statistic no resample is expected to reach: they are worse, without
    resamples. For one clustering, the observed differences of s are divided by the square root of the design effect of
    its difference from the best.

    Args:
        sample: S systems on D documents; the first metric is compared.
        place: position of recall, precision or F.
        best: position of the system with the best score.
        alpha: level of significance.
        draws: how swaps are drawn.
        apart: (S,) the differences from the best, of units of one clustering; found here if empty.

    Returns:
        The p-values and how they were found. A system that was left out in a round has ten times its p-value of that
        round; a system that remained has 1/0.9 times its p-value of the last round. A system that was left out before
        the rounds has ten times the smallest p-value of resamples. All are nan if there is one unit; that of a system
        whose difference from the best rests on fewer than `LEAST_EFFECTIVE` units of one clustering, as where a giant
        entity was merged, is nan too.

    Source: Romano, Shaikh and Wolf (2014), a test in two steps, the first of which leaves out systems at a small level.
    The bound for many systems: Bentkus and Dzindzalieta (2015), theorem 1.1.
    """
    n_systems = len(sample)
    if not sample.is_tested:
        return Rivals(np.full(n_systems, np.nan))
    by_unit = sample.clustering is not None
    if not apart:
        apart = [
            unit_ends(sample, 0, place, s, best, 1.0 - alpha) if by_unit and s != best else Ends()
            for s in range(n_systems)
        ]
    stretch = np.array([ends.spread.design_effect for ends in apart]) ** 0.5
    pvalues = np.ones(n_systems)
    if n_systems > MANY_SYSTEMS:
        errors = [ends.exchanged if by_unit else _exchanged(sample, place, s, best) for s, ends in enumerate(apart)]
        pvalues = _far_below(sample, place, best, alpha, draws, stretch * errors)
    remaining = np.flatnonzero(pvalues > alpha)
    outcomes, n_exchanged = _swaps(sample, place, best, remaining, draws)
    pvalues[remaining] = _in_rounds(outcomes, stretch[remaining], alpha)
    for s, ends in enumerate(apart):
        if ends.spread.effective < LEAST_EFFECTIVE:
            pvalues[s] = np.nan
    return Rivals(pvalues, n_systems - remaining.size, n_exchanged)


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

    return _in_rounds(_Outcomes(differences, strays.shape[1]), np.ones(len(observed)), alpha)


def _in_rounds(outcomes: _Outcomes, stretch: Floats, alpha: float) -> Floats:
    """Leave out clearly worse systems in rounds, then test those that remain; see `best_pvalues`."""
    pvalues, remaining = np.ones(stretch.size), np.arange(stretch.size)
    while True:
        found = outcomes.test(remaining, stretch[remaining])
        stays = found > CLEARLY * alpha
        if stays.all():
            pvalues[remaining] = np.minimum(1.0, found / (1.0 - CLEARLY))
            return pvalues
        pvalues[remaining[~stays]] = found[~stays] / CLEARLY
        remaining = remaining[stays]


def _far_below(sample: Sample, place: int, best: int, alpha: float, draws: Draws, errors: Floats) -> Floats:
    """Return p-values of systems so far below the best that no resample is expected to reach that; 1 for all others.

    How far a system is, is its difference from the best over the standard error of that under swaps, float64 (S,). The
    largest of n statistics exceeds x at most n times as often as one of them does, and `TAIL` bounds how often.
    """
    scores, smallest = direction(sample.metrics[0]) * sample.estimates[0, place], 1.0 / (1.0 + draws.resamples)
    varies = errors > TOLERANCE
    far = np.divide(scores[best] - scores, errors, out=np.zeros_like(errors), where=varies)
    expected = [(errors.size - 1) * TAIL * math.erfc(x / math.sqrt(2.0)) / 2.0 for x in far.tolist()]
    is_far = (np.array(expected) <= smallest) & (smallest <= CLEARLY * alpha)
    return np.where(is_far, smallest / CLEARLY, 1.0)


def _exchanged(sample: Sample, place: int, s: int, best: int) -> float:
    """Return the root mean square of a difference from the best over all ways to exchange units, to first order."""
    slopes = sample.slopes(0, place, s) + sample.slopes(0, place, best)
    return float(np.linalg.norm((sample.rows_of(s) - sample.rows_of(best)) @ slopes)) / 2.0


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

    def test(self, systems: Ints, stretch: Floats) -> Floats:
        """Return the p-value of each of S systems for being the best of these, float64 (S,).

        The differences observed of each system are divided by its ``stretch``, float64 (S,).
        """
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
        return np.asarray((self.observed + (largest >= (least / stretch)[:, np.newaxis]).sum(axis=1)) / self.total)

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


def _swaps(sample: Sample, place: int, best: int, systems: Ints, draws: Draws) -> tuple[_Outcomes, int]:
    """Return the differences between some systems after they exchanged units, for R/2 choices of the units.

    In the other R/2 outcomes they exchange all units but these, which reverses the sign of every difference. If all
    choices of the units that differ are taken, the last of these is never exchanged in the first half. Rows are taken
    as they differ from those of the best. The number of units that differ is returned too.
    """
    moving = []
    for s in systems.tolist():
        rows = sample.rows_of(s) - sample.rows_of(best)
        units = np.flatnonzero(rows.any(axis=1))
        moving.append((units, rows[units].T))
    n, is_moved = sample.n_units, np.zeros(sample.n_units, np.bool_)
    for units, _ in moving:
        is_moved[units] = True
    moved, totals = np.flatnonzero(is_moved), np.stack([sample.totals_of(s) for s in systems], axis=1)[..., np.newaxis]
    columns = np.zeros((len(totals), systems.size, moved.size))
    for s, (units, rows) in enumerate(moving):
        columns[:, s, moved.searchsorted(units)] = rows
    is_exact, sign = 2**moved.size <= draws.resamples, direction(sample.metrics[0])
    if is_exact:
        half = replace(draws, resamples=2 ** moved[:-1].size - 1)
        weights = all_swaps(np.arange(moved.size - 1), moved.size)
    else:
        half, weights = replace(draws, resamples=(draws.resamples + 1) // 2), swaps(draws.seed, n, moved)
    width = moved.size if is_exact else n
    drawn = half.over_blocks(lambda some: weighted(columns, some), weights, width, moved.size)
    exchanged = np.concatenate([*[np.zeros_like(totals)] * is_exact, *drawn], axis=2)

    def differences(s: int, others: Ints) -> tuple[Floats, Floats]:
        in_outcomes, observed = (
            sign * swapped(sample, sums, totals, others, np.array([s]), place)
            for sums in (exchanged, np.zeros_like(totals))
        )
        return in_outcomes, observed[:, 0]

    return _Outcomes(differences, exchanged.shape[2], int(not is_exact)), moved.size
