"""Define the base class of results: results with equal fields are equal, and copies and pickles keep the fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, TypeVar

import numpy as np

R = TypeVar("R")


class Record:
    """Base of frozen dataclasses that consist of their fields only; they are declared with ``eq=False``.

    Two records are equal if they are of one class and their fields are equal; nan, which means an undefined
    number, equals nan. Copies and pickles leave out cached attributes, and arrays that were read-only stay read-only.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __eq__(self, other: object) -> bool:
        return same(field_values(self), field_values(other)) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        try:
            return hash(tuple(None if _is_nan(value) else value for value in field_values(self).values()))
        except TypeError:  # a field is an array or a dictionary
            raise TypeError(f"unhashable type: {type(self).__name__!r}") from None

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        values = field_values(self)
        arrays = [name for name, value in values.items() if isinstance(value, np.ndarray)]
        return _made_again, (type(self), values, [name for name in arrays if not values[name].flags.writeable])


def field_values(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, with nan equal to nan, within arrays, tuples and mappings too."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == other.dtype.kind == "f")
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other) or (_is_nan(one) and _is_nan(other))


def _is_nan(value: object) -> bool:
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _made_again(kind: type[R], values: Mapping[str, Any], read_only: list[str]) -> R:
    """Make a record from its fields, when it is copied or read from a pickle."""
    for name in read_only:
        values[name].flags.writeable = False
    return kind(**values)
