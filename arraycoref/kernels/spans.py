"""Place the spans of key and response on one index per document."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import clear, number_of, slots_for
from arraycoref.kernels.jit import Ints, Ints32, kernel

Spans = tuple[Ints, Ints32, Ints32]
"""One side's document bounds, int64 (D + 1,), and the starts and ends of its spans, int32 (N,); read-only."""


@kernel
def place(
    key: Spans,
    response: Spans,
    seed: np.uint64,
    spans: Ints,
    numbers: Ints,
    offsets: Ints,
    key_mention: Ints,
    response_mention: Ints,
) -> None:
    """Number the spans of each document in the order in which key, then response, first have them.

    A hash table per document; linear time.

    Args:
        key: Nk spans.
        response: Nr spans.
        seed: of the hash. Results do not depend on it.
        spans: int64 (S,) scratch, at least the `slots_for` the spans of any document on both sides.
        numbers: int64 (S,) likewise.
        offsets: int64 (D + 1,) out: document d owns the spans ``offsets[d]:offsets[d + 1]``.
        key_mention: int64 (Nk,) out: the span of each occurrence.
        response_mention: int64 (Nr,) out.

    Unchecked: that offsets ascend to the arrays' lengths and that starts and ends are not negative.
    """
    key_offsets, key_start, key_end = key
    response_offsets, response_start, response_end = response
    n_documents = offsets.size - 1
    n = 0
    offsets[0] = 0
    for d in range(n_documents):
        n_key = key_offsets[d + 1] - key_offsets[d]
        size = n_key + response_offsets[d + 1] - response_offsets[d]
        slots = slots_for(size)
        clear(numbers, slots)
        for k in range(size):
            if k < n_key:
                at = key_offsets[d] + k
                span = (np.int64(key_start[at]) << 32) | np.int64(key_end[at])
            else:
                at = response_offsets[d] + k - n_key
                span = (np.int64(response_start[at]) << 32) | np.int64(response_end[at])
            number = number_of(span, spans, numbers, slots, seed, n)
            n += number == n
            if k < n_key:
                key_mention[at] = number
            else:
                response_mention[at] = number
        offsets[d + 1] = n
