"""Policies applied before scoring, to repeated mentions, singletons, mentions of one side: the table in README."""

from collections import Counter


def resolve_duplicates(entities, policy):
    """Remove repetitions, so that every mention is in one entity, once.

    `first` keeps a repeated mention in the first entity of the list that holds it, `last` in the last one, `drop`
    removes it everywhere. Entities that are left without mentions are removed.
    """
    holders = {}
    for number, entity in enumerate(entities):
        for mention in entity:
            holders.setdefault(mention, []).append(number)
    seen = Counter(mention for entity in entities for mention in entity)
    resolved = []
    for number, entity in enumerate(entities):
        kept = []
        for mention in entity:
            if mention in kept:
                continue
            if seen[mention] == 1:
                stays = True
            elif policy == "first":
                stays = holders[mention][0] == number
            elif policy == "last":
                stays = holders[mention][-1] == number
            elif policy == "drop":
                stays = False
            else:
                raise ValueError(policy)
            if stays:
                kept.append(mention)
        resolved.append(kept)
    return [entity for entity in resolved if entity]


def drop_singletons(entities):
    """Remove the entities of one mention."""
    return [entity for entity in entities if len(entity) > 1]


def restrict(key, response, how):
    """Remove the mentions that the key lacks (`key`), or that either side lacks (`shared`); no singleton goes."""
    kept = {mention for entity in key for mention in entity}
    if how == "shared":
        kept &= {mention for entity in response for mention in entity}
    sides = ([[mention for mention in entity if mention in kept] for entity in side] for side in (key, response))
    return tuple([entity for entity in side if entity] for side in sides)


def apply_policies(key, response, duplicates="first", singletons="keep"):
    """Resolve repeated mentions, then drop singletons if asked, on both sides."""
    sides = [resolve_duplicates(side, duplicates) for side in (key, response)]
    if singletons == "drop":
        sides = [drop_singletons(side) for side in sides]
    return tuple(sides)
