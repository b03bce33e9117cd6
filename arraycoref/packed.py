"""Place clusters of the usual Python objects on one index of mentions, by the bytes that a MessagePack encoder writes.

The encoder writes lists, tuples, texts and integers about as fast as the interpreter can look at them, and compiled
code tells mentions apart by their bytes, without hashing an object. What Python compares in another way is refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

_SEED = np.uint64(int.from_bytes(os.urandom(8)))  # so that nobody can choose mentions that collide

COLLECTIONS = {set, frozenset, type({}.keys()), type({}.values())}
"""Types of clusters and documents that are no lists where they are mentions."""

SCALARS = {np.dtype(code).type for code in "bBhHiIlLqQU"}
"""Types of NumPy that equal what they hold."""

ROOM, SMALL = 4, 4096
"""Bytes of a mention that are supposed at first, and bytes that have room for as many mentions."""


class Packed(NamedTuple):
    """The mentions of D documents, N with those that repeat, as bytes; see `arraycoref.kernels.packed`.

    Attributes:
        data: uint8 (B,).
        bounds: int64 (D+1,) document d has the mentions ``bounds[d]:bounds[d + 1]``.
        mentions: int64 (2, N) code of each mention, and where it begins.
        clusters: int64 (N,) the number of its cluster in the document.
    """

    data: NDArray[np.uint8]
    bounds: Integers
    mentions: Integers
    clusters: Integers

    def __add__(self, other: Packed) -> Packed:  # type: ignore[override]
        """Return these documents and those of another."""
        moved = other.mentions + np.array([[0], [self.data.size]])
        return Packed(
            np.concatenate((self.data, other.data)),
            np.concatenate((self.bounds, other.bounds[1:] + self.bounds[-1])),
            np.concatenate((self.mentions, moved), axis=1),
            np.concatenate((self.clusters, other.clusters)),
        )


def pack(documents: Sequence[Any]) -> Packed | None:
    """Write documents as bytes, and find the mentions there.

    Mentions are texts, integers of 64 bits, NumPy's arrays and scalars of these, and lists and tuples of all these,
    which are alike. Clusters and documents are lists, tuples, such arrays, sets and views of dicts.

    Args:
        documents: D clusterings.

    Returns:
        None where there is anything else. No iterator has been advanced then.
    """
    from ormsgpack import packb

    from arraycoref.kernels.packed import PADDING, read

    try:
        data = np.frombuffer(packb((documents, "\0" * PADDING), _unpacked, _options()), np.uint8)
    except TypeError:
        return None
    n_documents, done = len(documents), 0
    at = 2 if n_documents < 16 else 4 if n_documents < 1 << 16 else 6  # behind the headers of the pair and the list
    bounds = np.zeros(n_documents + 1, np.int64)
    rows = np.empty((3, max(data.size // ROOM, min(data.size, SMALL))), np.int64)
    while True:
        done, at = read(data, at, done, _SEED, bounds, *rows)
        if done < 0:
            return None
        if done == n_documents:
            break
        rows = np.concatenate((rows, np.empty_like(rows)), axis=1)
    return Packed(data, bounds, rows[:2, : bounds[-1]], rows[2, : bounds[-1]])


class Placed(NamedTuple):
    """The occurrences of D pairs of documents, placed on one index of mentions.

    Attributes:
        offsets: int64 (D+1,) pair d owns the mentions ``offsets[d]:offsets[d + 1]``.
        key_mention: int64 (Nk,) the mention of each occurrence in the key.
        response_mention: int64 (Nr,) the same for the response.
    """

    offsets: Integers
    key_mention: Integers
    response_mention: Integers


def place(documents: Packed, key: slice | Integers, response: slice | Integers) -> Placed:
    """Number the mentions of each pair of documents in the order in which key, then response, first have them.

    Args:
        documents: of both sides.
        key: which of them are the D documents of the key.
        response: likewise.
    """
    from arraycoref.kernels import packed as kernels

    first, n = documents.bounds[:-1], documents.bounds[1:] - documents.bounds[:-1]
    offsets = np.empty(n[key].size + 1, np.int64)
    found = Placed(offsets, np.empty(n[key].sum(), np.int64), np.empty(n[response].sum(), np.int64))
    kernels.place(
        (documents.data, *documents.mentions), (first[key], n[key]), (first[response], n[response]), _SEED, *found
    )
    return found


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

    return Ext(0, _SEED.tobytes())


@cache
def _options() -> int:
    """Return the options by which the encoder leaves to `_unpacked` what it would write as something else."""
    import ormsgpack

    kinds = ("BIG_INT", "DATACLASS", "DATETIME", "ENUM", "SUBCLASS", "UUID")
    return sum(int(getattr(ormsgpack, f"OPT_PASSTHROUGH_{kind}")) for kind in kinds)
