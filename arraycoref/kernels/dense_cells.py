"""Count the cells of one large document of few entities in a table of key x response.

Entities are numbered by first appearance, whatever their labels are. The cells of a key entity are in the order of the
response entities' numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import U, helper, kernel
from arraycoref.kernels.label_ranges import TILE
from arraycoref.ragged import Ints

ZERO, ONE = U(0), U(1)


@kernel
def count_pairs(key: Ints, response: Ints, shift: int, counts: NDArray[np.uint32]) -> bool:
    """Count the mentions of each pair of labels; return whether the table has room for all, and none is below -1.

    Args:
        key: int64 (M,) labels, -1 where the key lacks the mention.
        response: int64 (M,) the same for the response.
        shift: binary logarithm of the number of columns.
        counts: uint32 (rows << shift,) zeros; the number of rows is a power of two. Row i + 1, column j + 1 receives
            the number of mentions with the labels i and j.
    """
    places = np.empty(TILE, U)
    shift_by = U(shift)
    n_rows, n_columns = U(counts.size) >> shift_by, ONE << shift_by
    for begin in range(0, key.size, TILE):
        first, n = U(begin), U(min(TILE, key.size - begin))
        bits = response_bits = ZERO
        for m in range(n):
            i, j = U(key[first + m] + 1), U(response[first + m] + 1)
            bits |= i
            response_bits |= j
            places[m] = i << shift_by | j
        if bits >= n_rows or response_bits >= n_columns:
            return False
        for m in range(n):
            counts[places[m]] += np.uint32(1)
    return True


@helper
def _order(labels, places, seen, n):
    """List the first ``n`` places by first appearance of their labels; the place of a label is the label plus 1.

    Place 0, of absent mentions, is not listed. ``seen`` is all zeros; places that are listed are marked in it.
    """
    found = m = ZERO
    while found < U(n):
        place = U(labels[m] + 1)
        places[found] = place
        found += U((place > ZERO) & (seen[place] == 0))
        seen[place] = 1
        m += ONE


@helper
def _sum_table(counts, shift, row_sums, column_sums):
    """Add up each row and column of the table."""
    for i in range(U(row_sums.size)):
        in_row = np.uint32(0)
        first = i << U(shift)
        for j in range(U(column_sums.size)):
            n = counts[first + j]
            in_row += n
            column_sums[j] += n
        row_sums[i] = in_row


@helper
def _count_entities(labels, sums, lacked, places, seen, sizes, totals, at):
    """Number the entities of a side by first appearance; write their sizes and the side's totals.

    Args:
        labels: labels of the side.
        sums: uint32, for each place, its number of mentions.
        lacked: uint32, for each place, its number of mentions that the other side lacks.
        places: receives the places in the order of their entities' numbers; needs room for one more.
        seen: a zero for each place.
        sizes: receives the sizes of entities.
        totals: see `list_cells`.
        at: position of the side's first total.

    Return the number of entities.
    """
    n = np.int64(0)
    for place in range(1, sums.size):
        n += sums[place] > 0
    _order(labels, places, seen, n)
    mentions = links = shared_links = np.int64(0)
    for e in range(n):
        size, shared = np.int64(sums[places[e]]), np.int64(sums[places[e]]) - np.int64(lacked[places[e]])
        sizes[e] = size
        mentions += size
        links += size * (size - 1) // 2
        shared_links += shared * (shared - 1) // 2
    totals[at], totals[at + 3], totals[at + 5], totals[at + 9] = mentions, links, shared_links, n
    return n


@kernel
def list_cells(
    key: Ints,
    response: Ints,
    shift: int,
    counts: NDArray[np.uint32],
    cells: Ints,
    sizes: Ints,
    key_start: Ints,
    totals: Ints,
) -> None:
    """List the cells of a table that `count_pairs` has filled.

    Args:
        key: see `count_pairs`.
        response: see `count_pairs`.
        shift: see `count_pairs`.
        counts: see `count_pairs`; read only.
        cells: int64 (3, more than the number of cells) receives n_ij, the key entity of each cell, ascending, and its
            response entity.
        sizes: int64 (2, at least the number of entities of a side) receives k_i and r_j.
        key_start: int64 (more than the number of key entities,) receives the row starts of a compressed sparse row
            matrix.
        totals: int64 (12,) receives the first twelve fields of `arraycoref.scoring.cells.Totals`.
    """
    n_rows, n_columns = counts.size >> shift, np.int64(1) << shift
    row_sums, column_sums = np.empty(n_rows, np.uint32), np.zeros(n_columns, np.uint32)
    _sum_table(counts, shift, row_sums, column_sums)
    lacked = np.empty(n_rows, np.uint32)
    n_lacked = np.int64(0)
    for i in range(1, n_rows):
        lacked[i] = counts[i << shift]
        n_lacked += lacked[i]
    rows, columns, seen = np.empty(n_rows, U), np.empty(n_columns, U), np.zeros((2, n_rows + n_columns), np.uint8)
    a = _count_entities(key, row_sums, lacked, rows, seen[0], sizes[0], totals, 0)
    b = _count_entities(response, column_sums, counts[:n_columns], columns, seen[1], sizes[1], totals, 1)
    last = singletons = squares = ZERO
    for e in range(U(a)):
        key_start[e] = last
        first = rows[e] << U(shift)
        for f in range(U(b)):
            n = counts[first + columns[f]]
            cells[0, last], cells[2, last] = n, f
            last += U(n > 0)
        for c in range(U(key_start[e]), last):  # a loop of its own, because it becomes vector code
            cells[1, c] = e
            squares += U(cells[0, c]) * U(cells[0, c])
        if sizes[0, e] == 1 and last > U(key_start[e]):
            singletons += U(sizes[1, cells[2, last - ONE]] == 1)
    key_start[a] = last
    shared = totals[0] - n_lacked
    totals[2], totals[7], totals[8], totals[11] = shared, (np.int64(squares) - shared) // 2, singletons, last
