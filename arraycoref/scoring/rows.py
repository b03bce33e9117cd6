"""Scores as rows and as dictionaries: one row for each metric, and one for each of BLANC's link classes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from arraycoref.errors import InputError
from arraycoref.report.formats import plain
from arraycoref.scoring.metrics.registry import RATIOS, group_names
from arraycoref.scoring.values import fields_of

if TYPE_CHECKING:
    from arraycoref.options import Signature
    from arraycoref.scoring.counts import Counts

SUMS = ("recall_num", "recall_den", "precision_num", "precision_den")
FIELDS = RATIOS + SUMS
LINK_CLASSES = ("coreference", "non_coreference")


class ScoresLike(Protocol):
    """The scores of one document, by the name of the metric.

    A score has some of the attributes that `FIELDS` lists: floats, which are fractions 0-1 or sums. The score of BLANC
    also has a score for each link class, ``coreference`` and ``non_coreference``.
    """

    @property
    def metrics(self) -> Sequence[str]:
        """The metrics, in the order in which reports list them."""

    @property
    def counts(self) -> Counts:
        """The sums behind the scores."""

    @property
    def signature(self) -> Signature:
        """What the scores depend on besides their input."""

    def __getitem__(self, metric: str, /) -> Any:
        """The score of one metric."""


class BatchScoresLike(ScoresLike, Protocol):
    """The scores of D documents and of the corpus that they form, such as `arraycoref.scoring.scores.BatchScores`."""

    @property
    def names(self) -> Sequence[str]:
        """The D document names."""

    @property
    def macro(self) -> Any:
        """The means over documents, by metric."""

    @property
    def documents(self) -> Any:
        """The scores of documents by metric; the attributes of each score are arrays of shape (D,)."""

    def __len__(self) -> int:
        """The number of documents, D."""


class Row(NamedTuple):
    """The score of one metric, with NaN for values that the metric lacks.

    Attributes:
        metric: the metric's name.
        link_class: for a row of one class of BLANC's links, the class; empty for a metric as a whole.
        ratios: recall, precision and F, fractions 0-1.
        sums: numerator and denominator of recall, then of precision.
    """

    metric: str
    link_class: str
    ratios: list[float]
    sums: list[float]

    @property
    def name(self) -> str:
        """Return the metric's name, or ``blanc_coreference`` and the like for a link class."""
        return f"{self.metric}_{self.link_class}" if self.link_class else self.metric

    @property
    def f1(self) -> float:
        """Return F."""
        return self.ratios[2]

    @property
    def values(self) -> list[float]:
        """Return ratios and sums, in the order of `FIELDS`."""
        return self.ratios + self.sums


def rows_of(scores: Any, metrics: Sequence[str]) -> list[Row]:
    """List the rows of the scores of one document, of a corpus, or of many documents, whose rows hold arrays.

    Args:
        scores: a score under the name of each metric.
        metrics: the metrics to list, in order.
    """
    rows = []
    for metric in metrics:
        score = scores[metric]
        classes = {name: getattr(score, name, None) for name in LINK_CLASSES}
        for link_class, part in {"": score, **classes}.items():
            if part is not None:
                ratios, sums = ([getattr(part, field, math.nan) for field in fields] for fields in (RATIOS, SUMS))
                rows.append(Row(metric, link_class, ratios, sums))
    return rows


def document_rows(b: BatchScoresLike) -> Iterator[tuple[str, list[Row]]]:
    """Yield the name and the rows of each document, in the order of the batch."""
    columns = []
    for metric, link_class, *arrays in rows_of(b.documents, b.metrics):
        values = (np.stack([np.broadcast_to(each, len(b)) for each in group], axis=1).tolist() for group in arrays)
        columns.append(map(partial(Row, metric, link_class), *values))
    for name, *rows in zip(b.names, *columns, strict=True):
        yield name, rows


def to_dict(b: BatchScoresLike, *, per_document: bool = False, macro: bool = False) -> dict[str, Any]:
    """Return a batch's scores as ``{"signature": {...}, "documents": D, "scores": {"muc": {...}, ...}}``.

    Args:
        b: the scores.
        per_document: add ``"per_document"``, each document's scores by its name; and ``"sums"``, from which
            `arraycoref.load_scores` makes the same scores again.
        macro: add ``"macro"``, the means over documents.

    Raises:
        InputError: two documents have the same name, and ``per_document`` could list only one of them.
    """
    found = {"signature": b.signature.as_dict(), "documents": len(b), "scores": rows_dict(rows_of(b, b.metrics))}
    if macro:
        found["macro"] = rows_dict(rows_of(b.macro, b.metrics), sums=())
    if per_document:
        repeated = next((name for name, n in Counter(b.names).items() if n > 1), None)
        if repeated is not None:  # possible in a resample; the dictionary would keep only one of them
            raise InputError(f"two documents are named {repeated!r}; expected unique names to list documents by")
        found["per_document"] = {name: rows_dict(rows) for name, rows in document_rows(b)}
        rows = [[list(map(plain, group)) for group in document] for document in b.counts.rows.tolist()]
        sums = dict(zip(b.names, rows, strict=True))
        found["sums"] = {"groups": group_names(b.counts.metrics), "documents": sums}
    return found


def rows_dict(rows: Sequence[Row], sums: Sequence[str] = SUMS) -> dict[str, Any]:
    """Return rows by metric, ``{"muc": {"recall": ..., ...}, ...}``; BLANC's link classes are inside BLANC's entry.

    Values are plain numbers, and ratios are fractions 0-1. A value is None if it is not defined. The entry of ``conll``
    has ``f1`` only.
    """
    found: dict[str, Any] = {}
    for row in rows:
        has_ratios = fields_of(row.metric) == RATIOS
        values = zip((*RATIOS, *sums), row.values, strict=False) if has_ratios else [("f1", row.f1)]
        place, name = (found[row.metric], row.link_class) if row.link_class else (found, row.metric)
        place[name] = {field: plain(value) for field, value in values}
    return found
