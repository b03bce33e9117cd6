"""Mention detection: recall and precision of the mentions themselves.

>>> import arraycoref as ac
>>> s = ac.score([["a", "b", "c"], ["d"]], [["b", "c"], ["d", "e"]])["mentions"]
>>> s.recall_num, s.recall_den, s.precision_den
(3.0, 4.0, 4.0)
"""

from __future__ import annotations

import numpy as np

from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.metrics.score import Floats, Sums


def count(cells: Cells) -> Floats:
    """Count the mentions that key and response share, against those of each: float64 (D, 4).

    Source: Pradhan et al. (2014), section 3.
    """
    return np.array(sums(cells.totals), np.float64).T


def sums(n: Totals) -> Sums:
    """Return the four sums of documents, or of one document, from their totals."""
    return n.shared_mentions, n.key_mentions, n.shared_mentions, n.response_mentions
