"""From counts to recall, precision and F: the only division. Everything here works on one row of counts or on many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
V = TypeVar("V", float, Floats)


def ratio(num: ArrayLike, den: ArrayLike) -> Floats:
    """Divide elementwise; 0 where the denominator is 0."""
    num, den = np.asarray(num, np.float64), np.asarray(den, np.float64)
    return np.divide(num, den, out=np.zeros(np.broadcast(num, den).shape), where=den != 0)


def f_measure(recall: ArrayLike, precision: ArrayLike, beta: float = 1.0) -> Floats:
    """Weighted harmonic mean of recall and precision, recall counting ``beta`` times as much; 0 where both are 0."""
    r, p, b = np.asarray(recall), np.asarray(precision), beta * beta
    return ratio((1.0 + b) * p * r, b * p + r)


def blanc(counts: Floats, profile: str, beta: float = 1.0) -> tuple[Floats, Floats, Floats]:
    """Average the scores of coreference and non-coreference links.

    Args:
        counts: float64 (..., 12) rows of `arraycoref.metrics.links.count_blanc`, the totals being scored.
        profile: ``paper`` for the boundary cases of Luo et al. (2014), section 4.1; ``conll`` for those of the
            reference scorer 8.01, which drops a class of links where the key lacks it.
        beta: of the F-measures of the two classes.

    Returns:
        Recall, precision and F, each of shape (...).
    """
    links = counts[..., :8].reshape(*counts.shape[:-1], 2, 4)
    recall = ratio(links[..., 0], links[..., 1])
    precision = ratio(links[..., 2], links[..., 3])
    absent = links[..., 1] == 0
    if profile == "paper":
        absent &= links[..., 3] == 0
    weight = np.where(absent[..., ::-1], 1.0, np.where(absent, 0.0, 0.5))  # of C and of N
    same = np.zeros(counts.shape[:-1])
    if profile == "paper":
        shared, key, _, response = np.moveaxis(counts[..., 8:], -1, 0)
        same[...] = (shared == key) & (shared == response)
    neither = absent.all(axis=-1)
    if profile == "conll":
        neither = np.zeros_like(neither)  # there the ratios are 0 already

    def average(values: Floats) -> Floats:
        return np.where(neither, same, (weight * values).sum(axis=-1))

    return average(recall), average(precision), average(f_measure(recall, precision, beta))


@dataclass(frozen=True)
class Score(Generic[V]):
    """Recall, precision and F as fractions 0-1, and the four sums they come from.

    With ``V`` = float the score of one document or of a corpus; with ``V`` = float64 (D,) those of D documents.

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


@dataclass(frozen=True)
class BlancScore(Score[V]):
    """BLANC: the mean of the scores of two classes of links.

    Attributes:
        coreference: the score of coreference links, R_c, P_c, F_c.
        non_coreference: the score of non-coreference links, R_n, P_n, F_n.
    """

    coreference: Score[V]
    non_coreference: Score[V]


def measure(counts: Floats, profile: str = "paper", beta: float = 1.0) -> Score[Floats]:
    """Score rows of counts.

    Args:
        counts: float64 (..., 4) or, for BLANC, (..., 12).
        profile: of BLANC's boundary cases.
        beta: of the F-measure.

    Returns:
        Arrays of shape (...); a `BlancScore` for 12 columns.
    """
    if counts.shape[-1] == 4:
        recall, precision = ratio(counts[..., 0], counts[..., 1]), ratio(counts[..., 2], counts[..., 3])
        return Score(recall, precision, f_measure(recall, precision, beta), *np.moveaxis(counts, -1, 0))
    none = np.full(counts.shape[:-1], math.nan)
    coreference, non_coreference = (measure(counts[..., block : block + 4], beta=beta) for block in (0, 4))
    return BlancScore(
        *blanc(counts, profile, beta), none, none, none, none,
        coreference=coreference, non_coreference=non_coreference,
    )  # fmt: skip


def average_f1(f1: tuple[Floats, ...]) -> Score[Floats]:
    """The CoNLL average: only its F is defined."""
    mean = np.mean(f1, axis=0)
    none = np.full(mean.shape, math.nan)
    return Score(none, none, mean, none, none, none, none)


def as_score(arrays: Score[Floats]) -> Score[float]:
    """Turn measures of shape () into plain floats."""
    names = ("recall", "precision", "f1", "recall_num", "recall_den", "precision_num", "precision_den")
    floats = [float(getattr(arrays, name)) for name in names]
    if isinstance(arrays, BlancScore):
        return BlancScore(
            *floats, coreference=as_score(arrays.coreference), non_coreference=as_score(arrays.non_coreference)
        )
    return Score(*floats)


def corpus_totals(counts: Floats) -> Floats:
    """Sum rows of counts over documents, float64 (D, w) -> (w,), exactly rounded, so in any order of the documents."""
    totals = counts.sum(axis=0)
    for column in np.flatnonzero((counts != np.rint(counts)).any(axis=0)):
        totals[column] = math.fsum(counts[:, column])
    return totals
