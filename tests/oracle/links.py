"""The links of a clustering as explicit sets of mention pairs: Luo et al. (2014), section 2."""

from itertools import combinations


def coreference_links(entities):
    """Return C: every pair of mentions that share an entity."""
    return frozenset(frozenset(pair) for entity in entities for pair in combinations(entity, 2))


def all_links(entities):
    """Return T: every pair of mentions of the side."""
    mentions = [mention for entity in entities for mention in entity]
    return frozenset(frozenset(pair) for pair in combinations(mentions, 2))


def non_coreference_links(entities):
    """Return N: every pair of mentions in different entities."""
    entities = list(entities)
    return frozenset(
        frozenset((mention, other)) for one, two in combinations(entities, 2) for mention in one for other in two
    )
