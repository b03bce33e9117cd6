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

from arraycoref.kernels.jit import Ints, U, helper, kernel
from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.metrics.score import Floats, Sums


def count(cells: Cells) -> Floats:
    """Count LEA's importance-weighted resolved links: float64 (D, 4).

    Source: Moosavi and Strube (2016).
    """
    return np.array(sums(cells.totals, *cells.sums(write_links))).T


@helper
def sums(n: Totals, of_key: Any, of_response: Any) -> Sums:
    """Return the four sums of documents, or of one document, from their totals and sums of resolved links."""
    return of_key + n.shared_singletons, n.key_mentions, of_response + n.shared_singletons, n.response_mentions


@kernel
def write_links(shared: Ints, sizes: Floats, resolved: Floats) -> None:
    """Write k_i L(n_ij) / L(k_i) and r_j L(n_ij) / L(r_j) of each cell to two rows, float64 (2, at least C).

    A singleton, which has no links, counts 0.
    """
    key_size, response_size = sizes[0], sizes[1]
    of_key, of_response = resolved[0], resolved[1]
    for c in range(U(shared.size)):
        n, k, r = np.float64(shared[c]), key_size[c], response_size[c]
        of_key[c] = n * (n - 1.0) / (k - 1.0 if k > 1.0 else 1.0)
        of_response[c] = n * (n - 1.0) / (r - 1.0 if r > 1.0 else 1.0)
