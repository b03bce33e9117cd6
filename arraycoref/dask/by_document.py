"""Score many documents: each task has some documents whole, and returns their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arraycoref.dask.inputs import Piece
from arraycoref.dask.packing import Packed
from arraycoref.dask.shares import shared_tasks
from arraycoref.dask.tasks import Task, task
from arraycoref.dask.totals import Totals
from arraycoref.pipelines.blocks import Request, count_block
from arraycoref.pipelines.long_table import LongTable

FAN_IN = 16
"""Totals that a task adds up."""


def block_tasks(key: Sequence[Piece], response: Sequence[Piece], request: Request, threads: int) -> list[Task]:
    """Make the tasks that return a block each, together of all documents.

    Args:
        key: pieces of the key, of which each may have parts of any document.
        response: pieces of the response.
        request: what to compute.
        threads: of the cluster.
    """
    return shared_tasks(packed_block, "document", key, response, request, threads)


def packed_block(key: LongTable, response: LongTable, request: Request) -> Any:
    """Count the documents of two tables, and pack the counts for their way, which then have ``rows`` only."""
    block = count_block(key, response, request)
    return replace(block, counts=Packed.of(block.counts))  # type: ignore[arg-type]


def total_tasks(
    key: Sequence[Piece], response: Sequence[Piece], request: Request, threads: int
) -> tuple[Task, list[Task]]:
    """Make the task that returns the totals of all documents, added up as a tree, and those that it adds up."""
    level = first = shared_tasks(count_totals, "document", key, response, request, threads)
    while len(level) > 1:
        level = [task(Totals.joined, level[start : start + FAN_IN]) for start in range(0, len(level), FAN_IN)]
    return level[0], first


def count_totals(key: LongTable, response: LongTable, request: Request) -> Totals:
    """Sum the counts of the documents of two tables."""
    return Totals.of(count_block(key, response, request))
