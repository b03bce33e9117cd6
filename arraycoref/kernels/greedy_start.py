"""Align each row with the column of its heaviest cell, if no other row wants it: the start of the alignment."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.intrinsics import prefetch
from arraycoref.kernels.jit import U, helper, inlined

AHEAD = 32  # how many rows ahead their best columns are prefetched
CACHED = 1 << 15  # number of columns up to which all fit the cache, so that nothing is prefetched

RANKED, WHOLE = np.int64(42), ~np.int64(2**22 - 1)
"""Right shift that keeps 20 bits of a similarity phi4; and mask of the bits of a float64 that are not zero in a whole
number below 2^31, so that the other 22 bits are free. The bits of phi4 there decide between cells with the same number
of mentions: the more similar entity is chosen. Half as many rows then want the same column."""

EQUAL = 2.0**40
"""The similarity phi4 of equal entities, in the units of `arraycoref.scoring.metrics.ceaf`."""

ZERO, ONE = U(0), U(1)


@helper
def _list_unequal(n_cells, similarity, cells):
    """List all cells except those of equal entities, whose similarity phi4 is `EQUAL` and which have no other cell.

    Return the number of listed cells.
    """
    n = ZERO
    for c in range(U(n_cells)):
        cells[n] = np.int64(c)
        n += U(similarity[c] != EQUAL)
    return np.int64(n)


@helper
def _take_first(n_rows, start, row_cells):
    """Take the first cell of each row, or -1 if it has none, as its heaviest under both weights."""
    row_cell, other_row_cell = row_cells
    for i in range(U(n_rows)):
        first = start[i] if start[i + ONE] > start[i] else np.int64(-1)
        row_cell[i], other_row_cell[i] = first, first


@inlined
def _better(value, c, same, largest, next_largest, best):
    """Return the largest and the second largest value of a row so far, and the cell of the largest.

    ``same`` is whether cell ``c`` is in the same row as the cell before.
    """
    largest, next_largest = largest if same else np.int64(0), next_largest if same else np.int64(0)
    better = value > largest
    lower = largest if better else value
    return (
        value if better else largest,
        lower if lower > next_largest else next_largest,
        c if better else best,
    )


@helper
def _find_best(n_cells, cells, cell_row, weights, choices, rows):
    """Find each row's heaviest cell under two weights; list the rows, and return their number.

    The loop has no branches, because the processor could not predict them.

    Args:
        n_cells: number of listed cells. Of a row, either all cells are listed or none; their weights are positive.
        cells: the listed cells.
        cell_row: the row of every cell.
        weights: phi3 and phi4 of every cell; the bits of the floats read as integers.
        choices: for each of the two weights, three arrays that are written: the largest and the second largest weight
            of each row, as integers, and the cell of the largest. Weights phi3 have bits of phi4 in them, which `WHOLE`
            removes.
        rows: receives the rows of the listed cells; needs room for one more. It may be the same array as ``cells``.
    """
    (u, second, row_cell), (other_u, other_second, other_row_cell) = choices
    n = ZERO
    largest = next_largest = other_largest = other_next = np.int64(0)
    best = other_best = row_before = np.int64(-1)
    for t in range(U(n_cells)):
        c = np.int64(cells[t])
        row = np.int64(cell_row[U(c)])
        same = row == row_before
        row_before = row
        rank = weights[0][U(c)] | weights[1][U(c)] >> RANKED
        largest, next_largest, best = _better(rank, c, same, largest, next_largest, best)
        other_largest, other_next, other_best = _better(
            weights[1][U(c)], c, same, other_largest, other_next, other_best
        )
        rows[n] = row
        n += U(not same)
        u[U(row)], second[U(row)], row_cell[U(row)] = largest, next_largest, best
        other_u[U(row)], other_second[U(row)], other_row_cell[U(row)] = other_largest, other_next, other_best
    return np.int64(n)


@helper
def find_choices(start, cell_row, n_rows, floats, bits, ints):
    """Find each row's heaviest cell under two weights; list the rows, and return their number.

    Args:
        start: where the cells of each row begin.
        cell_row: the row of every cell.
        n_rows: number of rows.
        floats: see `arraycoref.kernels.fused.Scratch`; rows 0, 4, 6 and 7 receive the largest and second largest
            weights of each row.
        bits: a view of ``floats`` as integers.
        ints: ten rows of scratch; row 1 receives the listed rows, rows 3 and 4 the heaviest cells.
    """
    rows = ints[1]
    n_unequal = _list_unequal(cell_row.size, floats[3], rows)
    _take_first(n_rows, start, (ints[3], ints[4]))
    choices = (bits[0], bits[4], ints[3]), (bits[6], bits[7], ints[4])
    n = _find_best(n_unequal, rows, cell_row, (bits[2], bits[3]), choices, rows)
    for row in range(U(n_rows)):
        bits[0, row] &= WHOLE
        bits[4, row] &= WHOLE
    return n


@helper
def _take_best(n, rows, cell_column, row_cell, column_row, waiting):
    """Align each row with the column of its heaviest cell if it is free; list the others, and return their number."""
    n_waiting = np.int64(0)
    n_ahead = n - AHEAD if column_row.size > CACHED else 0
    for t in range(n):
        if t < n_ahead:
            prefetch(column_row, U(cell_column[U(row_cell[U(rows[t + AHEAD])])]))
        row = U(rows[t])
        column = U(cell_column[U(row_cell[row])])
        taken = column_row[column] < 0
        column_row[column] = np.int64(row) if taken else np.int64(column_row[column])
        waiting[n_waiting] = np.int64(row)
        n_waiting += not taken
    return n_waiting


@helper
def _resolve(n_waiting, cell_column, u, v, second, loss, row_cell, column_row, waiting, contested):
    """Give each column that several rows want to the row that would lose most without it.

    The column's price becomes the largest loss among the other rows, so that none of them prefers the column to its
    second choice. Of these rows, those with a positive second choice wait for a search; list them, and return their
    number.
    """
    n_left = ZERO
    for t in range(U(n_waiting)):
        row = U(waiting[t])
        column = U(cell_column[U(row_cell[row])])
        holder = U(column_row[column])
        bid, holding = loss[row], loss[holder]
        wins = bid > holding
        lower = holding if wins else bid
        v[column] = lower if lower > v[column] else v[column]
        contested[t] = np.int64(column)
        column_row[column] = np.int64(row if wins else holder)
        loser = holder if wins else row
        row_cell[loser] = -1
        left = second[loser]
        u[loser] = left
        waiting[n_left] = np.int64(loser)
        n_left += U(left > 0)
    return np.int64(n_left)


@helper
def choose_first(n, matrix, state, room, bits, contested, rows, waiting):
    """Align rows with the columns of their heaviest cells; list the rows that need a search, and return their number.

    Weights are compared as integers that have the same bits as the floats. The order is the same, because no weight is
    negative; and a choice between two floats would be compiled to a branch.

    Args:
        n: number of rows whose heaviest cells are known.
        matrix: see `arraycoref.scoring.alignment.search`.
        state: the same; all columns are free, with potential 0.
        room: two arrays: the second largest weight of each row, and scratch for each row's loss.
        bits: views of u, v and the arrays of ``room`` as integers.
        contested: scratch for one column per row.
        rows: the rows.
        waiting: receives the rows that need a search; may be the same array as ``rows``.
    """
    _, _, cell_column, weight = matrix
    u, v, row_cell, column_row = state
    second, loss = room[0], room[1]
    n = _take_best(n, rows, cell_column, row_cell, column_row, waiting)
    for t in range(U(n)):
        row = U(waiting[t])
        holder = U(column_row[U(cell_column[U(row_cell[row])])])
        loss[row], loss[holder] = u[row] - second[row], u[holder] - second[holder]
    n_left = _resolve(n, cell_column, bits[0], bits[1], bits[2], bits[3], row_cell, column_row, waiting, contested)
    for t in range(U(n)):
        column = U(contested[t])
        row = U(column_row[column])
        u[row] = weight[U(row_cell[row])] - v[column]
    return n_left
