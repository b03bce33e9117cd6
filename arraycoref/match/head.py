"""The matchings `head` and `partial` of mentions that are not equal; both need the heads of the key's mentions.

Source: Žabokrtský et al. (2022), Findings of the Shared Task on Multilingual Coreference Resolution.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from arraycoref.match.pairs import Candidates, Mentions
from arraycoref.ragged import join, ranges


def of_equal_heads(key: Mentions, response: Mentions) -> Candidates:
    """Return the pairs of mentions with one head, but for mentions of two sentences."""
    i, j = join(key.head, response.head)
    kept = (key.sentence[i] >= 0) & (response.sentence[j] >= 0)
    return i[kept], j[kept]


def weigh_by_overlap(key: Mentions, response: Mentions, i: int, j: int) -> Fraction:
    """Return which part of the key mention the response mention has."""
    ours = key.set_of(i)
    return Fraction(len(ours & response.set_of(j)), len(ours))


def within_with_head(key: Mentions, response: Mentions) -> Candidates:
    """Return the pairs in which all of the response mention is in the key mention, and the key's head is in both."""
    owner = np.arange(response.size.size).repeat(response.size)
    i, place = join(key.head, response.node[ranges(response.start, response.size)])
    j = owner[place]
    inside = (key.first[i] <= response.first[j]) & (response.last[j] <= key.last[i])
    kept = np.flatnonzero(inside & (response.size[j] <= key.size[i])).tolist()
    kept = [c for c in kept if response.set_of(j[c]) <= key.set_of(i[c])]
    return i[kept], j[kept]


def weigh_by_size(key: Mentions, response: Mentions, i: int, j: int) -> Fraction:
    """Return which part of the key mention a response mention within it has."""
    return Fraction(int(response.size[j]), int(key.size[i]))
