"""The format ``markdown``: a pipe table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arraycoref.report.cells import caption, tables

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike


def render_markdown(b: BatchScoresLike, *, per_document: bool = False, macro: bool = False, digits: int = 2) -> str:
    """Write Markdown tables as `table` has them, and the signature as code.

    Args:
        b: the results.
        per_document: put a table of each document's F before it.
        macro: show means over documents.
        digits: decimals of the percentages.
    """
    found = tables(b, per_document=per_document, macro=macro, digits=digits)
    for cells in found:
        for row in cells.rows:
            row[0] = row[0].replace("|", r"\|")
    text = "\n\n".join(cells.tabulate("pipe") for cells in found)
    return f"{text}\n\n{caption(b, macro=macro)}, `{b.signature}`\n"
