"""Short paths for `levels`, by searches from unaligned rows and unaligned columns at once.

Where a path of tight cells leads from few of the rows to a free column, a phase of `levels` reaches nearly all of a
large matrix to find some of them. Searches from both ends meet after far fewer steps: in a matrix of N rows without
structure, each of k short paths takes some sqrt(N / k). Trees grow from all unaligned rows and, against the direction
of paths, from all free columns, a layer of the narrower front at a time. Where two meet, the path is taken at once and
both trees are given up; what they hold is out of reach until the next round. A round ends once it hardly finds more.
How many rounds are worth it is for `arraycoref.assignment` to tell; what they leave over, a phase finds.

The arrays are those of `levels`, and so are the numbers of phases: the first of a round's two is that of the columns
that trees of rows reached, the second of those that trees of columns did. Beside it, in place of a distance, stands
the row that a column was reached from, or the column that comes next on the way to the free one; -1 where the tree is
known to be given up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import helper, kernel

U = np.uint64
"""Of what indexes arrays at random: numba looks at each signed index for being negative, which takes its time."""

ONE = U(1)
FAR = 12  # places ahead at which a row or column is looked up
MIDWAY = 8  # its cells, the first of them
NEAR = 4  # and what is on their other side
SORTED, PLACED = U(48), U(24)  # cells ahead at which their column's place, and what stands there, is looked up
ENDS = 32  # a round ends with a layer that finds less than this part of what it found in all
Ints = NDArray[np.int64]
Small = NDArray[np.int32]


@kernel
def lay_out_columns(start: Ints, cell_column: Ints, weight: Small, column_start: Small, column_cells: Small) -> None:
    """Sort the cells by their columns.

    Args:
        start: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``, fewer than 2^31; not checked.
        cell_column: int64 (C,) column of each cell, no column twice in a row.
        weight: int32 (C,) weights, none negative.
        column_start: int32 (B+1,) zeros; column j receives the places ``column_start[j]:column_start[j + 1]``.
        column_cells: int32 (C, 2) receives in these places row and weight of each cell.
    """
    for c in range(cell_column.size):
        column_start[U(cell_column[c])] += 1
    total = np.int32(0)
    for j in range(column_start.size):
        total += column_start[j]
        column_start[j] = total
    row = start.size - 1
    for c in range(cell_column.size - 1, -1, -1):
        if c >= SORTED:
            prefetch(column_start, U(cell_column[U(c) - SORTED]))
            prefetch(column_cells, U(column_start[U(cell_column[U(c) - PLACED])] - 1))
        while start[row] > c:
            row -= 1
        column = U(cell_column[c])
        column_start[column] -= 1
        column_cells[U(column_start[column]), 0] = row
        column_cells[U(column_start[column]), 1] = weight[c]


@helper
def _leads_back(cells, rows, columns, j):
    """Tell whether a column that a tree of a row reached still leads back to an unaligned one."""
    here = j
    while columns[here, 3] >= 0:
        i = U(columns[here, 3])
        if rows[i, 2] < 0:
            return True
        here = U(cells[U(rows[i, 2]), 0])
    columns[j, 3] = -1
    return False


@helper
def _leads_on(columns, j):
    """Tell whether a column that a tree of a column reached still leads on to a free one."""
    here = j
    while columns[here, 1] >= 0:
        if columns[here, 3] < 0:
            columns[j, 3] = -1
            return False
        here = U(columns[here, 3])
    return True


@helper
def _align(phase, cells, rows, columns, i, j):
    """Align a row with a column, and note of the column that its tree is given up."""
    c = U(rows[i, 1])
    while U(cells[c, 0]) != j:
        c += ONE
    rows[i, 2] = c
    columns[j, 1] = i
    columns[j, 2] = phase
    columns[j, 3] = -1


@helper
def _take_path(phase, cells, rows, columns, i, j):
    """Align a row with a column, where two trees meet, and what that displaces: back to one root, on to the other."""
    displaced = columns[j, 1]
    following = columns[j, 3]
    row = i
    column = j
    while True:
        before = rows[row, 2]
        _align(phase, cells, rows, columns, row, column)
        if before < 0:
            break
        column = U(cells[U(before), 0])
        row = U(columns[column, 3])
    while displaced >= 0:
        row = U(displaced)
        column = U(following)
        displaced = columns[column, 1]
        following = columns[column, 3]
        _align(phase, cells, rows, columns, row, column)


@helper
def _grow_from_rows(phase, cells, rows, columns, queue, head, tail):
    """Grow the trees of rows by a layer; return where the next one ends, and how many paths were taken."""
    stop = tail
    taken = 0
    for n in range(head, stop):
        if n + FAR < stop:
            prefetch(rows, U(queue[n + FAR, 0]))
            prefetch(cells, U(rows[U(queue[n + MIDWAY, 0]), 1]))
            i = U(queue[n + NEAR, 0])
            for c in range(U(rows[i, 1]), U(rows[i + ONE, 1])):
                prefetch(columns, U(cells[c, 0]))
        i = U(queue[n, 0])
        if rows[U(queue[n, 1]), 2] >= 0:
            continue
        profit = rows[i, 0]
        for c in range(U(rows[i, 1]), U(rows[i + ONE, 1])):
            j = U(cells[c, 0])
            if profit + columns[j, 0] != cells[c, 1]:
                continue
            if columns[j, 1] >= 0:
                if columns[j, 2] == phase:
                    continue
                if columns[j, 2] != phase + 1:
                    columns[j, 2] = phase
                    columns[j, 3] = i
                    queue[tail, 0] = columns[j, 1]
                    queue[tail, 1] = queue[n, 1]
                    tail += 1
                    continue
                if not _leads_on(columns, j):
                    continue
            _take_path(phase, cells, rows, columns, i, j)
            taken += 1
            break
    return tail, taken


@helper
def _grow_from_columns(phase, cells, rows, columns, column_start, column_cells, queue, head, tail):
    """Grow the trees of columns by a layer; return where the next one ends, and how many paths were taken."""
    stop = tail
    taken = 0
    for n in range(head, stop):
        if n + FAR < stop:
            prefetch(columns, U(queue[n + FAR, 0]))
            prefetch(column_start, U(queue[n + FAR, 0]))
            prefetch(column_cells, U(column_start[U(queue[n + MIDWAY, 0])]))
            j = U(queue[n + NEAR, 0])
            for c in range(U(column_start[j]), U(column_start[j + ONE])):
                prefetch(rows, U(column_cells[c, 0]))
        j = U(queue[n, 0])
        if columns[U(queue[n, 1]), 1] >= 0:
            continue
        own = columns[j, 1]
        price = columns[j, 0]
        for c in range(U(column_start[j]), U(column_start[j + ONE])):
            i = U(column_cells[c, 0])
            if rows[i, 0] + price != column_cells[c, 1] or column_cells[c, 0] == own:
                continue
            if rows[i, 2] >= 0:
                k = U(cells[U(rows[i, 2]), 0])
                if columns[k, 2] == phase + 1:
                    continue
                if columns[k, 2] != phase:
                    columns[k, 2] = phase + 1
                    columns[k, 3] = j
                    queue[tail, 0] = k
                    queue[tail, 1] = queue[n, 1]
                    tail += 1
                    continue
                if not _leads_back(cells, rows, columns, k):
                    continue
            _take_path(phase, cells, rows, columns, i, j)
            taken += 1
            break
    return tail, taken


@kernel
def meet(
    phase: int,
    cells: Small,
    rows: Small,
    columns: Small,
    column_start: Small,
    column_cells: Small,
    from_rows: Small,
    from_columns: Small,
) -> tuple[int, int]:
    """Do one round: take paths of tight cells from unaligned rows to free columns, not necessarily all there are.

    Args:
        phase: this number and the next are ones that no phase and no round had before, 0 or more.
        cells: int32 (C, 2) as `levels.lay_out` fills it.
        rows: int32 (A+1, 4) likewise; read and written.
        columns: int32 (B, 4) likewise; read and written.
        column_start: int32 (B+1,) as `lay_out_columns` fills it.
        column_cells: int32 (C, 2) likewise.
        from_rows: int32 (A, 2) scratch: a queue of rows, each with the root of its tree.
        from_columns: int32 (B, 2) scratch: a queue of columns, each with the root of its tree.

    Returns:
        How many paths were taken, and how many rows and columns the trees held. If none was, there is none.
    """
    end = 0
    for i in range(rows.shape[0] - 1):
        if rows[i, 2] < 0:
            from_rows[end, 0] = i
            from_rows[end, 1] = i
            end += 1
    column_end = 0
    for j in range(columns.shape[0]):
        if columns[j, 1] < 0:
            from_columns[column_end, 0] = j
            from_columns[column_end, 1] = j
            column_end += 1
    head = column_head = taken = more = 0
    while head < end and column_head < column_end and ENDS * more >= taken:
        if end - head <= column_end - column_head:
            stop = end
            end, more = _grow_from_rows(phase, cells, rows, columns, from_rows, head, end)
            head = stop
        else:
            stop = column_end
            column_end, more = _grow_from_columns(
                phase, cells, rows, columns, column_start, column_cells, from_columns, column_head, column_end
            )
            column_head = stop
        taken += more
    return taken, end + column_end
