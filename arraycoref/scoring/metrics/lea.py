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

import numpy as np

from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.metrics.score import Floats, Sums


def count(cells: Cells) -> Floats:
    """Count LEA's importance-weighted resolved links: float64 (D, 4).

    Source: Moosavi and Strube (2016).
    """
    return np.array(sums(cells.totals, *cells.sums(resolved))).T


def sums(n: Totals, of_key: Any, of_response: Any) -> Sums:
    """Return the four sums of documents, or of one document, from their totals and sums of resolved links."""
    return of_key + n.shared_singletons, n.key_mentions, of_response + n.shared_singletons, n.response_mentions


def resolved(n: Any, size: Any) -> Any:
    """Return k_i L(n_ij) / L(k_i), or the same with r_j, of cells, or of one cell; 0 for a singleton, without links."""
    return n * (n - 1.0) / (size - (size > 1.0))
