"""Label clusters of usual Python objects by the bytes that a MessagePack encoder writes for their mentions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from arraycoref.match.mentions import Describe, Occurrences, UnionLabels, label_mentions
from arraycoref.options.policies import Policies
from arraycoref.scoring.clusterings import LABEL_SEED
from arraycoref.scoring.labels import as_kernel_array

COLLECTIONS = {set, frozenset, type({}.keys()), type({}.values())}
"""Types that can be a cluster or a document, but do not equal a list with the same items, if they are a mention."""

SCALARS = {np.dtype(code).type for code in "bBhHiIlLqQU"}
"""Scalar types of NumPy whose objects equal the Python objects that ``item()`` returns."""

ROOM, SMALL = 4, 4096
"""How many mentions get room at first: one for each `ROOM` bytes of data, but one for each byte up to `SMALL`."""


def label_packed(
    keys: list[Any], responses: list[Any], policies: Policies, describe: Describe, kernels: Any
) -> UnionLabels | None:
    """Label the mentions of D pairs of documents, in the order in which they first occur in key, then response.

    Mentions are texts, integers of 64 bits, NumPy's arrays and scalars of these, and lists and tuples of all these; a
    list, a tuple and an array with equal items are the same mention. Clusters and documents are lists, tuples, such
    arrays, sets and views of dicts.

    Args:
        keys: D clusterings.
        responses: as many.
        policies: for ``duplicates``.
        describe: makes the words for a repeated mention, for the message.
        kernels: the module `arraycoref.kernels.packed`.

    Returns:
        The labels, or None if a document holds anything else. No iterator has been advanced then.

    Raises:
        DuplicateMentionError: a repeated mention, where the policy refuses it.
    """
    from ormsgpack import packb

    try:
        packed = [packb(side, _unpacked, _options()) for side in (keys, responses)]
    except TypeError:
        return None
    data = np.frombuffer(b"".join((*packed, bytes(kernels.PADDING))), np.uint8)
    offsets = np.zeros((5, len(keys) + 1), np.int64)
    header = 1 if len(keys) < 16 else 3 if len(keys) < 1 << 16 else 5  # bytes at the beginning of each list
    offsets[3:, 0] = header, len(packed[0]) + header
    labels, done = np.empty((2, max(data.size // ROOM, min(data.size, SMALL))), np.int64), 0
    rows = np.empty((4, 0), np.int64)
    while (done := kernels.number_mentions(data, LABEL_SEED, done, offsets, labels, rows)) < len(keys):
        if done < 0:
            return None
        labels = np.concatenate((labels, np.empty_like(labels)), axis=1)
    found = labels[:, : offsets[0, -1]]
    if np.count_nonzero(found >= 0) == offsets[1:3, -1].sum():  # no mention is repeated
        return UnionLabels(as_kernel_array(found[0]), as_kernel_array(found[1]), as_kernel_array(offsets[0]))
    rows = np.empty((4, offsets[1:3, -1].max()), np.int64)
    kernels.number_mentions(data, LABEL_SEED, 0, offsets, labels, rows)
    ours, theirs = (
        Occurrences(bounds, code[: bounds[-1]], entity[: bounds[-1]], entity[: bounds[-1]])
        for bounds, (code, entity) in zip(offsets[1:3], rows.reshape(2, 2, -1), strict=True)
    )
    return label_mentions(ours, theirs, offsets[0], policies, describe)


def _unpacked(item: Any) -> Any:
    """Return what the encoder writes in place of an object that it does not know.

    Raises:
        TypeError: an object that may not be equal to what it holds.
    """
    kind = type(item)
    if kind in COLLECTIONS:
        return [_mark(), *item]
    if is_plain_array(item):
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


def is_plain_array(obj: Any) -> bool:
    """Whether an object is an array of NumPy, with dimensions, of integers or texts."""
    return type(obj) is np.ndarray and obj.ndim > 0 and obj.dtype.kind in "iuU"
