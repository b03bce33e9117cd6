"""Replace arbitrary integer labels of entities by 0, 1, ... in each document, in the order of first appearance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arraycoref.kernels.hashtable import SEED, bring_slot, clear, number_of, slots_for
from arraycoref.kernels.jit import U, contiguous, helper, kernel, runs
from arraycoref.ragged import Ints, Ints32
from arraycoref.scoring.clusterings import refuse_below

AHEAD, NEAR = 16, 1 << 12
"""How many labels ahead the slots of a hash table are prefetched, and up to how many entities it fits the cache."""


@helper
def _bounds(labels):
    """Return the lowest label, or 0 if all are higher, and the highest label, or -1 if all are lower."""
    least = np.int64(0)
    largest = np.int64(-1)
    for m in range(labels.size):
        label = labels[m]
        least = label if label < least else least
        largest = label if label > largest else largest
    return least, largest


@helper
def _least_present(labels, largest):
    """Return the lowest label that is not negative."""
    least = largest
    for m in range(labels.size):
        if 0 <= labels[m] < least:
            least = labels[m]
    return least


@kernel
def factorize_labels(
    labels: Ints, offsets: Ints, first: int, last: int, dense: Ints32, bounds: Ints
) -> tuple[int, int]:
    """Write dense labels of the documents ``first:last``, with a table per document.

    Args:
        labels: int64 (M,) entity labels, -1 where the side lacks the mention.
        offsets: int64 (D+1,) document bounds; not checked.
        first: first document of the range.
        last: end of the range.
        dense: int32 (M,) receives labels 0, 1, ... in each document by first appearance, -1 kept.
        bounds: int64 (D+1,) document bounds of the entities; given up to ``first``, and written from there on.

    Returns:
        The document before which the kernel stopped, and -1. This is ``last`` if all documents are done; otherwise the
        document's labels are too far apart for a table, and `factorize_scattered` must do it. Or the document that has
        a label below -1, and the position of this label.
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
        span = largest - base + 2  # slot 0 is for absent mentions
        if span > table.size:
            table = np.empty(2 * span, np.int32)
        for slot in range(span):
            table[slot] = -2
        table[0] = -1
        entities = 0
        for m in range(here.size):  # no branches, because the processor could not predict them
            place = here[m] - base + 1
            place = U(place if place > 0 else 0)
            number = table[place]
            new = number == -2
            number = entities if new else number
            table[place] = number
            found[m] = number
            entities += new
        bounds[d + 1] = bounds[d] + entities
    return last, -1


@kernel
def factorize_scattered(
    labels: Ints, offsets: Ints, first: int, last: int, seed: np.uint64, dense: Ints32, bounds: Ints
) -> int:
    """Write dense labels of the documents ``first:last``, with a hash table per document.

    Args:
        labels: see `factorize_labels`.
        offsets: see `factorize_labels`.
        first: see `factorize_labels`.
        last: see `factorize_labels`.
        seed: seed of the hash; the result does not depend on it.
        dense: see `factorize_labels`.
        bounds: see `factorize_labels`.

    Returns:
        -1, or the position of the first label below -1, where the kernel stops.
    """
    numbers = np.empty(64, np.int32)
    keys = np.empty(64, np.int64)
    for d in range(first, last):
        lo = offsets[d]
        hi = offsets[d + 1]
        slots = slots_for(hi - lo)
        if slots > numbers.size:
            numbers = np.empty(slots, np.int32)
            keys = np.empty(slots, np.int64)
        clear(numbers, slots)
        entities = 0
        for m in range(lo, hi):
            if labels[m] < -1:
                return m
            if entities > NEAR:
                bring_slot(labels[m + AHEAD if m + AHEAD < hi else m], keys, numbers, slots, seed)
            number = number_of(labels[m], keys, numbers, slots, seed, entities) if labels[m] >= 0 else -1
            entities += number == entities
            dense[m] = number
        bounds[d + 1] = bounds[d] + entities
    return -1


@runs(factorize_labels)
def factorize(labels: Ints, what: str, offsets: Ints, names: Sequence[str | int]) -> tuple[Ints32, Ints]:
    """Relabel the entities of one side: the fast twin of `arraycoref.scoring.clusterings.factorize`."""
    labels, n_documents = contiguous(labels), offsets.size - 1
    dense, bounds, known = np.empty(labels.size, np.int32), np.zeros(offsets.size, np.int64), contiguous(offsets)
    reached, bad = factorize_labels(labels, known, 0, n_documents, dense, bounds)
    if reached < n_documents and bad < 0:
        bad = factorize_scattered(labels, known, reached, n_documents, SEED, dense, bounds)
    if bad >= 0:
        refuse_below(labels, what, offsets, names)
    return dense, bounds
