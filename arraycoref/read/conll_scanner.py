"""Drive the compiled scanner of CoNLL files: enlarge its arrays when they are full, and return their filled parts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

MOST_TOKENS = 2**31 - 1
FIRST, HEADER, HEADER_END, LINE, N_TOKENS, END = range(6)  # columns of `Scanned.documents`
ITEMS = 4096  # brackets that are found before mentions are made of them; so many stay in the cache
_SEED = int.from_bytes(os.urandom(8)) | 1  # random, so that nobody can write a file whose ids collide


@dataclass(frozen=True, eq=False)
class Scanned:
    """The result of `scan_bytes`.

    Attributes:
        documents: int64 (D, 6) of each document: its `FIRST` mention, the `HEADER`'s first and past-the-last byte, the
            `LINE`, the number of tokens, and the position where it ends.
        start: int32 (M,) first token of each mention.
        end: int32 (M,) last token.
        entity: int32 (M,) entity, numbered from 0 in each document.
        line: int64 (M,) line on which the mention opens.
        faults: int64 (F, 5) kind, line, first and past-the-last byte to quote, line on which the document begins.
        bare: how many numbers without a bracket there are, and the line and the position of the first.
    """

    documents: NDArray[np.int64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    entity: NDArray[np.int32]
    line: NDArray[np.int64]
    faults: NDArray[np.int64]
    bare: tuple[int, int, int]


def scan_bytes(
    data: NDArray[np.uint8],
    column: int,
    lenient: bool,
    max_tokens: int = MOST_TOKENS,
    seed: int | None = None,
    begin: int = 0,
) -> Scanned:
    """Scan the bytes of a CoNLL file.

    Args:
        data: uint8 (N,) the bytes of text, read-only.
        column: the column with the coreference, 1-based, negative from the right, not 0.
        lenient: go on after a fault; otherwise the scan ends with the first one.
        max_tokens: most tokens and most mentions that a document may have.
        seed: seed of the hash of entity ids, an odd number of 64 bits; None for the random seed of this process.
        begin: position of the first byte of text.
    """
    from arraycoref.kernels import conll_lines as kernels
    from arraycoref.kernels.conll_mentions import MOST_FAULTS

    elsewhere = None if column == -1 else column
    state = np.zeros(kernels.N_STATE, np.int64)
    state[kernels.AT] = begin
    documents, faults = np.empty((16, 6), np.int64), np.empty((16, 5), np.int64)
    items = np.empty(4 * ITEMS, np.int64)
    mentions = _Mentions(data, lenient, max_tokens, np.uint64(_SEED if seed is None else seed))
    over = False
    while not over:
        state[kernels.N_ITEMS] = 0
        over = kernels.scan_lines(data, elsewhere, lenient, max_tokens, state, documents, faults, items)
        over |= mentions.add(items, int(state[kernels.N_ITEMS]), documents, int(state[kernels.AT]))
        over |= bool(state[kernels.N_FAULTS] > MOST_FAULTS)  # then the reader gives up anyway
        if state[kernels.N_DOCUMENTS] == len(documents):
            documents = longer(documents, 2 * len(documents))
        if state[kernels.N_FAULTS] == len(faults):
            faults = longer(faults, 2 * len(faults))
    documents, faults = documents[: state[kernels.N_DOCUMENTS]], faults[: state[kernels.N_FAULTS]]
    if state[kernels.INSIDE]:  # a fault ended the scan
        documents[-1, END] = state[kernels.AT]
    bare = (int(state[kernels.N_BARE]), int(state[kernels.BARE_LINE]), int(state[kernels.BARE_AT]))
    n, n_faults = mentions.state[mentions.kernels.N_MENTIONS], mentions.state[mentions.kernels.N_FAULTS]
    of_mentions = (mentions.start[:n], mentions.end[:n], mentions.entity[:n], mentions.line[:n])
    scanned = Scanned(documents, *of_mentions, np.concatenate([faults, mentions.faults[:n_faults]]), bare)
    return _without_unclosed(scanned) if lenient else scanned


class _Mentions:
    """The mentions found so far, in arrays that grow."""

    def __init__(self, data: NDArray[np.uint8], lenient: bool, most: int, seed: np.uint64) -> None:
        from arraycoref.kernels import conll_mentions as kernels

        self.kernels, self.data, self.settings = kernels, data, (lenient, most, seed)
        room = data.size // 32 + 16
        self.start, self.end, self.entity = (np.empty(room, np.int32) for _ in range(3))
        self.line, self.faults = np.empty(room, np.int64), np.empty((16, 5), np.int64)
        self.ids, self.slots = np.empty(4 * 64, np.int64), np.full(128, -1, np.int32)
        self.state = np.zeros(kernels.N_STATE, np.int64)

    def add(self, items: NDArray[np.int64], n_items: int, documents: NDArray[np.int64], position: int) -> bool:
        """Make mentions of the items found up to a position of the text; return whether a fault ends the reading."""
        kernels, state = self.kernels, self.state
        state[kernels.N_DONE], ended = 0, False
        given = (self.data, *self.settings, n_items, items, state, documents)
        n_faults, n_mentions = int(state[kernels.N_FAULTS]) + n_items, int(state[kernels.N_MENTIONS]) + n_items
        if n_faults > len(self.faults):
            self.faults = longer(self.faults, 2 * n_faults)
        if n_mentions > self.start.size:
            room = room_for(self.start.size, position, self.data.size) + ITEMS  # a full batch of items fits
            self.start, self.end = longer(self.start, room), longer(self.end, room)
            self.entity, self.line = longer(self.entity, room), longer(self.line, room)
        while not ended and not kernels.pair_items(
            *given, self.start, self.end, self.entity, self.line, self.faults, self.ids, self.slots
        ):
            if state[kernels.N_OPEN] and items[4 * state[kernels.N_DONE]] == -2:
                ended = self._list_unclosed(documents)
            else:
                self.ids, self.slots = longer(self.ids, 2 * self.ids.size), np.full(2 * self.slots.size, -1, np.int32)
        return bool(state[kernels.N_DONE] < n_items)

    def _list_unclosed(self, documents: Int64) -> bool:
        """Add a fault for each mention of the last document that never closes; return whether this ends the reading."""
        kernels, state, lenient = self.kernels, self.state, self.settings[0]
        n, n_faults = state[kernels.N_MENTIONS], state[kernels.N_FAULTS]
        first = documents[state[kernels.N_DOCUMENTS] - 1, 0]
        unclosed = first + np.flatnonzero(self.end[first:n] < 0)[: kernels.MOST_FAULTS if lenient else 1]
        ids = self.ids[4 * self.entity[unclosed, None].astype(np.int64) + [0, 3]]
        after = int(n_faults) + unclosed.size
        if after + ITEMS > len(self.faults):
            self.faults = longer(self.faults, 2 * (after + ITEMS))
        self.faults[n_faults:after, 0], self.faults[n_faults:after, 4] = kernels.NEVER_CLOSED, 0
        self.faults[n_faults:after, 1], self.faults[n_faults:after, 2:4] = self.line[unclosed], ids
        state[kernels.N_FAULTS] = after
        state[kernels.N_OPEN] = 0
        return not lenient or bool(state[kernels.N_FAULTS] > kernels.MOST_FAULTS)  # the reader gives up


def _without_unclosed(scanned: Scanned) -> Scanned:
    """Drop the mentions that were never closed, and renumber the entities of their documents."""
    kept = scanned.end >= 0
    if kept.all():
        return scanned
    rows, entity = scanned.documents.copy(), scanned.entity.copy()
    stops = np.append(rows[1:, 0], kept.size)
    for d in np.unique(rows[:, 0].searchsorted(np.flatnonzero(~kept), side="right") - 1).tolist():
        own = np.arange(rows[d, 0], stops[d])[kept[rows[d, 0] : stops[d]]]
        entity[own] = np.unique(entity[own], return_inverse=True)[1]
    rows[:, 0] = np.append(0, np.cumsum(kept))[rows[:, 0]]
    mentions = (scanned.start[kept], scanned.end[kept], entity[kept], scanned.line[kept])
    return Scanned(rows, *mentions, scanned.faults, scanned.bare)


def room_for(size: int, position: int, end: int) -> int:
    """Return the new size for arrays that are full before the whole text is read.

    Args:
        size: current size of the arrays.
        position: number of bytes of the text that are read.
        end: number of bytes of the text.
    """
    rest = int(1.05 * size * (end - position) / (position + 1))  # rows still to come if the text goes on alike
    return size + min(max(rest, size // 4), 4 * size)


def longer(array: NDArray[T], size: int) -> NDArray[T]:
    """Copy the rows of an array into a new one of more rows."""
    grown = np.empty((size, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
