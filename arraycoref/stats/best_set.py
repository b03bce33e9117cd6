"""Find which of many systems may be the best, from swaps of documents (the same for all pairs) or redrawn scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.deadline import within_time
from arraycoref.scoring.metrics.registry import direction
from arraycoref.scoring.metrics.score import Floats
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats import resampling
from arraycoref.stats.options import Settings
from arraycoref.stats.paired import TOLERANCE, swapped
from arraycoref.stats.systems import Systems

Ints = NDArray[np.int64]

CLEARLY = 0.1
"""Share of alpha that is spent on leaving out clearly worse systems; the rest is for testing those that remain."""

SYSTEMS_AT_ONCE = 64
"""Number of systems above which those far below the best are left out before all pairs are compared.

It is also the number of systems whose sums are computed together.
"""

TAIL = 3.18
"""A bound: numbers with random signs add up to more than x standard deviations at most 3.18 times as often as a normal
variable exceeds x."""


def best_pvalues(runs: Sequence[BatchScores], best: int, settings: Settings) -> Floats:
    """Test for each system whether it may be the best.

    The statistic of a system s is the largest (F_j - F_s) / sd over all competitors j. Here F is the score, and sd is
    the root mean square of that difference over the swaps, in which s and j exchange documents. The distribution of the
    statistic is that of the same maximum over the swaps, where all pairs exchange the same documents. First come rounds
    at a tenth of alpha, until one leaves out no system: each leaves out the systems that are clearly worse, as these
    would only widen the distribution for the other systems. Then those that remain are tested once, at the rest of
    alpha. If there are few enough swaps, all of them are listed; otherwise they are drawn.

    Args:
        runs: (S,) scores on the same D documents.
        best: position of the run with the best score.
        settings: metric, field, alpha, resamples, seed and threads.

    Returns:
        float64 (S,) corrected p-values: a system may be the best if its p-value is above alpha. A system that was left
        out in a round has ten times its p-value of that round; a system that remained has 1/0.9 times its p-value of
        the last round. All are nan if there is one document.

    Source: Romano, Shaikh and Wolf (2014), a test in two steps, the first of which leaves out systems at a small level.
    The bound for many systems: Bentkus and Dzindzalieta (2015), theorem 1.1.
    """
    if len(runs[0]) == 1:
        return np.full(len(runs), np.nan)
    pvalues, remaining = np.ones(len(runs)), np.arange(len(runs))
    if len(runs) > SYSTEMS_AT_ONCE:
        pvalues = _far_below(runs, best, settings)
        remaining = np.flatnonzero(pvalues > settings.alpha)
    swaps = _swaps([runs[s] for s in remaining.tolist()], settings)
    pvalues[remaining] = _in_rounds(swaps, remaining.size, settings.alpha)
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

    return _in_rounds(_Outcomes(differences, strays.shape[1], 1.0), len(observed), alpha)


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


def _far_below(runs: Sequence[BatchScores], best: int, settings: Settings) -> Floats:
    """Return p-values of the systems whose difference from the best alone shows them far below it; 1 for all others.

    The largest of n statistics exceeds x at most n times as often as one of them does, and `TAIL` bounds how often.
    """
    below = np.empty(len(runs))
    for first in range(0, len(runs), SYSTEMS_AT_ONCE):
        some = runs[first : first + SYSTEMS_AT_ONCE]
        swaps = _swaps([runs[best], *some], settings)
        below[first : first + SYSTEMS_AT_ONCE] = -swaps.better(0, np.arange(1, 1 + len(some)))[1]
    tail = TAIL * np.array([math.erfc(t / math.sqrt(2.0)) / 2.0 for t in below])
    pvalues = np.ones(len(runs))
    while True:
        remaining = pvalues > settings.alpha
        bound = np.maximum((np.count_nonzero(remaining) - 1) * tail, 1.0 / swaps.total)
        far = remaining & (bound <= CLEARLY * settings.alpha)
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
        first: 1 if the observed outcome counts in addition to the R, 0 if it is one of them.
    """

    differences: Callable[[int, Ints], tuple[Floats, Floats]]
    half: int
    first: float

    @property
    def total(self) -> float:
        """Number of outcomes: R, and the observed one if it is not among these."""
        return self.first + 2.0 * self.half

    def test(self, systems: Ints) -> Floats:
        """Return the p-value of each of S systems for being the best of these, float64 (S,)."""
        n, half = systems.size, self.half
        largest, least = np.zeros((n, 2 * half)), np.zeros(n)
        for s in within_time(range(n - 1)):
            rest = slice(s + 1, n)
            values, observed, slack = self.better(int(systems[s]), systems[rest])
            least[s] = max(least[s], float((observed - slack).max()))
            np.maximum(least[rest], -observed - slack, out=least[rest])
            highest, lowest = values.max(axis=0), values.min(axis=0)
            np.maximum(largest[s], np.concatenate((highest, -lowest)), out=largest[s])
            np.maximum(largest[rest, :half], -values, out=largest[rest, :half])
            np.maximum(largest[rest, half:], values, out=largest[rest, half:])
        return np.asarray((self.first + (largest >= least[:, np.newaxis]).sum(axis=1)) / self.total)

    def better(self, s: int, others: Ints) -> tuple[Floats, Floats, Floats]:
        """Divide the differences of P other systems from a system, each by its root mean square over the outcomes.

        Returns:
            float64 (P, R/2) quotients in the outcomes, float64 (P,) as observed, and float64 (P,) the rounding error up
            to which two quotients of a system are equal.
        """
        values, observed = self.differences(s, others)
        scale = np.sqrt((self.first * observed**2 + 2.0 * np.einsum("pr,pr->p", values, values)) / self.total)
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > TOLERANCE)
        values *= inverse[:, np.newaxis]
        return values, observed * inverse, TOLERANCE * inverse


def _swaps(runs: Sequence[BatchScores], settings: Settings) -> _Outcomes:
    """Return the differences between systems after they exchanged documents, for R/2 choices of the documents.

    In the other R/2 outcomes they exchange all documents but these, which reverses the sign of every difference.
    """
    n, half = len(runs[0]), (settings.resamples + 1) // 2
    listed = resampling.count_swaps(n) <= settings.resamples
    drawn, totals = [], []
    for start in range(0, len(runs), SYSTEMS_AT_ONCE):
        some = {str(s): run for s, run in enumerate(runs[start : start + SYSTEMS_AT_ONCE])}
        systems = Systems.of(some, (settings.metric,), settings.average)
        if listed:
            weights = np.concatenate([block for block, _ in resampling.all_swaps(n)])
            drawn.append(systems.column_sums(weights[: len(weights) // 2]))
        else:
            draw = resampling.swaps(settings.seed, n)
            blocks = resampling.over_blocks(systems.column_sums, draw, half, n, threads=settings.threads)
            drawn.append(np.concatenate(list(blocks), axis=2))
        totals.append(systems.column_sums(np.ones((1, n))))
    exchanged, every = np.concatenate(drawn, axis=1), np.concatenate(totals, axis=1)

    def differences(s: int, others: Ints) -> tuple[Floats, Floats]:  # the last `Systems` scores all
        in_outcomes, observed = (
            direction(settings.metric) * swapped(systems, sums, every, others, np.array([s]), settings.place)
            for sums in (exchanged, np.zeros_like(every))
        )
        return in_outcomes, observed[:, 0]

    return _Outcomes(differences, exchanged.shape[2], 0.0 if listed else 1.0)
