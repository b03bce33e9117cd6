"""Closed forms of whole numbers: the counts of mentions, MUC, pairwise links and BLANC, from the documents' totals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import kernel


@kernel
def count_links(
    totals: NDArray[np.int64],
    offsets: NDArray[np.int64],
    key_offsets: NDArray[np.int64],
    response_offsets: NDArray[np.int64],
    rows: NDArray[np.float64],
    blanc: NDArray[np.float64],
) -> None:
    """Write each document's counts; `arraycoref.metrics` says what they are.

    Four numbers are a recall numerator and denominator, and a precision numerator and denominator.

    Args:
        totals: int64 (9, D) totals of the documents, as `arraycoref.kernels.contingency` leaves them.
        offsets: int64 (D+1,) document bounds of the cells.
        key_offsets: int64 (D+1,) document bounds of the key entities.
        response_offsets: int64 (D+1,) document bounds of the response entities.
        rows: float64 (3, D, 4) receives the counts of mentions, MUC and pairwise links.
        blanc: float64 (D, 12) receives BLANC's: four of coreference links, four of other links, four of mentions.
    """
    for d in range(offsets.size - 1):
        n_shared, shared_links = totals[2, d], totals[7, d]
        in_common = n_shared - (offsets[d + 1] - offsets[d])
        apart = (n_shared * (n_shared - 1) >> 1) - (totals[5, d] + totals[6, d] - shared_links)
        for side in range(2):
            n, links = totals[side, d], totals[3 + side, d]
            bounds = response_offsets if side else key_offsets
            num, den = 2 * side, 2 * side + 1
            rows[0, d, num] = blanc[d, 8 + num] = n_shared
            rows[0, d, den] = blanc[d, 8 + den] = n
            rows[1, d, num] = in_common
            rows[1, d, den] = n - (bounds[d + 1] - bounds[d])
            rows[2, d, num] = blanc[d, num] = shared_links
            rows[2, d, den] = blanc[d, den] = links
            blanc[d, 4 + num] = apart
            blanc[d, 4 + den] = (n * (n - 1) >> 1) - links
