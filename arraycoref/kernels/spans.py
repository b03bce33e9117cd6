"""Place the spans of key and response on one index a document."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import kernel

PRIME = (1 << 31) - 1


@kernel
def place(
    key_offsets: NDArray[np.int64],
    key_start: NDArray[np.int32],
    key_end: NDArray[np.int32],
    response_offsets: NDArray[np.int64],
    response_start: NDArray[np.int32],
    response_end: NDArray[np.int32],
    seed: int,
    offsets: NDArray[np.int64],
    key_mention: NDArray[np.int64],
    response_mention: NDArray[np.int64],
) -> None:
    """Number the spans of each document in the order in which key, then response, first have them.

    A hash table a document, of a random linear function of start and end; linear time.

    Args:
        key_offsets: int64 (D + 1,) read-only, like all the inputs.
        key_start: int32 (Nk,).
        key_end: int32 (Nk,).
        response_offsets: int64 (D + 1,).
        response_start: int32 (Nr,).
        response_end: int32 (Nr,).
        seed: in ``[2**16, 2**31 - 1)``. Results do not depend on it.
        offsets: int64 (D + 1,) out: document d owns the spans ``offsets[d]:offsets[d + 1]``.
        key_mention: int64 (Nk,) out: the span of each occurrence.
        response_mention: int64 (Nr,) out.

    Unchecked: that offsets ascend to the arrays' lengths and that starts and ends are not negative.
    """
    n_documents = offsets.size - 1
    most = 0
    for d in range(n_documents):
        size = key_offsets[d + 1] - key_offsets[d] + response_offsets[d + 1] - response_offsets[d]
        most = size if size > most else most
    room = 4
    while room < 2 * most:
        room *= 2
    spans = np.empty(room, np.int64)
    numbers = np.empty(room, np.int64)
    n = 0
    offsets[0] = 0
    for d in range(n_documents):
        n_key = key_offsets[d + 1] - key_offsets[d]
        size = n_key + response_offsets[d + 1] - response_offsets[d]
        mask = 4
        while mask < 2 * size:
            mask *= 2
        mask -= 1
        for k in range(mask + 1):
            spans[k] = -1
        for k in range(size):
            if k < n_key:
                at = key_offsets[d] + k
                start, end = np.int64(key_start[at]), np.int64(key_end[at])
            else:
                at = response_offsets[d] + k - n_key
                start, end = np.int64(response_start[at]), np.int64(response_end[at])
            span = (start << 32) | end
            # Modulo the prime 2**31 - 1: (start * seed + end) * seed, then the high bits on to the low.
            hashed = start * seed + end
            hashed = (hashed & PRIME) + (hashed >> 31)
            hashed = (hashed & PRIME) * seed
            hashed = (hashed & PRIME) + (hashed >> 31)
            slot = (hashed ^ (hashed >> 15)) & mask
            while spans[slot] != span and spans[slot] >= 0:
                slot = (slot + 1) & mask
            if spans[slot] < 0:
                spans[slot] = span
                numbers[slot] = n
                n += 1
            if k < n_key:
                key_mention[at] = numbers[slot]
            else:
                response_mention[at] = numbers[slot]
        offsets[d + 1] = n
