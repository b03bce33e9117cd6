"""Sums of columns without rounding, in one pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import kernel

COARSE = 1.5 * 2.0**32
FINE = 1.5
"""Numbers where floats lie 2^-20 and 2^-52 apart: what is added to them, and taken off again, is rounded to that."""

WHOLE = 2.0**53
FRACTIONAL = 2.0**31
"""Below these, sums of whole numbers, and of the parts of fractional ones, are exact."""


@kernel
def column_sums(rows: NDArray[np.float64], sums: NDArray[np.float64]) -> bool:
    """Add up rows, such that their order makes no difference.

    Args:
        rows: float64 (D, w), none negative.
        sums: float64 (w,) receives the sums.

    Returns:
        Whether they are exact, but for one rounding at the end; too large numbers are not.
    """
    fine_sums = np.zeros(rows.shape[1])
    plain_sums = np.zeros(rows.shape[1])
    sums[:] = 0.0
    whole = True
    for d in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            x = rows[d, k]
            coarse = (x + COARSE) - COARSE
            sums[k] += coarse
            fine_sums[k] += ((x - coarse) + FINE) - FINE
            plain_sums[k] += x
            whole &= x == np.rint(x)
    exact = True
    for k in range(rows.shape[1]):
        exact &= plain_sums[k] < (WHOLE if whole else FRACTIONAL)
        sums[k] = plain_sums[k] if whole else sums[k] + fine_sums[k]
    return exact
