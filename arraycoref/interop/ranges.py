"""Share out the rows of two sides: in how many parts, and in which ranges where their pieces are sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Rows of one side that are read at once.

    Attributes:
        n_rows: how many; -1 where that is not known.
        low: a bound, from below, of the values that the rows are shared out by; None where that is not known.
        high: a bound from above.
    """

    n_rows: int = -1
    low: Any = None
    high: Any = None

    def reaches(self, value: Any) -> bool:
        """Whether there may be a value as large as this."""
        return bool(self.high is None or self.high >= value)


P = TypeVar("P", bound=Piece)

ROWS = 2**21
"""Rows of each side that one task is to hold, some 200 bytes each."""

LEAST_ROWS = 2**17
"""Rows of each side that are worth a task of their own."""

TASKS = 4
"""Tasks for each thread, so that none waits long for the last."""

READ_TWICE = 1.5
"""Rows that tasks may read in all, for each row there is; beyond, an exchange is cheaper."""

UNEVEN = 1.5
"""Rows of the largest task, for each row that a task has on average, and not counting pieces across its ends."""


class Range(NamedTuple, Generic[P]):
    """What a task scores: the rows whose value lies in a range.

    Attributes:
        low: the least value, None for no bound.
        high: the value that follows the last, None for no bound.
        key: pieces of the key that have such rows.
        response: pieces of the response.
    """

    low: Any
    high: Any
    key: list[P]
    response: list[P]


def task_count(key: Sequence[Piece], response: Sequence[Piece], threads: int) -> int:
    """Return how many tasks are to share the work of ``threads`` threads."""
    wanted = max(_task_count(key, threads), _task_count(response, threads))
    return wanted if wanted < threads else -(-wanted // threads) * threads


def _task_count(pieces: Sequence[Piece], threads: int) -> int:
    """Return how many tasks one side needs: as many as there are pieces, where their sizes are not known."""
    rows = [piece.n_rows for piece in pieces]
    known = [n for n in rows if n >= 0]
    total = sum(known)
    wanted = max(-(-total // ROWS), min(TASKS * threads, -(-total // LEAST_ROWS)), 1)
    return max(wanted, len(rows) - len(known))


def ranges(key: Sequence[P], response: Sequence[P], n_tasks: int, threads: int) -> list[Range[P]] | None:
    """Cut the values into ranges by the bounds that the pieces have.

    A piece that lies across a cut is read by both tasks, each of which takes its own rows. That needs no exchange
    between tasks, and pays off while there are few such pieces.

    Args:
        key: pieces of the key.
        response: pieces of the response.
        n_tasks: how many ranges are wanted; pieces that are larger make them fewer.
        threads: how many there must be at least, lest threads stand idle.

    Returns:
        None where bounds are not known or pieces overlap too much.
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
    """Return the pieces that may have rows from ``low`` on and before ``high``."""
    return [piece for piece in pieces if (high is None or piece.low < high) and (low is None or piece.reaches(low))]
