"""Sums of columns without rounding, in one pass."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Floats, U, kernel

COARSE = 1.5 * 2.0**32
FINE = 1.5
"""Numbers near which floats lie 2^-20 (`COARSE`) and 2^-52 (`FINE`) apart: to add such a number to a value and subtract
it again rounds the value to a multiple of that distance."""


@kernel
def add_rows(values: Floats, coarse: Floats, fine: Floats) -> bool:
    """Add up the columns of a matrix in two parts, which are exact as long as the sums are small.

    Several rows are added at a time, each to sums of its own (lanes), because the processor adds many lanes at once.
    The caller adds up the lanes of each column.

    Args:
        values: float64 (D * w,) rows one after the other, none negative.
        coarse: float64 (L,) zeros, L a multiple of w; receives multiples of 2^-20, which are exact where the sums of
            whole numbers are below 2^52, and those of fractional ones below 2^31.
        fine: float64 (L,) zeros; receives the remainders of the values, in multiples of 2^-52.

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
