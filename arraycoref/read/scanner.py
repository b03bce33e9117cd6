"""Drive the compiled scanner of CoNLL files: give its arrays room, and hand them over at their length."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arraycoref.arrays import frozen

T = TypeVar("T", bound=np.generic)

_ID = re.compile(rb"[^()|\t-\r ]*")  # what kernels.conll.in_id takes for part of an id
MOST_TOKENS = 2**31 - 1
_SEED = int.from_bytes(os.urandom(8)) | 1  # so that nobody can write a file whose ids collide


@dataclass(frozen=True, eq=False)
class Scanned:
    """What `scan_bytes` found; the rows are described in `arraycoref.kernels.conll.scan`.

    Attributes:
        documents: int64 (D, 5).
        start: int32 (M,).
        end: int32 (M,).
        entity: int32 (M,).
        line: int64 (M,).
        faults: int64 (F, 5).
    """

    documents: NDArray[np.int64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    entity: NDArray[np.int32]
    line: NDArray[np.int64]
    faults: NDArray[np.int64]


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
        seed: of the hash of entity ids, odd and of 64 bits; None for one drawn at random when the process starts.
        begin: position of the first byte of text.
    """
    from arraycoref.kernels import conll as kernels

    elsewhere = None if column == -1 else column
    going_on = True if lenient else None  # two kernels: few runs wait for the compiling of the lenient one
    words = data[: data.size & ~7].view("<u8")
    if not words.flags.aligned:  # machine code takes it for granted
        data = frozen(data.copy(), np.uint8)
        words = data[: data.size & ~7].view("<u8")
    state = np.zeros(kernels.N_STATE, np.int64)
    state[kernels.AT] = begin
    documents, faults = np.empty((16, 5), np.int64), np.empty((16, 5), np.int64)
    room = data.size // 32 + 16
    start, end, entity = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    line = np.empty(room, np.int64)
    ids, slots = np.empty((64, 3), np.int64), np.full(128, -1, np.int32)
    while not kernels.scan(
        data, words, elsewhere, going_on, max_tokens, np.uint64(_SEED if seed is None else seed),
        state, documents, start, end, entity, line, faults, ids, slots,
    ):  # fmt: skip
        if state[kernels.N_FAULTS] > kernels.MOST_FAULTS:  # the reader gives up, and a row each would take much room
            break
        unclosed = min(int(state[kernels.N_OPEN]), kernels.MOST_FAULTS) if lenient else 0
        n_faults = int(state[kernels.N_FAULTS]) + unclosed + 2
        if state[kernels.N_DOCUMENTS] == len(documents):
            documents = _longer(documents, 2 * len(documents))
        if n_faults > len(faults) or state[kernels.N_FAULTS] == len(faults):
            faults = _longer(faults, n_faults + len(faults))
        if state[kernels.N_MENTIONS] == start.size:
            at = int(state[kernels.AT])
            rest = int(1.05 * start.size * (data.size - at) / (at + 1))  # mentions to come, if it goes on like this
            room = start.size + min(max(rest, start.size // 4), start.size * 4) + 16
            start, end = _longer(start, room), _longer(end, room)
            entity, line = _longer(entity, room), _longer(line, room)
        if state[kernels.N_ENTITIES] == len(ids):
            slots, ids = np.empty(2 * slots.size, np.int32), _longer(ids, 2 * len(ids))
        slots.fill(-1)
    n_mentions = int(state[kernels.N_MENTIONS])
    faults = faults[: state[kernels.N_FAULTS]]
    for row in np.flatnonzero(faults[:, 0] == kernels.NEVER_CLOSED).tolist():
        faults[row, 3] = _ID.match(data.data, faults[row, 2]).end()  # type: ignore[union-attr]  # it matches anywhere
    scanned = Scanned(
        documents[: state[kernels.N_DOCUMENTS]],
        start[:n_mentions],
        end[:n_mentions],
        entity[:n_mentions],
        line[:n_mentions],
        faults,
    )
    return _without_unclosed(scanned) if lenient else scanned


def _without_unclosed(scanned: Scanned) -> Scanned:
    """Drop the mentions that were never closed, and number the entities of their documents anew."""
    kept = scanned.end >= 0
    if kept.all():
        return scanned
    rows, entity = scanned.documents.copy(), scanned.entity.copy()
    stops = np.append(rows[1:, 0], kept.size)
    for d in np.unique(rows[:, 0].searchsorted(np.flatnonzero(~kept), side="right") - 1).tolist():
        mentions = np.arange(rows[d, 0], stops[d])[kept[rows[d, 0] : stops[d]]]
        entity[mentions] = np.unique(entity[mentions], return_inverse=True)[1]
    rows[:, 0] = np.append(0, np.cumsum(kept))[rows[:, 0]]
    return Scanned(rows, scanned.start[kept], scanned.end[kept], entity[kept], scanned.line[kept], scanned.faults)


def _longer(array: NDArray[T], size: int) -> NDArray[T]:
    longer = np.empty((size, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
