"""Weighted sums of counts without rounding, so that no sum depends on the order in which it was added.

A matrix product adds in an order that depends on the processor, the number of threads and the number of rows. Here
each column is split into parts on two fixed grids, multiples of 2^-20 and of 2^-52. Sums of such parts with integer
weights are exact in float64 in any order. The sums of the two parts are added last, with one rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COARSE, FINE = 2.0**20, 2.0**52


@dataclass(frozen=True, eq=False)
class Parts:
    """Columns split for exact sums.

    Attributes:
        array: float64 (..., D, p): the w columns rounded to the coarse grid, then the fine parts: what was lost of the
            fractional columns, rounded to the fine grid.
        width: w, the number of columns.
        fractional: int64 (p - w,) which columns have a fine part, anywhere along the leading axes.
    """

    array: Floats
    width: int
    fractional: NDArray[np.int64]

    def joined(self, sums: Floats) -> Floats:
        """Add the two parts of sums, float64 (..., p) -> (..., w)."""
        totals = sums[..., : self.width].copy(order="K")
        totals[..., self.fractional] += sums[..., self.width :]
        return totals


def split(rows: Floats) -> Parts:
    """Split columns of rows for exact weighted sums.

    The sums are exact if those of fractional columns are below 2^33, those of integer columns below 2^53, and weights
    sum to at most 2^22 documents. Beyond that, the last bit may depend on the order of addition. The split changes a
    value by at most 2^-53.

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
