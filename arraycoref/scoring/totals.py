"""Compute the totals of documents, and from these, or from their cells, the sums of metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from arraycoref.ragged import Floats
from arraycoref.scoring.alignment import best_total
from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.contingency import cells_of, is_large, table_bits
from arraycoref.scoring.metrics import bcub, ceaf, lea
from arraycoref.scoring.metrics.registry import Metric
from arraycoref.twin import twin

IN_TABLE = 0.1
"""Time per mention of a large document of few entities, as a fraction of that of other documents."""


class Needs(NamedTuple):
    """Which of the last sums of `Totals` are computed; the others are None."""

    squares: bool = False
    resolved: bool = False
    phi3: bool = False
    phi4: bool = False


@lru_cache
def needs_of(metrics: Sequence[Metric]) -> Needs | None:
    """Return what the formulas of metrics need; None if no metric is a formula."""
    formulas = [metric for metric in metrics if metric.is_formula and metric.counted_from == "entities"]
    return Needs(**dict.fromkeys((need for metric in formulas for need in metric.needs), True)) if formulas else None


def _elements(clusterings: Clusterings, first: int, last: int, *_: object) -> float:
    """Return how many mentions are left to count, those of a large document of few entities by a fraction."""
    n_left = clusterings.response.size - int(clusterings.bounds[first])
    return n_left * (IN_TABLE if is_large(clusterings, first, last) and table_bits(clusterings, first) else 1.0)


@twin("fused.count_totals", call=4e-4, each=3e-7, compiling=10.0, size=_elements)
def count_totals(clusterings: Clusterings, first: int, last: int, needs: Needs, cells: Cells | None = None) -> Totals:
    """Compute the totals of the documents ``first:last``: arrays, or numbers if there is one document.

    Args:
        clusterings: labels of D documents, or of S * D documents for S responses to one key.
        first: first document.
        last: end of the range.
        needs: which sums are computed.
        cells: the cells of these documents, if they are known.

    Raises:
        InputError: a label below -1.
    """
    totals = complete(cells or cells_of(clusterings, first, last), needs)
    if last - first != 1:
        return totals
    numbers: list[Any] = [None if values is None else values.item() for values in totals]
    return Totals(*numbers)


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
    if metric.is_formula:
        sums = metric.count(complete(cells, Needs(**dict.fromkeys(metric.needs, True))))
    else:
        sums = metric.count(cells)
    return np.moveaxis(np.array(sums, np.float64), -1, 0)
