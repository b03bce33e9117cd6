"""Match the mentions of key and response by equal spans: place both sides on one mention union index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.arrays import frozen
from arraycoref.clusterings import LABEL_SEED
from arraycoref.documents import Documents
from arraycoref.errors import InputError


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Every occurrence of a mention on both sides, placed on the mention union index.

    Attributes:
        offsets: int64 (D+1,) document d owns the union mentions ``offsets[d]:offsets[d + 1]``.
        key_mention: int64 (Nk,) union index of each occurrence in the key; repeated where a span is.
        response_mention: int64 (Nr,) the same for the response.
    """

    offsets: NDArray[np.int64]
    key_mention: NDArray[np.int64]
    response_mention: NDArray[np.int64]


def match(key: Documents, response: Documents) -> Occurrences:
    """Place the mentions of both sides on one index.

    Args:
        key: D documents.
        response: the same documents in the same order; `arraycoref.sides.paired` puts them so.

    Raises:
        InputError: another number of documents.
    """
    from arraycoref.kernels.spans import place

    if len(key) != len(response):
        raise InputError(f"key holds {len(key)} documents and response {len(response)}; expected the same documents")
    offsets = np.empty(len(key) + 1, np.int64)
    key_mention, response_mention = np.empty(key.start.size, np.int64), np.empty(response.start.size, np.int64)
    ours, theirs = [
        (frozen(side.offsets), frozen(side.start, np.int32), frozen(side.end, np.int32)) for side in (key, response)
    ]
    most = int((np.diff(ours[0]) + np.diff(theirs[0])).max(initial=2))
    spans, numbers = np.empty(
        (2, 1 << (2 * most - 1).bit_length()), np.int64
    )  # scratch: the kernel need not compile it
    place(ours, theirs, LABEL_SEED, spans, numbers, offsets, key_mention, response_mention)
    return Occurrences(offsets, key_mention, response_mention)
