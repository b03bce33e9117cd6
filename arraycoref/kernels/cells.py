"""Build the sparse contingency matrices of key and response, document by document, from any integer labels.

A row of the matrix is a key entity, a column is a response entity, and a cell is the number of mentions that both hold.
Entities are numbered by first appearance, and the cells of a row are in the order of their first appearance. This is
so for any labels, and for both ways to find cells: by a table with an entry for each pair of labels, or by sorting,
if such a table would be too large.

The place of an entity is its label minus the document's lowest label, plus 1; place 0 means that the side lacks the
mention. Loops over mentions and cells have no branches, because the processor could not predict them: a value that is
not to be kept is stored anyway, where the next value overwrites it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arraycoref.kernels.intrinsics import prefetch
from arraycoref.kernels.jit import U, contiguous, helper, inlined, kernel, runs
from arraycoref.kernels.label_ranges import (
    ABSENT,
    BITS,
    LEAST_SPREAD,
    SPREAD,
    TILE,
    bring_next,
    clear_places,
    pair_places,
    survey,
    touch_pairs,
)
from arraycoref.ragged import Ints
from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.clusterings import Clusterings

ZERO, ONE, HALF = U(0), U(1), U(32)

AHEAD, NEAR = U(32), 1 << 14
"""How many mentions ahead places are prefetched; and up to how many places of both sides fit the cache without it."""

LOW = U(2**31 - 1)
"""Lower 31 bits. A numbered entity has a position there, its number in the upper 32 bits, and between the two a bit
that is set if it has one mention."""

WIDE_BITS = U(32)
"""Bits of a counter if an entity has two in one number: its mentions, and its mentions that the other side has too. If
cells are counted as well, there are three counters of `BITS` bits each."""

MOST_PARTS = U(10)
"""Binary logarithm of the most parts into which the mentions of a document of 2^`BITS` mentions or more are dealt."""

FAR = 1 << 16
"""Number of labels up to which they are still in the cache from the call before; more labels are prefetched."""


@inlined
def _count_pairs(n, pairs, shift, table, rows, columns, listed):
    """Count mentions and cells of each place, from the pairs in the table; list the places of each side.

    The number of mentions of each pair moves from the table, whose entry becomes zero, to the pair. Pairs in which a
    side is absent are removed.
    """
    n_key, n_response, n_cells = ZERO, ZERO, ZERO
    mask = (ONE << shift) - ONE
    for t in range(n):
        pair = pairs[t]
        i, j = pair >> shift, pair & mask
        mentions = U(table[pair])
        table[pair] = 0
        pairs[n_cells] = pair << HALF | mentions
        of_key, of_response = rows[i], columns[j]
        in_both = ((of_key | of_response) >> ABSENT) ^ ONE
        n_cells += in_both
        counted = mentions + (mentions << BITS | ONE << U(2) * BITS) * in_both
        listed[0, n_key] = i
        listed[1, n_response] = j
        n_key += U(of_key == ZERO)
        n_response += U(of_response == ZERO)
        rows[i] = of_key + counted
        columns[j] = of_response + counted
    return np.int64(n_key), np.int64(n_response), n_cells


@helper
def _place_cells(n, pairs, shift, rows, columns, cells):
    """Write each pair to its cell; return the sum of squared cells, and the number of shared singletons."""
    squares, singletons = ZERO, ZERO
    mask = (ONE << shift) - ONE
    for t in range(n):
        pair = pairs[t]
        i, j, n_shared = pair >> shift >> HALF, pair >> HALF & mask, pair & LOW
        row, column = rows[i], columns[j]
        rows[i] = row + ONE
        c = row & LOW
        cells[0, c] = n_shared
        cells[1, c] = row >> HALF
        cells[2, c] = column >> HALF
        squares += n_shared * n_shared
        singletons += (row & column) >> U(31) & ONE
    return np.int64(squares), np.int64(singletons)


@helper
def _deal(n, mentions, width, ends, dealt):
    """Deal the mentions into parts of neighboring rows, so few that they fit the cache; a part keeps their order.

    Args:
        n: number of mentions.
        mentions: places of both sides of each mention.
        width: number of rows.
        ends: scratch for as many numbers as there are parts.
        dealt: receives the mentions.
    """
    shift = HALF
    while U(width) >> (shift - HALF) >> MOST_PARTS > ZERO:
        shift += ONE
    n_parts = (U(width) >> (shift - HALF)) + ONE
    for part in range(n_parts):
        ends[part] = ZERO
    for m in range(U(n)):
        ends[mentions[m] >> shift] += ONE
    begin = ZERO
    for part in range(n_parts):
        in_part = ends[part]
        ends[part] = begin
        begin += in_part
    for m in range(U(n)):
        part = mentions[m] >> shift
        dealt[ends[part]] = mentions[m]
        ends[part] += ONE


@helper
def _count_places(n, far, pairs, rows, columns, listed):
    """Count, for each place, all mentions and those that the other side has too; list the places of each side."""
    n_key, n_response = ZERO, ZERO
    for m in range(U(n)):
        if far:
            ahead = pairs[m + AHEAD if m + AHEAD < U(n) else m]
            prefetch(rows, ahead >> HALF)
            prefetch(columns, ahead & LOW)
        i, j = pairs[m] >> HALF, pairs[m] & LOW
        counted = ONE + (ONE << WIDE_BITS) if (i > ZERO) & (j > ZERO) else ONE
        of_key, of_response = rows[i], columns[j]
        listed[0, n_key] = i
        listed[1, n_response] = j
        n_key += U(of_key == ZERO)
        n_response += U(of_response == ZERO)
        rows[i] = of_key + counted
        columns[j] = of_response + counted
    return np.int64(n_key), np.int64(n_response)


@helper
def _sort_mentions(n, far, pairs, rows, by_row):
    """Sort the mentions by row; those that a side lacks come last.

    A sorted mention has the row's number and its bit for one mention, as in ``rows``, and the place of its column.
    """
    for m in range(U(n)):
        if far:
            prefetch(rows, pairs[m + AHEAD if m + AHEAD < U(n) else m] >> HALF)
        i, j = pairs[m] >> HALF, pairs[m] & LOW
        i = i if j > ZERO else ZERO
        row = rows[i]
        rows[i] = row + ONE
        by_row[row & LOW] = row & ~LOW | j


@helper
def _find_cells(n, far, pairs, columns, cell_of, first, cells, first_row, last_row, key_start):
    """Make the cells of sorted mentions, from cell ``first`` on, and write where the cells of each row end.

    The lower half of a column holds the number, from 1, of its latest cell. Mentions are counted in a separate loop,
    because a step that loads what the step before has stored would have to wait for it.

    Return the end of the cells, the sum of their squares, and the number of shared singletons.
    """
    last = row_first = U(first)
    before = ~ZERO
    singletons = ZERO
    for row in range(U(first_row), U(last_row + 1)):
        key_start[row] = first
    for m in range(U(n)):
        if far:
            prefetch(columns, pairs[m + AHEAD if m + AHEAD < U(n) else m] & LOW)
        row, j = pairs[m] >> HALF, pairs[m] & LOW
        row_first = row_first if row == before else last
        before = row
        column = columns[j]
        singletons += (pairs[m] & column) >> U(31) & ONE
        number = column & LOW
        new = number <= row_first
        number = last + ONE if new else number
        columns[j] = column & ~LOW | number
        cell_of[m] = number - ONE
        cells[0, last] = 0
        cells[1, last] = row
        cells[2, last] = column >> HALF
        last += U(new)
        key_start[row + ONE] = last
    for row in range(U(first_row), U(last_row)):  # a row without cells ends where the one before does
        begin, end = key_start[row], key_start[row + ONE]
        key_start[row + ONE] = begin if begin > end else end
    for m in range(n):
        cells[0, cell_of[m]] += 1
    squares = np.int64(0)
    for c in range(U(first), last):
        squares += np.int64(cells[0, c]) * np.int64(cells[0, c])
    return np.int64(last), squares, np.int64(singletons)


@inlined
def _number_entities(n, listed, places, bits, in_place, first, sizes, first_place, start):
    """Number a side's entities from ``first`` on; write the mentions of each, and, for rows, where its cells begin.

    In ``places``, the counters of an entity are replaced by its number, its bit for one mention, and the position of
    its first cell, or, if mentions are to be sorted, of its first mention. ``in_place`` is the shift of the counter of
    cells, or of mentions, by which positions advance. It is 0 for columns, which need no positions; then nothing is
    written to ``start``.

    Return the end of the positions, and four sums: all mentions, those that the other side has too, and the links of
    both.
    """
    mentions, shared, squares, shared_squares = ZERO, ZERO, ZERO, ZERO
    mask = (ONE << bits) - ONE
    place = U(first_place)
    entity = U(first)
    for e in range(U(n)):
        if n > NEAR:
            prefetch(places, listed[e + AHEAD if e + AHEAD < U(n) else e])
        i = listed[e]
        counted = places[i]
        size = counted & mask
        in_both = counted >> bits & mask
        places[i] = entity << HALF | U(size == ONE) << U(31) | place
        sizes[entity] = size
        if in_place > ZERO:
            start[entity] = place
            place += counted >> in_place & mask
        entity += ONE
        mentions += size
        shared += in_both
        squares += size * size
        shared_squares += in_both * in_both
    places[ZERO] = place
    links, shared_links = squares - mentions >> ONE, shared_squares - shared >> ONE
    return np.int64(place), np.int64(mentions), np.int64(shared), np.int64(links), np.int64(shared_links)


@helper
def fill_cells(
    key, response, offsets, first, last, plan, places, lists, table, cells, sizes, key_start, bounds, totals
):
    """Fill the cells of documents for which `survey` has made a plan; other arguments as in `contingency_batch`.

    ``places`` has two rows, and ``lists`` four, with room for the longest document. ``table`` is all zeros before and
    after the call.
    """
    rows, columns, key_sizes, response_sizes = places[0], places[1], sizes[0], sizes[1]
    key_places, response_places, pairs, mentions = lists[0], lists[1], lists[2], lists[3]
    far = response.size > FAR
    bounds[0, 0] = bounds[1, 0] = bounds[2, 0] = key_start[0] = 0
    n_documents = offsets.size - 1 if offsets.size > 1 else np.int64(1)
    d = first % n_documents
    here = first // n_documents * key.size
    for e in range(last - first):
        lo, n = offsets[d], offsets[d + 1] - offsets[d]
        shift = plan[4, e]
        if far and n <= TILE:
            bring_next(key, response, U(lo), U(here), n)
        c0, k0, r0 = bounds[0, e], bounds[1, e], bounds[2, e]
        width, response_width = plan[1, e], plan[3, e]
        clear_places(rows, width)
        clear_places(columns, response_width)
        by_table, scattered = shift < 32, width + response_width > NEAR
        n_pairs, done = ZERO, np.int64(0)
        is_dealt = n >= 1 << np.int64(BITS)
        listed = pairs if is_dealt else mentions
        while done < n:
            tile = TILE if by_table and n - done > TILE else n - done
            pair_places(key, response, lo + done, here + lo + done, tile, plan[0, e], plan[2, e], shift, listed)
            if by_table:
                n_pairs = touch_pairs(tile, table, listed, pairs, n_pairs)
            done += tile
        if is_dealt:
            _deal(n, pairs, width, key_places, mentions)
        if by_table:
            n_key, n_response, n_pairs = _count_pairs(n_pairs, pairs, U(shift), table, rows, columns, lists)
        else:
            n_key, n_response = _count_places(n, scattered, mentions, rows, columns, lists)
        k1 = k0 + n_key
        bits = BITS if by_table else WIDE_BITS
        place = c0 if by_table else np.int64(0)
        c1, totals[0, e], n_shared, totals[3, e], totals[5, e] = _number_entities(
            n_key, key_places, rows, bits, U(2) * BITS if by_table else WIDE_BITS, k0, key_sizes, place, key_start
        )
        _, totals[1, e], _, totals[4, e], totals[6, e] = _number_entities(
            n_response, response_places, columns, bits, ZERO, r0, response_sizes, np.int64(0), key_start
        )
        if by_table:
            squares, singletons = _place_cells(n_pairs, pairs, U(shift), rows, columns, cells)
        else:
            _sort_mentions(n, scattered, mentions, rows, pairs)
            c1, squares, singletons = _find_cells(
                n_shared, scattered, pairs, columns, mentions, c0, cells, k0, k1, key_start
            )
        key_start[k1] = c1
        totals[2, e], totals[7, e], totals[8, e] = n_shared, squares - n_shared >> 1, singletons
        totals[9, e], totals[10, e], totals[11, e] = n_key, n_response, c1 - c0
        bounds[0, e + 1], bounds[1, e + 1], bounds[2, e + 1] = c1, k1, r0 + n_response
        d += 1
        if d == n_documents:
            d = 0
            here += key.size


@kernel
def contingency_batch(
    key: Ints,
    response: Ints,
    offsets: Ints,
    first: int,
    last: int,
    cells: Ints,
    sizes: Ints,
    key_start: Ints,
    bounds: Ints,
    totals: Ints,
) -> np.int64:
    """Fill the cells of the documents ``first:last``; cells and entities are numbered across documents.

    Several responses may be counted against one key: the D documents of each response follow those of the one before.

    Args:
        key: int64 (M,) labels, -1 where the key lacks the mention.
        response: int64 (S * M,) the same for S responses.
        offsets: int64 (D+1,) document bounds in ``key``; not checked.
        first: first document, of S * D.
        last: end of the range. N is the number of mentions of the range's documents.
        cells: int64 (3, N + 1) receives n_ij, the key entity of each cell, ascending, and its response entity.
        sizes: int64 (2, N + 1) receives k_i and r_j.
        key_start: int64 (N + 2,) receives the row starts of a compressed sparse row matrix.
        bounds: int64 (3, last - first + 1) receives the document bounds of cells, key and response entities.
        totals: int64 (12, last - first) receives the first twelve fields of `arraycoref.scoring.cells.Totals`.

    Returns:
        ``last``; or the document before which the kernel stopped, because it has a label below -1, or labels that are
        too far apart and must be made dense first.
    """
    n_documents = offsets.size - 1 if offsets.size > 1 else np.int64(1)
    longest = np.int64(0)
    for d in range(first, last):
        n = offsets[d % n_documents + 1] - offsets[d % n_documents]
        longest = n if n > longest else longest
    plan = np.empty((5, last - first), np.int64)
    places, lists = np.empty((2, SPREAD * longest + LEAST_SPREAD + 2), U), np.empty((4, longest + 1), U)
    reached, largest = survey(key, response, offsets, first, last, plan)
    table = np.zeros(largest, np.uint32)
    fill_cells(
        *(key, response, offsets, first, reached, plan, places, lists, table),
        *(cells, sizes, key_start, bounds, totals),
    )
    return np.int64(reached)


@kernel
def contingency_document(key: Ints, response: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Build the cells of one document; users may call this function from their own compiled functions.

    Args:
        key: int (n,) labels of the key's entities, -1 where it lacks the mention.
        response: int (n,) the same for the response.

    Returns:
        cell_key: int64 (C,) the key entity of each cell, ascending; entities are numbered by first appearance.
        cell_response: int64 (C,) its response entity.
        shared: int64 (C,) n_ij, the mentions that both hold.
        key_size: int64 (A,) k_i.
        response_size: int64 (B,) r_j.
        totals: int64 (12,) |M_k|, |M_r|, the shared mentions s, and the links sum L(k_i), sum L(r_j), sum L(a_i),
            sum L(b_j), sum L(n_ij), where L(n) = n(n-1)/2; the number of entities of one mention that both sides have;
            and the numbers of key entities, of response entities and of cells.

    Raises:
        ValueError: a label below -1, or labels that are too far apart; `numpy.unique` makes them dense.
    """
    n = key.size
    cells, sizes, key_start = np.empty((3, n + 1), np.int64), np.empty((2, n + 1), np.int64), np.empty(n + 2, np.int64)
    bounds, totals = np.empty((3, 2), np.int64), np.empty((12, 1), np.int64)
    if contingency_batch(key, response, np.array([0, n]), 0, 1, cells, sizes, key_start, bounds, totals) < 1:
        raise ValueError("a label is below -1, or labels lie too far apart; make them dense first")
    c, k, r = bounds[0, 1], bounds[1, 1], bounds[2, 1]
    return cells[1, :c], cells[2, :c], cells[0, :c], sizes[0, :k], sizes[1, :r], totals[:, 0]


@runs(contingency_batch)
def cells_of(clusterings: Clusterings, first: int = 0, last: int | None = None) -> Cells:
    """Build the cells of documents: the fast twin of `arraycoref.scoring.cells.cells_of`."""
    last = len(clusterings) if last is None else last
    n_documents, n = last - first, int(clusterings.response_bounds[last] - clusterings.response_bounds[first])
    cells, sizes, key_start = np.empty((3, n + 1), np.int64), np.empty((2, n + 1), np.int64), np.empty(n + 2, np.int64)
    offsets, totals = np.empty((3, n_documents + 1), np.int64), np.empty((12, n_documents), np.int64)
    call_with_labels(contingency_batch, clusterings, first, last, cells, sizes, key_start, offsets, totals)
    c, k, r = offsets[:, -1].tolist()
    shared, of_key, of_response = cells[:, :c]
    starts = offsets[0], key_start[: k + 1], offsets[1], offsets[2]
    return Cells(shared, of_key, of_response, sizes[0, :k], sizes[1, :r], *starts, Totals(*totals))


def call_with_labels(counting: Any, clusterings: Clusterings, first: int, last: int, *results: Any) -> Any:
    """Call a kernel with the labels of documents; with dense ones, where it stops as they lie too far apart."""
    labels = contiguous(clusterings.key), contiguous(clusterings.response), contiguous(clusterings.offsets)
    reached = counting(*labels, first, last, *results)
    if reached < last:
        dense = map(contiguous, clusterings.factorize(first, last))
        reached = counting(*dense, 0, last - first, *results)
    return reached
