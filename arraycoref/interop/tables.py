"""Score tables of pandas, polars, PyArrow and whatever else narwhals reads, with one row per mention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.interop.columns import Numbers, combine, group_values
from arraycoref.interop.counting import SideRows, count_sides
from arraycoref.interop.long_table import Names, check_columns
from arraycoref.lazy import need
from arraycoref.metrics import counted_metrics, resolve_metrics
from arraycoref.options import BatchOptions, resolve_policies, signature, takes
from arraycoref.results import BatchScores

if TYPE_CHECKING:
    import narwhals

Integers = NDArray[np.int64]


@takes(BatchOptions)
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

    In one table, a mention may also have a row for each side. The labels of either side may be numbers or texts; null,
    NaN or None says that the side lacks the mention, and so does -1 in a column of integers.

    In two tables, each row says that the side has the mention; documents, mentions and labels are whole numbers or
    texts, without nulls. A label of -1 takes the row out.

    Args:
        frame: a table of pandas, polars, PyArrow or another library that narwhals knows, not a lazy one; the key's
            where there are two.
        response_frame: the response's table; None where ``frame`` has both sides.
        document: column of the documents; None for one document.
        mention: column of the mentions, or columns that make a mention together, such as ``["start", "end"]``; None
            where each row of the one table is a mention of its own.
        key: column of the key's labels in one table; they mean something within a document only.
        response: column of the response's.
        label: column of the labels in each of two tables.
        **options: see `arraycoref.options`. Of a mention with labels of one side in two rows, ``duplicates`` keeps the
            first or last row; one table has the documents of both sides.

    Returns:
        Scores of the documents in the order of their first rows, named by the text of their values.

    Raises:
        InputError: a column that is not there, a document or mention that is null, labels of another kind.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document in one of two tables only, where the policy refuses that.
        MissingDependencyError: narwhals is not installed, or PyArrow, which two tables need.
    """
    policies, wanted = resolve_policies(options, BatchOptions), resolve_metrics(options.get("metrics"))
    threads, progress = options.get("threads", 1), options.get("progress")
    table = _table(frame)
    if response_frame is not None:
        from arraycoref.interop.long_table import from_table
        from arraycoref.interop.two_tables import Request, score_tables

        need("pyarrow", "two tables need PyArrow", "parquet")
        request = Request(Names.of(document, mention, label), wanted, policies)
        key_table = from_table(table.to_arrow(), request.names, "the key's table")
        response_table = from_table(_table(response_frame).to_arrow(), request.names, "the response's table")
        return score_tables(key_table, response_table, request, threads, progress)
    mentions = [mention] if isinstance(mention, str) else list(mention or [])
    check_columns([*([] if document is None else [document]), *mentions, key, response], table.columns, "the table")
    n_rows = len(table)
    names, bounds, order = None, np.array([0, n_rows]), None
    if document is not None:
        bounds, order, rows = group_values(_numbers(table, document))
        names = tuple(map(str, table[document][rows.tolist()].to_list()))
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
    counted = counted_metrics(wanted)
    counts = count_sides(ours, theirs, policies, counted, describe, names, threads=threads, progress=progress)
    return BatchScores(wanted, counts, signature(policies))


def _table(frame: Any) -> narwhals.DataFrame[Any]:
    need("narwhals", "tables need narwhals", "frames")
    import narwhals

    try:
        return narwhals.from_native(frame, eager_only=True)
    except TypeError:
        kind = f"{type(frame).__module__}.{type(frame).__name__}"
        raise InputError(f"frame is a {kind}; expected a table of pandas, polars or PyArrow, not a lazy one") from None


def _numbers(table: narwhals.DataFrame[Any], column: str) -> Integers:
    """Return numbers that are equal where a column's values are, int64 (rows,); whole numbers stay as they are.

    Raises:
        InputError: a value that is null.
    """
    series = table[column]
    if series.dtype.is_integer() and series.null_count() == 0:
        return np.asarray(series.to_numpy()).astype(np.int64, copy=False)
    codes = _codes(series)
    if (codes < 0).any():
        raise InputError(f"row {int((codes < 0).argmax())} has no value in column {column!r}; expected one in each row")
    return codes


def _labels(table: narwhals.DataFrame[Any], column: str) -> Integers:
    """Return labels as int64 (rows,), -1 where there is none."""
    series = table[column]
    if not series.dtype.is_integer() or series.dtype.is_unsigned_integer():
        return _codes(series)
    values = np.asarray((series.fill_null(-1) if series.null_count() else series).to_numpy(), np.int64)
    if values.min(initial=0) < -1:
        row = int((values < -1).argmax())
        raise InputError(f"row {row} has the label {values[row]} in column {column!r}; expected >= 0, -1 or null")
    return values


def _codes(series: narwhals.Series[Any]) -> Integers:
    """Number the distinct values of a column from 0, in whichever way its library is fast at.

    Args:
        series: (rows,) of texts or anything that can be compared.

    Returns:
        int64 (rows,), -1 for null, NaN and None.
    """
    import narwhals

    if series.dtype.is_float():
        series = series.fill_nan(None)
    native = series.to_native()
    if series.implementation.is_pandas():
        return np.asarray(native.factorize()[0], np.int64)
    if series.implementation.is_pyarrow():
        indices = native.combine_chunks().dictionary_encode().indices
        return np.asarray(indices.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
    if series.implementation.is_polars() and isinstance(series.dtype, narwhals.String):
        import polars

        physical = native.cast(polars.Categorical).to_physical()
        return np.asarray(physical.cast(polars.Int64).fill_null(-1).to_numpy())
    return series.rank("dense").fill_null(0).to_numpy().astype(np.int64) - 1
