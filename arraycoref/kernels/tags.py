"""Sum the measures of taggers over segments."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Floats, Ints, Ints32, helper, kernel


@kernel
def count_segments(
    gold_word: Ints, system_word: Ints, unit: Ints, gold_offsets: Ints, system_offsets: Ints, n_units: int
) -> Ints:
    """Count the tags and segments of each unit, which do not depend on a scoring function.

    Arguments and unchecked conditions are those of `sum_scores`.

    Returns:
        int64 (n_units, 5): gold tags, assigned tags, segments, aligned segments, and aligned segments that have one tag
        on both sides.
    """
    counts = np.zeros((n_units, 5), np.int64)
    for i in range(gold_word.shape[0]):
        g, s, d = gold_word[i], system_word[i], unit[i]
        n_gold = gold_offsets[g + 1] - gold_offsets[g] if g >= 0 else 0
        n_system = system_offsets[s + 1] - system_offsets[s] if s >= 0 else 0
        counts[d, 0] += n_gold
        counts[d, 1] += n_system
        counts[d, 2] += 1
        if g >= 0 and s >= 0:
            counts[d, 3] += 1
            if n_gold == 1 and n_system == 1:
                counts[d, 4] += 1
    return counts


@helper
def _add_one(cells, c, n_gold, n_system, pair_score, sums):
    """Add the scores of a segment that has one tag on one side."""
    one, other = (0, 1) if n_system == 1 else (1, 0)  # the best match of each of several tags is the single tag
    for k in range(sums.shape[0]):
        best = worst = total = pair_score[cells[c], k]
        for t in range(1, n_gold * n_system):
            score = pair_score[cells[c + t], k]
            total += score
            best = max(best, score)
            worst = min(worst, score)
        sums[k, one] += total
        sums[k, other] += best
        sums[k, 2] += best
        sums[k, 3] += worst


@helper
def _add_many(cells, c, n_gold, n_system, pair_score, sums):
    """Add the scores of a segment that has several tags on both sides."""
    for k in range(sums.shape[0]):
        worst = np.inf
        weak = total = 0.0
        for t in range(n_system):
            best = 0.0
            for u in range(n_gold):
                best = max(best, pair_score[cells[c + t * n_gold + u], k])
            total += best
            weak = max(weak, best)
            worst = min(worst, best)
        sums[k, 1] += total
        total = 0.0
        for u in range(n_gold):
            best = 0.0
            for t in range(n_system):
                best = max(best, pair_score[cells[c + t * n_gold + u], k])
            total += best
            worst = min(worst, best)
        sums[k, 0] += total
        sums[k, 2] += weak
        sums[k, 3] += worst


@kernel
def sum_scores(
    gold_word: Ints,
    system_word: Ints,
    unit: Ints,
    gold_offsets: Ints,
    system_offsets: Ints,
    cells: Ints32,
    pair_score: Floats,
    n_units: int,
) -> Floats:
    """Sum K scoring functions over the segments of each unit.

    Unchecked: ``cells`` come from `tag_pairs.pair_tags` for the same segments; units lie in ``0..n_units - 1``.

    Args:
        gold_word: int64 (N,) gold word of each segment, or -1.
        system_word: int64 (N,) system word of each segment, or -1.
        unit: int64 (N,) sentence, document or group of each segment.
        gold_offsets: int64 (W+1,) as for `tag_pairs.pair_tags`.
        system_offsets: int64 (V+1,) likewise.
        cells: int32 (C,) number of each cell's pair.
        pair_score: float64 (P, K) scores of each pair.
        n_units: number of units.

    Returns:
        float64 (n_units, K, 4): four sums, in which a tag has the score of its best match on the other side. Over all
        gold tags; over all assigned tags; over the best tag of each segment (weak); over the worst (strong).

    Source: Acedański and Przepiórkowski (2010), section 3.1.
    """
    n_scores = pair_score.shape[1]
    sums = np.zeros((n_units, n_scores, 4), np.float64)
    plain = np.zeros(n_scores, np.float64)  # of segments with one tag on each side: their four sums are equal
    n = gold_word.shape[0]
    c = i = 0
    while i < n:
        d = unit[i]
        plain[:] = 0.0
        while i < n and unit[i] == d:
            g, s = gold_word[i], system_word[i]
            i += 1
            if g < 0 or s < 0:
                continue
            n_gold = gold_offsets[g + 1] - gold_offsets[g]
            n_system = system_offsets[s + 1] - system_offsets[s]
            if n_gold == 1 and n_system == 1:
                pair = cells[c]
                for k in range(n_scores):
                    plain[k] += pair_score[pair, k]
            elif (n_gold == 1 or n_system == 1) and n_gold > 0 and n_system > 0:
                _add_one(cells, c, n_gold, n_system, pair_score, sums[d])
            elif n_gold > 0 and n_system > 0:
                _add_many(cells, c, n_gold, n_system, pair_score, sums[d])
            c += n_gold * n_system
        for k in range(n_scores):
            for j in range(4):
                sums[d, k, j] += plain[k]
    return sums


@kernel
def first_fault(offsets: Ints, tags: Ints32) -> tuple[int, int]:
    """Find the first word that has a tag twice.

    Unchecked: offsets ascend from 0 to the number of tags.

    Returns:
        The word and the tag's second place in ``tags``, or (-1, -1).
    """
    for w in range(offsets.shape[0] - 1):
        for i in range(offsets[w], offsets[w + 1]):
            for j in range(offsets[w], i):
                if tags[j] == tags[i]:
                    return w, i
    return -1, -1
