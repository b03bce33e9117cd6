"""Scores of entities with split antecedents, item by item: slow, with sets.

An item is a mention, or the extra mention that an entity with elements has. A mention that both sides have is worth 1;
two matched extra mentions are worth what their elements score. Source: Yu et al. (2022).
"""

from fractions import Fraction
from itertools import combinations, permutations

METRICS = ("muc", "bcub", "ceafm", "ceafe", "lea", "coreference", "non-coreference")


def leaves(entity, elements):
    """Return the entities without elements that are reached from an entity."""
    below = [leaves(element, elements) for element in elements.get(entity, ())]
    return frozenset().union(*below) if below else frozenset([entity])


def merged(entities, elements):
    """Return entities, name: mentions, and the leaves of those with elements; of equal leaves, all are one entity."""
    entities, kept = dict(entities), {}
    for name in [name for name in entities if elements.get(name)]:
        own = frozenset(leaves(name, elements) & entities.keys())
        first = next((other for other, theirs in kept.items() if theirs == own), name)
        kept[first] = own
        if first != name:
            entities[first] = entities[first] | entities.pop(name)
    return entities, kept


def f1(recall, precision):
    return 2 * recall * precision / (recall + precision) if recall + precision else Fraction(0)


def of_leaves(metric, key, response):
    """Score sets of mentions: recall, precision, F1 of a metric, where MUC counts entities of one mention too."""
    plain = four(metric, key, response, {}, {}, {})
    if metric == "muc":
        alone = sum(mentions in response.values() for mentions in key.values() if len(mentions) == 1)
        ones = [sum(len(mentions) == 1 for mentions in side.values()) for side in (key, response)]
        plain = [plain[0] + alone, plain[1] + ones[0], plain[2] + alone, plain[3] + ones[1]]
    recall, precision = (Fraction(n) / d if d else Fraction(0) for n, d in (plain[:2], plain[2:]))
    return recall, precision, f1(recall, precision)


def matching(metric, key, response, key_leaves, response_leaves):
    """Return the pairs of extra mentions with what they score: the first of the best one-to-one matchings."""
    score = {
        (i, j): of_leaves(metric, {e: key[e] for e in key_leaves[i]}, {e: response[e] for e in response_leaves[j]})
        for i in key_leaves
        for j in response_leaves
    }
    columns = [*response_leaves, *[None] * len(key_leaves)]
    best, chosen = None, {}
    for order in permutations(range(len(columns)), len(key_leaves)):
        pairs = {(i, columns[at]): at for i, at in zip(key_leaves, order, strict=True) if columns[at] is not None}
        pairs = {pair: at for pair, at in pairs.items() if score[pair][2]}
        places = {i: at for (i, _), at in pairs.items()}
        rank = -sum(score[pair][2] for pair in pairs), *(places.get(i, len(columns)) for i in key_leaves)
        if best is None or rank < best:
            best, chosen = rank, {pair: score[pair] for pair in pairs}
    if metric in ("lea", "coreference", "non-coreference"):
        for i, j in score:
            same = {frozenset(key[e]) for e in key_leaves[i]} == {frozenset(response[e]) for e in response_leaves[j]}
            if same and (i, j) not in chosen:
                chosen[i, j] = (Fraction(1),) * 3
    return chosen


def four(metric, key, response, key_leaves, response_leaves, pairs):
    """Return the four sums of a metric, from the items of each pair of entities."""
    sizes = [
        {name: len(m) + (name in own) for name, m in side.items()}
        for side, own in ((key, key_leaves), (response, response_leaves))
    ]

    def items(i, j, field):
        extra = [pairs[i, j][field]] if (i, j) in pairs else []
        return [*[Fraction(1)] * len(key[i] & response[j]), *extra]

    def products(values):
        return sum(a * b for a, b in combinations(values, 2))

    cells = [(i, j) for i in key for j in response]
    n = [sum(side.values()) for side in sizes]
    if metric == "muc":
        common = [sum(sum(items(i, j, field)) - 1 for i, j in cells if key[i] & response[j]) for field in (0, 1)]
        return [common[0], n[0] - len(key), common[1], n[1] - len(response)]
    if metric == "bcub":
        sums = [
            sum(
                Fraction(a * b) / sizes[field][cell[field]]
                for cell in cells
                for a in items(*cell, field)
                for b in items(*cell, field)
            )
            for field in (0, 1)
        ]
        return [sums[0], n[0], sums[1], n[1]]
    if metric in ("ceafm", "ceafe"):
        worth = {(i, j): sum(items(i, j, 2)) for i, j in cells}
        if metric == "ceafe":
            worth = {(i, j): 2 * w / (sizes[0][i] + sizes[1][j]) for (i, j), w in worth.items()}
        total = best_sum(list(key), list(response), worth)
        return [total, n[0], total, n[1]] if metric == "ceafm" else [total, len(key), total, len(response)]
    if metric == "lea":
        sums = []
        for field in (0, 1):
            total = Fraction(0)
            for cell in cells:
                k = sizes[field][cell[field]]
                if k > 1:
                    total += k * products(items(*cell, field)) / Fraction(k * (k - 1), 2)
                else:
                    total += len(key[cell[0]] & response[cell[1]]) * (sizes[1 - field][cell[1 - field]] == 1)
            sums.append(total)
        return [sums[0], n[0], sums[1], n[1]]
    linked = [sum(k * (k - 1) // 2 for k in side.values()) for side in sizes]
    if metric == "coreference":
        common = sum(products(items(i, j, 2)) for i, j in cells)
        return [common, linked[0], common, linked[1]]
    every = [(i, j, value) for i, j in cells for value in items(i, j, 2)]
    apart = sum(a[2] * b[2] for a, b in combinations(every, 2) if a[0] != b[0] and a[1] != b[1])
    return [apart, n[0] * (n[0] - 1) // 2 - linked[0], apart, n[1] * (n[1] - 1) // 2 - linked[1]]


def best_sum(rows, columns, worth):
    """Return the largest sum over all one-to-one alignments, by trying one row after the other."""
    if not rows:
        return Fraction(0)
    rest = best_sum(rows[1:], columns, worth)
    for j in columns:
        if worth[rows[0], j]:
            rest = max(rest, worth[rows[0], j] + best_sum(rows[1:], [c for c in columns if c != j], worth))
    return rest


def score(metric, key, key_elements, response, response_elements):
    """Return the four sums of a metric of one document, and the matched pairs; entities are name: set of mentions."""
    (key, key_leaves), (response, response_leaves) = merged(key, key_elements), merged(response, response_elements)
    pairs = matching(metric, key, response, key_leaves, response_leaves)
    return four(metric, key, response, key_leaves, response_leaves, pairs), pairs
