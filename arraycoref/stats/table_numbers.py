"""Hold the numbers of a table of scores: scores, intervals, p-values, and what they say of the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.metrics import direction
from arraycoref.metrics.base import RATIOS
from arraycoref.metrics.score import Floats, levelled
from arraycoref.options import Signature
from arraycoref.report.values import fields_of
from arraycoref.stats.options import Resampled

Flags = NDArray[np.bool_]
Place = tuple[int, int]
"""Positions of a metric and of a field."""


def places_of(metrics: Sequence[str], fields: Sequence[str]) -> list[Place]:
    """Return the positions of metric and field of columns, but for fields that a metric does not have."""
    return [(k, RATIOS.index(f)) for k, metric in enumerate(metrics) for f in fields if f in fields_of(metric)]


def marked_fields(fields: Sequence[str]) -> Sequence[str]:
    """Return the fields that are marked and have intervals: F, or all where F is not shown."""
    return ["f1"] if "f1" in fields else fields


@dataclass(frozen=True, eq=False, kw_only=True)
class TableNumbers(Resampled):
    """Scores of S systems by K metrics, in B blocks: one for each key, and the means over these, if there are several.

    Attributes:
        systems: (S,) names.
        blocks: (B,) names, empty of an only one.
        metrics: (K,) groups of columns.
        fields: of ``recall``, ``precision`` and ``f1``, those that are shown.
        values: float64 (B, S, K, 3) recall, precision and F, fractions 0-1; nan where a metric has none.
        sd: float64 (B, S, K, 3) standard deviation over a system's runs; nan of one run, or of sums over runs.
        low: float64 (B, S, K, 3) lower end of the interval; nan if intervals were not asked for.
        high: its upper end.
        pvalues: float64 (B, S, K, 3) of being the best; nan if marks were not asked for, or no test can be made.
        adjusted: float64 (B, S, K, 3) of the difference from the baseline, corrected for the number of systems.
        difference: float64 (B, S, K, 3) score minus that of the baseline, or of the best of the column if there is no
            baseline; nan of these themselves, and where neither marks nor a baseline were asked for.
        difference_low: float64 (B, S, K, 3) lower end of its interval.
        difference_high: its upper end.
        differences: whether they are shown beside each F.
        n_runs: (S,) of each system.
        n_documents: (B,) of each block; of means over blocks, in all.
        seeds: ``mean`` or ``pool``, what was made of the runs of a system.
        sort: whether the systems of a block stand in the order of their last score.
        baseline: name of a system, or None.
        test: ``randomisation`` or ``bootstrap``.
        correction: ``maxt``, ``holm``, ``bh`` or ``none``.
        alpha: level of the marks.
        method: of the intervals; those of means over blocks are ``percentile`` ones where it is ``bca``.
        confidence: of the intervals.
        signature: of the scores.
    """

    systems: tuple[str, ...]
    blocks: tuple[str, ...]
    metrics: tuple[str, ...]
    fields: tuple[str, ...]
    values: Floats
    sd: Floats
    low: Floats
    high: Floats
    pvalues: Floats
    adjusted: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    differences: bool
    n_runs: tuple[int, ...]
    n_documents: tuple[int, ...]
    seeds: str
    sort: bool
    baseline: str | None
    test: str
    correction: str
    alpha: float
    method: str
    confidence: float
    signature: Signature

    @property
    def best(self) -> Flags:
        """Whether a score is the best of its column, bool (B, S, K, 3)."""
        signs = np.array([direction(metric) for metric in self.metrics])[:, np.newaxis]
        signed = np.where(np.isnan(self.values), -np.inf, levelled(signs * self.values))
        found: Flags = (signed == signed.max(axis=1, keepdims=True)) & np.isfinite(signed)
        return found

    @property
    def rivals(self) -> Flags:
        """Whether a score may be as good as the best of its column, bool (B, S, K, 3)."""
        found: Flags = (self.pvalues > self.alpha) & ~self.best
        return found

    @property
    def differing(self) -> Flags:
        """Whether a score differs significantly from that of the baseline, bool (B, S, K, 3)."""
        found: Flags = self.adjusted <= self.alpha
        return found

    @property
    def places(self) -> list[Place]:
        """Positions of metric and field of each column of scores."""
        return places_of(self.metrics, self.fields)

    @property
    def rows(self) -> list[Place]:
        """Positions of block and system of each row."""
        return [(b, s) for b in range(len(self.blocks)) for s in self.order(b)]

    def order(self, block: int) -> list[int]:
        """Positions of the systems of a block as they are shown."""
        if not self.sort:
            return list(range(len(self.systems)))
        k, f = self.places[-1]
        sign = direction(self.metrics[k])
        order: list[int] = np.argsort(levelled(-sign * self.values[block, :, k, f]), kind="stable").tolist()
        return order
