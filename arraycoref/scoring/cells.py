"""Hold the cells of the contingency matrices of key and response entities, and add up what metrics make of them.

The second of three records that scoring makes: labels (`clusterings`), cells (`cells`), sums (`counts`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

BLOCK = 128
"""Number of cells whose values are added up before their sum is added to the total: rounding errors then do not pile
up over many cells. `arraycoref.scoring.metrics.fused` adds in the same order."""

PIECE = 1 << 14
"""Number of cells of a large document whose values are computed at once, so that they stay in the cache."""


class Totals(NamedTuple):
    """Sums over the entities and cells of each document, int64 (D,) each: most metrics need nothing else.

    L(n) = n(n-1)/2 is the number of links among n mentions. Key entity i has k_i mentions, of which the response has
    a_i; response entity j has r_j mentions, of which the key has b_j. The two entities share n_ij mentions.

    Attributes:
        key_mentions: mentions of the key.
        response_mentions: mentions of the response.
        shared_mentions: mentions that both sides have.
        key_links: sum of L(k_i).
        response_links: sum of L(r_j).
        shared_key_links: sum of L(a_i).
        shared_response_links: sum of L(b_j).
        shared_links: sum of L(n_ij).
        shared_singletons: entities of one mention that both sides have.
        key_entities: number of key entities.
        response_entities: number of response entities.
        cells: number of cells.
    """

    key_mentions: Integers
    response_mentions: Integers
    shared_mentions: Integers
    key_links: Integers
    response_links: Integers
    shared_key_links: Integers
    shared_response_links: Integers
    shared_links: Integers
    shared_singletons: Integers
    key_entities: Integers
    response_entities: Integers
    cells: Integers


@dataclass(frozen=True, eq=False)
class Cells:
    """Non-zero cells n_ij of the contingency matrices of D documents; entities are numbered across all documents.

    Attributes:
        shared: int64 (C,) n_ij, mentions that key entity i and response entity j share.
        key: int64 (C,) i of each cell, ascending.
        response: int64 (C,) j of each cell.
        key_size: int64 (A,) k_i, which includes mentions that the response lacks.
        response_size: int64 (B,) r_j.
        offsets: int64 (D+1,) document d owns the cells ``offsets[d]:offsets[d + 1]``.
        key_start: int64 (A+1,) key entity i owns the cells ``key_start[i]:key_start[i + 1]``.
        key_offsets: int64 (D+1,) document bounds of the key entities.
        response_offsets: int64 (D+1,) document bounds of the response entities.
        totals: sums of each document.
        is_large: whether these are the cells of one large document, whose cells may be in any order.
        engine: what made them, and aligns their entities; see `arraycoref.kernels.engine`.
    """

    shared: Integers
    key: Integers
    response: Integers
    key_size: Integers
    response_size: Integers
    offsets: Integers
    key_start: Integers
    key_offsets: Integers
    response_offsets: Integers
    totals: Totals
    is_large: bool = False
    engine: str | None = None

    @cached_property
    def sizes(self) -> Floats:
        """The sizes k_i and r_j of each cell's entities, float64 (2, C)."""
        return np.array([self.key_size[self.key], self.response_size[self.response]], np.float64)

    def sums(self, share: Callable[[Any, Any], Any]) -> Floats:
        """Sum a value of each cell over the cells of each document, once by key and once by response: float64 (2, D).

        Args:
            share: the value, from n_ij and the size k_i or r_j: two arrays, float64 (C,), or two numbers.
        """
        if self.is_large:
            mentions = int(max(self.totals.key_mentions[0], self.totals.response_mentions[0]))  # no sum is larger
            unit, sums = 2.0 ** (62 - mentions.bit_length()), [0, 0]
            for first in range(0, self.shared.size, PIECE):
                shared = self.shared[first : first + PIECE].astype(np.float64)
                for side, size in enumerate(self.sizes[:, first : first + PIECE]):
                    sums[side] += int(np.rint(share(shared, size) * unit).astype(np.int64).sum())
            return np.array([[each / unit] for each in sums])
        shared = self.shared.astype(np.float64)
        return np.array([self._add_up(share(shared, size)) for size in self.sizes])

    def _add_up(self, values: Floats) -> Floats:
        """Add values of cells, block by block, to sums of documents: float64 (D,)."""
        n_cells = np.diff(self.offsets)
        document = np.arange(n_cells.size).repeat(n_cells)
        if n_cells.max(initial=0) <= BLOCK:
            return np.bincount(document, values, n_cells.size).astype(np.float64, copy=False)
        n_blocks = -(-n_cells // BLOCK)
        first = np.cumsum(n_blocks) - n_blocks
        block = first[document] + (np.arange(document.size) - self.offsets[document]) // BLOCK
        in_block = np.bincount(block, values, int(n_blocks.sum()))
        of_blocks = np.arange(n_cells.size).repeat(n_blocks)
        return np.bincount(of_blocks, in_block, n_cells.size).astype(np.float64, copy=False)

    def document(self, d: int) -> Cells:
        """Return the cells of one document."""
        c, k, r = (slice(*bounds[d : d + 2]) for bounds in (self.offsets, self.key_offsets, self.response_offsets))
        key, response = self.key[c] - k.start, self.response[c] - r.start
        key_start = self.key_start[k.start : k.stop + 1] - c.start
        totals = Totals(*[total[d : d + 1] for total in self.totals])
        sizes = self.key_size[k], self.response_size[r]
        return one_document(self.shared[c], key, response, *sizes, key_start, totals, engine=self.engine)


def sum_segments(values: NDArray[np.generic], offsets: Integers) -> Floats:
    """Sum ``values[offsets[d]:offsets[d + 1]]`` for each d: float64 (D,), 0 for an empty segment."""
    sums = np.zeros(offsets.size - 1)
    starts = offsets[:-1]
    if values.size == 0:
        return sums
    filled = starts < offsets[1:]
    if filled.all():
        np.add.reduceat(values, starts, out=sums, dtype=np.float64)
    else:
        sums[filled] = np.add.reduceat(values, starts[filled], dtype=np.float64)
    return sums


def make_cells(
    shared: Integers,
    key: Integers,
    response: Integers,
    key_size: Integers,
    response_size: Integers,
    key_offsets: Integers,
    response_offsets: Integers,
    *,
    is_large: bool = False,
    engine: str | None = None,
) -> Cells:
    """Make the cells of D documents, with their totals; the arguments are attributes of `Cells`."""
    key_start = segment_bounds(np.bincount(key, minlength=key_size.size))
    offsets = key_start[key_offsets]
    of_key = sum_integers(shared, key_start)
    of_response = np.bincount(response, shared, response_size.size).astype(np.int64)
    totals = Totals(
        key_mentions=sum_integers(key_size, key_offsets),
        response_mentions=sum_integers(response_size, response_offsets),
        shared_mentions=sum_integers(shared, offsets),
        key_links=sum_integers(links(key_size), key_offsets),
        response_links=sum_integers(links(response_size), response_offsets),
        shared_key_links=sum_integers(links(of_key), key_offsets),
        shared_response_links=sum_integers(links(of_response), response_offsets),
        shared_links=sum_integers(links(shared), offsets),
        shared_singletons=sum_integers((key_size[key] == 1) & (response_size[response] == 1), offsets),
        key_entities=np.diff(key_offsets),
        response_entities=np.diff(response_offsets),
        cells=np.diff(offsets),
    )
    bounds = offsets, key_start, key_offsets, response_offsets
    return Cells(shared, key, response, key_size, response_size, *bounds, totals, is_large, engine)


def one_document(
    shared: Integers,
    key: Integers,
    response: Integers,
    key_size: Integers,
    response_size: Integers,
    key_start: Integers,
    totals: Totals,
    *,
    engine: str | None = None,
) -> Cells:
    """Make the cells of one document; the arguments are attributes of `Cells`."""
    offsets, key_offsets, response_offsets = (np.array([0, each.size]) for each in (key, key_size, response_size))
    bounds = offsets, key_start, key_offsets, response_offsets
    return Cells(shared, key, response, key_size, response_size, *bounds, totals, engine=engine)


def links(n: Integers) -> Integers:
    """Return the number of links among n mentions, n(n-1)/2, int64 (N,)."""
    return n * (n - 1) >> 1


def sum_integers(values: NDArray[np.int64] | NDArray[np.bool_], offsets: Integers) -> Integers:
    """Sum ``values[offsets[d]:offsets[d + 1]]`` for each d, exactly: int64 (D,)."""
    running = segment_bounds(values)
    return np.diff(running[offsets])


def segment_bounds(sizes: NDArray[np.int64] | NDArray[np.bool_]) -> Integers:
    """Return the bounds (D+1,), from 0, of consecutive segments of the given sizes (D,)."""
    bounds = np.zeros(sizes.size + 1, np.int64)
    sizes.cumsum(out=bounds[1:])
    return bounds


def ranges(start: Integers, length: Integers) -> Integers:
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


def join(ours: Integers, theirs: Integers) -> tuple[Integers, Integers]:
    """Return the places of all pairs of equal values, int64 (C,) in each of two arrays.

    >>> join(np.array([7, 5, 7]), np.array([7, 7, 6]))
    (array([0, 0, 2, 2]), array([0, 1, 0, 1]))
    """
    order = theirs.argsort(kind="stable")
    low, high = (theirs[order].searchsorted(ours, side) for side in ("left", "right"))
    return np.arange(ours.size).repeat(high - low), order[ranges(low, high - low)]


def number_rows(columns: list[Integers]) -> tuple[Integers, Integers]:
    """Number distinct rows of columns from 0: int64 (M,) the rows in order, and int64 (M,) the number of each."""
    order = np.lexsort(columns[::-1])  # takes little time for rows that are almost in order, as mentions are
    is_new = np.zeros(order.size, np.bool_)
    for column in columns:
        is_new[1:] |= column[order[1:]] != column[order[:-1]]
    number = np.empty(order.size, np.int64)
    number[order] = np.cumsum(is_new)
    return order, number
