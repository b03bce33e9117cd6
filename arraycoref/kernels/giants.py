"""Build the contingency matrix of one giant document from its labels, in passes whose data fit the cache.

The kernels of `kernels.cells` read and write their arrays at random places, and with some million entities each
access goes to main memory. Here the mentions are first distributed into buckets of neighbouring key entities, each
small enough for the cache. In a bucket, the mentions are then grouped by key entity, and the cells of each are counted.

Labels that are too far apart for a table with an entry per label are numbered first, in the same way: distributed by
their hash into buckets, each with a hash table of its own.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import clear, mix, number_of, slots_for
from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import Ints, Ints32, Labels, helper, kernel

AHEAD = 32  # how many mentions ahead their response entity's counters are prefetched
SMALL = 32  # mentions of a key entity up to which sorting them is faster than a table of all response entities


@kernel
def label_bounds(labels: Labels) -> tuple[int, int]:
    """Return the lowest label, or -1 if all are higher, and the highest label, or -1 if there is none.

    Args:
        labels: int32 or int64 (M,).
    """
    least = -1
    largest = -1
    for m in range(labels.size):
        least = min(least, int(labels[m]))
        largest = max(largest, int(labels[m]))
    return least, largest


@kernel
def count_labels(
    key: Labels, response: Labels, shift: int, bucket_end: Ints, response_count: Ints32, totals: Ints
) -> None:
    """Count mentions by bucket of key entities; and by response entity, all and those that the key has too.

    Args:
        key: int32 or int64 (M,) labels, -1 where the key lacks the mention; not checked.
        response: int32 or int64 (M,) the same for the response.
        shift: the key entity k belongs to the bucket ``k >> shift``.
        bucket_end: int64 (P,) zeros; receives where each bucket begins. `deal` advances this to where it ends.
        response_count: int32 (R, 2) zeros; receives r_j and b_j of each label.
        totals: int64 (9,) receives five of the first nine totals of `kernels.cells.contingency_document`;
            `fill_buckets` writes the others.
    """
    n_response = 0
    n_shared = 0
    for m in range(key.size):
        r = np.int64(response[m + AHEAD if m + AHEAD < key.size else m])
        prefetch(response_count, np.uint64(r if r > 0 else 0))
        k = np.int64(key[m])
        r = np.int64(response[m])
        if k >= 0:
            bucket_end[k >> shift] += 1
        if r >= 0:
            n_response += 1
            response_count[r, 0] += 1
            if k >= 0:
                n_shared += 1
                response_count[r, 1] += 1
    n_key = 0
    for b in range(bucket_end.size):
        in_bucket = int(bucket_end[b])
        bucket_end[b] = n_key
        n_key += in_bucket
    response_links = 0
    shared_response_links = 0
    for label in range(response_count.shape[0]):
        n = int(response_count[label, 0])
        response_links += n * (n - 1) // 2
        n = int(response_count[label, 1])
        shared_response_links += n * (n - 1) // 2
    totals[0], totals[1], totals[2] = n_key, n_response, n_shared
    totals[4], totals[6] = response_links, shared_response_links


@kernel
def number_entities(response_count: Ints32, response_size: Ints) -> int:
    """Number the response entities in the order of their labels, without unused labels; return how many there are.

    Args:
        response_count: int32 (R, 2) for each label, r_j in the first column; the second receives the entity's number.
        response_size: int64 (R,) receives r_j of each entity, in the order of their numbers.
    """
    n = 0
    for r in range(response_count.shape[0]):
        response_count[r, 1] = n
        response_size[n] = response_count[r, 0]
        n += response_count[r, 0] > 0
    return n


@kernel
def deal(key: Labels, response: Labels, shift: int, bucket_end: Ints, pairs: Ints32) -> None:
    """Distribute the key's mentions into their buckets; within a bucket they keep their order.

    Args:
        key: see `count_labels`.
        response: see `count_labels`.
        shift: see `count_labels`.
        bucket_end: int64 (P,) where each bucket begins; receives where it ends.
        pairs: int32 (mentions of the key, 2) receives key and response label of each mention.
    """
    for m in range(key.size):
        k = np.int64(key[m])
        if k >= 0:
            place = bucket_end[k >> shift]
            pairs[place, 0] = k
            pairs[place, 1] = response[m]
            bucket_end[k >> shift] = place + 1


@helper
def _sort(values, lo, hi):
    """Sort ``values[lo:hi]``, which are few, by insertion."""
    for i in range(lo + 1, hi):
        value = values[i]
        j = i
        while j > lo and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


@kernel
def fill_buckets(
    pairs: Ints32,
    shift: int,
    bucket_end: Ints,
    response_count: Ints32,
    stamp: Ints32,
    stamp_cell: Ints,
    cell_key: Ints,
    cell_response: Ints,
    shared: Ints,
    key_size: Ints,
    key_start: Ints,
    totals: Ints,
) -> tuple[int, int]:
    """Count the cells, bucket by bucket; return the numbers of key entities and of cells.

    Args:
        pairs: int32 (N, 2) written by `deal`.
        shift: see `count_labels`.
        bucket_end: int64 (P,) written by `deal`.
        response_count: int32 (R, 2) r_j and the number of each response entity, by label.
        stamp: int32 (R,) zeros: scratch for key entities of more than `SMALL` mentions.
        stamp_cell: int64 (R,) scratch.
        cell_key: int64 (shared mentions,) receives the key entity of each cell, ascending.
        cell_response: int64 (shared mentions,) receives its response entity.
        shared: int64 (shared mentions,) receives n_ij.
        key_size: int64 (K,) receives k_i of each key entity, without unused labels.
        key_start: int64 (K + 1,) receives the row starts of a compressed sparse row matrix.
        totals: int64 (9,) receives the totals that `count_labels` does not write.
    """
    largest = 0
    first = 0
    for b in range(bucket_end.size):
        largest = max(largest, int(bucket_end[b]) - first)
        first = int(bucket_end[b])
    columns = np.empty(largest, np.int32)
    size = np.empty(1 << shift, np.int64)
    place = np.empty((1 << shift) + 1, np.int64)
    n_rows = n_cells = key_links = shared_key_links = shared_links = n_shared_singletons = 0
    mask = (1 << shift) - 1
    first = 0
    for b in range(bucket_end.size):
        last = int(bucket_end[b])
        size[:] = 0
        place[:] = 0
        for p in range(first, last):
            k = int(pairs[p, 0]) & mask
            size[k] += 1
            place[k] += pairs[p, 1] >= 0
        begin = 0
        for k in range(mask + 1):
            in_row = int(place[k])
            place[k] = begin
            begin += in_row
        for p in range(first, last):
            if pairs[p, 1] >= 0:
                k = int(pairs[p, 0]) & mask
                columns[place[k]] = pairs[p, 1]
                place[k] += 1
        first = last

        in_bucket = begin
        ahead = begin = 0
        for k in range(mask + 1):
            if size[k] == 0:
                continue
            end = int(place[k])
            while ahead < end + AHEAD and ahead < in_bucket:
                prefetch(response_count, np.uint64(columns[ahead]))
                ahead += 1
            key_size[n_rows] = size[k]
            key_start[n_rows] = n_cells
            key_links += size[k] * (size[k] - 1) // 2
            shared_key_links += (end - begin) * (end - begin - 1) // 2
            if end - begin <= SMALL:
                _sort(columns, begin, end)
                at = begin
                while at < end:
                    r = columns[at]
                    run = at + 1
                    while run < end and columns[run] == r:
                        run += 1
                    cell_key[n_cells] = n_rows
                    cell_response[n_cells] = response_count[r, 1]
                    shared[n_cells] = run - at
                    n_cells += 1
                    at = run
                n_shared_singletons += size[k] == 1 and end > begin and response_count[columns[begin], 0] == 1
            else:
                for at in range(begin, end):
                    r = columns[at]
                    if stamp[r] != n_rows + 1:
                        stamp[r] = n_rows + 1
                        stamp_cell[r] = n_cells
                        cell_key[n_cells] = n_rows
                        cell_response[n_cells] = response_count[r, 1]
                        shared[n_cells] = 0
                        n_cells += 1
                    shared[stamp_cell[r]] += 1
            for cell in range(key_start[n_rows], n_cells):
                shared_links += shared[cell] * (shared[cell] - 1) // 2
            begin = end
            n_rows += 1
    key_start[n_rows] = n_cells
    totals[3], totals[5], totals[7], totals[8] = key_links, shared_key_links, shared_links, n_shared_singletons
    return int(n_rows), int(n_cells)


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
