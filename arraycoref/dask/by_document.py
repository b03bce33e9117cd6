"""Score many documents: each task has some documents whole, and returns their counts."""

from __future__ import annotations

from collections.abc import Sequence

from arraycoref.dask.inputs import Piece
from arraycoref.dask.shares import shared_tasks
from arraycoref.dask.tasks import Task, task
from arraycoref.dask.totals import Totals
from arraycoref.pipelines.blocks import Request, count_block

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
    return shared_tasks(count_block, "document", key, response, request, threads)


def total_task(blocks: Sequence[Task]) -> Task:
    """Make the task that returns the totals of all blocks, added up as a tree."""
    level = [task(Totals.of, block) for block in blocks]
    while len(level) > 1:
        level = [task(Totals.joined, level[first : first + FAN_IN]) for first in range(0, len(level), FAN_IN)]
    return level[0]
