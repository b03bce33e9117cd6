"""The matchings `head` and `partial` of mentions that are not equal; both need the heads of the key's mentions.

Source: Žabokrtský et al. (2022), Findings of the Shared Task on Multilingual Coreference Resolution.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from arraycoref.match.assignment import Candidates
from arraycoref.ragged import join, owners, ranges
from arraycoref.read.mentions import EMPTY, Mentions


def of_equal_heads(key: Mentions, response: Mentions) -> Candidates:
    """Return the pairs of mentions with one head, but for mentions of two sentences."""
    i, j = join(key.head, response.head)
    kept = (key.sentence[i] >= 0) & (response.sentence[j] >= 0)
    return i[kept], j[kept]


def weigh_by_overlap(key: Mentions, response: Mentions, i: int, j: int) -> Fraction:
    """Return which part of the key mention the response mention has."""
    return Fraction(key.n_common(i, response, j), int(key.size[i]))


def within_with_head(key: Mentions, response: Mentions) -> Candidates:
    """Return the pairs in which all of the response mention is in the key mention, and the key's head is in both."""
    begins = response.parts[:, 0].argsort(kind="stable")
    first, last = response.parts[begins].T
    low, high = first.searchsorted(key.first), first.searchsorted(key.head, "right")
    i = np.arange(len(key)).repeat(high - low)
    place = ranges(low, high - low)
    head, j = key.head[i], owners(response.part_bounds)[begins[place]]
    holds_head = (head <= last[place]) & ((head & EMPTY != 0) == (first[place] & EMPTY != 0))
    inside = (key.first[i] <= response.first[j]) & (response.last[j] <= key.last[i])
    kept = np.flatnonzero(holds_head & inside & (response.size[j] <= key.size[i])).tolist()
    kept = [c for c in kept if response.n_common(j[c], key, i[c]) == response.size[j[c]]]
    return i[kept], j[kept]


def weigh_by_size(key: Mentions, response: Mentions, i: int, j: int) -> Fraction:
    """Return which part of the key mention a response mention within it has."""
    return Fraction(int(response.size[j]), int(key.size[i]))
