"""Search for alignments in plain Python: what `arraycoref.kernels.alignment` does, for the few rows that need it.

The method is shortest augmenting paths with potentials (Jonker and Volgenant 1987). Rows are key entities, columns are
response entities. The potentials u of rows and v of columns always satisfy u_i + v_j >= w_ij for every cell, with
equality if i and j are aligned; v_j = 0 if column j is free; and u_i = 0 if row i is finally unaligned. Weights are
whole numbers, so that all sums and differences are exact.
"""

from __future__ import annotations

from bisect import bisect_right
from heapq import heappop, heappush
from typing import Any

import numpy as np

from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.cells import Cells

MOST_BIDS = 2
"""Bids in succession before a search, which mostly a second row ends."""


class Search:
    """Rows and columns of D documents, some of them aligned, with their potentials; the last four arrays are changed.

    Args:
        cells: contingency cells.
        weights: float64 (C,) a weight per cell, whole numbers from 0.
        u: float64 (A,) potentials of the key entities.
        v: float64 (B,) potentials of the response entities.
        cell: int64 (A,) cell of each key entity's alignment, -1 where it is unaligned.
        row: int64 (B,) the key entity that each response entity is aligned with, -1 where it is free.

    Attributes:
        visits: number of cells read so far.
    """

    def __init__(self, cells: Cells, weights: Floats, u: Floats, v: Floats, cell: Ints, row: Ints) -> None:
        # single items of views are read faster than those of arrays, and lists would take longer to make
        views: list[Any] = [array.data for array in (cells.key_start, cells.response, weights, u, v, cell, row)]
        self.start, self.column, self.weight, self.u, self.v, self.cell, self.row = views
        self.visits = 0

    def align(self, row: int) -> None:
        """Align a waiting row; this may align another row in its place, or leave one row unaligned.

        A row first bids for its best column: it raises the column's price until its second best choice would be as
        good, and the row that held the column bids next. If the column of the last bid is still held, a search finds
        the cheapest alternating path.
        """
        u, v, column, weight = self.u, self.v, self.column, self.weight
        for bids in range(MOST_BIDS + 1):
            best = second = 0.0
            nearest = -1
            for c in range(self.start[row], self.start[row + 1]):
                value = weight[c] - v[column[c]]
                if value > best:
                    best, second, nearest = value, best, c
                elif value > second:
                    second = value
            self.visits += self.start[row + 1] - self.start[row]
            u[row] = best
            if nearest < 0:
                return
            j = column[nearest]
            holder = self.row[j]
            if holder >= 0 and (best == second or bids == MOST_BIDS):
                break
            self.row[j], self.cell[row] = row, nearest
            if holder < 0:
                return
            u[row], v[j], self.cell[holder] = second, weight[nearest] - second, -1
            row = holder
        self._search(row)

    def _search(self, source: int) -> None:
        """Find the cheapest path from a row to a free column or to a row to leave unaligned; exchange its cells."""
        u, v, column, weight, start, held = self.u, self.v, self.column, self.weight, self.start, self.row
        cost: dict[int, float] = {}
        via: dict[int, int] = {}  # the cell through which the path enters a column
        final: dict[int, None] = {}
        heap: list[tuple[float, int]] = []
        row, reached, best, exit_row, exit_column = source, 0.0, u[source], source, -1
        while True:
            first, last = start[row], start[row + 1]
            self.visits += last - first
            offset = reached + u[row]
            for c in range(first, last):
                j = column[c]
                path = offset + v[j] - weight[c]
                if path < best and j not in final and path < cost.get(j, best):
                    cost[j], via[j] = path, c
                    if held[j] < 0:
                        best, exit_column = path, j
                    else:
                        heappush(heap, (path, j))
            while heap and (heap[0][1] in final or heap[0][0] > cost[heap[0][1]]):
                heappop(heap)
            if not heap or heap[0][0] >= best:
                break
            reached, j = heappop(heap)
            final[j] = None
            row = held[j]
            if reached + u[row] < best:
                best, exit_row, exit_column = reached + u[row], row, -1
        u[source] -= best
        for j in final:
            u[held[j]] -= best - cost[j]
            v[j] += best - cost[j]
        if exit_column < 0:
            if exit_row == source:
                return
            exit_column = column[self.cell[exit_row]]
            self.cell[exit_row] = -1
        self._exchange(source, exit_column, via)

    def _exchange(self, source: int, j: int, via: dict[int, int]) -> None:
        """Exchange aligned and other cells along a path to a row, from the column at its end."""
        while True:
            entering = via[j]
            row = bisect_right(self.start, entering) - 1
            left, self.cell[row], self.row[j] = self.cell[row], entering, row
            if row == source:
                return
            j = self.column[left]


def align_by_scipy(cells: Cells, weights: Floats) -> Ints:
    """Align the entities of one document by the search of scipy, which is compiled.

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
