"""From cells and their weights to the exact maximum-weight alignment of key and response entities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells, sum_segments
from arraycoref.deadline import check_time

PATIENCE = 4
"""Visits a cell, on average, that searches by shortest paths may take before an auction takes over: less than 1 is
usual on system output; on a random matrix of a million mentions the searches would need 400."""

FEW = 0.05
"""Share of the key entities that may still wait after a piece of the searches for these to go on. Where half of a large
document's mentions are in random entities, none wait after two visits a cell."""

PIECE = 1 << 22
"""Bids between two looks at the clock and at the keyboard; single searches visit each cell, or a sixteenth of this."""

COARSEST = 0.05
"""Epsilon of an auction's first scale, in largest weights."""

FINER = 0.1
"""What each further scale multiplies it by; with a fiftieth, some random matrices take three times the bids."""

SETTLED = 2
"""Bids a row below which a scale has changed little; the next is finer by `FINER` twice."""

LEVELS = 8
"""Largest weight, in units, for which whole levels of weight are searched at once where single searches grow long: on
random matrices that is faster than an auction by a factor of two at 10^5 cells of weight 1, and of ten at 10^6."""


class Alignment(NamedTuple):
    """A one-to-one alignment of the largest total weight.

    Attributes:
        cell: int64 (A,) the cell that each key entity is aligned by, -1 where it is unaligned.
        total: float64 (D,) the summed weight a document.
    """

    cell: NDArray[np.int64]
    total: NDArray[np.float64]


def align(cells: Cells, weights: NDArray[np.float64], unit: float = 0.0, patience: int = PATIENCE) -> Alignment:
    """Align the entities of each document one to one so that the weights of the aligned cells sum to the most.

    Exact, on the sparse cells: shortest augmenting paths, one search a key entity; where these would grow long, many
    searches at once for small whole weights, and an auction for others. Among alignments of equal weight any may be
    returned.

    Args:
        cells: contingency cells of D documents.
        weights: float64 (C,) a weight a cell, none negative; pairs of entities without a cell weigh nothing.
        unit: number of which all weights are multiples, 0 if there is none.
        patience: visits a cell, on average, of single searches; below 0 for none.
    """
    from arraycoref.kernels import alignment

    n_rows, n_columns = cells.key_size.size, cells.response_size.size
    u, v = np.empty(n_rows), np.empty(n_columns)
    cell, row = np.empty(n_rows, np.int64), np.empty(n_columns, np.int64)
    totals = np.empty(len(cells))
    left, piece, resumed = patience * weights.size, max(weights.size, PIECE // 16), False
    while not alignment.align(
        cells.key_start, cells.key, cells.response, weights, min(left, piece), resumed, u, v, cell, row,
        cells.key_offsets, totals,
    ):  # fmt: skip
        check_time()
        left, resumed = left - piece, True
        if left <= 0 or np.count_nonzero((cell < 0) & (u > 0)) > FEW * n_rows:
            if unit > 0 and weights.max() <= LEVELS * unit and weights.size <= np.iinfo(np.int32).max:
                cell = _align_by_levels(cells, np.rint(weights / unit).astype(np.int32))
            else:
                cell = _align_by_auction(cells, weights, unit)
            totals = sum_segments(np.append(weights, 0.0)[cell], cells.key_offsets)
            break
    return Alignment(cell, totals)


def _align_by_levels(cells: Cells, weights: NDArray[np.int32]) -> NDArray[np.int64]:
    """Find the alignment by `arraycoref.kernels.levels`; return the cell of each key entity."""
    from arraycoref.kernels import levels

    n_rows = cells.key_size.size
    by_cell, rows = np.empty((weights.size, 2), np.int32), np.empty((n_rows + 1, 4), np.int32)
    columns, queue = np.empty((cells.response_size.size, 4), np.int32), np.empty((n_rows, 2), np.int32)
    level = int(weights.max())
    levels.lay_out(cells.key_start, cells.response, weights, level, by_cell, rows, columns)
    phase = 0
    while level:
        level -= levels.grow_or_fall(phase, by_cell, rows, columns, queue)
        phase += 1
        check_time()
    return rows[:-1, 2].astype(np.int64)


class Side(NamedTuple):
    """Rows or columns in an auction, N of them, which bid and are bid for in turn.

    Attributes:
        start: int64 (N+1,) each owns the cells ``start[i]:start[i + 1]``.
        other: int64 (C,) what is on the other side of each cell.
        weight: float64 (C,) weight of each cell.
        price: float64 (N, 2) prices, in the first column.
        partner: int64 (N, 2) partners, in the second column of the same memory.
    """

    start: NDArray[np.int64]
    other: NDArray[np.int64]
    weight: NDArray[np.float64]
    price: NDArray[np.float64]
    partner: NDArray[np.int64]

    @classmethod
    def alone(cls, start: NDArray[np.int64], other: NDArray[np.int64], weight: NDArray[np.float64]) -> Side:
        """Nobody has a partner, nothing costs anything."""
        price = np.zeros((start.size - 1, 2))
        partner = price.view(np.int64)
        partner[:, 1] = -1
        return cls(start, other, weight, price, partner)


def _align_by_auction(cells: Cells, weights: NDArray[np.float64], unit: float) -> NDArray[np.int64]:
    """Find the alignment by `arraycoref.kernels.auction`; return the cell of each key entity.

    Exact for weights that are multiples of a unit. Otherwise the total is within 1e-13 of the largest weight, a row, of
    the optimum, which is no more than the rounding of the sum itself.
    """
    from arraycoref.kernels import auction

    rows = Side.alone(cells.key_start, cells.response, weights)
    start, by_column = auction.by_column(cells.response, cells.response_size.size)
    columns = Side.alone(start, cells.key[by_column], weights[by_column])
    del by_column
    queue, ring = np.empty(max(rows.start.size, columns.start.size), np.int64), np.empty(2, np.int64)
    row_cell = np.empty(cells.key_size.size, np.int64)
    largest = float(weights.max(initial=0.0))
    finest = max(1e-13 * largest, 0.5 * unit / rows.start.size)
    epsilon = max(COARSEST * largest, finest)
    while largest > 0:
        ring[:] = 0, auction.open_scale(*rows[:3], epsilon, rows.partner, columns.price, columns.partner, queue)
        bids = _bid(rows, columns, epsilon, -np.inf, queue, ring)
        ring[:] = 0, auction.queue_idle(columns.price, columns.partner, queue)
        bids += _bid(columns, rows, epsilon, 0.0, queue, ring)
        if epsilon <= finest or (
            unit > 0 and auction.proved(*rows[:3], unit, rows.partner, columns.price, columns.partner)
        ):
            break
        settled = epsilon < COARSEST * largest and bids < SETTLED * row_cell.size
        epsilon = max((FINER**2 if settled else FINER) * epsilon, finest)
    auction.aligned_cells(rows.start, rows.other, rows.partner, row_cell)
    return row_cell


def _bid(
    bidders: Side, wanted: Side, epsilon: float, least: float, queue: NDArray[np.int64], ring: NDArray[np.int64]
) -> int:
    """Let the bidders in the queue bid until it is empty, and tell their side; return how many bids that took."""
    from arraycoref.kernels import auction

    start, other, weight, price, partner = bidders
    bids = 0
    while ring[1]:
        bids += auction.bid(queue, ring, PIECE, start, other, weight, epsilon, least, wanted.price, wanted.partner)
        check_time()
    auction.hand_over(wanted.price, wanted.partner, start, other, weight, price, partner)
    return bids
