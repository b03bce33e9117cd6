"""Look up the sizes of each cell's entities, and add up the values computed for the cells of each document.

A metric's formula runs between these two steps, in a loop of its own, which handles several cells at a time.
"""

from __future__ import annotations

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import Floats, Ints, U, helper, kernel

AHEAD = U(32)
"""How many cells ahead of its use the size of a response entity is prefetched."""

BLOCK = 128
"""Number of cells, or of aligned rows, whose values are added up before their sum is added to the total: rounding
errors then do not pile up over large documents."""


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
def add_up(values, offsets, sums):
    """Add four values of each cell, or row, to four sums of each document, one block of cells after the other.

    Each addition to a sum waits for the one before, but not for other sums, so that four sums take no longer than one.
    """
    a, b, c, d = values
    of_a, of_b, of_c, of_d = sums
    for e in range(U(offsets.size - 1)):
        end = offsets[e + U(1)]
        all_a, all_b, all_c, all_d = of_a[e], of_b[e], of_c[e], of_d[e]
        for block in range(offsets[e], end, BLOCK):
            block_a = block_b = block_c = block_d = 0.0
            for cell in range(U(block), U(block + BLOCK if block + BLOCK < end else end)):
                block_a += a[cell]
                block_b += b[cell]
                block_c += c[cell]
                block_d += d[cell]
            all_a, all_b, all_c, all_d = all_a + block_a, all_b + block_b, all_c + block_c, all_d + block_d
        of_a[e], of_b[e], of_c[e], of_d[e] = all_a, all_b, all_c, all_d
