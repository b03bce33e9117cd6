"""Turn the two labels of each mention into a pair of places: see `arraycoref.kernels.cells` for places."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import prefetch
from arraycoref.kernels.jit import U, helper, inlined
from arraycoref.kernels.survey import TILE

ZERO = U(0)

ABSENT = U(63)
"""Bit that marks place 0, the place of mentions that a side lacks, beside its counters."""

LINE = 8
"""Labels in a cache line, which one prefetch loads."""


@inlined
def pair_places(key, response, first, first_response, n, key_base, response_base, shift, pairs):
    """Write both places of each mention as one number; the loop has no branch, so that it becomes vector code."""
    first, first_response = U(first), U(first_response)
    for m in range(U(n)):
        i = key[first + m] - key_base
        j = response[first_response + m] - response_base
        i = i if i > 0 else np.int64(0)
        j = j if j > 0 else np.int64(0)
        pairs[m] = U(i << shift | j)


@helper
def touch_pairs(n_mentions, table, places, pairs, n):
    """Count the mentions of each pair of places in the table; append new pairs to the n listed ones.

    The table is zero for pairs that are not listed. Return the number of listed pairs.
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
    """Prefetch the labels that are one `TILE` of mentions ahead: those of the next block of documents."""
    for m in range(first, first + U(n), LINE):
        prefetch(key, m + U(TILE))
        prefetch(response, here + m + U(TILE))


@inlined
def clear_places(places, width):
    """Set the places of a side to zero; place 0, of absent mentions, gets its own bit, so that it never seems new."""
    for i in range(width):
        places[i] = 0
    places[0] = U(1) << ABSENT
