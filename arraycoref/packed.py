"""Place clusters of the usual Python objects on one index of mentions, by the bytes that a MessagePack encoder writes.

The encoder writes lists, tuples, texts and integers about as fast as the interpreter can look at them, and compiled
code tells mentions apart by their bytes, without hashing an object. What Python compares in another way is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.clusterings import LABEL_SEED
from arraycoref.contingency import Integers
from arraycoref.options import Policies

COLLECTIONS = {set, frozenset, type({}.keys()), type({}.values())}
"""Types of clusters and documents that are no lists where they are mentions."""

SCALARS = {np.dtype(code).type for code in "bBhHiIlLqQU"}
"""Types of NumPy that equal what they hold."""

ROOM, SMALL = 4, 4096
"""Bytes of a mention that are supposed at first, and bytes that have room for as many mentions."""


class Packed(NamedTuple):
    """Documents as bytes; see `arraycoref.kernels.packed`.

    Attributes:
        data: uint8 (B,).
        starts: int64 (N+1,) where each document begins, known of the first; and a place for what is behind the last.
    """

    data: NDArray[np.uint8]
    starts: Integers

    def __add__(self, other: Packed) -> Packed:  # type: ignore[override]
        """Return these documents, something else, and the documents of another."""
        starts = np.concatenate((self.starts, other.starts + self.data.size))
        return Packed(np.concatenate((self.data, other.data)), starts)


def pack(documents: Sequence[Any]) -> Packed | None:
    """Write documents as bytes.

    Mentions are texts, integers of 64 bits, NumPy's arrays and scalars of these, and lists and tuples of all these,
    which are alike. Clusters and documents are lists, tuples, such arrays, sets and views of dicts.

    Args:
        documents: N clusterings.

    Returns:
        None where there is anything else that cannot be written; `place` finds the rest. No iterator has been advanced.
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


class Placed(NamedTuple):
    """The labels of D pairs of documents on one index of mentions.

    Attributes:
        key: int64 (M,) the number of the cluster that each mention is in, -1 where the key lacks it.
        response: int64 (M,) likewise.
        offsets: int64 (D+1,) pair d owns the mentions ``offsets[d]:offsets[d + 1]``.
    """

    key: Integers
    response: Integers
    offsets: Integers


def place(documents: Packed, key: Integers, response: Integers, policies: Policies) -> Placed | None:
    """Label the mentions of each pair of documents, in the order in which key, then response, first have them.

    Args:
        documents: of both sides. Their starts are found.
        key: int64 (D,) which of them are the key's.
        response: int64 (D,) likewise. Of a pair and those before it, it or the key is the one before each document, or
            the document's start is known.
        policies: for ``duplicates``.

    Returns:
        None where there is something else than what `pack` tells, or a repeated mention that is an error.
    """
    from arraycoref.kernels import packed as kernels
    from arraycoref.kernels.hashtable import DROP, RULES

    rule = RULES[policies.key_duplicates], RULES[policies.response_duplicates]
    size, done, offsets = documents.data.size, 0, np.zeros(key.size + 1, np.int64)
    labels = np.empty((2, max(size // ROOM, min(size, SMALL))), np.int64)
    while (done := kernels.place(*documents, key, response, rule, LABEL_SEED, done, offsets, labels)) < key.size:
        if done < 0:
            return None
        labels = np.concatenate((labels, np.empty_like(labels)), axis=1)
    found = np.maximum(labels, -1) if DROP in rule else labels
    return Placed(found[0, : offsets[-1]], found[1, : offsets[-1]], offsets)


def place_pairs(keys: Sequence[Any], responses: Sequence[Any], policies: Policies) -> Placed | None:
    """Pack and place D clusterings of each side."""
    key, each = pack(keys), np.arange(len(keys))
    response = key and pack(responses)
    return None if key is None or response is None else place(key + response, each, key.starts.size + each, policies)


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
    """Return what comes first in collections, so that they do not pass for mentions; nobody else has it."""
    from ormsgpack import Ext

    return Ext(0, LABEL_SEED.tobytes())


@cache
def _options() -> int:
    """Return the options by which the encoder leaves to `_unpacked` what it would write as something else."""
    import ormsgpack

    kinds = ("BIG_INT", "DATACLASS", "DATETIME", "ENUM", "SUBCLASS", "UUID")
    return sum(int(getattr(ormsgpack, f"OPT_PASSTHROUGH_{kind}")) for kind in kinds)
