"""Number the distinct byte strings of a file."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import mix_bytes, slots_for
from arraycoref.kernels.jit import Bytes, Ints, Ints32, kernel


@kernel
def number_spans(data: Bytes, start: Ints, end: Ints, seed: np.uint64) -> tuple[Ints32, Ints, int]:
    """Number the distinct byte strings of N spans in order of first appearance.

    Unchecked: spans lie inside ``data``.

    Args:
        data: uint8 (B,).
        start: int64 (N,) first byte of each span.
        end: int64 (N,) byte after the last.
        seed: of the hash, so that nobody can choose strings that collide; the result does not depend on it.

    Returns:
        int32 (N,): the number of each span's string. int64 (N,): the first span of each string, in the first V places.
        And V, the number of distinct strings.
    """
    n_spans = start.shape[0]
    ids = np.empty(n_spans, np.int32)
    first = np.empty(n_spans, np.int64)
    hashes = np.empty(n_spans, np.uint64)
    n_slots = slots_for(n_spans)
    slots = np.full(n_slots, -1, np.int32)
    n_strings = 0
    for n in range(n_spans):
        size = end[n] - start[n]
        hashed = mix_bytes(data, start[n], end[n], seed)
        slot = np.int64(hashed & np.uint64(n_slots - 1))
        while slots[slot] >= 0:
            v = slots[slot]
            other = first[v]
            if hashes[v] == hashed and end[other] - start[other] == size:
                i = 0
                while i < size and data[start[other] + i] == data[start[n] + i]:
                    i += 1
                if i == size:
                    break
            slot = (slot + 1) & (n_slots - 1)
        if slots[slot] < 0:
            first[n_strings], hashes[n_strings] = n, hashed
            slots[slot] = n_strings
            n_strings += 1
        ids[n] = slots[slot]
    return ids, first, n_strings
