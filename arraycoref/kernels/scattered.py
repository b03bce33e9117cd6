"""Relabel the entities of one giant document, whose labels scatter too much for a table.

One hash table of all entities would be a trip to main memory a mention. Here labels are dealt out by their hash into
buckets that are small enough for the cache, and each bucket has a table of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import helper, kernel


@helper
def _hash(label, seed):
    """Hash a label; the seed keeps anybody from choosing labels that collide."""
    x = np.uint64(label) ^ seed
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    return (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)


@kernel
def deal_by_hash(
    labels: NDArray[np.int64],
    seed: np.uint64,
    bucket_end: NDArray[np.int64],
    dealt: NDArray[np.int64],
    places: NDArray[np.int32],
    dense: NDArray[np.int32],
) -> int:
    """Deal the labels out into buckets by the high bits of their hash, in order; return the number of them.

    Args:
        labels: int64 (M,), at least -1; M below ``2**31``.
        seed: of the hash.
        bucket_end: int64 (P,) zeros, P a power of two above 1; receives where each bucket ends.
        dealt: int64 (M,) receives the labels of the mentions that have one, bucket by bucket.
        places: int32 (M,) receives the mention of each.
        dense: int32 (M,) receives -1 where a mention has no label.
    """
    shift = 64
    size = bucket_end.size
    while size > 1:
        size //= 2
        shift -= 1
    for m in range(labels.size):
        if labels[m] >= 0:
            bucket_end[np.int64(_hash(labels[m], seed) >> np.uint64(shift))] += 1
    n = 0
    for b in range(bucket_end.size):
        in_bucket = int(bucket_end[b])
        bucket_end[b] = n
        n += in_bucket
    for m in range(labels.size):
        if labels[m] < 0:
            dense[m] = -1
            continue
        b = int(_hash(labels[m], seed) >> np.uint64(shift))
        dealt[bucket_end[b]] = labels[m]
        places[bucket_end[b]] = m
        bucket_end[b] += 1
    return n


@kernel
def number_buckets(
    seed: np.uint64,
    bucket_end: NDArray[np.int64],
    dealt: NDArray[np.int64],
    places: NDArray[np.int32],
    dense: NDArray[np.int32],
) -> int:
    """Number the entities, bucket by bucket; return how many there are.

    Args:
        seed: as for `deal_by_hash`.
        bucket_end: int64 (P,) as `deal_by_hash` left it.
        dealt: int64 (M,) likewise.
        places: int32 (M,) likewise.
        dense: int32 (M,) receives the number of each mention's entity.
    """
    most = 0
    first = 0
    for b in range(bucket_end.size):
        most = max(most, int(bucket_end[b]) - first)
        first = int(bucket_end[b])
    room = 64
    while room < 2 * most:
        room *= 2
    number = np.empty(room, np.int32)
    label_of = np.empty(room, np.int64)
    n = 0
    first = 0
    for b in range(bucket_end.size):
        last = int(bucket_end[b])
        mask = 64
        while mask < 2 * (last - first):
            mask *= 2
        mask -= 1
        for slot in range(mask + 1):
            number[slot] = -1
        for p in range(first, last):
            slot = int(_hash(dealt[p], seed) >> np.uint64(20)) & mask
            while number[slot] >= 0 and label_of[slot] != dealt[p]:
                slot = (slot + 1) & mask
            if number[slot] < 0:
                number[slot] = n
                label_of[slot] = dealt[p]
                n += 1
            dense[places[p]] = number[slot]
        first = last
    return n
