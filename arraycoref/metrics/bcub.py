"""B-cubed: the mean over mentions of how well each one's entity is recovered.

Each of the n_ij mentions that entities i and j share has recall n_ij / k_i and precision n_ij / r_j. Recall is the sum
of n_ij^2 / k_i over the mentions of the key; precision that of n_ij^2 / r_j over the mentions of the response.

    >>> import arraycoref as ac
    >>> s = ac.score([list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")])["bcub"]
    >>> round(s.recall_num, 4), s.recall_den, s.precision_num, s.precision_den
    (2.9167, 7.0, 4.0, 8.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arraycoref.contingency import Cells, Totals
from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import Ints, U, helper, kernel
from arraycoref.metrics.score import Floats, Sums

BLOCK = 128  # cells that are summed by themselves first, so that rounding does not pile up over large documents
AHEAD = U(32)  # cells ahead at which the size of the response entity is looked up


def count(cells: Cells) -> Floats:
    """Count B-cubed's numerators and denominators: float64 (D, 4).

    Source: Bagga and Baldwin (1998); Pradhan et al. (2014), section 4.2.
    """
    squares = np.empty((2, len(cells.offsets) - 1))
    sum_squares(*cells[:6], squares)
    return np.array(sums(cells.totals, *squares)).T


@helper
def sums(n: Totals, of_key: Any, of_response: Any) -> Sums:
    """Return the four sums of documents, or of one document, from their totals and sums of squares."""
    return of_key, n.key_mentions, of_response, n.response_mentions


@kernel
def sum_squares(
    shared: Ints,
    key: Ints,
    response: Ints,
    key_size: Ints,
    response_size: Ints,
    offsets: Ints,
    squares: Floats,
) -> None:
    """Write the sums of n_ij^2 / k_i and of n_ij^2 / r_j over each document's cells to two rows."""
    for d in range(offsets.size - 1):
        of_key = 0.0
        of_response = 0.0
        last = U(offsets[d + 1] - 1 if offsets[d + 1] else 0)
        for block in range(offsets[d], offsets[d + 1], BLOCK):
            square_k = 0.0
            square_r = 0.0
            for c in range(U(block), U(block + BLOCK if block + BLOCK < offsets[d + 1] else offsets[d + 1])):
                prefetch(response_size, U(response[c + AHEAD if c + AHEAD < last else last]))
                n = np.float64(shared[c])
                square_k += n * n / np.float64(key_size[U(key[c])])
                square_r += n * n / np.float64(response_size[U(response[c])])
            of_key += square_k
            of_response += square_r
        squares[0, d] = of_key
        squares[1, d] = of_response
