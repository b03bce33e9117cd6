"""Convert label columns of any library and dtype to int64, with -1 where a mention belongs to no entity.

All labels pass through this module:

| value in a column | meaning |
|---|---|
| a whole number from 0 on, of any dtype: also 64-bit unsigned, and Python's of any size | an entity |
| a whole number as a float, below 2^53 (float32: 2^24), where floats begin to leave integers out | an entity |
| a text, in a column of texts | an entity |
| a category | as its value |
| -1 as a number | no entity |
| null, None, NaN, NaT, NA, a masked entry | no entity |
| a text that libraries write for a missing value: "-1", "nan", "None" and the like | an error |
| anything else: a fraction, infinity, a complex number, a boolean, bytes, a date, texts beside numbers | an error |

Numbers below -1 are an error wherever labels are scored; scoring finds them where it reads each label anyway.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.scoring.arrays import MISSING, Mask, Values, find_texts, frozen, objects, text_codes, with_missing

EXPECTED = "expected whole numbers or texts"
BELOW = "expected an entity >= 0, or -1 where the mention is absent"
LARGEST = np.iinfo(np.int64).max
BOOLEANS = {bool, np.bool_}
ABSENT = ("", "-1", "-1.0")
"""Texts that mean no entity in files of text, whose values are all texts."""

LOST = (*ABSENT, "nan", "None", "<NA>", "NaT", "null")
"""Texts that Python and its libraries write for a missing value or for no entity."""


def label_array(labels: Any, what: str, narrow: int | None = None) -> NDArray[Any]:
    """Convert labels to a contiguous int64 array, without a copy if they are one already.

        >>> label_array([3.0, float("nan"), -1], "key").tolist(), label_array(["b", "a", None, "b"], "key").tolist()
        ([3, -1, -1], [0, 1, -1, 0])

    Args:
        labels: (M,) a sequence, or an array or column of any library with ``__array__``, DLPack or the Arrow C
            interface; the table of this module says what its values mean.
        what: name of the argument, for messages.
        narrow: int32 arrays of this size or larger are not converted; None to convert all.

    Returns:
        int64 (M,), or int32 (see ``narrow``); numbers below -1 are kept.

    Raises:
        InputError: labels that are not one-dimensional, or that the table of this module calls an error.
    """
    array = labels if type(labels) is np.ndarray and labels.dtype.kind == "i" else label_matrix(labels, what)
    if array.ndim != 1:
        raise InputError(f"{what} has shape {array.shape}; expected one label per mention, shape (M,)")
    if narrow is not None and array.dtype == np.int32 and array.size >= narrow:
        return frozen(array, np.int32)
    return frozen(array)


def label_matrix(labels: Any, what: str) -> NDArray[Any]:
    """Convert labels of any shape to integers within int64, as `label_array` does; such integers keep their dtype."""
    values, missing = label_values(labels, what)
    if values.dtype.kind == "u":
        if values.dtype.itemsize == 8 and values.size and values.max() > LARGEST:  # too large: only the order is kept
            values = np.unique(values, return_inverse=True)[1].reshape(values.shape)
        elif missing is not None:
            values = values.astype(np.int64)
    return values if missing is None or not missing.any() else np.where(missing, -1, values)


def label_values(labels: Any, what: str, first: int = 0) -> Values:
    """Convert labels of any shape to integers, and return missing labels as a mask.

    Args:
        labels: see `label_array`.
        what: name of the labels, for messages.
        first: number of the first label, for messages.

    Returns:
        Integers of any dtype: numbers are kept, texts are numbered. And a mask of the missing labels; None if there
        are none.

    Raises:
        InputError: labels that the table of this module calls an error.
    """
    if hasattr(labels, "to_native"):  # a column of narwhals
        labels = labels.to_native()
    try:
        coded = text_codes(labels)
    except InputError:
        raise
    except Exception as error:  # each library has its own errors, for categories that cannot be compared
        raise InputError(f"{what}: {EXPECTED} ({error})") from error
    if coded is None:
        return _of_array(*_given(labels, what), what, first)
    codes, values = coded
    missing = codes < 0
    if values is None:
        refuse_lost(find_texts(labels, LOST), what)
        return Values(codes, missing)
    if not values.size:
        return Values(codes, missing)
    found = _of_array(values, None, what, None)
    if found.missing is not None:
        missing = missing | found.missing[codes]
    return Values(found.values[codes], missing)


def _given(labels: Any, what: str) -> Values:
    """Convert labels to NumPy; a list whose items are not all integers becomes an array of Python objects."""
    given = with_missing(labels, what)
    if not isinstance(labels, list | tuple) or given.values.ndim != 1:
        return given
    if given.values.dtype.kind in "iu" and BOOLEANS.isdisjoint(map(type, labels)):
        return given
    return Values(objects(labels))  # NumPy converts booleans to numbers, numbers to texts, and large integers to floats


def _of_array(array: NDArray[Any], missing: Mask | None, what: str, first: int | None) -> Values:
    kind = array.dtype.kind
    if kind in "iu":
        return Values(array, missing)
    if not array.size:
        return Values(np.zeros(array.shape, np.int64))
    if kind == "f":
        return _of_floats(array, missing, what, first)
    if kind == "U":
        texts, codes = np.unique(array, return_inverse=True)
        refuse_lost(texts.tolist(), what)
        return Values(codes.reshape(array.shape), missing)
    if kind in "OT":
        return _of_objects(array, missing, what, first)
    raise InputError(f"{what} has dtype {array.dtype}; {EXPECTED}")


def _of_floats(array: NDArray[Any], missing: Mask | None, what: str, first: int | None) -> Values:
    """Convert floats that are whole numbers; refuse those so large that they may have been rounded."""
    missing = np.isnan(array) if missing is None else np.isnan(array) | missing
    values = np.where(missing, 0, array)
    exact = _exact(array.dtype)
    bad = (values != np.trunc(values)) | (np.abs(values) >= exact)
    if bad.any():
        position = int(bad.argmax())
        reason = f"{_place(position, first)} is {array.flat[position]!s} among {array.dtype}"
        raise InputError(f"{what}: {reason}; expected whole numbers below {exact:.0f}, NaN for none")
    return Values(values.astype(np.int64), missing)


def _exact(dtype: np.dtype[Any]) -> float:
    """Return the first whole number to which a float dtype also rounds the next one, or that int64 cannot hold."""
    digits: int = np.finfo(dtype).nmant
    return float(2 ** min(digits + 1, 63))


def _of_objects(array: NDArray[Any], missing: Mask | None, what: str, first: int | None) -> Values:
    """Convert Python objects: whole numbers of any size, or texts."""
    items = array.ravel().tolist()
    if missing is not None:
        items = [None if gone else item for item, gone in zip(items, missing.ravel().tolist(), strict=True)]
    if not set(map(type, items)) <= {str, int}:
        items = [_meaning(item, position, what, first) for position, item in enumerate(items)]
    kinds = set(map(type, items)) - {type(None)}
    if len(kinds) > 1:
        text, number = (next(item for item in items if type(item) is kind) for kind in (str, int))
        raise InputError(f"{what} holds the text {text!r:.60} and the number {number!r:.60}; {EXPECTED}, not both")
    gone = np.array([item is None for item in items], bool).reshape(array.shape)
    if kinds == {int}:
        values = _numbers([-1 if item is None else item for item in items], what)
    else:
        number_of = {text: n for n, text in enumerate(dict.fromkeys(items))}
        refuse_lost(number_of, what)
        values = np.array([number_of[item] for item in items], np.int64)
    return Values(values.reshape(array.shape), gone)


def refuse_lost(texts: Iterable[str | None], what: str) -> None:
    """Refuse texts of `LOST`: read as labels, they would join all mentions without an entity in one entity.

    Args:
        texts: labels; None is ignored.
        what: name of the labels, for messages.
    """
    for text in sorted(set(LOST).intersection(texts)):
        reason = f"holds the text {text!r}, which libraries write for a missing value"
        raise InputError(f"{what} {reason}; expected null, or -1 as a number, where there is no entity")


def _meaning(item: Any, position: int, what: str, first: int | None) -> int | str | None:
    """Return the label that a Python object means: an integer, a text, or None for a missing value."""
    if item is None or type(item).__name__ in MISSING:
        return None
    if isinstance(item, str):
        return str(item)
    if isinstance(item, int | np.integer) and not isinstance(item, bool):
        return int(item)
    if isinstance(item, float | np.floating):
        number = np.asarray(item)
        if np.isnan(number):
            return None
        if number == np.trunc(number) and np.abs(number) < _exact(number.dtype):
            return int(item)
    raise InputError(f"{what}: {_place(position, first)} is {item!r:.60}; {EXPECTED}")


def _place(position: int, first: int | None) -> str:
    """Describe the position of a label; ``first`` is None for a category, which has no position."""
    return "a category" if first is None else f"label {first + position}"


def _numbers(labels: list[int], what: str) -> NDArray[np.int64]:
    """Make an array of integers; if one does not fit int64, all are numbered from 0 in their order, except -1."""
    try:
        return np.array(labels, np.int64)
    except OverflowError:
        number = {label: n for n, label in enumerate(sorted({-1, *labels}), -1)}
    if min(number) < -1:
        raise InputError(f"{what} label {min(number)} of mention {labels.index(min(number))}; {BELOW}")
    return np.array([number[label] for label in labels], np.int64)
