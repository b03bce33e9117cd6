"""Sums of columns without rounding, in one pass."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Floats, kernel

COARSE = 1.5 * 2.0**32
FINE = 1.5
"""Numbers where floats lie 2^-20 and 2^-52 apart: what is added to them, and taken off again, is rounded to that."""

WHOLE = 2.0**53
FRACTIONAL = 2.0**31
"""Below these, sums of whole numbers, and of the parts of fractional ones, are exact."""


@kernel
def column_sums(values: Floats, width: int, lanes: Floats) -> bool:
    """Add up the columns of a matrix, such that the order of its rows makes no difference.

    Some rows at a time, each in lanes of its own, which are added last: the processor takes many lanes at once.

    Args:
        values: float64 (D * w,) rows one after the other, none negative.
        width: w, the number of columns.
        lanes: float64 (3, L) zeros, L a multiple of w; receives the sums in its first places, the rest is scratch.

    Returns:
        Whether they are exact, but for one rounding at the end; too large numbers are not.
    """
    sums, fine, plain = lanes[0], lanes[1], lanes[2]
    whole = True
    for first in range(0, values.size, sums.size):
        rows = values[first : first + sums.size]
        for lane in range(rows.size):
            x = rows[lane]
            coarse = (x + COARSE) - COARSE
            sums[lane] += coarse
            fine[lane] += ((x - coarse) + FINE) - FINE
            plain[lane] += x
            whole &= x == np.rint(x)
    exact = True
    for k in range(width):
        for lane in range(k + width, sums.size, width):
            sums[k] += sums[lane]
            fine[k] += fine[lane]
            plain[k] += plain[lane]
        exact &= plain[k] < (WHOLE if whole else FRACTIONAL)
        sums[k] = plain[k] if whole else sums[k] + fine[k]
    return exact
