"""Number the values of columns: lists and NumPy's arrays by themselves, those of other libraries through narwhals."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.ragged import Ints, number_by_appearance

if TYPE_CHECKING:
    import narwhals

WHOLE, TEXT = "whole numbers", "texts"
"""Kinds of columns; other kinds are the names of types."""

_FOREIGN = ("factorize", "__narwhals_series__", "__arrow_c_stream__", "__arrow_c_array__")


def coded(column: Any) -> tuple[Ints | None, NDArray[Any]]:
    """Convert a column to NumPy; or to codes (N,), -1 for null, and the values that they number."""
    if isinstance(column, np.ndarray):
        masked = type(column) is not np.ndarray and isinstance(column, np.ma.MaskedArray)  # importing it takes 10 ms
        return None, np.array(column.tolist(), object) if masked else column
    if isinstance(column, list | tuple) and set(map(type, column)) == {str}:
        return None, objects(column)
    if isinstance(column, list | tuple):
        array = np.asarray(column)  # NumPy makes booleans numbers, numbers texts, and large integers floats
        whole = array.dtype.kind == "b" or (array.dtype.kind in "iu" and {bool, np.bool_}.isdisjoint(map(type, column)))
        return None, array if whole or array.ndim != 1 else objects(column)
    is_foreign = any(hasattr(column, name) for name in _FOREIGN) and not hasattr(column, "dims")  # a table in xarray's
    if not is_foreign or isinstance(getattr(column, "dtype", None), np.dtype):
        return None, np.asarray(column)
    series = series_of(column)
    dtype, name = series.dtype, str(series.dtype)
    is_wide = name.endswith("128")
    if dtype.is_numeric() and not dtype.is_decimal() and not is_wide and not series.null_count():
        return None, np.asarray(series.to_numpy())
    if dtype.is_nested() or is_wide or name in ("Object", "Unknown"):
        return None, objects(series.to_list())
    codes, distinct = codes_of(series)
    if distinct is None:
        rows = np.flatnonzero(codes >= 0)
        codes[rows], first = number_by_appearance(codes[rows], int(codes.max(initial=-1)) + 1)
        distinct = series[rows[first]].to_native()
    return codes, np.asarray(distinct)


def objects(items: Sequence[Any]) -> NDArray[Any]:
    """Return an array of Python objects, (N,)."""
    return np.fromiter(items, object, len(items))


def series_of(column: Any) -> narwhals.Series[Any]:
    """Wrap a column with narwhals, with values instead of categories, dictionaries and runs.

    Numbers of 128 bits get 64 where these hold them, texts of PyArrow a type without limit.

    Raises:
        TypeError: a type of Arrow's that another library defined, other than UUIDs: what it means is not known.
    """
    import narwhals

    if not isinstance(column, narwhals.Series):
        with suppress(TypeError):
            column = narwhals.from_native(column, series_only=True)
    if not isinstance(column, narwhals.Series):
        module, make = ("pandas", "Series") if hasattr(column, "factorize") else ("pyarrow", "chunked_array")
        make_column = getattr(__import__(module), make)
        is_array = make == "chunked_array" and not hasattr(column, "__arrow_c_stream__")
        column = narwhals.from_native(make_column([column] if is_array else column), series_only=True)
    native, kind = column.to_native(), str(column.dtype)
    if column.implementation.is_polars() and kind.startswith(("Enum", "Categorical")):
        column = column.cast(narwhals.String)
    if kind.endswith("Int128"):
        with suppress(Exception):  # of the library, for numbers above 64 bits
            column = column.cast(narwhals.Int64)
    if column.implementation.is_pandas() and hasattr(native, "cat") and (native.cat.codes >= 0).all():
        column = narwhals.from_native(native.astype(native.cat.categories.dtype), series_only=True)
    if column.implementation.is_pyarrow():
        column = narwhals.from_native(_plain_arrow(native), series_only=True)
    series: narwhals.Series[Any] = column
    return series


def _plain_arrow(column: Any) -> Any:
    import pyarrow
    from pyarrow import compute, types

    if types.is_run_end_encoded(column.type):
        column = compute.run_end_decode(column)
    if types.is_dictionary(column.type):  # `null_count` ignores nulls among its values
        column = column.cast(column.type.value_type)
    if isinstance(column.type, pyarrow.BaseExtensionType) and str(column.type) != "extension<arrow.uuid>":
        raise TypeError(f"type {column.type}; expected one of Arrow's own")
    is_text = str(column.type) in ("string", "large_string", "string_view")
    return column.cast(pyarrow.large_string()) if is_text else column


def kind_of(series: narwhals.Series[Any]) -> str:
    """Return what values a column holds: `WHOLE`, `TEXT`, or the name of another type."""
    name = str(series.dtype)
    if series.dtype.is_integer() and not name.endswith("128"):
        return WHOLE
    return TEXT if name in ("String", "Categorical", "Object") else name


def codes_of(series: narwhals.Series[Any]) -> tuple[Ints, Any]:
    """Number the distinct values of a column as is fast in its library, int64 (N,), -1 for null.

    Returns:
        The numbers; and the values that they are numbers of, None where the library does not return these.
    """
    import narwhals

    native = series.to_native()
    if series.implementation.is_pandas_like():
        codes, distinct = native.factorize()
        return np.asarray(codes, np.int64), distinct
    if series.implementation.is_pyarrow():
        encoded = native.combine_chunks().dictionary_encode()
        return np.array(encoded.indices.fill_null(-1), np.int64), encoded.dictionary
    if series.implementation.is_polars() and series.dtype == narwhals.String:
        physical = series.cast(narwhals.Categorical).to_native().to_physical()
        return np.array(physical.cast(int).fill_null(-1), np.int64), None
    return np.array(series.rank("dense").fill_null(0).to_numpy(), np.int64) - 1, None


def codes_of_all(columns: Sequence[narwhals.Series[Any]]) -> Ints:
    """Number the distinct values of columns of one kind, int64 (rows of all,)."""
    import narwhals

    if columns[0].dtype.is_float():
        columns = [column + 0.0 for column in columns]  # turns -0.0 into 0.0, which differ for Arrow
    if kind_of(columns[0]) == TEXT and columns[0].dtype != narwhals.Object:
        columns = [column.cast(narwhals.String) for column in columns]
    if len({column.implementation for column in columns}) > 1:
        parts = [(np.arange(len(v)) if codes is None else codes, v.tolist()) for codes, v in map(coded, columns)]
        return np.concatenate(numbered_alike(parts))
    frames = [column.alias("values").to_frame() for column in columns]
    return codes_of(narwhals.concat(frames)["values"] if len(frames) > 1 else columns[0])[0]


def numbered_alike(columns: Iterable[tuple[Ints, Iterable[Hashable]]]) -> list[Ints]:
    """Number columns of codes (N,) and the values of these alike: equal values have equal numbers in all columns."""
    numbers: dict[Hashable, int] = {}
    return [
        np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)[codes]
        for codes, values in columns
    ]
