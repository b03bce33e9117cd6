"""Mention detection: recall and precision of the mentions themselves.

>>> import arraycoref as ac
>>> s = ac.score([["a", "b", "c"], ["d"]], [["b", "c"], ["d", "e"]])["mentions"]
>>> s.recall_num, s.recall_den, s.precision_den
(3.0, 4.0, 4.0)
"""

from __future__ import annotations

from arraycoref.scoring.cells import Totals
from arraycoref.scoring.metrics.score import Sums


def sums(n: Totals) -> Sums:
    """Return the mentions that key and response share, against those of each.

    Source: Pradhan et al. (2014), section 3.
    """
    return n.shared_mentions, n.key_mentions, n.shared_mentions, n.response_mentions
