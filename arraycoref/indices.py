"""Join Series of pandas on their index: a row's index value is its mention, so that rows may be in any order.

A DataArray of xarray with one dimension has an index, too: its coordinates.
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
"""The kind of an index, for each type that pandas infers; a value of one kind never equals a value of another."""


def index_of(labels: object) -> Any:
    """Return the index of a Series of pandas, of an object with the same methods, or of a DataArray; otherwise None."""
    if type(labels) is np.ndarray or getattr(labels, "ndim", 1) != 1:
        return None
    if hasattr(labels, "dims") and hasattr(labels, "indexes"):
        return labels.indexes.get(labels.dims[0])
    index = getattr(labels, "index", None) if hasattr(labels, "isna") else None
    return index if hasattr(index, "get_indexer") else None


def join(
    key: NDArray[Any], response: NDArray[Any], key_index: Any, response_index: Any, fixed: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Reorder the labels of two Series so that equal positions have equal index values.

    Args:
        key: (M,) labels.
        response: (N,) labels.
        key_index: (M,) the mention of each key label.
        response_index: (N,) the mention of each response label.
        fixed: whether rows must keep their positions, because bounds of documents refer to them.

    Returns:
        Key and response labels for the union of both indices, -1 where a side lacks the mention. If the indices are
        equal, or both only number their rows, the labels as they were given.

    Raises:
        InputError: the indices differ and positions are fixed; or an index has a value twice, or a missing value; or
            one has numbers and the other texts, or they have different levels.
    """
    if key_index.equals(response_index):
        return key, response
    if counts_rows(key_index) and counts_rows(response_index):  # rows without names; the caller compares the lengths
        return key, response
    if fixed:
        raise InputError("key and response have different indices; expected the same beside offsets")
    check_index(key_index, "key")
    check_index(response_index, "response")
    _check_alike(key_index, response_index, "response")
    filled = [index for index in (key_index, response_index) if len(index)]
    union = filled[0] if len(filled) == 1 else key_index.union(response_index, sort=False)
    return _spread(key, key_index, union), _spread(response, response_index, union)


def reorder(labels: NDArray[Any], index: Any, wanted: Any, what: str) -> NDArray[Any]:
    """Reorder the labels of a Series to another index; if one of the indices is None, labels stay as they are.

    Raises:
        InputError: the indices have different values, or they differ and one has a value twice.
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
        raise InputError(f"{what} has another index than the key, which differ in {shown}")
    return _spread(labels, index, wanted)


def require_one_index(**columns: Any) -> None:
    """Refuse Series with different indices if their items belong together by position.

    Raises:
        InputError: two indices differ; the message names their columns.
    """
    first = None
    for what, column in columns.items():
        index = index_of(column)
        if first is not None and index is not None and not index.equals(first[1]):
            raise InputError(f"{first[0]} and {what} have different indices; expected the same, or arrays without one")
        if first is None and index is not None:
            first = what, index


def check_index(index: Any, what: str) -> None:
    """Refuse an index with which rows cannot be found.

    Raises:
        InputError: the index has a missing value, or a value twice.
    """
    if any(index.get_level_values(level).hasnans for level in range(index.nlevels)):
        raise InputError(f"{what} has a missing value in its index; expected one for each mention")
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise InputError(f"{what} has {twice!s:.60} twice in its index; expected each mention once")


def _check_alike(key: Any, index: Any, what: str) -> None:
    """Refuse two indices whose values can never be equal, or whose levels are in different orders."""
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
    """Return whether an index only numbers the rows, as the default index does."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _spread(labels: NDArray[Any], index: Any, union: Any) -> NDArray[Any]:
    spread = np.full(len(union), -1, labels.dtype)
    if len(index):
        spread[union.get_indexer(index)] = labels
    spread.flags.writeable = False  # like all labels: for writeable arrays, kernels would be compiled again
    return spread
