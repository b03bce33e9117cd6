"""Find the exact maximum-weight alignment of key and response entities, from cells and their weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells, sum_segments
from arraycoref.deadline import check_time

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PATIENCE = 8
"""Largest number of further visits per cell that the searches in a document may need, as estimated after each visit;
with more, the auction takes over. Usually they need less than 1 on system output. On random matrices of 10^3 to 10^7
mentions, some take twice the time with 4; with 20, matrices of noise alone take up to a quarter longer."""

PIECE = 1 << 22
"""Number of bids between two checks of the time limit and of Ctrl-C; the searches in one document check after each
visit per cell."""

COARSEST = 0.05
"""Epsilon of the auction's first scale, as a share of the largest weight. If that is less than half a unit, epsilon is
half a unit, which takes a third of the bids on random matrices."""

FINER = 0.1
"""Factor between the epsilons of successive scales; with 0.02, some random matrices take three times the bids."""

FIRST_TRIES, MOST_TRIED = (0.03, 0.006), 32
"""If weights are multiples of a unit, the rows that still wait first bid with these epsilons, in units, from the prices
of the searches; a try fails after so many bids per row. On random matrices, one of the tries mostly ends with prices
that prove the optimum, in a tenth to two thirds of the time that scales take."""

SETTLED, DARING = 3, 4
"""After a scale with fewer than SETTLED bids per row, the next scale is the finest one. It fails after DARING bids per
row of each side, because some matrices would take thousands. If it succeeds, this saves a quarter to a half."""

MOST_CELLS = 1 << 32
"""A matrix must have fewer cells for the auction: a partner and its first cell are stored in one 64-bit number."""


class Alignment(NamedTuple):
    """A one-to-one alignment of the largest total weight.

    Attributes:
        cell: int64 (A,) the cell of each key entity's alignment, -1 if it is unaligned.
        total: float64 (D,) the total weight of each document.
    """

    cell: Integers
    total: Floats


class Searched(NamedTuple):
    """State of the searches of `arraycoref.kernels.alignment`: potentials, and which entities are aligned.

    Attributes:
        u: float64 (A,) potentials of the key entities.
        v: float64 (B,) potentials of the response entities.
        cell: int64 (A,) the cell of each key entity's alignment, -1 if it is unaligned.
        row: int64 (B,) the key entity that each response entity is aligned with, -1 if it is free.
        total: float64 (D,) the total weight of each document, nan if its searches would take too long.
        floats: float64 (2, at least A, B and C) scratch.
        ints: int64 (6, more than A, B and C) scratch. NumPy allocates large arrays in large pages, with which the
            searches take two thirds of the time.
    """

    u: Floats
    v: Floats
    cell: Integers
    row: Integers
    total: Floats
    floats: Floats
    ints: Integers

    @classmethod
    def of(cls, cells: Cells) -> Searched:
        """Allocate the arrays for some cells and their entities."""
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


class Side(NamedTuple):
    """The N rows, or the N columns, of an auction; the two sides bid in turn. See `arraycoref.kernels.auction`.

    Attributes:
        start: int64 (N+1,) row or column i owns the cells ``start[i]:start[i + 1]``, in this side's order of cells.
        weight: float64 (C, 2) the weight of each cell, in the first column.
        link: int64 (C, 2) the column or row of each cell on the other side, in the second column; the same memory as
            ``weight``.
        price: float64 (N, 2) prices, in the first column.
        partner: int64 (N, 2) partners, in the second column; the same memory as ``price``.
    """

    start: Integers
    weight: Floats
    link: Integers
    price: Floats
    partner: Integers

    @classmethod
    def alone(cls, start: Integers, n_cells: int) -> Side:
        """Make a side without partners and with prices of 0; its cells are not written yet."""
        weight, price = np.empty((n_cells, 2)), np.zeros((start.size - 1, 2))
        partner = price.view(np.int64)
        partner[:, 1] = -1
        return cls(start, weight, weight.view(np.int64), price, partner)


def align(cells: Cells, weights: Floats, unit: float = 0.0, patience: int = PATIENCE) -> Alignment:
    """Align the entities of each document one to one, with the largest total weight of the aligned cells.

    The alignment is exact, and works on the sparse cells: with shortest augmenting paths, one search per key entity; or
    with an auction, for a document whose searches take too long. Among alignments of equal weight any may be returned.

    Args:
        cells: contingency cells of D documents.
        weights: float64 (C,) the weight of each cell, none negative; pairs of entities without a cell have weight 0.
        unit: a number of which all weights are multiples, 0 if there is none.
        patience: see `PATIENCE`; below 0 for the auction at once.
    """
    if cells.offsets.size == 2:
        return _align_one(cells, weights, unit, patience)
    state = Searched.of(cells)
    if _search(cells, weights, patience, -1, state):
        for d in np.flatnonzero(np.isnan(state.total)).tolist():
            rows, places = slice(*cells.key_offsets[d : d + 2]), slice(*cells.offsets[d : d + 2])
            alone = _align_one(cells.document(d), weights[places], unit, patience)
            state.cell[rows] = np.where(alone.cell < 0, -1, alone.cell + places.start)
            state.total[d] = alone.total[0]
    return Alignment(state.cell, state.total)


def _align_one(cells: Cells, weights: Floats, unit: float, patience: int) -> Alignment:
    """Align one document's entities: with searches, until they would take too long, and then with the auction."""
    if weights.size >= MOST_CELLS:
        patience = np.iinfo(np.int64).max
    state = Searched.of(cells)
    n_waiting = -1
    while n_waiting:
        n_waiting = _search(cells, weights, patience, n_waiting, state)
        check_time()
        if np.isnan(state.total[0]):
            cell = align_by_auction(cells, weights, unit, state)
            return Alignment(cell, sum_segments(np.append(weights, 0.0)[cell], np.array([0, cell.size])))
    return Alignment(state.cell, state.total)


def _search(cells: Cells, weights: Floats, patience: int, n_waiting: int, state: Searched) -> int:
    """Continue the searches from a state in which ``n_waiting`` rows wait, -1 at first; return how many still wait."""
    from arraycoref.kernels import alignment

    matrix = cells.key_start, cells.key, cells.response
    u, v, cell, row, total, floats, ints = state
    found = alignment.align(
        *(*matrix, weights, patience, n_waiting, u, v, cell, row, cells.key_offsets, total, floats, ints)
    )
    return int(found)


def align_by_auction(cells: Cells, weights: Floats, unit: float, state: Searched) -> Integers:
    """Find the alignment with `arraycoref.kernels.auction`; return the cell of each key entity.

    The result is exact if the weights are multiples of a unit. Otherwise the total is below the optimum by at most
    1e-13 times the largest weight for each row, which is not more than the rounding of the sum itself.

    Args:
        cells: contingency cells, fewer than `MOST_CELLS`.
        weights: float64 (C,) the weight of each cell, none negative.
        unit: a number of which all weights are multiples, 0 if there is none.
        state: the state in which the searches ended.
    """
    from arraycoref.kernels import auction

    rows = Side.alone(cells.key_start, weights.size)
    columns = Side.alone(np.zeros(cells.response_size.size + 1, np.int64), weights.size)
    auction.lay_out_rows(cells.key_start, cells.response, weights, rows.weight, rows.link)
    auction.lay_out_columns(cells.key_start, cells.response, weights, columns.start, columns.weight, columns.link)
    queue, n_rows = np.empty(max(rows.start.size, columns.start.size), np.int64), cells.key_size.size
    for part in FIRST_TRIES if unit > 0 else ():
        _resume(cells, state, rows, columns)
        _, ended = _pass_scale(rows, columns, part * unit, queue, MOST_TRIED * n_rows)
        if ended and _is_proved(cells, weights, unit, rows, columns):
            return _aligned_cells(cells, rows)
    for side in rows, columns:
        side.price[:, 0], side.partner[:, 1] = 0.0, -1
    largest = float(weights.max(initial=0.0))
    finest = max(1e-13 * largest, 0.5 * unit / rows.start.size)
    epsilon = coarsest = passed = max(COARSEST * largest, 0.5 * unit, finest)
    dares = False
    while largest > 0:
        bids, ended = _pass_scale(rows, columns, epsilon, queue, DARING * n_rows if dares else None)
        if ended and (epsilon <= finest or (unit > 0 and _is_proved(cells, weights, unit, rows, columns))):
            break
        passed = epsilon if ended else passed
        dares = ended and epsilon < coarsest and bids < SETTLED * n_rows
        epsilon = finest if dares else max(FINER * passed, finest)
    return _aligned_cells(cells, rows)


def _resume(cells: Cells, state: Searched, rows: Side, columns: Side) -> None:
    """Copy partners and prices from the state of the searches to rows and columns."""
    rows.price[:, 0], columns.price[:, 0] = state.u, state.v
    row, cell = np.maximum(state.row, 0), np.maximum(state.cell, 0)
    columns.partner[:, 1] = np.where(state.row < 0, -1, row << 32 | rows.start[row])
    column = cells.response[cell]
    rows.partner[:, 1] = np.where(state.cell < 0, -1, column << 32 | columns.start[column])


def _aligned_cells(cells: Cells, rows: Side) -> Integers:
    """Return the cell that each row and its partner share, -1 where a row has no partner."""
    column = rows.partner[:, 1] >> 32  # the lower half is the column's first cell
    aligned = np.flatnonzero(cells.response == column[cells.key])
    cell = np.full(column.size, -1)
    cell[cells.key[aligned]] = aligned
    return cell


def _is_proved(cells: Cells, weights: Floats, unit: float, rows: Side, columns: Side) -> bool:
    """Return whether prices rounded to multiples of ``unit`` prove that no alignment weighs more."""
    price = np.rint(columns.price[:, 0] / unit) * unit
    profit = weights - price[cells.response]
    own = np.append(profit, 0.0)[_aligned_cells(cells, rows)]
    return bool(
        ((price <= 0) | (columns.partner[:, 1] >= 0)).all() and (own >= 0).all() and (profit <= own[cells.key]).all()
    )


def _pass_scale(rows: Side, columns: Side, epsilon: float, queue: Integers, most: int | None) -> tuple[int, bool]:
    """Let all rows bid whose profit is not within epsilon of their best, and then columns; at most ``most`` bids each.

    Return the number of bids, and whether the scale was finished.
    """
    from arraycoref.kernels import auction

    ring = np.array([0, auction.open_scale(rows, columns, epsilon, queue)])
    bids = _bid(rows, columns, epsilon, -np.inf, queue, ring, most)
    if not ring[1]:
        idle = np.flatnonzero((columns.partner[:, 1] < 0) & (columns.price[:, 0] > 0))
        queue[: idle.size] = idle << auction.HALF | columns.start[idle]
        ring[:] = 0, idle.size
        bids += _bid(columns, rows, epsilon, 0.0, queue, ring, most)
    return bids, not ring[1]


def _bid(
    bidders: Side, wanted: Side, epsilon: float, least: float, queue: Integers, ring: Integers, most: int | None
) -> int:
    """Let the bidders in the queue bid until it is empty, and update their side; return the number of bids."""
    from arraycoref.kernels import auction

    bids = 0
    while ring[1] and (most is None or bids < most):
        piece = PIECE if most is None else min(PIECE, most - bids)
        bids += auction.bid(queue, ring, piece, bidders, wanted, epsilon, least)
        check_time()
    if bids:
        auction.hand_over(bidders, wanted)
    return bids
