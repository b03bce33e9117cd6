"""Give rows the columns of their heaviest cells, with which the search for an alignment begins."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import U, helper

AHEAD = 32  # rows ahead at which it is looked up whether their best columns are free
CACHED = 1 << 15  # columns up to which that would be in vain

ZERO, ONE = U(0), U(1)


@helper
def list_unequal(similarity, cells):
    """List the cells but for those of equal entities, whose similarity phi4 is 1: they have no other cell.

    Return how many are listed.
    """
    n = ZERO
    for c in range(U(similarity.size)):
        cells[n] = np.int64(c)
        n += U(similarity[c] != 1.0)
    return np.int64(n)


@helper
def take_first(start, row_cell):
    """Align each row by its first cell, if it has one."""
    for i in range(U(row_cell.size)):
        row_cell[i] = start[i] if start[i + ONE] > start[i] else np.int64(-1)


@helper
def _find_best(cells, cell_row, weight, u, second, row_cell, rows):
    """Find the heaviest of each row's listed cells, its weight and the second largest; list the rows, return how many.

    Rows whose cells weigh nothing are not listed. In one walk without branches, whose outcome no processor could guess.
    """
    n = ZERO
    largest = next_largest = np.int64(0)
    best = row_before = np.int64(-1)
    for t in range(U(cell_row.size if cells is None else cells.size)):
        c = np.int64(t if cells is None else cells[t])
        row, value = np.int64(cell_row[U(c)]), weight[U(c)]
        same = row == row_before
        row_before = row
        largest, next_largest = largest if same else np.int64(0), next_largest if same else np.int64(0)
        if cells is None:  # which may weigh nothing
            best = best if same else np.int64(-1)
        better = value > largest
        lower = largest if better else value
        next_largest = lower if lower > next_largest else next_largest
        rows[n] = row
        n += U(better & (best < 0)) if cells is None else U(not same)
        best = c if better else best
        largest = value if better else largest
        u[U(row)], second[U(row)], row_cell[U(row)] = largest, next_largest, best
    return np.int64(n)


@helper
def _take_best(n, rows, cell_column, row_cell, column_row, waiting):
    """Give each of ``n`` rows the column of its heaviest cell where that is free; list the others, return how many."""
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
    """Leave each contested column to the row that would lose most without it; list the others that have more cells.

    The column's price becomes what the next of them would lose, so that none prefers it to its second choice, and a row
    without another cell needs no search. Return how many rows still wait.
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
def choose_first(cells, matrix, state, room, contested, rows, waiting):
    """Align rows with the columns of their heaviest cells; list those that need a search, and return how many.

    Weights are compared as the integers that their bits are, in the same order since none is negative: of a choice
    between two floats the compiler makes a branch.

    Args:
        cells: those that are looked at, all that a row has or none, which weigh something; None for all.
        matrix: start, row, column and weight of all cells, as `arraycoref.kernels.alignment.align` has them.
        state: potentials and partners, likewise; those of the columns, and of rows with such cells, are written. Where
            all cells are looked at, those of all rows are, and the potentials of the columns must be zeros.
        room: for two weights for each row.
        contested: room for a column for each row.
        rows: room for one row more than there are.
        waiting: receives the rows that need a search; may be ``rows``.
    """
    start, cell_row, cell_column, weight = matrix
    u, v, row_cell, column_row = state
    second, loss = room[0], room[1]
    u_bits, second_bits = u.view(np.int64), second.view(np.int64)
    for column in range(U(v.size)):
        column_row[column] = -1
        if cells is not None:
            v[column] = 0.0
    n = _find_best(cells, cell_row, weight.view(np.int64), u_bits, second_bits, row_cell, rows)
    if cells is None:
        for row in range(U(u.size if n < u.size else 0)):
            if start[row] == start[row + ONE]:
                u[row], row_cell[row] = 0.0, -1
    n = _take_best(n, rows, cell_column, row_cell, column_row, waiting)
    for t in range(U(n)):
        row = U(waiting[t])
        holder = U(column_row[U(cell_column[U(row_cell[row])])])
        loss[row], loss[holder] = u[row] - second[row], u[holder] - second[holder]
    n_left = _resolve(
        *(n, cell_column, u_bits, v.view(np.int64), second_bits, loss.view(np.int64)),
        *(row_cell, column_row, waiting, contested),
    )
    for t in range(U(n)):
        column = U(contested[t])
        row = U(column_row[column])
        u[row] = weight[U(row_cell[row])] - v[column]
    return n_left
