"""Give rows the columns of their heaviest cells, with which the search for an alignment begins."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import U, helper

AHEAD = 32  # rows ahead at which it is looked up whether their best columns are free
CACHED = 1 << 15  # columns up to which that would be in vain
FEW = 16  # cells of a row up to which they are walked for each contest, lest these take quadratic time

ONE = U(1)


@helper
def _best_so_far(same_row, weight, c, heaviest, best):
    """Take one more cell into account: return the largest weight of its row so far, and which cell has it."""
    heaviest = heaviest if same_row else 0.0
    best = best if same_row else np.int64(-1)
    better = weight > heaviest
    return weight if better else heaviest, c if better else best


@helper
def _clear(u, row_cell):
    for i in range(u.size):
        u[i] = 0.0
        row_cell[i] = -1


@helper
def find_best(cell_row, weight, u, row_cell):
    """Find the heaviest cell of each row and its weight, without branches, whose outcome no processor could guess."""
    _clear(u, row_cell)
    heaviest, best, row_before = 0.0, np.int64(-1), np.int64(-1)
    for c in range(weight.size):
        row = cell_row[c]
        heaviest, best = _best_so_far(row == row_before, weight[c], np.int64(c), heaviest, best)
        row_before = row
        u[U(row)] = heaviest
        row_cell[U(row)] = best


@helper
def find_best_of_both(cell_row, weight, other_weight, u, other_u, row_cell, other_row_cell):
    """Do the same under two weights in one walk."""
    _clear(u, row_cell)
    _clear(other_u, other_row_cell)
    heaviest, best, row_before = 0.0, np.int64(-1), np.int64(-1)
    other_heaviest, other_best = 0.0, np.int64(-1)
    for c in range(weight.size):
        row = cell_row[c]
        same = row == row_before
        heaviest, best = _best_so_far(same, weight[c], np.int64(c), heaviest, best)
        other_heaviest, other_best = _best_so_far(same, other_weight[c], np.int64(c), other_heaviest, other_best)
        row_before = row
        u[U(row)] = heaviest
        row_cell[U(row)] = best
        other_u[U(row)] = other_heaviest
        other_row_cell[U(row)] = other_best


@helper
def take_best(cell_column, n_rows, v, row_cell, column_row, waiting):
    """Give each row the column of its heaviest cell where that is free; list the other rows, return how many."""
    n_waiting = 0
    n_cells = cell_column.size
    for j in range(v.size):
        v[j] = 0.0
        column_row[j] = -1
    n_ahead = n_rows - AHEAD if v.size > CACHED else 0
    for i in range(n_rows if n_cells else 0):
        if i < n_ahead:
            best = row_cell[i + AHEAD]
            prefetch(column_row, U(cell_column[U(best if best > 0 else 0)]))
        best = row_cell[i]
        # a row without a cell looks at any column, each at another one, for not to wait for the store before
        column = U(cell_column[U(best if best >= 0 else i if i < n_cells else 0)])
        taken = (best >= 0) & (column_row[column] < 0)
        column_row[column] = i if taken else column_row[column]
        waiting[n_waiting] = i
        n_waiting += (best >= 0) ^ taken
    return n_waiting


@helper
def _second_best(row, start, weight, best):
    """Return the second largest weight of a row, 0 if there is none; a bound, its largest, where it has many cells."""
    first, end = start[row], start[row + ONE]
    second = weight[U(best)] if end - first > FEW else 0.0
    for c in range(first, end if 1 < end - first <= FEW else first):
        second = weight[U(c)] if (c != best) & (weight[U(c)] > second) else second
    return second


@helper
def resolve(n_waiting, matrix, state, waiting, contested):
    """Leave each contested column to the row that would lose most without it; list the others that have more cells.

    The column's price becomes what the next of them would lose, so that none prefers it to its second choice, and a row
    without another cell needs no search. Return how many rows still wait.
    """
    start, _, cell_column, weight = matrix
    u, v, row_cell, column_row = state
    n_left = 0
    for t in range(n_waiting):
        row = U(waiting[t])
        column = U(cell_column[U(row_cell[row])])
        holder = U(column_row[column])
        second = _second_best(row, start, weight, row_cell[row])
        of_holder = _second_best(holder, start, weight, row_cell[holder])
        bid, holding = u[row] - second, u[holder] - of_holder
        wins = bid > holding
        lower = holding if wins else bid
        v[column] = lower if lower > v[column] else v[column]
        contested[t] = np.int64(column)
        column_row[column] = np.int64(row if wins else holder)
        loser = holder if wins else row
        second = of_holder if wins else second
        row_cell[loser] = -1
        u[loser] = second
        waiting[n_left] = np.int64(loser)
        n_left += second > 0.0
    for t in range(n_waiting):
        column = U(contested[t])
        row = U(column_row[column])
        u[row] = weight[U(row_cell[row])] - v[column]
    return n_left
