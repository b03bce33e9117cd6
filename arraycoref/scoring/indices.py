"""Join pandas Series on their index: the index names the mentions, whatever the order and the number of rows.

The index of an xarray DataArray is the coordinates of its only dimension.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError

KINDS = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float"), "numbers"),
    **dict.fromkeys(("string", "bytes"), "texts"),
    **dict.fromkeys(("datetime64", "datetime"), "times"),
}
"""Kind of an index for each type that pandas infers; no value of one kind equals a value of another kind."""


def index_of(labels: object) -> Any:
    """Return the index of a pandas Series, an object with the same methods, or a DataArray; None for other objects."""
    if type(labels) is np.ndarray or getattr(labels, "ndim", 1) != 1:
        return None
    if hasattr(labels, "dims") and hasattr(labels, "indexes"):
        return labels.indexes.get(labels.dims[0])
    index = getattr(labels, "index", None) if hasattr(labels, "isna") else None
    return index if hasattr(index, "get_indexer") else None


def join(
    key: NDArray[Any], response: NDArray[Any], key_index: Any, response_index: Any, fixed: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Align the labels of two Series on the union of their indices; if these are equal, return the labels as they are.

    Args:
        key: (M,) labels.
        response: (N,) labels.
        key_index: (M,) index of the key: the mention of each label.
        response_index: (N,) likewise.
        fixed: whether the positions must stay, because something else refers to them, such as document bounds.

    Returns:
        Labels of both sides for each mention of the union, -1 where a side lacks the mention. Two different indices
        that only number the rows are not joined.

    Raises:
        InputError: indices that differ where positions are fixed; an index with a repeated or a missing value; numbers
            in one index and texts in the other; different levels.
    """
    if key_index.equals(response_index):
        return key, response
    if counts_rows(key_index) and counts_rows(response_index):  # default indices: not joined, so lengths must agree
        return key, response
    if fixed:
        raise InputError("key and response have different indices; expected the same where offsets are given")
    check_index(key_index, "key")
    check_index(response_index, "response")
    _check_alike(key_index, response_index, "response")
    filled = [index for index in (key_index, response_index) if len(index)]
    union = filled[0] if len(filled) == 1 else key_index.union(response_index, sort=False)
    return _spread(key, key_index, union), _spread(response, response_index, union)


def reorder(labels: NDArray[Any], index: Any, wanted: Any, what: str) -> NDArray[Any]:
    """Bring the labels of a Series into the order of another index; if either index is None, return them as given.

    Raises:
        InputError: the indices hold different values; or they differ in order, and a value is repeated or missing.
    """
    if index is None or wanted is None or index.equals(wanted):
        return labels
    check_index(index, what)
    check_index(wanted, "key")
    _check_alike(wanted, index, what)
    at = wanted.get_indexer(index)
    if at.size != wanted.size or (at < 0).any():
        strange = index[at < 0] if (at < 0).any() else wanted.difference(index)
        shown = f"{strange[0]!s:.60}" if len(strange) else "other values"
        raise InputError(f"{what} and the key have indices that differ in {shown}; expected the same values")
    return _spread(labels, index, wanted)


def require_one_index(**columns: Any) -> None:
    """Refuse Series with different indices where items belong together by position.

    Raises:
        InputError: two of the columns have different indices; the message names them.
    """
    first = None
    for what, column in columns.items():
        index = index_of(column)
        if first is not None and index is not None and not index.equals(first[1]):
            raise InputError(f"{first[0]} and {what} have different indices; expected the same, or arrays without one")
        if first is None and index is not None:
            first = what, index


def check_index(index: Any, what: str) -> None:
    """Refuse an index that does not identify each row.

    Raises:
        InputError: a value is missing or repeated.
    """
    if any(index.get_level_values(level).hasnans for level in range(index.nlevels)):
        raise InputError(f"{what} has a missing value in its index; expected a value for each mention")
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise InputError(f"{what} has {twice!s:.60} twice in its index; expected each mention once")


def _check_alike(key: Any, index: Any, what: str) -> None:
    """Refuse two indices that can share no value, such as numbers and texts, or whose levels differ."""
    if not len(key) or not len(index):
        return
    ours, theirs = list(key.names), list(index.names)
    if key.nlevels != index.nlevels or (ours != theirs and sorted(map(str, ours)) == sorted(map(str, theirs))):
        shown = f"of {index.nlevels} levels, {theirs}, and the key's of {key.nlevels}, {ours}"
        raise InputError(f"{what} has an index {shown}; expected the same levels in the same order")
    for one, other in zip(_levels(key), _levels(index), strict=True):
        kinds = [KINDS.get(getattr(level, "categories", level).inferred_type) for level in (one, other)]
        if None not in kinds and kinds[0] != kinds[1]:
            shown = f"{kinds[0]} such as {one[0]!s:.60} and {kinds[1]} such as {other[0]!s:.60}"
            raise InputError(f"key and {what} have indices of different kinds, with {shown}; expected the same")


def _levels(index: Any) -> Any:
    return index.levels if index.nlevels > 1 else [index]


def counts_rows(index: Any) -> bool:
    """Whether an index is the default one, which only numbers the rows: 0, 1, ..."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _spread(labels: NDArray[Any], index: Any, union: Any) -> NDArray[Any]:
    spread = np.full(len(union), -1, labels.dtype)
    if len(index):
        spread[union.get_indexer(index)] = labels
    spread.flags.writeable = False  # as all labels; for writable arrays, kernels would be compiled again
    return spread
