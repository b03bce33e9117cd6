"""Number the distinct (assigned, gold) tag pairs of segments, and find the closest pair of each gold tag."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import number_of, slots_for
from arraycoref.kernels.jit import Floats, Ints, Ints32, kernel


@kernel
def pair_tags(
    gold_word: Ints,
    system_word: Ints,
    gold_offsets: Ints,
    gold_tags: Ints32,
    system_offsets: Ints,
    system_tags: Ints32,
    n_tags: int,
    seed: np.uint64,
) -> tuple[Ints32, Ints]:
    """Number the distinct (assigned, gold) tag pairs of all segments.

    Unchecked: each word has offsets, or is -1; tags lie in ``0..n_tags - 1``.

    Args:
        gold_word: int64 (N,) gold word of each segment, or -1.
        system_word: int64 (N,) system word of each segment, or -1.
        gold_offsets: int64 (W+1,) word w has the tags ``gold_tags[gold_offsets[w]:gold_offsets[w + 1]]``.
        gold_tags: int32 (T,) the tags of all gold words.
        system_offsets: int64 (V+1,), as for gold.
        system_tags: int32 (U,) the tags that are assigned to all system words.
        n_tags: number of tags in the vocabulary.
        seed: of the hash, so that nobody can choose pairs that collide; the result does not depend on it.

    Returns:
        int32 (C,): the number of each cell's pair. A segment has a cell for each assigned tag with each gold tag; all
        cells of one assigned tag come together. int64 (P,): the pairs as ``assigned * n_tags + gold``, in order of
        first appearance.
    """
    n_cells = 0
    for i in range(gold_word.shape[0]):
        g, s = gold_word[i], system_word[i]
        if g >= 0 and s >= 0:
            n_cells += (gold_offsets[g + 1] - gold_offsets[g]) * (system_offsets[s + 1] - system_offsets[s])
    cells = np.empty(n_cells, np.int32)
    most = min(n_cells, n_tags * n_tags)
    pairs = np.empty(most, np.int64)
    # If the square of the vocabulary is small, an array has a place for every pair; otherwise pairs are hashed.
    dense = n_tags * n_tags <= max(1 << 16, 2 * n_cells)
    slots = slots_for(most)
    keys = np.empty(1 if dense else slots, np.int64)
    numbers = np.full(n_tags * n_tags if dense else slots, -1, np.int32)
    n_pairs = 0
    c = 0
    for i in range(gold_word.shape[0]):
        g, s = gold_word[i], system_word[i]
        if g < 0 or s < 0:
            continue
        for t in range(system_offsets[s], system_offsets[s + 1]):
            for u in range(gold_offsets[g], gold_offsets[g + 1]):
                pair = np.int64(system_tags[t]) * n_tags + gold_tags[u]
                if not dense:
                    number = number_of(pair, keys, numbers, slots, seed, n_pairs)
                elif numbers[pair] < 0:
                    number = numbers[pair] = np.int32(n_pairs)
                else:
                    number = numbers[pair]
                if number == n_pairs:
                    pairs[n_pairs] = pair
                    n_pairs += 1
                cells[c] = number
                c += 1
    return cells, pairs[:n_pairs].copy()


@kernel
def closest_pairs(
    gold_word: Ints, system_word: Ints, gold_offsets: Ints, system_offsets: Ints, cells: Ints32, pair_score: Floats
) -> Ints:
    """Count for each pair how often its assigned tag is the closest one to a gold tag; of equals, the first.

    Arguments and unchecked conditions are those of `pair_tags`. ``cells`` are what it returns, and ``pair_score``,
    float64 (P,), is higher for closer tags.

    Returns:
        int64 (P,): for how many gold tags the pair is the closest. Gold tags without any assigned tag are not counted.
    """
    counts = np.zeros(pair_score.shape[0], np.int64)
    c = 0
    for i in range(gold_word.shape[0]):
        g, s = gold_word[i], system_word[i]
        if g < 0 or s < 0:
            continue
        n_gold = gold_offsets[g + 1] - gold_offsets[g]
        n_system = system_offsets[s + 1] - system_offsets[s]
        if n_system > 0:
            for u in range(n_gold):
                best = cells[c + u]
                for t in range(1, n_system):
                    pair = cells[c + t * n_gold + u]
                    if pair_score[pair] > pair_score[best]:
                        best = pair
                counts[best] += 1
        c += n_gold * n_system
    return counts
