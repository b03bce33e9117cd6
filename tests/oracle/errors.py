"""What went wrong, from the definitions, in sets and loops: types of errors, links, shares of mentions, entities.

Sides are lists of sets of mentions; mentions are whole numbers in the order of the text.
"""

from fractions import Fraction
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
