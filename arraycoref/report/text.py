"""Results as Python shells and notebooks show them: a short table, with nothing beyond the standard library."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, cast

from arraycoref.options import Signature
from arraycoref.report.percent import as_printed, f_name, formatter
from arraycoref.report.rows import score_rows

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike, ScoresLike

Cells = tuple[str, str, str, str]

PLAIN = Signature("", "paper", "", "", "", "", 1.0)


def render_repr(scores: ScoresLike | BatchScoresLike) -> str:
    """Write one document's, or a batch's, recall, precision and F in percent, and a batch's number of documents.

    Args:
        scores: of one document or of a batch; a batch's signature tells the profile and beta.
    """
    title, header, rows = short_table(scores)
    width = max((len(name) for name, *_ in rows), default=0)
    lines = [f"{name:{width}}  {recall:>9}  {precision:>9}  {f:>6}" for name, recall, precision, f in (header, *rows)]
    return "\n".join((f"<{title}", *lines)) + ">"


def render_html(scores: ScoresLike | BatchScoresLike) -> str:
    """Write what `render_repr` does as a table of HTML, for notebooks.

    Args:
        scores: as for `render_repr`.
    """
    title, header, rows = short_table(scores)
    head = "".join(f'<th scope="col">{cell}</th>' for cell in header)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        for name, *cells in rows
    )
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def short_table(scores: ScoresLike | BatchScoresLike) -> tuple[str, Cells, list[Cells]]:
    """Return the title, the header and the rows of a short table, a row a metric."""
    signature = getattr(scores, "signature", None) or PLAIN
    percent = formatter(signature, 2)
    title = type(scores).__name__
    name = getattr(scores, "name", None)
    if name is not None:
        title += f" of document {name!r}"
    if hasattr(scores, "documents"):
        n = scores.n_documents if hasattr(scores, "n_documents") else len(cast("BatchScoresLike", scores))
        title += f" of {n} document{'' if n == 1 else 's'}"
    rows = [row for row in as_printed(score_rows(scores, scores.metrics), signature) if not row.link_class]
    return (
        f"{title}, percent, profile {signature.profile}",
        ("", "recall", "precision", f_name(signature.beta)),
        [(row.name, percent(row.recall), percent(row.precision), percent(row.f1)) for row in rows],
    )
