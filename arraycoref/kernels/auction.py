"""Maximum-weight alignment by auction, for matrices on which the searches of `kernels.alignment` take too long.

The method is the forward and reverse auction with epsilon scaling (Bertsekas and Castanon 1992). Rows, which are key
entities, bid for columns. A row takes the column with the largest profit, which is weight minus price, or stays
unaligned if no profit is positive. It raises the column's price until its second best column would be as good. There
are several scales: each starts with the prices of the scale before and a smaller epsilon. Columns that have a price but
lost their row then bid for rows. At the end of a scale the total weight is below the optimum by at most epsilon per
row. Prices keep bidders away from regions without free columns, so that the number of bids per row hardly depends on
the size of the matrix. `arraycoref.scoring.alignment` runs the scales; kernels that may take long pause after a number
of bids
and go on when they are called again.

Kernels do not know which side is rows and which is columns, but only the side that bids and the side that is wanted. A
side has these arrays, besides the starts of its rows or columns:

- For each cell, in the side's own order, an entry of an array (C, 2). The first column is the weight, float64. The
  second column is the link, int64: the number of the wanted row or column, or, in the last cell of a bidder, the
  complement of this number.
- For each of its N rows or columns, an entry of an array (N, 2). The first column is the price, float64. The second
  column is the partner, int64: -1 for none, or the partner's number in the upper 32 bits and its first cell in the
  lower.

Only the wanted side changes during bids; `hand_over` updates the bidding side at the end. A large matrix does not fit
the caches, and the processor cannot predict the order of bids. But the queue contains the next bidders, in the form of
partners, so that their cells can be prefetched. Weight and link, and price and partner, are beside each other, because
each access to another place in memory takes time.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.intrinsics import prefetch
from arraycoref.kernels.jit import U, helper, kernel
from arraycoref.ragged import Floats, Ints

ONE = U(1)
HALF, LOW = 32, U(0xFFFFFFFF)
FAR = 8  # how many bids ahead a bidder's cells are prefetched: the first and the fourth, often in two cache lines
NEAR = 4  # how many bids ahead the prices of these cells are prefetched
SORTED, PLACED = U(48), U(24)  # how many cells ahead their column's position, and the entry there, are prefetched

BidderSide = tuple[Ints, Floats, Ints, Floats, Ints]
"""`alignment.BidderSide`: int64 (N+1,) starts, of which row or column i owns the cells ``start[i]:start[i + 1]``,
not checked; weight, float64 (C, 2); link, int64 (C, 2); price, float64 (N, 2); partner, int64 (N, 2).
"""


@helper
def _mark_last(start, link):
    for i in range(start.size - 1):
        if start[i + 1] > start[i]:
            link[start[i + 1] - 1, 1] = ~link[start[i + 1] - 1, 1]


@kernel
def lay_out_rows(start: Ints, cell_column: Ints, cell_weight: Floats, weight: Floats, link: Ints) -> None:
    """Write the cells in the order of rows.

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
    """Write the cells in the order of columns.

    Args:
        start: see `lay_out_rows`.
        cell_column: see `lay_out_rows`.
        cell_weight: see `lay_out_rows`.
        column_start: int64 (B+1,) zeros; receives where the cells of each column begin: those of column j are
            ``column_start[j]:column_start[j + 1]``.
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
    """Return the number of the row or column that a link leads to."""
    return link ^ (link >> 63)


@kernel
def open_scale(rows: BidderSide, columns: BidderSide, epsilon: float, queue: Ints) -> int:
    """Begin a scale: rows keep their column if its profit is within ``epsilon`` of the best; all other rows must bid.

    Args:
        rows: the side of A rows, read only.
        columns: the side of the columns; partners are written, prices are read.
        epsilon: smallest rise of a price.
        queue: int64 (at least A,) a ring; receives the rows that must bid, from position 0.

    Returns:
        Number of rows in the queue.
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
    """Return the position in a ring of ``size`` entries for a number below 2 * ``size``."""
    return U(place if place < size else place - size)


@kernel
def bid(
    queue: Ints, ring: Ints, bids: int, bidders: BidderSide, wanted: BidderSide, epsilon: float, least: float
) -> int:
    """Let the bidders in the queue bid until each has a partner or wants none; return the number of bids.

    Args:
        queue: int64 (at least as many as there are bidders,) a ring of bidders, each of which has a cell.
        ring: int64 (2,) position of the first bidder in the ring, and number of bidders in it; read and written.
        bids: largest number of bids.
        bidders: the bidding side; weights and links are read.
        wanted: the wanted side; prices and partners are read and written.
        epsilon: smallest rise of a price.
        least: smallest profit that a bidder keeps. It is below all profits for rows, and 0 for columns, because prices
            of columns are not negative.
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
            better = value > first  # no branches, because the processor could not predict them
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
def hand_over(bidders: BidderSide, wanted: BidderSide) -> None:
    """Write the partners of the bidding side, and its prices: a bidder's price is its profit from its partner.

    Args:
        bidders: the bidding side; receives partners and prices. The price is 0 without a partner.
        wanted: the wanted side, read only.
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
