"""From counts to recall, precision and F: the only division.

`score_row` takes the totals of one document or corpus, in plain floats since there it is called most; `score_rows`
takes the rows of many at once. Both do the same operations in the same order, so they agree to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from arraycoref.exact import column_sums

Floats = NDArray[np.float64]
V = TypeVar("V", float, Floats)


@dataclass(frozen=True, eq=False)
class Score(Generic[V]):
    """Recall, precision and F as fractions 0-1, and the four sums they come from.

    ``Score[float]`` is the score of one document or of a corpus; ``Score[NDArray]`` holds arrays, one entry a document.

    Attributes:
        recall: recall_num / recall_den, 0 where that is 0 / 0.
        precision: precision_num / precision_den, likewise.
        f1: F-measure with the beta that was asked for, F1 unless one was.
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

    def __eq__(self, other: object) -> bool:
        """Whether all numbers are the same; a number that a score has not, nan, is the same as another."""
        if not isinstance(other, Score) or vars(self).keys() != vars(other).keys():
            return NotImplemented
        return all(
            value == vars(other)[name]
            if isinstance(value, Score)
            else np.array_equal(value, vars(other)[name], equal_nan=True)
            for name, value in vars(self).items()
        )

    def __hash__(self) -> int:
        values = vars(self).values()
        return hash(
            tuple(None if isinstance(value, float | np.floating) and np.isnan(value) else value for value in values)
        )


@dataclass(frozen=True, eq=False)
class BlancScore(Score[V]):
    """BLANC: the mean of the scores of two classes of links.

    Attributes:
        coreference: the score of coreference links, R_c, P_c, F_c.
        non_coreference: the score of non-coreference links, R_n, P_n, F_n.
    """

    coreference: Score[V]
    non_coreference: Score[V]


def score_row(sums: Sequence[float], profile: str = "paper", beta: float = 1.0) -> Score[float]:
    """Score the totals of one document or corpus.

    Args:
        sums: four sums (recall numerator, recall denominator, precision numerator, precision denominator) or, for
            BLANC, the twelve of `arraycoref.metrics.links.count_blanc`, which give a `BlancScore`.
        profile: ``paper`` for BLANC's boundary cases as in Luo et al. (2014), section 4.1; ``conll`` for those of the
            reference scorer 8.01, which drops a class of links where the key lacks it.
        beta: recall counts beta times as much as precision.
    """
    if len(sums) == 4:
        recall_num, recall_den, precision_num, precision_den = sums
        recall = recall_num / recall_den if recall_den else 0.0
        precision = precision_num / precision_den if precision_den else 0.0
        return Score(recall, precision, _f_measure(recall, precision, beta), *sums)

    links = (score_row(sums[0:4], beta=beta), score_row(sums[4:8], beta=beta))
    paper = profile == "paper"
    present = [score for score in links if score.recall_den or (paper and score.precision_den)]
    if present:
        values = [
            sum(column) / len(present) for column in zip(*((s.recall, s.precision, s.f1) for s in present), strict=True)
        ]
    else:
        shared, n_key, _, n_response = sums[8:12]
        values = [float(paper and shared == n_key == n_response)] * 3
    none = math.nan
    return BlancScore(values[0], values[1], values[2], none, none, none, none, *links)


def _f_measure(recall: float, precision: float, beta: float) -> float:
    weighted = beta * beta * precision + recall
    return (1.0 + beta * beta) * precision * recall / weighted if weighted else 0.0


def score_rows(sums: Floats, profile: str = "paper", beta: float = 1.0) -> Score[Floats]:
    """Score many rows of sums at once, as `score_row` does one.

    Args:
        sums: float64 (..., 4) or, for BLANC, (..., 12).
        profile: of BLANC's boundary cases.
        beta: of the F-measure.

    Returns:
        Arrays of shape (...).
    """
    if sums.shape[-1] == 4:
        recall = ratio(sums[..., 0], sums[..., 1])
        precision = ratio(sums[..., 2], sums[..., 3])
        f = ratio((1.0 + beta * beta) * precision * recall, beta * beta * precision + recall)
        return Score(recall, precision, f, sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3])

    coreference, non_coreference = score_rows(sums[..., 0:4], beta=beta), score_rows(sums[..., 4:8], beta=beta)
    paper = profile == "paper"
    present = [
        (s.recall_den != 0) | (s.precision_den != 0) if paper else s.recall_den != 0
        for s in (coreference, non_coreference)
    ]
    n_present = present[0].astype(np.float64) + present[1]
    same = (sums[..., 8] == sums[..., 9]) & (sums[..., 8] == sums[..., 11]) if paper else np.zeros(sums.shape[:-1])

    def average(c: Floats, n: Floats) -> Floats:
        return np.where(
            n_present > 0, ratio(np.where(present[0], c, 0.0) + np.where(present[1], n, 0.0), n_present), same
        )

    none = np.full(sums.shape[:-1], math.nan)
    return BlancScore(
        average(coreference.recall, non_coreference.recall),
        average(coreference.precision, non_coreference.precision),
        average(coreference.f1, non_coreference.f1),
        none,
        none,
        none,
        none,
        coreference,
        non_coreference,
    )


def ratio(num: Floats, den: Floats) -> Floats:
    """Divide elementwise; 0 where the denominator is 0."""
    quotient: Floats = np.zeros(np.shape(den))
    np.divide(num, den, out=quotient, where=den != 0)
    return quotient


def average_score(f1: V) -> Score[V]:
    """The CoNLL average as a score of which only F is defined."""
    none = f1 * math.nan
    return Score(none, none, f1, none, none, none, none)


def corpus_totals(counts: Floats) -> Floats:
    """Sum rows of counts over documents, float64 (D, w) -> (w,); the order of the documents makes no difference."""
    if len(counts) == 1:
        only: Floats = counts[0]
        return only
    return column_sums(counts)
