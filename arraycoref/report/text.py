"""The ``repr`` of results: a short table, without anything beyond the standard library."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from arraycoref.report.percent import as_printed, f_name, formatter
from arraycoref.report.rows import score_rows
from arraycoref.report.signature import Signature

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike, ScoresLike

PLAIN = Signature("", "paper", "", "", "", "", 1.0)


def render_repr(scores: ScoresLike | BatchScoresLike) -> str:
    """Write one document's, or a batch's, recall, precision and F in percent, and a batch's number of documents.

    Args:
        scores: of one document or of a batch; a batch's signature tells the profile and beta.
    """
    signature = getattr(scores, "signature", None) or PLAIN
    percent = formatter(signature, 2)
    title = type(scores).__name__
    name = getattr(scores, "name", None)
    if name is not None:
        title += f" of document {name!r}"
    if hasattr(scores, "documents"):
        n = len(cast("BatchScoresLike", scores))
        title += f" of {n} document{'' if n == 1 else 's'}"
    rows = [row for row in as_printed(score_rows(scores, scores.metrics), signature) if not row.link_class]
    width = max((len(row.name) for row in rows), default=0)
    header = f"{'':{width}}  {'recall':>9}  {'precision':>9}  {f_name(signature.beta):>6}"
    lines = [f"<{title}, percent, profile {signature.profile}", header]
    for row in rows:
        recall, precision, f = (percent(value) for value in (row.recall, row.precision, row.f1))
        lines.append(f"{row.name:{width}}  {recall:>9}  {precision:>9}  {f:>6}")
    return "\n".join(lines) + ">"
