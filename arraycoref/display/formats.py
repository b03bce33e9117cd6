"""What every result offers: tables, columns, HTML in notebooks, frames of other libraries, and output formats.

The command line reads `FORMATS` for its help. So this file and all that it imports must not import NumPy.
"""

from __future__ import annotations

import importlib
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from arraycoref.display.tables import TextTable, csv_text, html_text, markdown_code, markdown_text, painted
from arraycoref.exceptions import MissingDependencyError, check_name, printable

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

HEAD = 20
"""The number of settings or documents that a notebook shows of a longer list."""

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
"""The look of tables of HTML: light or dark as the reader's system; notebooks would color every other row."""

BACKENDS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}
"""Libraries of tables, and the name of the function that makes a table from a dictionary of columns."""


Format = Callable[[Any, int], str]
"""A function that writes a report as text that ends with a newline; formats for people use the number of decimals."""


class Report:
    """What every result offers: rows for CSV, JSON and frames, tables for people, HTML in notebooks.

    A class defines `rows` or `columns`; each is made from the other. It defines `tables` unless its columns are one.

    Attributes:
        own_formats: formats that other reports lack, by name.
        inner: names that `dir` leaves out, as other code of this package calls them, and users do not.
    """

    own_formats: ClassVar[Mapping[str, Format]] = {}
    inner = "as_part caption facts inner key_columns nested of opening own_formats report signed_records tables"

    @property
    def key_columns(self) -> tuple[str, ...]:
        """Names of the columns that identify a row, such as ``("metric",)``."""
        return ()

    def rows(self) -> Iterable[Mapping[str, Any]]:
        """Return the rows, by the names of their columns: texts, and numbers at full precision."""
        columns = self.columns()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`, by name: lists or arrays, all of one length; None where a row lacks one."""
        rows = list(self.rows())
        names = dict.fromkeys(name for row in rows for name in row) or dict.fromkeys(self.key_columns)
        return {name: [row.get(name) for row in rows] for name in names}

    def facts(self) -> dict[str, Any]:
        """Return what JSON holds beside signature, notes and rows, such as how intervals were made."""
        return {}

    def tables(self, digits: int) -> Sequence[TextTable]:
        """Return the tables for reading.

        Args:
            digits: decimals of percentages.
        """
        columns = self.columns()
        cells = [[_cell(value, digits) for value in row] for row in zip(*columns.values(), strict=True)]
        are_texts = [all(isinstance(value, str) for value in column) for column in columns.values()]
        align = "".join("l" if is_text else "r" for is_text in are_texts) if cells else ""
        return [TextTable(list(map(str, columns)), cells, align)]

    def as_part(self, digits: int) -> TextTable:
        """Return the table that shows this result among others of its kind, whose rows come above and below."""
        return self.tables(digits)[-1]

    def opening(self, digits: int) -> Sequence[str]:
        """Return lines that come before the tables: the result in a sentence, where there is one.

        Args:
            digits: decimals of percentages.
        """
        return ()

    def caption(self, digits: int) -> Sequence[str]:
        """Return lines that describe what the tables show; notes and the signature come last.

        Args:
            digits: decimals of percentages.
        """
        return ()

    def nested(self) -> Any:
        """Return the plain values of `to_dict` and JSON: signature and notes if there are any, facts, and rows."""
        head = {"signature": self.signature.as_dict()} if hasattr(self, "signature") else {}
        head |= {"notes": list(self.notes)} if hasattr(self, "notes") else {}
        rows = [{str(name): plain(value) for name, value in row.items()} for row in self.rows()]
        return {**head, **self.facts(), "rows": rows}

    def signed_records(self) -> Iterable[Sequence[object]]:
        """Return a header and the rows, as CSV has them, with the signature after each, if there is one they lack."""
        columns, signature = self.columns(), getattr(self, "signature", None)
        if signature is not None and "signature" not in columns:
            n_rows = max(map(len, columns.values()), default=0)
            columns = columns | {"signature": [getattr(signature, "full", str(signature))] * n_rows}
        return [tuple(columns), *zip(*columns.values(), strict=True)]

    def report(self, **choices: Any) -> Report:
        """Return what `render` writes; scores of documents have the choices of `render`."""
        return self

    def to_dict(self, *, flat: bool = False, prefix: str = "", counts: bool = False) -> Any:
        """Return plain values, numbers at full precision, as JSON has them.

        Args:
            flat: return one dictionary of floats, such as ``muc_f1``, for tools that log experiments.
            prefix: put this before each name, as in ``dev/muc_f1``; with ``flat`` only.
            counts: also the sums whose ratios are the scores, BLANC's link classes, and the number of documents;
                with ``flat`` only, as the others are in all cases.
        """
        values = self.nested()
        if flat and isinstance(values, dict) and "rows" in values:
            for n, row in enumerate(values.pop("rows")):
                names = [row.pop(name, None) for name in self.key_columns]
                values["_".join(str(name) for name in names if name not in (None, "")) or str(n)] = row
        return flattened(values, prefix, counts=counts) if flat else values

    @overload
    def to_frame(self, backend: Literal["pandas"] | None = None, **choices: Any) -> pandas.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["polars"], **choices: Any) -> polars.DataFrame: ...
    @overload
    def to_frame(self, backend: Literal["pyarrow"], **choices: Any) -> pyarrow.Table: ...
    def to_frame(self, backend: str | None = None, **choices: Any) -> Any:
        """Return the result as a table of another library, numbers at full precision.

        Args:
            backend: ``pandas``, ``polars`` or ``pyarrow``; None for the first of these that is installed.
            **choices: for several runs, ``per_document=True`` makes a row for each run and document.

        Raises:
            MissingDependencyError: the backend, or every one of them, is not installed.
            UnknownNameError: there is no such backend.
        """
        return table_maker(backend)(self.columns(**choices))

    def render(
        self, format: str = "table", *, digits: int = 2, width: int | None = None, color: bool = False, **choices: Any
    ) -> str:
        """Write the result as ``table``, ``json``, ``csv``, ``markdown``, ``latex`` (booktabs) or ``html``.

        Args:
            format: the name of the format.
            digits: decimals of percentages; json and csv have fractions at full precision.
            width: most characters of a line of ``table``; None for no limit.
            color: write ``table`` with the codes of a terminal: the best in bold, marks and notes in color.
            **choices: for scores of documents, ``per_document=True`` writes those of every document too,
                ``sort="muc.recall"`` lists these by a score, the worst first, ``worst=5`` only so many of them, and
                ``macro=True`` writes means over documents; the format ``conll``, without an order of documents, is what
                the reference scorer prints.

        Returns:
            Text that ends with a newline.

        Raises:
            UnknownNameError: there is no such format.
        """
        report = self.report(**choices)
        formats = {**FORMATS, **report.own_formats}
        check_name("format", format, formats)
        return _table(report, digits, width, color) if format == "table" else formats[format](report, digits)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - {*self.inner.split()})

    def to_json(self, **choices: Any) -> str:
        """Return the result as JSON, numbers at full precision; the choices are those of `render`."""
        return self.render("json", **choices)

    def __str__(self) -> str:
        return self.render().rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return _html(self, 2).rstrip("\n")

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that shells offer after ``result["``."""
        return list(getattr(self, "metrics", ()))


def flattened(values: Any, prefix: str = "", *, counts: bool = False) -> dict[str, float]:
    """Return the numbers in nested values by their names, joined by ``_``, without names ``scores`` and signatures.

        >>> flattened({"signature": {"beta": 1.0}, "scores": {"muc": {"f1": 0.5, "recall_num": 1}}}, "dev/")
        {'dev/muc_f1': 0.5}

    Args:
        values: numbers in dictionaries and lists.
        prefix: put before each name.
        counts: keep the sums and parts of scores, and the number of documents, too.
    """
    if isinstance(values, int | float):
        return {} if isinstance(values, bool) else {prefix: float(values)}
    listed = isinstance(values, list | tuple)
    items: Iterable[tuple[object, Any]] = enumerate(values) if listed else getattr(values, "items", dict)()
    numbers: dict[str, float] = {}
    entry = values if isinstance(values, dict) and not counts else {}
    is_score = isinstance(entry.get("f1", {}), int | float | None)
    for name, value in items:
        nested = isinstance(value, dict | list | tuple)
        is_count = str(name).endswith(("_num", "_den")) if is_score else "scores" in entry and name == "documents"
        is_part = is_score and nested
        if name != "signature" and not is_count and not is_part:
            inner = prefix if name == "scores" else f"{prefix}{name}{'_' if nested else ''}"
            numbers |= flattened(value, inner, counts=counts)
    return numbers


def plain(value: Any) -> Any:
    """Convert a NumPy value to a Python value; NaN becomes None, and infinities, which JSON lacks too, their texts."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None if math.isnan(value) else str(float(value))
    return plain(value.item()) if hasattr(value, "item") else value


def _cell(value: Any, digits: int) -> str:
    """Write a value that is neither a score nor a name: a number without an exponent, nothing for None and nan."""
    value = plain(value)
    return "" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _folded(line: str, width: int | None) -> list[str]:
    """Break a line between words, if it is longer than this; further lines are indented."""
    if not width:
        return [line]
    return textwrap.wrap(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) or [line]


def _table(report: Report, digits: int, width: int | None = None, color: bool = False) -> str:
    opening = (_folded(line, width) for line in map(printable, report.opening(digits)))
    parts = ["\n".join(chain.from_iterable(opening)), *(table.text(width, color) for table in report.tables(digits))]
    notes, caption = [*getattr(report, "notes", ()), str(getattr(report, "signature", ""))], []
    for line in map(printable, report.caption(digits)):
        code = "2" if line == notes[-1] else "33" if line.removeprefix("note: ") in notes else ""
        caption += [painted(each, code) if color and code else each for each in _folded(line, width)]
    return "\n\n".join(filter(None, [*parts, "\n".join(caption)])) + "\n"


def _json(report: Report, digits: int) -> str:
    import json

    return json.dumps(report.to_dict(), indent=2, allow_nan=False) + "\n"


def _csv(report: Report, digits: int) -> str:
    import csv
    import io

    text = io.StringIO()
    records = report.signed_records()
    rows = ([csv_text(value) if isinstance(value, str) else plain(value) for value in row] for row in records)
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _markdown(report: Report, digits: int) -> str:
    opening = "  \n".join(map(markdown_text, report.opening(digits)))
    parts = [*filter(None, [opening]), *(table.markdown() for table in report.tables(digits))]
    caption = [markdown_text(line) for line in report.caption(digits)]
    if caption:
        caption[-1] = markdown_code(report.caption(digits)[-1])
        parts.append((", " if len(caption) == 2 else "  \n").join(caption))
    return "\n\n".join(parts) + "\n"


def _latex(report: Report, digits: int) -> str:
    comments = "".join(f"% {printable(line)}\n" for line in (*report.opening(digits), *report.caption(digits)))
    return comments + "\n\n".join(table.latex() for table in report.tables(digits)) + "\n"


def _html(report: Report, digits: int) -> str:
    opening = "".join(f"<p>{html_text(line)}</p>" for line in report.opening(digits))
    tables = opening + "".join(table.html() for table in report.tables(digits))
    notes = "<br>".join(map(html_text, report.caption(digits)))
    return f'{STYLE}<div class="arraycoref">{tables}<p>{notes}</p></div>\n'


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
