"""Decide how to find the cells of each document, from the lowest and the highest label of both sides.

Then turn the two labels of each mention into a pair of places: see `arraycoref.kernels.cells` for places.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.intrinsics import leading_zeros, prefetch
from arraycoref.kernels.jit import U, helper, inlined

LOW = 2**31 - 1
"""Largest number of places of a document: a place has 31 bits."""

BITS = U(21)
"""A document with a table of pairs has fewer than 2^BITS mentions; with more, its mentions are sorted."""

WIDEST = 2**18
"""Largest number of entries of the table of pairs, key places x response places; this takes 1 MB."""

TILE = 1 << 12
"""Number of mentions whose labels become pairs of places at once, so that the pairs stay in the cache."""

SPREAD, LEAST_SPREAD = 4, 64
"""Labels are used as they are if the distance of the highest and lowest is at most SPREAD x mentions + LEAST_SPREAD."""

ABSENT = U(63)
"""Bit that marks place 0, the place of mentions that a side lacks, beside its counters."""

LINE = 8
"""Labels in a cache line, which one prefetch loads."""


@helper
def _bits(labels, first_mention, end_mention):
    """Return the bitwise or of all labels plus 1: as long as the largest one; a label below -1 makes it 64 bits."""
    bits = np.int64(0)
    for m in range(U(first_mention), U(end_mention)):
        bits |= labels[m] + 1
    return U(bits)


@helper
def span(labels, first_mention, end_mention):
    """Return the lowest and highest label but -1 (0 and -1 if there is none), and whether no label is below -1.

    As unsigned numbers, negative labels are the largest. Therefore no branch is needed, and the processor compares
    several labels at once.
    """
    first, last, lowest = ~U(0), np.int64(-1), np.int64(-1)
    for m in range(U(first_mention), U(end_mention)):
        label = labels[m]
        first = U(label) if U(label) < first else first
        last = label if label > last else last
        lowest = label if label < lowest else lowest
    return np.int64(first) if last >= 0 else np.int64(0), last, lowest == -1


@inlined
def _length(bits):
    """Return the number of bits of a number, without leading zeros."""
    return np.int64(64) - np.int64(leading_zeros(bits))


@helper
def survey(key, response, offsets, first, last, plan):
    """Decide how to count each document.

    A column of ``plan``, int64 (5, documents), receives for one document: the key's lowest label minus 1, which is
    subtracted from labels to get places; the number of the key's places; the same two numbers of the response; and the
    binary logarithm of the length of a row in the table of all pairs of places. The last number is 32 if mentions are
    sorted, because the table would be too large.

    Return the document before which the kernel must stop, for the reasons that `contingency_batch` names, and the
    number of entries of the largest table.
    """
    largest = np.int64(1)
    n_documents = offsets.size - 1 if offsets.size > 1 else np.int64(1)
    d = first % n_documents
    here = first // n_documents * key.size
    for e in range(last - first):
        lo, hi = offsets[d], offsets[d + 1]
        n = hi - lo
        spread = SPREAD * n + LEAST_SPREAD
        spread = spread if spread < LOW - 2 else LOW - 2
        bits, response_bits = _bits(key, lo, hi), _bits(response, here + lo, here + hi)
        length, shift = _length(bits), _length(response_bits)
        valid = response_valid = True
        key_first = response_first = np.int64(0)
        width, response_width = np.int64(1) << length, np.int64(1) << shift
        if bits >= U(2 * n) or response_bits >= U(2 * n):
            key_first, key_last, valid = span(key, lo, hi)
            response_first, response_last, response_valid = span(response, here + lo, here + hi)
            width, response_width = key_last - key_first + 2, response_last - response_first + 2
            shift = _length(U(response_width - 1))
        if not valid or not response_valid or width - 2 > spread or response_width - 2 > spread:
            return first + e, largest
        by_table = (width <= WIDEST >> shift) & (n < 1 << np.int64(BITS))
        plan[0, e], plan[1, e], plan[2, e], plan[3, e] = key_first - 1, width, response_first - 1, response_width
        plan[4, e] = shift if by_table else 32
        places = width << shift
        largest = places if by_table and places > largest else largest
        d += 1
        if d == n_documents:
            d = 0
            here += key.size
    return last, largest


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
