"""MUC: links that a spanning tree of each entity needs.

The response cuts key entity i into p_i pieces: one for each response entity that it meets, one for each mention that
the response lacks. Recall is the sum of k_i - p_i over that of k_i - 1; precision is the same with the sides swapped.

    >>> import arraycoref as ac
    >>> s = ac.score([list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")])["muc"]
    >>> s.recall_num, s.recall_den, s.precision_num, s.precision_den
    (2.0, 5.0, 2.0, 5.0)
"""

from __future__ import annotations

from arraycoref.scoring.cells import Totals
from arraycoref.scoring.metrics.score import Sums


def sums(n: Totals) -> Sums:
    """Return MUC's common links, against the mentions less the entities of each side.

    k_i - p_i is a_i, the shared mentions of entity i, less the cells in row i. Their sum is the shared mentions less
    the cells; by columns the sum is the same.

    Source: Vilain et al. (1995); Pradhan et al. (2014), section 4.1.
    """
    common = n.shared_mentions - n.cells
    return common, n.key_mentions - n.key_entities, common, n.response_mentions - n.response_entities
