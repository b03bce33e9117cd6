"""B-cubed and CEAF as older papers define them: the mentions are changed first, as each paper describes, then scored.

Stoyanov et al. (2009), Rahman and Ng (2009), Cai and Strube (2010); Pradhan et al. (2014), section 2. A twinless
mention is on one side only.
"""

from fractions import Fraction

from oracle.bcub import bcub, one_side
from oracle.ceaf import ceafe, ceafm


def without(entities, mentions):
    """Remove mentions from entities, and the entities that are then empty."""
    left = [[mention for mention in entity if mention not in mentions] for entity in entities]
    return [entity for entity in left if entity]


def mentions_of(entities):
    return {mention for entity in entities for mention in entity}


def alone(entities, mentions):
    """Return the mentions, among those given, that are the only one of their entity."""
    return {entity[0] for entity in entities if len(entity) == 1 and entity[0] in mentions}


def bcub_0(key, response):
    """Drop the twinless mentions of the response; those of the key stay, with a recall of 0."""
    return bcub(key, without(response, mentions_of(response) - mentions_of(key)))


def bcub_all(key, response):
    """Give a twinless mention the credit it has if the other side holds it as an entity of its own."""

    def side(entities, others):
        credit, n_mentions = one_side([set(entity) for entity in entities], [set(entity) for entity in others])
        known = mentions_of(others)
        own = [Fraction(1, len(entity)) for entity in entities for mention in entity if mention not in known]
        return credit + sum(own, Fraction(0)), n_mentions

    return *side(key, response), *side(response, key)


def rahman_ng(metric):
    """Score without the twinless singletons of the response."""

    def score(key, response):
        return metric(key, without(response, alone(response, mentions_of(response) - mentions_of(key))))

    return score


def cai_strube(metric):
    """Score recall and precision after making both sides hold the same mentions, differently for each of the two."""

    def score(key, response):
        spurious = mentions_of(response) - mentions_of(key)
        missing = [[mention] for mention in sorted(mentions_of(key) - mentions_of(response), key=repr)]
        recall = metric(key, without(response, spurious) + missing)
        singletons = alone(response, spurious)
        kept = [[mention] for mention in sorted(spurious - singletons, key=repr)]
        precision = metric([*key, *kept], without(response, singletons) + missing)
        return *recall[:2], *precision[2:]

    return score


TWINLESS = {
    "bcub-0": bcub_0,
    "bcub-all": bcub_all,
    "bcub-rn": rahman_ng(bcub),
    "ceafm-rn": rahman_ng(ceafm),
    "ceafe-rn": rahman_ng(ceafe),
    "bcub-sys": cai_strube(bcub),
    "ceafm-sys": cai_strube(ceafm),
    "ceafe-sys": cai_strube(ceafe),
}
