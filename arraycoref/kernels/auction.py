"""Maximum-weight alignment by auction, for matrices on which the searches of `kernels.alignment` grow long.

Forward and reverse auction with epsilon scaling (Bertsekas and Castanon 1992). Rows, the key entities, bid for columns:
a row takes the column of the largest profit, weight less price, or stays unaligned for profit 0, and raises the price
until the second best would do as well. Each scale keeps the prices of the one before and divides epsilon; columns that
kept a price but lost their row then bid for rows in turn. At the end of a scale the alignment is within epsilon a row
of the optimum. Prices lead bidders away from regions without free columns, so that the number of bids a row hardly
depends on the size of the matrix. `arraycoref.assignment` leads through the scales; what may take long stops after so
many bids and goes on when called again.

The side that bids is one thing here and the side bid for another, whichever is rows and which columns. A side is four
arrays, of two memories. Its cells, in its own order: weight, float64, in the first column of (C, 2), and link, int64,
in the second: what the cell is a bid for, and the complement of that in the last cell of a row or column. And what has
changed: prices, float64, in the first column of (N, 2), and partners, int64, in the second: -1 for none, or the
partner's number in the upper half and its first cell in the lower. Only the side bid for changes; `hand_over` updates
the other at the end. Large matrices do not fit the caches, and bids are in no order that a processor could foresee, but
the queue, of bidders in the form of partners, knows it; each place in memory that a bid need not look at is time.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import Floats, Ints, U, helper, kernel

ONE = U(1)
HALF, LOW = 32, U(0xFFFFFFFF)
FAR = 8  # bids ahead at which a bidder's cells are looked up, the first and the fourth, since cache lines end anywhere
NEAR = 4  # and their prices
SORTED, PLACED = U(48), U(24)  # cells ahead at which their column's place, and what stands there, is looked up

Side = tuple[Ints, Floats, Ints, Floats, Ints]
"""`arraycoref.assignment.Side`: int64 (N+1,) starts, of which row or column i owns the cells ``start[i]:start[i + 1]``,
not checked; weight, float64 (C, 2); link, int64 (C, 2); price, float64 (N, 2); partner, int64 (N, 2).
"""


@helper
def _mark_last(start, link):
    for i in range(start.size - 1):
        if start[i + 1] > start[i]:
            link[start[i + 1] - 1, 1] = ~link[start[i + 1] - 1, 1]


@kernel
def lay_out_rows(start: Ints, cell_column: Ints, cell_weight: Floats, weight: Floats, link: Ints) -> None:
    """Lay out the cells as those of rows.

    Args:
        start: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``; not checked.
        cell_column: int64 (C,) column of each cell, no column twice in a row.
        cell_weight: float64 (C,) weights, none negative.
        weight: float64 (C, 2) receives the weights.
        link: int64 (C, 2) receives the links.
    """
    for c in range(cell_column.size):
        weight[c, 0] = cell_weight[c]
        link[c, 1] = cell_column[c]
    _mark_last(start, link)


@kernel
def lay_out_columns(
    start: Ints, cell_column: Ints, cell_weight: Floats, column_start: Ints, weight: Floats, link: Ints
) -> None:
    """Lay out the cells as those of columns.

    Args:
        start: as for `lay_out_rows`.
        cell_column: likewise.
        cell_weight: likewise.
        column_start: int64 (B+1,) zeros; column j receives the places ``column_start[j]:column_start[j + 1]``.
        weight: float64 (C, 2) receives the weights.
        link: int64 (C, 2) receives the links.
    """
    for c in range(cell_column.size):
        column_start[U(cell_column[c])] += 1
    total = 0
    for j in range(column_start.size):
        total += column_start[j]
        column_start[j] = total
    row = start.size - 1
    for c in range(cell_column.size - 1, -1, -1):
        if c >= SORTED:
            prefetch(column_start, U(cell_column[U(c) - SORTED]))
            prefetch(weight, U(column_start[U(cell_column[U(c) - PLACED])] - 1))
        while start[row] > c:
            row -= 1
        column = U(cell_column[c])
        column_start[column] -= 1
        weight[U(column_start[column]), 0] = cell_weight[c]
        link[U(column_start[column]), 1] = row
    _mark_last(column_start, link)


@helper
def _other(link):
    """Return what a cell is a bid for."""
    return link ^ (link >> 63)


@kernel
def open_scale(rows: Side, columns: Side, epsilon: float, queue: Ints) -> int:
    """Begin a scale: keep rows that are within ``epsilon`` of the best, and queue all others; return their number.

    Args:
        rows: A of them, read only.
        columns: their partners are read and written, their prices read.
        epsilon: least rise of a price.
        queue: int64 (at least A,) a ring; receives the rows that are to bid, from position 0.
    """
    start, weight, link, _, row_partner = rows
    _, _, _, price, partner = columns
    count = 0
    ahead = U(0)
    for i in range(row_partner.shape[0]):
        while ahead < U(start[min(i + FAR, row_partner.shape[0])]):
            prefetch(price, U(_other(link[ahead, 1])))
            ahead += ONE
        if start[i] == start[i + 1]:
            continue
        own = row_partner[i, 1] >> HALF
        best = 0.0
        profit = 0.0
        for c in range(U(start[i]), U(start[i + 1])):
            other = _other(link[c, 1])
            value = weight[c, 0] - price[U(other), 0]
            best = value if value > best else best
            profit = value if other == own else profit
        if own >= 0:
            if profit >= best - epsilon:
                continue
            partner[own, 1] = -1
        queue[count] = i << HALF | start[i]
        count += 1
    return count


@helper
def _wrapped(place, size):
    """Return a place in a ring that holds ``size``, of one that may lie a round further."""
    return U(place if place < size else place - size)


@kernel
def bid(queue: Ints, ring: Ints, bids: int, bidders: Side, wanted: Side, epsilon: float, least: float) -> int:
    """Let the bidders in the queue bid until each has a partner or wants none; return how many bids that took.

    Args:
        queue: int64 (at least the bidders,) a ring of them, each with a cell at least.
        ring: int64 (2,) where it begins, and how many are in it; read and written.
        bids: number after which to pause.
        bidders: their weights and links are read.
        wanted: what is bid for; prices and partners are read and written.
        epsilon: least rise of a price.
        least: profit that a bidder keeps at least: below any for rows; 0 for columns, whose prices are not negative.
    """
    _, weight, link, _, _ = bidders
    _, _, _, price, partner = wanted
    head = ring[0]
    count = ring[1]
    done = 0
    while count > 0 and done < bids:
        done += 1
        if count > FAR:
            cell = U(queue[_wrapped(head + FAR, queue.size)]) & LOW
            prefetch(weight, cell)
            prefetch(weight, cell + U(3))
            cell = U(queue[_wrapped(head + NEAR, queue.size)]) & LOW
            other = link[cell, 1]
            while other >= 0:
                prefetch(price, U(other))
                cell += ONE
                other = link[cell, 1]
            prefetch(price, U(~other))
        bidder = queue[U(head)]
        head = head + 1 if head + 1 < queue.size else 0
        count -= 1
        j = U(0)
        worth = 0.0
        first = 0.0
        second = 0.0
        cell = U(bidder) & LOW
        other = np.int64(0)
        while other >= 0:
            other = link[cell, 1]
            k = U(_other(other))
            value = weight[cell, 0] - price[k, 0]
            better = value > first  # without branches, whose outcome no processor could guess
            lesser = first if better else value
            second = lesser if lesser > second else second
            worth = weight[cell, 0] if better else worth
            j = k if better else j
            first = value if better else first
            cell += ONE
        if not first > 0.0:
            continue
        profit = second - epsilon
        price[j, 0] = worth - (profit if profit > least else least)
        outbid = partner[j, 1]
        partner[j, 1] = bidder
        if outbid >= 0:
            queue[_wrapped(head + count, queue.size)] = outbid
            count += 1
    ring[0] = head
    ring[1] = count
    return done


@kernel
def hand_over(bidders: Side, wanted: Side) -> None:
    """Give the bidders their partners, and the profit that these leave them: the price at which to bid for them.

    Args:
        bidders: receive the profits as prices, 0 of bidders without a partner, and the partners.
        wanted: what was bid for, read only.
    """
    start, weight, link, own_price, own_partner = bidders
    wanted_start, _, _, price, partner = wanted
    for i in range(own_price.shape[0]):
        own_price[i, 0] = 0.0
        own_partner[i, 1] = -1
    for j in range(price.shape[0]):
        if partner[j, 1] >= 0:
            bidder = U(partner[j, 1]) >> U(HALF)
            own_price[bidder, 0] = price[j, 0]
            own_partner[bidder, 1] = j << HALF | wanted_start[j]
    for i in range(own_price.shape[0]):
        j = own_partner[i, 1] >> HALF
        if j >= 0:
            c = U(start[i])
            while _other(link[c, 1]) != j:
                c += ONE
            own_price[i, 0] = weight[c, 0] - own_price[i, 0]
