"""Link mentions: find connected components, all at once or after any number of links."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Bools, Ints, helper, kernel


@helper
def _find(parent, x):
    """Find the root of a leaf, halving its path."""
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@helper
def _join(parent, x, y):
    """Join the components of two leaves under the smaller root; return whether they were two."""
    a = _find(parent, x)
    b = _find(parent, y)
    parent[max(a, b)] = min(a, b)
    return a != b


@kernel
def merged_labels(
    present: Bools, start: Ints, first: Ints, second: Ints, n_nodes: int, cuts: Ints, labels: Ints
) -> None:
    """Write the clusters of mentions after given numbers of merges.

    Args:
        present: bool (M,) whether the response has the mention.
        start: int64 (M,) the first mention of each mention's document.
        first: int64 (T,) a node of each merge: a mention, 0 to M - 1, or a cluster, from M on; not checked.
        second: int64 (T,) the other, of the same document.
        n_nodes: number of mentions and clusters.
        cuts: int64 (C,) ascending numbers of merges made.
        labels: int64 (C, M) receives the first mention of the cluster, counted in its document; -1 for absent mentions.
    """
    parent = np.arange(n_nodes)
    done = 0
    for c in range(cuts.size):
        while done < cuts[c]:
            _join(parent, first[done], second[done])
            done += 1
        for m in range(present.size):
            labels[c, m] = _find(parent, m) - start[m] if present[m] else -1


@kernel
def kept_merges(first: Ints, second: Ints, n: int, kept: Ints) -> int:
    """Find the pairs that join two components when pairs are linked in order (Kruskal 1956).

    Args:
        first: int64 (E,) a mention of each pair, 0 to n - 1; not checked.
        second: int64 (E,) the other.
        n: number of mentions.
        kept: int64 (n,) receives positions of the pairs that join.

    Returns:
        How many pairs do.
    """
    parent = np.arange(n)
    found = 0
    for e in range(first.size):
        if _join(parent, first[e], second[e]):
            kept[found] = e
            found += 1
    return found


@kernel
def component_labels(first: Ints, second: Ints, labels: Ints) -> None:
    """Label each mention by the first mention of its component.

    Args:
        first: int64 (E,) a mention of each link, 0 to M - 1; not checked.
        second: int64 (E,) the other.
        labels: int64 (M,) receives the labels.
    """
    for m in range(labels.size):
        labels[m] = m
    for e in range(first.size):
        _join(labels, first[e], second[e])
    for m in range(labels.size):
        labels[m] = labels[labels[m]]
