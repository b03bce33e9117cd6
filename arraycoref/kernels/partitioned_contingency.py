"""Build the contingency matrix of one giant document straight from its labels, in passes that the caches can follow.

The arrays of `kernels.contingency` are read and written at random places, each a trip to main memory once there are
some million entities. Here the mentions are first dealt out into buckets of neighbouring key entities, small enough
for the cache; inside a bucket the mentions of an entity are brought together and its cells counted.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import Ints, Ints32, Labels, helper, kernel

AHEAD = 32  # mentions ahead at which their response entity is looked up
SMALL = 32  # mentions of an entity up to which sorting them is quicker than a look at a table of all response entities


@kernel
def label_bounds(labels: Labels) -> tuple[int, int]:
    """Return the least and the largest label, at most -1 and at least -1.

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
    """Count mentions: by bucket of key entities, and by response entity, in all and those that the key has too.

    Args:
        key: int32 or int64 (M,) labels, -1 where the key lacks the mention; not checked.
        response: int32 or int64 (M,) likewise.
        shift: the key entity k belongs to the bucket ``k >> shift``.
        bucket_end: int64 (P,) zeros; receives where each bucket begins, which `deal` moves to where it ends.
        response_count: int32 (R, 2) zeros; receives r_j and b_j of each label.
        totals: int64 (9,) receives those of the totals of `kernels.contingency.contingency_document` that are known.
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
    """Number the response entities through, labels that nobody has left out; return how many there are.

    Args:
        response_count: int32 (R, 2) r_j in its first column; the second receives the number of each entity.
        response_size: int64 (R,) receives r_j by number.
    """
    n = 0
    for r in range(response_count.shape[0]):
        response_count[r, 1] = n
        response_size[n] = response_count[r, 0]
        n += response_count[r, 0] > 0
    return n


@kernel
def deal(key: Labels, response: Labels, shift: int, bucket_end: Ints, pairs: Ints32) -> None:
    """Deal the key's mentions out into their buckets, in order.

    Args:
        key: as for `count_labels`.
        response: likewise.
        shift: likewise.
        bucket_end: int64 (P,) where each bucket begins; moved to where it ends.
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
    """Sort a short stretch by insertion."""
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
        pairs: int32 (N, 2) as `deal` left them.
        shift: as for `deal`.
        bucket_end: int64 (P,) as `deal` left it.
        response_count: int32 (R, 2) r_j and the number of each response entity, by label.
        stamp: int32 (R,) zeros: scratch for key entities of more than a few mentions.
        stamp_cell: int64 (R,) scratch.
        cell_key: int64 (shared mentions,) receives the key entity of each cell, ascending.
        cell_response: int64 (shared mentions,) receives its response entity.
        shared: int64 (shared mentions,) receives n_ij.
        key_size: int64 (K,) receives k_i, labels that nobody has left out.
        key_start: int64 (K + 1,) receives the row starts of a compressed sparse row matrix.
        totals: int64 (9,) receives what `count_labels` left out.
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
