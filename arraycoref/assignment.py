"""From cells and their weights to the exact maximum-weight alignment of key and response entities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells, sum_segments
from arraycoref.deadline import check_time

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PATIENCE = 8
"""Visits per cell, on average, that searches by shortest paths may still need in a document, at the pace of the last
one, before it is left: less than 1 is usual on system output. On random matrices of 10^3 to 10^7 mentions, with 4 some
take twice the time, and 20 takes up to a quarter longer where all mentions are noise."""

PIECE = 1 << 22
"""Bids between two checks of the clock and the keyboard; searches in one document visit each cell once in between."""

COARSEST = 0.05
"""Epsilon of the auction's first scale, in largest weights; half a unit where weights are a few units, which takes a
third of the bids on random matrices."""

FINER = 0.1
"""Factor by which each further scale is finer; with a fiftieth, some random matrices take three times the bids."""

FIRST_TRIES, MOST_TRIED = (0.03, 0.006), 32
"""Epsilons, in units, with which the rows that searches leave waiting bid for whole weights, from the searches' prices;
and bids per row after which a try has failed. On random matrices one of them mostly ends with proved prices, in a tenth
to two thirds of the time that scales take."""

SETTLED, DARING = 3, 4
"""Bids per row below which a scale has changed so little that the finest is tried next; and those of each side after
which that one has failed: some matrices would take thousands. Where it does not, this saves a quarter to half."""

MOST_CELLS = 1 << 32
"""Cells of which a matrix must have fewer for the auction: a partner and its first cell are kept in one number."""


class Alignment(NamedTuple):
    """A one-to-one alignment of the largest total weight.

    Attributes:
        cell: int64 (A,) the cell that each key entity is aligned by, -1 where it is unaligned.
        total: float64 (D,) the summed weight per document.
    """

    cell: Integers
    total: Floats


class Searched(NamedTuple):
    """What the searches by `arraycoref.kernels.alignment` know: potentials, and who is aligned.

    Attributes:
        u: float64 (A,) potentials of the key entities.
        v: float64 (B,) potentials of the response entities.
        cell: int64 (A,) the cell that each key entity is aligned by, -1 where it is unaligned.
        row: int64 (B,) the key entity that each response entity is aligned with, -1 where it is free.
        total: float64 (D,) the summed weight per document, nan where searches would run long.
        floats: float64 (2, at least A, B and C) scratch.
        ints: int64 (6, likewise) scratch; large arrays of NumPy's own come in large pages, in two thirds of the time.
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
        """Make room for the cells' entities."""
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
    """Rows or columns in an auction, N of them, which bid and are bid for in turn; see `arraycoref.kernels.auction`.

    Attributes:
        start: int64 (N+1,) each owns the cells ``start[i]:start[i + 1]``, in an order of this side.
        weight: float64 (C, 2) weights of the cells, in the first column.
        link: int64 (C, 2) what is on the other side of them, in the second column of the same memory.
        price: float64 (N, 2) prices, in the first column.
        partner: int64 (N, 2) partners, in the second column of the same memory.
    """

    start: Integers
    weight: Floats
    link: Integers
    price: Floats
    partner: Integers

    @classmethod
    def alone(cls, start: Integers, n_cells: int) -> Side:
        """Make a side where nobody has a partner and nothing costs anything; the cells are still to be laid out."""
        weight, price = np.empty((n_cells, 2)), np.zeros((start.size - 1, 2))
        partner = price.view(np.int64)
        partner[:, 1] = -1
        return cls(start, weight, weight.view(np.int64), price, partner)


def align(cells: Cells, weights: Floats, unit: float = 0.0, patience: int = PATIENCE) -> Alignment:
    """Align the entities of each document one to one so that the weights of the aligned cells sum to the most.

    Exact, on the sparse cells: by shortest augmenting paths, one search per key entity; for a document where these grow
    long, by an auction. Among alignments of equal weight any may be returned.

    Args:
        cells: contingency cells of D documents.
        weights: float64 (C,) a weight per cell, none negative; pairs of entities without a cell weigh nothing.
        unit: number of which all weights are multiples, 0 if there is none.
        patience: visits per cell, on average, that single searches may still need in a document; below 0 for none.
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
    """Align one document's entities: by searches, a visit per cell at a time while that leads on, or by auction."""
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
    """Search from the state on, of which so many rows wait, -1 to begin with; return how many rows still wait."""
    from arraycoref.kernels import alignment

    matrix = cells.key_start, cells.key, cells.response
    u, v, cell, row, total, floats, ints = state
    found = alignment.align(
        *(*matrix, weights, patience, n_waiting, u, v, cell, row, cells.key_offsets, total, floats, ints)
    )
    return int(found)


def align_by_auction(cells: Cells, weights: Floats, unit: float, state: Searched) -> Integers:
    """Find the alignment by `arraycoref.kernels.auction`; return the cell of each key entity.

    Exact for weights that are multiples of a unit. Otherwise the total is within 1e-13 of the largest weight per row of
    the optimum, which is no more than the rounding of the sum itself.

    Args:
        cells: contingency cells, fewer than `MOST_CELLS`.
        weights: float64 (C,) a weight per cell, none negative.
        unit: number of which all weights are multiples, 0 if there is none.
        state: where searches left off.
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
    """Give rows and columns the partners and the prices that searches left."""
    rows.price[:, 0], columns.price[:, 0] = state.u, state.v
    row, cell = np.maximum(state.row, 0), np.maximum(state.cell, 0)
    columns.partner[:, 1] = np.where(state.row < 0, -1, row << 32 | rows.start[row])
    column = cells.response[cell]
    rows.partner[:, 1] = np.where(state.cell < 0, -1, column << 32 | columns.start[column])


def _aligned_cells(cells: Cells, rows: Side) -> Integers:
    """Return the cell that each row and its partner share, -1 where a row has no partner."""
    column = rows.partner[:, 1] >> 32  # the lower half is its first cell
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
    """Let all rows bid that are not within epsilon of the best, and columns in turn, each side ``most`` times.

    Return how many bids that took, and whether all could bid.
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
    """Let the bidders in the queue bid until it is empty, and update their side; return how many bids that took."""
    from arraycoref.kernels import auction

    bids = 0
    while ring[1] and (most is None or bids < most):
        piece = PIECE if most is None else min(PIECE, most - bids)
        bids += auction.bid(queue, ring, piece, bidders, wanted, epsilon, least)
        check_time()
    if bids:
        auction.hand_over(bidders, wanted)
    return bids
