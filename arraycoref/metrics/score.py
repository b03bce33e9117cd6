"""From sums to recall, precision and F: the only division.

Each function takes plain floats, for one document or corpus, or arrays, for many, and does the same operations in the
same order, so that both agree to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import OptionError
from arraycoref.records import Record

Floats = NDArray[np.float64]

DIGITS = 12
"""Decimals to which scores are equal or not: sums of fractions such as 1/3 tie only up to rounding."""


def levelled(scores: Floats) -> Floats:
    """Bring scores that differ by the order of additions only to one number, and -0 to 0."""
    return np.round(scores, DIGITS) + 0.0


V = TypeVar("V", float, Floats)
Sums = tuple[Any, Any, Any, Any]
"""Four sums of a document, numbers, or of many, arrays: numerator and denominator of recall, then of precision."""

LARGEST_BETA = 1e150


@dataclass(frozen=True, eq=False, init=False)
class Score(Record, Generic[V]):
    """Recall, precision and F as fractions 0-1, and the four sums they come from.

    ``Score[float]`` is the score of one document or of a corpus; ``Score[NDArray]`` holds arrays, one entry per
    document.

    Attributes:
        recall: recall_num / recall_den, 0 where that is 0 / 0; nan where a metric has none.
        precision: precision_num / precision_den, likewise.
        f1: F-measure with the beta that was asked for, F1 unless one was; the value of a metric that has only one.
        recall_num: sum over documents; nan where a score is no single ratio (BLANC, the CoNLL average).
        recall_den: likewise.
        precision_num: likewise.
        precision_den: likewise.
    """

    recall: V
    precision: V
    f1: V
    recall_num: V
    recall_den: V
    precision_num: V
    precision_den: V

    def __init__(
        self, recall: V, precision: V, f1: V, recall_num: V, recall_den: V, precision_num: V, precision_den: V
    ) -> None:
        fields = self.__dict__  # takes half the time of what dataclasses write for frozen ones
        fields["recall"], fields["precision"], fields["f1"] = recall, precision, f1
        fields["recall_num"], fields["recall_den"] = recall_num, recall_den
        fields["precision_num"], fields["precision_den"] = precision_num, precision_den


@dataclass(frozen=True, eq=False)
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
    return np.divide(num, den, out=np.zeros_like(den), where=den != 0)


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
    """Return the score of a metric that has one value only, in the place of F."""
    none: Any = value * np.nan
    return Score(none, none, value, none, none, none, none)


def check_beta(beta: float) -> None:
    """Refuse what is no weight of recall against precision.

    Raises:
        OptionError: ``beta`` not a positive number, or so large that its square is none.
    """
    number: object = beta
    try:
        value = float(number) if isinstance(number, Real) else 0.0
    except OverflowError:
        value = 0.0
    if not 0.0 < value <= LARGEST_BETA:
        raise OptionError(f"beta is {beta!r}; expected a positive number, at most {LARGEST_BETA:g}")
