"""Sums of columns without rounding, in one pass."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Floats, U, kernel

COARSE = 1.5 * 2.0**32
FINE = 1.5
"""Numbers where floats lie 2^-20 and 2^-52 apart: what is added to them, and taken off again, is rounded to that."""


@kernel
def add_rows(values: Floats, coarse: Floats, fine: Floats) -> bool:
    """Add up the columns of a matrix in two parts, which are exact as long as the sums are small.

    Some rows at a time, each in lanes of its own: the processor takes many lanes at once.

    Args:
        values: float64 (D * w,) rows one after the other, none negative.
        coarse: float64 (L,) zeros, L a multiple of w; receive multiples of 2^-20, which are exact where the sums of
            whole numbers are below 2^52, and those of fractional ones below 2^31.
        fine: float64 (L,) zeros; receive what these lack, in multiples of 2^-52.

    Returns:
        Whether all values are whole numbers.
    """
    first, size, lanes = U(0), U(values.size), U(coarse.size)
    whole = True
    while first < size:
        for lane in range(lanes if lanes < size - first else size - first):
            x = values[first + lane]
            rounded = (x + COARSE) - COARSE
            coarse[lane] += rounded
            fine[lane] += ((x - rounded) + FINE) - FINE
            whole &= x == np.rint(x)
        first += lanes
    return whole
