"""Divide the rows of both sides among tasks, so that each has all rows of some documents, or of some mentions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from arraycoref.interop.dask.inputs import load
from arraycoref.interop.dask.tasks import Task, task
from arraycoref.interop.long_table import LongTable, concat_tables
from arraycoref.interop.ranges import Piece, ranges, task_count
from arraycoref.interop.two_tables import Request
from arraycoref.read.table_shapes import Names

Work = Callable[[LongTable, LongTable, Request], Any]

DIRECT = 2**14
"""Most pairs of a task that splits rows and a part for which each part is fetched directly from each of these tasks;
with more pairs, parts go through tasks in between, which bundle them.
"""


def shared_tasks(
    work: Work, key: Sequence[Piece], response: Sequence[Piece], request: Request, threads: int
) -> list[Task]:
    """Make tasks that call ``work``, each with all rows of some documents, or of some mentions of the one document.

    Args:
        work: takes rows of the key, rows of the response and the request; returns the result of the task.
        key: pieces of the key.
        response: pieces of the response.
        request: what to compute.
        threads: number of threads of the cluster.
    """
    names, n_tasks = request.names, task_count(key, response, threads)
    if n_tasks == 1:
        return [task(on_range, list(key), list(response), work=work, request=request)]
    found = ranges(key, response, n_tasks, threads)
    if found is not None:
        return [
            task(on_range, one.key, one.response, work=work, request=request, low=one.low, high=one.high)
            for one in found
        ]
    seed = np.frombuffer(np.random.default_rng().bytes(8), np.uint64)[0]  # nobody can choose documents that collide
    sides = []
    for side, pieces in (("key", key), ("response", response)):
        splits = [
            task(split, some, names=names, side=side, n_parts=n_tasks, seed=seed) for some in bundles(pieces, n_tasks)
        ]
        sides.append(exchange(splits, n_tasks, partial(concat_tables, names=names)))
    return [task(on_parts, ours, theirs, work=work, request=request) for ours, theirs in zip(*sides, strict=True)]


def on_range(
    key: list[Piece], response: list[Piece], work: Work, request: Request, low: Any = None, high: Any = None
) -> Any:
    """Read pieces; call ``work`` with documents, or mentions of the one, of at least ``low`` and below ``high``."""
    ours, theirs = (load(pieces, request.names, side) for side, pieces in (("key", key), ("response", response)))
    if low is not None or high is not None:
        ours, theirs = ours.between(low, high), theirs.between(low, high)
    return work(ours, theirs, request)


def split(pieces: list[Piece], names: Names, side: str, n_parts: int, seed: np.uint64) -> list[LongTable]:
    """Read pieces, and split their documents, or the mentions of the one document, into parts by hash."""
    return load(pieces, names, side).split(n_parts, seed)


def on_parts(key: list[LongTable], response: list[LongTable], work: Work, request: Request) -> Any:
    """Call ``work`` with the documents or mentions of one part, which all tasks that split rows contribute to."""
    return work(concat_tables(key, request.names), concat_tables(response, request.names), request)


def bundles(pieces: Sequence[Piece], n_bundles: int) -> list[list[Piece]]:
    """Divide pieces evenly, in their order, into at most ``n_bundles`` lists."""
    if not pieces:
        return []
    parts = np.array_split(np.arange(len(pieces)), min(n_bundles, len(pieces)))
    return [[pieces[p] for p in part] for part in parts]


def exchange(splits: Sequence[Task], n_parts: int, join: Callable[[list[Any]], Any]) -> list[list[Task]]:
    """Collect the parts of each number from all tasks that split rows.

    Args:
        splits: tasks, each of which returns a list of ``n_parts`` parts.
        n_parts: number of parts.
        join: joins a list of parts of one number, which is in the order of the tasks.

    Returns:
        For each number, tasks that return parts of it, in the order of ``splits``.
    """
    if len(splits) * n_parts <= DIRECT:
        return [[split[part] for split in splits] for part in range(n_parts)]
    width, height = math.isqrt(n_parts - 1) + 1, math.isqrt(len(splits) - 1) + 1
    bundled = [task(bundle_parts, split, width=width) for split in splits]
    parts: list[list[Task]] = [[] for _ in range(n_parts)]
    for first in range(0, len(splits), height):
        for b in range(-(-n_parts // width)):
            joined = task(join_bundles, [one[b] for one in bundled[first : first + height]], join=join)
            for part in range(b * width, min((b + 1) * width, n_parts)):
                parts[part].append(joined[part - b * width])
    return parts


def bundle_parts(parts: list[Any], width: int) -> list[list[Any]]:
    """Put parts with neighbouring numbers into lists of ``width`` parts."""
    return [parts[first : first + width] for first in range(0, len(parts), width)]


def join_bundles(bundles: list[list[Any]], join: Callable[[list[Any]], Any]) -> list[Any]:
    """Join bundles that hold parts of the same numbers, number by number."""
    return [join(list(parts)) for parts in zip(*bundles, strict=True)]
