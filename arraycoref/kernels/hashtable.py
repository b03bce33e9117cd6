"""Hash tables that kernels share, which number distinct keys by first appearance; and hashes of integers and texts.

A table with open addressing is two arrays, ``keys`` and ``numbers``, whose number of slots is a power of two; the
number -1 marks a free slot. A table is at most half full. The seed is secret, so that nobody can choose keys that
collide; no result depends on it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import Bytes, Ints, U, helper, kernel

ONE, HALF = U(1), U(32)
FEWEST_SLOTS = 4

FIRST_SLOTS = 1024
"""Number of slots with which a hash table begins; it grows with the number of distinct values."""

ERROR, FIRST, LAST, DROP = 0, 1, 2, 3
"""Rules for a mention that occurs more than once on one side of a document."""

RULES = {"error": ERROR, "first": FIRST, "last": LAST, "drop": DROP}
"""The rule for each value of the option ``duplicates``."""


@helper
def mix(key, seed):
    """Hash a key; the high bits of the result depend on all 64 bits of the key."""
    x = U(key) ^ seed
    x = (x ^ (x >> U(31))) * U(0x9E3779B97F4A7C15)
    return (x ^ (x >> U(29))) * U(0xBF58476D1CE4E5B9)


@helper
def mix_bytes(data, start, end, seed):
    """Hash the byte string ``data[start:end]``."""
    x = seed
    for place in range(start, end):
        x = (x ^ U(data[place])) * U(0x9E3779B97F4A7C15)
        x ^= x >> HALF
    return x


@helper
def slots_for(n):
    """Return the number of slots of a table for ``n`` keys."""
    slots = FEWEST_SLOTS
    while slots < 2 * n:
        slots *= 2
    return slots


@helper
def clear(numbers, slots):
    """Empty a table, which is the first ``slots`` entries of the array ``numbers``."""
    for slot in range(slots):
        numbers[slot] = -1


@helper
def bring_slot(key, keys, numbers, slots, seed):
    """Prefetch the slot where the search for a key begins."""
    slot = (mix(key, seed) >> HALF) & U(slots - 1)
    prefetch(keys, slot)
    prefetch(numbers, slot)


@helper
def slot_of(key, keys, numbers, slots, seed):
    """Return the slot of a key, or the free slot where it would be added."""
    mask = U(slots - 1)
    slot = (mix(key, seed) >> HALF) & mask
    while numbers[slot] >= 0 and keys[slot] != key:
        slot = (slot + ONE) & mask
    return slot


@helper
def number_of(key, keys, numbers, slots, seed, n):
    """Return the number of a key; a new key is added to the table with the number ``n``.

    There is no branch. With one, numba would count references to both arrays, which takes five times as long as the
    lookup.
    """
    slot = slot_of(key, keys, numbers, slots, seed)
    number = numbers[slot]
    number = n if number < 0 else number
    keys[slot] = key
    numbers[slot] = number
    return number


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
