"""Relabel the entities of one giant document, whose labels are too far apart for a table with an entry per label.

With one hash table of all entities, each mention would need an access to main memory. Here labels are first distributed
by their hash into buckets that are small enough for the cache, and each bucket has its own hash table.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import clear, mix, number_of, slots_for
from arraycoref.kernels.jit import Ints, Ints32, kernel


@kernel
def deal_by_hash(labels: Ints, seed: np.uint64, bucket_end: Ints, dealt: Ints, places: Ints32, dense: Ints32) -> int:
    """Distribute the labels into buckets by the high bits of their hash; within a bucket they keep their order.

    Args:
        labels: int64 (M,), at least -1; M below ``2**31``.
        seed: seed of the hash.
        bucket_end: int64 (P,) zeros, P a power of two above 1; receives where each bucket ends.
        dealt: int64 (M,) receives the labels that are not -1, bucket by bucket.
        places: int32 (M,) receives the position of the mention of each label in ``dealt``.
        dense: int32 (M,) receives -1 for each mention with the label -1.

    Returns:
        Number of labels that are not -1.
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
    """Number the entities, bucket by bucket; return the number of entities.

    Args:
        seed: seed of the hash tables.
        bucket_end: int64 (P,) written by `deal_by_hash`.
        dealt: int64 (M,) written by `deal_by_hash`.
        places: int32 (M,) written by `deal_by_hash`.
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
