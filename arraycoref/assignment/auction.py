"""Lead an auction through its scales."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells
from arraycoref.deadline import check_time

COARSEST = 0.05
"""Epsilon of an auction's first scale, in largest weights."""

FINER = 0.1
"""What each further scale multiplies it by; with a fiftieth, some random matrices take three times the bids."""

SETTLED = 2
"""Bids a row below which a scale has changed little; the next is finer by `FINER` twice."""

MOST = 1 << 32
"""Cells of which a matrix must have fewer, for a partner and its first cell to fit one number."""


class Side(NamedTuple):
    """Rows or columns in an auction, N of them, which bid and are bid for in turn; see `arraycoref.kernels.auction`.

    Attributes:
        start: int64 (N+1,) each owns the cells ``start[i]:start[i + 1]``, in an order of this side.
        weight: float64 (C, 2) weights of the cells, in the first column.
        link: int64 (C, 2) what is on the other side of them, in the second column of the same memory.
        price: float64 (N, 2) prices, in the first column.
        partner: int64 (N, 2) partners, in the second column of the same memory.
    """

    start: NDArray[np.int64]
    weight: NDArray[np.float64]
    link: NDArray[np.int64]
    price: NDArray[np.float64]
    partner: NDArray[np.int64]

    @classmethod
    def alone(cls, start: NDArray[np.int64], n_cells: int) -> Side:
        """Nobody has a partner, nothing costs anything; the cells are still to be laid out."""
        weight, price = np.empty((n_cells, 2)), np.zeros((start.size - 1, 2))
        partner = price.view(np.int64)
        partner[:, 1] = -1
        return cls(start, weight, weight.view(np.int64), price, partner)


def align_by_auction(cells: Cells, weights: NDArray[np.float64], unit: float, piece: int) -> NDArray[np.int64]:
    """Find the alignment by `arraycoref.kernels.auction`; return the cell of each key entity.

    Exact for weights that are multiples of a unit. Otherwise the total is within 1e-13 of the largest weight, a row, of
    the optimum, which is no more than the rounding of the sum itself.

    Args:
        cells: contingency cells, fewer than `MOST`.
        weights: float64 (C,) a weight a cell, none negative.
        unit: number of which all weights are multiples, 0 if there is none.
        piece: bids between two looks at the clock.
    """
    from arraycoref.kernels import auction

    rows = Side.alone(cells.key_start, weights.size)
    columns = Side.alone(np.zeros(cells.response_size.size + 1, np.int64), weights.size)
    auction.lay_out_rows(cells.key_start, cells.response, weights, rows.weight, rows.link)
    auction.lay_out_columns(cells.key_start, cells.response, weights, columns.start, columns.weight, columns.link)
    queue, ring = np.empty(max(rows.start.size, columns.start.size), np.int64), np.empty(2, np.int64)
    row_cell = np.empty(cells.key_size.size, np.int64)
    largest = float(weights.max(initial=0.0))
    finest = max(1e-13 * largest, 0.5 * unit / rows.start.size)
    epsilon = max(COARSEST * largest, finest)
    while largest > 0:
        ring[:] = 0, auction.open_scale(*rows[:3], epsilon, rows.partner, columns.price, columns.partner, queue)
        bids = _bid(rows, columns, epsilon, -np.inf, queue, ring, piece)
        ring[:] = 0, auction.queue_idle(columns.start, columns.price, columns.partner, queue)
        bids += _bid(columns, rows, epsilon, 0.0, queue, ring, piece)
        if epsilon <= finest or (
            unit > 0 and auction.proved(*rows[:3], unit, rows.partner, columns.price, columns.partner)
        ):
            break
        settled = epsilon < COARSEST * largest and bids < SETTLED * row_cell.size
        epsilon = max((FINER**2 if settled else FINER) * epsilon, finest)
    auction.aligned_cells(rows.start, rows.link, rows.partner, row_cell)
    return row_cell


def _bid(
    bidders: Side,
    wanted: Side,
    epsilon: float,
    least: float,
    queue: NDArray[np.int64],
    ring: NDArray[np.int64],
    piece: int,
) -> int:
    """Let the bidders in the queue bid until it is empty, and tell their side; return how many bids that took."""
    from arraycoref.kernels import auction

    start, weight, link, price, partner = bidders
    bids = 0
    while ring[1]:
        bids += auction.bid(queue, ring, piece, weight, link, epsilon, least, wanted.price, wanted.partner)
        check_time()
    auction.hand_over(wanted.price, wanted.partner, start, wanted.start, weight, link, price, partner)
    return bids
