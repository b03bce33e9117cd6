"""Find the intervals of a table of scores, and test its columns: who may be the best, who differs from a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from arraycoref.stats.systems import Systems

Floats = NDArray[np.float64]

Tested = dict[str, Floats]
"""float64 (S, K, 3), nan where undefined: ``low`` and ``high``, ends of intervals; ``pvalues`` of being the best of a
column; ``adjusted`` ones of the difference from the baseline."""


@dataclass(frozen=True)
class Plan:
    """What is to be found.

    Attributes:
        settings: of intervals and tests.
        metrics: (K,).
        columns: positions of metric and field of the columns to test.
        intervals: find intervals, of all columns.
        marks: test who may be the best.
        reference: position of the baseline to test against, or None.
    """

    settings: Settings
    metrics: Sequence[str]
    columns: Sequence[tuple[int, int]]
    intervals: bool
    marks: bool
    reference: int | None

    @property
    def asks(self) -> bool:
        """Whether anything is to be found."""
        return self.intervals or self.marks or self.reference is not None

    def others(self, n: int) -> list[int]:
        """Positions of the systems that are tested against the baseline."""
        return [] if self.reference is None else [s for s in range(n) if s != self.reference]


def nothing(shape: tuple[int, ...]) -> Tested:
    """Make what nothing was found for."""
    return {name: np.full(shape, np.nan) for name in ("low", "high", "pvalues", "adjusted")}


def by_swaps(systems: Systems, plan: Plan) -> Tested:
    """Test systems of one run each as `bootstrap`, the best set of a sweep, and `compare` with a baseline do."""
    estimates = systems.estimates()
    found, others = nothing(estimates.shape), plan.others(len(estimates))
    if plan.intervals:
        ends = intervals_of(systems, plan.settings, lambda values: values.reshape(*values.shape[:-3], -1))
        for name in ("low", "high"):
            found[name] = np.reshape([getattr(each, name) for each in ends], estimates.shape)
    for k, f in plan.columns if plan.marks or others else ():
        settings = replace(plan.settings, metric=plan.metrics[k], field=FIELDS[f])
        if plan.marks:
            best = int(np.argmax(direction(settings.metric) * estimates[:, k, f]))
            found["pvalues"][:, k, f] = best_pvalues(list(systems.runs.values()), best, settings)
        column = Systems.of(systems.runs, (settings.metric,), settings.average)
        pairs = [(s, plan.reference or 0) for s in others]
        found["adjusted"][others, k, f] = tests_of(column, pairs, settings).adjusted
    return found


def by_redraws(estimates: Floats, draw: Callable[[], Floats], plan: Plan) -> Tested:
    """Test systems by scores on redrawn documents and runs.

    Args:
        estimates: float64 (S, K, 3).
        draw: returns float64 (R, S, K, 3).
        plan: what to find.
    """
    found, others = nothing(estimates.shape), plan.others(len(estimates))
    if not plan.asks:
        return found
    drawn, method = draw(), resampled_method(plan.settings.method)
    for place in np.ndindex(estimates.shape) if plan.intervals else ():
        ends = interval(drawn[:, *place], float(estimates[place]), None, method, plan.settings.confidence)
        found["low"][place], found["high"][place] = ends
    for k, f in plan.columns:
        observed, replicates = (direction(plan.metrics[k]) * values[..., k, f].T for values in (estimates, drawn))
        if plan.marks:
            found["pvalues"][:, k, f] = best_of_redraws(replicates, observed, plan.settings.alpha)
        if others:
            difference = observed[others] - observed[plan.reference]
            strays = replicates[others] - replicates[plan.reference] - difference[:, np.newaxis]
            found["adjusted"][others, k, f] = _adjusted(difference, strays, plan.settings.correction)
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
