"""Offer the four functions of the package metric4coref 0.0.2: its argument order, its numbers, not its crashes.

The response comes first, and results are ``(precision, recall, f1)``. Three of the functions compute something
else than their names promise; the docstrings explain what. For the real MUC, B-cubed, CEAFe and CoNLL average, use
`arraycoref.score`. Where metric4coref divides by zero, the ratio is 0 here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.match.objects import plain_mentions
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
    sides = _listed(predicted_clusters, gold_clusters)
    predicted, gold = ({pair for cluster in side for pair in combinations(cluster, 2)} for side in sides)
    return _result(len(predicted & gold), len(predicted), len(predicted & gold), len(gold))


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
    predicted_of, gold_of = (
        {mention: cluster for cluster in reversed(side) for mention in cluster}  # of several clusters, the first
        for side in _listed(predicted_clusters, gold_clusters)
    )
    shared = predicted_of.keys() & gold_of.keys()
    n_correct = {mention: len(set(predicted_of[mention]) & set(gold_of[mention])) for mention in shared}
    precision = sum(n / len(predicted_of[mention]) for mention, n in n_correct.items())
    recall = sum(n / len(gold_of[mention]) for mention, n in n_correct.items())
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
    from scipy.optimize import linear_sum_assignment

    predicted, gold = _listed(predicted_clusters, gold_clusters)
    overlap = np.array([[len(set(p) & set(g)) for g in gold] for p in predicted]).reshape(len(predicted), len(gold))
    common = float(overlap[linear_sum_assignment(overlap, maximize=True)].sum())
    return _result(common, sum(map(len, predicted)), common, sum(map(len, gold)))


def conll_coref_f1(predicted_clusters: Given, gold_clusters: Given) -> float:
    """Average the F1 of this module's `muc`, `b_cubed` and `ceaf`; the real CoNLL average uses none of these three.

        >>> conll_coref_f1([["a", "b"]], [["a", "b"]])
        1.0

    Args:
        predicted_clusters: the response: clusters of hashable mentions.
        gold_clusters: the key.
    """
    predicted, gold = _listed(predicted_clusters, gold_clusters)
    return sum(function(predicted, gold)[2] for function in (muc, b_cubed, ceaf)) / 3


def _listed(*sides: Given) -> list[Clusters]:
    """Return both sides as lists of lists, from iterables that are read once; mentions that are lists become tuples.

    Raises:
        InputError: a mapping, whose names would be taken for mentions; a mention that is not hashable or is missing.
    """
    found = []
    for place, side in zip(("predicted_clusters", "gold_clusters"), sides, strict=True):
        listed = [side] if isinstance(side, Mapping) else list(side)
        for each in listed:
            if isinstance(each, Mapping):
                raise InputError(f"{each!r:.60} is a mapping; expected clusters that are lists of mentions")
        found.append([plain_mentions(list(cluster), place) for cluster in listed])
    return found


def _result(precision_num: float, precision_den: float, recall_num: float, recall_den: float) -> Result:
    measured = plain_score([float(n) for n in (recall_num, recall_den, precision_num, precision_den)])
    return measured.precision, measured.recall, measured.f1
