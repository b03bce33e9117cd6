"""Hash tables that kernels share: distinct keys are numbered by first appearance, with open addressing.

A table is two arrays of a power of two of slots: ``keys``, and ``numbers``, in which -1 marks a free slot. It is at
most half full. A secret seed keeps anybody from choosing keys that collide; no result depends on it.
"""

from __future__ import annotations

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import U, helper

ONE, HALF = U(1), U(32)
FEWEST_SLOTS = 4

ERROR, FIRST, LAST, DROP = 0, 1, 2, 3
"""What is done with a mention that a side repeats in a document."""

RULES = {"error": ERROR, "first": FIRST, "last": LAST, "drop": DROP}
"""The same, by the names of the policy."""


@helper
def mix(key, seed):
    """Mix the 64 bits of a key; the high bits of the result depend on all of them."""
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
    """Return how many slots a table of ``n`` keys has."""
    slots = FEWEST_SLOTS
    while slots < 2 * n:
        slots *= 2
    return slots


@helper
def clear(numbers, slots):
    """Empty a table of so many slots, which may be the first of a longer array."""
    for slot in range(slots):
        numbers[slot] = -1


@helper
def bring_slot(key, keys, numbers, slots, seed):
    """Have the slot where the search for a key begins brought into the cache."""
    slot = (mix(key, seed) >> HALF) & U(slots - 1)
    prefetch(keys, slot)
    prefetch(numbers, slot)


@helper
def slot_of(key, keys, numbers, slots, seed):
    """Return the slot of a key, or the free one where it belongs."""
    mask = U(slots - 1)
    slot = (mix(key, seed) >> HALF) & mask
    while numbers[slot] >= 0 and keys[slot] != key:
        slot = (slot + ONE) & mask
    return slot


@helper
def number_of(key, keys, numbers, slots, seed, n):
    """Return the number of a key; one that is new enters the table with the number ``n``.

    Without a branch: around one, numba counts the references to both arrays, which takes five times as long as the
    lookup.
    """
    slot = slot_of(key, keys, numbers, slots, seed)
    number = numbers[slot]
    number = n if number < 0 else number
    keys[slot] = key
    numbers[slot] = number
    return number
