"""Hash tables that kernels share, which number distinct keys by first appearance.

A table with open addressing is two arrays, ``keys`` and ``numbers``, whose number of slots is a power of two; the
number -1 marks a free slot. A table is at most half full. The seed is secret, so that nobody can choose keys that
collide; no result depends on it.
"""

from __future__ import annotations

import os

import numpy as np

from arraycoref.kernels.jit import U, helper

ONE, HALF = U(1), U(32)
FEWEST_SLOTS = 4

SEED = np.uint64(int.from_bytes(os.urandom(8)))
"""Seed of the hashes of labels and mentions, so that nobody can choose inputs that collide. Kernels take it as an
argument: machine code on disk would keep a constant."""


@helper
def mix(key, seed):
    """Hash a key; the high bits of the result depend on all 64 bits of the key."""
    x = U(key) ^ seed
    x = (x ^ (x >> U(31))) * U(0x9E3779B97F4A7C15)
    return (x ^ (x >> U(29))) * U(0xBF58476D1CE4E5B9)


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
