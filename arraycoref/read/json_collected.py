"""Collect the documents of a JSON file in arrays, one by one or many at a time."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError
from arraycoref.read.documents import Documents, FileText, Parsed, Sentences, Text, text_of
from arraycoref.read.json_documents import document_of, sentences_of
from arraycoref.read.json_values import Each, Fields, bad
from arraycoref.read.mentions import Mentions
from arraycoref.read.shapes import JsonLayout
from arraycoref.read.sources import ReadingOptions
from arraycoref.runtime import Content, split_suffixes


class Collected:
    """The documents of a file as they are read, in arrays that grow."""

    def __init__(
        self, data: Content, path: str, options: ReadingOptions, layout: JsonLayout, wanted: Sequence[str]
    ) -> None:
        self.path, self.options, self.layout, self.wanted = path, options, layout, wanted
        make = partial(_sentences, data, layout)  # no method: a cycle would keep the bytes until it is collected
        self.text = FileText(np.frombuffer(data, np.uint8), make, (layout.tokens, layout.blanks))
        self.names: list[str | None] = []
        self.units: list[str] = []
        self.texts: list[FileText | None] = []
        self.mention_texts: list[str | None] = []
        self.numbers, self.spans = array("q"), (array("i"), array("i"), array("i"))
        self.n_faults, self.nulls = 0, [0, 0]

    def add_all(self, values: Iterable[Each]) -> None:
        """Add the documents of JSON values."""
        for place, line, value in values:
            try:
                self._add(place, line, value)
            except ReadError as error:
                self._fault(line, error)

    def _add(self, place: tuple[int, int], line: int, value: object) -> None:
        found = document_of(value, self.layout, self.wanted, partial(self._fault, line))
        holds = isinstance(value, Fields) and any(value.get(field) is not None for field in self.layout.tokens[:1])
        n_tokens, counted = found.n_tokens, found.n_tokens is not None
        if n_tokens is None:
            n_tokens = 1 + max(found.spans[1], default=-1)
        spans = [np.array(column, np.int32) for column in found.spans]
        numbers = np.array([[line, spans[0].size, n_tokens, counted, *place]])
        self.add([found.name], [found.unit], [holds], numbers, spans, [found.texts])
        if found.values:
            self.texts[-1] = text_of(found.values)
        if found.n_nulls:
            self.nulls = [self.nulls[0] + found.n_nulls, self.nulls[1] or line]

    def add(
        self,
        names: Sequence[str | None],
        units: Sequence[str],
        has_text: Sequence[bool],
        numbers: NDArray[np.int64],
        spans: Sequence[NDArray[np.int32]],
        texts: Sequence[Sequence[str]],
    ) -> None:
        """Add D documents.

        Args:
            names: (D,) their names, None for none.
            units: (D,) what their spans count.
            has_text: (D,) whether the file has their words.
            numbers: int64 (D, 6) line, number of mentions, number of tokens, whether the file gives this number, and
                where the text begins and ends in the file.
            spans: three times int32 (M,): first token, last token and entity of their mentions.
            texts: (D,) the texts of their mentions; empty for a document without. Not looked at if the layout has none.
        """
        self.names += names
        self.units += units
        self.texts += [self.text if each else None for each in has_text]
        self.numbers.frombytes(numbers.tobytes())
        for column, added in zip(self.spans, spans, strict=True):
            column.frombytes(added.view(np.uint8).data)
        if self.layout.texts:
            for n, each in zip(numbers[:, 1].tolist(), texts, strict=True):
                self.mention_texts += each or [None] * n

    def _fault(self, line: int | None, fault: ReadError) -> None:
        """Report a fault in this file, on this line if it does not say on which."""
        self.n_faults += 1
        self.options.on_error(ReadError(self.path, fault.line or line, fault.reason, fault.option))

    def parsed(self) -> Parsed:
        """Report the faults and doubts of the file as a whole, and return the documents collected."""
        named = np.array([name is not None for name in self.names], np.bool_)
        numbers = np.array(self.numbers).reshape(-1, 6)
        line, lengths, n_tokens, counted, *place = np.ascontiguousarray(numbers.T)
        if not self.names and not self.n_faults:
            self._fault(None, bad("no document; expected one JSON object per line"))
        asked = self.options.name_field
        if asked is not None and named.size and not named.any():
            reason = f"no document has its name in the field {asked!r}; expected the field of the names"
            self._fault(None, bad(reason, "name_field"))
        if self.nulls[0]:
            reason = f"{self.nulls[0]} mentions are null, without a place in the text; they do not count"
            self.options.on_doubt(ReadError(self.path, self.nulls[1], reason))
        names = tuple([self._stand_in(d) if name is None else name for d, name in enumerate(self.names)])
        start, end, entity = (np.frombuffer(column, np.int32) for column in self.spans)
        n = len(names)
        mentions = Mentions(
            np.arange(n, dtype=np.int32).repeat(lengths),
            start,
            end,
            entity,
            np.repeat(line, lengths),
            text=np.array(self.mention_texts, object) if any(self.mention_texts) else None,
        )
        documents = Documents(
            names,
            tuple([f"({name})" for name in names]),
            (self.path,) * n,
            tuple(self.units),
            named,
            ((),) * n,
            mentions,
            Text(tuple(self.texts), np.stack(place, axis=1), np.where(counted > 0, n_tokens, -1), ((),) * n),
        )
        return Parsed(documents, tuple(line.tolist()), self.layout.clusters if names else None)

    def _stand_in(self, d: int) -> str:
        """Return the name of a document that has none: that of its file, or its number among others."""
        if len(self.names) > 1:
            return str(d + 1)
        return os.path.basename(split_suffixes(self.path)[0])


def _sentences(data: Content, layout: JsonLayout, first: int, stop: int) -> Sentences:
    """Make sentences from the bytes of a document, or of the field that holds its tokens."""
    value = json.loads(bytes(memoryview(data)[first:stop]))
    return sentences_of(value[layout.tokens[0]] if isinstance(value, dict) else value, layout)
