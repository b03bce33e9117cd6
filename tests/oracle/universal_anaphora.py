"""Scores of Universal Anaphora with sets, from lists as in `conllua_files`: minimum spans, entities of no reference."""

from fractions import Fraction

from conllua_files import begin_of, parts_of
from oracle.bcub import bcub
from oracle.blanc import blanc
from oracle.ceaf import ceafe, ceafm
from oracle.corefud import Mention, best_pairs
from oracle.lea import lea
from oracle.mentions import mentions
from oracle.muc import muc


def nodes_of(mention):
    """Return a mention as a set of nodes, (0, words before and with it, place of an empty node)."""
    nodes = set()
    for part in parts_of(mention):
        words = [] if isinstance(part, str) else range(part[0] + 1, part[1] + 2)
        nodes |= {(0, word, 0) for word in words} or {(0, *begin_of(part))}
    return Mention(frozenset(nodes), min(nodes))


def entities_of(side, *, with_reference):
    """Return the entities of a side that refer to something, or to nothing, as lists of mentions in order."""
    entities = {}
    for mention, entity in zip(side["mentions"], side["entities"], strict=True):
        if (entity not in side.get("pseudo", ())) == with_reference:
            entities.setdefault(entity, []).append(nodes_of(mention))
    return [*entities.values()]


def with_minimum(minima):
    """Return the weight of a key mention and one within it that has its minimum span; minima by mention."""

    def weigh(ours, theirs):
        minimum = minima.get(ours, frozenset())
        is_part = minimum and minimum <= theirs.nodes <= ours.nodes
        return Fraction(len(theirs.nodes), len(ours.nodes)) if is_part else Fraction(0)

    return weigh


def count(key, response, *, matching="exact", singletons="keep"):
    """Return the four sums of each metric, and of BLANC's classes as `blancc` and `blancn`."""
    sides = [entities_of(side, with_reference=True) for side in (key, response)]
    if singletons == "drop":
        sides = [[entity for entity in side if len(entity) > 1] for side in sides]
    ours, theirs = ([mention for entity in side for mention in entity] for side in sides)
    number = {mention: ("both", k) for k, mention in enumerate(ours)}
    numbers = number, {mention: number.get(mention, ("response", k)) for k, mention in enumerate(theirs)}
    if matching == "min":
        words = [minimum and nodes_of(minimum).nodes for minimum in key["min"]]
        minima = {nodes_of(mention): own for mention, own in zip(key["mentions"], words, strict=True) if own}
        left, free = ([m for m in side if m not in {*other}] for side, other in ((ours, theirs), (theirs, ours)))
        numbers[1].update((their, number[our]) for our, their in best_pairs(left, free, with_minimum(minima)))
    labels = [[[n[m] for m in entity] for entity in side] for side, n in zip(sides, numbers, strict=True)]
    counts = {each.__name__: each(*labels) for each in (mentions, muc, bcub, ceafm, ceafe, lea)}
    counts["blancc"], counts["blancn"], _ = blanc(*labels)
    return counts | {"non-referring": count_without_reference(key, response)}


def count_without_reference(key, response):
    """Return the four sums of mentions that refer to nothing: of each entity the one that begins first."""
    ours, theirs = (
        {min(entity, key=lambda mention: min(mention.nodes)) for entity in entities_of(side, with_reference=False)}
        for side in (key, response)
    )
    return len(ours & theirs), len(ours), len(ours & theirs), len(theirs)
