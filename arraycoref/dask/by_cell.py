"""Score one giant clustering: tasks join mentions and sum cells, one of them assembles these, others align them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from arraycoref.contingency import Cells
from arraycoref.counts import Counts, Floats
from arraycoref.dask.cells import PartialCells, component_parts, partial_cells
from arraycoref.dask.shares import shared_tasks
from arraycoref.dask.tasks import Task, summed, task
from arraycoref.errors import InputError
from arraycoref.interop.overlap import Overlap, overlap
from arraycoref.interop.ranges import Piece
from arraycoref.interop.two_tables import Request
from arraycoref.metrics import counted_metrics

FAN_IN = 8
"""Partial cells that a task adds up."""

ALIGNMENTS = 64
"""Tasks that align connected components; a fixed number, so that sums are added alike on any cluster."""


def count_task(
    key: Sequence[Piece], response: Sequence[Piece], request: Request, threads: int
) -> tuple[Task, Task, list[Task]]:
    """Make the tasks that return the counts of the one clustering, `Counts` of one document, and its `Overlap`.

    Args:
        key: pieces of the key.
        response: pieces of the response.
        request: what to compute; its names have no document.
        threads: of the cluster.

    Returns:
        The tasks, and those of their precursors by which the progress is shown.
    """
    joins = shared_tasks(partial_cells, key, response, request, threads)
    partial = summed(joins, PartialCells.joined, FAN_IN, request.names.label)
    whole = task(assemble_cells, partial, request=request)
    counts = [task(count_some, whole, request=request, alignments=False)]
    if any(metric.made_of == "alignment" for metric in counted_metrics(request.metrics)):
        parts = task(component_parts, whole, n_parts=ALIGNMENTS)
        counts += [task(count_some, parts[part], request=request, alignments=True) for part in range(ALIGNMENTS)]
    return task(add_counts, counts, request=request), task(count_mentions, partial), [*joins, whole, *counts]


def count_mentions(partial: PartialCells) -> Overlap:
    """Count the mentions; mentions that are written in two ways are in two parts, and are not looked for."""
    n_shared = int(partial.shared.sum())
    return overlap(1, [int(side.size.sum()) for side in (partial.keys, partial.responses)], n_shared)


def assemble_cells(partial: PartialCells, request: Request) -> Cells:
    """Make one document's cells of all, and check them.

    Raises:
        InputError: a metric for gold mentions, and other ones; more mentions than counts can hold.
    """
    cells = partial.cells(drop_singletons=request.policies.singletons == "drop")
    ours, theirs, shared = (int(n[0]) for n in cells.totals[:3])
    for metric in counted_metrics(request.metrics):
        if metric.gold_mentions and not shared == ours == theirs:
            found = f"key ({ours} mentions) and response ({theirs}) share {shared}"
            reason = f"{metric.name} is defined on gold mentions only, but {found}"
            raise InputError(f"{reason}; use blanc for predicted mentions")
    return cells


def count_some(cells: Cells, request: Request, alignments: bool) -> Floats:
    """Count the metrics that align entities, or those that do not, float64 (K, 4); the others are 0.

    Args:
        cells: of the whole, or of some connected components where entities are aligned.
        request: what to compute.
        alignments: which of the metrics.
    """
    counts = []
    for metric in counted_metrics(request.metrics):
        wanted = (metric.made_of == "alignment") == alignments
        counts.append(metric.count(cells).reshape(-1, 4) if wanted else np.zeros((len(metric.groups), 4)))
    return np.concatenate(counts)


def add_counts(parts: list[Floats], request: Request) -> Counts:
    """Add up counts, float64 (K, 4) each, in the order given."""
    names = tuple(metric.name for metric in counted_metrics(request.metrics))
    return Counts.read_only(None, names, reduce(np.add, parts)[np.newaxis])
