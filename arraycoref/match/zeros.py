"""Match zeros, mentions whose head is an empty node, by what the empty nodes depend on.

Files number empty nodes in their own ways, so that a zero of the response may stand for one of the key with another
number. Zeros of one sentence match if their empty nodes have a parent in the enhanced dependencies in common; relations
weigh ten times as much.

Source: Novák et al. (2024), Findings of the Third Shared Task on Multilingual Coreference Resolution.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from arraycoref.match.pairs import Candidates, Mentions, join


def with_common_parents(key: Mentions, response: Mentions) -> Candidates:
    """Return the pairs of zeros of one sentence with a parent in common."""
    i, j = join(np.where(key.is_zero, key.sentence, -1), np.where(response.is_zero, response.sentence, -2))
    kept = [c for c, pair in enumerate(zip(i, j, strict=True)) if weigh_by_dependencies(key, response, *pair)]
    return i[kept], j[kept]


def weigh_by_dependencies(key: Mentions, response: Mentions, i: int, j: int) -> Fraction:
    """Return ten times the Dice coefficient of both zeros' parents with relations, and that of their parents."""
    ours, theirs = (set(filter(None, side.deps[row].split("|"))) for side, row in ((key, i), (response, j)))
    parents = [{edge.partition(":")[0] for edge in edges} for edges in (ours, theirs)]
    return 10 * _dice(ours, theirs) + _dice(*parents)


def _dice(one: set[str], other: set[str]) -> Fraction:
    """Return twice the number of common elements over the number of all; 0 for two empty sets."""
    return Fraction(2 * len(one & other), max(len(one) + len(other), 1))
