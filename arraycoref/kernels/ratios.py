"""Ratios of cells to entity sizes: the counts of B-cubed and LEA, and the similarities that CEAF aligns by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import kernel

BLOCK = 128  # cells that are summed by themselves first, so that rounding does not pile up over large documents
AHEAD = 32  # cells ahead at which the size of the response entity is looked up


@kernel
def count_ratios(
    shared: NDArray[np.int64],
    key: NDArray[np.int64],
    response: NDArray[np.int64],
    key_size: NDArray[np.int64],
    response_size: NDArray[np.int64],
    offsets: NDArray[np.int64],
    totals: NDArray[np.int64],
    rows: NDArray[np.float64],
    similarity: NDArray[np.float64],
) -> None:
    """Sum the cells' squares and links over the sizes of their entities: what B-cubed and LEA count.

    Of each document, in the cells' order, the sums of n_ij^2 / k_i, n_ij^2 / r_j, k_i L(n_ij) / L(k_i) and
    r_j L(n_ij) / L(r_j), where L(n) = n(n-1)/2 and a singleton, which has no links, counts 0; of each cell, the
    similarities phi3 = n_ij and phi4 = 2 n_ij / (k_i + r_j).

    Args:
        shared: int64 (C,) n_ij.
        key: int64 (C,) key entity i of each cell; not checked.
        response: int64 (C,) response entity j; not checked.
        key_size: int64 (A,) k_i.
        response_size: int64 (B,) r_j.
        offsets: int64 (D+1,) document bounds of the cells.
        totals: int64 (9, D) totals of the documents, as `arraycoref.kernels.contingency` leaves them.
        rows: float64 (2, D, 4) receives the counts of B-cubed and of LEA: recall numerator and denominator, precision
            numerator and denominator.
        similarity: float64 (2, C) receives phi3 and phi4.
    """
    for d in range(offsets.size - 1):
        squares_of_key = 0.0
        squares_of_response = 0.0
        links_of_key = 0.0
        links_of_response = 0.0
        last = offsets[d + 1] - AHEAD
        for block in range(offsets[d], offsets[d + 1], BLOCK):
            square_k = 0.0
            square_r = 0.0
            link_k = 0.0
            link_r = 0.0
            for c in range(block, block + BLOCK if block + BLOCK < offsets[d + 1] else offsets[d + 1]):
                prefetch(response_size, np.uint64(response[c + AHEAD if c < last else c]))
                n = np.float64(shared[c])
                k = np.float64(key_size[key[c]])
                r = np.float64(response_size[response[c]])
                square_k += n * n / k
                square_r += n * n / r
                link_k += n * (n - 1.0) / (k - 1.0 if k > 1.0 else 1.0)
                link_r += n * (n - 1.0) / (r - 1.0 if r > 1.0 else 1.0)
                similarity[0, c] = n
                similarity[1, c] = 2.0 * n / (k + r)
            squares_of_key += square_k
            squares_of_response += square_r
            links_of_key += link_k
            links_of_response += link_r
        for metric in range(2):
            rows[metric, d, 1] = totals[0, d]
            rows[metric, d, 3] = totals[1, d]
        rows[0, d, 0] = squares_of_key
        rows[0, d, 2] = squares_of_response
        rows[1, d, 0] = links_of_key + totals[8, d]
        rows[1, d, 2] = links_of_response + totals[8, d]
