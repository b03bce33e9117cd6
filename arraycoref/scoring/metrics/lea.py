"""LEA: the links of each entity that are resolved, weighed by the entity's size.

Entity i counts k_i times its resolved share, the sum over j of L(n_ij) / L(k_i), where L(n) = n(n-1)/2. A singleton has
one link, to itself, resolved where it is a singleton on both sides. Recall is the sum over the key's entities, over the
key's mentions; precision is the same with the sides swapped.

    >>> import arraycoref as ac
    >>> s = ac.score([list("abc"), ["d"]], [list("ab"), ["d"]])["lea"]
    >>> s.recall_num, s.recall_den, s.precision_num, s.precision_den
    (2.0, 4.0, 3.0, 3.0)
"""

from __future__ import annotations

from typing import Any

from arraycoref.scoring.cells import Totals
from arraycoref.scoring.metrics.score import Sums


def sums(n: Totals) -> Sums:
    """Return the resolved links by key and by response, weighed by the sizes of entities, against the mentions of each.

    Source: Moosavi and Strube (2016).
    """
    recall, precision = n.key_resolved + n.shared_singletons, n.response_resolved + n.shared_singletons
    return recall, n.key_mentions, precision, n.response_mentions


def resolved(n: Any, size: Any) -> Any:
    """Return k_i L(n_ij) / L(k_i), or the same with r_j, of cells, or of one cell; 0 for a singleton, without links."""
    return n * (n - 1.0) / (size - (size > 1.0))
