"""Cluster mentions by links between them, such as those to antecedents."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.exceptions import InputError, check_name
from arraycoref.ragged import Ints
from arraycoref.scoring.labels import as_numpy, offset_array
from arraycoref.twin import twin


def antecedent_labels(antecedents: ArrayLike, offsets: ArrayLike | None = None, *, singletons: str = "keep") -> Ints:
    """Cluster mentions by their antecedents.

        >>> antecedent_labels([-1, 0, -1, 1, 4])
        array([0, 0, 2, 0, 4])

    Args:
        antecedents: (M,) integers, the antecedent of each mention in its document, counted from the document's first
            mention. -1 for a mention without an antecedent, such as one whose best choice is the dummy antecedent. A
            mention that is its own antecedent has none either.
        offsets: (D+1,) document bounds; None for one document.
        singletons: ``keep``, or ``drop`` to leave out mentions without a link, as systems without singletons do.

    Returns:
        int64 (M,) labels for `arraycoref.score_labels_batch`: the number of the first mention in the cluster, counted
        across all documents; -1 for a mention that is left out.

    Raises:
        InputError: not integers, an antecedent outside the document.
        UnknownNameError: ``singletons`` is neither ``keep`` nor ``drop``.
    """
    check_name("singletons policy", singletons, ("keep", "drop"))
    mention, antecedent = antecedent_links(antecedents, offsets)
    labels = np.arange(np.shape(antecedents)[0])
    if np.any(antecedent > mention):
        mention, antecedent, _ = joins_of(mention, antecedent, labels.size)
    labels[mention] = antecedent
    labels = roots_of(labels)
    if singletons == "drop":
        labels[np.bincount(labels)[labels] == 1] = -1
    return labels


def antecedent_links(antecedents: ArrayLike, offsets: ArrayLike | None = None) -> tuple[Ints, Ints]:
    """List the links from mentions to their antecedents, both counted across all documents.

        >>> antecedent_links([-1, 0, -1, 0], offsets=[0, 2, 4])
        (array([1, 3]), array([0, 2]))

    Args:
        antecedents: as for `antecedent_labels`.
        offsets: the same.

    Returns:
        int64 (E,) mentions that have an antecedent, ascending, and int64 (E,) their antecedents.

    Raises:
        InputError: not integers, an antecedent outside the document.
    """
    array = as_numpy(antecedents, "antecedents")
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InputError(f"antecedents have shape {array.shape} and dtype {array.dtype}; expected integers, shape (M,)")
    array = array if array.size else np.zeros(0, np.int64)
    bounds = offset_array(offsets, array.size)
    first = bounds[:-1].repeat(np.diff(bounds))
    size = np.repeat(np.diff(bounds), np.diff(bounds))
    outside = (array < np.int64(-1)) | (array >= size)  # as int64, 2**64 - 1 would be -1
    if outside.any():
        m = int(outside.argmax())
        document = f" of document {int(np.searchsorted(bounds, m, side='right')) - 1}" if bounds.size > 2 else ""
        shown = f"mention {m - first[m]}{document} has antecedent {array[m]}"
        raise InputError(f"{shown}; expected -1 or a mention from 0 to {size[m] - 1}")
    antecedent = array.astype(np.int64)
    own = np.arange(antecedent.size) - first
    mention = np.flatnonzero((antecedent >= 0) & (antecedent != own))
    return mention, antecedent[mention] + first[mention]


@twin("links.joins_of", each=4e-7, compiling=0.5, size=lambda first, *_: first.size)
def joins_of(first: Ints, second: Ints, n: int) -> tuple[Ints, Ints, Ints]:
    """Link mentions in order, and list the links that join two components (Kruskal 1956).

    The root of a component is its first mention. Links are read in blocks; those within a component, usually most,
    are left out at once.

    Args:
        first: int64 (E,) a mention of each link, 0 to ``n - 1``.
        second: int64 (E,) the other.
        n: number of mentions.

    Returns:
        For each link that joins two components, int64 (J,): the root that is one no more; the root of both; and the
        position of the link.
    """
    root, joins = np.arange(n), []
    for start in range(0, first.size, max(n, 1)):
        a, b = root[first[start : start + n]], root[second[start : start + n]]
        between = np.flatnonzero(a != b)
        up = root.tolist()
        rows = (start + between).tolist(), a[between].tolist(), b[between].tolist()
        for position, one, other in zip(*rows, strict=True):
            x, y = one, other
            while up[x] != x:
                up[x] = x = up[up[x]]  # halves the way to the root
            while up[y] != y:
                up[y] = y = up[up[y]]
            if x != y:
                up[max(x, y)] = min(x, y)
                joins.append((max(x, y), min(x, y), position))
        root = roots_of(np.array(up, np.int64))
    gone, kept, link = np.array(joins, np.int64).reshape(-1, 3).T
    return gone, kept, link


def roots_of(up: Ints) -> Ints:
    """Follow links from each mention to the last one, which has a link to itself.

        >>> roots_of(np.array([0, 0, 1, 3]))
        array([0, 0, 0, 3])

    Args:
        up: int64 (M,) the mention to which each is linked; there are no circles.
    """
    while not np.array_equal(further := up[up], up):
        up = further
    return up


def components(first: Ints, second: Ints, n: int) -> Ints:
    """Return the first mention of the component of each of n mentions that links (E,) and (E,) join, int64 (n,)."""
    gone, kept, _ = joins_of(first, second, n)
    up = np.arange(n)
    up[gone] = kept
    return roots_of(up)
