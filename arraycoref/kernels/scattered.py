"""Relabel the entities of one giant document, whose labels scatter too much for a table.

One hash table of all entities would be a trip to main memory a mention. Here labels are dealt out by their hash into
buckets that are small enough for the cache, and each bucket has a table of its own.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import clear, mix, number_of, slots_for
from arraycoref.kernels.jit import Ints, Ints32, kernel


@kernel
def deal_by_hash(labels: Ints, seed: np.uint64, bucket_end: Ints, dealt: Ints, places: Ints32, dense: Ints32) -> int:
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
            bucket_end[np.int64(mix(labels[m], seed) >> np.uint64(shift))] += 1
    n = 0
    for b in range(bucket_end.size):
        in_bucket = int(bucket_end[b])
        bucket_end[b] = n
        n += in_bucket
    for m in range(labels.size):
        if labels[m] < 0:
            dense[m] = -1
            continue
        b = int(mix(labels[m], seed) >> np.uint64(shift))
        dealt[bucket_end[b]] = labels[m]
        places[bucket_end[b]] = m
        bucket_end[b] += 1
    return n


@kernel
def number_buckets(seed: np.uint64, bucket_end: Ints, dealt: Ints, places: Ints32, dense: Ints32) -> int:
    """Number the entities, bucket by bucket; return how many there are.

    Args:
        seed: of the hash of the tables.
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
    numbers = np.empty(slots_for(most), np.int32)
    keys = np.empty(numbers.size, np.int64)
    n = 0
    first = 0
    for b in range(bucket_end.size):
        last = int(bucket_end[b])
        slots = slots_for(last - first)
        clear(numbers, slots)
        for p in range(first, last):
            number = number_of(dealt[p], keys, numbers, slots, seed, n)
            n += number == n
            dense[places[p]] = number
        first = last
    return n
