"""The format ``latex``: a booktabs table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arraycoref.report.cells import caption, tables

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike


def render_latex(b: BatchScoresLike, *, per_document: bool = False, macro: bool = False, digits: int = 2) -> str:
    r"""Write ``tabular`` environments with the rules of the LaTeX package booktabs, and the signature as a comment.

    Args:
        b: the results.
        per_document: put a table of each document's F before it.
        macro: show means over documents.
        digits: decimals of the percentages.
    """
    found = tables(b, per_document=per_document, macro=macro, digits=digits)
    text = "\n\n".join(cells.tabulate("latex_booktabs") for cells in found)
    return f"% {caption(b, macro=macro)}\n% {b.signature}\n{text}\n"
