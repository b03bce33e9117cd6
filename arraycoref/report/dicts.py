"""Results as dictionaries of plain Python values, as the JSON format writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from arraycoref.report.rows import FIELDS, RATIOS, Row, document_rows, score_rows

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike, ScoresLike


def to_dict(scores: ScoresLike | BatchScoresLike, *, per_document: bool = False, macro: bool = False) -> dict[str, Any]:
    """Return scores as a dictionary, in fractions 0-1, with None where a metric has no such value.

    Args:
        scores: one document's scores, which become ``{"muc": {"recall": ..., ...}, ...}``, or a batch's, which become
            ``{"signature": {...}, "documents": D, "scores": {"muc": {...}, ...}}``.
        per_document: add ``"per_document"`` to a batch's: each document's scores by its name.
        macro: add ``"macro"`` to a batch's: the means over documents.
    """
    if not hasattr(scores, "documents"):
        return rows_dict(score_rows(scores, scores.metrics))
    b = cast("BatchScoresLike", scores)
    found: dict[str, Any] = {
        "signature": b.signature.as_dict(),
        "documents": len(b),
        "scores": rows_dict(score_rows(b, b.metrics)),
    }
    if macro:
        found["macro"] = rows_dict(score_rows(b.macro, b.metrics), RATIOS)
    if per_document:
        found["per_document"] = {name: rows_dict(rows) for name, rows in document_rows(b)}
    return found


def rows_dict(rows: Sequence[Row], fields: Sequence[str] = FIELDS) -> dict[str, Any]:
    """Return rows by metric, BLANC's link classes within BLANC.

    A metric that has an F1 only, as ``conll``, becomes ``{"f1": ...}``.
    """
    found: dict[str, Any] = {}
    for row in rows:
        shown = ("f1",) if math.isnan(row.recall) else fields
        values = {field: _none_for_nan(getattr(row, field)) for field in shown}
        if row.link_class:
            found[row.metric][row.link_class] = values
        else:
            found[row.metric] = values
    return found


def _none_for_nan(value: float) -> float | None:
    return None if math.isnan(value) else value
