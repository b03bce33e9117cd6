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
        n_key, n_response, n_shared = totals[0, d], totals[1, d], totals[2, d]
        key_links, response_links = totals[3, d], totals[4, d]
        shared_links = totals[7, d]
        rows[0, d, 0] = n_shared
        rows[0, d, 1] = n_key
        rows[0, d, 2] = n_shared
        rows[0, d, 3] = n_response
        in_common = n_shared - (offsets[d + 1] - offsets[d])
        rows[1, d, 0] = in_common
        rows[1, d, 1] = n_key - (key_offsets[d + 1] - key_offsets[d])
        rows[1, d, 2] = in_common
        rows[1, d, 3] = n_response - (response_offsets[d + 1] - response_offsets[d])
        rows[2, d, 0] = shared_links
        rows[2, d, 1] = key_links
        rows[2, d, 2] = shared_links
        rows[2, d, 3] = response_links
        together = totals[5, d] + totals[6, d] - shared_links
        apart = (n_shared * (n_shared - 1) >> 1) - together
        for t in range(4):
            blanc[d, t] = rows[2, d, t]
            blanc[d, 8 + t] = rows[0, d, t]
        blanc[d, 4] = apart
        blanc[d, 5] = (n_key * (n_key - 1) >> 1) - key_links
        blanc[d, 6] = apart
        blanc[d, 7] = (n_response * (n_response - 1) >> 1) - response_links
