"""Hold the mentions of D documents as ragged arrays: what was read for one side, before the sides are matched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError
from arraycoref.records import Record

Words = Callable[[int, int], list[str]]
"""Function that returns the texts of a document's tokens. Its arguments are where the texts begin and end in the file.

All documents of a file share one function.
"""


@dataclass(frozen=True, eq=False)
class WordsOf:
    """Make the texts of tokens from the bytes of a file; the bytes of two files can be compared without making texts.

    Attributes:
        data: uint8 (N,) bytes of the file.
        make: function that returns the texts between two positions in ``data``.
        layout: if two files have equal layouts, equal bytes hold equal texts. In ``conll``, the bytes are whole lines,
            and the words are one of their columns.
    """

    data: NDArray[np.uint8]
    make: Words
    layout: object

    def __call__(self, first: int, stop: int) -> list[str]:
        """Return the texts of the tokens between two positions in the file."""
        return self.make(first, stop)


@dataclass(frozen=True, eq=False)
class Documents(Record):
    """The mention occurrences of D documents of one side (key or response).

    Attributes:
        names: (D,) unique document names. A CoNLL header ``(x); part 003`` gives ``x_3``, as neural systems write
            ``doc_key``; a header without a part gives ``x``.
        headers: (D,) what followed ``#begin document`` in the file, or the name in parentheses for other formats.
        sources: (D,) the file that each document came from, as the user named it.
        offsets: int64 (D+1,) document d owns the occurrences ``offsets[d]:offsets[d + 1]``.
        start: int32 (M,) first token of the occurrence, counted from 0 in its document.
        end: int32 (M,) last token, inclusive.
        entity: int32 (M,) entity of the occurrence: 0, 1, ... in each document, in the order in which entity ids
            first appear in the file.
        line: int64 (M,) line of the file, from 1, on which the occurrence begins.
        n_tokens: int64 (D,) tokens in the document where the file gives it; otherwise as many as its mentions need.
        counted: bool (D,) whether the file says how many tokens the document has.
        named: bool (D,) whether the file names the document. If not, its name is its number in the file, or the file's
            name if it is the only document there.
        units: (D,) what ``start`` and ``end`` count: ``word``, ``subtoken``, ``character`` or ``mention``. A document
            of ``mention`` has values in place of spans: start and end are the number of the value among the document's
            texts. An empty string fits any unit.
        texts: (D,) the function that makes the texts of the document's tokens, None if the file has none; see `words`.
        places: int64 (D, 2) the arguments of this function: where the texts begin and end in the file.
        columns: names of the columns that hold a mention, if the documents are from a table; otherwise empty.
    """

    names: tuple[str, ...]
    headers: tuple[str, ...]
    sources: tuple[str, ...]
    offsets: NDArray[np.int64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    entity: NDArray[np.int32]
    line: NDArray[np.int64]
    n_tokens: NDArray[np.int64]
    counted: NDArray[np.bool_]
    named: NDArray[np.bool_]
    units: tuple[str, ...]
    texts: tuple[Words | None, ...]
    places: NDArray[np.int64]
    columns: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def spans(self, d: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return first token, last token and entity of each occurrence of a document."""
        here = slice(self.offsets[d], self.offsets[d + 1])
        return self.start[here], self.end[here], self.entity[here]

    def words(self, d: int) -> list[str] | None:
        """Return the texts of a document's tokens, made when asked for; None where the file has none."""
        make = self.texts[d]
        return None if make is None else make(*self.places[d].tolist())


OBJECTS: dict[str, str | None] = {"names": "", "headers": "", "sources": "", "units": "", "texts": None}
"""Fields with one object per document, and the value of each for an empty document."""

NUMBERS = {"n_tokens": 0, "counted": False, "named": True, "places": 0}
"""Fields with a row of numbers per document, and the value of each for an empty document."""

OF_MENTIONS = ("start", "end", "entity", "line")
"""Fields with one number per occurrence."""


def repeated_mention(side: Documents, first: int, second: int) -> ReadError:
    """Return the error for two occurrences of one mention; its line is that of the second."""
    d = int(side.offsets.searchsorted(first, side="right")) - 1
    where = "two entities" if side.entity[first] != side.entity[second] else "one entity twice"
    what = "characters" if side.units[d] == "character" else "tokens"
    mention = f"of {what} {side.start[first]}-{side.end[first]}"
    if side.units[d] == "mention":
        mention = (side.words(d) or [])[side.start[first]]
    line, also = (int(side.line[second]), f", also on line {side.line[first]}") if side.line[second] else (None, "")
    return ReadError(side.sources[d], line, f"document {side.names[d]!r}: the mention {mention} is in {where}{also}")


def take(documents: Documents, indices: Sequence[int] | NDArray[np.integer]) -> Documents:
    """Select documents, in the order of the indices.

    Args:
        documents: D documents.
        indices: int (E,) in 0..D-1, or -1 for an empty document, whose name, header and source are empty.

    Returns:
        E documents; `documents` itself where the indices are 0..D-1 in order.
    """
    wanted = np.asarray(indices, np.int64).reshape(-1)
    if np.array_equal(wanted, np.arange(len(documents))):
        return documents
    lengths = np.append(np.diff(documents.offsets), 0)[wanted]  # -1 takes the last one, 0
    offsets = np.append(0, np.cumsum(lengths))
    occurrences = np.repeat(documents.offsets[wanted] - offsets[:-1], lengths) + np.arange(offsets[-1])
    changed: dict[str, Any] = {name: getattr(documents, name)[occurrences] for name in OF_MENTIONS}
    for name, absent in OBJECTS.items():
        objects = (*getattr(documents, name), absent)
        changed[name] = tuple([objects[d] for d in wanted.tolist()])
    for name, number in NUMBERS.items():
        rows = getattr(documents, name)
        changed[name] = np.concatenate([rows, np.full((1, *rows.shape[1:]), number, rows.dtype)])[wanted]
    return replace(documents, offsets=offsets, **changed)


def concatenate(parts: Sequence[Documents]) -> Documents:
    """Join the documents of one or more batches into one batch, in order."""
    lengths = [np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)]
    joined: dict[str, Any] = {
        name: tuple(chain.from_iterable(getattr(part, name) for part in parts)) for name in OBJECTS
    }
    for name in (*OF_MENTIONS, *NUMBERS):
        joined[name] = np.concatenate([getattr(part, name) for part in parts])
    return Documents(offsets=np.cumsum(np.concatenate(lengths)), **joined)
