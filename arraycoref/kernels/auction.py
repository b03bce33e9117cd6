"""Maximum-weight alignment by auction, for matrices on which the searches of `kernels.alignment` grow long.

Forward and reverse auction with epsilon scaling (Bertsekas and Castanon 1992). Rows, the key entities, bid for columns:
a row takes the column of the largest profit, weight less price, or stays unaligned for profit 0, and raises the price
until the second best would do as well. Each scale keeps the prices of the one before and divides epsilon; columns that
kept a price but lost their row then bid for rows in turn. At the end of a scale the alignment is within epsilon a row
of the optimum. Prices lead bidders away from regions without free columns, so that the number of bids a row hardly
depends on the size of the matrix. `arraycoref.assignment` leads through the scales; what may take long stops after so
many bids and goes on when called again.

The side that bids is one thing here and the side bid for another, whichever is rows and which columns. A side is two
arrays of one memory, (N, 2): prices, float64, in the first column of the one, and partners, int64 and -1 for none, in
the second column of the other. Only the side bid for changes; `hand_over` tells the other at the end. Large matrices
do not fit the caches, and bids are in no order that a processor could foresee, but the queue knows it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import helper, kernel

U = np.uint64
"""Of what indexes arrays at random: numba looks at each signed index for being negative, which takes its time."""

ONE = U(1)
FAR = 12  # bids ahead at which what a row owns is looked up
MIDWAY = 8  # its cells, the first and the last, since cache lines end anywhere
NEAR = 4  # and their prices
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
    start: Ints, other: Ints, weight: Floats, epsilon: float, row_partner: Ints, price: Floats, partner: Ints,
    queue: Ints,
) -> int:  # fmt: skip
    """Begin a scale: keep rows that are within ``epsilon`` of the best, and queue all others; return their number.

    Args:
        start: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``; not checked.
        other: int64 (C,) column of each cell, no column twice in a row.
        weight: float64 (C,) weights, none negative.
        epsilon: least rise of a price.
        row_partner: int64 (A, 2) partners of the rows.
        price: float64 (B, 2) prices of the columns.
        partner: int64 (B, 2) partners of the columns, read and written.
        queue: int64 (at least A,) a ring; receives the rows that are to bid, from position 0.
    """
    count = 0
    ahead = U(0)
    for i in range(row_partner.shape[0]):
        while ahead < U(start[min(i + FAR, row_partner.shape[0])]):
            prefetch(price, U(other[ahead]))
            ahead += ONE
        own = row_partner[i, 1]
        best = 0.0
        profit = 0.0
        for c in range(U(start[i]), U(start[i + 1])):
            value = weight[c] - price[U(other[c]), 0]
            best = value if value > best else best
            profit = value if other[c] == own else profit
        if own >= 0:
            if profit >= best - epsilon:
                continue
            partner[own, 1] = -1
        queue[count] = i
        count += 1
    return count


@helper
def _wrapped(place, size):
    """Return a place in a ring that holds ``size``, of one that may lie a round further."""
    return U(place if place < size else place - size)


@kernel
def bid(
    queue: Ints, ring: Ints, bids: int, start: Ints, other: Ints, weight: Floats, epsilon: float, least: float,
    price: Floats, partner: Ints,
) -> int:  # fmt: skip
    """Let the bidders in the queue bid until each has a partner or wants none; return how many bids that took.

    Args:
        queue: int64 (at least the bidders,) a ring of them.
        ring: int64 (2,) where it begins, and how many are in it; read and written.
        bids: number after which to pause.
        start: int64 (bidders + 1,) bidder i owns the cells ``start[i]:start[i + 1]``; not checked.
        other: int64 (C,) what each cell is a bid for.
        weight: float64 (C,) weights of these cells.
        epsilon: least rise of a price.
        least: profit that a bidder keeps at least: below any for rows; 0 for columns, whose prices are not negative.
        price: float64 (N, 2) prices of what is bid for, read and written.
        partner: int64 (N, 2) their partners, read and written.
    """
    head = ring[0]
    count = ring[1]
    done = 0
    while count > 0 and done < bids:
        done += 1
        if count > FAR:
            prefetch(start, U(queue[_wrapped(head + FAR, queue.size)]))
            i = queue[_wrapped(head + MIDWAY, queue.size)]
            for cell in (start[U(i)], start[U(i) + ONE] - 1):
                prefetch(other, U(cell))
                prefetch(weight, U(cell))
            i = queue[_wrapped(head + NEAR, queue.size)]
            for c in range(U(start[U(i)]), U(start[U(i) + ONE])):
                prefetch(price, U(other[c]))
        i = queue[U(head)]
        head = head + 1 if head + 1 < queue.size else 0
        count -= 1
        best = np.int64(-1)
        first = 0.0
        second = 0.0
        for c in range(U(start[U(i)]), U(start[U(i) + ONE])):
            value = weight[c] - price[U(other[c]), 0]
            if value > first:
                second = first
                first = value
                best = np.int64(c)
            elif value > second:
                second = value
        if best < 0:
            continue
        j = U(other[U(best)])
        profit = second - epsilon
        price[j, 0] = weight[U(best)] - (profit if profit > least else least)
        outbid = partner[j, 1]
        partner[j, 1] = i
        if outbid >= 0:
            queue[_wrapped(head + count, queue.size)] = outbid
            count += 1
    ring[0] = head
    ring[1] = count
    return done


@kernel
def hand_over(
    price: Floats, partner: Ints, start: Ints, other: Ints, weight: Floats, own_price: Floats, own_partner: Ints
) -> None:
    """Tell the bidders which partners they have, and what profit that leaves them: the price at which to bid for them.

    Args:
        price: float64 (N, 2) prices of what was bid for.
        partner: int64 (N, 2) their partners.
        start: as for `bid`.
        other: likewise.
        weight: likewise.
        own_price: float64 (bidders, 2) receives the profits, 0 of bidders without a partner.
        own_partner: int64 (bidders, 2) receives the partners.
    """
    for i in range(own_price.shape[0]):
        own_price[i, 0] = 0.0
        own_partner[i, 1] = -1
    for j in range(price.shape[0]):
        i = partner[j, 1]
        if i >= 0:
            own_price[U(i), 0] = price[j, 0]
            own_partner[U(i), 1] = j
    for i in range(own_price.shape[0]):
        j = own_partner[i, 1]
        if j >= 0:
            c = U(start[i])
            while other[c] != j:
                c += ONE
            own_price[i, 0] = weight[c] - own_price[i, 0]


@kernel
def queue_idle(price: Floats, partner: Ints, queue: Ints) -> int:
    """Queue what kept a price but lost its partner; return how many.

    Args:
        price: float64 (N, 2).
        partner: int64 (N, 2).
        queue: int64 (at least N,) receives them, from position 0.
    """
    count = 0
    for j in range(price.shape[0]):
        if partner[j, 1] < 0 and price[j, 0] > 0.0:
            queue[count] = j
            count += 1
    return count


@kernel
def proved(
    start: Ints, other: Ints, weight: Floats, unit: float, row_partner: Ints, price: Floats, partner: Ints
) -> bool:
    """Whether prices rounded to multiples of ``unit`` prove that no alignment weighs more.

    Args:
        start: as for `open_scale`.
        other: likewise.
        weight: likewise, multiples of ``unit``.
        unit: above 0.
        row_partner: int64 (A, 2) partners of the rows.
        price: float64 (B, 2) prices of the columns.
        partner: int64 (B, 2) partners of the columns.
    """
    for j in range(price.shape[0]):
        if partner[j, 1] < 0 and np.rint(price[j, 0] / unit) > 0.0:
            return False
    for i in range(row_partner.shape[0]):
        best = 0.0
        own = 0.0
        for c in range(start[i], start[i + 1]):
            value = weight[c] - np.rint(price[other[c], 0] / unit) * unit
            best = max(best, value)
            if other[c] == row_partner[i, 1]:
                own = value
        if own < best:
            return False
    return True


@kernel
def aligned_cells(start: Ints, other: Ints, row_partner: Ints, row_cell: Ints) -> None:
    """Find the cell that each row is aligned by.

    Args:
        start: as for `open_scale`.
        other: likewise.
        row_partner: int64 (A, 2) partners of the rows.
        row_cell: int64 (A,) receives the cells, -1 where a row has no partner.
    """
    for i in range(row_cell.size):
        row_cell[i] = -1
        for c in range(start[i], start[i + 1]):
            if other[c] == row_partner[i, 1]:
                row_cell[i] = c
