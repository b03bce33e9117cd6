"""Share the rows of both sides out to tasks so that each has some documents, or some mentions, whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from arraycoref.dask.exchange import exchange
from arraycoref.dask.inputs import Piece, load
from arraycoref.dask.tasks import Task, task
from arraycoref.interop.blocks import Request
from arraycoref.interop.long_table import LongTable, Names, join_tables
from arraycoref.interop.ranges import ranges, task_count

Work = Callable[[LongTable, LongTable, Request], Any]
Unit = Literal["document", "mention"]


def shared_tasks(
    work: Work, unit: Unit, key: Sequence[Piece], response: Sequence[Piece], request: Request, threads: int
) -> list[Task]:
    """Make tasks that do some work each, together on all rows.

    Args:
        work: takes the rows of the key and of the response, the request, and returns a result.
        unit: what a task has whole: documents, or mentions of the one document.
        key: pieces of the key.
        response: pieces of the response.
        request: what to compute.
        threads: of the cluster.
    """
    names, n_tasks = request.names, task_count(key, response, threads)
    if n_tasks == 1:
        return [task(on_range, work, unit, list(key), list(response), None, None, request)]
    found = ranges(key, response, n_tasks, threads)
    if found is not None:
        return [task(on_range, work, unit, one.key, one.response, one.low, one.high, request) for one in found]
    seed = np.frombuffer(np.random.default_rng().bytes(8), np.uint64)[0]  # so that nobody can choose what collides
    sides = []
    for side, pieces in (("key", key), ("response", response)):
        splits = [task(split, unit, some, names, side, n_tasks, seed) for some in bundles(pieces, n_tasks)]
        sides.append(exchange(splits, n_tasks, partial(join_tables, names=names)))
    return [task(on_parts, work, ours, theirs, request) for ours, theirs in zip(*sides, strict=True)]


def on_range(
    work: Work, unit: Unit, key: list[Piece], response: list[Piece], low: Any, high: Any, request: Request
) -> Any:
    """Read pieces and work on the documents or mentions from ``low`` on that come before ``high``."""
    tables = [load(pieces, request.names, side) for side, pieces in (("key", key), ("response", response))]
    if low is not None or high is not None:
        cut = LongTable.between if unit == "document" else LongTable.mentions_between
        tables = [cut(table, low, high) for table in tables]
    return work(tables[0], tables[1], request)


def split(unit: Unit, pieces: list[Piece], names: Names, side: str, n_parts: int, seed: np.uint64) -> list[LongTable]:
    """Read pieces and part their documents or mentions by hash."""
    table = load(pieces, names, side)
    return table.split(n_parts, seed) if unit == "document" else table.split_mentions(n_parts, seed)


def on_parts(work: Work, key: list[LongTable], response: list[LongTable], request: Request) -> Any:
    """Work on the documents or mentions of one part."""
    return work(join_tables(key, request.names), join_tables(response, request.names), request)


def bundles(pieces: Sequence[Piece], n_bundles: int) -> list[list[Piece]]:
    """Share pieces out evenly, in order, to as many bundles at most."""
    if not pieces:
        return []
    parts = np.array_split(np.arange(len(pieces)), min(n_bundles, len(pieces)))
    return [[pieces[p] for p in part] for part in parts]
