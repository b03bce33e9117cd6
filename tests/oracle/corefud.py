"""Which mentions of CorefUD match, with sets: exact, by heads, in part, and zeros by what they depend on.

A mention is a set of words and empty nodes, (sentence, word, n) with n = 0 for words, and its head, one of them. All
ways to pair mentions are tried that share candidates with each other.
"""

from fractions import Fraction
from math import inf
from typing import NamedTuple

from oracle.bcub import bcub
from oracle.blanc import blanc
from oracle.ceaf import best_by_assignment, ceafe, ceafm
from oracle.lea import lea
from oracle.mentions import mentions
from oracle.muc import muc
from oracle.repeated import as_corefud


class Mention(NamedTuple):
    """A mention: its nodes, its head, the enhanced dependencies of a head that is an empty node, parts of speech.

    These are of the head and of its ``flat`` children.
    """

    nodes: frozenset
    head: tuple
    deps: frozenset = frozenset()
    upos: frozenset = frozenset()

    @property
    def is_zero(self):
        return self.head[2] != 0

    @property
    def place(self):
        return min(self.nodes), max(self.nodes), len(self.nodes), self.head, sorted(self.nodes)


def dice(one, other):
    """Return the Dice coefficient of two sets, 0 if both are empty."""
    return Fraction(2 * len(one & other), len(one) + len(other)) if one or other else Fraction(0)


def weigh_zeros(ours, theirs):
    """Return how well two zeros agree in what they depend on."""
    if not (ours.is_zero and theirs.is_zero and ours.head[0] == theirs.head[0]):
        return Fraction(0)
    parents = [{parent for parent, _ in mention.deps} for mention in (ours, theirs)]
    return 10 * dice(ours.deps, theirs.deps) + dice(*parents)


def weigh_heads(ours, theirs):
    """Return the weight of two mentions in the matching by heads."""
    return Fraction(len(ours.nodes & theirs.nodes), len(ours.nodes)) if ours.head == theirs.head else Fraction(0)


def weigh_parts(ours, theirs):
    """Return the weight of two mentions in the partial matching."""
    is_part = ours.head in theirs.nodes and theirs.nodes <= ours.nodes
    return Fraction(len(theirs.nodes), len(ours.nodes)) if is_part else Fraction(0)


def best_pairs(key, response, weigh):
    """Return the pairs of the largest total weight; of several choices, the first in the order of the mentions."""
    key, response = (sorted(side, key=lambda mention: mention.place) for side in (key, response))
    in_sentence = {}
    for place, theirs in enumerate(response):
        in_sentence.setdefault(theirs.head[0], []).append((place, theirs))
    choices = [
        {place: weight for place, theirs in in_sentence.get(ours.head[0], []) if (weight := weigh(ours, theirs))}
        for ours in key
    ]
    pairs = [pair for rows in components(choices) for pair in best_of_component(rows, choices)]
    return [(key[row], response[place]) for row, place in sorted(pairs)]


def components(choices):
    """Yield groups of rows, in order, that share columns with no others; choices: for each row, weights by columns."""
    left = {row for row, options in enumerate(choices) if options}
    while left:
        rows, more = set(), {min(left)}
        while more != rows:
            rows, columns = more, {place for row in more for place in choices[row]}
            more = {row for row in left if columns & choices[row].keys()}
        yield sorted(rows)
        left -= rows


def best_of_component(rows, choices):
    """Return the pairs of rows with columns that have the largest total weight; all ways are tried."""
    best = [(Fraction(-1), ())]

    def pair(chosen, total):
        if len(chosen) == len(rows):
            best[0] = max(best[0], (total, tuple(-place for place in chosen)))
            return
        for place, weight in choices[rows[len(chosen)]].items():
            if place not in chosen:
                pair((*chosen, place), total + weight)
        pair((*chosen, inf), total)  # no partner: behind all others

    pair((), Fraction(0))
    return [(row, -place) for row, place in zip(rows, best[0][1], strict=True) if place != -inf]


def with_heads(entities, parents=None):
    """Return entities with other heads of mentions: the first word whose parent is outside, otherwise the first node.

    Args:
        entities: lists of `Mention`.
        parents: for each sentence the parent of each word, 0 for none; without them all heads are first nodes.
    """

    def with_head(m):
        words = [(s, word, n) for s, word, n in sorted(m.nodes) if n == 0]
        outside = [each for each in words if parents and (each[0], parents[each[0]][each[1] - 1], 0) not in m.nodes]
        head = (outside or sorted(m.nodes))[0]
        return m if head == m.head else m._replace(head=head, deps=frozenset())

    return [[with_head(mention) for mention in entity] for entity in entities]


def spans_of(entities, lengths):
    """Return the mentions that are words next to each other, as spans of words of the document, counted from 0.

    Args:
        entities: lists of `Mention`.
        lengths: number of words of each sentence.
    """
    spans = []
    for entity in entities:
        spans.append([])
        for mention in entity:
            (sentence, first, _), (_, last, _) = min(mention.nodes), max(mention.nodes)
            if mention.nodes == {(sentence, word, 0) for word in range(first, last + 1)}:
                before = sum(lengths[:sentence]) - 1
                spans[-1].append((before + first, before + last))
    return [entity for entity in spans if entity]


def select(entities, by_head, singletons, zeros):
    """Return the entities of a side, as lists of mentions, after the policies for singletons and zeros."""
    distinct = [{} for _ in entities]
    for entity, found in zip(entities, distinct, strict=True):
        for mention in entity:
            found.setdefault((mention.nodes, mention.head if by_head else None), mention)
    if singletons == "drop":
        distinct = [found for found in distinct if len(found) > 1]
    kept = [[m for m in found.values() if zeros != "drop" or not m.is_zero] for found in distinct]
    return [entity for entity in kept if entity]


def pair_mentions(key, response, by_head, matching, zeros):
    """Return the partner in the response of each key mention that has one, for entities of both sides."""
    ours, theirs = (list(dict.fromkeys(m for entity in side for m in entity)) for side in (key, response))
    stages = [lambda a, b: Fraction(a.nodes == b.nodes and (a.head == b.head or not by_head))]
    if zeros == "dependent":
        stages.insert(0, weigh_zeros)
    if matching != "exact":
        stages.append(weigh_heads if by_head else weigh_parts)
    paired = {}
    for weigh in stages:
        free = [mention for mention in ours if mention not in paired]
        left = [mention for mention in theirs if mention not in paired.values()]
        paired.update(best_pairs(free, left, weigh))
    return paired


def overlap(key, response, matching="exact", zeros="dependent", singletons="keep"):
    """Return the four sums of the mention overlap ratio: words shared in the best pairing, and all words."""
    sides = (select(side, matching == "head", singletons, zeros) for side in (key, response))
    ours, theirs = ([mention.nodes for entity in side for mention in entity] for side in sides)
    shared = 0
    if ours and theirs:
        weights = [[Fraction(len(one & other)) for other in theirs] for one in ours]
        shared = best_by_assignment(weights)
    return shared, sum(map(len, ours)), shared, sum(map(len, theirs))


def zero_anaphors(key, response, matching="exact", zeros="dependent", singletons="keep"):
    """Return the four sums of the score of zeros: right ones, those of the key; right ones, those of the response."""
    by_head = matching == "head"
    key, response = (select(side, by_head, singletons, zeros) for side in (key, response))
    paired = pair_mentions(key, response, by_head, matching, zeros)
    asked = [zero for entity in key for zero in anaphors(entity) if zero.is_zero]
    given = [mention for entity in response for mention in anaphors(entity)]
    right = wrong = 0
    for zero in asked:
        if paired.get(zero) in given:
            own = next(entity for entity in key if zero in entity)
            other = next(entity for entity in response if paired[zero] in entity)
            before = [mention for mention in own if mention.place < zero.place]
            is_right = any(paired.get(mention) in other for mention in before)
            right, wrong = right + is_right, wrong + (not is_right)
    partners = [paired.get(zero) for zero in asked]
    spurious = sum(mention.is_zero and mention not in partners for mention in given)
    return right, len(asked), right, right + wrong + spurious


def anaphors(entity):
    """Return the mentions of an entity but the first."""
    return sorted(entity, key=lambda mention: mention.place)[1:]


def in_order(entities):
    """Return the entities of a document in the order of CorefUD's scorer, from a dict by their ids."""

    def first(item):
        places = [(min(mention.nodes), -len(mention.nodes), max(mention.nodes)) for mention in item[1]]
        return min(places), item[0]

    return [entity for _, entity in sorted(entities.items(), key=first)]


def match(key, response, matching="exact", zeros="dependent", singletons="keep"):
    """Match the mentions of two sides.

    Args:
        key: entities, each a list of `Mention`.
        response: likewise.
        matching: ``exact``, ``head`` or ``partial``.
        zeros: ``dependent``, ``linear`` or ``drop``.
        singletons: ``keep`` or ``drop``.

    Returns:
        Both sides as clusterings of numbers, equal for mentions that match.
    """
    by_head = matching == "head"
    key, response = (select(side, by_head, singletons, zeros) for side in (key, response))
    ours, theirs = ([mention for entity in side for mention in entity] for side in (key, response))
    number_of = {mention: number for number, mention in enumerate(theirs)}
    paired = pair_mentions(key, response, by_head, matching, zeros)
    numbers = {m: number_of[paired[m]] if m in paired else len(theirs) + n for n, m in enumerate(ours)}
    return [[numbers[m] for m in entity] for entity in key], [[number_of[m] for m in entity] for entity in response]


def count(key, response, **options):
    """Return the four sums of each metric, and of BLANC's classes as `blancc` and `blancn`; takes `match`'s options."""
    labels = match(key, response, **options)
    every = [[number for entity in side for number in entity] for side in labels]
    if any(len(set(side)) < len(side) for side in every):
        counts = as_corefud(*labels)
        counts["blancc"], counts["blancn"] = counts.pop("coreference"), counts.pop("non_coreference")
    else:
        counts = {each.__name__: each(*labels) for each in (mentions, muc, bcub, ceafm, ceafe, lea)}
        counts["blancc"], counts["blancn"], _ = blanc(*labels)
    return counts | {"mor": overlap(key, response, **options), "zero": zero_anaphors(key, response, **options)}
