"""The evaluator that comes with many neural systems, with sets: entities of one mention, mentions twice in an entity.

Entities are lists of mentions; of several entities of a mention, the last counts.
"""

from fractions import Fraction

from oracle.ceaf import best_by_assignment
from oracle.repeated import last_entities, links, phi4


def bcub_one_way(entities, others):
    """Return numerator and denominator: entities of several mentions, by what they share with such entities."""
    last, num, den = last_entities(others), Fraction(0), 0
    for entity in (each for each in entities if len(each) > 1):
        of = [last[mention] for mention in entity if mention in last and len(others[last[mention]]) > 1]
        num += Fraction(sum(of.count(each) for each in of), len(entity))
        den += len(entity)
    return num, den


def lea_one_way(entities, others):
    """Return numerator and denominator: the links of entities of several mentions."""
    last, num, den = last_entities(others), Fraction(0), 0
    for entity in (each for each in entities if len(each) > 1):
        of = [last[mention] for mention in entity if mention in last]
        num += Fraction(len(entity) * sum(links(of.count(each)) for each in {*of}), links(len(entity)))
        den += len(entity)
    return num, den


def count(key, response):
    """Return the sums of B³, LEA and CEAFe."""
    kept = [entity for entity in response if len(entity) > 1]
    best = best_by_assignment([[phi4(one, other) for other in kept] for one in key]) if key and kept else Fraction(0)
    found = {"ceafe": (best, len(key), best, len(kept))}
    for name, one_way in (("bcub", bcub_one_way), ("lea", lea_one_way)):
        found[name] = (*one_way(key, response), *one_way(response, key))
    return found
