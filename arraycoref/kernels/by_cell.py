"""Look up the sizes of each cell's entities, and add up what is computed of each cell document by document.

Apart from each other, so that the processor computes a metric's formula for several cells at a time.
"""

from __future__ import annotations

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import Floats, Ints, U, helper, kernel

AHEAD = U(32)
"""Cells ahead at which the size of the response entity is looked up."""

BLOCK = 128
"""Cells, or aligned rows, that are summed by themselves first, lest rounding piles up over large documents."""


@kernel
def look_up_sizes(key: Ints, response: Ints, key_size: Ints, response_size: Ints, sizes: Floats) -> None:
    """Write k_i and r_j of each cell's entities to two rows of ``sizes``, float64 (2, at least C)."""
    of_key, of_response = sizes[0], sizes[1]
    last = U(key.size - 1 if key.size else 0)
    for c in range(U(key.size)):
        prefetch(response_size, U(response[c + AHEAD if c + AHEAD < last else last]))
        of_key[c] = key_size[U(key[c])]
        of_response[c] = response_size[U(response[c])]


@helper
def add_up(values: Floats, offsets: Ints, sums: Floats) -> None:
    """Write the sums of two values of each cell over each document's cells to two rows."""
    first, second = values[0], values[1]
    for d in range(offsets.size - 1):
        sums[0, d] = sums[1, d] = 0.0
        for block in range(offsets[d], offsets[d + 1], BLOCK):
            of_first = 0.0
            of_second = 0.0
            for c in range(U(block), U(block + BLOCK if block + BLOCK < offsets[d + 1] else offsets[d + 1])):
                of_first += first[c]
                of_second += second[c]
            sums[0, d] += of_first
            sums[1, d] += of_second
