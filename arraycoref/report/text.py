"""Scores as Python shells and notebooks show them: a short table, with nothing beyond the standard library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arraycoref.report.notebook import HEAD
from arraycoref.report.rows import FIELDS, rows_of
from arraycoref.report.table import TextTable
from arraycoref.report.values import f_name, number_of, shown

if TYPE_CHECKING:
    from arraycoref.report.rows import ScoresLike


def render_repr(scores: ScoresLike) -> str:
    """Write one document's, or a batch's, recall, precision and F in percent, and a batch's number of documents.

    Args:
        scores: of one document or of a batch; a batch's signature says the profile and beta.
    """
    title, table = short_table(scores)
    width = max((len(name) for name, *_ in table.rows), default=0)
    lines = [f"{name:{width}}  {r:>9}  {p:>9}  {f:>6}" for name, r, p, f in (table.headers, *table.rows)]
    return "\n".join((f"<{title}", *lines)) + ">"


def short_table(scores: ScoresLike, digits: int = 2) -> tuple[str, TextTable]:
    """Return a title, and a table with a row for each metric.

    Args:
        scores: as for `render_repr`.
        digits: decimals of percentages.
    """
    signature = scores.signature
    title = type(scores).__name__
    name = getattr(scores, "name", None)
    if name is not None:
        title += f" of document {name!r}"
    if hasattr(scores, "documents"):
        title += f" of {number_of(scores.counts.n_documents, 'document')}"
    rows = [
        [row.name, *(shown(ratio, row.metric, digits, profile=signature.profile) for ratio in row.ratios)]
        for row in rows_of(scores, scores.metrics)
        if not row.link_class
    ]
    headers = ("", "recall", "precision", f_name(signature.beta))
    return f"{title}, percent, profile {signature.profile}", TextTable(headers, rows)


def score_rows(scores: ScoresLike) -> dict[str, list[Any]]:
    """Return columns with a row for each metric, and for each of BLANC's link classes: its ratios and sums."""
    rows = rows_of(scores, scores.metrics)
    return {"metric": [row.name for row in rows]} | {f: [row.values[k] for row in rows] for k, f in enumerate(FIELDS)}


def document_table(scores: Any, digits: int) -> TextTable:
    """Lay out F of the first documents, or settings, by metric.

    Args:
        scores: by metric, each attribute an array.
        digits: decimals of percentages.
    """
    n, profile = min(scores.n_documents, HEAD), scores.signature.profile
    names = list(map(str, scores.counts.names or range(n)))
    rows = [
        [names[d], *(shown(float(scores[metric].f1[d]), metric, digits, profile=profile) for metric in scores.metrics)]
        for d in range(n)
    ]
    return TextTable([f"({f_name(scores.signature.beta)})", *scores.metrics], rows)
