"""Maximum-weight alignment for small whole weights, for matrices on which the searches of `alignment` grow long.

The primal-dual method with many searches at once: prices and profits are whole numbers, and all unaligned rows have the
same profit, which falls from the largest weight W to 0 one by one. At each level the alignment grows until there are no
paths of tight cells from an unaligned row to a free column. A phase reaches all it can, each row over as few others as
possible, leaves out what leads to no free column, and takes paths that share no row, as many as it finds. Each step of
them leads one step further from the unaligned rows, so that no distance ever falls, and all shortest paths are cut:
at most W O(sqrt(A)) phases (Hopcroft and Karp 1973), each of which looks at a cell three times at most. Ten phases a
level would be usual; searches from both ends, in `meeting`, take the place of most.

Large matrices do not fit the caches: what is needed together lies together, four numbers a row, four a column, and what
the queue will lead to is asked for ahead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import helper, kernel

U = np.uint64
"""Of what indexes arrays at random: numba looks at each signed index for being negative, which takes its time."""

ONE = U(1)
FAR = 12  # rows ahead at which a row is looked up
MIDWAY = 8  # its cells, the first and the last, since cache lines end anywhere
NEAR = 4  # and their columns
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
            cell that a path takes from it, or -1 where one may begin.
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
    """Reach rows over tight cells, those nearest to unaligned ones first.

    Returns how many the queue holds, and whether one of them sees a free column. The queue holds ``~row`` of such rows.
    """
    reached = 0
    for row in range(rows.shape[0] - 1):
        rows[row, 3] = 0
        if rows[row, 2] < 0:
            rows[row, 3] = -1
            queue[reached, 0] = row
            queue[reached, 1] = -1
            reached += 1
    found = False
    head = 0
    layer = reached
    distance = 1
    while head < reached:
        if head + FAR < reached:
            prefetch(rows, U(queue[head + FAR, 0]))
            i = U(queue[head + MIDWAY, 0])
            prefetch(cells, U(rows[i, 1]))
            prefetch(cells, U(rows[i + ONE, 1] - 1))
            i = U(queue[head + NEAR, 0])
            for c in range(U(rows[i, 1]), U(rows[i + ONE, 1])):
                if cells[c, 1] >= rows[i, 0]:
                    prefetch(columns, U(cells[c, 0]))
        i = U(queue[head, 0])
        profit = rows[i, 0]
        ends = False
        for c in range(U(rows[i, 1]), U(rows[i + ONE, 1])):
            j = U(cells[c, 0])
            if cells[c, 1] >= profit and profit + columns[j, 0] == cells[c, 1]:
                if columns[j, 1] < 0:
                    ends = True
                elif columns[j, 2] != phase:
                    columns[j, 2] = phase
                    columns[j, 3] = distance
                    queue[reached, 0] = columns[j, 1]
                    queue[reached, 1] = j
                    reached += 1
        if ends:
            queue[head, 0] = ~queue[head, 0]
            found = True
        head += 1
        if head == layer:
            layer = reached
            distance += 1
    return reached, found


@helper
def _leave_out(phase, cells, rows, columns, queue, reached):
    """Leave out rows from which no path leads on to a free column, the farthest first."""
    n = np.int64(reached)
    while n > 0:
        n -= 1
        if n >= FAR:
            if queue[n - FAR, 0] >= 0:
                prefetch(rows, U(queue[n - FAR, 0]))
            if queue[n - MIDWAY, 0] >= 0:
                i = U(queue[n - MIDWAY, 0])
                prefetch(cells, U(rows[i, 1]))
                prefetch(cells, U(rows[i + ONE, 1] - 1))
                if queue[n - MIDWAY, 1] >= 0:
                    prefetch(columns, U(queue[n - MIDWAY, 1]))
            if queue[n - NEAR, 0] >= 0:
                i = U(queue[n - NEAR, 0])
                for c in range(U(rows[i, 1]), U(rows[i + ONE, 1])):
                    if cells[c, 1] >= rows[i, 0]:
                        prefetch(columns, U(cells[c, 0]))
        if queue[n, 0] < 0:
            continue
        i = U(queue[n, 0])
        by = queue[n, 1]
        profit = rows[i, 0]
        leads_on = False
        distance = columns[U(by), 3] + 1 if by >= 0 else 1
        for c in range(U(rows[i, 1]), U(rows[i + ONE, 1])):
            j = U(cells[c, 0])
            if (
                cells[c, 1] >= profit
                and profit + columns[j, 0] == cells[c, 1]
                and columns[j, 2] == phase
                and columns[j, 3] == distance
            ):
                leads_on = True
                break
        if leads_on:
            continue
        if by >= 0:
            columns[U(by), 3] = 0
        else:
            rows[i, 3] = 0


@helper
def _grow(phase, cells, rows, columns, path):
    """Lengthen the alignment along paths that share no row and lead a step further each; a row is tried once.

    Returns how many it found.
    """
    found = 0
    for first in range(rows.shape[0] - 1):
        if rows[first, 3] >= 0:
            continue
        depth = 0
        path[0, 0] = first
        rows[first, 3] = rows[first, 1]
        while depth >= 0:
            i = U(path[depth, 0])
            c = U(rows[i, 3])
            if c == U(rows[i + ONE, 1]):
                depth -= 1
                if depth >= 0:
                    rows[U(path[depth, 0]), 3] += 1
                continue
            j = U(cells[c, 0])
            if rows[i, 0] + columns[j, 0] == cells[c, 1]:
                other = columns[j, 1]
                if other < 0:
                    for d in range(depth + 1):
                        k = U(path[d, 0])
                        rows[k, 2] = rows[k, 3]
                        columns[U(cells[U(rows[k, 3]), 0]), 1] = k
                    found += 1
                    break
                if columns[j, 2] == phase and columns[j, 3] == depth + 1:
                    columns[j, 3] = 0
                    depth += 1
                    path[depth, 0] = other
                    rows[U(other), 3] = rows[U(other), 1]
                    continue
            rows[i, 3] = c + ONE
    return found


@kernel
def grow_or_fall(phase: int, cells: Small, rows: Small, columns: Small, queue: Small) -> int:
    """Do one phase: lengthen the alignment, or lower the profit of the unaligned rows by 1 where nothing is left to do.

    Args:
        phase: a number that no phase had before, 0 or more.
        cells: int32 (C, 2) as `lay_out` fills it.
        rows: int32 (A+1, 4) likewise; read and written.
        columns: int32 (B, 4) likewise; read and written.
        queue: int32 (A, 2) scratch.

    Returns:
        How many more rows are aligned; -1 if the profit fell.
    """
    reached, found = _reach(phase, cells, rows, columns, queue)
    if found:
        _leave_out(phase, cells, rows, columns, queue, reached)
        return int(_grow(phase, cells, rows, columns, queue))
    for n in range(reached):
        i = U(queue[n, 0])
        rows[i, 0] -= 1
        if queue[n, 1] >= 0:
            columns[U(queue[n, 1]), 0] += 1
    return -1
