"""What every result offers: tables, columns, HTML in notebooks, frames of other libraries, and output formats.

The command line reads `FORMATS` for its help. So this file and all that it imports must not import NumPy.
"""

from __future__ import annotations

import importlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from arraycoref.errors import MissingDependencyError, check_name, printable
from arraycoref.report.tables import TextTable, csv_text, markdown_code, markdown_text

HEAD = 20
"""The number of settings or documents that a notebook shows of a longer list."""

BACKENDS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}
"""Libraries of tables, and the name of the function that makes a table from a dictionary of columns."""


class Displayable(ABC):
    """A result that can be laid out as tables and as columns."""

    @abstractmethod
    def tables(self, digits: int) -> Sequence[TextTable]:
        """Return the tables for reading.

        Args:
            digits: decimals of percentages.
        """

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`, by name: lists or arrays, all of one length."""

    def caption(self, digits: int) -> Sequence[str]:
        """Return lines that describe what the tables show.

        Args:
            digits: decimals of percentages.
        """
        return ()

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the result as a table of another library, numbers at full precision.

        Args:
            backend: ``pandas``, ``polars`` or ``pyarrow``; None for the first of these that is installed.

        Raises:
            MissingDependencyError: the backend, or every one of them, is not installed.
            UnknownNameError: there is no such backend.
        """
        return table_maker(backend)(self.columns())

    def to_html(self, digits: int = 2) -> str:
        """Return the tables as HTML; the caption belongs to the last table.

        Args:
            digits: decimals of percentages.
        """
        *others, last = self.tables(digits)
        return "".join([*(table.html() for table in others), last.html(self.caption(digits))])

    def _repr_html_(self) -> str:
        return self.to_html()

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that shells offer after ``result["``."""
        return list(getattr(self, "metrics", ()))


Format = Callable[[Any, int], str]
"""A function that writes a report as text that ends with a newline; formats for people use the number of decimals."""


class Report(Displayable):
    """A result that formats can write: it offers tables for reading, rows for CSV, a dictionary for JSON.

    Derived classes get `render`, and from `Displayable` the methods for notebooks.

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

    def render(self, format: str = "table", *, digits: int = 2, width: int | None = None) -> str:
        """Write the result as ``table``, ``json``, ``csv``, ``markdown``, ``latex`` (booktabs) or ``html``.

        Args:
            format: the name of the format.
            digits: decimals of percentages; json and csv have fractions at full precision.
            width: most characters of a line of ``table``; None for no limit.

        Returns:
            Text that ends with a newline.

        Raises:
            UnknownNameError: there is no such format.
        """
        formats = {**FORMATS, **self.own_formats}
        check_name("format", format, formats)
        return _table(self, digits, width) if format == "table" else formats[format](self, digits)


def plain(value: Any) -> Any:
    """Convert a NumPy value to a Python value, and NaN and infinities, which JSON lacks, to None."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return plain(value.item()) if hasattr(value, "item") else value


def _table(report: Report, digits: int, width: int | None = None) -> str:
    parts = [table.text(width) for table in report.tables(digits)]
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
    parts = [table.markdown() for table in report.tables(digits)]
    caption = [markdown_text(line) for line in report.caption(digits)]
    if caption:
        caption[-1] = markdown_code(report.caption(digits)[-1])
        parts.append((", " if len(caption) == 2 else "  \n").join(caption))
    return "\n\n".join(parts) + "\n"


def _latex(report: Report, digits: int) -> str:
    comments = "".join(f"% {printable(line)}\n" for line in report.caption(digits))
    return comments + "\n\n".join(table.latex() for table in report.tables(digits)) + "\n"


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


def table_maker(backend: str | None) -> Callable[[dict[str, Any]], Any]:
    """Return a function that makes a library's table from a dictionary of columns.

    Args:
        backend: ``pandas``, ``polars`` or ``pyarrow``; None for the first of these that is installed.

    Raises:
        MissingDependencyError: the backend, or every one of them, is not installed.
        UnknownNameError: there is no such backend.
    """
    if backend is not None:
        check_name("backend", backend, BACKENDS)
    for name in BACKENDS if backend is None else (backend,):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        maker: Callable[[dict[str, Any]], Any] = getattr(module, BACKENDS[name])
        return lambda columns: maker({encodable(name): _encodable_column(values) for name, values in columns.items()})
    wanted = backend or "one of " + ", ".join(BACKENDS)
    raise MissingDependencyError(f"a table needs {wanted}; install with: pip install {backend or 'pandas'}")


def encodable(value: Any) -> Any:
    """Escape lone surrogates in a text, which no library's table accepts; other values stay as they are."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _encodable_column(values: Any) -> Any:
    """Convert a column so that all libraries make the same of it: None among numbers becomes nan.

    Other values of several types become texts. So do integers that a table's numbers would round or cannot hold.
    """
    import numpy as np

    if isinstance(values, np.ndarray):
        return values
    kinds = set(map(type, values))
    largest = max((abs(value) for value in values if isinstance(value, int)), default=0)
    if len(kinds) > 1 and kinds <= {int, float, type(None)} and largest <= 2**53:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    if len(kinds - {type(None)}) > 1 or largest > (2**63 - 1 if kinds == {int} else 2**53):
        return [None if value is None else encodable(str(value)) for value in values]
    return list(map(encodable, values))
