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

from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.metrics.score import Floats, Sums


def count(cells: Cells) -> Floats:
    """Count B-cubed's numerators and denominators: float64 (D, 4).

    Source: Bagga and Baldwin (1998); Pradhan et al. (2014), section 4.2.
    """
    return np.array(sums(cells.totals, *cells.sums(share))).T


def sums(n: Totals, of_key: Any, of_response: Any) -> Sums:
    """Return the four sums of documents, or of one document, from their totals and sums of shares."""
    return of_key, n.key_mentions, of_response, n.response_mentions


def share(n: Any, size: Any) -> Any:
    """Return n_ij^2 / k_i or n_ij^2 / r_j of cells, or of one cell."""
    return n * n / size
