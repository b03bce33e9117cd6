"""Find which of many systems may be the best, from swaps of documents that all pairs of systems share, or redraws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.deadline import within_time
from arraycoref.metrics import direction
from arraycoref.metrics.score import Floats
from arraycoref.results import BatchScores
from arraycoref.stats import resampling
from arraycoref.stats.options import Settings
from arraycoref.stats.paired import TOLERANCE, swapped
from arraycoref.stats.systems import Systems

Ints = NDArray[np.int64]

CLEARLY = 0.1
"""Share of alpha at which the clearly worse are left out; the rest is for the systems that remain."""

SYSTEMS_AT_ONCE = 64
"""With more systems, those far below the best are left out before all pairs are compared."""

TAIL = 3.18
"""A sum of signed numbers exceeds x standard deviations at most so many times as often as a normal variable does."""


def best_pvalues(runs: Sequence[BatchScores], best: int, settings: Settings) -> Floats:
    """Test of each system whether it may be the best.

    For system s the statistic is the largest (F_j - F_s) / sd over its competitors j, where sd is the root mean square
    of that difference when s and j exchange documents; its distribution is that of the largest under the same swaps for
    all pairs. First, systems are left out at a tenth of alpha, in rounds until none goes: they are clearly worse, and
    as competitors would only widen the distribution for the others. Then those that remain are tested once at the rest
    of alpha. Where there are few enough swaps, all of them are listed.

    Args:
        runs: (S,) scores on the same D documents.
        best: position of the one with the best score.
        settings: metric, field, alpha, resamples, seed and threads.

    Returns:
        float64 (S,) p-values, corrected: a system may be the best where its own is above alpha. One that was left out
        in a round has ten times the p-value of that round, another 1/0.9 times its last. nan if there is one document.

    Source: Romano, Shaikh and Wolf (2014), a first level for what can be left out before the second test. The tail
    for many systems: Bentkus and Dzindzalieta (2015), theorem 1.1.
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
    """Test the same from scores on redrawn runs and documents, each moved by its distance from the observed score.

    A difference is taken to stray upwards as far as downwards.

    Args:
        drawn: float64 (S, R) scores, the higher the better.
        observed: float64 (S,) likewise.
        alpha: level of significance.

    Returns:
        float64 (S,) as `best_pvalues`; nan where a score is not defined.
    """
    strays = drawn - observed[:, np.newaxis]
    if np.isnan(strays).any():
        return np.full(len(observed), np.nan)

    def differences(s: int, others: Ints) -> tuple[Floats, Floats]:
        return strays[others] - strays[s], observed[others] - observed[s]

    return _in_rounds(_Outcomes(differences, strays.shape[1], 1.0), len(observed), alpha)


def _in_rounds(outcomes: _Outcomes, n_systems: int, alpha: float) -> Floats:
    """Leave out the clearly worse in rounds, and test those that remain, see `best_pvalues`."""
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
    """Return p-values of systems that are far below the best by that pair alone, 1 for all others.

    The largest of n statistics exceeds x at most n times as often as one of them does, and that tail is bounded.
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
    """Differences between systems in R/2 outcomes; in the other R/2 every difference has the opposite sign.

    Attributes:
        differences: function of a system and of P others, which returns how much better these are than it: float64
            (P, R/2) in outcomes, (P,) as observed.
        half: R/2.
        first: 1 where the observed outcome counts beside the R, 0 where it is among them.
    """

    differences: Callable[[int, Ints], tuple[Floats, Floats]]
    half: int
    first: float

    @property
    def total(self) -> float:
        """Outcomes in all."""
        return self.first + 2.0 * self.half

    def test(self, systems: Ints) -> Floats:
        """Return p-values of being the best of some systems, float64 (S,)."""
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
        """Compare a system with others: how much better each of these is, in its standard deviations.

        Returns:
            float64 (P, R/2) in outcomes, (P,) as observed, and (P,) the difference that counts as none.
        """
        values, observed = self.differences(s, others)
        scale = np.sqrt((self.first * observed**2 + 2.0 * np.einsum("pr,pr->p", values, values)) / self.total)
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > TOLERANCE)
        values *= inverse[:, np.newaxis]
        return values, observed * inverse, TOLERANCE * inverse


def _swaps(runs: Sequence[BatchScores], settings: Settings) -> _Outcomes:
    """Let systems exchange documents in R/2 outcomes.

    In the others they exchange the rest of the documents, which turns the sign of every difference.
    """
    n, half = len(runs[0]), (settings.n_resamples + 1) // 2
    listed = resampling.count_swaps(n) <= settings.n_resamples
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

    def differences(s: int, others: Ints) -> tuple[Floats, Floats]:  # any of the `Systems` scores the sums of all
        in_outcomes, observed = (
            direction(settings.metric) * swapped(systems, sums, every, others, np.array([s]), settings.place)
            for sums in (exchanged, np.zeros_like(every))
        )
        return in_outcomes, observed[:, 0]

    return _Outcomes(differences, exchanged.shape[2], 0.0 if listed else 1.0)
