"""Number the distinct spans of key and response in each document."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import clear, number_of, slots_for
from arraycoref.kernels.jit import Ints, U, kernel


@kernel
def place(
    spans: Ints,
    key_offsets: Ints,
    response_offsets: Ints,
    seed: np.uint64,
    keys: Ints,
    numbers: Ints,
    offsets: Ints,
    mention: Ints,
) -> None:
    """Number the distinct spans of each document by first appearance, first those of the key, then the response's.

    A hash table per document; linear time.

    Args:
        spans: int64 (Nk + Nr,) those of the key, then those of the response, each span as one number.
        key_offsets: int64 (D + 1,) document bounds of the key's spans.
        response_offsets: int64 (D + 1,) document bounds of the response's spans, from 0 too.
        seed: of the hash. Results do not depend on it.
        keys: int64 (S,) scratch; S is at least `slots_for` of the number of a document's spans, of both sides together.
        numbers: int64 (S,) likewise.
        offsets: int64 (D + 1,) out: document d owns the numbers ``offsets[d]:offsets[d + 1]``.
        mention: int64 (Nk + Nr,) out: the number of each span.

    It is not checked that offsets ascend to the arrays' lengths.
    """
    n_documents = offsets.size - 1
    n_of_key = key_offsets[n_documents]
    n = 0
    offsets[0] = 0
    for d in range(n_documents):
        first, last = key_offsets[d], key_offsets[d + 1]
        gap = n_of_key + response_offsets[d] - last
        end = last + response_offsets[d + 1] - response_offsets[d]
        slots = slots_for(end - first)
        clear(numbers, slots)
        for k in range(first, end):
            at = U(k if k < last else k + gap)
            number = number_of(spans[at], keys, numbers, slots, seed, n)
            n += number == n
            mention[at] = number
        offsets[d + 1] = n
