"""Align the entities of documents by compiled searches, and by an auction where searches would take too long."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from arraycoref.kernels import alignment, auction
from arraycoref.kernels.jit import contiguous, runs
from arraycoref.ragged import Floats, Ints, run_starts
from arraycoref.scoring.alignment import align_alone
from arraycoref.scoring.cells import Cells

PATIENCE = 16
"""Visits for each cell after which the searches by shortest paths give a document up. They take about half as long as
an auction, so that no alignment takes much more than one and a half times the better way. Usual output needs less than
2, one with 90 % noise less than 16, and random labels need hundreds."""

COARSEST = 0.05
"""Epsilon of the auction's first scale, as a fraction of the largest weight. If the result is below a half, that is
used: on random matrices of small weights, this takes a third of the bids."""

FINER = 0.1
"""Factor by which epsilon is multiplied from scale to scale; with 0.02, some random matrices take thrice the bids."""

FIRST_TRIES, MOST_TRIED, FEW = (0.03, 0.006), 32, 1 << 20
"""First tries, where all weights are below `FEW`. The searches leave prices, and rows that still wait: with these
prices the rows bid with each epsilon of `FIRST_TRIES`, before any scale is tried. A try has failed after
`MOST_TRIED` bids per row. On random matrices one of the tries mostly ends with proved prices, in a tenth to two thirds
of the time that scales take."""

SETTLED, DARING = 3, 4
"""Numbers of bids per row. After a scale of fewer than `SETTLED` bids, which changed little, the finest scale is tried
next. That try has failed after `DARING` bids by either side, since some matrices would take thousands. Where it does
not fail, it saves a quarter to half of the time."""

FINEST = 2e-15
"""Epsilon of the last scale, as a fraction of the largest weight, if that is above 1 / (2 A). It is some nine times
the distance between prices that floating-point numbers tell apart; a smaller one could leave a bid without effect."""

LOWERED, ROUNDS = 1 << 10, 1_000
"""The proof that an alignment has the largest total begins with prices that are lower than the auction's by `LOWERED`,
and raises them in at most `ROUNDS` rounds; random matrices of 3 * 10^5 mentions need up to 60, which takes two to three
times as long as the auction. Searches take up to 8 s for one of 10^5, where an auction and its proof take 0.1 s."""

UNLIMITED = 1 << 28
"""Patience that no search of a matrix that fits the memory uses up."""

MOST_CELLS = 1 << 32
"""Number of cells from which a matrix is too large for the auction, which keeps a partner and its first cell in the two
halves of a 64-bit number."""


class Searched(NamedTuple):
    """The state of the searches by `arraycoref.kernels.alignment`: potentials, and which entities are aligned.

    Attributes:
        u: float64 (A,) potentials of the key entities.
        v: float64 (B,) potentials of the response entities.
        cell: int64 (A,) cell of each key entity and the response entity it is aligned with, -1 where it is unaligned.
        row: int64 (B,) the key entity that each response entity is aligned with, -1 where it is free.
        total: float64 (D,) the summed weight per document, nan where searches would take too long.
        floats: float64 (2, N) scratch, N at least A, B and the number of cells.
        ints: int64 (6, N + 1) scratch. Arrays that NumPy allocates use large pages of memory, with which the searches
            take two thirds of the time.
    """

    u: Floats
    v: Floats
    cell: Ints
    row: Ints
    total: Floats
    floats: Floats
    ints: Ints

    @classmethod
    def of(cls, cells: Cells) -> Searched:
        """Allocate the arrays for the entities of some cells."""
        n_rows, n_columns = cells.key_size.size, cells.response_size.size
        most = max(n_rows, n_columns, cells.key.size)
        return cls(
            np.empty(n_rows),
            np.zeros(n_columns),
            np.empty(n_rows, np.int64),
            np.empty(n_columns, np.int64),
            np.empty(cells.offsets.size - 1),
            np.empty((2, most)),
            np.empty((6, most + 1), np.int64),
        )


class BidderSide(NamedTuple):
    """The N rows or the N columns of an auction: the two sides bid in turn. See `arraycoref.kernels.auction`.

    Attributes:
        start: int64 (N+1,) row or column i owns the cells ``start[i]:start[i + 1]``, in the order of this side.
        weight: float64 (C, 2) weights of the cells, in the first column.
        link: int64 (C, 2) column or row of each cell on the other side, in the second column of the memory of
            ``weight``.
        price: float64 (N, 2) prices, in the first column.
        partner: int64 (N, 2) partners, in the second column of the memory of ``price``.
    """

    start: Ints
    weight: Floats
    link: Ints
    price: Floats
    partner: Ints

    @classmethod
    def alone(cls, start: Ints, n_cells: int) -> BidderSide:
        """Make a side without partners and with prices of 0; its cells are still to be laid out."""
        weight, price = np.empty((n_cells, 2)), np.zeros((start.size - 1, 2))
        partner = price.view(np.int64)
        partner[:, 1] = -1
        return cls(start, weight, weight.view(np.int64), price, partner)


@runs(alignment.align)
def align(cells: Cells, weights: Floats, patience: int = PATIENCE) -> Ints:
    """Align the entities of D documents: the fast twin of `arraycoref.scoring.alignment.align`.

    Args:
        cells: contingency cells of D documents.
        weights: float64 (C,) a weight per cell: whole numbers from 0.
        patience: visits for each cell after which the searches give a document up; below 0 to give up at once.
    """
    if weights.size >= MOST_CELLS:
        patience = UNLIMITED
    state = Searched.of(cells)
    u, v, cell, row, total, floats, ints = state
    matrix = contiguous(cells.key_start), contiguous(cells.key), contiguous(cells.response)
    values, bounds = contiguous(weights, np.float64), contiguous(cells.key_offsets)
    if alignment.align(*matrix, values, patience, u, v, cell, row, bounds, total, floats, ints):
        return cell
    if total.size == 1:
        by_auction = align_by_auction(cells, weights, state)
        return align(cells, weights, UNLIMITED) if by_auction is None else by_auction
    align_alone(partial(align, patience=patience), cells, weights, np.flatnonzero(np.isnan(total)).tolist(), cell)
    return cell


def align_by_auction(cells: Cells, weights: Floats, state: Searched) -> Ints | None:
    """Find the alignment by `arraycoref.kernels.auction`; return the cell of each key entity.

    None if prices do not prove that its total weight is the largest: rounding may leave a bid undone.

    Args:
        cells: contingency cells of one document, fewer than `MOST_CELLS`.
        weights: float64 (C,) a weight per cell: whole numbers from 0.
        state: state that the searches left.
    """
    rows = BidderSide.alone(cells.key_start, weights.size)
    columns = BidderSide.alone(np.zeros(cells.response_size.size + 1, np.int64), weights.size)
    auction.lay_out_rows(cells.key_start, cells.response, weights, rows.weight, rows.link)
    auction.lay_out_columns(cells.key_start, cells.response, weights, columns.start, columns.weight, columns.link)
    queue, n_rows = np.empty(max(rows.start.size, columns.start.size), np.int64), cells.key_size.size
    largest = float(weights.max(initial=0.0))
    for epsilon in FIRST_TRIES if largest < FEW else ():
        _resume(cells, state, rows, columns)
        _, ended = _pass_scale(rows, columns, epsilon, queue, MOST_TRIED * n_rows)
        if ended and _is_proved(cells, weights, rows, columns):
            return _aligned_cells(cells, rows)
    for side in rows, columns:
        side.price[:, 0], side.partner[:, 1] = 0.0, -1
    finest = max(FINEST * largest, 0.5 / rows.start.size)
    epsilon = coarsest = passed = max(COARSEST * largest, 0.5, finest)
    dares = False
    while largest > 0:
        bids, ended = _pass_scale(rows, columns, epsilon, queue, DARING * n_rows if dares else None)
        if ended and _is_proved(cells, weights, rows, columns):
            return _aligned_cells(cells, rows)
        if ended and epsilon <= finest:
            break
        passed = epsilon if ended else passed
        dares = ended and epsilon < coarsest and bids < SETTLED * n_rows
        epsilon = finest if dares else max(FINER * passed, finest)
    cell = _aligned_cells(cells, rows)
    return cell if _has_prices(cells, weights, cell, columns.price[:, 0]) else None


def _resume(cells: Cells, state: Searched, rows: BidderSide, columns: BidderSide) -> None:
    """Set the partners and prices of rows and columns to those that the searches left."""
    rows.price[:, 0], columns.price[:, 0] = state.u, state.v
    row, cell = np.maximum(state.row, 0), np.maximum(state.cell, 0)
    columns.partner[:, 1] = np.where(state.row < 0, -1, row << 32 | rows.start[row])
    column = cells.response[cell]
    rows.partner[:, 1] = np.where(state.cell < 0, -1, column << 32 | columns.start[column])


def _aligned_cells(cells: Cells, rows: BidderSide) -> Ints:
    """Return the cell that each row and its partner share, -1 where a row has no partner."""
    column = rows.partner[:, 1] >> 32  # the lower half is its first cell
    aligned = np.flatnonzero(cells.response == column[cells.key])
    cell = np.full(column.size, -1)
    cell[cells.key[aligned]] = aligned
    return cell


def _is_proved(cells: Cells, weights: Floats, rows: BidderSide, columns: BidderSide) -> bool:
    """Return whether the prices, rounded to whole numbers, prove that no alignment has a larger weight."""
    price = np.rint(columns.price[:, 0])
    profit = weights - price[cells.response]
    own = np.append(profit, 0.0)[_aligned_cells(cells, rows)]
    return bool(
        ((price <= 0) | (columns.partner[:, 1] >= 0)).all() and (own >= 0).all() and (profit <= own[cells.key]).all()
    )


def _has_prices(cells: Cells, weights: Floats, cell: Ints, price: Floats) -> bool:
    """Return whether whole prices near to some others are found that prove that no alignment has a larger weight.

    An aligned row keeps its weight less the price of its column. Prices prove the alignment if no row keeps less than
    another cell would leave it, or than 0, and if free columns cost 0. Prices are raised until the first is so.

    Args:
        cells: contingency cells of one document.
        weights: float64 (C,) a weight per cell, whole numbers.
        cell: int64 (A,) the cell of each key entity's alignment, -1 where it is unaligned.
        price: float64 (B,) prices of the response entities.
    """
    aligned = np.flatnonzero(cell >= 0)
    column = np.full(cell.size, price.size)  # unaligned rows have a column behind the last one, which costs 0
    column[aligned] = cells.response[cell[aligned]]
    own, highest = np.zeros(cell.size), np.zeros(price.size + 1)
    own[aligned] = highest[column[aligned]] = weights[cell[aligned]]
    lowered = np.maximum(np.floor(np.append(price, 0.0)) - LOWERED, 0.0)
    whole = np.minimum(lowered, highest)
    order = np.argsort(cells.response, kind="stable")
    more = (weights - own[cells.key])[order]  # than the row has from its own cell
    by, starts = column[cells.key[order]], run_starts(cells.response[order])
    wanted = cells.response[order[starts]]
    for _ in range(ROUNDS):
        least = np.maximum.reduceat(more + whole[by], starts)
        if (least <= whole[wanted]).all():
            return True
        whole[wanted] = np.maximum(whole[wanted], least)
        if (whole > highest).any():
            return False
    return False


def _pass_scale(
    rows: BidderSide, columns: BidderSide, epsilon: float, queue: Ints, most: int | None
) -> tuple[int, bool]:
    """Let rows that are not within ``epsilon`` of the best bid, then columns; at most ``most`` bids on each side.

    Return the number of bids, and whether no bidder is left waiting.
    """
    ring = np.array([0, auction.open_scale(rows, columns, epsilon, queue)])
    bids = _bid(rows, columns, epsilon, -np.inf, queue, ring, most)
    if not ring[1]:
        idle = np.flatnonzero((columns.partner[:, 1] < 0) & (columns.price[:, 0] > 0))
        queue[: idle.size] = idle << auction.HALF | columns.start[idle]
        ring[:] = 0, idle.size
        bids += _bid(columns, rows, epsilon, 0.0, queue, ring, most)
    return bids, not ring[1]


def _bid(
    bidders: BidderSide,
    wanted: BidderSide,
    epsilon: float,
    least: float,
    queue: Ints,
    ring: Ints,
    most: int | None,
) -> int:
    """Let the bidders in the queue bid until it is empty or ``most`` is reached; return the number of bids."""
    limit = np.iinfo(np.int64).max if most is None else most
    bids = auction.bid(queue, ring, limit, bidders, wanted, epsilon, least) if ring[1] and limit > 0 else 0
    if bids:
        auction.hand_over(bidders, wanted)
    return bids
