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

from arraycoref.contingency import Cells, Totals
from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import Ints, U, helper, kernel
from arraycoref.metrics.score import Floats, Sums

BLOCK = 128  # cells that are summed by themselves first, so that rounding does not pile up over large documents
AHEAD = U(32)  # cells ahead at which the size of the response entity is looked up


def count(cells: Cells) -> Floats:
    """Count LEA's importance-weighted resolved links: float64 (D, 4).

    Source: Moosavi and Strube (2016).
    """
    links = np.empty((2, len(cells.offsets) - 1))
    sum_links(*cells[:6], links)
    return np.array(sums(cells.totals, *links)).T


@helper
def sums(n: Totals, of_key: Any, of_response: Any) -> Sums:
    """Return the four sums of documents, or of one document, from their totals and sums of resolved links."""
    return of_key + n.shared_singletons, n.key_mentions, of_response + n.shared_singletons, n.response_mentions


@kernel
def sum_links(
    shared: Ints,
    key: Ints,
    response: Ints,
    key_size: Ints,
    response_size: Ints,
    offsets: Ints,
    links: Floats,
) -> None:
    """Write the sums of k_i L(n_ij) / L(k_i) and of r_j L(n_ij) / L(r_j) over each document's cells to two rows.

    A singleton, which has no links, counts 0.
    """
    for d in range(offsets.size - 1):
        of_key = 0.0
        of_response = 0.0
        last = U(offsets[d + 1] - 1 if offsets[d + 1] else 0)
        for block in range(offsets[d], offsets[d + 1], BLOCK):
            link_k = 0.0
            link_r = 0.0
            for c in range(U(block), U(block + BLOCK if block + BLOCK < offsets[d + 1] else offsets[d + 1])):
                prefetch(response_size, U(response[c + AHEAD if c + AHEAD < last else last]))
                n = np.float64(shared[c])
                k = np.float64(key_size[U(key[c])])
                r = np.float64(response_size[U(response[c])])
                link_k += n * (n - 1.0) / (k - 1.0 if k > 1.0 else 1.0)
                link_r += n * (n - 1.0) / (r - 1.0 if r > 1.0 else 1.0)
            of_key += link_k
            of_response += link_r
        links[0, d] = of_key
        links[1, d] = of_response
