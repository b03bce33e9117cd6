"""Build the sparse contingency matrix of key and response, document by document, by a counting sort."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import kernel


@kernel
def contingency_document(key, response, cell_key, cell_response, shared, key_size, response_size, key_start, totals):
    """Fill the cells of one document and its totals; return the number of cells.

    Args:
        key: int (n,) dense entity labels 0, 1, ... of the key, -1 where it lacks the mention. Not checked.
        response: int (n,) the same for the response.
        cell_key: int64 (at least the shared mentions,) receives the key entity of each cell, ascending.
        cell_response: int64, as long; receives the response entity of each cell.
        shared: int64, as long; receives n_ij, the mentions that both entities hold.
        key_size: int64 (number of key entities,) receives k_i.
        response_size: int64 (number of response entities,) receives r_j.
        key_start: int64 (number of key entities,) receives the first cell of each key entity.
        totals: int64 (8,) receives |M_k|, |M_r|, the shared mentions s, and the links
            sum L(k_i), sum L(r_j), sum L(a_i), sum L(b_j), sum L(n_ij), where L(n) = n(n-1)/2.
    """
    n_key = key_size.size
    n_response = response_size.size
    key_size[:] = 0
    response_size[:] = 0
    key_start[:] = 0
    key_links = 0
    response_links = 0
    n_shared = 0
    n_key_mentions = 0
    n_response_mentions = 0
    for m in range(key.size):
        k = key[m]
        r = response[m]
        if k >= 0:
            n_key_mentions += 1
            key_links += key_size[k]
            key_size[k] += 1
            if r >= 0:
                key_start[k] += 1
                n_shared += 1
        if r >= 0:
            n_response_mentions += 1
            response_links += response_size[r]
            response_size[r] += 1

    shared_key_links = 0
    position = 0
    for k in range(n_key):
        a = key_start[k]
        shared_key_links += a * (a - 1) // 2
        key_start[k] = position
        position += a
    ordered = np.empty(n_shared, np.int32)
    for m in range(key.size):
        k = key[m]
        r = response[m]
        if k >= 0 and r >= 0:
            ordered[key_start[k]] = r
            key_start[k] += 1

    count = np.zeros(2 * n_response, np.int32)  # mentions of the response entity in this row | in all rows
    shared_response_links = 0
    shared_links = 0
    n_cells = 0
    position = 0
    for k in range(n_key):
        row = n_cells
        while position < key_start[k]:
            r = ordered[position]
            position += 1
            if count[r] == 0:
                cell_response[n_cells] = r
                n_cells += 1
            shared_links += int(count[r])
            shared_response_links += int(count[n_response + r])
            count[r] += 1
            count[n_response + r] += 1
        key_start[k] = row
        for c in range(row, n_cells):
            cell_key[c] = k
            shared[c] = count[cell_response[c]]
            count[cell_response[c]] = 0

    totals[0] = n_key_mentions
    totals[1] = n_response_mentions
    totals[2] = n_shared
    totals[3] = key_links
    totals[4] = response_links
    totals[5] = shared_key_links
    totals[6] = shared_response_links
    totals[7] = shared_links
    return n_cells


@kernel
def contingency_batch(
    key: NDArray[np.int32],
    response: NDArray[np.int32],
    offsets: NDArray[np.int64],
    key_offsets: NDArray[np.int64],
    response_offsets: NDArray[np.int64],
    cell_key: NDArray[np.int64],
    cell_response: NDArray[np.int64],
    shared: NDArray[np.int64],
    key_size: NDArray[np.int64],
    response_size: NDArray[np.int64],
    key_start: NDArray[np.int64],
    cell_offsets: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> int:
    """Fill the cells of D documents, one behind the other; entities are numbered through. Return the number of cells.

    Args:
        key: int32 (M,) dense labels of the documents, indexed by ``offsets``.
        response: int32 (M,) likewise.
        offsets: int64 (D+1,) document bounds in ``key`` and ``response``.
        key_offsets: int64 (D+1,) document bounds in ``key_size`` and ``key_start``, from 0.
        response_offsets: int64 (D+1,) document bounds in ``response_size``, from 0.
        cell_key: int64 (mentions,) as in `contingency_document`, plus ``key_offsets[d]``.
        cell_response: int64 (mentions,) likewise.
        shared: int64 (mentions,).
        key_size: int64 (A,).
        response_size: int64 (B,).
        key_start: int64 (A+1,) the row starts of a compressed sparse row matrix.
        cell_offsets: int64 (D+1,) document bounds in the cells.
        totals: int64 (8, D) as in `contingency_document`.
    """
    n_cells = 0
    row = np.empty(8, np.int64)
    for d in range(offsets.size - 1):
        lo = offsets[d]
        hi = offsets[d + 1]
        k0 = key_offsets[d]
        k1 = key_offsets[d + 1]
        r0 = response_offsets[d]
        cell_offsets[d] = n_cells
        added = contingency_document(
            key[lo:hi],
            response[lo:hi],
            cell_key[n_cells:],
            cell_response[n_cells:],
            shared[n_cells:],
            key_size[k0:k1],
            response_size[r0 : response_offsets[d + 1]],
            key_start[k0:k1],
            row,
        )
        for c in range(n_cells, n_cells + added):
            cell_key[c] += k0
            cell_response[c] += r0
        for k in range(k0, k1):
            key_start[k] += n_cells
        n_cells += added
        for t in range(8):
            totals[t, d] = row[t]
    cell_offsets[offsets.size - 1] = n_cells
    key_start[key_start.size - 1] = n_cells
    return n_cells
