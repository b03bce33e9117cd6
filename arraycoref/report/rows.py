"""Scores as rows, which every format prints: one row a metric, and one for each of BLANC's link classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike

RATIOS = ("recall", "precision", "f1")
SUMS = ("recall_num", "recall_den", "precision_num", "precision_den")
FIELDS = RATIOS + SUMS
LINK_CLASSES = ("coreference", "non_coreference")


class Row(NamedTuple):
    """One metric's score; NaN stands where the metric has no such value.

    The ratios are fractions 0-1, the sums counts. ``link_class`` is empty, or names the class of BLANC's links that the
    row is about.
    """

    metric: str
    link_class: str
    recall: float
    precision: float
    f1: float
    recall_num: float = math.nan
    recall_den: float = math.nan
    precision_num: float = math.nan
    precision_den: float = math.nan

    @property
    def name(self) -> str:
        """Return the metric's name, or ``blanc_coreference`` and the like for a link class."""
        return f"{self.metric}_{self.link_class}" if self.link_class else self.metric


def score_rows(scores: Any, metrics: Sequence[str]) -> list[Row]:
    """List the rows of one document's, or of a corpus's, scores.

    Args:
        scores: a score under the name of each metric.
        metrics: the metrics to list, in order.
    """
    return [
        Row(metric, link_class, *(float(getattr(score, field, math.nan)) for field in FIELDS))
        for metric, link_class, score in _scores(scores, metrics)
    ]


def document_rows(b: BatchScoresLike) -> Iterator[tuple[str, list[Row]]]:
    """Yield each document's name and rows, in the order of the batch."""
    n = len(b)
    heads, columns = [], []
    for metric, link_class, score in _scores(b.documents, b.metrics):
        heads.append((metric, link_class))
        columns.append(list(zip(*(_column(score, field, n) for field in FIELDS), strict=True)))
    for name, *values in zip(b.names, *columns, strict=True):
        yield name, [Row(*head, *row) for head, row in zip(heads, values, strict=True)]


def _scores(scores: Any, metrics: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    for metric in metrics:
        score = scores[metric]
        yield metric, "", score
        for link_class in LINK_CLASSES:
            part = getattr(score, link_class, None)
            if part is not None:
                yield metric, link_class, part


def _column(score: Any, field: str, n: int) -> list[float]:
    values = getattr(score, field, None)
    if values is None:
        return [math.nan] * n
    if not hasattr(values, "tolist"):
        return [float(values)] * n
    column: list[float] = values.astype(float).tolist()
    return column if values.shape else [float(values)] * n
