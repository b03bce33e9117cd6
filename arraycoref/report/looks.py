"""The look of tables: bold and colours of terminals, folded lines, and the style of HTML."""

from __future__ import annotations

import textwrap

from arraycoref.errors import printable

STYLE = """<style>
.arraycoref{font:14px/1.45 system-ui,sans-serif;overflow-x:auto}
.arraycoref table{border-collapse:collapse;border:0;margin:.5em 0 1em}
.arraycoref table{font-size:inherit;font-variant-numeric:tabular-nums}
.arraycoref :is(th,td){padding:.2em .75em;border:0;text-align:right;white-space:nowrap;background:none}
.arraycoref :is(.l,[scope=rowgroup]){text-align:left}
.arraycoref th{font-weight:normal}
.arraycoref thead th{font-weight:600;vertical-align:bottom}
.arraycoref [scope=colgroup]{text-align:center}
.arraycoref [scope=rowgroup]{font-style:italic;padding-top:.7em}
.arraycoref thead tr:last-child th{border-bottom:1px solid}
.arraycoref tr{background:none!important}
.arraycoref p{margin:0 .75em 1em;font-size:12px;opacity:.75;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){.arraycoref{background:#1b1b1d;color:#e4e4e4}
html:has(>body>.arraycoref){background:#1b1b1d}}
</style>""".replace("\n", "")
"""The look of tables of HTML: light or dark as the reader's system; notebooks would colour every other row."""


def painted(text: str, code: str) -> str:
    """Put a code of terminals around a text: ``1`` bold, ``2`` faint, ``33`` yellow, ``36`` cyan."""
    return f"\x1b[{code}m{text}\x1b[0m" if text else ""


def painted_cell(cell: str, filled: str) -> str:
    """Paint a cell for a terminal: marks in colour, the best in bold; a text without a look stays as it is.

    Args:
        cell: the cell; a look has the attribute ``is_best``.
        filled: its text with blanks around it.
    """
    text, is_best = printable(cell), getattr(cell, "is_best", None)
    if is_best is None or not text:
        return filled
    rest = text.lstrip("†*=")
    marks = painted(text[: len(text) - len(rest)], "36")
    return filled.replace(text, marks + (painted(rest, "1") if is_best else rest), 1)


def wrapped(line: str, width: int) -> list[str]:
    """Break a line between words, if it is longer than this; further lines are indented."""
    return textwrap.wrap(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) or [line]
