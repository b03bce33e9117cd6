"""Go from labels to pairs of places, those that a mention's key entity and response entity have in a document."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import U, helper, inlined
from arraycoref.kernels.survey import TILE

ZERO = U(0)

ABSENT = U(63)
"""Bit of the place of mentions that a side lacks, beside what is counted of them."""

LINE = 8
"""Labels that are brought into the cache at once."""


@inlined
def pair_places(key, response, first, first_response, n, key_base, response_base, shift, pairs):
    """Put the places of each mention on both sides in one number; the processor does several mentions at a time."""
    first, first_response = U(first), U(first_response)
    for m in range(U(n)):
        i = key[first + m] - key_base
        j = response[first_response + m] - response_base
        i = i if i > 0 else np.int64(0)
        j = j if j > 0 else np.int64(0)
        pairs[m] = U(i << shift | j)


@helper
def touch_pairs(n_mentions, table, places, pairs, n):
    """Count the mentions of each pair of places in a table; list each pair once, from n on, and return where they end.

    The table has zeros for the pairs that are not listed yet.
    """
    for m in range(n_mentions):
        pair = places[m]
        count = table[pair]
        pairs[n] = pair
        table[pair] = count + np.uint32(1)
        n += U(count == 0)
    return n


@inlined
def bring_next(key, response, first, here, n):
    """Have labels brought into the cache that are a tile ahead, which are those of the next block."""
    for m in range(first, first + U(n), LINE):
        prefetch(key, m + U(TILE))
        prefetch(response, here + m + U(TILE))


@inlined
def clear_places(places, width):
    """Make zeros of a side's places, but for that of absent mentions, which is never new and has a bit of its own."""
    for i in range(width):
        places[i] = 0
    places[0] = U(1) << ABSENT
