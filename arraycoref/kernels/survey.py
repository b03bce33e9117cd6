"""Decide how the cells of each document are found, from the first and the last label of both sides."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import leading_zeros
from arraycoref.kernels.jit import U, helper, inlined

LOW = 2**31 - 1
"""Places that a document may have: they have 31 bits."""

BITS = U(21)
"""Bits of a document's number of mentions where there is a table of pairs; larger ones are sorted."""

WIDEST = 2**18
"""Places up to which a document may have a table of key x response, 1 MB."""

TILE = 1 << 12
"""Mentions of a document that go from labels to pairs at once, and stay in the cache."""

SPREAD, LEAST_SPREAD = 4, 64
"""Labels that lie no wider than so many times the mentions, and so many more, are places as they are."""


@helper
def _bits(labels, first_mention, end_mention):
    """Return all bits of the labels plus 1, in one number: the largest label has as many, one below -1 has all 64."""
    bits = np.int64(0)
    for m in range(U(first_mention), U(end_mention)):
        bits |= labels[m] + 1
    return U(bits)


@helper
def span(labels, first_mention, end_mention):
    """Return the first and the last label of an entity, 0 and -1 if there is none, and whether none is below -1.

    As unsigned numbers negative labels are the largest, so all three bounds are found several labels at a time.
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
    """Return how many bits a number has, without leading zeros."""
    return np.int64(64) - np.int64(leading_zeros(bits))


@helper
def survey(key, response, offsets, first, last, plan):
    """Decide how each document is counted, and return what that takes.

    A column of ``plan``, int64 (5, documents), receives the label before the key's first one, which is place 0, and how
    many places there are; the same of the response; and the binary logarithm of the length of a row of the table of all
    pairs of places, or 32 where mentions are sorted because the table would be too large.

    Return the document before which the kernel must stop, for the reasons of `contingency_batch`, and how many places
    the largest table has.
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
