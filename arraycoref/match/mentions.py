"""Match the mentions of key and response by equal spans: number all mentions of both sides in one union index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.read.documents import Documents
from arraycoref.scoring.arrays import frozen
from arraycoref.scoring.clusterings import LABEL_SEED


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Every occurrence of a mention on both sides, with its number in the union index: each mention has one number.

    Attributes:
        offsets: int64 (D+1,) document d owns the union mentions ``offsets[d]:offsets[d + 1]``.
        key_mention: int64 (Nk,) union index of each occurrence in the key; repeated where a span is repeated.
        response_mention: int64 (Nr,) the same for the response.
    """

    offsets: NDArray[np.int64]
    key_mention: NDArray[np.int64]
    response_mention: NDArray[np.int64]


def match(key: Documents, response: Documents) -> Occurrences:
    """Number the mentions of both sides in one union index.

    Args:
        key: D documents.
        response: the same documents in the same order, as `arraycoref.match.sides.paired` returns them.

    Raises:
        InputError: the sides have different numbers of documents.
    """
    from arraycoref.kernels.spans import place

    if len(key) != len(response):
        raise InputError(f"key holds {len(key)} documents and response {len(response)}; expected the same documents")
    ours, theirs = key.offsets, response.offsets
    n_key = key.start.size
    spans = np.empty(n_key + response.start.size, np.int64)
    np.left_shift(key.start, 32, out=spans[:n_key], dtype=np.int64)
    np.left_shift(response.start, 32, out=spans[n_key:], dtype=np.int64)
    spans[:n_key] |= key.end
    spans[n_key:] |= response.end
    offsets, mention = np.empty(len(key) + 1, np.int64), np.empty_like(spans)
    most = int((np.diff(ours) + np.diff(theirs)).max(initial=2))
    keys, numbers = np.empty((2, 1 << (2 * most - 1).bit_length()), np.int64)  # scratch
    place(frozen(spans), frozen(ours), frozen(theirs), LABEL_SEED, keys, numbers, offsets, mention)
    return Occurrences(offsets, mention[:n_key], mention[n_key:])
