"""Label mentions that are usual Python objects on one index, by the bytes that a MessagePack encoder writes for them.

The encoder writes lists, tuples, texts and integers about as fast as the interpreter can look at them, and compiled
code compares mentions by their bytes, without hashing an object. Objects that Python compares otherwise are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.match.mentions import UnionLabels
from arraycoref.options import Policies
from arraycoref.scoring.cells import Integers
from arraycoref.scoring.clusterings import LABEL_SEED

COLLECTIONS = {set, frozenset, type({}.keys()), type({}.values())}
"""Types that can be a cluster or a document, but do not equal a list with the same items, if they are a mention."""

SCALARS = {np.dtype(code).type for code in "bBhHiIlLqQU"}
"""Scalar types of NumPy whose objects equal the Python objects that ``item()`` returns."""

ROOM, SMALL = 4, 4096
"""How many mentions get room at first: one for each `ROOM` bytes of data, but one for each byte up to `SMALL`."""


class Packed(NamedTuple):
    """Documents as bytes; see `arraycoref.kernels.packed`.

    Attributes:
        data: uint8 (B,).
        starts: int64 (N+1,) where each document begins, and where the last one ends. `pack` writes only the first;
            `number_packed` writes the others.
    """

    data: NDArray[np.uint8]
    starts: Integers

    def __add__(self, other: Packed) -> Packed:  # type: ignore[override]
        """Append the documents of another; the end of these counts as one more document between both."""
        starts = np.concatenate((self.starts, other.starts + self.data.size))
        return Packed(np.concatenate((self.data, other.data)), starts)


def pack(documents: Sequence[Any]) -> Packed | None:
    """Write documents as bytes.

    Mentions are texts, integers of 64 bits, NumPy's arrays and scalars of these, and lists and tuples of all these; a
    list, a tuple and an array with equal items are the same mention. Clusters and documents are lists, tuples, such
    arrays, sets and views of dicts.

    Args:
        documents: N clusterings.

    Returns:
        The documents, or None if they hold an object that cannot be written; `number_packed` finds objects that were
        written, but are no mentions. No iterator has been advanced.
    """
    from ormsgpack import packb

    from arraycoref.kernels.packed import PADDING

    try:
        data = np.frombuffer(packb((documents, "\0" * PADDING), _unpacked, _options()), np.uint8)
    except TypeError:
        return None
    n_documents = len(documents)
    starts = np.zeros(n_documents + 1, np.int64)
    starts[0] = 2 if n_documents < 16 else 4 if n_documents < 1 << 16 else 6  # behind headers of the pair and the list
    return Packed(data, starts)


def number_packed(documents: Packed, key: Integers, response: Integers, policies: Policies) -> UnionLabels | None:
    """Label the mentions of each pair of documents, in the order in which they first occur in key, then response.

    A document can be labelled if its start is in ``starts``, or if the document before it is labelled earlier: in an
    earlier pair, or as the key of the same pair.

    Args:
        documents: the documents of both sides; this function writes their ``starts``.
        key: int64 (D,) indices of the key's documents among them.
        response: int64 (D,) indices of the response's.
        policies: for ``duplicates``.

    Returns:
        The labels, or None if a document holds something that `pack` does not list, or a repeated mention that is an
        error.
    """
    from arraycoref.kernels import packed as kernels
    from arraycoref.kernels.hashtable import DROP, RULES

    rules = RULES[policies.key_duplicates], RULES[policies.response_duplicates]
    size, done, offsets = documents.data.size, 0, np.zeros(key.size + 1, np.int64)
    labels = np.empty((2, max(size // ROOM, min(size, SMALL))), np.int64)
    given = (*documents, key, response, rules, LABEL_SEED)
    while (done := kernels.number_mentions(*given, done, offsets, labels)) < key.size:
        if done < 0:
            return None
        labels = np.concatenate((labels, np.empty_like(labels)), axis=1)
    found = np.maximum(labels, -1) if DROP in rules else labels
    return UnionLabels(found[0, : offsets[-1]], found[1, : offsets[-1]], offsets)


def _unpacked(item: Any) -> Any:
    """Return what the encoder writes in place of an object that it does not know.

    Raises:
        TypeError: an object that may not be equal to what it holds.
    """
    kind = type(item)
    if kind in COLLECTIONS:
        return [_mark(), *item]
    if kind is np.ndarray and item.ndim and item.dtype.kind in "iuU":
        return item.tolist()
    if kind in SCALARS:
        return item.item()
    raise TypeError


@cache
def _mark() -> Any:
    """Return the first item of each written collection: it shows that this is no mention, and holds a random number."""
    from ormsgpack import Ext

    return Ext(0, LABEL_SEED.tobytes())


@cache
def _options() -> int:
    """Return the options with which the encoder calls `_unpacked` for types that it would write as another type."""
    import ormsgpack

    kinds = ("BIG_INT", "DATACLASS", "DATETIME", "ENUM", "SUBCLASS", "UUID")
    return sum(int(getattr(ormsgpack, f"OPT_PASSTHROUGH_{kind}")) for kind in kinds)
