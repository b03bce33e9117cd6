"""Define the output formats (`FORMATS`), and the `Report` that each of them can write.

The command line reads `FORMATS` for its help. So this file and all that it imports must not import NumPy.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from arraycoref.errors import UnknownNameError, printable
from arraycoref.report.escapes import csv_text, markdown_code, markdown_text
from arraycoref.report.notebook import Shown, check_digits
from arraycoref.report.tables import TextTable

Format = Callable[[Any, int], str]
"""A function that writes a report as text that ends with a newline; formats for people use the number of decimals.
"""


class Report(Shown):
    """A result that formats can write: it offers tables for reading, rows for CSV, a dictionary for JSON.

    Derived classes get `render`, and from `Shown` the methods for notebooks.

    Attributes:
        own_formats: formats that other reports lack, by name.
    """

    own_formats: ClassVar[Mapping[str, Format]] = {}

    @abstractmethod
    def records(self) -> Iterable[Sequence[object]]:
        """Return a header and rows of plain values, numbers at full precision; CSV leaves None and NaN empty."""

    @abstractmethod
    def to_dict(self) -> Any:
        """Return plain values for JSON, numbers at full precision."""

    def columns(self) -> dict[str, Any]:
        """Return `records` by column."""
        header, *rows = self.records()
        return {str(name): [row[k] for row in rows] for k, name in enumerate(header)}

    def paper_tables(self, digits: int) -> Sequence[TextTable]:
        """Return the tables for LaTeX; by default, the same as for other formats."""
        return self.tables(digits)

    def render(self, format: str = "table", *, digits: int = 2) -> str:
        """Write the result as ``table``, ``json``, ``csv``, ``markdown``, ``latex`` (booktabs) or ``html``.

        Args:
            format: the name of the format.
            digits: decimals of percentages, 15 at most; json and csv have fractions at full precision.

        Returns:
            Text that ends with a newline.

        Raises:
            UnknownNameError: there is no such format.
            OptionError: ``digits`` is no whole number from 0 to 15.
        """
        check_digits(digits)
        formats = {**FORMATS, **self.own_formats}
        if not isinstance(format, str) or format not in formats:
            raise UnknownNameError("format", format, formats)
        return formats[format](self, digits)


def plain(value: Any) -> Any:
    """Convert a NumPy value to a Python value, and NaN and infinities, which JSON lacks, to None."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return plain(value.item()) if hasattr(value, "item") else value


def _table(report: Report, digits: int) -> str:
    parts = [table.tabulate("simple", printable) for table in report.tables(digits)]
    parts.append("\n".join(map(printable, report.caption(digits))))
    return "\n\n".join(filter(None, parts)) + "\n"


def _json(report: Report, digits: int) -> str:
    import json

    return json.dumps(report.to_dict(), indent=2, allow_nan=False) + "\n"


def _csv(report: Report, digits: int) -> str:
    import csv
    import io

    text = io.StringIO()
    rows = ([csv_text(value) if isinstance(value, str) else plain(value) for value in row] for row in report.records())
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _markdown(report: Report, digits: int) -> str:
    parts = [table.tabulate("pipe", markdown_text) for table in report.tables(digits)]
    caption = [markdown_text(line) for line in report.caption(digits)]
    if caption:
        caption[-1] = markdown_code(report.caption(digits)[-1])
        parts.append((", " if len(caption) == 2 else "  \n").join(caption))
    return "\n\n".join(parts) + "\n"


def _latex(report: Report, digits: int) -> str:
    comments = "".join(f"% {printable(line)}\n" for line in report.caption(digits))
    return comments + "\n\n".join(table.latex() for table in report.paper_tables(digits)) + "\n"


def _html(report: Report, digits: int) -> str:
    return report.to_html(digits) + "\n"


FORMATS: dict[str, Format] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
    "html": _html,
}
"""The formats of every report by name. To add a format, write a function and enter it here."""
