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
def column_sums(
    rows: NDArray[np.float64], sums: NDArray[np.float64], fine: NDArray[np.float64], plain: NDArray[np.float64]
) -> bool:
    """Add up rows, such that their order makes no difference.

    Args:
        rows: float64 (D, w), none negative.
        sums: float64 (w,) zeros; receives the sums.
        fine: float64 (w,) zeros; scratch.
        plain: float64 (w,) zeros; scratch.

    Returns:
        Whether they are exact, but for one rounding at the end; too large numbers are not.
    """
    whole = True
    for d in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            x = rows[d, k]
            coarse = (x + COARSE) - COARSE
            sums[k] += coarse
            fine[k] += ((x - coarse) + FINE) - FINE
            plain[k] += x
            whole &= x == np.rint(x)
    exact = True
    for k in range(rows.shape[1]):
        exact &= plain[k] < (WHOLE if whole else FRACTIONAL)
        sums[k] = plain[k] if whole else sums[k] + fine[k]
    return exact
