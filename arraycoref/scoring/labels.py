"""Convert label columns of any library and dtype to int64, with -1 where a mention belongs to no entity.

All labels pass through this module:

| value in a column | meaning |
|---|---|
| a whole number from 0 on, of any dtype: also 64-bit unsigned, and Python's of any size | an entity |
| a whole number as a float, below 2^53 (float32: 2^24), where floats begin to leave integers out | an entity |
| a decimal without a fraction, of any size | an entity |
| a text, or a UUID, in a column of these | an entity |
| a boolean, in a column of these | an entity |
| a category | as its value |
| -1 as a number | no entity |
| null, None, NaN, NaT, NA, a masked entry | no entity |
| a text that tables have for a missing value: "-1", "nan", "N/A", spaces and the like | an error |
| anything else: a fraction, infinity, a complex number, bytes, a date, texts or booleans beside numbers | an error |

Numbers below -1 are an error wherever labels are scored; scoring finds them where it reads each label anyway.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.exceptions import BELOW, NO_LABEL, InputError
from arraycoref.ragged import Bools, Ints
from arraycoref.scoring.columns import coded

MOST_MENTIONS = 2**31 - 1
"""Most mentions that a document may have, so that numbers of links and their sums fit 64 bits."""

EXPECTED = "expected whole numbers or texts"
MISSING = {"NAType", "NaTType"}  # names of pandas' types


class Labels(NamedTuple):
    """Labels as numbers.

    Attributes:
        values: integers of any dtype: numbers are kept, texts are numbered; -1 at the missing positions.
        missing: bool, of the same shape, which labels are missing; None for none.
    """

    values: NDArray[Any]
    missing: Bools | None = None


def is_array(obj: object) -> bool:
    """Whether an object supports one of the array protocols."""
    return any(hasattr(obj, name) for name in ("__array__", "__dlpack__", "__arrow_c_array__", "__arrow_c_stream__"))


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT."""
    is_nan = isinstance(value, float | np.floating) and value != value  # noqa: PLR0124
    return value is None or type(value).__name__ in MISSING or bool(is_nan)


def as_numpy(obj: Any, what: str = "labels") -> NDArray[Any]:
    """Convert numbers of any library to NumPy, without a copy where it can use their memory.

    Masked entries become -1 among integers and NaN among floats.

    Raises:
        InputError: a table instead of a column, or what NumPy refuses, such as a tensor on another device.
    """
    if type(obj) is np.ndarray:
        return obj
    obj = one_column(obj, what)
    if isinstance(obj, np.ma.MaskedArray):
        return np.asarray(obj.filled(-1) if obj.dtype.kind == "i" else np.ma.filled(obj.astype(np.float64), np.nan))
    try:
        return np.asarray(obj)
    except Exception as error:  # each library has its own errors
        raise InputError(f"{what} cannot be made an array of numbers: {error}") from error


def one_column(obj: Any, what: str) -> Any:
    """Return a column, also for a table of this one alone: of polars or PyArrow, or a relation of DuckDB.

    Raises:
        InputError: a table of several columns, or one of pandas, whose column has an index.
    """
    if type(obj) is np.ndarray or not (hasattr(obj, "columns") or hasattr(obj, "schema")) or hasattr(obj, "dtype"):
        return obj
    if hasattr(obj, "__arrow_c_stream__") and not hasattr(obj, "index"):
        import pyarrow

        table = pyarrow.table(obj)
        if table.num_columns == 1:
            return table.column(0)
    raise InputError(f"{what} is a table; expected one column (arraycoref.score_table takes tables)")


def label_array(labels: Any, what: str) -> Ints:
    """Convert labels to a contiguous int64 array, without a copy if they are one already.

        >>> label_array([3.0, float("nan"), -1], "key").tolist(), label_array(["b", "a", None, "b"], "key").tolist()
        ([3, -1, -1], [0, 1, -1, 0])

    Args:
        labels: (M,) a sequence, or an array or column of any library that NumPy, pandas or PyArrow reads; the table of
            this module says what its values mean.
        what: name of the argument, for messages.

    Returns:
        int64 (M,); numbers below -1 are kept.

    Raises:
        InputError: labels that are not one-dimensional, or that the table of this module calls an error.
    """
    is_usual = type(labels) is np.ndarray and labels.dtype.kind == "i"
    array = labels if is_usual else label_matrix(labels, what)
    if array.ndim != 1:
        raise InputError(f"{what} has shape {array.shape}; expected one label per mention, shape (M,)")
    return np.ascontiguousarray(array, np.int64)


def label_matrix(labels: Any, what: str) -> NDArray[Any]:
    """Convert labels of any shape to integers within int64, as `label_array` does; such integers keep their dtype."""
    if type(labels) is np.ndarray and labels.dtype.kind == "i":
        return labels
    values = label_values(labels, what).values
    if values.dtype.kind == "u" and values.max(initial=0) > np.iinfo(np.int64).max:  # only the order is kept
        return np.unique(values, return_inverse=True)[1].reshape(values.shape)
    return values


def label_values(labels: Any, what: str) -> Labels:
    """Convert labels of any shape to integers, and return missing labels as a mask.

    Raises:
        InputError: labels that the table of this module calls an error.
    """
    labels = one_column(labels, what)
    try:
        codes, values = coded(labels)
    except ImportError:
        raise
    except Exception as error:  # each library has its own errors
        raise InputError(f"{what}: {EXPECTED} ({error})") from error
    if codes is None:
        return _of_array(values, what)
    used = np.flatnonzero(np.bincount(codes[codes >= 0]))  # a category that no label has may be anything
    numbers, position = _of_array(values[used], what), np.full(len(values) + 1, -1)
    position[used] = np.arange(used.size)
    numbered = np.append(numbers.values, numbers.values.dtype.type(0))[position[codes]]
    missing = codes < 0
    if numbers.missing is not None:
        missing |= numbers.missing[position[codes]]
    return _with_missing(numbered, missing)


def _of_array(array: NDArray[Any], what: str) -> Labels:
    kind = array.dtype.kind
    if kind == "b":
        array, kind = array.astype(np.int64), "i"
    if kind in "iu":
        return Labels(array)
    if not array.size:
        return Labels(np.zeros(array.shape, np.int64))
    if kind == "f":
        missing = np.isnan(array)
        values = np.where(missing, 0, array)
        bad = (values != np.trunc(values)) | are_rounded(values)
        if bad.any():
            reason = f"label {int(bad.argmax())} is {array.flat[int(bad.argmax())]!s} among {array.dtype}"
            raise InputError(f"{what}: {reason}; expected whole numbers below {_exact(array.dtype):.0f}, NaN for none")
        return _with_missing(values.astype(np.int64), missing)
    if kind in "UOT":
        return _of_objects(array, what)
    raise InputError(f"{what} has dtype {array.dtype}; {EXPECTED}, as .astype(str) makes of each")


def _with_missing(values: NDArray[Any], missing: Bools) -> Labels:
    """Put -1 at the missing positions."""
    if not missing.any():
        return Labels(values)
    if values.dtype.kind == "u":  # only the order is kept
        values = np.unique(values, return_inverse=True)[1].reshape(values.shape)
    return Labels(np.where(missing, -1, values.astype(np.int64)), missing)


def _of_objects(array: NDArray[Any], what: str) -> Labels:
    """Number Python objects: whole numbers of any size, or texts."""
    items = array.ravel().tolist()
    if not set(map(type, items)) <= {str, int, type(None)}:
        items = [_meaning(item, position, what) for position, item in enumerate(items)]
    distinct = dict.fromkeys(items)
    has_missing = None in distinct
    distinct.pop(None, None)
    kinds = set(map(type, items)) - {type(None)}  # of the items, as True equals 1
    if len(kinds) > 1:
        one, other = [next(item for item in items if type(item) is kind) for kind in kinds][:2]
        raise InputError(f"{what} holds {one!r:.60} and {other!r:.60}; {EXPECTED}, not both")
    if kinds == {str}:
        refuse_lost(distinct, what)
    number_of: dict[Any, int] = {label: n for n, label in enumerate(distinct)}
    if kinds == {int}:
        least, most = min(distinct), max(distinct)
        if least < -1 and max(-least, most) >= 2**63:
            raise InputError(f"{what} label {least} of mention {items.index(least)}; {BELOW}")
        if most < 2**63:
            number_of = dict(zip(distinct, distinct, strict=True))
        elif -1 in distinct:
            number_of[-1] = -1
    number_of[None] = -1
    values = np.fromiter(map(number_of.__getitem__, items), np.int64, len(items)).reshape(array.shape)
    missing = np.array([item is None for item in items]).reshape(array.shape) if has_missing else None
    return Labels(values, missing)


def _meaning(item: Any, position: int, what: str) -> int | str | None:
    """Return the label that a Python object means: an integer, a boolean, a text, or None for a missing value."""
    if is_missing(item):
        return None
    if isinstance(item, bool | np.bool_):
        return bool(item)
    if isinstance(item, str | UUID):
        return str(item)
    if isinstance(item, Decimal) and item.is_finite() and item == item.to_integral_value():
        return int(item)
    if isinstance(item, int | np.integer):
        return int(item)
    if isinstance(item, float | np.floating):
        number = np.asarray(item)
        if number == np.trunc(number) and np.abs(number) < _exact(number.dtype):
            return int(item)
    raise InputError(f"{what}: label {position} is {item!r:.60}; {EXPECTED}, such as str() of each")


def are_rounded(values: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Which floats are so large that whole numbers near them have the same value: ids are lost among these."""
    large: NDArray[np.bool_] = np.abs(values) >= _exact(values.dtype)
    return large


def _exact(dtype: np.dtype[Any]) -> float:
    """Return the first whole number to which a float dtype also rounds the next one, or that int64 cannot hold."""
    digits: int = np.finfo(dtype).nmant
    return float(2 ** min(digits + 1, 63))


def refuse_lost(texts: Iterable[str], what: str) -> None:
    """Refuse texts of `NO_LABEL`: read as labels, they would join all mentions without an entity in one entity."""
    for text in sorted(filter(NO_LABEL.fullmatch, texts)):
        reason = f"{what} holds the text {text!r:.60}, which libraries write for a missing value"
        raise InputError(f"{reason}; expected null, or -1 as a number, where there is no entity")


def index_of(labels: object) -> Any:
    """Return the index of a pandas Series, or the coordinates of an xarray DataArray; None for other objects."""
    if type(labels) is np.ndarray or getattr(labels, "ndim", 1) != 1:
        return None
    if hasattr(labels, "dims") and hasattr(labels, "indexes"):
        return labels.indexes.get(labels.dims[0])
    index = getattr(labels, "index", None) if hasattr(labels, "isna") else None
    return index if hasattr(index, "get_indexer") else None


def require_one_index(**columns: Any) -> None:
    """Refuse Series whose indices differ, since their items belong together by position.

    Raises:
        InputError: two of the columns have different indices; the message names them.
    """
    first = None
    for what, column in columns.items():
        index = index_of(column)
        if first is not None and index is not None and not index.equals(first[1]):
            reason = f"{first[0]} and {what} have different indices"
            raise InputError(f"{reason}; expected the same, as after `a, b = a.align(b)`, or arrays without one")
        if first is None and index is not None:
            first = what, index


def offset_array(offsets: ArrayLike | None, n_mentions: int) -> Ints:
    """Check document bounds and convert them to int64; None means that there is one document.

    Raises:
        InputError: not integers, not from 0 to ``n_mentions``, or decreasing; or a document of 2^31 mentions or more.
    """
    if offsets is None and n_mentions <= MOST_MENTIONS:
        return np.array([0, n_mentions])
    values = [0, n_mentions] if offsets is None else offsets
    array = values if type(values) is np.ndarray else as_numpy(values, "offsets")
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise InputError(f"offsets has shape {array.shape} and dtype {array.dtype}; expected integers, shape (D+1,)")
    if array[0] != 0 or array[-1] != n_mentions:
        raise InputError(f"offsets run from {array[0]} to {array[-1]}; expected 0 to {n_mentions}, the labels per side")
    d = int((array[1:] < array[:-1]).argmax()) if array.size > 1 else 0  # takes half the time of any()
    if array.size > 1 and array[d] > array[d + 1]:
        raise InputError(f"offsets decrease from {array[d]} to {array[d + 1]} at document {d}")
    if n_mentions > MOST_MENTIONS and (longest := np.diff(array).max()) > MOST_MENTIONS:
        raise InputError(f"a document has {longest} mentions; expected at most 2^31 - 1")
    return np.ascontiguousarray(array, np.int64)
