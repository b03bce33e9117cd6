"""Align entities one to one: the compiled search, and an auction for documents on which it takes too long.

The auction is a forward and reverse one with epsilon scaling (Bertsekas and Castanon 1992). Rows, which are key
entities, bid for columns. A row takes the column with the largest profit, which is weight minus price, or stays
unaligned if no profit is positive. It raises the column's price until its second best column would be as good. There
are several scales: each starts with the prices of the scale before and a smaller epsilon. Columns that have a price but
lost their row then bid for rows. At the end of a scale the total weight is below the optimum by at most epsilon per
row. Prices keep bidders away from regions without free columns, so that the number of bids per row depends little on
the size of the matrix. Whole prices near to the auction's then prove that the alignment has the largest total.

Kernels do not know which side is rows and which is columns, but only the side that bids and the side that is wanted,
see `BidderSide`. Only the wanted side changes during bids; `hand_over` updates the bidding side at the end. A large
matrix does not fit the caches, and the processor cannot predict the order of bids. But the queue contains the next
bidders, in the form of partners, so that their cells can be prefetched. Weight and link, and price and partner, are
beside each other, because each access to another place in memory takes time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arraycoref.kernels.intrinsics import prefetch
from arraycoref.kernels.jit import U, contiguous, helper, kernel, runs
from arraycoref.ragged import Bools, Floats, Ints, run_starts
from arraycoref.scoring import alignment
from arraycoref.scoring.cells import Cells

ONE = U(1)
HALF, LOW = 32, U(0xFFFFFFFF)
FAR = 8  # how many bids ahead a bidder's cells are prefetched: the first and the fourth, often in two cache lines
NEAR = 4  # how many bids ahead the prices of these cells are prefetched
SORTED, PLACED = U(48), U(24)  # how many cells ahead their column's position, and the entry there, are prefetched

COARSEST, FINER = 0.05, 0.1
"""Epsilon of the auction's first scale, as a fraction of the largest weight, and the factor from scale to scale."""

FINEST = 2e-15
"""Epsilon of the last scale, as a fraction of the largest weight, if that is above 1 / (2 A). It is some nine times
the distance between prices that floating-point numbers tell apart; a smaller one could leave a bid without effect."""

LOWERED, ROUNDS = 1 << 10, 1_000
"""The proof that an alignment has the largest total begins with prices that are lower than the auction's by `LOWERED`,
and raises them in at most `ROUNDS` rounds; random matrices of 3 * 10^5 mentions need up to 60, which takes two to three
times as long as the auction."""

MOST_CELLS = 1 << 32
"""Number of cells from which a matrix is too large for the auction, which keeps a partner and its first cell in the two
halves of a 64-bit number."""

_search = helper(alignment.search)


class BidderSide(NamedTuple):
    """The N rows or the N columns of an auction: the two sides bid in turn.

    Attributes:
        start: int64 (N+1,) row or column i owns the cells ``start[i]:start[i + 1]``, in the order of this side.
        weight: float64 (C, 2) weights of the cells, in the first column.
        link: int64 (C, 2) column or row of each cell on the other side, in the second column of the memory of
            ``weight``; the complement of this number in a bidder's last cell.
        price: float64 (N, 2) prices, in the first column.
        partner: int64 (N, 2) partners, in the second column of the memory of ``price``: -1 for none, or the number of
            the row or column in the upper 32 bits, and its first cell in the lower.
    """

    start: Ints
    weight: Floats
    link: Ints
    price: Floats
    partner: Ints

    @classmethod
    def alone(cls, start: Ints, n_cells: int) -> BidderSide:
        """Make a side without partners and with prices of 0; its cells are still to be laid out."""
        weight, price = np.empty((n_cells, 2)), np.zeros((start.size - 1, 2))
        partner = price.view(np.int64)
        partner[:, 1] = -1
        return cls(start, weight, weight.view(np.int64), price, partner)


@kernel
def _search_rows(matrix, state, bounds, waiting, scratch, totals):
    _search(matrix, state, bounds, waiting, waiting.size, scratch, totals)


@runs(_search_rows)
def search_all(matrix: Any, state: Any, bounds: Ints, waiting: Ints, scratch: Any, totals: Floats) -> None:
    """Align waiting rows: the fast twin of `arraycoref.scoring.alignment.search_all`."""
    start, owner, column, weight = matrix
    known = contiguous(start), contiguous(owner), contiguous(column), contiguous(weight, np.float64)
    _search_rows(known, state, contiguous(bounds), contiguous(waiting), scratch, totals)


@kernel
def align(start: Ints, owner: Ints, column: Ints, weight: Floats, n_columns: int) -> Ints:
    """Align rows and columns one to one with the largest total weight, however long that takes.

    Args:
        start: int64 (A+1,) row i owns the cells ``start[i]:start[i + 1]``; not checked.
        owner: int64 (C,) row of each cell, ascending.
        column: int64 (C,) column of each cell, no column twice in a row.
        weight: float64 (C,) weights, whole numbers, none negative.
        n_columns: number of columns.

    Returns:
        int64 (A,) the cell of each row's alignment, -1 if it is unaligned.
    """
    n_rows = start.size - 1
    cell, row, totals = np.full(n_rows, -1), np.full(n_columns, -1), np.zeros(n_rows)
    state = np.zeros(n_rows), np.zeros(n_columns), cell, row
    via, seen, tree = np.zeros(n_columns, np.int64), np.zeros(n_columns, np.int64), np.zeros(n_columns, np.int64)
    scratch, rows = (np.empty(n_columns), via, seen, tree), np.arange(n_rows)
    _search((start, owner, column, weight), state, np.arange(n_rows + 1), rows, n_rows, scratch, totals)
    return cell


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
def bid(queue: Ints, ring: Ints, bidders: BidderSide, wanted: BidderSide, epsilon: float, least: float) -> None:
    """Let the bidders in the queue bid until each has a partner or wants none.

    Args:
        queue: int64 (at least as many as there are bidders,) a ring of bidders, each of which has a cell.
        ring: int64 (2,) position of the first bidder in the ring, and number of bidders in it.
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
    while count > 0:
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


@runs(lay_out_rows, lay_out_columns, open_scale, bid, hand_over)
def align_hard(cells: Cells, weights: Floats) -> Any:
    """Align the entities of one document by an auction: the fast twin of `arraycoref.scoring.alignment.align_hard`.

    `NotImplemented` if prices do not prove that the total weight is the largest: rounding may leave a bid undone.
    """
    if weights.size >= MOST_CELLS:
        return NotImplemented
    rows = BidderSide.alone(cells.key_start, weights.size)
    columns = BidderSide.alone(np.zeros(cells.response_size.size + 1, np.int64), weights.size)
    matrix = contiguous(cells.key_start), contiguous(cells.response), contiguous(weights, np.float64)
    lay_out_rows(*matrix, rows.weight, rows.link)
    lay_out_columns(*matrix, columns.start, columns.weight, columns.link)
    queue = np.empty(max(rows.start.size, columns.start.size), np.int64)
    finest = max(FINEST * weights.max(initial=0.0), 0.5 / rows.start.size)
    epsilon = max(COARSEST * weights.max(initial=0.0), 0.5, finest)
    while True:
        ring = np.array([0, open_scale(rows, columns, epsilon, queue)])
        bid(queue, ring, rows, columns, epsilon, -np.inf)
        hand_over(rows, columns)
        idle = np.flatnonzero((columns.partner[:, 1] < 0) & (columns.price[:, 0] > 0))
        queue[: idle.size], ring[:] = idle << HALF | columns.start[idle], (0, idle.size)
        bid(queue, ring, columns, rows, epsilon, 0.0)
        hand_over(columns, rows)
        column = rows.partner[:, 1] >> HALF
        aligned = np.flatnonzero(cells.response == column[cells.key])
        cell = np.full(column.size, -1)
        cell[cells.key[aligned]] = aligned
        price = columns.price[:, 0]
        if _is_proved(cells, weights, cell, np.rint(price), columns.partner[:, 1] >= 0):
            return cell
        if epsilon <= finest:
            return cell if _has_prices(cells, weights, cell, price) else NotImplemented
        epsilon = max(FINER * epsilon, finest)


def _is_proved(cells: Cells, weights: Floats, cell: Ints, price: Floats, are_aligned: Bools) -> bool:
    """Return whether whole prices of columns, some of them aligned, prove that no alignment has a larger weight."""
    profit = weights - price[cells.response]
    own = np.append(profit, 0.0)[cell]
    return bool(((price <= 0) | are_aligned).all() and (own >= 0).all() and (profit <= own[cells.key]).all())


def _has_prices(cells: Cells, weights: Floats, cell: Ints, price: Floats) -> bool:
    """Return whether whole prices near to some others are found that prove that no alignment has a larger weight.

    An aligned row keeps its weight less the price of its column. Prices prove the alignment if no row keeps less than
    another cell would leave it, or than 0, and if free columns cost 0. Prices are raised until the first is so.

    Args:
        cells: contingency cells of one document.
        weights: float64 (C,) a weight per cell, whole numbers.
        cell: int64 (A,) the cell of each key entity's alignment, -1 where it is unaligned.
        price: float64 (B,) prices of the response entities.
    """
    aligned = np.flatnonzero(cell >= 0)
    column = np.full(cell.size, price.size)  # unaligned rows have a column after the last one, which costs 0
    column[aligned] = cells.response[cell[aligned]]
    own, highest = np.zeros(cell.size), np.zeros(price.size + 1)
    own[aligned] = highest[column[aligned]] = weights[cell[aligned]]
    lowered = np.maximum(np.floor(np.append(price, 0.0)) - LOWERED, 0.0)
    whole = np.minimum(lowered, highest)
    order = np.argsort(cells.response, kind="stable")
    more = (weights - own[cells.key])[order]  # than the row has from its own cell
    by, starts = column[cells.key[order]], run_starts(cells.response[order])
    wanted = cells.response[order[starts]]
    for _ in range(ROUNDS):
        least = np.maximum.reduceat(more + whole[by], starts)
        if (least <= whole[wanted]).all():
            return True
        whole[wanted] = np.maximum(whole[wanted], least)
        if (whole > highest).any():
            return False
    return False
