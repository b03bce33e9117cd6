"""Scores as Python shells and notebooks show them: a short table, with nothing beyond the standard library."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from arraycoref.report.rows import rows_of
from arraycoref.report.table import TextTable
from arraycoref.report.values import f_name, number_of, shown

if TYPE_CHECKING:
    from arraycoref.report.rows import BatchScoresLike, ScoresLike


def render_repr(scores: ScoresLike | BatchScoresLike) -> str:
    """Write one document's, or a batch's, recall, precision and F in percent, and a batch's number of documents.

    Args:
        scores: of one document or of a batch; a batch's signature says the profile and beta.
    """
    title, table = short_table(scores)
    width = max((len(name) for name, *_ in table.rows), default=0)
    lines = [f"{name:{width}}  {r:>9}  {p:>9}  {f:>6}" for name, r, p, f in (table.headers, *table.rows)]
    return "\n".join((f"<{title}", *lines)) + ">"


def render_html(scores: ScoresLike | BatchScoresLike) -> str:
    """Write what `render_repr` does as a table of HTML, for notebooks.

    Args:
        scores: as for `render_repr`.
    """
    title, table = short_table(scores)
    return table.html([title])


def short_table(scores: ScoresLike | BatchScoresLike) -> tuple[str, TextTable]:
    """Return a title, and a table with a row for each metric."""
    signature = scores.signature
    title = type(scores).__name__
    name = getattr(scores, "name", None)
    if name is not None:
        title += f" of document {name!r}"
    if hasattr(scores, "documents"):
        n = scores.n_documents if hasattr(scores, "n_documents") else len(cast("BatchScoresLike", scores))
        title += f" of {number_of(n, 'document')}"
    rows = [
        [row.name, *(shown(ratio, row.metric, profile=signature.profile) for ratio in row.ratios)]
        for row in rows_of(scores, scores.metrics)
        if not row.link_class
    ]
    headers = ("", "recall", "precision", f_name(signature.beta))
    return f"{title}, percent, profile {signature.profile}", TextTable(headers, rows)
