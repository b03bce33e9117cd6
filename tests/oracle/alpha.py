"""Krippendorff's alpha of chains and Cohen's kappa of links, from their definitions, with sets and loops."""

from itertools import combinations, permutations


def nominal(a, b):
    return float(a != b)


def passonneau(a, b):
    """Passonneau (2004)."""
    if a == b:
        return 0.0
    if a <= b or b <= a:
        return 1 / 3
    return 2 / 3 if a & b else 1.0


def jaccard(a, b):
    return 1 - len(a & b) / len(a | b)


def masi(a, b):
    """Passonneau (2006)."""
    factor = {0.0: 1.0, 1 / 3: 2 / 3, 2 / 3: 1 / 3, 1.0: 0.0}[passonneau(a, b)]
    return 1 - len(a & b) / len(a | b) * factor


def dkpro_masi(a, b):
    return jaccard(a, b) * passonneau(a, b)


DISTANCES = {
    "alpha_nominal": nominal,
    "alpha_passonneau": passonneau,
    "alpha_jaccard": jaccard,
    "alpha_masi": masi,
    "alpha_dkpro_masi": dkpro_masi,
}


def values(documents, units):
    """Return, of each document, each unit's chain by each annotator: a list of {unit: chain}.

    ``documents`` is a list of documents, each a list of annotators' entities, which are lists of mentions.
    """
    found = []
    for annotators in documents:
        marked = [{mention for entity in entities for mention in entity} for entities in annotators]
        wanted = set.union(*marked) if units == "union" else set.intersection(*marked)
        found.append([])
        for entities, own in zip(annotators, marked, strict=True):
            chains = [frozenset(entity) & wanted for entity in entities] + [frozenset([m]) for m in wanted - own]
            found[-1].append({mention: chain for chain in chains for mention in chain})
    return found


def alpha(documents, units, distance):
    """Pair the values of one document; each document counts with its units."""
    observed = expected = 0.0
    for annotators in values(documents, units):
        n = len(annotators[0])
        if not n:
            continue
        pairs = list(combinations(annotators, 2))
        observed += sum(distance(a[unit], b[unit]) for a, b in pairs for unit in a) / len(pairs)
        everything = [chain for chains in annotators for chain in chains.values()]
        apart = [distance(a, b) for a, b in permutations(everything, 2)]
        expected += n * sum(apart) / len(apart)
    return 1 - observed / expected if expected else 1.0


def kappa(documents, units):
    """Take the mean over pairs of annotators."""
    found = values(documents, units)
    kappas = []
    for one, other in combinations(range(len(found[0])), 2):
        decided = [
            (document[one][a] == document[one][b], document[other][a] == document[other][b])
            for document in found
            for a, b in combinations(document[one], 2)
        ]
        n = len(decided)
        linked = [sum(each[k] for each in decided) for k in (0, 1)]
        by_chance = (linked[0] * linked[1] + (n - linked[0]) * (n - linked[1])) / n**2 if n else 1.0
        equal = sum(a == b for a, b in decided) / n if n else 1.0
        kappas.append(1.0 if equal == 1 else (equal - by_chance) / (1 - by_chance))
    return sum(kappas) / len(kappas)


def measures(documents, units):
    found = {name: alpha(documents, units, distance) for name, distance in DISTANCES.items()}
    return found | {"kappa": kappa(documents, units)}
