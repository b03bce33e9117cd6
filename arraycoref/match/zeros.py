"""Match zeros, mentions whose head is an empty node, by what the empty nodes depend on.

Files number empty nodes in their own ways, so that a zero of the response may stand for one of the key with another
number. Zeros of one sentence match if their empty nodes have a parent in the enhanced dependencies in common; relations
weigh ten times as much.

Source: Novák et al. (2024), Findings of the Third Shared Task on Multilingual Coreference Resolution.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from arraycoref.match.assignment import Candidates
from arraycoref.ragged import join
from arraycoref.read.mentions import Mentions


def with_common_parents(key: Mentions, response: Mentions) -> Candidates:
    """Return the pairs of zeros of one sentence with a parent in common."""
    rows = [np.flatnonzero(side.is_zero) for side in (key, response)]
    i, j = join(key.sentence[rows[0]], response.sentence[rows[1]])
    ours, theirs = ([_parents(deps) for deps in side.deps[at]] for side, at in zip((key, response), rows, strict=True))
    pairs = enumerate(zip(i.tolist(), j.tolist(), strict=True))
    kept = [c for c, (k, r) in pairs if not ours[k].isdisjoint(theirs[r])]
    return rows[0][i[kept]], rows[1][j[kept]]


def weigh_by_dependencies(key: Mentions, response: Mentions, i: int, j: int) -> Fraction:
    """Return ten times the Dice coefficient of both zeros' parents with relations, plus that of their parents."""
    return _weight(key.deps[i], response.deps[j])


@lru_cache(1 << 14)
def _weight(ours: str, theirs: str) -> Fraction:
    n, of = _dice(_edges(ours), _edges(theirs))
    n_parents, of_parents = _dice(_parents(ours), _parents(theirs))
    return Fraction(10 * n * of_parents + n_parents * of, of * of_parents)  # a sum of fractions takes twice the time


@lru_cache(1 << 14)
def _edges(deps: str) -> frozenset[str]:
    """Return enhanced dependencies as a set of texts ``parent:relation``."""
    return frozenset(filter(None, deps.split("|")))


@lru_cache(1 << 14)
def _parents(deps: str) -> frozenset[str]:
    return frozenset([edge.partition(":")[0] for edge in _edges(deps)])


def _dice(one: frozenset[str], other: frozenset[str]) -> tuple[int, int]:
    """Return twice the number of common elements, and the number of all; 0 and 1 for two empty sets."""
    return 2 * len(one & other), max(len(one) + len(other), 1)
