"""Give rows the columns of their heaviest cells, with which the search for an alignment begins."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import U, helper, inlined

AHEAD = 32  # rows ahead at which it is looked up whether their best columns are free
CACHED = 1 << 15  # columns up to which that would be in vain

RANKED, WHOLE = np.int64(42), ~np.int64(2**22 - 1)
"""Shift that leaves 20 bits of a similarity phi4, and the bits of a float that a whole number below 2^31 may have: of
cells that share as many mentions, the first choice is the most similar one, which half as many rows have in common."""

ZERO, ONE = U(0), U(1)


@helper
def _list_unequal(n_cells, similarity, cells):
    """List the cells but for those of equal entities, whose similarity phi4 is 1: they have no other cell.

    Return how many are listed.
    """
    n = ZERO
    for c in range(U(n_cells)):
        cells[n] = np.int64(c)
        n += U(similarity[c] != 1.0)
    return np.int64(n)


@helper
def _take_first(n_rows, start, row_cells):
    """Align each row by its first cell, if it has one, under two weights."""
    row_cell, other_row_cell = row_cells
    for i in range(U(n_rows)):
        first = start[i] if start[i + ONE] > start[i] else np.int64(-1)
        row_cell[i], other_row_cell[i] = first, first


@inlined
def _better(value, c, same, largest, next_largest, best):
    """Return the largest and the second largest value of a row so far, and the cell of the largest."""
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
    """Find each row's heaviest cell under two weights; list the rows, and return how many.

    In one walk without branches, whose outcome no processor could guess.

    Args:
        n_cells: number of cells that are looked at, all that a row has or none, which weigh something.
        cells: lists them.
        cell_row: row of all cells.
        weights: phi3 and phi4 of all cells, as the integers that their bits are.
        choices: under each weight, what is written to: the largest and the second largest of each row, likewise, and
            the cell of the largest; of phi3, beside bits of phi4, which `WHOLE` takes away.
        rows: receives the rows that have such cells, and one more; may be ``cells``.
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
    """Find each row's heaviest cell under two weights; list the rows with which `align_under` begins, return how many.

    Args:
        start: as `arraycoref.kernels.alignment.align` has it, like the next.
        cell_row: likewise.
        n_rows: number of rows.
        floats: as for `align_under`; rows 0, 4, 6 and 7 receive the largest and the second largest weight of each row.
        bits: the same memory as integers.
        ints: likewise; rows 1, 3 and 4 receive the rows that are listed, and the heaviest cells.
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
def find_choices_by_row(start, n_rows, bits, ints):
    """Do the same of all cells, row by row, which takes less where a row has many cells."""
    rows = ints[1]
    weight, other_weight = bits[2], bits[3]
    u, second, row_cell = bits[0], bits[4], ints[3]
    other_u, other_second, other_row_cell = bits[6], bits[7], ints[4]
    n = ZERO
    for row in range(U(n_rows)):
        largest = next_largest = other_largest = other_next = np.int64(0)
        best = other_best = np.int64(-1)
        for c in range(U(start[row]), U(start[row + ONE])):
            cell = np.int64(c)
            rank = weight[c] | other_weight[c] >> RANKED
            largest, next_largest, best = _better(rank, cell, True, largest, next_largest, best)
            value = other_weight[c]
            other_largest, other_next, other_best = _better(value, cell, True, other_largest, other_next, other_best)
        rows[n] = row
        n += U(best >= 0)
        u[row], second[row], row_cell[row] = largest & WHOLE, next_largest & WHOLE, best
        other_u[row], other_second[row], other_row_cell[row] = other_largest, other_next, other_best
    return np.int64(n)


@helper
def find_best_of_all(cell_row, weight, u, second, row_cell, rows):
    """Find each row's heaviest cell under one weight; list the rows that weigh something, and return how many."""
    n = ZERO
    largest = next_largest = np.int64(0)
    best = row_before = np.int64(-1)
    for c in range(U(cell_row.size)):
        row = cell_row[c]
        same = row == row_before
        row_before = row
        before = best if same else np.int64(-1)
        largest, next_largest, best = _better(weight[c], np.int64(c), same, largest, next_largest, before)
        rows[n] = row
        n += U((best >= 0) & (before < 0))
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
def choose_first(n, matrix, state, room, bits, contested, rows, waiting):
    """Align rows with the columns of their heaviest cells; list those that need a search, and return how many.

    Weights are compared as the integers that their bits are, in the same order since none is negative: of a choice
    between two floats the compiler makes a branch.

    Args:
        n: number of rows, whose heaviest cells are known.
        matrix: start, row, column and weight of all cells, as `arraycoref.kernels.alignment.align` has them.
        state: potentials and partners, likewise; nobody is aligned with a column, whose potentials are zeros.
        room: the second largest weight of each row, and room for another one.
        bits: the potentials of rows and columns, and these two, as integers.
        contested: room for a column for each row.
        rows: lists the rows.
        waiting: receives the rows that need a search; may be ``rows``.
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
