"""Number arbitrary integers; and hash integers and texts, with the same result in all processes that share a seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.hashtable import mix, mix_bytes, number_of
from arraycoref.kernels.jit import Bytes, Ints, helper, kernel

FIRST_SLOTS = 1024
"""Number of slots with which a hash table begins; it grows with the number of distinct values."""


@helper
def _number_by_table(values, least, table, codes, first):
    """Number values that are close together, with a table from ``least`` on; return how many are distinct."""
    n = np.int64(0)
    for i in range(values.size):
        slot = values[i] - least
        new = table[slot] < 0
        first[n] = i  # if the value is not new, this is overwritten later, or behind the end
        table[slot] = n if new else table[slot]
        codes[i] = table[slot]
        n += new
    return n


@kernel
def number_values(values: Ints, seed: np.uint64, codes: Ints, first: Ints) -> int:
    """Number the distinct values 0, 1, ... by first appearance; return how many are distinct.

    Args:
        values: int64 (N,) any integers.
        seed: seed of the hash; no result depends on it.
        codes: int64 (N,) receives the numbers.
        first: int64 (N+1,) receives the first position of each distinct value.
    """
    least = largest = values[0] if values.size else np.int64(0)
    for i in range(values.size):
        least = min(least, values[i])
        largest = max(largest, values[i])
    if 0 <= largest - least < 4 * values.size + 64:  # negative if the difference overflows
        return int(_number_by_table(values, least, np.full(largest - least + 1, -1, np.int64), codes, first))
    slots = FIRST_SLOTS
    keys, numbers = np.empty(slots, np.int64), np.full(slots, -1, np.int64)
    n = np.int64(0)
    for i in range(values.size):
        codes[i] = number_of(values[i], keys, numbers, slots, seed, n)
        if codes[i] < n:
            continue
        first[n] = i
        n += 1
        if 2 * n > slots:
            slots *= 4
            keys, numbers = np.empty(slots, np.int64), np.full(slots, -1, np.int64)
            for code in range(n):
                number_of(values[first[code]], keys, numbers, slots, seed, code)
    return int(n)


@kernel
def hash_numbers(values: Ints, seed: np.uint64, hashes: NDArray[np.uint64]) -> None:
    """Hash integers.

    Args:
        values: int64 (N,).
        seed: equal seeds give equal hashes, in any process.
        hashes: uint64 (N,) receives the hashes.
    """
    for i in range(values.size):
        hashes[i] = mix(values[i], seed)


@kernel
def hash_texts(offsets: Ints, data: Bytes, seed: np.uint64, hashes: NDArray[np.uint64]) -> None:
    """Hash byte strings.

    Args:
        offsets: int64 (N+1,) string i is ``data[offsets[i]:offsets[i + 1]]``; not checked.
        data: uint8 (B,).
        seed: see `hash_numbers`.
        hashes: uint64 (N,) receives the hashes.
    """
    for i in range(hashes.size):
        length = np.uint64(offsets[i + 1] - offsets[i])
        hashes[i] = mix(mix_bytes(data, offsets[i], offsets[i + 1], seed ^ length), seed)
