"""Align key and response entities one to one with the exact maximum total weight, from cells and their weights.

The method is shortest augmenting paths with potentials (Jonker and Volgenant 1987). Rows are key entities, columns are
response entities. The potentials u of rows and v of columns always satisfy u_i + v_j >= w_ij for every cell, with
equality if i and j are aligned; v_j = 0 if column j is free; and u_i = 0 if row i is finally unaligned. Weights are
whole numbers, so that all sums and differences are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arraycoref.ragged import Floats, Ints, run_starts, sum_by
from arraycoref.scoring.cells import Cells
from arraycoref.twin import twin

BUDGET, LEAST_BUDGET = 16, 1 << 18
"""Searches give a document up after so many visits per cell, and at least so many visits. Usual output needs fewer than
2 per cell, one with 90 % noise fewer than 16, and random labels hundreds."""

MOST_BIDS = 2
"""Bids in succession before a search, which a second row usually ends."""


def align(cells: Cells, weights: Floats) -> Ints:
    """Align the entities of each document one to one so that the sum of the weights of the aligned cells is largest.

    The result is exact; only the non-zero cells are used. Among alignments of equal weight, any one may be returned.

    Args:
        cells: contingency cells of D documents.
        weights: float64 (C,) a weight per cell: whole numbers from 0 to 2^40. Pairs of entities without a cell weigh
            nothing.

    Returns:
        int64 (A,) cell of each key entity and the response entity it is aligned with, -1 where it is unaligned.
    """
    u, v, cell, waiting = _first_choices(cells, weights)
    if not waiting.size:
        return cell
    row, given_up = np.full(v.size, -1), np.zeros(cells.offsets.size - 1)
    aligned = np.flatnonzero(cell >= 0)
    row[cells.response[cell[aligned]]] = aligned
    matrix, scratch = (cells.key_start, cells.key, cells.response, weights), np.zeros((3, v.size), np.int64)
    search_all(matrix, (u, v, cell, row), cells.key_offsets, waiting, (np.empty(v.size), *scratch), given_up)
    for d in np.flatnonzero(np.isnan(given_up)).tolist():
        rows, places = slice(*cells.key_offsets[d : d + 2]), slice(*cells.offsets[d : d + 2])
        alone = align_hard(cells.document(d), weights[places])
        cell[rows] = np.where(alone < 0, -1, alone + places.start)
    return cell


def best_total(cells: Cells, weights: Ints) -> Floats:
    """Return the summed weight of each document's best alignment, float64 (D,); for weights see `align`."""
    cell = align(cells, weights.astype(np.float64))
    return sum_by(np.append(weights, 0)[cell], cells.key_offsets).astype(np.float64)


def _first_choices(cells: Cells, weights: Floats) -> tuple[Floats, Floats, Ints, Ints]:
    """Align each row with the column of its heaviest cell, or of several that want it, the row that would lose most.

    The column's price becomes the largest loss among the other rows, so that none of them prefers the column to its
    second choice.

    Returns:
        Potentials, float64 (A,) and (B,); int64 (A,) the aligned cells; and the rows with another choice, which wait.
    """
    n_rows = cells.key_size.size
    u, v, cell = np.zeros(n_rows), np.zeros(cells.response_size.size), np.full(n_rows, -1)
    rows = np.flatnonzero(np.diff(cells.key_start))
    if not rows.size:
        return u, v, cell, rows
    starts = cells.key_start[rows]
    # Of cells of equal weight, the one of the most similar entities: fewer rows then want the same column.
    rank = weights + cells.shared / (cells.sizes[0] + cells.sizes[1])
    is_best = rank == np.maximum.reduceat(rank, starts).repeat(np.diff(np.append(starts, rank.size)))
    best = np.flatnonzero(is_best)[::-1]
    cell[cells.key[best]] = best  # of several, the first
    others = weights.copy()
    others[cell[rows]] = 0.0
    second = np.zeros(n_rows)
    second[rows] = np.maximum.reduceat(others, starts)
    u[rows] = weights[cell[rows]]
    cell[u == 0.0] = -1
    rows = np.flatnonzero(cell >= 0)
    column = cells.response[cell[rows]]
    contested = np.bincount(column, minlength=v.size)[column] > 1
    rows, column = rows[contested], column[contested]
    loss = u[rows] - second[rows]
    order = np.lexsort((-loss, column))
    rows, column, loss = rows[order], column[order], loss[order]
    winner = run_starts(column)
    losers = np.delete(rows, winner)
    v[column[winner]] = loss[winner + 1]
    u[rows[winner]] -= loss[winner + 1]
    u[losers], cell[losers] = second[losers], -1
    return u, v, cell, np.sort(losers[second[losers] > 0.0])


@twin("alignment.search_all", each=1e-5, compiling=2.0, size=lambda matrix, state, bounds, waiting, *_: waiting.size)
def search_all(matrix: Any, state: Any, bounds: Ints, waiting: Ints, scratch: Any, given_up: Floats) -> None:
    """Align waiting rows; the arguments are those of `search`."""
    matrix, state, scratch = (tuple(array.data for array in arrays) for arrays in (matrix, state, scratch))
    search(matrix, state, bounds.data, waiting.data, waiting.size, scratch, given_up.data)


def search(matrix: Any, state: Any, bounds: Any, waiting: Any, n_waiting: int, scratch: Any, given_up: Any) -> None:
    """Align waiting rows; each may align another row in its place, or leave one row unaligned.

    A row first bids for its best column: it raises the column's price until its second best choice would be as good,
    and the row that held the column bids next. If the column of the last bid is still held, a search finds the cheapest
    alternating path to a free column, or to a row to leave unaligned.

    Plain Python calls this function with views of arrays, whose items are read faster; kernels compile it.

    Args:
        matrix: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``; row, column and weight of each cell.
        state: potentials of rows and columns, the cell of each row, and the row of each column, -1 for none; changed.
        bounds: document bounds of the rows.
        waiting: the waiting rows, document by document.
        n_waiting: their number.
        scratch: for each column the cost of a path to it, the cell through which the path enters it, and two numbers:
            the first is 0.
        given_up: float64 (D,) receives nan for each document that is given up, see `BUDGET`.
    """
    start, owner, column, weight = matrix
    u, v, cell, row = state
    cost, via, seen, tree = scratch
    d, end, visits, most = -1, 0, 0, 0
    for t in range(n_waiting):
        source = waiting[t]
        while source >= end:
            d += 1
            begin, end, visits = bounds[d], bounds[d + 1], 0
            most = max(BUDGET * (start[end] - start[begin]), LEAST_BUDGET)
        if visits > most:
            given_up[d] = np.nan
            continue
        nearest = -1
        best = 0.0
        for bids in range(MOST_BIDS + 1):
            nearest, best, second = -1, 0.0, 0.0
            for c in range(start[source], start[source + 1]):
                value = weight[c] - v[column[c]]
                if value > best:
                    best, second, nearest = value, best, c
                elif value > second:
                    second = value
            visits += start[source + 1] - start[source]
            u[source] = best
            if nearest < 0:
                break
            j = column[nearest]
            holder = row[j]
            if holder >= 0 and (best == second or bids == MOST_BIDS):
                break
            row[j], cell[source] = source, nearest
            if holder < 0:
                nearest = -1
                break
            u[source], v[j], cell[holder] = second, weight[nearest] - second, -1
            source = holder
        if nearest < 0:
            continue
        # `best` is the cost of the cheapest path so far, at first that of leaving the row itself unaligned
        exit_row, exit_column, reached, i = source, -1, 0.0, source
        n_final = n_open = 0  # columns whose path is final come first in the tree, then the others with a path
        while True:
            visits += start[i + 1] - start[i] + n_open
            for c in range(start[i], start[i + 1]):
                j = column[c]
                path = reached + (u[i] + v[j] - weight[c])
                if path < best and (seen[j] != t + 1 or path < cost[j]):
                    if row[j] < 0:
                        best, exit_column = path, j
                    elif seen[j] != t + 1:
                        tree[n_final + n_open] = j
                        n_open += 1
                    seen[j], cost[j], via[j] = t + 1, path, c
            reached, place = best, -1
            for o in range(n_final, n_final + n_open):
                if cost[tree[o]] < reached:
                    reached, place = cost[tree[o]], o
            if place < 0:
                break
            j = tree[place]
            tree[place], tree[n_final] = tree[n_final], j
            n_final, n_open, i = n_final + 1, n_open - 1, row[j]
            if reached + u[i] < best:
                best, exit_row, exit_column = reached + u[i], i, -1
        u[source] -= best
        for o in range(n_final):
            j = tree[o]
            u[row[j]] -= best - cost[j]
            v[j] += best - cost[j]
        if exit_column < 0:
            if exit_row == source:
                continue
            exit_column = column[cell[exit_row]]
            cell[exit_row] = -1
        j = exit_column
        while True:  # exchange aligned and other cells along the path, from its end
            entering = via[j]
            i = owner[entering]
            left = cell[i]
            cell[i], row[j] = entering, i
            if i == source:
                break
            j = column[left]


@twin("alignment.align_hard", each=2e-5, compiling=4.0, size=lambda cells, weights: weights.size)
def align_hard(cells: Cells, weights: Floats) -> Ints:
    """Align the entities of one document, for which searches by paths take too long, by scipy's compiled search.

    Every row gets a column of its own that stands for no alignment, so that all rows can be aligned.

    Args:
        cells: contingency cells of one document.
        weights: float64 (C,) a weight per cell, whole numbers from 0.

    Returns:
        int64 (A,) cell of each key entity's alignment, -1 where it is unaligned.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n, m = cells.key_size.size, cells.response_size.size
    own = np.arange(n)
    rows = np.append(cells.key, own).astype(np.int32)  # SciPy 1.12 accepts no other indices
    columns = np.append(cells.response, m + own).astype(np.int32)
    graph = csr_array((np.append(weights, np.zeros(n)) + 1.0, (rows, columns)), shape=(n, m + n))
    _, chosen = min_weight_full_bipartite_matching(graph, maximize=True)
    cell = np.full(n, -1)
    aligned = np.flatnonzero(cells.response == chosen[cells.key])
    cell[cells.key[aligned]] = aligned
    return cell
