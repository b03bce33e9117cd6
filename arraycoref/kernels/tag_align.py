"""Align the words of two segmentations of one text."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Bytes, Ints, Ints32, helper, kernel, maker

Words = tuple[Ints, Ints, Bytes, Ints32]
"""Four arrays of the W words of a side. int64: the first character of each word, or of its multiword token, counted
without white space; int64: the character after the last. uint8: 1 if the word is part of a multiword token. int32: the
number of its lower-cased form, the same on both sides.
"""


@helper
def lies_beyond(start: Ints, end: Ints, multiword: Bytes, i: int, last: int) -> bool:
    """Return whether word i ends after ``last``; or, if part of a multiword token, begins at ``last`` or later."""
    if i >= start.shape[0]:
        return True
    return bool(start[i] >= last) if multiword[i] else bool(end[i] > last)


@maker
def common_words(
    gold_form: Ints32, system_form: Ints32, gold_first: int, system_first: int, pairs: Ints, n_pairs: int
) -> int:
    """Append the longest common subsequence of two runs of forms to ``pairs``; return the new number of pairs."""
    n, m = gold_form.shape[0], system_form.shape[0]
    longest = np.zeros((n + 1, m + 1), np.int32)
    for g in range(n - 1, -1, -1):
        for s in range(m - 1, -1, -1):
            if gold_form[g] == system_form[s]:
                longest[g, s] = longest[g + 1, s + 1] + 1
            else:
                longest[g, s] = max(longest[g + 1, s], longest[g, s + 1])
    g = s = 0
    while g < n and s < m:
        if gold_form[g] == system_form[s]:
            pairs[n_pairs, 0], pairs[n_pairs, 1] = gold_first + g, system_first + s
            n_pairs += 1
            g += 1
            s += 1
        elif longest[g + 1, s] == longest[g, s]:
            g += 1
        else:
            s += 1
    return n_pairs


@kernel
def align_words(gold: Words, system: Words, max_cells: int) -> tuple[Ints, int, int]:
    """Align words by their characters; inside multiword tokens by the longest common subsequence of their forms.

    Unchecked: both sides cover the same text in order; the words of a multiword token have the span of that token.

    Args:
        gold: its W words.
        system: its V words.
        max_cells: the largest region that is compared, in gold words times system words.

    Returns:
        int64 (A, 2): gold and system word of each aligned pair, both ascending; and (-1, -1), or the first gold and
        system word of a region that is larger than ``max_cells``.

    Source: Zeman et al. (2018), CoNLL 2018 Shared Task, and the task's evaluation page. Where tokens overlap in
    ways that the page does not describe, regions begin and end as in the task's evaluation, to give the same numbers.
    """
    gold_start, gold_end, gold_multiword, gold_form = gold
    system_start, system_end, system_multiword, system_form = system
    n, m = gold_start.shape[0], system_start.shape[0]
    pairs = np.empty((min(n, m), 2), np.int64)
    n_pairs = g = s = 0
    while g < n and s < m:
        if not gold_multiword[g] and not system_multiword[s]:
            if gold_start[g] == system_start[s] and gold_end[g] == system_end[s]:
                pairs[n_pairs, 0], pairs[n_pairs, 1] = g, s
                n_pairs += 1
                g += 1
                s += 1
            elif gold_start[g] <= system_start[s]:
                g += 1
            else:
                s += 1
            continue
        # A region begins with the multiword token; one plain word of the other side that begins before it is left out.
        if gold_multiword[g]:
            last = gold_end[g]
            s += not system_multiword[s] and system_start[s] < gold_start[g]
        else:
            last = system_end[s]
            g += gold_start[g] < system_start[s]
        first_g, first_s = g, s
        # The region grows with each multiword token that begins inside it. Words are added in the order of the text.
        while not (
            lies_beyond(gold_start, gold_end, gold_multiword, g, last)
            and lies_beyond(system_start, system_end, system_multiword, s, last)
        ):
            if g < n and (s >= m or gold_start[g] <= system_start[s]):
                if gold_multiword[g]:
                    last = max(last, gold_end[g])
                g += 1
            else:
                if system_multiword[s]:
                    last = max(last, system_end[s])
                s += 1
        if (g - first_g) * (s - first_s) > max_cells:
            return pairs[:n_pairs], first_g, first_s
        if g > first_g and s > first_s:
            n_pairs = common_words(gold_form[first_g:g], system_form[first_s:s], first_g, first_s, pairs, n_pairs)
    return pairs[:n_pairs], -1, -1
