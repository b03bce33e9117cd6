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
def add_up(values: Floats, others: Floats, offsets: Ints, sums: Floats, other_sums: Floats) -> None:
    """Write the sums of four values of each cell over each document's cells, two rows from each matrix to two rows.

    Each addition waits for the one before, so that four sums take no longer than one.
    """
    a, b, c, d = values[0], values[1], others[0], others[1]
    for e in range(U(offsets.size - 1)):
        begin, end = offsets[e], offsets[e + U(1)]
        all_a = all_b = all_c = all_d = 0.0
        for block in range(begin, end, BLOCK):
            of_a = of_b = of_c = of_d = 0.0
            for cell in range(U(block), U(block + BLOCK if block + BLOCK < end else end)):
                of_a += a[cell]
                of_b += b[cell]
                of_c += c[cell]
                of_d += d[cell]
            all_a, all_b, all_c, all_d = all_a + of_a, all_b + of_b, all_c + of_c, all_d + of_d
        sums[0, e], sums[1, e], other_sums[0, e], other_sums[1, e] = all_a, all_b, all_c, all_d


@kernel
def sum_cells(values: Floats, offsets: Ints, sums: Floats) -> None:
    """Write the sums of two values of each cell, float64 (2, at least C), over each document's cells: (2, D)."""
    add_up(values, values, offsets, sums, sums)
