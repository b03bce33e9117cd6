"""Ragged rows, the one data structure of the package: values of all rows in one array, and the bounds between rows.

Row d owns ``values[bounds[d]:bounds[d + 1]]``. Rows are the mentions of documents, the cells of key entities, the words
of sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import InputError

MOST_PAIRS = 1 << 24
"""The most pairs of equal values, beside 100 for each value: their memory must be bounded by that of the input."""

HASHED = np.uint64(0x9E3779B97F4A7C15)
"""An odd factor whose products' first bits differ for codes that differ: 2^64 divided by the golden ratio."""

SPREAD = 5
"""Codes that `narrow` returns are below so many times their number."""

Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Objects = NDArray[np.object_]


def bounds(lengths: NDArray[np.integer[Any]] | Bools) -> Ints:
    """Return the bounds of consecutive rows of the given lengths (D,), from 0: int64 (D+1,).

    >>> bounds(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    result = np.zeros(lengths.size + 1, np.int64)
    lengths.cumsum(out=result[1:])
    return result


def bounds_of(rows: Iterable[Sized]) -> Ints:
    """Return the bounds of rows that are lists, one after the other: int64 (D+1,).

    >>> bounds_of([["a", "b"], [], ["c"]]).tolist()
    [0, 2, 2, 3]
    """
    return bounds(np.fromiter(map(len, rows), np.int64))


def owners(bounds: Ints) -> Ints:
    """Return the row of each element, int64 (M,), from the bounds of the rows, int64 (D+1,).

    >>> owners(np.array([0, 2, 2, 5])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.arange(bounds.size - 1).repeat(np.diff(bounds))


def ranges(start: Ints, length: Ints) -> Ints:
    """Return the numbers start, start + 1, ... of each of several ranges, one range after the other.

        >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
        [5, 6, 0, 1, 2]

    Args:
        start: int64 (L,) first number of each range.
        length: int64 (L,) how many numbers it has, from 0.

    Returns:
        int64 (sum of lengths,)
    """
    before = np.cumsum(length) - length
    return np.repeat(start - before, length) + np.arange(length.sum())


def run_starts(*columns: NDArray[Any]) -> Ints:
    """Return the positions at which a run of equal values begins, int64 (R,); of several columns, of equal rows.

    >>> run_starts(np.array([7, 7, 5, 7])).tolist(), run_starts(np.array([])).tolist()
    ([0, 2, 3], [])
    """
    is_start = np.ones(columns[0].size, np.bool_)
    if is_start.size:
        is_start[1:] = columns[0][1:] != columns[0][:-1]
        for column in columns[1:]:
            is_start[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(is_start)


def sum_by(values: Ints | Bools, bounds: Ints) -> Ints:
    """Sum each row, exactly: int64 (D,), from values (M,) and bounds, int64 (D+1,).

    >>> sum_by(np.array([1, 2, 3]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 3]
    """
    running = np.zeros(values.size + 1, np.int64)
    values.cumsum(out=running[1:])
    return np.diff(running[bounds])


def join(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return the positions of all pairs of equal values, int64 (C,) in each of two arrays.

    >>> [positions.tolist() for positions in join(np.array([7, 5, 7]), np.array([7, 7, 6]))]
    [[0, 0, 2, 2], [0, 1, 0, 1]]

    Raises:
        InputError: far more pairs than values, as no text has them.
    """
    order = right.argsort(kind="stable")
    low, high = (right[order].searchsorted(left, side) for side in ("left", "right"))
    return _listed(low, high, order, left.size + right.size)


def join_ranges(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Return the positions of all pairs of ranges that overlap, int64 (C,) in each of two arrays.

        >>> [positions.tolist() for positions in join_ranges(np.array([[1, 4], [7, 7]]), np.array([[4, 7], [0, 9]]))]
        [[0, 1, 0, 1], [0, 0, 1, 1]]

    Args:
        left: int64 (N, 2) first and last number of each range.
        right: int64 (M, 2) the same.

    Raises:
        InputError: far more pairs than ranges, as no text has them.
    """
    pairs = []
    for these, those, side in ((left, right, "left"), (right, left, "right")):  # those that begin within these
        order = those[:, 0].argsort(kind="stable")
        first = those[order, 0]
        low, high = first.searchsorted(these[:, 0], side), first.searchsorted(these[:, 1], "right")
        pairs.append(_listed(low, high, order, len(left) + len(right)))
    (i, j), (m, k) = pairs
    return np.append(i, k), np.append(j, m)


def _listed(low: Ints, high: Ints, order: Ints, n_values: int) -> tuple[Ints, Ints]:
    """Pair the n-th value with those that have the places ``low[n]`` to ``high[n]`` in an order."""
    n_pairs = int((high - low).sum())
    if n_pairs > MOST_PAIRS + 100 * n_values:
        raise InputError(
            f"{n_pairs:,} pairs of {n_values:,} mentions are alike; expected fewer repetitions of one mention, "
            "mentions of one head or within each other, or zeros of one parent"
        )
    return np.arange(low.size).repeat(high - low), order[ranges(low, high - low)]


def number_rows(columns: list[Ints]) -> tuple[Ints, Ints]:
    """Number distinct rows of columns from 0: int64 (M,) the rows in order, and int64 (M,) the number of each."""
    order = np.lexsort(columns[::-1])  # takes little time for rows that are almost in order, as mentions are
    starts = np.zeros(order.size, np.bool_)
    starts[run_starts(*[column[order] for column in columns])] = True
    number = np.empty(order.size, np.int64)
    number[order] = np.cumsum(starts) - 1
    return order, number


def pairs_within(labels: Ints) -> int:
    """Return how many pairs of M items have one label, whole numbers from 0, int64 (M,)."""
    sizes = np.bincount(labels)
    return int((sizes * (sizes - 1) // 2).sum())


def narrow(codes: Ints) -> Ints:
    """Replace codes from 0 that are far apart, (N,), by others below `SPREAD` * N: int64 (N,).

    Each is the place of the code in a table of hashes; a code whose place another one took gets one after the table.
    """
    bits = codes.size.bit_length() + 1
    places = (codes.astype(np.uint64) * HASHED >> np.uint64(64 - bits)).astype(np.int64)
    table = np.empty(1 << bits, np.int64)
    table[places] = codes  # of repeated indices, NumPy keeps the last
    lost = table[places] != codes
    places[lost] = table.size + np.unique(codes[lost], return_inverse=True)[1]
    return places


def number_by_appearance(code: Ints, n_codes: int) -> tuple[Ints, Ints]:
    """Number codes in the order in which they first appear.

        >>> [numbers.tolist() for numbers in number_by_appearance(np.array([4, 2, 4]), 5)]
        [[0, 1, 0], [0, 1]]

    Args:
        code: int64 (N,) numbers from 0.
        n_codes: all codes are below.

    Returns:
        int64 (N,) the number of each code; and int64, ascending, the first position of each number.
    """
    positions = np.arange(code.size)
    first = np.empty(n_codes, np.int64)
    first[code[::-1]] = positions[::-1]  # of repeated indices, NumPy keeps the last
    first_of = first[code]
    is_first = first_of == positions
    return (np.cumsum(is_first) - 1)[first_of], np.flatnonzero(is_first)
