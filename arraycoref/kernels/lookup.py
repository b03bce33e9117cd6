"""Look the spans of many responses up in the index of one key, which is made once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import kernel


@kernel
def _slot(span, seed, mask):
    """Hash a span; the seed keeps anybody from choosing spans that collide."""
    x = np.uint64(span) ^ seed
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64(x >> np.uint64(33)) & mask


@kernel
def _find(spans, span, seed):
    """Return the slot where a span stands, or the free one where it would, which holds -1."""
    mask = spans.size - 1
    slot = _slot(span, seed, mask)
    while spans[slot] != span and spans[slot] >= 0:
        slot = (slot + 1) & mask
    return slot


@kernel
def index_spans(
    offsets: NDArray[np.int64],
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    seed: np.uint64,
    slots: NDArray[np.int64],
    spans: NDArray[np.int64],
    numbers: NDArray[np.int64],
    mention: NDArray[np.int64],
    index_offsets: NDArray[np.int64],
) -> None:
    """Number the spans of each of D documents by first appearance, in a hash table a document.

    Args:
        offsets: int64 (D + 1,) read-only, like the next two.
        start: int32 (N,) first token of each occurrence.
        end: int32 (N,) last token.
        seed: of the hash; results do not depend on it.
        slots: int64 (D + 1,) bounds of the documents' tables, each a power of two and larger than its occurrences.
        spans: int64 (slots[-1],) out: ``start << 32 | end``, -1 where a slot is free.
        numbers: int64 (slots[-1],) out: the mention of each span, counted through all documents.
        mention: int64 (N,) out: the mention of each occurrence.
        index_offsets: int64 (D + 1,) out: document d owns the mentions ``index_offsets[d]:index_offsets[d + 1]``.

    Unchecked: that offsets ascend to N and that starts and ends are not negative.
    """
    spans[:] = -1
    n = 0
    index_offsets[0] = 0
    for d in range(offsets.size - 1):
        table = spans[slots[d] : slots[d + 1]]
        number = numbers[slots[d] : slots[d + 1]]
        for at in range(offsets[d], offsets[d + 1]):
            span = (np.int64(start[at]) << 32) | np.int64(end[at])
            slot = _find(table, span, seed)
            if table[slot] < 0:
                table[slot] = span
                number[slot] = n
                n += 1
            mention[at] = number[slot]
        index_offsets[d + 1] = n


@kernel
def look_up(
    offsets: NDArray[np.int64],
    start: NDArray[np.int32],
    end: NDArray[np.int32],
    seed: np.uint64,
    slots: NDArray[np.int64],
    spans: NDArray[np.int64],
    numbers: NDArray[np.int64],
    n_key: int,
    mention: NDArray[np.int64],
    extra_offsets: NDArray[np.int64],
) -> None:
    """Find the occurrences of a response in a key's index; number spans that it lacks behind those that it has.

    Args:
        offsets: int64 (D + 1,) read-only, like the next two and the index.
        start: int32 (N,) first token of each occurrence.
        end: int32 (N,) last token.
        seed: that of the index.
        slots: int64 (D + 1,) of the index, as `index_spans` fills it; likewise ``spans`` and ``numbers``.
        spans: as above.
        numbers: as above.
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
    room = 4
    while room < 2 * most:
        room *= 2
    others = np.empty(room, np.int64)
    other_numbers = np.empty(room, np.int64)
    n = 0
    extra_offsets[0] = 0
    for d in range(n_documents):
        table = spans[slots[d] : slots[d + 1]]
        number = numbers[slots[d] : slots[d + 1]]
        size = 4
        while size < 2 * (offsets[d + 1] - offsets[d]):
            size *= 2
        lacking = others[:size]
        lacking[:] = -1
        for at in range(offsets[d], offsets[d + 1]):
            span = (np.int64(start[at]) << 32) | np.int64(end[at])
            slot = _find(table, span, seed)
            if table[slot] >= 0:
                mention[at] = number[slot]
                continue
            slot = _find(lacking, span, seed)
            if lacking[slot] < 0:
                lacking[slot] = span
                other_numbers[slot] = n_key + n
                n += 1
            mention[at] = other_numbers[slot]
        extra_offsets[d + 1] = n
