"""The formats of ``arraycoref compare``: the ranked table for terminals, papers and programs."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from arraycoref.errors import UnknownNameError
from arraycoref.report.cells import Cells
from arraycoref.report.ranking import (
    CORRECTION_NAMES,
    caption_lines,
    flat_row,
    metric_title,
    percent,
    pvalue_text,
    ranking_cells,
    ranking_dict,
    score_name,
)

if TYPE_CHECKING:
    from arraycoref.stats.comparison import Comparison


def _table(c: Comparison, digits: int) -> str:
    cells = ranking_cells(c, digits)
    lines = [line.rstrip() for line in _aligned(cells, "simple").split("\n")]
    return "\n".join([*lines, "", *caption_lines(c)]) + "\n"


def _markdown(c: Comparison, digits: int) -> str:
    cells = ranking_cells(c, digits)
    for row in (cells.headers, *cells.rows):
        row[:] = [text.replace("|", r"\|").replace("*", r"\*") for text in row]
    return _aligned(cells, "pipe") + "\n\n" + "  \n".join(caption_lines(c)).replace("*: sig", r"\*: sig") + "\n"


def _aligned(cells: Cells, style: str) -> str:
    from tabulate import tabulate

    alignment = ("right", "left", "right", "right", "right", "right", "right", "left")
    return tabulate(cells.rows, cells.headers, tablefmt=style, colalign=alignment, disable_numparse=True)


def _csv(c: Comparison, digits: int) -> str:
    del digits
    text = io.StringIO()
    rows = [flat_row(s) for s in c.systems]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow("" if isinstance(v, float) and math.isnan(v) else v for v in row.values())
    return text.getvalue()


def _json(c: Comparison, digits: int) -> str:
    del digits
    return json.dumps(ranking_dict(c), indent=2, allow_nan=False) + "\n"


def _latex(c: Comparison, digits: int) -> str:
    r"""Write a ``tabular`` with booktabs rules: the interval in brackets, marks and letters as superscripts."""
    score = score_name(c).replace(c.metric, metric_title(c.metric)).replace("³", "$^3$")
    corrected = c.correction != "none" and c.n_tests > 1
    p_name = f"$p$ ({CORRECTION_NAMES[c.correction]})" if corrected else "$p$"
    head = " & ".join(["", "System", score, rf"{100 * c.confidence:g}\% interval", "Difference", p_name])
    lines = [r"\begin{tabular}{rlrrrr}", r"\toprule", head + r" \\", r"\midrule"]
    for s in c.systems:
        low, high = (percent(end, digits) for end in (s.score.low, s.score.high))
        mark = f"$^{{{s.mark}}}$" if s.mark == "*" else rf"\textsuperscript{{{s.mark}}}" if s.mark else ""
        difference = percent(s.difference, digits, "+")
        p = pvalue_text(s.adjusted)
        cells = [
            str(s.rank),
            latex_text(s.name),
            percent(s.score.estimate, digits) + mark,
            f"[{low}, {high}]" if low else "--",
            f"${difference}$" if difference else "--",
            f"${p}$" if p else "--",
        ]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*(f"% {line}" for line in caption_lines(c)), *lines]) + "\n"


def latex_text(text: str) -> str:
    """Escape what LaTeX takes for markup."""
    special = {char: "\\" + char for char in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(char, char) for char in text)


RANKING_FORMATS: dict[str, Callable[[Comparison, int], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}


def render_ranking(c: Comparison, format: str = "table", *, digits: int = 2) -> str:
    """Write a ranked table as text.

    Args:
        c: the comparison.
        format: a name in `RANKING_FORMATS`.
        digits: decimals of percentages; json and csv tell fractions at full precision.

    Raises:
        UnknownNameError: there is no such format.
    """
    if format not in RANKING_FORMATS:
        raise UnknownNameError("format", format, RANKING_FORMATS)
    return RANKING_FORMATS[format](c, digits)
