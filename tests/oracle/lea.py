"""LEA: Moosavi and Strube (2016), with the self-link of singletons."""

from fractions import Fraction
from itertools import combinations


def links(entity):
    """Return an entity's links; a singleton has one, from its mention to itself."""
    if len(entity) == 1:
        return {frozenset(entity)}
    return {frozenset(pair) for pair in combinations(entity, 2)}


def one_side(entities, other_entities):
    """Sum over the entities K_i of one side: |K_i| times the share of its links that the other side has; and |K_i|."""
    numerator = Fraction(0)
    denominator = 0
    others = [links(other) for other in other_entities]
    for entity in entities:
        own = links(entity)
        resolved = sum(len(own & other) for other in others)
        numerator += len(entity) * Fraction(resolved, len(own))
        denominator += len(entity)
    return numerator, denominator


def lea(key, response):
    """Return, for each side, the sum of its entities' resolved shares, weighted by their sizes, and its mentions."""
    return *one_side(key, response), *one_side(response, key)


COUNTS = {"lea": lea}
