"""Offer the four functions of the package metric4coref 0.0.2: its argument order, its numbers, not its crashes.

The response comes first, and results are ``(precision, recall, f1)``. Three of the functions compute something
else than their names promise; the docstrings explain what. For the real MUC, B-cubed, CEAFe and CoNLL average, use
`arraycoref.score`. Where metric4coref divides by zero, the ratio is 0 here.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import chain, combinations
from typing import Any

from arraycoref.api import score
from arraycoref.errors import InputError
from arraycoref.match.objects import is_iterable, plain_mentions
from arraycoref.scoring.metrics.score import plain_score

Clusters = list[list[Hashable]]
Given = Iterable[Iterable[Hashable] | Iterable[list[Any]]]
Result = tuple[float, float, float]


def muc(predicted_clusters: Given, gold_clusters: Given) -> Result:
    """Score *pairwise links*, not MUC: the pairs of mentions that predicted and gold clusters have in common.

    A pair counts as common only where both clusters list its mentions in the same order, so that ``[["b", "a"]]``
    against ``[["a", "b"]]`` scores 0. With mentions in one order on both sides it is the metric ``pairwise``.

        >>> muc([["a", "b", "c"]], [["a", "b"], ["c", "d"]])[1]
        0.5

    Args:
        predicted_clusters: the response: clusters of hashable mentions.
        gold_clusters: the key.

    Returns:
        Precision, recall and F1 as fractions.
    """
    predicted, gold = _listed(predicted_clusters, gold_clusters)
    if _repeats(predicted) or _repeats(gold):
        p, g = ({pair for cluster in clusters for pair in combinations(cluster, 2)} for clusters in (predicted, gold))
        return _result(len(p & g), len(p), len(p & g), len(g))
    common = _pairs_in_order(predicted, gold)
    n_predicted, n_gold = (
        sum(len(cluster) * (len(cluster) - 1) // 2 for cluster in clusters) for clusters in (predicted, gold)
    )
    return _result(common, n_predicted, common, n_gold)


def b_cubed(predicted_clusters: Given, gold_clusters: Given) -> Result:
    """Average B-cubed over the *shared mentions* only: missing and spurious mentions cost nothing by themselves.

    The metric ``bcub`` divides the same sums by all gold and all predicted mentions.

        >>> b_cubed([["a", "b"]], [["a", "b"], ["c", "d"]])
        (1.0, 1.0, 1.0)

    Args:
        predicted_clusters: the response: clusters of hashable mentions.
        gold_clusters: the key.

    Returns:
        Precision, recall and F1 as fractions.
    """
    predicted, gold = _listed(predicted_clusters, gold_clusters)
    if not (_repeats(predicted) or _repeats(gold)):
        scores = score(gold, predicted, metrics=("mentions", "bcub"))
        n_shared = scores["mentions"].recall_num
        return _result(scores["bcub"].precision_num, n_shared, scores["bcub"].recall_num, n_shared)
    predicted_of, gold_of = _first_cluster(predicted), _first_cluster(gold)
    precision = recall = 0.0
    shared = predicted_of.keys() & gold_of.keys()
    for mention in shared:
        p, g = predicted_of[mention], gold_of[mention]
        n_correct = len(set(p) & set(g))
        precision += n_correct / len(p)
        recall += n_correct / len(g)
    return _result(precision, len(shared), recall, len(shared))


def ceaf(predicted_clusters: Given, gold_clusters: Given) -> Result:
    """Score CEAFm, the *mention-based* CEAF; the CoNLL average uses the entity-based CEAFe.

        >>> ceaf([["a", "b"], ["c", "d"]], [["a", "b", "c", "d"]])
        (0.5, 0.5, 0.5)

    Args:
        predicted_clusters: the response: clusters of hashable mentions.
        gold_clusters: the key.

    Returns:
        Precision, recall and F1 as fractions.
    """
    predicted, gold = _listed(predicted_clusters, gold_clusters)
    n_predicted, n_gold = sum(map(len, predicted)), sum(map(len, gold))
    if _repeats(predicted) or _repeats(gold):
        common = _best_overlap(predicted, gold)
    else:
        common = score(gold, predicted, metrics="ceafm")["ceafm"].recall_num
    return _result(common, n_predicted, common, n_gold)


def conll_coref_f1(predicted_clusters: Given, gold_clusters: Given) -> float:
    """Average the F1 of this module's `muc`, `b_cubed` and `ceaf`; the real CoNLL average uses none of these three.

        >>> conll_coref_f1([["a", "b"]], [["a", "b"]])
        1.0

    Args:
        predicted_clusters: the response: clusters of hashable mentions.
        gold_clusters: the key.
    """
    predicted, gold = _listed(predicted_clusters, gold_clusters)
    f1 = [function(predicted, gold)[2] for function in (muc, b_cubed, ceaf)]
    return sum(f1) / 3


def _listed(predicted_clusters: Given, gold_clusters: Given) -> tuple[Clusters, Clusters]:
    """Return both sides as lists of lists, from iterables that are read once; mentions that are lists become tuples.

    Raises:
        InputError: a mapping or a table, whose names would be taken for mentions; something that is not iterable; a
            mention that is not hashable or is missing; one iterator in two places.
    """
    given = (predicted_clusters, gold_clusters)
    predicted, gold = (
        list(side) if is_iterable(side) and not isinstance(side, Mapping) and not hasattr(side, "columns") else [side]
        for side in given
    )
    for each in (*predicted, *gold):
        if isinstance(each, Mapping | bytes) or hasattr(each, "columns") or not is_iterable(each):
            kind = "a mapping" if isinstance(each, Mapping) else "a table or bytes"
            what = kind if is_iterable(each) else "not iterable"
            raise InputError(f"{each!r:.60} is {what}; expected clusters that are lists of mentions")
    iterators = [id(each) for each in (*given, *predicted, *gold) if isinstance(each, Iterator)]
    if len(set(iterators)) < len(iterators):
        raise InputError("one iterator is given twice, but can be read only once; expected two, or lists")
    one, other = (
        [plain_mentions(list(cluster), place) for cluster in side]
        for place, side in (("predicted_clusters", predicted), ("gold_clusters", gold))
    )
    return one, other


def _result(precision_num: float, precision_den: float, recall_num: float, recall_den: float) -> Result:
    measured = plain_score([float(n) for n in (recall_num, recall_den, precision_num, precision_den)])
    return measured.precision, measured.recall, measured.f1


def _repeats(clusters: Clusters) -> bool:
    """Whether a mention occurs more than once."""
    return len(set(chain.from_iterable(clusters))) < sum(map(len, clusters))


def _first_cluster(clusters: Clusters) -> dict[Hashable, list[Hashable]]:
    """Map each mention to the first cluster that holds it."""
    first: dict[Hashable, list[Hashable]] = {}
    for cluster in clusters:
        for mention in cluster:
            first.setdefault(mention, cluster)
    return first


def _pairs_in_order(predicted_clusters: Clusters, gold_clusters: Clusters) -> int:
    """Count pairs of mentions that are together, and in the same order, on both sides; no mention repeats."""
    place = {
        mention: (entity, position)
        for entity, cluster in enumerate(gold_clusters)
        for position, mention in enumerate(cluster)
    }
    pairs = 0
    for cluster in predicted_clusters:
        seen: dict[int, list[int]] = {}  # gold positions of the mentions so far, sorted, by gold cluster
        for mention in cluster:
            if mention in place:
                entity, position = place[mention]
                before = seen.setdefault(entity, [])
                pairs += bisect_left(before, position)
                insort(before, position)
    return pairs


def _best_overlap(predicted_clusters: Clusters, gold_clusters: Clusters) -> float:
    """Return how many distinct mentions the clusters share in the best one-to-one alignment; mentions may repeat."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    predicted, gold = [set(cluster) for cluster in predicted_clusters], [set(cluster) for cluster in gold_clusters]
    overlap = np.array([[len(p & g) for g in gold] for p in predicted], dtype=np.float64)
    overlap = overlap.reshape(len(predicted), len(gold))  # also where one side is empty
    rows, columns = linear_sum_assignment(overlap, maximize=True)
    return float(overlap[rows, columns].sum())
