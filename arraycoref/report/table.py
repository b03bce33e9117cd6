"""The format ``table``: for reading in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arraycoref.report.cells import caption, tables

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike


def render_table(b: BatchScoresLike, *, per_document: bool = False, macro: bool = False, digits: int = 2) -> str:
    """Write an aligned text table, the number of documents and the signature.

    Args:
        b: the results.
        per_document: put a table of each document's F before it.
        macro: show means over documents.
        digits: decimals of the percentages, which profile ``conll`` truncates and profile ``paper`` rounds.
    """
    parts = [cells.tabulate("simple") for cells in tables(b, per_document=per_document, macro=macro, digits=digits)]
    lines = "\n\n".join(parts).split("\n")
    text = "\n".join(line.rstrip() for line in lines)
    return f"{text}\n\n{caption(b, macro=macro)}\n{b.signature}\n"
