"""Compare results in tests: equal classes and fields, arrays to the bit, nan equal to nan."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np


def alike(one, other):
    """Whether two results hold the same, whatever ``==`` of their classes says."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        one, other = np.asarray(one), np.asarray(other)
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if is_dataclass(one) and not isinstance(one, type):
        names = [f.name for f in fields(one) if f.name != "clusterings"]  # labels are views or copies of any integers
        return type(one) is type(other) and all(alike(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, Mapping):
        return isinstance(other, Mapping) and list(one) == list(other) and all(alike(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other) or (one != one and other != other)  # nan
