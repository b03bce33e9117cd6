"""Find which of many systems may be the best, from swaps of documents that all pairs of systems share, or redraws."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from arraycoref.metrics import direction
from arraycoref.metrics.score import Floats
from arraycoref.results import BatchScores
from arraycoref.stats import resampling
from arraycoref.stats.options import Settings
from arraycoref.stats.paired import AT_ONCE, TOLERANCE, after_exchange
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
    pvalues[remaining] = _in_rounds(_Swaps.of([runs[s] for s in remaining.tolist()], settings), settings.alpha)
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
    return np.full(len(observed), np.nan) if np.isnan(strays).any() else _in_rounds(_Redraws(strays, observed), alpha)


def _in_rounds(outcomes: _Outcomes, alpha: float) -> Floats:
    """Leave out the clearly worse in rounds, and test those that remain, see `best_pvalues`."""
    pvalues = np.ones(outcomes.shape[0])
    remaining = np.arange(pvalues.size)
    while True:
        found = outcomes.test()
        stays = found > CLEARLY * alpha
        if stays.all():
            pvalues[remaining] = np.minimum(1.0, found / (1.0 - CLEARLY))
            return pvalues
        pvalues[remaining[~stays]] = found[~stays] / CLEARLY
        outcomes, remaining = outcomes.only(stays), remaining[stays]


def _far_below(runs: Sequence[BatchScores], best: int, settings: Settings) -> Floats:
    """Return p-values of systems that are far below the best by that pair alone, 1 for all others.

    The largest of n statistics exceeds x at most n times as often as one of them does, and that tail is bounded.
    """
    below = np.empty(len(runs))
    for first in range(0, len(runs), SYSTEMS_AT_ONCE):
        swaps = _Swaps.of([runs[best], *runs[first : first + SYSTEMS_AT_ONCE]], settings)
        below[first : first + SYSTEMS_AT_ONCE] = -swaps.better(0)[1]
    tail = TAIL * np.array([math.erfc(t / math.sqrt(2.0)) / 2.0 for t in below])
    pvalues = np.ones(len(runs))
    while True:
        remaining = pvalues > settings.alpha
        bound = np.maximum((np.count_nonzero(remaining) - 1) * tail, 1.0 / swaps.total)
        far = remaining & (bound <= CLEARLY * settings.alpha)
        if not far.any():
            return pvalues
        pvalues[far] = bound[far] / CLEARLY


class _Outcomes(ABC):
    """Differences between S systems in R/2 outcomes; in the other R/2 every difference has the opposite sign.

    Attributes:
        first: 1 where the observed outcome counts beside the R, 0 where it is among them.
    """

    first: float

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """S and R/2."""

    @abstractmethod
    def only(self, chosen: NDArray[np.bool_]) -> Self:
        """Leave out systems."""

    @abstractmethod
    def differences(self, s: int) -> tuple[Floats, Floats]:
        """Return how much better than system s those after it are: float64 (P, R/2) in outcomes, (P,) as observed."""

    @property
    def total(self) -> float:
        """Outcomes in all."""
        return self.first + 2.0 * self.shape[1]

    def test(self) -> Floats:
        """Return p-values of being the best, float64 (S,)."""
        n, half = self.shape
        largest, least = np.zeros((n, 2 * half)), np.zeros(n)
        for s in range(n - 1):
            values, observed, slack = self.better(s)
            rest = slice(s + 1, n)
            least[s] = max(least[s], float((observed - slack).max()))
            np.maximum(least[rest], -observed - slack, out=least[rest])
            highest, lowest = values.max(axis=0), values.min(axis=0)
            np.maximum(largest[s], np.concatenate((highest, -lowest)), out=largest[s])
            np.maximum(largest[rest, :half], -values, out=largest[rest, :half])
            np.maximum(largest[rest, half:], values, out=largest[rest, half:])
        pvalues: Floats = (self.first + (largest >= least[:, np.newaxis]).sum(axis=1)) / self.total
        return pvalues

    def better(self, s: int) -> tuple[Floats, Floats, Floats]:
        """Compare a system with those after it: how much better each of these is, in its standard deviations.

        Returns:
            float64 (P, R/2) in outcomes, (P,) as observed, and (P,) the difference that counts as none.
        """
        values, observed = self.differences(s)
        scale = np.sqrt((self.first * observed**2 + 2.0 * np.einsum("pr,pr->p", values, values)) / self.total)
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > TOLERANCE)
        values *= inverse[:, np.newaxis]
        return values, observed * inverse, TOLERANCE * inverse


@dataclass(frozen=True, eq=False)
class _Redraws(_Outcomes):
    """S systems whose scores stray from the observed ones in R/2 redraws.

    Attributes:
        strays: float64 (S, R/2).
        observed: float64 (S,).
    """

    strays: Floats
    observed: Floats
    first: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        return self.strays.shape[0], self.strays.shape[1]

    def only(self, chosen: NDArray[np.bool_]) -> Self:
        return replace(self, strays=self.strays[chosen], observed=self.observed[chosen])

    def differences(self, s: int) -> tuple[Floats, Floats]:
        return self.strays[s + 1 :] - self.strays[s], self.observed[s + 1 :] - self.observed[s]


@dataclass(frozen=True, eq=False)
class _Swaps(_Outcomes):
    """S systems and the documents that they exchange in each of R outcomes.

    Attributes:
        systems: that score sums.
        settings: what was asked for.
        sums: float64 (w, S, R/2) of the documents exchanged in half of the outcomes; the others exchange the rest of
            the documents, which turns the sign of every difference.
        totals: float64 (w, S, 1) of all documents.
    """

    systems: Systems
    settings: Settings
    sums: Floats
    totals: Floats
    first: float

    @classmethod
    def of(cls, runs: Sequence[BatchScores], settings: Settings) -> _Swaps:
        parts = []
        for start in range(0, len(runs), SYSTEMS_AT_ONCE):
            some = {str(s): run for s, run in enumerate(runs[start : start + SYSTEMS_AT_ONCE])}
            parts.append(cls._draw(Systems.of(some, (settings.metric,), settings.average), settings))
        sums, totals = (np.concatenate([getattr(p, name) for p in parts], axis=1) for name in ("sums", "totals"))
        return replace(parts[0], sums=sums, totals=totals)

    @classmethod
    def _draw(cls, systems: Systems, settings: Settings) -> _Swaps:
        n, half = systems.n_documents, (settings.n_resamples + 1) // 2
        listed = resampling.count_swaps(n) <= settings.n_resamples
        if listed:
            weights = np.concatenate([block for block, _ in resampling.all_swaps(n)])
            sums = systems.column_sums(weights[: len(weights) // 2])
        else:
            draw = resampling.swaps(settings.seed, n)
            blocks = resampling.over_blocks(systems.column_sums, draw, half, n, threads=settings.threads)
            sums = np.concatenate(list(blocks), axis=2)
        return cls(systems, settings, sums, systems.column_sums(np.ones((1, n))), 0.0 if listed else 1.0)

    @property
    def shape(self) -> tuple[int, int]:
        return self.sums.shape[1], self.sums.shape[2]

    def only(self, chosen: NDArray[np.bool_]) -> Self:
        return replace(self, sums=self.sums[:, chosen], totals=self.totals[:, chosen])

    def differences(self, s: int) -> tuple[Floats, Floats]:
        n, half = self.shape
        one, values = slice(s, s + 1), np.empty((n - s - 1, half))
        step = max(1, AT_ONCE // half)
        for first in range(s + 1, n, step):
            values[first - s - 1 : first - s - 1 + step] = self._scored(slice(first, first + step), one, self.sums)
        return values, self._scored(slice(s + 1, n), one, np.zeros((*self.sums.shape[:2], 1)))[:, 0]

    def _scored(self, others: slice, one: slice, sums: Floats) -> Floats:
        a, b = ((sums[:, some], self.totals[:, some]) for some in (others, one))
        return direction(self.settings.metric) * after_exchange(self.systems, a, b, self.settings.place)
