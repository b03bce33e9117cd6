"""The table of output formats. A new one is a file with a renderer, and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from arraycoref.errors import UnknownNameError
from arraycoref.report.as_csv import render_csv
from arraycoref.report.as_json import render_json
from arraycoref.report.conll import render_conll
from arraycoref.report.latex import render_latex
from arraycoref.report.markdown import render_markdown
from arraycoref.report.table import render_table

if TYPE_CHECKING:
    from arraycoref.report.protocols import BatchScoresLike


class Renderer(Protocol):
    """A function that writes results in one format, as text that ends with a newline."""

    def __call__(self, b: BatchScoresLike, *, per_document: bool = False, macro: bool = False, digits: int = 2) -> str:
        """Write results; see `render`."""


FORMATS: dict[str, Renderer] = {
    "table": render_table,
    "json": render_json,
    "csv": render_csv,
    "markdown": render_markdown,
    "latex": render_latex,
    "conll": render_conll,
}


def render(
    b: BatchScoresLike, format: str = "table", *, per_document: bool = False, macro: bool = False, digits: int = 2
) -> str:
    """Write results as text.

    Args:
        b: the results.
        format: a name in `FORMATS`.
        per_document: tell every document's scores too (csv: these only).
        macro: tell means over documents, in the place of the corpus's scores (json: besides them; conll: refused).
        digits: decimals of percentages; json, csv and conll have their own precision.

    Returns:
        Text that ends with a newline.

    Raises:
        UnknownNameError: there is no such format.
        InputError: the format cannot tell what was asked for.
    """
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    return FORMATS[format](b, per_document=per_document, macro=macro, digits=digits)
