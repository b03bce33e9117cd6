"""Look the spans of many responses up in the index of one key, which is made once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.hashtable import clear, number_of, slot_of, slots_for
from arraycoref.kernels.jit import kernel

Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]


@kernel
def index_spans(
    offsets: Ints,
    start: Ints32,
    end: Ints32,
    seed: np.uint64,
    slots: Ints,
    spans: Ints,
    numbers: Ints,
    mention: Ints,
    index_offsets: Ints,
) -> None:
    """Number the spans of each of D documents by first appearance, in a hash table per document.

    Args:
        offsets: int64 (D + 1,) read-only, like the next two.
        start: int32 (N,) first token of each occurrence.
        end: int32 (N,) last token.
        seed: of the hash; results do not depend on it.
        slots: int64 (D + 1,) bounds of the documents' tables, each a power of two and larger than its occurrences.
        spans: int64 (slots[-1],) out: ``start << 32 | end``.
        numbers: int64 (slots[-1],) out: the mention of each span, counted through all documents; -1 in a free slot.
        mention: int64 (N,) out: the mention of each occurrence.
        index_offsets: int64 (D + 1,) out: document d owns the mentions ``index_offsets[d]:index_offsets[d + 1]``.

    Unchecked: that offsets ascend to N and that starts and ends are not negative.
    """
    clear(numbers, numbers.size)
    n = 0
    index_offsets[0] = 0
    for d in range(offsets.size - 1):
        table = spans[slots[d] : slots[d + 1]]
        number = numbers[slots[d] : slots[d + 1]]
        for at in range(offsets[d], offsets[d + 1]):
            span = (np.int64(start[at]) << 32) | np.int64(end[at])
            mention[at] = number_of(span, table, number, table.size, seed, n)
            n += mention[at] == n
        index_offsets[d + 1] = n


@kernel
def look_up(
    offsets: Ints,
    start: Ints32,
    end: Ints32,
    seed: np.uint64,
    slots: Ints,
    spans: Ints,
    numbers: Ints,
    n_key: int,
    mention: Ints,
    extra_offsets: Ints,
) -> None:
    """Find the occurrences of a response in a key's index; number spans that it lacks behind those that it has.

    Args:
        offsets: int64 (D + 1,) read-only, like the next two and the index.
        start: int32 (N,) first token of each occurrence.
        end: int32 (N,) last token.
        seed: that of the index.
        slots: int64 (D + 1,) of the index, as `index_spans` fills it; likewise the next two.
        spans: of the index.
        numbers: of the index.
        n_key: mentions of the index.
        mention: int64 (N,) out: the mention of each occurrence; ``n_key + i`` for the i-th span that the key lacks,
            document by document, by first appearance.
        extra_offsets: int64 (D + 1,) out: document d has the lacking spans ``extra_offsets[d]:extra_offsets[d + 1]``.

    Unchecked: that offsets ascend to N and that starts and ends are not negative.
    """
    n_documents = offsets.size - 1
    most = 0
    for d in range(n_documents):
        most = max(most, offsets[d + 1] - offsets[d])
    other_spans = np.empty(slots_for(most), np.int64)
    other_numbers = np.empty(other_spans.size, np.int64)
    n = 0
    extra_offsets[0] = 0
    for d in range(n_documents):
        table = spans[slots[d] : slots[d + 1]]
        number = numbers[slots[d] : slots[d + 1]]
        size = slots_for(offsets[d + 1] - offsets[d])
        clear(other_numbers, size)
        for at in range(offsets[d], offsets[d + 1]):
            span = (np.int64(start[at]) << 32) | np.int64(end[at])
            found = number[slot_of(span, table, number, table.size, seed)]
            if found < 0:
                found = number_of(span, other_spans, other_numbers, size, seed, n_key + n)
                n += found == n_key + n
            mention[at] = found
        extra_offsets[d + 1] = n
