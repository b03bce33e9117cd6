"""Label clusters of usual Python objects by the bytes that a MessagePack encoder writes for their mentions."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import ormsgpack

from arraycoref.kernels.hashtable import SEED
from arraycoref.kernels.jit import runs
from arraycoref.kernels.packed import PADDING, number_mentions
from arraycoref.match.mentions import Occurrences, UnionLabels, label_mentions
from arraycoref.match.objects import SCALARS, ObjectSides, is_plain_array
from arraycoref.options.policies import Policies

COLLECTIONS = {set, frozenset, type({}.keys()), type({}.values())}
"""Types that can be a cluster or a document, but do not equal a list with the same items, if they are a mention."""

MARK = ormsgpack.Ext(0, SEED.tobytes())
"""First item of each written collection: it shows that this is not a mention, and holds a random number."""

PASSED: int = sum(
    getattr(ormsgpack, f"OPT_PASSTHROUGH_{kind}")
    for kind in ("BIG_INT", "DATACLASS", "DATETIME", "ENUM", "SUBCLASS", "UUID")
)
"""Options with which the encoder calls `_unpacked` for types that it would write as another type."""

ROOM, SMALL = 4, 4096
"""How many mentions get room at first: one for each `ROOM` bytes of data, but one for each byte up to `SMALL`."""


@runs(number_mentions)
def label_objects(sides: ObjectSides, policies: Policies) -> Any:
    """Label the mentions of both sides: the fast twin of `arraycoref.match.objects.label_objects`.

    Mentions are texts, integers of 64 bits, NumPy's arrays and scalars of these, and lists and tuples of all these; a
    list, a tuple and an array with equal items are the same mention. Clusters and documents are lists, tuples, such
    arrays, sets and views of dicts. If a document holds anything else, the plain function is left to do it all. No
    iterator has been advanced then.
    """
    n_documents = len(sides.keys)
    if np.ndarray in map(type, chain(sides.keys, sides.responses)):  # labels, which are refused
        return NotImplemented
    try:
        written = [ormsgpack.packb(side, _unpacked, PASSED) for side in (sides.keys, sides.responses)]
    except TypeError:
        return NotImplemented
    data = np.frombuffer(b"".join((*written, bytes(PADDING))), np.uint8)
    offsets = np.zeros((5, n_documents + 1), np.int64)
    header = 1 if n_documents < 16 else 3 if n_documents < 1 << 16 else 5  # bytes at the beginning of each list
    offsets[3, 0], offsets[4, 0] = header, len(written[0]) + header
    labels, done = np.empty((2, max(data.size // ROOM, min(data.size, SMALL))), np.int64), 0
    rows = np.empty((4, 0), np.int64)
    while (done := number_mentions(data, SEED, done, offsets, labels, rows)) < n_documents:
        if done < 0:
            return NotImplemented
        labels = np.concatenate((labels, np.empty_like(labels)), axis=1)
    n_mentions, n_of_key, n_of_response = offsets[:3, -1].tolist()
    if np.count_nonzero(labels[:, :n_mentions] >= 0) == n_of_key + n_of_response:  # no mention is repeated
        return UnionLabels(labels[0, :n_mentions], labels[1, :n_mentions], offsets[0])
    rows = np.empty((4, max(n_of_key, n_of_response)), np.int64)
    number_mentions(data, SEED, 0, offsets, labels, rows)
    key, response = (
        Occurrences(bounds, code[: bounds[-1]], entity[: bounds[-1]], entity[: bounds[-1]])
        for bounds, (code, entity) in zip(offsets[1:3], rows.reshape(2, 2, -1), strict=True)
    )
    return label_mentions(key, response, offsets[0], policies, sides.describe)


def _unpacked(item: Any) -> Any:
    """Return what the encoder writes instead of an object that it does not know.

    Raises:
        TypeError: an object that may not be equal to what it holds.
    """
    kind = type(item)
    if kind in COLLECTIONS:
        return [MARK, *item]
    if is_plain_array(item):
        return item.tolist()
    if kind in SCALARS:
        return item.item()
    raise TypeError
