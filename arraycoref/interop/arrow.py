"""Columns of PyArrow, pandas and polars as codes of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_pandas(obj: Any) -> bool:
    """Whether an object is a column, an index or an extension array of pandas."""
    return hasattr(obj, "isna") and hasattr(obj, "to_numpy")


def is_polars(obj: Any) -> bool:
    """Whether an object is a column of polars."""
    return hasattr(obj, "to_physical") and hasattr(obj, "null_count")


def arrow_column(obj: Any) -> Any:
    """Return an Arrow column as one PyArrow array of plain values: dictionaries, runs and string views are decoded.

    Args:
        obj: an object with the Arrow C interface.
    """
    import pyarrow
    from pyarrow import compute, types

    column = obj
    if not isinstance(obj, pyarrow.Array | pyarrow.ChunkedArray):
        column = pyarrow.chunked_array(obj) if hasattr(obj, "__arrow_c_stream__") else pyarrow.array(obj)
    if types.is_run_end_encoded(column.type):
        column = compute.run_end_decode(column)
    if types.is_dictionary(column.type):  # `null_count` ignores nulls among its values
        column = column.cast(column.type.value_type)
    if str(column.type) == "string_view":
        column = column.cast(pyarrow.large_string())
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def is_text_type(kind: Any) -> bool:
    """Whether an Arrow type holds texts."""
    return str(kind) in ("string", "large_string", "string_view")


def text_codes(obj: Any) -> tuple[NDArray[np.int64], NDArray[Any] | None] | None:
    """Number the distinct values of a column of texts or categories, in the way that is fast in its library.

    Args:
        obj: any object; columns of pandas, polars and Arrow are recognised.

    Returns:
        int64 (N,) codes from 0, -1 where a value is missing; and the (V,) values that the codes number, or None for
        columns of polars and Arrow, whose values are distinct texts. None in place of both for any other object.
    """
    if isinstance(obj, np.ndarray | list | tuple) or hasattr(obj, "columns") or hasattr(obj, "dims"):
        return None
    if is_pandas(obj):
        if isinstance(obj.dtype, np.dtype) or obj.dtype.kind not in "OU" or hasattr(obj.dtype, "subtype"):
            return None
        codes, values = obj.factorize()
        return np.asarray(codes, np.int64), np.asarray(values)
    if is_polars(obj):
        import polars

        if obj.dtype == polars.String:
            obj = obj.cast(polars.Categorical)
        if obj.dtype not in (polars.Categorical, polars.Enum):
            return None
        return obj.to_physical().cast(polars.Int64).fill_null(-1).to_numpy(), None
    if not hasattr(obj, "__arrow_c_stream__") and not hasattr(obj, "__arrow_c_array__"):
        return None
    column = arrow_column(obj)
    if not is_text_type(column.type):
        return None
    codes = column.dictionary_encode().indices.fill_null(-1)
    return np.asarray(codes.to_numpy(zero_copy_only=False), np.int64), None


def find_texts(obj: Any, texts: Sequence[str]) -> list[str]:
    """Return which of some texts a column of polars or Arrow holds, since `text_codes` does not return its texts."""
    if is_polars(obj):
        import polars

        column = obj if obj.dtype == polars.String else obj.unique().cast(polars.String)  # of categories, few are left
        return list(column.filter(column.is_in(texts)))
    import pyarrow
    from pyarrow import compute

    column = arrow_column(obj)
    found: list[str] = column.filter(compute.is_in(column, pyarrow.array(texts, column.type))).to_pylist()
    return found
