"""Score entities with split antecedents: of "Ann met Bob. They left.", *they* is an entity with two elements.

Such an entity has one mention more, without words, that stands for its elements. The extra mentions of key and response
are matched one to one, and a matched pair counts as a fraction of a mention: by how well the metric scores the elements
of one against those of the other. Each metric has a matching of its own, and so have BLANC's two classes of links.

All numbers are exact fractions, since two matchings may be equally good: then the one is taken in which the key's first
entity has the earliest partner. Few documents have such entities, so nothing here is in a kernel.

Source: Yu et al. (2022); Paun et al. (2022).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from arraycoref.exceptions import OptionError
from arraycoref.match.assignment import best_alignment
from arraycoref.match.mentions import UnionLabels
from arraycoref.options.policies import Policies
from arraycoref.ragged import Floats, Ints
from arraycoref.read.documents import Documents
from arraycoref.scoring.cells import links
from arraycoref.scoring.metrics.registry import Metric

GROUPS: dict[str, tuple[str, ...]] = {name: (name,) for name in ("muc", "bcub", "ceafm", "ceafe", "lea")}
GROUPS |= {"blanc": ("coreference", "non-coreference"), "pairwise": ("coreference",)}
"""The metrics that are defined on split antecedents, and the groups of sums that have a matching of their own."""

Cells = Mapping[tuple[int, int], int]
"""The number of mentions that a key entity and a response entity share, where they share any."""

Weights = Mapping[tuple[int, int], tuple[Fraction, Fraction, Fraction]]
"""Recall, precision and F1 of matched extra mentions, by their entities."""

NOTHING, WHOLE = (Fraction(0),) * 3, (Fraction(1),) * 3


class Side(NamedTuple):
    """The entities of one side of a document.

    Attributes:
        size: number of mentions of each entity, the extra one included.
        leaves: of each entity with elements, in the order of the file, the entities without elements that are below it.
    """

    size: Mapping[int, int]
    leaves: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class SplitAntecedents:
    """The documents in which an entity has elements; `write` has the form of `arraycoref.scoring.duplicates.Repeated`.

    Attributes:
        documents: the number of each of these documents among all.
        sides: of each document, the cells, the key and the response.
    """

    documents: Sequence[int]
    sides: Sequence[tuple[Cells, Side, Side]]

    def write(self, metrics: Iterable[Metric], places: Mapping[str, slice], sums: Floats) -> None:
        """Write the sums of these documents over those of D: float64 (groups, D, 4); mentions have no words to add.

        Raises:
            OptionError: a metric that is not defined on split antecedents.
        """
        places_of: dict[str, list[int]] = defaultdict(list)
        for name in [metric.name for metric in metrics if metric.name != "mentions"]:
            if name not in GROUPS:
                raise OptionError(f"split='keep' is for {', '.join(GROUPS)}, not for {name}", "split")
            for place, group in enumerate(GROUPS[name], places[name].start):
                places_of[group].append(place)
        for d, sides in zip(self.documents, self.sides, strict=True):
            for group, own in places_of.items():
                sums[own, d] = [float(value) for value in sums_of(group, *sides)]


def split_antecedents(labels: UnionLabels, sides: tuple[Documents, Documents], policies: Policies) -> SplitAntecedents:
    """Find the documents in which an entity has elements, and give entities of equal elements one label.

    Args:
        labels: of D documents; are changed.
        sides: key and response, with relations where their files have any.
        policies: of the whole call.

    Raises:
        OptionError: a policy by which elements lose mentions, or a mention in several entities of such a document.
    """
    usual = {"singletons": "keep", "restrict": "none", "truth_sample": "none", "window": "", "level": "document"}
    for name, value in usual.items():
        if getattr(policies, name) != value:
            excluded = f"{name}={getattr(policies, name)!r}"
            raise OptionError(f"split='keep' excludes {excluded}, as elements lose mentions by it", f"split {name}")
    documents, scored = list[int](), list[tuple[Cells, Side, Side]]()
    relations = [side.relations or (None,) * len(side) for side in sides]
    for d, of_sides in enumerate(zip(*relations, strict=True)):
        if not any(own is not None and own.whole.size for own in of_sides):
            continue
        if labels.repeated is not None and d in labels.repeated.documents:
            reason = "has split antecedents and a mention in several entities; drop either of them"
            raise OptionError(f"document {sides[0].shown(d)} {reason}", "split duplicates")
        here = slice(*labels.offsets[d : d + 2])
        rows = labels.key[here], labels.response[here]
        pairs = [zip(own.whole.tolist(), own.element.tolist(), strict=True) if own else () for own in of_sides]
        key, response = map(merge, rows, pairs)
        both = (rows[0] >= 0) & (rows[1] >= 0)
        documents.append(d)
        scored.append((Counter(zip(rows[0][both].tolist(), rows[1][both].tolist(), strict=True)), key, response))
    return SplitAntecedents(documents, scored)


def merge(labels: Ints, elements: Iterable[tuple[int, int]]) -> Side:
    """Give entities of equal elements one label, that of the first; return the entities of one side of a document.

        >>> labels = np.array([0, 1, 2, 3, 3])  # Ann, Bob, they, both, them
        >>> merge(labels, [(2, 0), (2, 1), (3, 0), (3, 1)])
        Side(size={0: 1, 1: 1, 2: 4}, leaves={2: (0, 1)})
        >>> labels
        array([0, 1, 2, 2, 2])

    Args:
        labels: int64 (M,) the entity of each mention, -1 where the side lacks it; is changed.
        elements: each entity with elements, with one of them; none is below itself.
    """
    below: dict[int, list[int]] = {}
    present = {*labels.tolist()} - {-1}
    for whole, element in elements:
        below.setdefault(whole, []).append(element)
    leaves: dict[tuple[int, ...], int] = {}
    for whole in sorted(below.keys() & present):
        own = tuple(sorted(_leaves(whole, below) & present))
        labels[labels == whole] = leaves.setdefault(own, whole)
    size = Counter(labels[labels >= 0].tolist()) + Counter(leaves.values())
    return Side(dict(sorted(size.items())), {whole: own for own, whole in leaves.items()})


def _leaves(entity: int, below: Mapping[int, Sequence[int]]) -> set[int]:
    return set[int]().union(*(_leaves(e, below) for e in below[entity])) if entity in below else {entity}


def sums_of(group: str, n: Cells, key: Side, response: Side) -> tuple[Any, Any, Any, Any]:
    """Return numerator and denominator of recall, then of precision, of one document; see `_sums` for the formulas."""
    if not (key.leaves and response.leaves):
        return _sums(group, n, key.size, response.size, {})
    scores = [[_of_leaves(group, n, key, response, i, j) for j in response.leaves] for i in key.leaves]
    chosen = zip(key.leaves, best_alignment([[f1 for _, _, f1 in row] for row in scores]), strict=True)
    columns = [*response.leaves]
    weights = {(i, columns[at]): row[at] for (i, at), row in zip(chosen, scores, strict=True) if at >= 0}
    if group in ("lea", "coreference", "non-coreference"):  # equal elements may have no links to score
        pairs = product(key.leaves, response.leaves)
        weights = {pair: WHOLE for pair in pairs if _are_equal(n, key, response, *pair)} | weights
    return _sums(group, n, key.size, response.size, weights)


def _are_equal(n: Cells, key: Side, response: Side, i: int, j: int) -> bool:
    """Say whether two extra mentions have the same elements, each with the same mentions."""
    k, r = key.leaves[i], response.leaves[j]
    equal = [(a, b) for a, b in product(k, r) if n.get((a, b)) == key.size[a] == response.size[b]]
    return len(equal) == len(k) == len(r)


def _of_leaves(group: str, n: Cells, key: Side, response: Side, i: int, j: int) -> tuple[Fraction, Fraction, Fraction]:
    """Score the elements of one extra mention against those of another: recall, precision and F1."""
    k, r = ({e: side.size[e] for e in side.leaves[whole]} for side, whole in ((key, i), (response, j)))
    cells = {pair: n[pair] for pair in product(k, r) if pair in n}
    sums = np.array(_sums(group, cells, k, r, {}), object)
    if group == "muc":  # only here, an element of one mention counts: as right if its partner has no other either
        alone = sum(k[a] == r[b] == 1 for a, b in cells)
        sums += [alone, [*k.values()].count(1), alone, [*r.values()].count(1)]
    recall, precision = (Fraction(sums[at], sums[at + 1]) if sums[at] else Fraction(0) for at in (0, 2))
    return recall, precision, 2 * recall * precision / (recall + precision) if recall else recall


def _sums(
    group: str, n: Cells, k: Mapping[int, int], r: Mapping[int, int], weights: Weights
) -> tuple[Any, Any, Any, Any]:
    """Compute sums from cells n_ij, sizes k_i and r_j that count extra mentions, and the weights w of matched pairs.

    A cell has n_ij mentions that count 1, and at most one pair that counts w. Without pairs, these are the closed forms
    of the metrics' pages.
    """
    cells = [(i, j, n.get((i, j), 0), weights.get((i, j), NOTHING)) for i, j in {**n, **weights}]
    n_key, n_response = sum(k.values()), sum(r.values())
    if group == "muc":
        recall, precision = (sum(c - 1 + w[side] for _, _, c, w in cells if c) for side in (0, 1))
        return recall, n_key - len(k), precision, n_response - len(r)
    if group == "bcub":
        recall = sum((c + w[0]) ** 2 / Fraction(k[i]) for i, _, c, w in cells)
        return recall, n_key, sum((c + w[1]) ** 2 / Fraction(r[j]) for _, j, c, w in cells), n_response
    if group == "lea":
        alone = sum(c == k[i] == r[j] == 1 for i, j, c, _ in cells)
        recall = sum(c * (c - 1 + 2 * w[0]) / Fraction(k[i] - 1) for i, _, c, w in cells if k[i] > 1)
        precision = sum(c * (c - 1 + 2 * w[1]) / Fraction(r[j] - 1) for _, j, c, w in cells if r[j] > 1)
        return alone + recall, n_key, alone + precision, n_response
    if group == "ceafm":
        total = _best_total({(i, j): c + w[2] for i, j, c, w in cells})
        return total, n_key, total, n_response
    if group == "ceafe":
        total = _best_total({(i, j): 2 * (c + w[2]) / Fraction(k[i] + r[j]) for i, j, c, w in cells})
        return total, len(k), total, len(r)
    linked = [sum(map(links, sizes.values())) for sizes in (k, r)]
    if group == "coreference":
        common = sum(links(c) + c * w[2] for _, _, c, w in cells)
        return common, linked[0], common, linked[1]
    rows, columns = (dict.fromkeys(side, Fraction(0)) for side in (k, r))
    items = [c + w[2] for *_, c, w in cells]
    for (i, j, _, _), worth in zip(cells, items, strict=True):
        rows[i] += worth
        columns[j] += worth
    # Pairs of items: all but those of a row and those of a column, and again those of both; an item's square cancels.
    of_rows, of_columns, of_cells = (sum(x * x for x in sums) for sums in (rows.values(), columns.values(), items))
    apart = (sum(items) ** 2 - of_rows - of_columns + of_cells) / Fraction(2)
    pairs = links(n_key), links(n_response)
    return apart, pairs[0] - linked[0], apart, pairs[1] - linked[1]


def _best_total(similarity: Mapping[tuple[int, int], Fraction]) -> Fraction:
    """Return the largest sum of similarities over all one-to-one alignments of entities."""
    from scipy.optimize import linear_sum_assignment  # takes 0.3 s to import

    rows, columns = ({e: at for at, e in enumerate(dict.fromkeys(pair[s] for pair in similarity))} for s in (0, 1))
    matrix = np.zeros((len(rows), len(columns)))
    for (i, j), value in similarity.items():
        matrix[rows[i], columns[j]] = value
    aligned = {*zip(*(places.tolist() for places in linear_sum_assignment(matrix, maximize=True)), strict=True)}
    return sum((value for (i, j), value in similarity.items() if (rows[i], columns[j]) in aligned), Fraction(0))
