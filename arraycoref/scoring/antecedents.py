"""Convert arrays of antecedents, the output of mention-ranking systems, to labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.scoring.arrays import as_numpy
from arraycoref.scoring.clusterings import offset_array

Integers = NDArray[np.int64]


def antecedent_labels(
    antecedents: ArrayLike, offsets: ArrayLike | None = None, *, singletons: str = "keep"
) -> Integers:
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
    from arraycoref.kernels.links import component_labels

    if singletons not in ("keep", "drop"):
        raise UnknownNameError("singletons policy", singletons, ("keep", "drop"))
    mention, antecedent = antecedent_links(antecedents, offsets)
    labels = np.empty(np.shape(antecedents)[0], np.int64)
    component_labels(mention, antecedent, labels)
    if singletons == "drop":
        linked = np.zeros(labels.size, bool)
        linked[mention] = linked[antecedent] = True
        labels[~linked] = -1
    return labels


def antecedent_links(antecedents: ArrayLike, offsets: ArrayLike | None = None) -> tuple[Integers, Integers]:
    """List the links from mentions to their antecedents, both counted across all documents.

        >>> antecedent_links([-1, 0, -1, 0], offsets=[0, 2, 4])
        (array([1, 3]), array([0, 2]))

    Args:
        antecedents: as for `antecedent_labels`.
        offsets: likewise.

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
    first = np.repeat(bounds[:-1], np.diff(bounds))
    size = np.repeat(np.diff(bounds), np.diff(bounds))
    outside = (array < np.int64(-1)) | (array >= size)  # as int64, 2**64 - 1 would be -1
    if outside.any():
        m = int(outside.argmax())
        document = f" of document {int(np.searchsorted(bounds, m, side='right')) - 1}" if bounds.size > 2 else ""
        raise InputError(
            f"mention {m - first[m]}{document} has antecedent {array[m]}; expected -1 or a mention from 0 to "
            f"{size[m] - 1}"
        )
    found = array.astype(np.int64)
    own = np.arange(found.size) - first
    mention = np.flatnonzero((found >= 0) & (found != own))
    return mention, found[mention] + first[mention]
