"""Scores as rows, columns and dictionaries, and their numbers as text: ratios in percent, counts in full.

A row is the score of one metric, or of one class of BLANC's links. ``scores`` are views of `arraycoref.scoring.scores`,
or those of another package with the same attributes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from arraycoref.display.formats import plain
from arraycoref.display.tables import latex_text
from arraycoref.exceptions import InputError
from arraycoref.scoring.metrics.registry import RATIOS, find_metric, group_names
from arraycoref.scoring.metrics.score import DIGITS

SUMS = ("recall_num", "recall_den", "precision_num", "precision_den")
FIELDS = RATIOS + SUMS
LINK_CLASSES = ("coreference", "non_coreference")


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


def document_rows(b: Any) -> Iterator[tuple[str, list[Row]]]:
    """Yield the name and the rows of each document, in the order of the batch."""
    columns = []
    for metric, link_class, *arrays in rows_of(b.documents, b.metrics):
        values = (np.stack([np.broadcast_to(each, len(b)) for each in group], axis=1).tolist() for group in arrays)
        columns.append(map(partial(Row, metric, link_class), *values))
    for name, *rows in zip(b.names, *columns, strict=True):
        yield name, rows


def to_dict(b: Any, *, per_document: bool = False, macro: bool = False) -> dict[str, Any]:
    """Return scores as ``{"signature": {...}, "notes": [...], "documents": D, "scores": {"muc": {...}, ...}}``.

    Args:
        b: the scores.
        per_document: add ``"per_document"``, each document's scores by its name; and ``"sums"``, from which
            `arraycoref.load_scores` makes the same scores again, with the labels if there is one document.
        macro: add ``"macro"``, the means over documents, and their notes; the signature is then that of the means.

    Raises:
        InputError: two documents have the same name, and ``per_document`` could list only one of them.
    """
    view = b.macro if macro else b
    record: dict[str, Any] = {"signature": view.signature.as_dict(), "notes": list(view.notes), "documents": len(b)}
    record["scores"] = rows_dict(rows_of(b, b.metrics))
    if macro:
        record["macro"] = rows_dict(rows_of(view, b.metrics), sums=())
    if per_document:
        repeated = next((name for name, n in Counter(b.names).items() if n > 1), None)
        if repeated is not None:  # possible in a resample; the dictionary would keep only one of them
            raise InputError(f"two documents are named {repeated!r}; expected unique names to list documents by")
        record["per_document"] = {name: rows_dict(rows) for name, rows in document_rows(b)}
        rows = [[list(map(plain, group)) for group in document] for document in b.counts.rows.tolist()]
        sums = dict(zip(b.names, rows, strict=True))
        record["sums"] = {"groups": group_names(b.counts.metrics), "documents": sums}
        if b.clusterings is not None:
            record["sums"]["labels"] = b.clusterings.to_dict()
    return record


def rows_dict(rows: Sequence[Row], sums: Sequence[str] = SUMS) -> dict[str, Any]:
    """Return rows by metric, ``{"muc": {"recall": ..., ...}, ...}``; BLANC's link classes are inside BLANC's entry.

    Values are plain numbers, and ratios are fractions 0-1. A value is None if it is not defined. The entry of ``conll``
    has ``f1`` only.
    """
    by_metric: dict[str, Any] = {}
    for row in rows:
        has_ratios = fields_of(row.metric) == RATIOS
        values = zip((*RATIOS, *sums), row.values, strict=False) if has_ratios else [("f1", row.f1)]
        place, name = (by_metric[row.metric], row.link_class) if row.link_class else (by_metric, row.metric)
        place[name] = {field: plain(value) for field, value in values}
    return by_metric


def score_columns(scores: Any, metrics: Sequence[str]) -> dict[str, Any]:
    """Return columns ``muc_recall``, ``muc_precision``, ``muc_f1`` and so on; the CoNLL average has only ``conll_f1``.

    Args:
        scores: the scores by metric; the attributes of each are arrays (N,).
        metrics: the metrics, in order.

    Returns:
        The columns by name, float64 (N,): fractions 0-1, or counts for a metric that is a count.
    """
    return {
        f"{metric}_{field}": np.asarray(getattr(scores[metric], field), dtype=np.float64)
        for metric in metrics
        for field in fields_of(metric)
    }


def fields_of(metric: str) -> tuple[str, ...]:
    """Return the fields that a metric has; the CoNLL average has F only."""
    return find_metric(metric).fields


def is_count(metric: str) -> bool:
    """Return whether a metric is a count, not a ratio that is shown in percent."""
    return find_metric(metric).unit == "count"


def format_score(value: float | None, metric: str, digits: int = 2, *, profile: str = "paper", sign: str = "") -> str:
    """Write a value of a metric: a ratio in percent, a count in full; nothing for None and NaN.

    Args:
        value: a fraction, or a count.
        metric: its name.
        digits: decimals of a percentage.
        profile: ``conll`` to cut percentages off after their decimals, as the reference scorer does; else round them.
        sign: ``+`` to write the sign of positive values too.
    """
    if value is None or math.isnan(value):
        return ""
    if sign:
        value = round(value, DIGITS) + 0.0  # two scores that are equal up to rounding differ by +0.00, not -0.00
    if find_metric(metric).unit == "count":
        return format_counts(value, sign=sign)
    return f"{truncate(value, digits) if profile == 'conll' else 100 * value:{sign}.{digits}f}"


def unit(*metrics: str) -> str:
    """Return the unit in which `format_score` writes these metrics, for captions: percent, counts, or both."""
    kinds = set(map(is_count, metrics))
    return " and ".join(name for name, counted in (("percent", False), ("counts", True)) if counted in kinds)


def format_counts(*sums: float, sign: str = "") -> str:
    """Write sums with " / " between them: integers in full, fractions with two decimals; NaN is left out.

    >>> format_counts(3.0, 4.5), format_counts(2.0, sign="+"), format_counts(math.nan, math.nan)
    ('3 / 4.50', '+2', '')
    """
    return " / ".join(f"{value:{sign}.{0 if value == int(value) else 2}f}" for value in sums if not math.isnan(value))


def field_name(field: str, beta: float = 1.0) -> str:
    """Return the name of recall, precision or F."""
    return f"F{beta:g}" if field == "f1" else field


def metric_title(metric: str) -> str:
    """Return the name of a metric as figures and papers print it: ``B³``, ``CoNLL``."""
    return find_metric(metric).title


def score_name(metric: str, field: str, beta: float = 1.0, *, title: bool = False) -> str:
    """Return the name of a score: ``muc F1``, or with ``title`` ``MUC F1``; F of a metric that counts has no ``F1``."""
    name = metric_title(metric) if title else metric
    if is_count(metric) and field == "f1":
        return name
    return f"{name} {field_name(field, beta)}"


def latex_title(metric: str) -> str:
    r"""Write the title of a metric as papers do: ``B$^3$``, ``CEAF$_e$``."""
    title = latex_text(metric).replace("³", "$^3$").replace("φ", r"$\phi$")
    for letter in "me":
        title = title.replace(f"CEAF{letter}", f"CEAF$_{letter}$")
    return title


def truncate(fraction: float, digits: int = 2) -> float:
    """Return a fraction as a percentage cut off after some decimals: 0.7499999999999999 gives 74.99.

    The reference scorer prints percentages in this way. Its last digit depends on the order of its floating-point
    operations: recall 0.6 and precision 1 give the F1 above. `arraycoref.scoring.metrics.score` uses the same order.
    Only sums of fractions over documents may still differ, since the reference scorer adds documents in the order of a
    Perl hash.
    """
    scale = 10.0**digits
    return int(fraction * (100 * scale)) / scale
