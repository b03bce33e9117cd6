"""Mentions in several entities, with sets: as the reference scorer counts them, and as CorefUD's scorer does.

Entities are lists of mentions, in order: an entity that comes later in the list is a later entity of its mentions.
"""

from fractions import Fraction
from itertools import combinations, product

from oracle.ceaf import best_by_assignment


def links(n):
    """Return the number of pairs among n."""
    return n * (n - 1) // 2


def last_entities(entities):
    """Map each mention to the number of the last entity that holds it."""
    return {mention: number for number, entity in enumerate(entities) for mention in entity}


def aligned(key, response, similarity):
    """Return the largest sum of similarities of aligned entities."""
    if not key or not response:
        return Fraction(0)
    return best_by_assignment([[similarity(one, other) for other in response] for one in key])


def phi3(one, other):
    """Return the number of occurrences in one entity whose mention the other holds."""
    return Fraction(sum(mention in other for mention in one))


def phi4(one, other):
    """Return the similarity of two entities; their sizes are numbers of occurrences."""
    return 2 * phi3(one, other) / (len(one) + len(other))


def ceaf(key, response):
    """Return the sums of CEAFm and CEAFe."""
    by_mentions, by_entities = aligned(key, response, phi3), aligned(key, response, phi4)
    return {
        "ceafm": (by_mentions, sum(map(len, key)), by_mentions, sum(map(len, response))),
        "ceafe": (by_entities, len(key), by_entities, len(response)),
    }


def mentions(key, response):
    """Return the sums of mention detection: distinct mentions."""
    ours, theirs = ({mention for entity in side for mention in entity} for side in (key, response))
    return len(ours & theirs), len(ours), len(ours & theirs), len(theirs)


def one_way(entities, others):
    """Return numerator and denominator of MUC, B-cubed and LEA, and common links of BLANC, of one side.

    Each occurrence has the last entity of the other side that holds its mention, if there is one.
    """
    last = last_entities(others)
    owners = [[last.get(mention) for mention in entity] for entity in entities]
    found = {"muc": [0, 0], "bcub": [Fraction(0), 0], "lea": [Fraction(0), 0], "links": 0, "apart": 0}
    for entity, owner in zip(entities, owners, strict=True):
        size = len(entity)
        n_of = {each: owner.count(each) for each in owner if each is not None}
        common = sum(map(links, n_of.values()))
        found["muc"][0] += sum(n_of.values()) - len(n_of)
        found["muc"][1] += size - 1
        found["bcub"][0] += Fraction(sum(n * n for n in n_of.values()), size)
        found["bcub"][1] += size
        resolved = Fraction(common, links(size)) if size > 1 else Fraction(any(len(others[j]) == 1 for j in n_of))
        found["lea"][0] += size * resolved
        found["lea"][1] += size
        found["links"] += common
    for one, other in combinations(owners, 2):
        found["apart"] += sum(None not in pair and pair[0] != pair[1] for pair in product(one, other))
    return found


def as_corefud(key, response):
    """Return the sums of each metric as CorefUD's scorer counts them; a mention twice in one entity counts once."""
    key, response = ([list(dict.fromkeys(entity)) for entity in side if entity] for side in (key, response))
    ours, theirs = one_way(key, response), one_way(response, key)
    found = {name: (*ours[name], *theirs[name]) for name in ("muc", "bcub", "lea")}
    n_links = [sum(links(len(entity)) for entity in side) for side in (key, response)]
    n_apart = [links(sum(map(len, side))) - n for side, n in zip((key, response), n_links, strict=True)]
    found["coreference"] = ours["links"], n_links[0], ours["links"], n_links[1]
    found["non_coreference"] = ours["apart"], n_apart[0], ours["apart"], n_apart[1]
    return found | ceaf(key, response) | {"mentions": mentions(key, response)}


def link_sets(entities):
    """Return the pairs of mentions of one entity, and those of two entities: a mention may be paired with itself."""
    together = {frozenset(pair) for entity in entities for pair in combinations(entity, 2)}
    apart = {frozenset(pair) for one, other in combinations(entities, 2) for pair in product(one, other)}
    return together, apart


def as_conll(key, response):
    """Return the sums of each metric as the reference scorer 8.01 counts them, and of LEA as its own scorer does."""
    known, seen, given = {mention for entity in key for mention in entity}, set(), []
    for entity in response:
        given.append([])
        for mention in entity:
            if mention not in known or mention not in seen:
                given[-1].append(mention)
            seen.add(mention)
    key, response = ([entity for entity in side if entity] for side in (key, given))
    last = last_entities(key)
    muc, recall, precision = 0, Fraction(0), Fraction(0)
    for (k, one), other in product(enumerate(key), response):
        shared = set(one) & set(other)
        n_last = sum(last[mention] == k for mention in shared)
        muc += max(n_last - 1, 0)
        recall += Fraction(n_last * len(shared), len(one))
        precision += Fraction(n_last * len(shared), len(other))
    n_key, n_response = (sum(map(len, side)) for side in (key, response))
    found = {
        "muc": (muc, n_key - len(key), muc, n_response - len(response)),
        "bcub": (recall, n_key, precision, n_response),
    }
    for name, ours, theirs in zip(("coreference", "non_coreference"), link_sets(key), link_sets(response), strict=True):
        found[name] = len(ours & theirs), len(ours), len(ours & theirs), len(theirs)
    found["lea"] = (*one_way(key, response)["lea"], *one_way(response, key)["lea"])
    return found | ceaf(key, response) | {"mentions": mentions(key, response)}
