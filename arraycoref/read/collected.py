"""Collect the documents of a JSON file as they are read, in arrays that grow."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError
from arraycoref.read.documents import Documents, Words, WordsOf
from arraycoref.read.json_documents import document_of, words_of
from arraycoref.read.json_values import Each, Fields
from arraycoref.read.parsed import Options, Parsed
from arraycoref.read.scanner import longer
from arraycoref.read.shapes import Shape
from arraycoref.runtime import Content, split_suffixes


class Collected:
    """The documents of a file as they are read, in arrays that grow."""

    def __init__(self, data: Content, path: str, options: Options, shape: Shape, wanted: Sequence[str]) -> None:
        self.data, self.path, self.options, self.shape, self.wanted = data, path, options, shape, wanted
        self.names: list[str | None] = []
        self.units: list[str] = []
        self.texts: list[Words | None] = []
        self.words = WordsOf(np.frombuffer(data, np.uint8), self._words, (shape.tokens, shape.blanks))
        self.offsets, self.begins, self.n_tokens, self.places = array("q", [0]), array("q"), array("q"), array("q")
        self.counted = bytearray()
        self.n_mentions, self.n_faults, self.nulls = 0, 0, [0, 0]
        self.start, self.end, self.entity = (np.empty(len(data) // 12 + 16, np.int32) for _ in range(3))

    def add_all(self, values: Iterable[Each]) -> None:
        """Add the documents of JSON values."""
        for place, line, value in values:
            try:
                self._add(place, line, value)
            except ReadError as error:
                self._fault(error.line or line, error.reason)

    def _add(self, place: tuple[int, int], line: int, value: object) -> None:
        found = document_of(value, self.shape, self.wanted, lambda reason: self._fault(line, reason))
        n = self.n_mentions + len(found.spans[0])
        self.make_room(n)
        for column, numbers in zip((self.start, self.end, self.entity), found.spans, strict=True):
            column[self.n_mentions : n] = numbers
        needed = 1 + max(found.spans[1], default=-1)
        self.n_mentions = n
        self.names.append(found.name)
        self.units.append(found.unit)
        self.begins.append(line)
        self.offsets.append(n)
        self.counted.append(found.n_tokens is not None)
        self.n_tokens.append(needed if found.n_tokens is None else found.n_tokens)
        holds = isinstance(value, Fields) and value.get((*self.shape.tokens, "")[0]) is not None
        self.texts.append((lambda *_: found.values) if found.values else self.words if holds else None)
        self.places.extend(place)
        if found.n_nulls:
            self.nulls = [self.nulls[0] + found.n_nulls, self.nulls[1] or line]

    def add_scanned(
        self,
        names: Sequence[str | None],
        units: Sequence[str],
        has_words: Sequence[bool],
        numbers: NDArray[np.int64],
        places: NDArray[np.int64],
    ) -> None:
        """Add documents whose mentions the scanner has written into the arrays already.

        Args:
            names: (D,) names of the documents, None for none.
            units: (D,) units of their spans.
            has_words: (D,) whether the file has the texts of their tokens.
            numbers: int64 (4, D) of each document: its line, the end of its mentions in the arrays, its number of
                tokens, and whether the file gives this number.
            places: int64 (D, 2) where the texts of tokens begin and end in the file.
        """
        self.names += names
        self.units += units
        self.texts += [self.words if each else None for each in has_words]
        for column, row in zip((self.begins, self.offsets, self.n_tokens), numbers, strict=False):
            column.frombytes(row.tobytes())
        self.counted += (numbers[3] > 0).tobytes()
        self.places.frombytes(places.tobytes())
        self.n_mentions = self.offsets[-1]

    def _words(self, first: int, stop: int) -> list[str]:
        """Return the texts of tokens, from the bytes of a document, or of the field that holds the texts."""
        value = json.loads(bytes(memoryview(self.data)[first:stop]))
        return words_of(value[self.shape.tokens[0]] if isinstance(value, dict) else value, self.shape)

    def make_room(self, n_mentions: int) -> None:
        """Make the arrays longer if they have no room for so many mentions."""
        size = self.start.size
        if n_mentions > size:
            size = max(n_mentions, size + size // 2)
            self.start, self.end, self.entity = (longer(each, size) for each in (self.start, self.end, self.entity))

    def _fault(self, line: int | None, reason: str) -> None:
        self.n_faults += 1
        self.options.fault(ReadError(self.path, line, reason))

    def parsed(self) -> Parsed:
        """Report the faults and doubts of the file as a whole, and return the documents collected."""
        if not self.names and not self.n_faults:
            self._fault(None, "no document; expected one JSON object per line")
        if self.names:
            self._compare_fields()
        asked = self.options.asked.name
        if asked is not None and self.names and not any(name is not None for name in self.names):
            self._fault(None, f"no document has its name in the field {asked!r}; expected the field of the names")
        if self.nulls[0]:
            reason = f"{self.nulls[0]} mentions are null, without a place in the text; they do not count"
            self.options.note(ReadError(self.path, self.nulls[1], reason))
        names = tuple([self._stand_in(d) if name is None else name for d, name in enumerate(self.names)])
        n = self.n_mentions
        offsets, begins = np.asarray(self.offsets), np.asarray(self.begins)
        documents = Documents(
            names,
            tuple([f"({name})" for name in names]),
            (self.path,) * len(names),
            offsets,
            self.start[:n],
            self.end[:n],
            self.entity[:n],
            line=np.repeat(begins, np.diff(offsets)),
            n_tokens=np.asarray(self.n_tokens),
            counted=np.frombuffer(self.counted, np.bool_),
            named=np.array([name is not None for name in self.names], np.bool_),
            units=tuple(self.units),
            texts=tuple(self.texts),
            places=np.asarray(self.places).reshape(-1, 2),
        )
        return Parsed(documents, tuple(self.begins))

    def _stand_in(self, d: int) -> str:
        """Return the name of a document that has none: that of its file, or its number among others."""
        if len(self.names) > 1:
            return str(d + 1)
        return os.path.basename(split_suffixes(self.path)[0])

    def _compare_fields(self) -> None:
        """Check that a file has its clusters in the same field as the files before it."""
        field, seen = self.shape.clusters, self.options.cluster_fields
        for earlier, other in seen.items():
            if earlier != field:
                reason = f"the clusters are in {field}, but in {earlier} in {other}; expected one field in all files"
                self._fault(None, reason)
        seen.setdefault(field, self.path)
