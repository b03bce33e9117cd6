"""Number the values of a table's column, in whichever way its library is fast at."""

from __future__ import annotations

from typing import Any

import narwhals
import numpy as np
from numpy.typing import NDArray

from arraycoref.arrays import frozen
from arraycoref.clusterings import dense_labels

Integers = NDArray[np.int64]


def value_codes(series: narwhals.Series[Any]) -> Integers:
    """Number the distinct values of a column from 0, by first appearance.

    Args:
        series: (rows,) of integers, texts or anything that can be compared.

    Returns:
        int64 (rows,), -1 for null, NaN and None.
    """
    if series.dtype.is_float():
        series = series.fill_nan(None)
    if series.dtype.is_integer() and series.null_count() == 0:
        return renumbered(_from_zero(series.to_numpy()))
    native = series.to_native()
    if series.implementation.is_pandas():
        return renumbered(np.asarray(native.factorize()[0], np.int64))
    if series.implementation.is_pyarrow():
        indices = native.combine_chunks().dictionary_encode().indices
        return renumbered(indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64))
    if series.implementation.is_polars() and isinstance(series.dtype, narwhals.String):
        import polars

        physical = native.cast(polars.Categorical).to_physical()
        return renumbered(physical.cast(polars.Int64).fill_null(-1).to_numpy())
    ranks = series.rank("dense")
    return renumbered(ranks.fill_null(0).to_numpy().astype(np.int64) - 1)


def renumbered(codes: Integers) -> Integers:
    """Number codes >= 0 anew, by first appearance; -1 stays."""
    return dense_labels(frozen(codes), "codes", frozen(np.array([0, codes.size])), [0])[0].astype(np.int64)


def _from_zero(values: NDArray[np.integer]) -> Integers:
    """Shift integers of any kind to codes >= 0."""
    if values.size == 0:
        return np.empty(0, np.int64)
    low, high = int(values.min()), int(values.max())
    if low >= 0 and high < 2**63:
        return values.astype(np.int64)
    if low >= -(2**62) and high < 2**62:
        return values.astype(np.int64) - low
    return np.asarray(np.unique(values, return_inverse=True)[1], np.int64)
