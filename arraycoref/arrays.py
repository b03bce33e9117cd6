"""Bring arrays of other libraries to NumPy, without a copy where they lie in memory as NumPy's do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError

ARRAY_METHODS = ("__array__", "__array_interface__", "__dlpack__", "__arrow_c_array__", "__arrow_c_stream__")


def is_array(obj: object) -> bool:
    """Whether an object speaks one of the array protocols."""
    return any(hasattr(obj, method) for method in ARRAY_METHODS)


def frozen(array: NDArray[Any], dtype: type[np.number[Any]] = np.int64) -> NDArray[Any]:
    """View an array as contiguous, of one dtype and read-only: each other combination would compile kernels anew."""
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


def as_numpy(obj: Any, what: str = "labels") -> NDArray[Any]:
    """Bring an array of NumPy, torch (CPU), JAX, PyArrow, polars, pandas or any other library to NumPy.

    NumPy arrays pass as they are. Integer columns without missing entries, CPU tensors and JAX arrays are viewed, not
    copied. Missing entries of pandas, polars and Arrow columns and masked entries of NumPy arrays become -1, an absent
    mention; in a float column of pandas, NaN means missing among whole numbers only where the dtype says integer
    (``Int64``), so that a float column stays one and is refused later, as float labels are.

    Args:
        obj: speaks ``__array__``, DLPack or the Arrow C interface, or is a (nested) sequence of numbers.
        what: names the argument, for messages.

    Raises:
        InputError: an array on another device, one that needs its gradient, a table instead of a column, or no array.
    """
    try:
        return _convert(obj, what)
    except (InputError, ImportError, MemoryError):
        raise
    except Exception as error:  # lists of different lengths, numbers past 64 bits: every library has errors of its own
        raise InputError(f"{what}: no array of integers can be made of it: {error}") from error


def _convert(obj: Any, what: str) -> NDArray[Any]:
    if isinstance(obj, np.ndarray):
        if type(obj) is not np.ndarray and isinstance(obj, np.ma.MaskedArray):  # whose import takes 10 ms
            return _without_missing(obj.data, np.ma.getmaskarray(obj), what)
        return obj
    if hasattr(obj, "columns") and not hasattr(obj, "dtype"):
        raise InputError(f"{what} is a table; expected one column (arraycoref.score_table takes tables)")
    if hasattr(obj, "dims") and hasattr(obj, "to_numpy"):  # xarray, which speaks Arrow as a table
        return np.asarray(obj)
    if hasattr(obj, "isna") and hasattr(obj, "to_numpy"):  # pandas
        return _from_pandas(obj, what)
    if hasattr(obj, "__arrow_c_stream__") or hasattr(obj, "__arrow_c_array__"):
        return _from_arrow(obj, what)
    if hasattr(obj, "__dlpack__"):
        return _from_dlpack(obj, what)
    array = np.asarray(obj)
    if array.ndim == 0 and not is_array(obj):
        raise InputError(f"{what} is {obj!r:.60}; expected an array or a list of integers")
    return array


def _from_dlpack(obj: Any, what: str) -> NDArray[Any]:
    if getattr(obj, "requires_grad", False):
        raise InputError(f"{what} is a tensor that requires its gradient; expected integer labels, which have none")
    if hasattr(obj, "__dlpack_device__") and int(obj.__dlpack_device__()[0]) != 1:
        raise InputError(f"{what} lies on device {obj.__dlpack_device__()}; expected main memory, as .cpu() gives")
    try:
        return np.from_dlpack(obj)
    except (BufferError, RuntimeError, TypeError):  # a dtype or layout that DLPack or NumPy does not take
        return np.asarray(obj)


def _from_pandas(obj: Any, what: str) -> NDArray[Any]:
    """Columns and indices of pandas: NumPy dtypes as they are, ``Int64`` and Arrow dtypes with -1 for missing."""
    if isinstance(obj.dtype, np.dtype):
        return np.asarray(obj)
    if getattr(obj.dtype, "kind", "O") not in "iu":
        raise InputError(f"{what} has dtype {obj.dtype}; expected integer labels")
    if not hasattr(obj.dtype, "numpy_dtype"):  # sparse
        return np.asarray(obj)
    missing = np.asarray(obj.isna(), bool)
    if not missing.any():
        return np.asarray(obj.to_numpy(dtype=obj.dtype.numpy_dtype))
    return _without_missing(np.asarray(obj.to_numpy(dtype=obj.dtype.numpy_dtype, na_value=0)), missing, what)


def _from_arrow(obj: Any, what: str) -> NDArray[Any]:
    """Arrow columns: polars by its own export, anything else through pyarrow."""
    if hasattr(obj, "null_count") and hasattr(obj, "fill_null") and hasattr(obj, "to_numpy"):
        column = obj
        if callable(obj.null_count):  # polars
            if obj.null_count() == len(obj):
                return np.full(len(obj), -1)
            if not obj.dtype.is_integer() and len(obj):
                raise InputError(f"{what} has dtype {obj.dtype}; expected integer labels")
            if not obj.null_count():
                return np.asarray(obj.to_numpy())
            missing = np.asarray(obj.is_null().to_numpy(), bool)
            return _without_missing(np.asarray(obj.fill_null(0).to_numpy()), missing, what)
    else:
        import pyarrow

        column = pyarrow.chunked_array(obj) if hasattr(obj, "__arrow_c_stream__") else pyarrow.array(obj)
    import pyarrow

    if column.null_count == len(column):
        return np.full(len(column), -1)
    if not pyarrow.types.is_integer(column.type):
        raise InputError(f"{what} has type {column.type}; expected integer labels")
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if column.null_count:
        column = column.cast(pyarrow.int64()).fill_null(-1)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _without_missing(values: NDArray[Any], missing: NDArray[np.bool_], what: str) -> NDArray[Any]:
    if values.dtype.kind not in "iu":
        raise InputError(f"{what} has dtype {values.dtype}; expected integer labels")
    if not missing.any():
        return values
    most = values[~missing].max(initial=0)
    if most > np.iinfo(np.int64).max:  # -1 means missing: no dtype has both
        raise InputError(f"{what} holds {most} beside missing entries; expected integers below 2^63 there")
    return np.where(missing, -1, values.astype(np.int64))
