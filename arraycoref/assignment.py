"""From cells and their weights to the exact maximum-weight alignment of key and response entities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells, sum_segments
from arraycoref.deadline import check_time

PATIENCE = 4
"""Visits a cell, on average, that searches by shortest paths may take before an auction takes over: 2 are usual on
system output; on a random matrix of a million mentions the searches would need 400."""

PIECE = 1 << 22
"""Cells visited, or bids, between two looks at the clock and at the keyboard."""


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
    left, piece, resumed = patience * weights.size, max(weights.size, PIECE), False
    while not alignment.align(
        cells.key_start, cells.key, cells.response, weights, min(left, piece), resumed, u, v, cell, row,
        cells.key_offsets, totals,
    ):  # fmt: skip
        check_time()
        left, resumed = left - piece, True
        if left <= 0:
            if unit > 0 and weights.max() <= LEVELS * unit and weights.size <= np.iinfo(np.int32).max:
                cell = _align_by_levels(cells, np.rint(weights / unit).astype(np.int32))
            else:
                _align_by_auction(cells, weights, unit, Prices(u, v, cell, row))
            totals = sum_segments(np.append(weights, 0.0)[cell], cells.key_offsets)
            break
    return Alignment(cell, totals)


def _align_by_levels(cells: Cells, weights: NDArray[np.int32]) -> NDArray[np.int64]:
    """Find the alignment by `arraycoref.kernels.levels`; return the cell of each key entity."""
    from arraycoref.kernels import levels

    n_rows = cells.key_size.size
    by_cell, rows = np.empty((weights.size, 2), np.int32), np.empty((n_rows + 1, 4), np.int32)
    columns, queue = np.empty((cells.response_size.size, 4), np.int32), np.empty(n_rows, np.int32)
    level = int(weights.max())
    levels.lay_out(cells.key_start, cells.response, weights, level, by_cell, rows, columns)
    phase = 0
    while level:
        level -= levels.grow_or_fall(phase, by_cell, rows, columns, queue)
        phase += 1
        check_time()
    return rows[:-1, 2].astype(np.int64)


class Prices(NamedTuple):
    """What an auction works on: float64 (A,) profits, float64 (B,) prices, int64 (A,) cells and int64 (B,) rows."""

    profit: NDArray[np.float64]
    price: NDArray[np.float64]
    row_cell: NDArray[np.int64]
    column_row: NDArray[np.int64]


def _align_by_auction(cells: Cells, weights: NDArray[np.float64], unit: float, prices: Prices) -> None:
    """Find the alignment by `arraycoref.kernels.auction`.

    Exact for weights that are multiples of a unit. Otherwise the total is within 1e-13 of the largest weight, a row, of
    the optimum, which is no more than the rounding of the sum itself.
    """
    from arraycoref.kernels import auction

    start, row, column, n_columns = cells.key_start, cells.key, cells.response, prices.price.size
    column_start, cells_of = auction.by_column(column, n_columns)
    rows_of, weights_of = row[cells_of], weights[cells_of]
    queue, ring = np.empty(max(start.size, n_columns + 1), np.int64), np.empty(2, np.int64)
    for array, nothing in zip(prices, (0, 0, -1, -1), strict=True):
        array.fill(nothing)
    largest = float(weights.max(initial=0.0))
    finest = max(1e-13 * largest, 0.5 * unit / start.size)
    epsilon = max(0.25 * largest, finest)
    while largest > 0:
        ring[:] = 0, auction.open_scale(start, column, weights, epsilon, *prices, queue)
        while ring[1]:
            auction.forward(queue, ring, PIECE, start, column, weights, epsilon, *prices)
            check_time()
        ring[:] = 0, auction.queue_columns(prices.price, prices.column_row, queue)
        while ring[1]:
            auction.reverse(queue, ring, PIECE, column_start, cells_of, rows_of, weights_of, column, epsilon, *prices)
            check_time()
        if epsilon <= finest or (unit > 0 and auction.proved(start, column, weights, unit, *prices[1:])):
            return
        epsilon = max(0.1 * epsilon, finest)
