"""Link mentions: find connected components, and count a dendrogram's clusters against a key after any number of merges.

The sums are updated with each merge, so that the sums of all cuts together take one pass through the merges.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import mix
from arraycoref.kernels.jit import Bools, Floats, Ints, Ints32, helper, kernel


@kernel
def leaf_merges(linkage: Floats, n_leaves: int, merge: Ints, height: Floats) -> int:
    """Turn a scipy linkage into merges of leaves, and find the height at which `fcluster` makes each of them.

    Args:
        linkage: float64 (n-1, at least 3) rows of two cluster ids and a distance. Not checked.
        n_leaves: n.
        merge: int64 (n-1, 2) receives a leaf of each of the two clusters.
        height: float64 (n-1,) receives the largest distance in the merge's subtree: with an inversion, as centroid and
            median linkage have, a cluster appears only where all of its parts do.

    Returns:
        -1, or the first row with an id that is not that of an existing cluster, or of one that is already merged.
    """
    n = n_leaves - 1
    used = np.zeros(n_leaves + max(n, 0), np.bool_)
    for t in range(n):
        height[t] = linkage[t, 2]
        for side in range(2):
            child = linkage[t, side]
            c = np.int64(child)
            if c != child or c < 0 or c >= n_leaves + t or used[c]:
                return t
            used[c] = True
            if c < n_leaves:
                merge[t, side] = c
            else:
                merge[t, side] = merge[c - n_leaves, 0]
                height[t] = max(height[t], height[c - n_leaves])
    return -1


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
def _home(column, row, seed, mask):
    """Hash a pair of numbers below 2^31 to a slot; the seed keeps anybody from choosing pairs that collide."""
    return np.int64(mix(np.uint64(column) << np.uint64(32) | np.uint64(row), seed) >> np.uint64(32)) & mask


@kernel
def _place(tables, column, row, seed, mask):
    """Return the slot of (column, row), or the free slot where it belongs."""
    slot = _home(column, row, seed, mask)
    while tables[slot, 2] != 0 and (tables[slot, 0] != column or tables[slot, 1] != row):
        slot = (slot + 1) & mask
    return slot


@kernel
def _remove(tables, slot, seed, mask):
    """Free a slot, and move later entries up so that a search still finds each of them."""
    hole = slot
    slot = (slot + 1) & mask
    while tables[slot, 2] != 0:
        home = _home(tables[slot, 0], tables[slot, 1], seed, mask)
        if ((slot - home) & mask) >= ((slot - hole) & mask):
            for column in range(3):
                tables[hole, column] = tables[slot, column]
            hole = slot
        slot = (slot + 1) & mask
    tables[hole, 2] = 0


@kernel
def _add(sums, which, value):
    """Add a value to a sum, and what this addition lost to rounding to the sum's second item (Neumaier 1974)."""
    total = sums[which, 0] + value
    if abs(sums[which, 0]) >= abs(value):
        sums[which, 1] += (sums[which, 0] - total) + value
    else:
        sums[which, 1] += (value - total) + sums[which, 0]
    sums[which, 0] = total


@kernel
def _start(key, present, key_size, clusters, rows, tables, seed, mask, sums):
    """Make each mention of the response a cluster; return the numbers of cells, clusters and shared singletons.

    The arrays in ``clusters`` hold for each cluster: its mentions r_j, those that the key has too b_j, the sum of n_ij
    squared, and the number of its cells. The arrays in ``rows`` are linked lists of the rows (key entities) of each
    cluster: the first and the last item of each cluster, and the following item and the row of each item.
    """
    size, common, square, n_rows = clusters
    first, last, _, row_of = rows
    cells = entities = singletons = 0
    for m in range(key.size):
        if not present[m]:
            continue
        entities += 1
        size[m] = 1
        k = key[m]
        if k < 0:
            continue
        common[m] = square[m] = n_rows[m] = 1
        first[m] = last[m] = m
        row_of[m] = k
        slot = _place(tables, m, k, seed, mask)
        tables[slot, 0], tables[slot, 1], tables[slot, 2] = m, k, 1
        cells += 1
        _add(sums, 0, 1.0 / key_size[k])
        _add(sums, 1, 1.0)
        singletons += key_size[k] == 1
    return cells, entities, singletons


@kernel
def _move_rows(a, b, key_size, square, n_rows, first, last, following, row_of, tables, seed, mask, sums):
    """Move the cells of cluster b into a; return how many met a cell of their row, and how many links that adds."""
    joined = links = 0
    item = first[b]
    while item >= 0:
        rest = following[item]
        k = row_of[item]
        slot = _place(tables, b, k, seed, mask)
        moved = tables[slot, 2]
        _remove(tables, slot, seed, mask)
        slot = _place(tables, a, k, seed, mask)
        there = tables[slot, 2]
        tables[slot, 2] = there + moved
        if there > 0:
            joined += 1
            links += there * moved
            square[a] += 2 * there * moved
            _add(sums, 0, 2.0 * there * moved / key_size[k])
            _add(sums, 2, 2.0 * there * moved / (key_size[k] - 1))
        else:
            tables[slot, 0], tables[slot, 1] = a, k
            n_rows[a] += 1
            following[item] = -1
            if first[a] < 0:
                first[a] = item
            else:
                following[last[a]] = item
            last[a] = item
        item = rest
    return joined, links


@kernel
def follow_merges(
    key: Ints32, present: Bools, key_size: Ints, merge: Ints, cuts: Ints, seed: np.uint64, whole: Ints, real: Floats
) -> None:
    """Write the sums of one document after given numbers of merges, starting with every mention by itself.

    The cells of the contingency matrix are kept in a hash table by (cluster, key entity). A merge moves the cells of
    the cluster that has fewer into the other, so that all merges together move O(n log n) cells.

    Args:
        key: int32 (n,) entity of each mention in the key: 0, 1, ... or -1. Not checked.
        present: bool (n,) whether the response has the mention.
        key_size: int64 (A,) mentions of each key entity.
        merge: int64 (T, 2) pairs of mentions whose clusters are merged; pairs already together change nothing.
        cuts: int64 (C,) ascending numbers of merges made.
        seed: of the hash; the result does not depend on it.
        whole: int64 (C, 6) receives: non-zero cells, response entities, the links sum L(r_j), sum L(b_j) and
            sum L(n_ij), and the singletons that both sides have.
        real: float64 (C, 4) receives the sums of n_ij^2 / k_i, n_ij^2 / r_j, k_i L(n_ij) / L(k_i) and
            r_j L(n_ij) / L(r_j).
    """
    n = key.size
    parent = np.arange(n)
    clusters, rows = np.zeros((4, n), np.int64), np.full((4, n), -1, np.int64)
    size, common, square, n_rows = clusters
    first, last, following, row_of = rows
    slots = 16
    while slots < 3 * n:
        slots *= 2
    mask = slots - 1
    tables = np.zeros((slots, 3), np.int64)  # cluster, row, mentions; 0 mentions in a free slot
    sums = np.zeros((4, 2))
    cells, entities, singletons = _start(key, present, key_size, clusters, rows, tables, seed, mask, sums)
    response_links = common_links = shared_links = 0
    done = 0
    for c in range(cuts.size):
        while done < cuts[c]:
            a = _find(parent, merge[done, 0])
            b = _find(parent, merge[done, 1])
            done += 1
            if a == b:
                continue
            if size[a] == 0 or size[b] == 0:  # one of them has only mentions that the response lacks
                parent[a if size[a] == 0 else b] = b if size[a] == 0 else a
                continue
            if n_rows[a] < n_rows[b]:
                a, b = b, a
            entities -= 1
            response_links += size[a] * size[b]
            common_links += common[a] * common[b]
            for j in (a, b):
                _add(sums, 1, -square[j] / size[j])
                if size[j] > 1:
                    _add(sums, 3, -(square[j] - common[j]) / (size[j] - 1))
                elif first[j] >= 0 and key_size[row_of[first[j]]] == 1:  # no longer a singleton on both sides
                    singletons -= 1
            joined, links = _move_rows(
                a, b, key_size, square, n_rows, first, last, following, row_of, tables, seed, mask, sums
            )
            cells -= joined
            shared_links += links
            parent[b] = a
            square[a] += square[b]
            size[a] += size[b]
            common[a] += common[b]
            _add(sums, 1, square[a] / size[a])
            _add(sums, 3, (square[a] - common[a]) / (size[a] - 1))
        whole[c, 0], whole[c, 1], whole[c, 2] = cells, entities, response_links
        whole[c, 3], whole[c, 4], whole[c, 5] = common_links, shared_links, singletons
        for which in range(4):
            real[c, which] = sums[which, 0] + sums[which, 1]


@kernel
def merged_labels(present: Bools, merge: Ints, cuts: Ints, labels: Ints) -> None:
    """Write the clusters of one document after given numbers of merges.

    Args:
        present: bool (n,) whether the response has the mention.
        merge: int64 (T, 2) pairs of mentions whose clusters are merged. Not checked.
        cuts: int64 (C,) ascending numbers of merges made.
        labels: int64 (C, n) receives a mention of the cluster as its label, -1 for absent mentions.
    """
    n = present.size
    parent = np.arange(n)
    done = 0
    for c in range(cuts.size):
        while done < cuts[c]:
            _join(parent, merge[done, 0], merge[done, 1])
            done += 1
        for m in range(n):
            labels[c, m] = _find(parent, m) if present[m] else -1


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
