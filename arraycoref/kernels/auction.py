"""Maximum-weight alignment by auction, for matrices on which the searches of `kernels.alignment` grow long.

Forward and reverse auction with epsilon scaling (Bertsekas and Castanon 1992). Rows, the key entities, bid for columns:
a row takes the column of the largest profit, weight less price, or stays unaligned for profit 0, and raises the price
until the second best would do as well. Each scale keeps the prices of the one before and divides epsilon by ten;
columns that kept a price but lost their row then bid for rows in turn. At the end of a scale the alignment is within
epsilon a row of the optimum. Prices lead bidders away from regions without free columns, so that the number of bids a
row hardly depends on the size of the matrix. `arraycoref.assignment` leads through the scales; what may take long
stops after so many bids and goes on when called again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import kernel

U = np.uint64
"""Of what indexes arrays at random: numba looks at each signed index for being negative, which takes its time."""

ONE = U(1)
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@kernel
def by_column(cell_column: Ints, n_columns: int) -> tuple[Ints, Ints]:
    """Return (start, cells): column j owns the cells ``cells[start[j]:start[j + 1]]``.

    Args:
        cell_column: int64 (C,) column of each cell; not checked.
        n_columns: number of columns.
    """
    start = np.zeros(n_columns + 1, np.int64)
    for c in range(cell_column.size):
        start[cell_column[c] + 1] += 1
    for j in range(n_columns):
        start[j + 1] += start[j]
    position = start[:-1].copy()
    cells = np.empty(cell_column.size, np.int64)
    for c in range(cell_column.size):
        j = cell_column[c]
        cells[position[j]] = c
        position[j] += 1
    return start, cells


@kernel
def open_scale(
    start: Ints, cell_column: Ints, weight: Floats, epsilon: float, profit: Floats, price: Floats, row_cell: Ints,
    column_row: Ints, queue: Ints,
) -> int:  # fmt: skip
    """Begin a scale: keep what is within ``epsilon`` of the best, and queue the other rows; return their number.

    Args:
        start: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``; not checked.
        cell_column: int64 (C,) column of each cell, no column twice in a row.
        weight: float64 (C,) weights, none negative.
        epsilon: least rise of a price.
        profit: float64 (A,) profits of the rows, read and written, like all that follows.
        price: float64 (B,) prices of the columns.
        row_cell: int64 (A,) the cell that each row is aligned by, -1 if unaligned.
        column_row: int64 (B,) the row that each column is aligned with, -1 if free.
        queue: int64 (at least A,) a ring; receives the rows that are to bid, from position 0.
    """
    count = 0
    for i in range(profit.size):
        best = 0.0
        for c in range(start[i], start[i + 1]):
            best = max(best, weight[c] - price[cell_column[c]])
        own = row_cell[i]
        if own >= 0:
            profit[i] = weight[own] - price[cell_column[own]]
            if profit[i] >= best - epsilon:
                continue
            column_row[cell_column[own]] = -1
            row_cell[i] = -1
        queue[count] = i
        count += 1
    return count


@kernel
def forward(
    queue: Ints, ring: Ints, bids: int, start: Ints, cell_column: Ints, weight: Floats, epsilon: float, profit: Floats,
    price: Floats, row_cell: Ints, column_row: Ints,
) -> None:  # fmt: skip
    """Let the rows in the queue bid until each has a column or wants none.

    Args:
        queue: int64 (at least A,) a ring of rows.
        ring: int64 (2,) where it begins, and how many are in it; read and written.
        bids: number after which to pause.
        start: and what follows: as for `open_scale`.
        cell_column: likewise.
        weight: likewise.
        epsilon: likewise.
        profit: likewise.
        price: likewise.
        row_cell: likewise.
        column_row: likewise.
    """
    head = ring[0]
    count = ring[1]
    while count > 0 and bids > 0:
        bids -= 1
        i = queue[head]
        head = head + 1 if head + 1 < queue.size else 0
        count -= 1
        best = np.int64(-1)
        first = 0.0
        second = 0.0
        for c in range(U(start[U(i)]), U(start[U(i) + ONE])):
            value = weight[c] - price[U(cell_column[c])]
            if value > first:
                second = first
                first = value
                best = np.int64(c)
            elif value > second:
                second = value
        if best < 0:
            profit[i] = 0.0
            continue
        j = cell_column[best]
        price[j] = weight[best] - second + epsilon
        profit[i] = second - epsilon
        outbid = column_row[j]
        column_row[j] = i
        row_cell[i] = best
        if outbid >= 0:
            row_cell[outbid] = -1
            tail = head + count
            queue[tail if tail < queue.size else tail - queue.size] = outbid
            count += 1
    ring[0] = head
    ring[1] = count


@kernel
def queue_columns(price: Floats, column_row: Ints, queue: Ints) -> int:
    """Queue the columns that kept a price but lost their row; return their number.

    Args:
        price: float64 (B,).
        column_row: int64 (B,).
        queue: int64 (at least B,) receives them, from position 0.
    """
    count = 0
    for j in range(price.size):
        if column_row[j] < 0 and price[j] > 0.0:
            queue[count] = j
            count += 1
    return count


@kernel
def reverse(
    queue: Ints, ring: Ints, bids: int, start: Ints, cells: Ints, rows: Ints, weight: Floats, cell_column: Ints,
    epsilon: float, profit: Floats, price: Floats, row_cell: Ints, column_row: Ints,
) -> None:  # fmt: skip
    """Let the columns in the queue bid until each has a row or costs nothing.

    Args:
        queue: int64 (at least B,) a ring of columns.
        ring: as for `forward`.
        bids: likewise.
        start: int64 (B+1,) as `by_column` gives it.
        cells: int64 (C,) likewise.
        rows: int64 (C,) the rows of these cells.
        weight: float64 (C,) the weights of these cells.
        cell_column: and what follows: as for `open_scale`.
        epsilon: likewise.
        profit: likewise.
        price: likewise.
        row_cell: likewise.
        column_row: likewise.
    """
    head = ring[0]
    count = ring[1]
    while count > 0 and bids > 0:
        bids -= 1
        j = queue[head]
        head = head + 1 if head + 1 < queue.size else 0
        count -= 1
        best = np.int64(-1)
        first = 0.0
        second = 0.0
        for position in range(U(start[U(j)]), U(start[U(j) + ONE])):
            value = weight[position] - profit[U(rows[position])]
            if value > first:
                second = first
                first = value
                best = np.int64(position)
            elif value > second:
                second = value
        if best < 0:
            price[j] = 0.0
            continue
        i = rows[best]
        price[j] = max(0.0, second - epsilon)
        profit[i] = weight[best] - price[j]
        outbid = row_cell[i]
        row_cell[i] = cells[best]
        column_row[j] = i
        if outbid >= 0:
            other = cell_column[outbid]
            column_row[other] = -1
            if price[other] > 0.0:
                tail = head + count
                queue[tail if tail < queue.size else tail - queue.size] = other
                count += 1
    ring[0] = head
    ring[1] = count


@kernel
def proved(
    start: Ints, cell_column: Ints, weight: Floats, unit: float, price: Floats, row_cell: Ints, column_row: Ints
) -> bool:
    """Whether prices rounded to multiples of ``unit`` prove that no alignment weighs more.

    Args:
        start: as for `open_scale`.
        cell_column: likewise.
        weight: likewise, multiples of ``unit``.
        unit: above 0.
        price: as for `open_scale`.
        row_cell: likewise.
        column_row: likewise.
    """
    for j in range(price.size):
        if column_row[j] < 0 and np.rint(price[j] / unit) > 0.0:
            return False
    for i in range(row_cell.size):
        best = 0.0
        own = 0.0
        for c in range(start[i], start[i + 1]):
            value = weight[c] - np.rint(price[cell_column[c]] / unit) * unit
            best = max(best, value)
            if c == row_cell[i]:
                own = value
        if own < best:
            return False
    return True
