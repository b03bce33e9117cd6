"""Make the dendrogram of each document's mentions, from linkages or scored pairs, and cut it at thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.scoring.cells import Integers
from arraycoref.scoring.labels import antecedent_links, as_kernel_array, as_numpy, is_array, require_one_index
from arraycoref.scoring.metrics.score import Floats


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """The merges of one document's mentions, in ascending order of their heights.

    Attributes:
        merge: int64 (T, 2) pairs of mentions whose clusters are merged.
        height: float64 (T,) ascending; a cut at t makes the merges of height t or less.
    """

    merge: Integers
    height: Floats

    def cuts(self, thresholds: Floats) -> Integers:
        """Return the number of merges that a cut at each threshold makes, int64 (S,)."""
        return np.searchsorted(self.height, thresholds, side="right").astype(np.int64)


def from_linkage(linkage: Any, n_leaves: int, document: str) -> Dendrogram:
    """Read a linkage matrix of scipy.

    Args:
        linkage: (n-1, 3 or 4) rows of two cluster ids and their distance, as `scipy.cluster.hierarchy.linkage` gives.
        n_leaves: n, the number of mentions of the document.
        document: name of the document, for messages.

    Raises:
        InputError: another shape, ids of clusters that do not exist at their row, distances that are not numbers.
    """
    from arraycoref.kernels.links import leaf_merges

    what = f"document {document}"
    rows = numbers(linkage, f"linkage of {what}")
    if n_leaves < 2 and rows.size == 0:
        return Dendrogram(np.empty((0, 2), np.int64), np.empty(0))
    if rows.ndim != 2 or rows.shape[0] != n_leaves - 1 or rows.shape[1] not in (3, 4) or rows.dtype.kind not in "iuf":
        raise InputError(
            f"linkage of {what} has shape {rows.shape} and dtype {rows.dtype}; expected numbers, ({n_leaves - 1}, 4), "
            "one row less than there are mentions"
        )
    rows = as_kernel_array(rows, np.float64)
    merge = np.empty((n_leaves - 1, 2), np.int64)
    height = np.empty(n_leaves - 1)
    bad = leaf_merges(rows, n_leaves, merge, height)
    if bad >= 0:
        raise InputError(
            f"linkage of {what}: row {bad} merges clusters {rows[bad, 0]:g} and {rows[bad, 1]:g}; expected two ids "
            f"below {n_leaves + bad} that no earlier row has merged"
        )
    if np.isnan(height).any():
        raise InputError(f"linkage of {what}: row {int(np.isnan(rows[:, 2]).argmax())} has no distance")
    order = np.argsort(height, kind="stable")
    return Dendrogram(merge[order], height[order])


def from_linkages(linkages: Any, offsets: Integers, present: NDArray[np.bool_]) -> list[Dendrogram]:
    """Read one linkage matrix, or one for each of D documents.

    Args:
        linkages: the matrices, each over all mentions of its document, or over its present mentions only.
        offsets: int64 (D+1,) document bounds.
        present: bool (M,) which mentions the response has.

    Raises:
        InputError: not as many matrices as documents, or a matrix that `from_linkage` refuses.
    """
    sizes = np.diff(offsets).tolist()
    if not isinstance(linkages, Iterable) or isinstance(linkages, str | bytes | Mapping):
        raise InputError(f"linkage is {linkages!r:.60}; expected a matrix of scipy's, or a list of one per document")
    matrices: list[Any] = [linkages] if is_array(linkages) else list(linkages)
    if len(sizes) == 1 and len(matrices) != 1:
        matrices = [matrices]  # its items are the rows of one matrix
    if len(matrices) != len(sizes):
        raise InputError(f"got {len(matrices)} linkage matrices for {len(sizes)} documents; expected one each")
    found = []
    for d, (matrix, n, first) in enumerate(zip(matrices, sizes, offsets[:-1].tolist(), strict=True)):
        rows = numbers(matrix, f"linkage of document {d}")
        over_all = rows.ndim == 0 or len(rows) == n - 1
        leaves = np.arange(n) if over_all else np.flatnonzero(present[first : first + n])
        tree = from_linkage(rows, leaves.size, str(d))
        found.append(Dendrogram(leaves[tree.merge], tree.height))
    return found


def from_antecedents(antecedents: Any, scores: Any, offsets: Integers) -> list[Dendrogram]:
    """Link mentions with their antecedents from the highest score down.

    Args:
        antecedents: (M,) integers, see `arraycoref.scoring.labels.antecedent_links`.
        scores: (M,) score of each mention's link; any value, NaN too, if the mention has no antecedent.
        offsets: int64 (D+1,) document bounds.

    Raises:
        InputError: arrays that are not of all mentions, an antecedent outside its document, NaN scores of links.
    """
    require_one_index(antecedents=antecedents, scores=scores)
    found, values, n_mentions = as_numpy(antecedents, "antecedents"), numbers(scores, "scores"), int(offsets[-1])
    if not found.shape == values.shape == (n_mentions,):
        shapes = f"antecedents have shape {found.shape} and scores {values.shape}"
        raise InputError(f"{shapes}; expected ({n_mentions},) each, one per mention")
    mention, antecedent = antecedent_links(found, offsets)
    linked = values[mention]
    if linked.dtype.kind == "f" and np.isnan(linked).any():
        raise InputError(f"mention {mention[np.isnan(linked).argmax()]} has score nan; expected a number")
    return from_pairs((mention, antecedent), linked, offsets)


def from_pairs(pairs: Any, scores: Any, offsets: Integers) -> list[Dendrogram]:
    """Link pairs of mentions from the highest score down; clusters are the connected components.

    Args:
        pairs: (E, 2) integers, two mentions of one document each, 0 to M - 1; or two arrays (E,).
        scores: (E,) numbers; -inf never links.
        offsets: int64 (D+1,) document bounds.

    Returns:
        D dendrograms whose heights are the negative scores.

    Raises:
        InputError: arrays that differ in length, mentions that do not exist or lie in two documents, NaN scores.
    """
    from arraycoref.kernels.links import kept_merges

    (i, j), values = _two_columns(pairs, scores), numbers(scores, "scores")
    if not (i.ndim == j.ndim == values.ndim == 1 and i.size == j.size == values.size):
        raise InputError(f"pairs have shapes {i.shape} and {j.shape}, scores {values.shape}; expected (E,) each")
    if i.size == 0:
        i, j, values = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    if i.dtype.kind not in "iu" or j.dtype.kind not in "iu" or values.dtype.kind not in "iuf":
        raise InputError(f"pairs have dtypes {i.dtype} and {j.dtype}, scores {values.dtype}; expected numbers")
    n_mentions = int(offsets[-1])
    for side in (i, j):
        outside = (side < 0) | (side >= n_mentions)
        if outside.any():
            e = int(outside.argmax())
            raise InputError(f"pair {e} is ({i[e]}, {j[e]}); expected mentions from 0 to {n_mentions - 1}")
    i, j, values = i.astype(np.int64), j.astype(np.int64), values.astype(np.float64)
    if np.isnan(values).any():
        raise InputError(f"pair {int(np.isnan(values).argmax())} has score nan; expected a number")
    document = np.searchsorted(offsets, i, side="right") - 1
    across = document != np.searchsorted(offsets, j, side="right") - 1
    if across.any():
        e = int(across.argmax())
        raise InputError(f"pair {e} is ({i[e]}, {j[e]}), mentions of two documents; expected one document")
    order = np.lexsort((-values, document))
    i, j, height, document = i[order], j[order], -values[order], document[order]
    bounds = np.searchsorted(document, np.arange(offsets.size))
    found = []
    for d in range(offsets.size - 1):
        part, n = slice(bounds[d], bounds[d + 1]), int(offsets[d + 1] - offsets[d])
        kept = np.empty(max(n, 1), np.int64)
        a, b = i[part] - offsets[d], j[part] - offsets[d]
        kept = kept[: kept_merges(a, b, n, kept)]
        heights = height[part][kept]
        linked = heights < np.inf
        found.append(Dendrogram(np.stack([a[kept], b[kept]], axis=1)[linked], heights[linked]))
    return found


def _two_columns(pairs: Any, scores: Any) -> tuple[Integers, Integers]:
    """Return the two mentions of each pair.

    Raises:
        InputError: neither (E, 2) nor two arrays; Series whose indices differ from that of the scores.
    """
    if isinstance(pairs, tuple) and len(pairs) == 2:
        require_one_index(**{"pairs[0]": pairs[0], "pairs[1]": pairs[1], "scores": scores})
        return as_numpy(pairs[0], "pairs"), as_numpy(pairs[1], "pairs")
    array = np.asarray(as_numpy(pairs, "pairs"))
    if array.size == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(f"pairs have shape {array.shape}; expected (E, 2), or a tuple of two arrays")
    return array[:, 0], array[:, 1]


def numbers(given: Any, what: str) -> NDArray[Any]:
    """Convert scores, thresholds or distances to a NumPy array."""
    return as_numpy(given, what)
