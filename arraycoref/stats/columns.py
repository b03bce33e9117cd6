"""Find the intervals of a table of scores, and test its columns: who may be the best, who differs from a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arraycoref.metrics import direction
from arraycoref.stats.best_set import best_of_redraws, best_pvalues
from arraycoref.stats.bootstrapping import intervals_of
from arraycoref.stats.comparable import FIELDS
from arraycoref.stats.intervals import interval
from arraycoref.stats.multiple_tests import adjust_pvalues, step_down
from arraycoref.stats.options import Settings
from arraycoref.stats.paired import TOLERANCE, tests_of
from arraycoref.stats.repeated import Repeated
from arraycoref.stats.systems import Systems

Floats = NDArray[np.float64]

Column = tuple[int, int]
"""Positions of a metric and of a field."""


@dataclass(frozen=True, eq=False)
class Tested:
    """Intervals of all scores of S systems, and tests of some columns of them: float64 (S, K, 3), nan where undefined.

    Attributes:
        low: lower end of the interval.
        high: its upper end.
        pvalues: of being the best of a column.
        adjusted: of the difference from the baseline, corrected for the number of systems.
    """

    low: Floats
    high: Floats
    pvalues: Floats
    adjusted: Floats

    @classmethod
    def nothing(cls, shape: tuple[int, ...]) -> Tested:
        """Make what nothing was asked for."""
        return cls(*(np.full(shape, np.nan) for _ in range(4)))


@dataclass(frozen=True)
class Asked:
    """What is to be tested.

    Attributes:
        intervals: find intervals.
        best: columns in which to test who may be the best.
        against: columns in which to test all systems against the baseline.
        reference: position of the baseline.
    """

    intervals: bool
    best: Sequence[Column]
    against: Sequence[Column]
    reference: int


def by_swaps(part: Repeated, asked: Asked) -> Tested:
    """Test systems of one run each as `bootstrap`, the best set of a sweep, and `compare` with a baseline do."""
    systems, estimates = part.systems(), part.estimates()
    found = Tested.nothing(estimates.shape)
    if asked.intervals:
        ends = intervals_of(systems, part.settings, lambda values: values.reshape(*values.shape[:-3], -1))
        found.low[...] = np.reshape([each.low for each in ends], estimates.shape)
        found.high[...] = np.reshape([each.high for each in ends], estimates.shape)
    for k, f in dict.fromkeys((*asked.best, *asked.against)):
        settings = replace(part.settings, metric=part.metrics[k], field=FIELDS[f])
        if (k, f) in asked.best:
            best = int(np.argmax(direction(settings.metric) * estimates[:, k, f]))
            found.pvalues[:, k, f] = best_pvalues(list(systems.runs.values()), best, settings)
        if (k, f) in asked.against:
            others = [s for s in range(len(estimates)) if s != asked.reference]
            pairs = [(s, asked.reference) for s in others]
            column = Systems.of(systems.runs, (settings.metric,), settings.average)
            found.adjusted[others, k, f] = tests_of(column, pairs, settings).adjusted
    return found


def by_redraws(estimates: Floats, drawn: Floats, metrics: Sequence[str], asked: Asked, settings: Settings) -> Tested:
    """Test systems by scores on redrawn documents and runs.

    Args:
        estimates: float64 (S, K, 3).
        drawn: float64 (R, S, K, 3).
        metrics: (K,).
        asked: what to test.
        settings: of intervals and tests.
    """
    found = Tested.nothing(estimates.shape)
    method = resampled_method(settings.method)
    if asked.intervals:
        for place in np.ndindex(estimates.shape):
            ends = interval(drawn[:, *place], float(estimates[place]), None, method, settings.confidence)
            found.low[place], found.high[place] = ends
    for k, f in asked.best:
        sign = direction(metrics[k])
        found.pvalues[:, k, f] = best_of_redraws(sign * drawn[:, :, k, f].T, sign * estimates[:, k, f], settings.alpha)
    for k, f in asked.against:
        observed = estimates[:, k, f] - estimates[asked.reference, k, f]
        strays = (drawn[:, :, k, f] - drawn[:, asked.reference, k, f, np.newaxis] - observed).T
        others = np.arange(len(observed)) != asked.reference
        found.adjusted[others, k, f] = _adjusted(observed[others], strays[others], settings.correction)
    return found


def resampled_method(method: str) -> str:
    """Return the kind of intervals where runs or blocks are redrawn: ``bca`` corrects for documents alone."""
    return "percentile" if method == "bca" else method


def _adjusted(observed: Floats, strays: Floats, correction: str) -> Floats:
    """Adjust two-sided p-values of differences, float64 (P,), by how redraws stray from them, float64 (P, R)."""
    if np.isnan(strays).any():
        return np.full(len(observed), np.nan)
    if correction == "maxt":
        scale = np.sqrt((strays**2).mean(axis=1))
        return step_down(observed, scale, [(strays, np.ones(strays.shape[1]))], 1.0, TOLERANCE)
    extreme = np.abs(strays) >= np.abs(observed)[:, np.newaxis] - TOLERANCE
    return adjust_pvalues((1.0 + extreme.sum(axis=1)) / (1.0 + strays.shape[1]), correction)
