"""Build the sparse contingency matrices of key and response, document by document, from labels as they come.

Entities are numbered by first appearance, and the cells of a key entity come in the order in which they first appear,
whatever the labels are and whichever way finds them: a table of all pairs of labels, or sorting where that is too wide.

Loops over mentions and cells have no branches, whose outcome no processor could guess: absent mentions have place 0,
and what must not be kept is stored where the next one is stored again.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Ints, U, helper, kernel

ONE = U(1)

LOW = 2**32 - 1

BITS, WIDE_BITS = 21, 32
"""Bits of a counter of which there are three in one number, or two: an entity's mentions, those of them that the other
side has too, and its cells. Documents of 2^21 mentions are sorted."""

WIDEST = 2**17
"""Places up to which a document may have a table of key x response, 512 kB."""

SPREAD, LEAST_SPREAD = 4, 64
"""Labels that lie no wider than so many times the mentions, and so many more, are places as they are."""


@helper
def span(labels):
    """Return the first and the last label of an entity, 0 and -1 if there is none, and whether none is below -1.

    As unsigned numbers -1 is the largest, and a label and one 0 if it is absent: two bounds say all, and the processor
    finds them several labels at a time.
    """
    first, end = ~U(0), U(0)
    for m in range(labels.size):
        label = U(labels[m])
        first = label if label < first else first
        label += ONE
        end = label if label > end else end
    return np.int64(first) if end else np.int64(0), np.int64(end) - 1, end <= U(1 << 63)


@helper
def _survey(key, response, offsets, first, last, plan):
    """Decide how each document is counted, and return what that takes.

    A row of ``plan``, int64 (documents, 5), receives the label before the key's first one, which is place 0, and how
    many places there are; the same of the response; and whether there is a table of all pairs of places, or mentions
    are sorted because it would be too large.

    Return the document before which the kernel must stop, because of a label below -1 or labels that lie too far apart;
    the most mentions of a document, the most places of a side, and the largest table.
    """
    most = np.int64(0)
    widest = np.int64(0)
    largest = np.int64(1)
    n_documents = offsets.size - 1 if offsets.size > 1 else np.int64(1)
    d = first % n_documents
    here = first // n_documents * key.size
    for e in range(last - first):
        lo, hi = offsets[d], offsets[d + 1]
        room = SPREAD * (hi - lo) + LEAST_SPREAD
        key_first, key_last, valid = span(key[lo:hi])
        response_first, response_last, response_valid = span(response[here + lo : here + hi])
        width, response_width = key_last - key_first, response_last - response_first
        if not valid or not response_valid or width > room or response_width > room:
            return first + e, most, widest, largest
        width += 2
        response_width += 2
        by_table = (width <= WIDEST // response_width) & (hi - lo < 1 << BITS)
        plan[e, 0], plan[e, 1], plan[e, 2], plan[e, 3] = key_first - 1, width, response_first - 1, response_width
        plan[e, 4] = by_table
        largest = width * response_width if by_table and width * response_width > largest else largest
        most = hi - lo if hi - lo > most else most
        widest = width if width > widest else widest
        widest = response_width if response_width > widest else widest
        d += 1
        if d == n_documents:
            d = 0
            here += key.size
    return last, most, widest, largest


@helper
def _touch_pairs(keys, responses, plan, table, pairs):
    """Count the mentions of each pair of places in a table of zeros; list the pairs, and return how many there are."""
    n = np.int64(0)
    key_base, response_base, width = plan[0], plan[2], plan[3]
    for m in range(keys.size):
        i = keys[m] - key_base
        j = responses[m] - response_base
        i = i if i > 0 else np.int64(0)
        j = j if j > 0 else np.int64(0)
        place = U(i * width + j)
        count = table[place]
        pairs[n] = i << 32 | j
        table[place] = count + np.int32(1)
        n += count == 0
    return n


@helper
def _count_pairs(n, pairs, width, table, keys, responses, key_listed, response_listed):
    """Count mentions and cells by place of each side, from the pairs in the table; list the places of each side."""
    n_key = np.int64(0)
    n_response = np.int64(0)
    for t in range(n):
        i, j = U(pairs[t] >> 32), U(pairs[t] & LOW)
        mentions = np.int64(table[i * U(width) + j])
        in_both = mentions << BITS | 1 << 2 * BITS
        of_key, of_response = keys[i], responses[j]
        key_listed[n_key] = i
        response_listed[n_response] = j
        n_key += of_key == 0
        n_response += of_response == 0
        keys[i] = of_key + mentions + (in_both if j > U(0) else 0)
        responses[j] = of_response + mentions + (in_both if i > U(0) else 0)
    return n_key, n_response


@helper
def _place_cells(n, pairs, width, table, rows, columns, sizes, cells):
    """Move the table's counts to the cells of their rows, those of absent mentions behind them; clear the table.

    Return twice the links within cells, and the shared singletons.
    """
    links = np.int64(0)
    singletons = np.int64(0)
    for t in range(n):
        i, j = U(pairs[t] >> 32), U(pairs[t] & LOW)
        place = i * U(width) + j
        mentions = np.int64(table[place])
        table[place] = 0
        i = i if j > U(0) else U(0)
        row, column = rows[i], columns[j]
        rows[i] = row + 1
        c = U(row & LOW)
        n_shared = mentions if i > U(0) else np.int64(0)
        cells[0, c] = n_shared
        cells[1, c] = row >> 32
        cells[2, c] = column >> 32
        links += n_shared * (n_shared - 1)
        singletons += (n_shared == 1) & (sizes[0, U(row >> 32)] == 1) & (sizes[1, U(column >> 32)] == 1)
    return links, singletons


@helper
def _count_places(labels, base, others, others_base, places, listed):
    """Count a side's mentions by place, in all and those that the other side has too; list the places."""
    n = np.int64(0)
    for m in range(labels.size):
        i = labels[m] - base
        i = U(i if i > 0 else np.int64(0))
        before = places[i]
        listed[n] = i
        places[i] = before + (1 + (1 << WIDE_BITS) if others[m] > others_base else 1)
        n += before == 0
    return n


@helper
def _sort_mentions(keys, responses, plan, rows, pairs):
    """Sort the mentions by row; those that a side lacks go last."""
    key_base, response_base = plan[0], plan[2]
    for m in range(keys.size):
        i = keys[m] - key_base
        j = responses[m] - response_base
        i = i if (i > 0) & (j > 0) else np.int64(0)
        row = rows[U(i)]
        rows[U(i)] = row + 1
        pairs[U(row & LOW)] = row >> 32 << 32 | (j if j > 0 else np.int64(0))


@helper
def _find_cells(n, pairs, columns, latest, cell_of, first, cells):
    """List the cells of sorted mentions from ``first`` on, count the mentions of each, and return where they end.

    Nothing is loaded from where the step before stored at a place that it had just looked up: the load would wait.
    That is why cells are listed in one loop and counted in another.
    """
    last = row_first = first
    before = np.int64(-1)
    for m in range(n):
        row = pairs[m] >> 32
        j = U(pairs[m] & LOW)
        row_first = row_first if row == before else last
        before = row
        cell = latest[j]
        new = cell < row_first
        cell = last if new else cell
        latest[j] = cell
        cell_of[m] = cell
        cells[0, last] = 0
        cells[1, last] = row
        cells[2, last] = columns[j] >> 32
        last += new
    for m in range(n):
        cells[0, U(cell_of[m])] += 1
    return last


@helper
def _number_entities(n, listed, places, bits, by_cells, first, sizes, first_place, start):
    """Number a side's entities from ``first`` on; write how many mentions each has, and where its cells begin.

    What was counted of a place gives way to the entity's number and, in the lower half, the place of its next cell, or
    of its next mention while these are sorted.

    Return where the cells end, and sums: mentions, those that the other side has too, and twice the links of both.
    """
    mentions = np.int64(0)
    shared = np.int64(0)
    links = np.int64(0)
    shared_links = np.int64(0)
    mask = (1 << bits) - 1
    place = first_place
    for e in range(n):
        counted = places[U(listed[e])]
        size = counted & mask
        in_both = counted >> bits & mask
        places[U(listed[e])] = first + e << 32 | place
        start[e] = place
        sizes[first + e] = size
        place += counted >> 2 * BITS if by_cells else in_both
        mentions += size
        shared += in_both
        links += size * (size - 1)
        shared_links += in_both * (in_both - 1)
    places[0] = place
    return place, mentions, shared, links, shared_links


@helper
def _finish(first, last, first_row, last_row, cells, sizes, key_start):
    """Write where the cells of each row begin; return twice the links within cells, and the shared singletons."""
    links = np.int64(0)
    singletons = np.int64(0)
    for row in range(first_row, last_row):
        key_start[row] = first
    for c in range(U(first), U(last)):
        i = U(cells[1, c])
        key_start[i + ONE] = c + ONE
        links += cells[0, c] * (cells[0, c] - 1)
        singletons += (sizes[0, i] == 1) & (sizes[1, U(cells[2, c])] == 1)
    start = first
    for row in range(first_row, last_row):
        start = key_start[row] if key_start[row] > start else start
        key_start[row] = start
    return links, singletons


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
    """Fill the cells of the documents ``first:last``, one behind the other; entities are numbered through.

    Several responses may be counted against one key: the documents of each follow those of the one before.

    Args:
        key: int64 (M,) labels, -1 where the key lacks the mention.
        response: int64 (S * M,) likewise, of S responses.
        offsets: int64 (D+1,) document bounds in ``key``; not checked.
        first: first document, of S * D.
        last: end of the range, whose documents have N mentions.
        cells: int64 (3, N + 1) receives n_ij, the key entity of each cell, ascending, and its response entity.
        sizes: int64 (2, N + 1) receives k_i and r_j.
        key_start: int64 (N + 2,) receives the row starts of a compressed sparse row matrix.
        bounds: int64 (3, last - first + 1) receives the document bounds of cells, key and response entities.
        totals: int64 (12, last - first) receives the fields of `arraycoref.contingency.Totals`, in their order.

    Returns:
        ``last``, or the document before which the kernel stopped: it has a label below -1, or its labels lie too far
        apart and must be made dense first.
    """
    plan = np.empty((last - first, 5), np.int64)
    reached, most, widest, largest = _survey(key, response, offsets, first, last, plan)
    rows, columns, latest = np.empty(widest, np.int64), np.empty(widest, np.int64), np.empty(widest, np.int64)
    key_listed, response_listed = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    pairs, cell_of = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    table = np.empty(largest, np.int32)
    for place in range(largest):
        table[place] = 0
    bounds[0, 0] = bounds[1, 0] = bounds[2, 0] = 0
    key_start[0] = 0
    n_documents = offsets.size - 1 if offsets.size > 1 else np.int64(1)
    d = first % n_documents
    here = first // n_documents * key.size
    for e in range(reached - first):
        keys, responses = key[offsets[d] : offsets[d + 1]], response[here + offsets[d] : here + offsets[d + 1]]
        d += 1
        if d == n_documents:
            d = 0
            here += key.size
        c0, k0, r0 = bounds[0, e], bounds[1, e], bounds[2, e]
        width, response_width, by_table = plan[e, 1], plan[e, 3], plan[e, 4] > 0
        for i in range(width):
            rows[i] = 0
        for j in range(response_width):
            columns[j] = 0
        rows[0] = columns[0] = 1  # of absent mentions: never new
        n_pairs = np.int64(0)
        if by_table:
            n_pairs = _touch_pairs(keys, responses, plan[e], table, pairs)
            n_key, n_response = _count_pairs(
                n_pairs, pairs, response_width, table, rows, columns, key_listed, response_listed
            )
        else:
            n_key = _count_places(keys, plan[e, 0], responses, plan[e, 2], rows, key_listed)
            n_response = _count_places(responses, plan[e, 2], keys, plan[e, 0], columns, response_listed)
        bits = BITS if by_table else WIDE_BITS
        c1, n, n_shared, links, shared_links = _number_entities(
            n_key, key_listed, rows, bits, by_table, k0, sizes[0], c0 if by_table else np.int64(0), key_start[k0:]
        )
        totals[0, e], totals[2, e], totals[3, e], totals[5, e] = n, n_shared, links >> 1, shared_links >> 1
        _, n, n_shared, links, shared_links = _number_entities(
            n_response, response_listed, columns, bits, by_table, r0, sizes[1], np.int64(0), latest
        )
        totals[1, e], totals[4, e], totals[6, e] = n, links >> 1, shared_links >> 1
        if by_table:
            links, singletons = _place_cells(n_pairs, pairs, response_width, table, rows, columns, sizes, cells)
        else:
            for j in range(response_width):
                latest[j] = -1
            _sort_mentions(keys, responses, plan[e], rows, pairs)
            c1 = _find_cells(n_shared, pairs, columns, latest, cell_of, c0, cells)
            links, singletons = _finish(c0, c1, k0, k0 + n_key, cells, sizes, key_start)
        key_start[k0 + n_key] = c1
        totals[7, e], totals[8, e] = links >> 1, singletons
        totals[9, e], totals[10, e], totals[11, e] = n_key, n_response, c1 - c0
        bounds[0, e + 1], bounds[1, e + 1], bounds[2, e + 1] = c1, k0 + n_key, r0 + n_response
    return np.int64(reached)


@kernel
def contingency_document(key: Ints, response: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Build the cells of one document; to be called from a compiled function of the user's own.

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
            sum L(b_j), sum L(n_ij), where L(n) = n(n-1)/2; the entities of one mention that stand on both sides; and
            the numbers of key entities, of response entities and of cells.

    Raises:
        ValueError: a label below -1, or labels that lie too far apart; `factorize_scattered` makes them dense.
    """
    n = key.size
    cells, sizes, key_start = np.empty((3, n + 1), np.int64), np.empty((2, n + 1), np.int64), np.empty(n + 2, np.int64)
    bounds, totals = np.empty((3, 2), np.int64), np.empty((12, 1), np.int64)
    if contingency_batch(key, response, np.array([0, n]), 0, 1, cells, sizes, key_start, bounds, totals) < 1:
        raise ValueError("a label is below -1, or labels lie too far apart; make them dense first")
    c, k, r = bounds[0, 1], bounds[1, 1], bounds[2, 1]
    return cells[1, :c], cells[2, :c], cells[0, :c], sizes[0, :k], sizes[1, :r], totals[:, 0]
