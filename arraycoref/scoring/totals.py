"""Complete the totals of cells by the sums that metrics need; the record `Totals` is in `arraycoref.scoring.cells`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from arraycoref.ragged import Floats
from arraycoref.scoring.alignment import best_total
from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.metrics import bcub, ceaf, lea
from arraycoref.scoring.metrics.registry import Metric


class Needs(NamedTuple):
    """Which of the last sums of `Totals` are computed; the others are None."""

    squares: bool = False
    resolved: bool = False
    phi3: bool = False
    phi4: bool = False


@lru_cache
def needs_of(metrics: Sequence[Metric]) -> Needs | None:
    """Return what the formulas of metrics need; None if no metric is a formula.

    Metrics that are counted from words or zeros are skipped, as their totals are not those of entities.
    """
    formulas = [metric for metric in metrics if metric.takes == "totals" and metric.counted_from == "entities"]
    return Needs(**dict.fromkeys((need for metric in formulas for need in metric.needs), True)) if formulas else None


def complete(cells: Cells, needs: Needs) -> Totals:
    """Return the totals of cells with the sums that are needed."""
    sums: dict[str, Any] = {}
    if needs.squares:
        sums["key_squares"], sums["response_squares"] = cells.sums(bcub.share)
    if needs.resolved:
        sums["key_resolved"], sums["response_resolved"] = cells.sums(lea.resolved)
    if needs.phi3:
        sums["phi3"] = best_total(cells, cells.shared)
    if needs.phi4:
        sums["phi4"] = ceaf.best_phi4(cells)
    return cells.totals._replace(**sums)


def count_metric(metric: Metric, cells: Cells) -> Floats:
    """Compute the sums of one metric from cells: float64 (D, 4), or (D, groups, 4)."""
    if metric.takes == "totals":
        sums = metric.count(complete(cells, Needs(**dict.fromkeys(metric.needs, True))))
    else:
        sums = metric.count(cells)
    return np.moveaxis(np.array(sums, np.float64), -1, 0)
