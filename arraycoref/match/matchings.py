"""The matchings of mentions that are not equal: `head`, `partial`, `min`, and that of zeros.

All but `min` need heads of mentions. Source of `head` and `partial`: Žabokrtský et al. (2022), Findings of the Shared
Task on Multilingual Coreference Resolution. Source of `min`: Chinchor (1998), MUC-7 Coreference Task Definition, with
the weights of `partial`, as in the scorer of Universal Anaphora.

Zeros are mentions whose head is an empty node. Files number empty nodes in their own ways, so that a zero of the
response may be one of the key with another number. Zeros of one sentence match if their empty nodes have a parent in
the enhanced dependencies in common; relations weigh ten times as much. Source: Novák et al. (2024), Findings of the
Third Shared Task on Multilingual Coreference Resolution.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from arraycoref.match.assignment import Candidates
from arraycoref.ragged import Ints, join, owners, ranges
from arraycoref.read.mentions import BITS, EMPTY, Mentions


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
    return _within(key, response, key.head, key.head)


def within_with_minimum(key: Mentions, response: Mentions) -> Candidates:
    """Return the pairs in which all of the response mention is in the key mention, and has the key's minimum span."""
    minimum = np.zeros(len(key), np.int64) if key.minimum is None else key.minimum
    rows = np.flatnonzero(minimum)
    key, before, size = key.take(rows), minimum[rows] >> 32, minimum[rows] & 0xFFFFFFFF
    first = (key.first >> BITS) + before << BITS
    i, j = _within(key, response, first, first + (size - 1 << BITS))
    return rows[i], j


def _within(key: Mentions, response: Mentions, lowest: Ints, highest: Ints) -> Candidates:
    """Return the pairs in which the response mention is in the key mention, and a part of it has a range of nodes."""
    begins = response.parts[:, 0].argsort(kind="stable")
    first, last = response.parts[begins].T
    low, high = first.searchsorted(key.first), first.searchsorted(lowest, "right")
    i = np.arange(len(key)).repeat(high - low)
    place = ranges(low, high - low)
    j = owners(response.part_bounds)[begins[place]]
    holds_range = (highest[i] <= last[place]) & ((lowest[i] & EMPTY != 0) == (first[place] & EMPTY != 0))
    inside = (key.first[i] <= response.first[j]) & (response.last[j] <= key.last[i])
    kept = np.flatnonzero(holds_range & inside & (response.size[j] <= key.size[i])).tolist()
    kept = [c for c in kept if response.n_common(j[c], key, i[c]) == response.size[j[c]]]
    return i[kept], j[kept]


def weigh_by_size(key: Mentions, response: Mentions, i: int, j: int) -> Fraction:
    """Return which part of the key mention a response mention within it has."""
    return Fraction(int(response.size[j]), int(key.size[i]))


def with_common_parents(key: Mentions, response: Mentions) -> Candidates:
    """Return the pairs of zeros of one sentence with a parent in common."""
    rows = [np.flatnonzero(side.is_zero) for side in (key, response)]
    i, j = join(key.sentence[rows[0]], response.sentence[rows[1]])
    deps = key.deps[rows[0]], response.deps[rows[1]]
    key_parents, response_parents = ([_parents(own) for own in of_side] for of_side in deps)
    pairs = enumerate(zip(i.tolist(), j.tolist(), strict=True))
    kept = [c for c, (k, r) in pairs if not key_parents[k].isdisjoint(response_parents[r])]
    return rows[0][i[kept]], rows[1][j[kept]]


def weigh_by_dependencies(key: Mentions, response: Mentions, i: int, j: int) -> Fraction:
    """Return ten times the Dice coefficient of both zeros' parents with relations, plus that of their parents."""
    return _weight(key.deps[i], response.deps[j])


def weigh_by_dependencies_in_floats(key: Mentions, response: Mentions, i: int, j: int) -> float:
    """Return the same as CorefUD's scorer rounds it, which decides between weights that are equal."""
    edges, parents = ([of(side) for side in (key.deps[i], response.deps[j])] for of in (_edges, _parents))
    return 10 * _f_in_floats(*edges) + _f_in_floats(*parents)


def _f_in_floats(one: frozenset[str], other: frozenset[str]) -> float:
    n = len(one & other)
    p, r = (n / len(one), n / len(other)) if n else (0.0, 0.0)
    return 2 * p * r / (p + r) if n else 0.0


@lru_cache(1 << 14)
def _weight(one: str, other: str) -> Fraction:
    n, of = _dice(_edges(one), _edges(other))
    n_parents, of_parents = _dice(_parents(one), _parents(other))
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
