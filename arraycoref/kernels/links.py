"""Link mentions in order: find the links that join two connected components."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import contiguous, helper, kernel, runs
from arraycoref.ragged import Ints


@helper
def _root(up, x):
    """Find the root of a mention, halving the way there."""
    while up[x] != x:
        up[x] = up[up[x]]
        x = up[x]
    return x


@kernel
def join_in_order(first: Ints, second: Ints, up: Ints, joins: Ints) -> int:
    """Link mentions in order, and list the links that join two components (Kruskal 1956).

    The root of a component is its first mention.

    Args:
        first: int64 (E,) a mention of each link, 0 to n - 1; not checked.
        second: int64 (E,) the other.
        up: int64 (n,) the numbers 0 to n - 1, which are replaced.
        joins: int64 (3, n) receives, for each link that joins two components, the root that is one no more, the root of
            both, and the position of the link.

    Returns:
        How many links do.
    """
    n = 0
    for e in range(first.size):
        a, b = _root(up, first[e]), _root(up, second[e])
        if a != b:
            up[max(a, b)] = min(a, b)
            joins[0, n], joins[1, n], joins[2, n] = max(a, b), min(a, b), e
            n += 1
    return n


@runs(join_in_order)
def joins_of(first: Ints, second: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """List the links that join two components: the fast twin of `arraycoref.scoring.antecedents.joins_of`."""
    joins = np.empty((3, n), np.int64)
    n_joins = join_in_order(contiguous(first), contiguous(second), np.arange(n), joins)
    gone, kept, link = joins[:, :n_joins]
    return gone, kept, link
