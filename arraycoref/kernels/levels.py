"""Maximum-weight alignment for small whole weights, for matrices on which the searches of `alignment` grow long.

The primal-dual method with many searches at once: prices and profits are whole numbers, and all unaligned rows have the
same profit, which falls from the largest weight W to 0 one by one. At each level the alignment grows along shortest
paths of tight cells, all of one length at a time (Hopcroft and Karp 1973), until there are none. That takes at most
W O(sqrt(A)) phases, each of which looks at a cell twice at most; ten phases a level are usual.

Large matrices do not fit the cache, so that what is needed together lies together: four numbers a row, four a column.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import helper, kernel

U = np.uint64
"""Of what indexes arrays at random: numba looks at each signed index for being negative, which takes its time."""

ONE = U(1)
Ints = NDArray[np.int64]
Small = NDArray[np.int32]


@kernel
def lay_out(
    start: Ints, cell_column: Ints, weight: Small, largest: int, cells: Small, rows: Small, columns: Small
) -> None:
    """Begin with no alignment.

    Args:
        start: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``, fewer than 2^31; not checked.
        cell_column: int64 (C,) column of each cell, no column twice in a row.
        weight: int32 (C,) weights, none negative.
        largest: the largest weight.
        cells: int32 (C, 2) receives the column and the weight of each cell.
        rows: int32 (A+1, 4) receives of each row the profit, its first cell, the cell that it is aligned by, and the
            cell that a path takes from it.
        columns: int32 (B, 4) receives of each column the price, the row that it is aligned with, the last phase that
            reached it, and after how many rows.
    """
    for c in range(cell_column.size):
        cells[c, 0] = cell_column[c]
        cells[c, 1] = weight[c]
    for i in range(start.size):
        rows[i, 0] = largest
        rows[i, 1] = start[i]
        rows[i, 2] = -1
    for j in range(columns.shape[0]):
        columns[j, 0] = 0
        columns[j, 1] = -1
        columns[j, 2] = -1


@helper
def _reach(phase, cells, rows, columns, queue):
    """Reach rows over tight cells, those nearest to unaligned ones first, up to the first that sees a free column.

    Returns how many the queue holds, and whether one of them sees a free column.
    """
    reached = 0
    for row in range(rows.shape[0] - 1):
        if rows[row, 2] < 0:
            queue[reached] = row
            reached += 1
    found = False
    head = 0
    distance = 0
    while head < reached and not found:
        distance += 1
        for n in range(head, reached):
            i = U(queue[n])
            profit = rows[i, 0]
            for c in range(U(rows[i, 1]), U(rows[i + ONE, 1])):
                j = U(cells[c, 0])
                if profit + columns[j, 0] == cells[c, 1]:
                    if columns[j, 1] < 0:
                        found = True
                    elif columns[j, 2] != phase:
                        columns[j, 2] = phase
                        columns[j, 3] = distance
                        queue[reached] = columns[j, 1]
                        reached += 1
            head += 1
    return reached, found


@helper
def _grow(phase, cells, rows, columns, path):
    """Lengthen the alignment along shortest paths that share no row; a row is tried once."""
    for first in range(rows.shape[0] - 1):
        if rows[first, 2] >= 0:
            continue
        depth = 0
        path[0] = first
        rows[first, 3] = rows[first, 1]
        while depth >= 0:
            i = U(path[depth])
            c = U(rows[i, 3])
            if c == U(rows[i + ONE, 1]):
                depth -= 1
                if depth >= 0:
                    rows[path[depth], 3] += 1
                continue
            j = U(cells[c, 0])
            if rows[i, 0] + columns[j, 0] == cells[c, 1]:
                other = columns[j, 1]
                if other < 0:
                    for d in range(depth + 1):
                        k = path[d]
                        rows[k, 2] = rows[k, 3]
                        columns[cells[rows[k, 3], 0], 1] = k
                    break
                if columns[j, 2] == phase and columns[j, 3] == depth + 1:
                    columns[j, 3] = 0
                    depth += 1
                    path[depth] = other
                    rows[other, 3] = rows[other, 1]
                    continue
            rows[i, 3] = c + ONE


@kernel
def grow_or_fall(phase: int, cells: Small, rows: Small, columns: Small, queue: Small) -> bool:
    """Do one phase: lengthen the alignment, or lower the profit of the unaligned rows by 1 where nothing is left to do.

    Args:
        phase: a number that no phase had before, 0 or more.
        cells: int32 (C, 2) as `lay_out` fills it.
        rows: int32 (A+1, 4) likewise; read and written.
        columns: int32 (B, 4) likewise; read and written.
        queue: int32 (A,) scratch.

    Returns:
        Whether the profit fell.
    """
    reached, found = _reach(phase, cells, rows, columns, queue)
    if found:
        _grow(phase, cells, rows, columns, queue)
        return False
    for n in range(reached):
        i = queue[n]
        rows[i, 0] -= 1
        if rows[i, 2] >= 0:
            columns[cells[rows[i, 2], 0], 0] += 1
    return True
