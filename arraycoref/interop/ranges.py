"""Divide the rows of two sides among tasks: choose how many, and, if pieces are sorted, a range of values for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Rows of one side that are read at once: a row group of a file, or a partition.

    Attributes:
        n_rows: number of rows; -1 if it is not known.
        low: lower bound of the values by which rows are divided among tasks; None if it is not known.
        high: upper bound of these values, likewise.
    """

    n_rows: int = -1
    low: Any = None
    high: Any = None

    def reaches(self, value: Any) -> bool:
        """Whether the piece may hold this value or a larger one."""
        return bool(self.high is None or self.high >= value)


P = TypeVar("P", bound=Piece)

ROWS = 2**21
"""Most rows of one side in a task, on average; each takes some 200 bytes of memory."""

LEAST_ROWS = 2**17
"""Fewest rows of one side that are worth a task of their own."""

TASKS = 4
"""Tasks per thread; several, so that at the end no thread waits long for the last task of another."""

READ_TWICE = 1.5
"""Most rows that all tasks together may read, as a multiple of the rows that there are; beyond it, tasks that exchange
rows are faster.
"""

UNEVEN = 1.5
"""Most rows of one task, as a multiple of the average, not counting pieces that reach beyond the ends of its range."""


class Range(NamedTuple, Generic[P]):
    """The rows that one task scores: those whose value lies in a range.

    Attributes:
        low: lower bound, inclusive; None for no bound.
        high: upper bound, exclusive; None for no bound.
        key: pieces of the key that may have such rows.
        response: pieces of the response, likewise.
    """

    low: Any
    high: Any
    key: list[P]
    response: list[P]


def task_count(key: Sequence[Piece], response: Sequence[Piece], threads: int) -> int:
    """Return the number of tasks for ``threads`` threads: a multiple of ``threads``, unless it is smaller."""
    wanted = max(_task_count(key, threads), _task_count(response, threads))
    return wanted if wanted < threads else -(-wanted // threads) * threads


def _task_count(pieces: Sequence[Piece], threads: int) -> int:
    """Return how many tasks one side needs: at least as many as it has pieces of unknown size."""
    rows = [piece.n_rows for piece in pieces]
    known = [n for n in rows if n >= 0]
    total = sum(known)
    wanted = max(-(-total // ROWS), min(TASKS * threads, -(-total // LEAST_ROWS)), 1)
    return max(wanted, len(rows) - len(known))


def ranges(key: Sequence[P], response: Sequence[P], n_tasks: int, threads: int) -> list[Range[P]] | None:
    """Cut the values into ranges, one for each task, at lower bounds of the pieces.

    A piece that lies across a cut is read by both tasks, each of which takes the rows of its own range. Tasks then need
    not exchange rows, which is faster as long as few pieces lie across cuts.

    Args:
        key: pieces of the key.
        response: pieces of the response.
        n_tasks: how many ranges are wanted; there may be fewer if pieces are large.
        threads: least number of ranges, so that no thread is idle.

    Returns:
        The ranges; None if bounds are not known or of different types, or if pieces overlap too much.
    """
    pieces = [*key, *response]
    if not pieces or len({type(bound) for piece in pieces for bound in (piece.low, piece.high)}) != 1:
        return None
    if pieces[0].low is None:
        return None
    n_rows = [max(piece.n_rows, 1) for piece in pieces]
    order = sorted(range(len(pieces)), key=lambda p: pieces[p].low)
    sizes = np.array(n_rows, np.float64)[order]
    before = np.cumsum(sizes) - sizes
    while n_tasks >= max(threads, 2):
        steps = np.searchsorted(before, np.arange(1, n_tasks) * sizes.sum() / n_tasks)
        cuts = sorted({pieces[order[s]].low for s in steps if s < len(order)} - {pieces[order[0]].low})
        found = [
            Range(low, high, _within(key, low, high), _within(response, low, high))
            for low, high in pairwise([None, *cuts, None])
        ]
        read = [sum(max(piece.n_rows, 1) for piece in (*one.key, *one.response)) for one in found]
        largest = UNEVEN * sizes.sum() / n_tasks + 4 * sizes.max()
        if sum(read) <= READ_TWICE * sizes.sum() and max(read) <= largest and len(found) >= threads:
            return found
        n_tasks //= 2
    return None


def _within(pieces: Sequence[P], low: Any, high: Any) -> list[P]:
    """Return the pieces that may have values of at least ``low`` and below ``high``; None for no bound."""
    return [piece for piece in pieces if (high is None or piece.low < high) and (low is None or piece.reaches(low))]
