"""Maximum-weight one-to-one alignment of key and response entities, exact, on the sparse contingency cells.

Shortest augmenting paths with potentials (Jonker and Volgenant 1987) on a bipartite graph. Rows are key entities,
columns response entities; a row may stay unaligned, which is a private column of weight 0. Potentials u (rows) and
v (columns) keep u_i + v_j >= w_ij for every cell, with equality where i and j are aligned, v_j = 0 where j is free,
and u_i = 0 where i was left unaligned.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.by_cell import BLOCK
from arraycoref.kernels.first_choices import choose_first, find_best_of_all
from arraycoref.kernels.jit import Floats, Ints, U, helper, kernel

ZERO, ONE = U(0), U(1)

MANY = 1 << 12  # rows of a document from which it may be left before the first visit, as that takes long

MOST_BIDS = 2  # in a row, before a search: a second row mostly ends it, more bids can go on for long


@helper
def _push(heap_cost, heap_column, size, cost, column):
    """Add an entry to the binary heap of ``size`` entries."""
    child = size
    while child > 0:
        parent = (child - 1) >> 1
        if heap_cost[parent] <= cost:
            break
        heap_cost[child] = heap_cost[parent]
        heap_column[child] = heap_column[parent]
        child = parent
    heap_cost[child] = cost
    heap_column[child] = column


@helper
def _drop_first(heap_cost, heap_column, size):
    """Remove the cheapest entry, at position 0, from the binary heap of ``size`` entries."""
    last = size - 1
    cost = heap_cost[last]
    column = heap_column[last]
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= last:
            break
        if child + 1 < last and heap_cost[child + 1] < heap_cost[child]:
            child += 1
        if heap_cost[child] >= cost:
            break
        heap_cost[hole] = heap_cost[child]
        heap_column[hole] = heap_column[child]
        hole = child
    heap_cost[hole] = cost
    heap_column[hole] = column


@helper
def _search(n_waiting, waiting, n_columns, matrix, patience, pauses, before, state, floats, ints, row_offsets, totals):
    """Align each row that waits, or another in its place, or leave one of them unaligned, whichever weighs the most.

    A row first bids for its best column: it raises the price to where its second best choice is as good, and the row
    that held the column takes its place. Where that leads nowhere soon, a cheapest alternating path does.

    After each visit per cell of a document, leave it, with nan for its total, if more than ``patience`` further visits
    would be needed were the rows that wait to dwindle as they last did: down to 1 is to finish. So do before the first
    visit of many rows, of which no more count than there are free columns: where the response merges entities of the
    key, few are, and searches end soon. The rows that waited ``before`` are those of a single document's last call, -1
    for all rows. Where it is not left, return if ``pauses``. Rows that still wait move to the front; return how many.
    """
    start, cell_row, cell_column, weight = matrix
    u, v, row_cell, column_row = state
    cost, heap_cost = floats[0], floats[1]
    seen = ints[0]  # stamp of the search that knows a path to the column, negative where final
    via = ints[1]  # the cell by which that path enters the column
    heap_column = ints[2]
    ready = ints[3]  # columns at the cost of the current row: they need no heap
    tree = ints[4]  # columns whose path is final
    for column in range(n_columns if n_waiting else 0):
        seen[column] = 0
    d = ZERO
    end = most = visited = waited = n_left = np.int64(0)
    is_first = False
    stamp = 0
    t = np.int64(0)
    while t < n_waiting:
        first = waiting[t]
        while first >= end:
            begin, end = end, row_offsets[d + ONE]
            waited = before if before >= 0 else end - begin
            most = start[U(end)] - start[U(begin)] if patience >= 0 else np.int64(-1)
            is_first = waited > MANY and before < 0
            visited = most + 1 if is_first else np.int64(0)
            d += ONE
        if visited > most:
            last = t
            while last < n_waiting and waiting[last] < end:
                last += 1
            n_here = last - t
            n_able = np.int64(0) if is_first else n_here
            for column in range(n_columns if is_first else 0):
                n_able += column_row[column] < 0
            n_able = n_able if n_able < n_here else n_here
            leaves = patience < 0 or n_able * (n_able / waited) ** np.float64(patience) > 1.0
            if leaves or (pauses and not is_first):
                totals[d - ONE] = np.nan if leaves else 0.0
                while t < last:
                    waiting[n_left] = waiting[t]
                    n_left += 1
                    t += 1
                continue
            waited = waited if is_first else n_here
            visited, is_first = np.int64(0), False
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

        # `best` is what the cheapest path so far costs: to leave the row itself unaligned, to begin with
        exit_row = source
        exit_column = np.int64(-1)
        row = source
        row_cost = 0.0
        n_heap = np.int64(0)  # typed, or numba would compile what it is passed to twice
        n_ready = 0
        n_tree = 0
        stamp += 1
        while True:
            first_cell, end_cell = U(start[row]), U(start[row + ONE])
            visited += np.int64(end_cell - first_cell)
            potential = u[row]
            for c in range(first_cell, end_cell):
                j = U(cell_column[c])
                path = row_cost + (potential + v[j] - weight[c])
                if path >= best:
                    continue
                path = path if path > row_cost else row_cost
                if seen[j] == -stamp or (seen[j] == stamp and path >= cost[j]):
                    continue
                seen[j] = stamp
                cost[j] = path
                via[j] = np.int64(c)
                if column_row[j] < 0:
                    best = path
                    exit_column = np.int64(j)
                elif path == row_cost:
                    ready[n_ready] = np.int64(j)
                    n_ready += 1
                else:
                    _push(heap_cost, heap_column, n_heap, path, np.int64(j))
                    n_heap += 1
            if best <= row_cost:
                break
            nearest = np.int64(-1)
            if n_ready > 0:
                n_ready -= 1
                nearest = ready[n_ready]
            while nearest < 0 and n_heap > 0 and heap_cost[0] < best:
                j = U(heap_column[0])
                if seen[j] == stamp and heap_cost[0] == cost[j]:  # not final, nor reached more cheaply since
                    nearest = np.int64(j)
                _drop_first(heap_cost, heap_column, n_heap)
                n_heap -= 1
            if nearest < 0:
                break
            j = U(nearest)
            seen[j] = -stamp
            tree[n_tree] = nearest
            n_tree += 1
            row = U(column_row[j])
            row_cost = cost[j]
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
        while True:  # flip the path, backwards
            entering = via[j]
            row = U(cell_row[U(entering)])
            left = U(row_cell[row])
            row_cell[row] = entering
            column_row[j] = np.int64(row)
            if row == source:
                break
            j = U(cell_column[left])
    return n_left


@helper
def _add_aligned(weights, row_cells, n_cells, row_offsets, totals):
    """Add the weights that each row is aligned by, under two weights, to the totals of its document.

    After the last cell there is a weight of 0, which rows without one add, since no processor could guess a branch.
    """
    weight, other_weight = weights
    row_cell, other_row_cell = row_cells
    last = U(n_cells)
    for d in range(U(row_offsets.size - 1)):
        end = row_offsets[d + ONE]
        total, other_total = totals[0, d], totals[1, d]
        for block in range(row_offsets[d], end, BLOCK):
            in_block = other_in_block = 0.0
            for row in range(U(block), U(block + BLOCK if block + BLOCK < end else end)):
                cell, other_cell = U(row_cell[row]), U(other_row_cell[row])
                in_block += weight[cell if cell < last else last]
                other_in_block += other_weight[other_cell if other_cell < last else last]
            total, other_total = total + in_block, other_total + other_in_block
        totals[0, d], totals[1, d] = total, other_total


@helper
def align_under(wanted, n_chosen, cells, floats, bits, patience, n_columns, ints, row_offsets, totals):
    """Find an alignment under each of two weights that is wanted; add it to the totals, which have a row for each.

    Args:
        wanted: of each weight.
        n_chosen: what `arraycoref.kernels.first_choices.find_choices` returned, whose arrays these are.
        cells: start, row and column, as `align` has them.
        floats: two rows of scratch, then each cell's two weights, the second of them the similarity phi4, with room for
            one more, and four rows of scratch, as long as there are rows, columns and cells.
        bits: the same memory as integers.
        patience: as for `align`; no search pauses.
        n_columns: number of columns.
        ints: ten rows of scratch.
        row_offsets: as for `align`.
        totals: receive the weights.
    """
    start, cell_row, cell_column = cells
    n_cells = cell_row.size
    waiting, rows, column_row, row_cells = ints[0], ints[1], ints[2], (ints[3], ints[4])
    u, v, weights, second = (floats[0], floats[6]), floats[1], (floats[2], floats[3]), (floats[4], floats[7])
    own = (bits[0], bits[4]), (bits[6], bits[7])
    finished = True
    for w in range(2):
        if wanted[w]:
            weights[w][n_cells] = 0.0
            matrix, state = (start, cell_row, cell_column, weights[w]), (u[w], v, row_cells[w], column_row)
            for column in range(U(n_columns)):
                column_row[column], v[column] = -1, 0.0
            numbers = own[w][0], bits[1], own[w][1], bits[5]
            n = choose_first(n_chosen, matrix, state, (second[w], floats[5]), numbers, ints[5], rows, waiting)
            rest = floats[4:], ints[5:], row_offsets, totals[w]
            finished &= _search(n, waiting, n_columns, matrix, patience, False, np.int64(-1), state, *rest) == 0
    a, b = 0 if wanted[0] else 1, 1 if wanted[1] else 0
    _add_aligned((weights[a], weights[b]), (row_cells[a], row_cells[b]), n_cells, row_offsets, totals)
    return finished


@kernel
def align(
    start: Ints,
    cell_row: Ints,
    cell_column: Ints,
    weight: Floats,
    patience: int,
    n_waiting: int,
    u: Floats,
    v: Floats,
    row_cell: Ints,
    column_row: Ints,
    row_offsets: Ints,
    totals: Floats,
    floats: Floats,
    ints: Ints,
) -> np.int64:
    """Find a one-to-one alignment of rows and columns of the largest total weight.

    One call serves many documents, since documents share no entity. The sparse matrix is in compressed rows. The search
    for a single document pauses after each visit per cell, and goes on when called again.

    Args:
        start: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``; not checked.
        cell_row: int64 (C,) row of each cell, ascending.
        cell_column: int64 (C,) column of each cell, no column twice in a row.
        weight: float64 (C,) weights, none negative.
        patience: number of further visits per cell that a document may need, at the pace of the last one, below 0 for
            none; one that needs more is left.
        n_waiting: what the call before returned, -1 for the first one.
        u: float64 (A,) receives the potentials of the rows.
        v: float64 (B,) zeros; receives the potentials of the columns.
        row_cell: int64 (A,) receives the cell that each row is aligned by, -1 if unaligned.
        column_row: int64 (B,) receives the row that each column is aligned with, -1 if free.
        row_offsets: int64 (D+1,) document bounds of the rows.
        totals: float64 (D,) receives the weight of each document's alignment, nan where it is left.
        floats: float64 (2, at least A, B and C) scratch.
        ints: int64 (6, more than A, B and C) scratch; the last row has the rows that wait.

    Returns:
        How many rows wait. Where a document is left, `arraycoref.kernels.auction` is the way.
    """
    matrix, state = (start, cell_row, cell_column, weight), (u, v, row_cell, column_row)
    pauses, waiting = totals.size == 1, ints[5]
    before = np.int64(n_waiting)
    for d in range(totals.size):
        totals[d] = 0.0
    n = before
    if before < 0:
        bits = u.view(np.int64), v.view(np.int64), floats[0].view(np.int64), floats[1].view(np.int64)
        n = find_best_of_all(cell_row, weight.view(np.int64), bits[0], bits[2], row_cell, waiting)
        for row in range(U(u.size if n < u.size else 0)):
            if start[row] == start[row + ONE]:
                u[row], row_cell[row] = 0.0, -1
        for column in range(U(v.size)):
            column_row[column] = -1
        n = choose_first(n, matrix, state, (floats[0], floats[1]), bits, ints[0], waiting, waiting)
    n = np.int64(
        _search(n, waiting, v.size, matrix, patience, pauses, before, state, floats, ints, row_offsets, totals)
    )
    for d in range(totals.size):
        end = row_offsets[d + 1]
        for block in range(row_offsets[d], end, BLOCK):
            in_block = 0.0
            for row in range(U(block), U(block + BLOCK if block + BLOCK < end else end)):
                if row_cell[row] >= 0:
                    in_block += weight[U(row_cell[row])]
            totals[d] += in_block
    return n
