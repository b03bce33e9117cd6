"""Maximum-weight one-to-one alignment of key and response entities, exact, on the sparse contingency cells.

The method is shortest augmenting paths with potentials (Jonker and Volgenant 1987) on a bipartite graph. Rows are key
entities, columns are response entities. A row may stay unaligned, as if it had a column of its own with weight 0. The
potentials u of rows and v of columns always satisfy u_i + v_j >= w_ij for every cell, with equality if i and j are
aligned; v_j = 0 if column j is free; and u_i = 0 if row i is finally unaligned.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.greedy_start import choose_first, find_best_of_all
from arraycoref.kernels.jit import U, helper, kernel
from arraycoref.ragged import Floats, Ints

ZERO, ONE = U(0), U(1)

FEWEST_VISITS = np.int64(1) << 15  # visits for which searches count as those of so many cells: they take 50 us

MOST_BIDS = 2  # bids in succession before a search: mostly a second row ends them, and more could take long


@helper
def _search(n_waiting, waiting, n_columns, matrix, patience, state, floats, ints, row_offsets, totals):
    """Align each waiting row; this may align another row in its place, or leave one row unaligned.

    A row first bids for its best column: it raises the column's price until its second best choice would be as good,
    and the row that held the column bids next. If the column of the last bid is still held by another row, a search
    finds the cheapest alternating path.

    The work is counted in visits, of a cell or of a column. A document of C cells is given up after ``patience`` times
    C visits, where C counts as `FEWEST_VISITS` at least, and its total is nan. Return whether no document was given up.
    """
    start, cell_row, cell_column, weight = matrix
    u, v, row_cell, column_row = state
    cost = floats[0]
    seen = ints[0]  # number of the last search that found a path to the column
    via = ints[1]  # the cell through which that path enters the column
    tree = ints[2]  # columns whose path is final, then the others with a path
    for column in range(n_columns if n_waiting else 0):
        seen[column] = 0
    d = ZERO
    end = most = visited = np.int64(0)
    finished = True
    stamp = 0
    t = np.int64(0)
    while t < n_waiting:
        first = waiting[t]
        while first >= end:
            begin, end = end, row_offsets[d + ONE]
            most = start[U(end)] - start[U(begin)]
            most = patience * (most if most > FEWEST_VISITS else FEWEST_VISITS)
            visited = np.int64(0)
            d += ONE
        if visited > most:
            totals[d - ONE] = np.nan
            finished = False
            while t < n_waiting and waiting[t] < end:
                t += 1
            continue
        t += 1
        source = U(first)
        for bids in range(MOST_BIDS + 1):
            nearest = np.int64(-1)
            best = 0.0
            second = 0.0
            first_cell, end_cell = U(start[source]), U(start[source + ONE])
            for c in range(first_cell, end_cell):
                value = weight[c] - v[U(cell_column[c])]
                better = value > best
                other = best if better else value
                second = other if other > second else second
                best = value if better else best
                nearest = np.int64(c) if better else nearest
            visited += np.int64(end_cell - first_cell)
            u[source] = best
            if nearest < 0:
                break
            j = U(cell_column[U(nearest)])
            holder = column_row[j]
            if holder >= 0 and (best == second or bids == MOST_BIDS):
                break
            column_row[j] = np.int64(source)
            row_cell[source] = nearest
            if holder < 0:
                nearest = np.int64(-1)
                break
            u[source] = second
            v[j] = weight[U(nearest)] - second
            row_cell[U(holder)] = -1
            source = U(holder)
        if nearest < 0:
            continue

        # `best` is the cost of the cheapest path so far, at first that of leaving the row itself unaligned
        exit_row = source
        exit_column = np.int64(-1)
        row = source
        row_cost = 0.0
        n_tree = n_open = ZERO
        stamp += 1
        while True:
            first_cell, end_cell = U(start[row]), U(start[row + ONE])
            visited += np.int64(end_cell - first_cell)
            potential = u[row]
            for c in range(first_cell, end_cell):
                j = U(cell_column[c])
                path = row_cost + (potential + v[j] - weight[c])
                is_new = seen[j] != stamp
                if path < best and (is_new or path < cost[j]):
                    if column_row[j] < 0:
                        best = path
                        exit_column = np.int64(j)
                    elif is_new:
                        tree[n_tree + n_open] = np.int64(j)
                        n_open += ONE
                    seen[j] = stamp
                    cost[j] = path
                    via[j] = np.int64(c)
            visited += np.int64(n_open)
            nearest_cost, place = best, ZERO
            for t_open in range(n_tree, n_tree + n_open):
                path = cost[U(tree[t_open])]
                place = t_open + ONE if path < nearest_cost else place
                nearest_cost = path if path < nearest_cost else nearest_cost
            if place == ZERO:
                break
            j = U(tree[place - ONE])
            tree[place - ONE] = tree[n_tree]
            tree[n_tree] = np.int64(j)
            n_tree, n_open = n_tree + ONE, n_open - ONE
            row = U(column_row[j])
            row_cost = nearest_cost
            if row_cost + u[row] < best:
                best = row_cost + u[row]
                exit_row = row
                exit_column = np.int64(-1)

        u[source] -= best
        for i in range(n_tree):
            j = U(tree[i])
            u[U(column_row[j])] -= best - cost[j]
            v[j] += best - cost[j]
        if exit_column >= 0:
            j = U(exit_column)
        elif exit_row != source:
            j = U(cell_column[U(row_cell[exit_row])])
            row_cell[exit_row] = -1
        else:
            continue
        while True:  # exchange aligned and other cells along the path, from its end
            entering = via[j]
            row = U(cell_row[U(entering)])
            left = U(row_cell[row])
            row_cell[row] = entering
            column_row[j] = np.int64(row)
            if row == source:
                break
            j = U(cell_column[left])
    return finished


@helper
def align_under(wanted, n_chosen, cells, floats, bits, patience, n_columns, ints, row_offsets, totals):
    """Find the best alignment for each of two weights, if it is wanted.

    Args:
        wanted: for each of the two weights, which are whole numbers, whether its alignment is wanted.
        n_chosen: number of listed rows, which `arraycoref.kernels.greedy_start.find_choices` returned; ``floats``,
            ``bits`` and ``ints`` are the arrays that it has filled.
        cells: ``start``, ``cell_row`` and ``cell_column`` of `align`.
        floats: eight rows, each longer than the numbers of rows, columns and cells. Rows 2 and 3 are the two weights of
            each cell, the second of them the similarity phi4. The others are scratch, and what was filled.
        bits: a view of ``floats`` as integers.
        patience: see `align`.
        n_columns: number of columns.
        ints: ten rows, which are scratch, and what was filled.
        row_offsets: see `align`.
        totals: two rows; receive nan for each document that was given up.

    Returns:
        Whether no document was given up. Rows 3 and 4 of ``ints`` are the cells of each row's alignments.
    """
    start, cell_row, cell_column = cells
    waiting, rows, column_row, row_cells = ints[0], ints[1], ints[2], (ints[3], ints[4])
    u, v, weights, second = (floats[0], floats[6]), floats[1], (floats[2], floats[3]), (floats[4], floats[7])
    own = (bits[0], bits[4]), (bits[6], bits[7])
    finished = True
    for w in range(2):
        if wanted[w]:
            matrix, state = (start, cell_row, cell_column, weights[w]), (u[w], v, row_cells[w], column_row)
            for column in range(U(n_columns)):
                column_row[column], v[column] = -1, 0.0
            numbers = own[w][0], bits[1], own[w][1], bits[5]
            n = choose_first(n_chosen, matrix, state, (second[w], floats[5]), numbers, ints[5], rows, waiting)
            rest = floats[4:], ints[5:], row_offsets, totals[w]
            finished &= _search(n, waiting, n_columns, matrix, patience, state, *rest)
    return finished


@kernel
def align(
    start: Ints,
    cell_row: Ints,
    cell_column: Ints,
    weight: Floats,
    patience: int,
    u: Floats,
    v: Floats,
    row_cell: Ints,
    column_row: Ints,
    row_offsets: Ints,
    totals: Floats,
    floats: Floats,
    ints: Ints,
) -> bool:
    """Find a one-to-one alignment of rows and columns with the largest total weight.

    One call aligns many documents, because documents share no entity. The sparse matrix is in compressed rows.

    Args:
        start: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``; not checked.
        cell_row: int64 (C,) row of each cell, ascending.
        cell_column: int64 (C,) column of each cell, no column twice in a row.
        weight: float64 (C,) weights, none negative.
        patience: number of visits for each cell of a document after which it is given up; below 0, each document with
            waiting rows is given up at once.
        u: float64 (A,) receives the potentials of the rows.
        v: float64 (B,) zeros; receives the potentials of the columns.
        row_cell: int64 (A,) receives the cell of each row's alignment, -1 if it is unaligned.
        column_row: int64 (B,) receives the row that each column is aligned with, -1 if it is free.
        row_offsets: int64 (D+1,) document bounds of the rows.
        totals: float64 (D,) receives the weight of each document's alignment, nan if the document was given up.
        floats: float64 (2, at least A, B and C) scratch.
        ints: int64 (6, more than A, B and C) scratch; the last row has the waiting rows.

    Returns:
        Whether no document was given up; `arraycoref.kernels.auction` aligns those that were.
    """
    matrix, state = (start, cell_row, cell_column, weight), (u, v, row_cell, column_row)
    waiting = ints[5]
    for d in range(totals.size):
        totals[d] = 0.0
    bits = u.view(np.int64), v.view(np.int64), floats[0].view(np.int64), floats[1].view(np.int64)
    n = find_best_of_all(cell_row, weight.view(np.int64), bits[0], bits[2], row_cell, waiting)
    for row in range(U(u.size if n < u.size else 0)):
        if start[row] == start[row + ONE]:
            u[row], row_cell[row] = 0.0, -1
    for column in range(U(v.size)):
        column_row[column] = -1
    n = choose_first(n, matrix, state, (floats[0], floats[1]), bits, ints[0], waiting, waiting)
    finished = _search(n, waiting, v.size, matrix, patience, state, floats, ints, row_offsets, totals)
    for d in range(totals.size):
        for row in range(U(row_offsets[d]), U(row_offsets[d + 1])):
            if row_cell[row] >= 0:
                totals[d] += weight[U(row_cell[row])]
    return bool(finished)
