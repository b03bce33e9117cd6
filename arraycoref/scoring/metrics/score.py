"""Compute recall, precision and F from sums: the only place where sums over documents are divided.

Each function accepts plain floats, for one document or corpus, or arrays, for many. It does the same operations in the
same order for both, so that results are equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from arraycoref.ragged import Floats, Ints

DIGITS = 12
"""Number of decimals to which scores are compared: sums of fractions such as 1/3 are equal only up to rounding."""


def rounded_for_ties(scores: Floats) -> Floats:
    """Round scores, so that those which differ only by the order of additions become equal, and -0 becomes 0."""
    return np.round(scores, DIGITS) + 0.0


def best_first(values: Floats) -> Ints:
    """Return the positions of values from the highest to the lowest; values equal up to rounding keep theirs."""
    return np.argsort(rounded_for_ties(-values), kind="stable")


V = TypeVar("V", float, Floats)
Sums = tuple[Any, Any, Any, Any]
"""Four numbers for one document, four arrays for many: numerator and denominator of recall, then of precision,
unless the metric's page says what they are."""


@dataclass(eq=False)  # frozen, a record of seven fields takes four times as long to make
class Score(Generic[V]):
    """Recall, precision and F as fractions 0-1, and the four sums from which they are computed.

    ``Score[float]`` is the score of one document or of a corpus; ``Score[NDArray]`` holds arrays, one entry per
    document. Each access to scores makes another one.

    Attributes:
        recall: recall_num / recall_den, 0 for 0 / 0; nan if the metric has no recall.
        precision: precision_num / precision_den, 0 for 0 / 0; nan if the metric has no precision.
        f1: F-measure with the chosen beta, by default F1; for a metric with a single value, that value.
        recall_num: sum over documents; nan if the score is not a ratio of two sums (BLANC, the CoNLL average).
        recall_den: the same for the denominator of recall.
        precision_num: the same for the numerator of precision.
        precision_den: the same for the denominator of precision.
    """

    recall: V
    precision: V
    f1: V
    recall_num: V
    recall_den: V
    precision_num: V
    precision_den: V

    def __iter__(self) -> Iterator[V]:
        """Yield recall, precision and F: ``r, p, f = scores["muc"]``."""
        return iter((self.recall, self.precision, self.f1))


@dataclass(eq=False)
class BlancScore(Score[V]):
    """BLANC: the mean of the scores of two classes of links.

    Attributes:
        coreference: the score of coreference links, R_c, P_c, F_c.
        non_coreference: the score of non-coreference links, R_n, P_n, F_n.
    """

    coreference: Score[V]
    non_coreference: Score[V]


def ratio(num: V, den: V) -> V:
    """Divide; 0 where the denominator is 0.

    >>> ratio(1.0, 4.0), ratio(0.0, 0.0), ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    (0.25, 0.0, [0.5, 0.0])
    """
    if isinstance(den, float):
        return num / den if den else 0.0
    if den.all():  # twice as fast
        return num / den
    quotient: V = np.divide(num, den, out=np.zeros_like(den, np.result_type(num, den)), where=den != 0)
    return quotient


def plain_score(sums: Sequence[V], _profile: str = "paper", beta: float = 1.0) -> Score[V]:
    """Score four sums: recall numerator and denominator, precision numerator and denominator.

    In F, recall counts beta times as much as precision (van Rijsbergen 1979, chapter 7).

    >>> plain_score([1.0, 2.0, 1.0, 4.0]).f1
    0.3333333333333333
    """
    recall, precision = ratio(sums[0], sums[1]), ratio(sums[2], sums[3])
    weight = beta * beta
    return Score(recall, precision, ratio((1.0 + weight) * precision * recall, weight * precision + recall), *sums)


def single_value(value: V) -> Score[V]:
    """Return the score of a metric that has a single value, which is its F."""
    none: Any = value * np.nan
    return Score(none, none, value, none, none, none, none)
