"""Find the intervals of a table of scores, and test its columns: who may be the best, who differs from a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arraycoref.metrics import direction
from arraycoref.metrics.base import RATIOS
from arraycoref.metrics.score import Floats, levelled
from arraycoref.stats.best_set import best_of_redraws, best_pvalues
from arraycoref.stats.bootstrapping import interval, intervals_of
from arraycoref.stats.multiple_tests import adjust_pvalues, step_down
from arraycoref.stats.options import Settings
from arraycoref.stats.paired import TOLERANCE, tests_of
from arraycoref.stats.systems import Systems

Tested = dict[str, Floats]
"""float64 (S, K, 3), nan where undefined: ``low`` and ``high``, ends of intervals; ``pvalues`` of being the best of a
column; ``adjusted`` ones of the difference from the baseline; ``difference`` from the baseline, or from the best of the
column if there is none, and ``difference_low`` and ``difference_high``, the ends of its interval."""


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
    def tested(self) -> Sequence[tuple[int, int]]:
        """Positions of metric and field of the columns that are tested indeed."""
        return self.columns if self.marks or self.reference is not None else ()

    @property
    def asks(self) -> bool:
        """Whether anything is to be found."""
        return self.intervals or bool(self.tested)

    def best(self, estimates: Floats, k: int, f: int) -> int:
        """Position of the best system of a column."""
        return int(np.argmax(levelled(direction(self.metrics[k]) * estimates[:, k, f])))

    def differences(self, values: Floats, estimates: Floats) -> Floats:
        """Subtract from each system the one that it is compared with in a column: (..., S, K, 3) -> (..., S, K, 3).

        That is the baseline, or the best by the estimates; its own differences are nan, and those of other columns.
        """
        found = np.full(values.shape, np.nan)
        for k, f in self.tested:
            reference = self.best(estimates, k, f) if self.reference is None else self.reference
            found[..., k, f] = values[..., k, f] - values[..., reference, k, f][..., np.newaxis]
            found[..., reference, k, f] = np.nan
        return found

    def shown(self, values: Floats, estimates: Floats) -> Floats:
        """Pick what has intervals: scores, and their differences: (..., S, K, 3) -> (..., 2, S, K, 3)."""
        scores = values if self.intervals else np.full_like(values, np.nan)
        return np.stack([scores, self.differences(values, estimates)], axis=-4)

    def others(self, n: int) -> list[int]:
        """Positions of the systems that are tested against the baseline."""
        return [] if self.reference is None else [s for s in range(n) if s != self.reference]


def nothing(shape: tuple[int, ...]) -> Tested:
    """Make what nothing was found for."""
    ends = "low", "high", "difference_low", "difference_high"
    return {name: np.full(shape, np.nan) for name in (*ends, "pvalues", "adjusted", "difference")}


def by_swaps(systems: Systems, plan: Plan) -> Tested:
    """Test systems of one run each as `bootstrap`, the best set of a sweep, and `compare` with a baseline do."""
    estimates = systems.estimates()
    found, others = nothing(estimates.shape), plan.others(len(estimates))
    if plan.asks:
        each = intervals_of(
            systems, plan.settings, lambda values: plan.shown(values, estimates).reshape(*values.shape[:-3], -1)
        )
        _put_intervals(found, plan, estimates, [(one.low, one.high) for one in each])
    for k, f in plan.tested:
        settings = replace(plan.settings, metric=plan.metrics[k], field=RATIOS[f])
        if plan.marks:
            best = plan.best(estimates, k, f)
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
    shown, about = plan.shown(drawn, estimates), plan.shown(estimates, estimates)
    confidence = plan.settings.confidence
    ends = [interval(shown[:, *at], float(about[at]), None, method, confidence) for at in np.ndindex(about.shape)]
    _put_intervals(found, plan, estimates, ends)
    for k, f in plan.tested:
        observed, replicates = (direction(plan.metrics[k]) * values[..., k, f].T for values in (estimates, drawn))
        if plan.marks:
            found["pvalues"][:, k, f] = best_of_redraws(replicates, observed, plan.settings.alpha)
        if others:
            difference = observed[others] - observed[plan.reference]
            strays = replicates[others] - replicates[plan.reference] - difference[:, np.newaxis]
            found["adjusted"][others, k, f] = _adjusted(difference, strays, plan.settings.correction)
    return found


def _put_intervals(found: Tested, plan: Plan, estimates: Floats, ends: Sequence[tuple[float, float]]) -> None:
    """Put the ends of what `Plan.shown` picked, and the differences themselves, to their names."""
    low, high = np.moveaxis(np.reshape(ends, (2, *estimates.shape, 2)), -1, 0)
    (found["low"], found["difference_low"]), (found["high"], found["difference_high"]) = low, high
    found["difference"] = plan.differences(estimates, estimates)


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
