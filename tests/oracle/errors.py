"""What went wrong, from the definitions, in sets and loops: types of errors, links, shares of mentions, entities.

Sides are lists of sets of mentions; mentions are whole numbers in the order of the text.
"""

from fractions import Fraction
from itertools import permutations
from math import comb, exp, log


def cells_of(one, other):
    """Return the mentions that an entity shares with each entity of the other side, and each other mention alone."""
    shared = [one & entity for entity in other if one & entity]
    return shared + [{mention} for mention in one - set().union(*shared)]


def operations(key, response, pronouns=()):
    """Follow the program of Kummerfeld and Klein (2013) operation by operation.

    Every piece of an entity is a split or a merge, and every absent mention is removed or introduced. Entities made up,
    and left out, use the operations of their absent mentions up; then each entity's base piece is no error; the rest
    are extra or missing mentions, and cells that are elsewhere.
    """
    counts = {}
    for mine, others, names in (
        (response, key, ("conflated", "extra-mention", "extra-entity", "extra-singleton")),
        (key, response, ("divided", "missing-mention", "missing-entity", "missing-singleton")),
    ):
        known = set().union(*others)
        found = dict.fromkeys(names, 0)
        for entity in mine:
            absent = entity - known
            left = cells_of(entity, others)
            if len(absent) >= 2 and all(mention in pronouns for mention in entity & known):
                found[names[2]] += 1
                left = [piece for piece in left if not piece <= absent]
            elif entity == absent:  # one mention
                found[names[3]] += 1
                continue
            named = sorted(entity - set(pronouns)) or sorted(entity)
            left = [piece for piece in left if named[0] not in piece]
            for piece in left:
                found[names[1] if piece <= absent else names[0]] += 1
        counts |= found
    return counts


def links(one, other):
    """Return (anaphor, antecedent, whether the other side has the link) of each mention but the first of an entity."""
    found = set()
    for entity in one:
        for mention in entity:
            before = [earlier for earlier in entity if earlier < mention]
            together = [m for m in before if any({m, mention} <= cluster for cluster in other)]
            if before:
                found.add((mention, max(together or before), bool(together)))
    return found


def shares(key, response, metric):
    """Return the four numbers of each mention: {mention: (recall numerator, denominator, precision ...)}."""
    found = {}
    mentions = sorted(set().union(*key, *response))
    both = set().union(*key) & set().union(*response)
    for m in mentions:
        mine = [next((entity for entity in side if m in entity), set()) for side in (key, response)]
        cell = mine[0] & mine[1]
        before = {earlier for earlier in mentions if earlier < m}
        numbers = []
        for side, entity in zip((key, response), mine, strict=True):
            here = set().union(*side)
            if metric == "mentions":
                numbers += [len(cell & {m}), len(entity & {m})]
            elif metric == "muc":
                numbers += [int(bool(cell & before) and m in cell), int(bool(entity & before))]
            elif metric == "bcub":
                numbers += [Fraction(len(cell), len(entity)) if entity else 0, len(entity & {m})]
            elif metric == "lea":
                single = len(mine[0]) == len(mine[1]) == 1 == len(cell)
                part = Fraction(max(len(cell) - 1, 0), len(entity) - 1) if len(entity) > 1 else int(single)
                numbers += [part, len(entity & {m})]
            elif metric == "pairwise":
                numbers += [len(cell & before) if m in cell else 0, len(entity & before)]
            else:  # links between entities
                apart = (before & both) - mine[0] - mine[1] if m in both else set()
                numbers += [len(apart), len((here & before) - entity) if entity else 0]
        found[m] = numbers
    return found


def entity(one, other):
    """Return the row of an entity against the entities of the other side, in their order."""
    k, pieces = len(one), cells_of(one, other)
    shared = [(len(one & each), len(each)) for each in other if one & each]
    absent = k - sum(n for n, _ in shared)
    similar = [Fraction(2 * len(one & each), k + len(each)) for each in other]
    best = max(range(len(other)), key=lambda j: (similar[j], -j), default=-1)
    best = best if best >= 0 and similar[best] else -1
    links_of = comb(k, 2)
    together = sum(comb(n, 2) for n, _ in shared)
    return {
        "size": k,
        "absent": absent,
        "pieces": len(pieces),
        "muc_lost": len(pieces) - 1,
        "bcub": Fraction(sum(n * n for n, _ in shared), k * k),
        "lea": Fraction(together, links_of) if links_of else int(one in other),
        "expected_extra": Fraction(sum(n * (r - n) for n, r in shared), k),
        "expected_absent": Fraction(sum(n * (k - n) for n, _ in shared) + absent * (k - 1), k),
        "effective_pieces": exp(-sum(len(piece) / k * log(len(piece) / k) for piece in pieces)),
        "is_wrong": one not in other,
        "best": best,
        "best_shared": len(one & other[best]) if best >= 0 else 0,
    }


TYPES = {
    "conflated": {"conflated"},
    "divided": {"divided"},
    "span": {"span"},
    "missing": {"missing-mention", "missing-entity"},
    "extra": {"extra-mention", "extra-entity"},
    "singletons": {"missing-singleton", "extra-singleton"},
}
"""The types of errors that are corrected together."""


def corrected(key, response, types, pronouns=(), spans=()):
    """Return the response without the errors of some types, as a list of sets.

    Args:
        spans: pairs of a mention of the key and one of the response that differ in their span alone.
    """
    to_key = {own: wanted for wanted, own in spans}
    response = [{to_key.get(mention, mention) for mention in entity} for entity in response]
    in_key, in_response = set().union(*key), set().union(*response)
    name = {mention: ("response", j) for j, entity in enumerate(response) for mention in entity}

    def described(entity, known):
        head = (sorted(entity - set(pronouns)) or sorted(entity))[0]
        absent = entity - known
        return head, absent, len(absent) >= 2 and all(mention in pronouns for mention in entity & known)

    for j, entity in enumerate(response):
        head, absent, is_whole = described(entity, in_key)
        if len(entity) == 1:
            leaving = absent if "extra-singleton" in types else set()
        elif is_whole:
            leaving = absent if "extra-entity" in types else set()
        else:
            leaving = absent - {head} if "extra-mention" in types else set()
            leaving |= absent & {head} if "conflated" in types else set()
        for i, other in enumerate(key):
            if "conflated" in types and head not in entity & other:
                name |= dict.fromkeys(entity & other, ("cell", i, j))
        for mention in leaving:
            del name[mention]
    before = dict(name)
    for i, entity in enumerate(key):
        head, absent, is_whole = described(entity, in_response)
        shared = sorted(entity & in_response)
        if head in shared or (shared and ("missing-entity" if is_whole else "divided") not in types):
            home = before[head if head in shared else shared[0]]
        else:
            home = ("key", i)
        if "divided" in types:
            name |= dict.fromkeys(shared, home)
        if len(entity) == 1:
            entering = absent if "missing-singleton" in types else set()
        elif is_whole:
            entering = absent if "missing-entity" in types else set()
        else:
            entering = absent - {head} if "missing-mention" in types else set()
            entering |= absent & {head} if "divided" in types else set()
        name |= dict.fromkeys(entering, home)
    if "span" not in types:
        name = {dict(spans).get(mention, mention): label for mention, label in name.items()}
    return [{mention for mention in name if name[mention] == label} for label in set(name.values())]


def shares_of_loss(score, players):
    """Return the mean gain of each player over all orders: ``score`` is a function of a set of types."""
    known, orders = {}, list(permutations(players))
    shares = dict.fromkeys(players, 0)
    for order in orders:
        types = frozenset()
        for player in order:
            before, types = types, types | TYPES[player]
            for each in (before, types):
                if each not in known:
                    known[each] = score(each)
            shares[player] += known[types] - known[before]
    return {player: gain / len(orders) for player, gain in shares.items()}
