"""Build the sparse contingency matrix of key and response, document by document, by a counting sort."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Ints, Labels, U, kernel

ZERO, ONE = U(0), U(1)

LOW = 2**32 - 1
ALONE, SHARED = 1, 2**32 + 1
"""Two counters in one number: mentions in the low half, those that the other side has too in the high half."""


@kernel
def contingency_batch(
    key: Labels,
    response: Labels,
    offsets: Ints,
    key_offsets: Ints,
    response_offsets: Ints,
    cell_key: Ints,
    cell_response: Ints,
    shared: Ints,
    key_size: Ints,
    response_size: Ints,
    key_start: Ints,
    cell_offsets: Ints,
    totals: Ints,
) -> np.int64:
    """Fill the cells of D documents, one behind the other; entities are numbered through. Return the number of cells.

    Loops over mentions have no branches, whose outcome no processor could guess: an absent mention counts for entity 0
    of counters that start one earlier. Nor do they load from where the step before stored at a place that it had just
    looked up: the load would wait. That is why cells are found in one loop and filled in another.

    Args:
        key: int (M,) dense labels of the documents, indexed by ``offsets``. Not checked.
        response: int (M,) likewise.
        offsets: int64 (D+1,) document bounds in ``key`` and ``response``.
        key_offsets: int64 (D+1,) document bounds in ``key_size`` and ``key_start``, from 0.
        response_offsets: int64 (D+1,) document bounds in ``response_size``, from 0.
        cell_key: int64 (mentions,) receives the key entity of each cell, ascending.
        cell_response: int64 (mentions,) receives its response entity.
        shared: int64 (mentions,) receives n_ij.
        key_size: int64 (A,) receives k_i.
        response_size: int64 (B,) receives r_j.
        key_start: int64 (A+1,) receives the row starts of a compressed sparse row matrix.
        cell_offsets: int64 (D+1,) receives the document bounds in the cells.
        totals: int64 (9, D) receives the totals of `contingency_document`, a document a column.
    """
    n_mentions = n_key = n_response = np.int64(0)
    for d in range(offsets.size - 1):
        size = offsets[d + 1] - offsets[d]
        n_mentions = size if size > n_mentions else n_mentions
        size = key_offsets[d + 1] - key_offsets[d]
        n_key = size if size > n_key else n_key
        size = response_offsets[d + 1] - response_offsets[d]
        n_response = size if size > n_response else n_response
    row_count = np.empty(n_key + 1, np.int64)
    column_count = np.empty(n_response + 1, np.int64)
    pairs = np.empty(n_mentions, np.int64)
    cell_of = np.empty(n_mentions, np.int64)
    n_cells = np.int64(0)
    for d in range(offsets.size - 1):
        lo, hi = offsets[d], offsets[d + 1]  # the document's mentions; then its entities, and the first of its cells
        k0, k1 = key_offsets[d], key_offsets[d + 1]
        r0, r1 = response_offsets[d], response_offsets[d + 1]
        c0 = n_cells
        key_here = key[lo:hi]
        response_here = response[lo:hi]
        n = hi - lo
        n_key = k1 - k0
        n_response = r1 - r0
        for k in range(n_key + 1):
            row_count[k] = 0
        for r in range(n_response + 1):
            column_count[r] = 0
        for m in range(n):
            i = U(np.int64(key_here[m]) + 1)
            j = U(np.int64(response_here[m]) + 1)
            row_count[i] += SHARED if j > ZERO else ALONE
            column_count[j] += SHARED if i > ZERO else ALONE
            shared[c0 + m] = 0
        n_key_mentions = n - (row_count[0] & LOW)
        n_response_mentions = n - (column_count[0] & LOW)
        n_shared = n_key_mentions - (column_count[0] >> 32)

        before = n - n_shared
        row_count[0] = 0
        key_links = 0
        shared_key_links = 0
        for k in range(n_key):  # from here on, the counters of rows are the places of their next mention
            count = row_count[k + 1]
            size = count & LOW
            a = count >> 32
            key_size[k0 + k] = size
            key_start[k0 + k] = c0
            key_links += size * (size - 1)
            shared_key_links += a * (a - 1)
            row_count[k + 1] = before
            before += a
        response_links = 0
        shared_response_links = 0
        for r in range(n_response):  # and those of columns their latest cells
            count = column_count[r + 1]
            size = count & LOW
            b = count >> 32
            response_size[r0 + r] = size
            response_links += size * (size - 1)
            shared_response_links += b * (b - 1)
            column_count[r + 1] = -1

        for m in range(n):  # sort by row; mentions that are not shared come first and are not looked at again
            row = np.int64(key_here[m]) + 1
            column = np.int64(response_here[m])
            row = row if column >= 0 else np.int64(0)
            position = U(row_count[U(row)])
            pairs[position] = row << 32 | column
            row_count[U(row)] = position + ONE
        sorted_pairs = pairs[n - n_shared : n]
        first = n_cells
        row_before = np.int64(0)
        for m in range(n_shared):
            row = sorted_pairs[m] >> 32
            j = U(sorted_pairs[m] & LOW) + ONE
            first = first if row == row_before else n_cells
            row_before = row
            cell = column_count[j]
            new = cell < first
            cell = n_cells if new else cell
            column_count[j] = cell
            cell_of[m] = cell
            n_cells += new
        for m in range(n_shared):
            pair = sorted_pairs[m]
            here = U(cell_of[m])
            cell_key[here] = k0 - 1 + (pair >> 32)
            cell_response[here] = r0 + (pair & LOW)
            shared[here] += 1

        shared_links = 0
        n_shared_singletons = 0
        for c in range(U(c0), U(n_cells)):
            i = U(cell_key[c])
            key_start[i + ONE] = c + ONE
            shared_links += shared[c] * (shared[c] - 1)
            n_shared_singletons += (key_size[i] == 1) & (response_size[U(cell_response[c])] == 1)
        start = c0
        for k in range(k0, k1):
            start = key_start[k] if key_start[k] > start else start
            key_start[k] = start

        cell_offsets[d] = c0
        totals[0, d] = n_key_mentions
        totals[1, d] = n_response_mentions
        totals[2, d] = n_shared
        totals[3, d] = key_links // 2
        totals[4, d] = response_links // 2
        totals[5, d] = shared_key_links // 2
        totals[6, d] = shared_response_links // 2
        totals[7, d] = shared_links // 2
        totals[8, d] = n_shared_singletons
    cell_offsets[offsets.size - 1] = n_cells
    key_start[key_start.size - 1] = n_cells
    return np.int64(n_cells)


@kernel
def contingency_document(
    key: Labels, response: Labels, n_key_entities: int, n_response_entities: int
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """Build the cells of one document; to be called from a compiled function of the user's own.

    Args:
        key: int (n,) dense entity labels 0, 1, ... of the key, -1 where it lacks the mention. Not checked.
        response: int (n,) the same for the response.
        n_key_entities: number of key entities.
        n_response_entities: number of response entities.

    Returns:
        cell_key: int64 (C,) the key entity of each cell, ascending.
        cell_response: int64 (C,) its response entity.
        shared: int64 (C,) n_ij, the mentions that both hold.
        key_size: int64 (n_key_entities,) k_i.
        response_size: int64 (n_response_entities,) r_j.
        totals: int64 (9,) |M_k|, |M_r|, the shared mentions s, and the links sum L(k_i), sum L(r_j), sum L(a_i),
            sum L(b_j), sum L(n_ij), where L(n) = n(n-1)/2; and the entities of one mention that stand on both sides.
    """
    n = key.size
    bounds = np.array([0, n]), np.array([0, n_key_entities]), np.array([0, n_response_entities])
    cell_key, cell_response, shared = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    sizes = np.empty(n_key_entities, np.int64), np.empty(n_response_entities, np.int64)
    rest = np.empty(n_key_entities + 1, np.int64), np.empty(2, np.int64)
    totals = np.empty((9, 1), np.int64)
    n_cells = contingency_batch(key, response, *bounds, cell_key, cell_response, shared, *sizes, *rest, totals)
    return cell_key[:n_cells], cell_response[:n_cells], shared[:n_cells], *sizes, totals[:, 0]
