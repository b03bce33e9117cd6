"""Convert arrays of other libraries to NumPy, without a copy where NumPy can use their memory as it is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError

ARRAY_METHODS = ("__array__", "__array_interface__", "__dlpack__", "__arrow_c_array__", "__arrow_c_stream__")

MISSING = {"NAType", "NaTType"}
"""Names of pandas' types of missing values."""

Mask = NDArray[np.bool_]


class Values(NamedTuple):
    """The values of an array or column.

    Attributes:
        values: (N, ...) of any dtype; arbitrary at the missing positions.
        missing: bool (N, ...) which values the array marks as missing; None for none. NaN and None in ``values`` are
            not marked here: the caller decides what they mean.
    """

    values: NDArray[Any]
    missing: Mask | None = None


def is_array(obj: object) -> bool:
    """Whether an object supports one of the array protocols."""
    return any(hasattr(obj, method) for method in ARRAY_METHODS)


def frozen(array: NDArray[Any], dtype: type[np.number[Any]] = np.int64) -> NDArray[Any]:
    """Return the array as contiguous, of one dtype and read-only; for other types, kernels would be compiled again."""
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


def as_numpy(obj: Any, what: str = "labels") -> NDArray[Any]:
    """Convert an array of NumPy, torch (CPU), JAX, PyArrow, polars, pandas or any other library to NumPy.

    NumPy arrays are returned as they are. Columns of numbers without missing entries, CPU tensors and JAX arrays are
    viewed, not copied. Entries that pandas, polars and Arrow columns and masked arrays mark as missing become -1 in
    arrays of integers, NaN in arrays of floats and None in other arrays.

    Args:
        obj: an object with ``__array__``, DLPack or the Arrow C interface, or a (nested) sequence of numbers.
        what: name of the argument, for messages.

    Raises:
        InputError: an array on another device, one that needs its gradient, a table instead of a column, or no array.
    """
    values, missing = with_missing(obj, what)
    if missing is None or not missing.any():
        return values
    if values.dtype.kind == "f":
        return np.where(missing, np.nan, values)
    if values.dtype.kind not in "iu":
        filled = values.astype(object)
        filled[missing] = None
        return filled
    most = values[~missing].max(initial=0)
    if most > np.iinfo(np.int64).max:  # no integer dtype holds both these and the -1 for missing
        raise InputError(f"{what} holds {most} beside missing entries; expected integers below 2^63 there")
    return np.where(missing, -1, values.astype(np.int64))


def as_floats(obj: Any, what: str) -> NDArray[np.float64]:
    """Convert numbers of any shape to float64; entries that an array marks as missing become NaN.

    Args:
        obj: an array of any library, a table of numbers, a (nested) sequence of numbers, or a number.
        what: name of the argument, for messages.

    Raises:
        InputError: a value that is no number, such as the text "1", or sequences of different lengths.
    """
    floats: NDArray[np.float64] | None = None
    with suppress(TypeError, ValueError, OverflowError):
        given = np.ma.asarray(obj)
        kinds = {type(value) for value in given.flat} if given.dtype.kind == "O" else set()
        if given.dtype.kind not in "cmMSUT" and kinds.isdisjoint((str, bytes)):  # NumPy would convert all these
            floats = np.ma.filled(given.astype(np.float64, copy=False), np.nan)
    if floats is None:
        raise InputError(f"{what} hold a value that is no number: {obj!r:.60}; expected numbers")
    return floats


def with_missing(obj: Any, what: str) -> Values:
    """Convert an array to NumPy as `as_numpy` does, but return missing entries as a mask.

    Raises:
        InputError: as `as_numpy`.
    """
    try:
        return _convert(obj, what)
    except (InputError, ImportError, MemoryError):
        raise
    except Exception as error:  # each library has its own errors, for nested lists of different lengths and the like
        raise InputError(f"{what} cannot be made an array of numbers: {error}") from error


def _convert(obj: Any, what: str) -> Values:
    if isinstance(obj, np.ndarray):
        if obj.dtype.names is not None:
            raise InputError(f"{what} has the fields {', '.join(obj.dtype.names)}; expected an array of numbers")
        if type(obj) is not np.ndarray and isinstance(obj, np.ma.MaskedArray):  # importing np.ma takes 10 ms
            return Values(obj.data, np.ma.getmaskarray(obj))
        return Values(obj)
    if hasattr(obj, "columns") and not hasattr(obj, "dtype"):
        raise InputError(f"{what} is a table; expected one column (arraycoref.score_table takes tables)")
    if hasattr(obj, "dims") and hasattr(obj, "to_numpy"):  # xarray, whose Arrow interface gives a table
        return Values(np.asarray(obj))
    if is_pandas(obj):
        return _from_pandas(obj)
    if is_polars(obj):
        return _from_polars(obj)
    if hasattr(obj, "__arrow_c_stream__") or hasattr(obj, "__arrow_c_array__"):
        return _from_arrow(arrow_column(obj))
    if hasattr(obj, "__dlpack__"):
        return Values(_from_dlpack(obj, what))
    array = np.asarray(obj)
    if array.ndim == 0 and not is_array(obj):
        raise InputError(f"{what} is {obj!r:.60}; expected an array or a list of numbers")
    return Values(array)


def _from_dlpack(obj: Any, what: str) -> NDArray[Any]:
    if getattr(obj, "requires_grad", False):
        raise InputError(f"{what} is a tensor that requires its gradient; expected integer labels, which have none")
    if hasattr(obj, "__dlpack_device__") and int(obj.__dlpack_device__()[0]) != 1:
        raise InputError(f"{what} lies on device {obj.__dlpack_device__()}; expected main memory, as .cpu() gives")
    try:
        return np.from_dlpack(obj)
    except (BufferError, RuntimeError, TypeError):  # DLPack or NumPy does not support the dtype or layout
        return np.asarray(obj)


def is_pandas(obj: Any) -> bool:
    """Whether an object is a column, an index or an extension array of pandas."""
    return hasattr(obj, "isna") and hasattr(obj, "to_numpy")


def is_polars(obj: Any) -> bool:
    """Whether an object is a column of polars."""
    return hasattr(obj, "to_physical") and hasattr(obj, "null_count")


def _from_pandas(obj: Any) -> Values:
    if isinstance(obj.dtype, np.dtype) or not hasattr(obj.dtype, "numpy_dtype"):  # sparse, categories, texts
        return Values(np.asarray(obj))
    if obj.dtype.kind not in "iufb":
        return Values(np.asarray(obj, object))
    missing = np.asarray(obj.isna(), bool)
    filled = {"na_value": 0} if missing.any() else {}
    return Values(np.asarray(obj.to_numpy(dtype=obj.dtype.numpy_dtype, **filled)), missing)


def _from_polars(obj: Any) -> Values:
    if obj.null_count() == len(obj):
        return Values(np.zeros(len(obj), np.int64), np.ones(len(obj), bool))
    if not obj.dtype.is_numeric() or obj.dtype.is_decimal() or str(obj.dtype).endswith("Int128"):
        return Values(np.asarray(obj.to_numpy()) if str(obj.dtype) == "Boolean" else objects(obj.to_list()))
    if not obj.null_count():
        return Values(np.asarray(obj.to_numpy()))
    return Values(np.asarray(obj.fill_null(0).to_numpy()), np.asarray(obj.is_null().to_numpy(), bool))


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


def _from_arrow(column: Any) -> Values:
    from pyarrow import BaseExtensionType, types

    kind = column.type
    if isinstance(kind, BaseExtensionType):  # its storage may mean something else
        raise TypeError(f"type {kind}; expected one of Arrow's own")
    if column.null_count == len(column):
        return Values(np.zeros(len(column), np.int64), np.ones(len(column), bool))
    if not types.is_integer(kind) and not types.is_floating(kind) and not types.is_boolean(kind):
        return Values(objects(column.to_pylist()))
    if not column.null_count:
        return Values(column.to_numpy(zero_copy_only=False))
    missing = column.is_null().to_numpy(zero_copy_only=False)
    if types.is_integer(kind):
        column = column.fill_null(0)
    return Values(column.to_numpy(zero_copy_only=False), missing)


def objects(items: Sequence[Any]) -> NDArray[Any]:
    """Make an array (N,) of Python objects, also where the objects are sequences."""
    return np.fromiter(items, object, len(items))


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
