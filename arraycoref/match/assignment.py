"""Pair mentions one to one, so that the total weight is largest: distinct mentions, components, assignments.

A matching gives candidates, pairs of a key and a response mention that it allows, and a weight of each. Candidates
that share mentions with each other form a component; in each, the pairs are chosen whose weights have the largest sum.
Of several such choices, the one is taken in which the first key mention has the earliest response mention, then the
second, and so on, an unpaired mention being the last choice. Mentions are ordered by their first node, their last node,
their size, their head and all their nodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from operator import itemgetter
from typing import Any

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.ragged import Ints, bounds, join, number_rows, owners, run_starts
from arraycoref.read.documents import Documents
from arraycoref.read.mentions import BITS, Mentions, nodes_of

MOST_STEPS = 1 << 22
"""The most steps of an alignment, which takes a second for so many."""

Candidates = tuple[Ints, Ints]
"""Rows of the key's mentions, and of the response's, int64 (C,) each: pairs without repetition."""

Weigh = Callable[[Mentions, Mentions, int, int], Any]
"""Returns the weight of a pair, a fraction from 0: of key, response, row in the key, row in the response."""


def distinct_mentions(
    key: Documents, response: Documents, codes: tuple[Ints, Ints], by_head: bool
) -> tuple[list[Mentions], list[Ints], list[Ints]]:
    """Number the mentions of both sides, and list the distinct ones of each.

    Args:
        key: D documents, with all that files with trees have.
        response: the same documents.
        codes: int64 (M,) of each mention of each side, equal for equal nodes.
        by_head: whether mentions of equal nodes with different heads are different.

    Returns:
        Of each side the R distinct mentions, in the order of their documents and positions, with nodes and sentences
        numbered on through the documents; int64 (R,) the number of each, equal for equal mentions, also of the other
        side; and int64 (M,) the number of each of all mentions.
    """
    sides = [side.mentions for side in (key, response)]
    n_words, n_sentences = np.ones(len(key), np.int64), np.ones(len(key), np.int64)
    for side in sides:
        np.maximum.at(n_words, side.document, (side.last >> BITS) + 1)
        np.maximum.at(n_sentences, side.document, side.sentence + 1)
    words_before, sentences_before = bounds(n_words) << BITS, bounds(n_sentences)
    numbered_on = []
    for side in sides:
        before = words_before[side.document]
        parts = side.parts + before[owners(side.part_bounds), None]
        sentence = np.where(side.sentence < 0, -1, side.sentence + sentences_before[side.document])
        numbered_on.append(replace(side, parts=parts, head=side.head + before, sentence=sentence))
    columns = [np.concatenate([side.first for side in numbered_on]), np.concatenate(codes)]
    columns += [np.concatenate([side.head for side in numbered_on])] * by_head
    order, number = number_rows(columns)
    n_key = len(sides[0])
    numbers = [number[:n_key], number[n_key:]]
    rows = [order[order < n_key], order[order >= n_key] - n_key]
    rows = [own[run_starts(side[own])] for side, own in zip(numbers, rows, strict=True)]
    rows = [_in_order(side, own) for side, own in zip(numbered_on, rows, strict=True)]
    distinct = [side.take(own) for side, own in zip(numbered_on, rows, strict=True)]
    return distinct, [side[own] for side, own in zip(numbers, rows, strict=True)], numbers


def _in_order(mentions: Mentions, rows: Ints) -> Ints:
    """Order the rows of distinct mentions by their positions: int64 (R,)."""
    keys = [column[rows] for column in (mentions.head, mentions.size, mentions.last, mentions.first)]
    order = np.lexsort(keys)
    same = np.arange(1, order.size)
    for key in keys[::-1]:
        same = same[key[order[same]] == key[order[same - 1]]]
    if same.size:  # mentions with different gaps between the same ends
        tied = {*order[same].tolist(), *order[same - 1].tolist()}
        rank = np.zeros(order.size, np.int64)
        nodes = {place: nodes_of(mentions.parts_of(int(rows[place]))).tolist() for place in tied}
        rank[sorted(tied, key=nodes.__getitem__)] = np.arange(len(tied))
        order = np.lexsort((rank, *keys))
    return rows[order]


def choose(key: Mentions, response: Mentions, candidates: Candidates, weigh: Weigh) -> Candidates:
    """Choose pairs among candidates, one to one, of the largest total weight in each component.

    Args:
        key: mentions of the key.
        response: mentions of the response.
        candidates: pairs of a positive weight, each once.
        weigh: finds the weight of a pair.

    Returns:
        Rows of the chosen pairs, int64 (P,) of each side.
    """
    k, r = candidates
    alone = (np.bincount(k)[k] == 1) & (np.bincount(r)[r] == 1)
    chosen_pairs: list[tuple[int, int]] = []
    for rows, columns, pairs in _components(k[~alone].tolist(), r[~alone].tolist()):
        weights = [[weigh(key, response, i, j) if (i, j) in pairs else Fraction(0) for j in columns] for i in rows]
        chosen = zip(rows, best_alignment(weights), strict=True)
        chosen_pairs += [(i, columns[place]) for i, place in chosen if place >= 0]
    paired = np.array(chosen_pairs, np.int64).reshape(-1, 2).T
    return np.append(k[alone], paired[0]), np.append(r[alone], paired[1])


Matching = tuple[Callable[[Mentions, Mentions], Candidates], Weigh]
"""Finds the candidates of two sides, and the weight of each."""

EQUAL = "equal"
"""The matching of equal mentions, which needs no weights."""


def pair(
    key: Mentions,
    response: Mentions,
    numbers: Sequence[Ints],
    matchings: tuple[Matching | None, Matching | None],
    how: Callable[[Mentions, Mentions, Candidates, Weigh], Candidates] = choose,
) -> Ints:
    """Pair the mentions of both sides one to one: by a first matching, then equal ones, then by a second matching.

    Args:
        key: K distinct mentions of the key.
        response: R distinct mentions of the response.
        numbers: int64 (K,) and (R,), equal for equal mentions.
        matchings: the first and the second matching, which see mentions that are not paired yet; None to leave it out.
        how: chooses among candidates.

    Returns:
        int64 (R,) the row in the key of each response mention's partner, -1 for a mention without one.
    """
    partner = np.full(len(response), -1)
    key_rows, response_rows = np.arange(len(key)), np.arange(len(response))
    first, second = matchings
    for matching in (first, EQUAL, second):
        if matching == EQUAL:
            k, r = join(numbers[0][key_rows], numbers[1][response_rows])
        elif isinstance(matching, tuple):
            left = key.take(key_rows) if key_rows.size < len(key) else key
            right = response.take(response_rows) if response_rows.size < len(response) else response
            find, weigh = matching
            k, r = how(left, right, find(left, right), weigh)
        else:
            continue
        partner[response_rows[r]] = key_rows[k]
        key_rows, response_rows = np.delete(key_rows, k), np.delete(response_rows, r)
    return partner


def _components(k: list[int], r: list[int]) -> Iterator[tuple[list[int], list[int], set[tuple[int, int]]]]:
    """Yield the rows of both sides, in order, and the candidates of each component."""
    of_key, of_response = defaultdict(list), defaultdict(list)
    for i, j in zip(k, r, strict=True):
        of_key[i].append(j)
        of_response[j].append(i)
    seen: set[int] = set()
    for row in of_key:
        if row in seen:
            continue
        key_rows, response_rows, waiting = {row}, set(), [row]
        while waiting:
            for j in of_key[waiting.pop()]:
                if j not in response_rows:
                    response_rows.add(j)
                    waiting += [i for i in of_response[j] if i not in key_rows]
                    key_rows.update(of_response[j])
        seen |= key_rows
        yield sorted(key_rows), sorted(response_rows), {(i, j) for i in key_rows for j in of_key[i]}


def best_alignment(weights: list[list[Fraction]]) -> list[int]:
    """Align rows and columns one to one so that the sum of the weights is largest; of several ways, take the first.

    Whole numbers hold a weight, and after it which column is taken: of two ways of equal weight, the one in which the
    first row has the earlier column has the larger sum, then the one in which the second row has it, and so on.

        >>> best_alignment([[Fraction(1), Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(0)]])
        [1, 0, -1]

    Args:
        weights: for each row the weight of each column, from 0.

    Returns:
        For each row the place of its column, -1 if it has none. Pairs of weight 0 are left out.

    Raises:
        InputError: more rows and columns than can be aligned in a second or so.
    """
    n, m = len(weights), len(weights[0])
    if min(n, m) == 1:
        every = [weight for row in weights for weight in row]
        best = every.index(max(every)) if any(every) else -1
        return [best] if n == 1 else [0 if i == best else -1 for i in range(n)]
    if weights[0][0] and all(row == weights[0][:1] * m for row in weights):
        return [i if i < m else -1 for i in range(n)]
    if min(n, m) ** 2 * max(n, m) > MOST_STEPS:
        raise InputError(f"{n} mentions of the key and {m} of the response may match each other; expected some dozens")
    unit, base = lcm(*(weight.denominator for row in weights for weight in row)), m + 1
    whole = [
        [
            weight.numerator * (unit // weight.denominator) * base**n + (m - j) * base ** (n - 1 - i) if weight else 0
            for j, weight in enumerate(row)
        ]
        for i, row in enumerate(weights)
    ]
    if n > m:
        columns = _assign([list(column) for column in zip(*whole, strict=True)])
        row_of = {i: j for j, i in enumerate(columns)}
        chosen = [row_of.get(i, -1) for i in range(n)]
    else:
        chosen = _assign(whole)
    return [j if j >= 0 and whole[i][j] else -1 for i, j in enumerate(chosen)]


def _assign(weights: list[list[int]]) -> list[int]:
    """Give each of n rows a column of its own among m >= n, so that the sum of the weights is largest.

    Source: the shortest augmenting paths of Jonker and Volgenant (1987), with potentials of rows and columns.
    """
    n, m = len(weights), len(weights[0])
    u, v, holder = [0] * n, [0] * m, [-1] * m
    for source in range(n):
        cost: list[int | None] = [None] * m
        via, final, row, column = [-1] * m, [False] * m, source, -1
        while True:
            reached = cost[column] if column >= 0 else 0
            assert reached is not None
            for j in range(m):
                path = reached + u[row] + v[j] - weights[row][j]
                reached_by = cost[j]
                if not final[j] and (reached_by is None or path < reached_by):
                    cost[j], via[j] = path, column
            open_columns = ((j, c) for j, c in enumerate(cost) if c is not None and not final[j])
            column, reached = min(open_columns, key=itemgetter(1))
            final[column] = True
            if holder[column] < 0:
                break
            row = holder[column]
        for j in range(m):
            reached_by = cost[j]
            if final[j] and reached_by is not None and j != column:
                u[holder[j]] -= reached - reached_by
                v[j] += reached - reached_by
        u[source] -= reached
        while column >= 0:
            before = via[column]
            holder[column] = source if before < 0 else holder[before]
            column = before
    chosen = [-1] * n
    for j, i in enumerate(holder):
        if i >= 0:
            chosen[i] = j
    return chosen
