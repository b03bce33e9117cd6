"""Score tables of pandas, polars, PyArrow and other libraries that narwhals reads, with one row per mention."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from arraycoref.errors import InputError
from arraycoref.interop.arrow import arrow_column, text_codes
from arraycoref.interop.columns import Numbers, combine, group_values
from arraycoref.interop.counting import SideRows, count_sides
from arraycoref.interop.long_table import LongTable, check_columns, from_table
from arraycoref.options import BatchOptions, resolve_policies, signature
from arraycoref.read.table_shapes import Names, mention_columns, tables_of
from arraycoref.runtime import import_extra, progress_of
from arraycoref.scoring.cells import Integers
from arraycoref.scoring.labels import BELOW, EXPECTED, label_array
from arraycoref.scoring.metrics.registry import counted_metrics, resolve_metrics
from arraycoref.scoring.scores import BatchScores

if TYPE_CHECKING:
    import narwhals


def score_table(
    frame: Any,
    response_frame: Any = None,
    *,
    document: str | None = "document",
    mention: str | Sequence[str] | None = "mention",
    key: str = "key",
    response: str = "response",
    label: str = "label",
    **options: Unpack[BatchOptions],
) -> BatchScores:
    """Score a table with one row per mention, or two tables, of the key and of the response.

        >>> import pandas
        >>> rows = {"document": ["a", "a", "a"], "mention": [3, 5, 8]}
        >>> score_table(pandas.DataFrame(rows | {"key": ["Ada", "Ada", None], "response": [0, 0, 0]}))["muc"].precision
        0.5

    Labels are whole numbers or texts, as `arraycoref.scoring.labels` defines them: null, NaN, None and -1 of any dtype
    mean
    that the side lacks the mention. In one table, a mention may have one row for both sides or a row for each side.

    In two tables, each row means that the side has the mention, unless its label means that it lacks it; documents and
    mentions are whole numbers or texts, without nulls.

    Args:
        frame: one table of both sides, or the key's table: of pandas, polars, PyArrow or another library that narwhals
            knows, not a lazy one. Or the path of the key's file, of Parquet or of text, with the columns named here or
            those of a tool that `arraycoref.read.table_reading` lists.
        response_frame: the response's table or path; None if ``frame`` has both sides.
        document: column of the documents; None for one document.
        mention: column of the mentions, or columns that identify a mention together, such as ``["start", "end"]``; None
            if each row of the one table is a mention of its own.
        key: column of the key's labels in one table. Equal labels are one entity only within a document.
        response: column of the response's labels in one table, likewise.
        label: column of the labels in each of two tables.
        **options: see `arraycoref.options`. If a mention has labels of one side in two rows, ``duplicates`` may keep
            the first or last row. In one table, both sides have every document, so that the policies for documents on
            one side only have no effect.

    Returns:
        Scores of the documents in the order of their first rows; their names are their values as texts.

    Raises:
        InputError: a column that is not there or there twice, a document or mention that is null, or values that are
            not labels.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document in one of two tables only, where the policy refuses that.
        MissingDependencyError: narwhals is not installed, or PyArrow, which two tables need.
    """
    if isinstance(frame, str | os.PathLike) and isinstance(response_frame, str | os.PathLike):
        asked: dict[str, Any] = {"document": document, "mention": mention, "label": label}
        return score_paths(os.fspath(frame), os.fspath(response_frame), **asked, **options)
    policies, wanted = resolve_policies(options, BatchOptions), resolve_metrics(options.get("metrics"))
    threads, progress = options.get("threads", 1), progress_of(options)
    if response_frame is not None:
        from arraycoref.interop.two_tables import Request, assemble, count_tables

        import_extra("pyarrow", "two tables need PyArrow", "parquet")
        request = Request(Names.of(document, mention, label), wanted, policies)
        key_table = _long_table(frame, request.names, "the key's table")
        response_table = _long_table(response_frame, request.names, "the response's table")
        counted = count_tables(key_table, response_table, request, threads=threads, progress=progress)
        return assemble([counted], request, "key", "response")
    mentions = mention_columns(mention)
    table = _table(frame, [*([] if document is None else [document]), *mentions, key, response], "the table")
    n_rows = len(table)
    names, bounds, order = None, np.array([0, n_rows]), None
    if document is not None:
        bounds, order, rows = group_values(_numbers(table, document))
        names = _names(table[document], rows)
    of_mention = combine([Numbers(_numbers(table, each)) for each in mentions]) if mentions else np.arange(n_rows)
    columns = [of_mention, _labels(table, key), _labels(table, response)]
    of_mention, *labels = columns if order is None else [column[order] for column in columns]

    def describe(side: str, first: int, second: int) -> str:
        d = int(np.searchsorted(bounds, first, side="right")) - 1
        where = d if names is None else names[d]
        first, second = (first, second) if order is None else (int(order[first]), int(order[second]))
        column = key if side == "key" else response
        return f"{column} of document {where!r}: rows {first} and {second} label the same mention"

    ours, theirs = (SideRows(bounds[:-1], bounds[1:], of_mention, each) for each in labels)
    metrics = counted_metrics(wanted)
    counts, _ = count_sides(ours, theirs, policies, metrics, describe, names, threads=threads, progress=progress)
    return BatchScores(wanted, counts, signature(policies))


def score_paths(key: str, response: str, **options: Any) -> BatchScores:
    """Score two paths as Parquet tables if one of them is a Parquet file or a directory of these, else as text."""
    if "parquet" in (tables_of(key), tables_of(response)):
        from arraycoref.interop.parquet import score_parquet

        return score_parquet(key, response, **options)
    from arraycoref.interop.table_files import score_table_files

    return score_table_files(key, response, **options)


def _table(frame: Any, columns: Iterable[str], place: str) -> narwhals.DataFrame[Any]:
    """Wrap a table with narwhals; refuse one that does not have each of the columns exactly once."""
    import_extra("narwhals", "tables need narwhals", "frames")
    import narwhals

    try:
        table: narwhals.DataFrame[Any] = narwhals.from_native(frame, eager_only=True)
        names = table.columns
    except TypeError:
        kind = f"{type(frame).__module__}.{type(frame).__name__}"
        expected = "expected a table of pandas, polars or PyArrow, not a lazy one; or paths, of both sides"
        raise InputError(f"{place} is a {kind}; {expected}") from None
    except narwhals.exceptions.NarwhalsError as error:  # two columns of the same name
        raise InputError(f"{place}: {error}") from None
    check_columns(columns, names, place)
    return table


def _long_table(frame: Any, names: Names, place: str) -> LongTable:
    """Convert one of two tables to a long table, by way of Arrow."""
    table = _table(frame, names.all, place)
    try:
        arrow = table.select(names.all).to_arrow()
    except Exception as error:  # values of several types, or of one that Arrow lacks; each library has its own errors
        raise InputError(f"{place}: {EXPECTED}; no Arrow table can be made of it: {error}") from error
    return from_table(arrow, names, place)


def _numbers(table: narwhals.DataFrame[Any], column: str) -> Integers:
    """Return int64 (rows,) numbers that are equal for equal values of a column; whole numbers stay as they are.

    Raises:
        InputError: a value that is null, or values that cannot be compared.
    """
    series = table[column]
    if series.dtype.is_integer() and not str(series.dtype).endswith("128") and series.null_count() == 0:
        return np.asarray(series.to_numpy()).astype(np.int64, copy=False)
    try:
        codes = _codes(series)
    except Exception as error:  # lists, and types without an order in their library; each library has its own errors
        kind = f"column {column!r} has dtype {series.dtype}"
        raise InputError(f"{kind}; expected whole numbers, texts or other comparable values ({error})") from error
    if (codes < 0).any():
        raise InputError(f"row {int((codes < 0).argmax())} has no value in column {column!r}; expected one in each row")
    return codes


def _names(documents: narwhals.Series[Any], rows: Integers) -> tuple[str, ...]:
    """Return the document names of some rows: their values as texts."""
    if documents.implementation.is_pyarrow():
        return tuple(map(str, arrow_column(documents.to_native()).take(rows).to_pylist()))
    return tuple(map(str, documents[rows.tolist()].to_list()))


def _labels(table: narwhals.DataFrame[Any], column: str) -> Integers:
    """Return labels as int64 (rows,), -1 where there is none."""
    labels = label_array(table[column].to_native(), f"column {column!r}")
    if labels.min(initial=0) < -1:
        row = int((labels < -1).argmax())
        raise InputError(f"row {row} has the label {labels[row]} in column {column!r}; {BELOW}")
    return labels


def _codes(series: narwhals.Series[Any]) -> Integers:
    """Number the distinct values of a column from 0, in a way that is fast in its library.

    Args:
        series: (rows,) texts or any values that can be compared.

    Returns:
        int64 (rows,), -1 for null, NaN and None.
    """
    if series.dtype.is_float():
        series = series.fill_nan(None) + 0.0  # turns -0.0 into 0.0, which differ for Arrow
    native = series.to_native()
    if series.implementation.is_pandas():
        return np.asarray(native.factorize()[0], np.int64)
    coded = text_codes(native)
    if coded is not None:
        return coded[0]
    if series.implementation.is_pyarrow():
        indices = arrow_column(native).dictionary_encode().indices
        return np.asarray(indices.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
    return series.rank("dense").fill_null(0).to_numpy().astype(np.int64) - 1
