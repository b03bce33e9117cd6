"""Relabel entities densely: arbitrary integer labels -> 0, 1, ... in each document, in order of first appearance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import helper, kernel

U = np.uint64
"""Of what indexes arrays at random: numba looks at each signed index for being negative, which takes its time."""

ZERO = U(0)


@helper
def _slot(label, seed, shift):
    """Hash a label to the top bits; the seed keeps anybody from choosing labels that collide."""
    x = np.uint64(label) ^ seed
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64(x >> shift)


@helper
def _bounds(labels):
    """Return the least and the largest label, at least (-1, -1)."""
    least = np.int64(0)
    largest = np.int64(-1)
    for m in range(labels.size):
        label = labels[m]
        least = label if label < least else least
        largest = label if label > largest else largest
    return least, largest


@helper
def _least_present(labels, largest):
    """Return the least label that is not negative."""
    least = largest
    for m in range(labels.size):
        if 0 <= labels[m] < least:
            least = labels[m]
    return least


@kernel
def densify(
    labels: NDArray[np.int64],
    offsets: NDArray[np.int64],
    first: int,
    last: int,
    dense: NDArray[np.int32],
    n_entities: NDArray[np.int64],
) -> tuple[int, int]:
    """Write dense labels of the documents ``first:last``, by a table a document.

    Args:
        labels: int64 (M,) entity labels, -1 where the side lacks the mention.
        offsets: int64 (D+1,) document bounds; not checked.
        first: first document of the range.
        last: end of the range.
        dense: int32 (M,) receives labels 0, 1, ... in each document by first appearance, -1 kept.
        n_entities: int64 (D,) receives the number of entities of each document.

    Returns:
        The document at which the kernel stopped, ``last`` if it did all, because its labels are too scattered for a
        table, which `densify_scattered` then goes on with; or because of a label below -1, the position of which is the
        second number, otherwise -1.
    """
    table = np.empty(256, np.int32)
    for d in range(first, last):
        lo = offsets[d]
        hi = offsets[d + 1]
        here = labels[lo:hi]
        found = dense[lo:hi]
        least, largest = _bounds(here)
        if least < -1:
            for m in range(lo, hi):
                if labels[m] < -1:
                    return d, m
        room = 4 * (hi - lo) + 64
        base = np.int64(0)
        if largest >= room:
            base = _least_present(here, largest)
            if largest - base >= room:
                return d, -1
        span = largest - base + 2  # slot 0 is that of absent mentions
        if span > table.size:
            table = np.empty(2 * span, np.int32)
        for slot in range(span):
            table[slot] = -2
        table[0] = -1
        entities = 0
        for m in range(here.size):  # without branches, whose outcome no processor could guess
            place = here[m] - base + 1
            place = U(place if place > 0 else 0)
            number = table[place]
            new = number == -2
            number = entities if new else number
            table[place] = number
            found[m] = number
            entities += new
        n_entities[d] = entities
    return last, -1


@kernel
def densify_scattered(
    labels: NDArray[np.int64],
    offsets: NDArray[np.int64],
    first: int,
    last: int,
    seed: np.uint64,
    dense: NDArray[np.int32],
    n_entities: NDArray[np.int64],
) -> int:
    """Write dense labels of the documents ``first:last``, by a hash table a document.

    Args:
        labels: as for `densify`.
        offsets: as for `densify`.
        first: as for `densify`.
        last: as for `densify`.
        seed: of the hash; the result does not depend on it.
        dense: as for `densify`.
        n_entities: as for `densify`.

    Returns:
        -1, or the position of the first label below -1, where the kernel stops.
    """
    table = np.empty(64, np.int32)
    hashed = np.empty(64, np.int64)
    for d in range(first, last):
        lo = offsets[d]
        hi = offsets[d + 1]
        size = 64
        shift = 58
        while size < 2 * (hi - lo):
            size *= 2
            shift -= 1
        if size > table.size:
            table = np.empty(size, np.int32)
            hashed = np.empty(size, np.int64)
        for slot in range(size):
            table[slot] = -1
        entities = 0
        for m in range(lo, hi):
            label = labels[m]
            if label < 0:
                if label < -1:
                    return m
                dense[m] = -1
                continue
            slot = _slot(label, seed, np.uint64(shift))
            while table[slot] >= 0 and hashed[slot] != label:
                slot = slot + 1 if slot + 1 < size else 0
            if table[slot] < 0:
                table[slot] = entities
                hashed[slot] = label
                entities += 1
            dense[m] = table[slot]
        n_entities[d] = entities
    return -1
