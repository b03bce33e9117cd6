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

from arraycoref.scoring.cells import Totals
from arraycoref.scoring.metrics.score import Sums


def sums(n: Totals) -> Sums:
    """Return the sums of shares by key and by response, against the mentions of each.

    Source: Bagga and Baldwin (1998); Pradhan et al. (2014), section 4.2.
    """
    return n.key_squares, n.key_mentions, n.response_squares, n.response_mentions


def share(n: Any, size: Any) -> Any:
    """Return n_ij^2 / k_i or n_ij^2 / r_j of cells, or of one cell: what adds up to the squares of `Totals`."""
    return n * n / size
