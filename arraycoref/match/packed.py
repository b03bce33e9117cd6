"""Label mentions that are usual Python objects on one index, by the bytes that a MessagePack encoder writes for them.

The encoder writes lists, tuples, texts and integers about as fast as the interpreter can look at them, and compiled
code compares mentions by their bytes, without hashing an object. Objects that Python compares otherwise are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from arraycoref.match.mentions import UnionLabels
from arraycoref.options import Policies
from arraycoref.scoring.clusterings import LABEL_SEED
from arraycoref.scoring.labels import as_kernel_array

COLLECTIONS = {set, frozenset, type({}.keys()), type({}.values())}
"""Types that can be a cluster or a document, but do not equal a list with the same items, if they are a mention."""

SCALARS = {np.dtype(code).type for code in "bBhHiIlLqQU"}
"""Scalar types of NumPy whose objects equal the Python objects that ``item()`` returns."""

ROOM, SMALL = 4, 4096
"""How many mentions get room at first: one for each `ROOM` bytes of data, but one for each byte up to `SMALL`."""


def number_packed(keys: Sequence[Any], responses: Sequence[Any], policies: Policies) -> UnionLabels | None:
    """Label the mentions of D pairs of documents, in the order in which they first occur in key, then response.

    Mentions are texts, integers of 64 bits, NumPy's arrays and scalars of these, and lists and tuples of all these; a
    list, a tuple and an array with equal items are the same mention. Clusters and documents are lists, tuples, such
    arrays, sets and views of dicts.

    Args:
        keys: D clusterings.
        responses: as many.
        policies: for ``duplicates``.

    Returns:
        The labels, or None if a document holds anything else, or a repeated mention that is an error. No iterator has
        been advanced then.
    """
    from ormsgpack import packb

    from arraycoref.kernels import packed as kernels
    from arraycoref.kernels.hashtable import DROP, RULES

    pairs = [*chain.from_iterable(zip(keys, responses, strict=True))]
    try:
        data = np.frombuffer(packb((pairs, "\0" * kernels.PADDING), _unpacked, _options()), np.uint8)
    except TypeError:
        return None
    starts, offsets = np.zeros((2, len(keys) + 1), np.int64)
    starts[0] = 2 if len(pairs) < 16 else 4 if len(pairs) < 1 << 16 else 6  # behind the headers of both lists
    rules = RULES[policies.key_duplicates], RULES[policies.response_duplicates]
    labels, done = np.empty((2, max(data.size // ROOM, min(data.size, SMALL))), np.int64), 0
    while (done := kernels.number_mentions(data, rules, LABEL_SEED, done, starts, offsets, labels)) < len(keys):
        if done < 0:
            return None
        labels = np.concatenate((labels, np.empty_like(labels)), axis=1)
    ours, theirs = np.maximum(labels, -1) if DROP in rules else labels
    return UnionLabels(*map(as_kernel_array, (ours[: offsets[-1]], theirs[: offsets[-1]], offsets)))


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
