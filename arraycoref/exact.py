"""Weighted sums of counts without rounding, so that no sum depends on the order in which it was added.

A matrix product adds in an order that depends on the processor, the number of threads and the number of rows. Here
each column is split into parts on two fixed grids, multiples of 2^-20 and of 2^-52; sums of such parts by integer
weights are exact in float64 in any order, and the two are added last, with one rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.arrays import frozen

Floats = NDArray[np.float64]

COARSE, FINE = 2.0**20, 2.0**52

LANES = 32
"""Rows that are added to sums of their own at once."""

WHOLE, FRACTIONAL = 2.0**52, 2.0**31
"""Below these, sums of whole numbers, and of the parts of fractional ones, are exact."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Columns split for exact sums.

    Attributes:
        array: float64 (..., D, p): the w columns on the coarse grid, then what the fractional ones lack, on the fine.
        width: w, the number of columns.
        fractional: int64 (p - w,) which columns have a fine part, in any of the leading axes.
    """

    array: Floats
    width: int
    fractional: NDArray[np.int64]

    def joined(self, sums: Floats) -> Floats:
        """Add the two parts of sums, float64 (..., p) -> (..., w)."""
        totals = sums[..., : self.width].copy(order="K")
        totals[..., self.fractional] += sums[..., self.width :]
        return totals


def column_sums(tables: Floats) -> Floats:
    """Sum rows, float64 (n, D, w) -> (n, w), none negative; the order of the rows makes no difference."""
    from arraycoref.kernels.sums import add_rows

    n, _, width = tables.shape
    coarse, fine = lanes = np.zeros((2, n, LANES * width))
    whole = list(map(add_rows, frozen(tables, np.float64).reshape(n, -1), coarse, fine))
    parts = lanes.reshape(2, n, LANES, width).sum(axis=2)
    sums: Floats = parts[0] + parts[1]
    for k in np.flatnonzero(sums.max(axis=1) >= np.where(whole, WHOLE, FRACTIONAL)).tolist():
        sums[k] = [math.fsum(column) for column in tables[k].T]
    return sums


def split(rows: Floats) -> Parts:
    """Split columns of rows for exact weighted sums.

    Exact for sums of fractional columns below 2^33 and of integer columns below 2^53, over at most 2^22 documents with
    repetition; beyond that the last bit may depend on the order of addition. A count is rounded by 2^-53 at most.

    Args:
        rows: float64 (..., D, w), finite.
    """
    coarse = np.rint(rows * COARSE)
    coarse *= 1.0 / COARSE
    fine = rows - coarse
    fine *= FINE
    np.rint(fine, out=fine)
    fine *= 1.0 / FINE
    fractional = np.flatnonzero(np.ones(fine.size // max(rows.shape[-1], 1)) @ np.abs(fine).reshape(-1, rows.shape[-1]))
    return Parts(np.concatenate((coarse, fine[..., fractional]), axis=-1), rows.shape[-1], fractional)
