"""Pairwise: recall and precision of the coreference links, the pairs of mentions of one entity.

>>> import arraycoref as ac
>>> s = ac.score([list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")])["pairwise"]
>>> s.recall_num, s.recall_den, s.precision_num, s.precision_den
(2.0, 9.0, 2.0, 8.0)
"""

from __future__ import annotations

from arraycoref.scoring.cells import Totals
from arraycoref.scoring.metrics.score import Sums


def sums(n: Totals) -> Sums:
    """Return the coreference links that key and response share, against those of each.

    Source: Luo et al. (2014), equation 16, coreference links.
    """
    return n.shared_links, n.key_links, n.shared_links, n.response_links
