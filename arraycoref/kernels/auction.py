"""Maximum-weight alignment by auction, for matrices on which the searches of `kernels.alignment` grow long.

Forward and reverse auction with epsilon scaling (Bertsekas and Castanon 1992). Rows, the key entities, bid for columns:
a row takes the column of the largest profit, weight less price, or stays unaligned for profit 0, and raises the price
until the second best would do as well. Each scale keeps the prices of the one before and divides epsilon by ten;
columns that kept a price but lost their row then bid for rows in turn. At the end of a scale the alignment is within
epsilon a row of the optimum. Prices lead bidders away from regions without free columns, so that the number of bids a
row hardly depends on the size of the matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import helper, kernel


@helper
def _by_column(cell_column, n_columns):
    """Return (start, cells): column j owns the cells ``cells[start[j]:start[j + 1]]``."""
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


@helper
def _forward(queue, count, start, cell_column, weight, epsilon, profit, price, row_cell, column_row):
    """Let the ``count`` rows in the queue, a ring, bid until each has a column or wants none."""
    head = 0
    while count > 0:
        i = queue[head]
        head = head + 1 if head + 1 < queue.size else 0
        count -= 1
        best = -1
        first = 0.0
        second = 0.0
        for c in range(start[i], start[i + 1]):
            value = weight[c] - price[cell_column[c]]
            if value > first:
                second = first
                first = value
                best = c
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


@helper
def _reverse(queue, count, start, cells, cell_row, cell_column, weight, epsilon, profit, price, row_cell, column_row):
    """Let the ``count`` columns in the queue, a ring, bid until each has a row or costs nothing."""
    head = 0
    while count > 0:
        j = queue[head]
        head = head + 1 if head + 1 < queue.size else 0
        count -= 1
        best = -1
        first = 0.0
        second = 0.0
        for position in range(start[j], start[j + 1]):
            c = cells[position]
            value = weight[c] - profit[cell_row[c]]
            if value > first:
                second = first
                first = value
                best = c
            elif value > second:
                second = value
        if best < 0:
            price[j] = 0.0
            continue
        i = cell_row[best]
        price[j] = max(0.0, second - epsilon)
        profit[i] = weight[best] - price[j]
        outbid = row_cell[i]
        row_cell[i] = best
        column_row[j] = i
        if outbid >= 0:
            other = cell_column[outbid]
            column_row[other] = -1
            if price[other] > 0.0:
                tail = head + count
                queue[tail if tail < queue.size else tail - queue.size] = other
                count += 1


@helper
def _proved(start, cell_column, weight, unit, price, row_cell, column_row):
    """Whether prices rounded to multiples of ``unit`` prove that no alignment weighs more."""
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


@kernel
def align_by_auction(
    start: NDArray[np.int64],
    cell_row: NDArray[np.int64],
    cell_column: NDArray[np.int64],
    weight: NDArray[np.float64],
    unit: float,
    profit: NDArray[np.float64],
    price: NDArray[np.float64],
    row_cell: NDArray[np.int64],
    column_row: NDArray[np.int64],
) -> None:
    """Find a one-to-one alignment of rows and columns of the largest total weight.

    Exact for weights that are multiples of a unit. Otherwise the total is within 1e-13 of the largest weight, a row, of
    the optimum, which is no more than the rounding of the sum itself.

    Args:
        start: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``; not checked.
        cell_row: int64 (C,) row of each cell, ascending.
        cell_column: int64 (C,) column of each cell, no column twice in a row.
        weight: float64 (C,) weights, none negative.
        unit: number of which all weights are multiples, 0 if there is none.
        profit: float64 (A,) receives the profits of the rows.
        price: float64 (B,) receives the prices of the columns.
        row_cell: int64 (A,) receives the cell that each row is aligned by, -1 if unaligned.
        column_row: int64 (B,) receives the row that each column is aligned with, -1 if free.
    """
    n_rows = profit.size
    n_columns = price.size
    column_start, column_cells = _by_column(cell_column, n_columns)
    queue = np.empty(max(n_rows, n_columns) + 1, np.int64)
    profit[:] = 0.0
    price[:] = 0.0
    row_cell[:] = -1
    column_row[:] = -1
    largest = 0.0
    for c in range(weight.size):
        largest = max(largest, weight[c])
    finest = max(1e-13 * largest, 0.5 * unit / (n_rows + 1))
    epsilon = max(0.25 * largest, finest)
    while largest > 0.0:
        count = 0
        for i in range(n_rows):  # keep what is still within epsilon of the best
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
        _forward(queue, count, start, cell_column, weight, epsilon, profit, price, row_cell, column_row)
        count = 0
        for j in range(n_columns):
            if column_row[j] < 0 and price[j] > 0.0:
                queue[count] = j
                count += 1
        _reverse(
            queue, count, column_start, column_cells, cell_row, cell_column, weight, epsilon,
            profit, price, row_cell, column_row,
        )  # fmt: skip
        if epsilon <= finest or (unit > 0.0 and _proved(start, cell_column, weight, unit, price, row_cell, column_row)):
            break
        epsilon = max(0.1 * epsilon, finest)
