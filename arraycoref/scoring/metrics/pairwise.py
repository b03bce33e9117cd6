"""Pairwise: recall and precision of the coreference links, the pairs of mentions of one entity.

>>> import arraycoref as ac
>>> s = ac.score([list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")])["pairwise"]
>>> s.recall_num, s.recall_den, s.precision_num, s.precision_den
(2.0, 9.0, 2.0, 8.0)
"""

from __future__ import annotations

import numpy as np

from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.metrics.score import Floats, Sums


def count(cells: Cells) -> Floats:
    """Count the coreference links that key and response share, against those of each: float64 (D, 4).

    Source: Luo et al. (2014), equation 16, coreference links.
    """
    return np.array(sums(cells.totals), np.float64).T


def sums(n: Totals) -> Sums:
    """Return the four sums of documents, or of one document, from their totals."""
    return n.shared_links, n.key_links, n.shared_links, n.response_links
