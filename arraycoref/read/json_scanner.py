"""Drive the compiled scanner of JSON files: say which fields it reads, enlarge its arrays, collect its documents."""

from __future__ import annotations

import re
from collections.abc import Container

import numpy as np
from numpy.typing import NDArray

from arraycoref.read.conll import find_bad_text
from arraycoref.read.conll_scanner import room_for
from arraycoref.read.json_documents import Collected
from arraycoref.read.json_values import Values
from arraycoref.read.shapes import JsonLayout
from arraycoref.runtime import Content

_BEGIN = re.compile(rb"[ \t\r\n[]*[^ \t\r\n[]")
FEED = 10
_AT_ONCE = 4096
"""Documents that are collected at a time."""


class Scanner:
    """The compiled scanner, at work on one file.

    Args:
        data: the bytes of the file.
    """

    def __init__(self, data: Content) -> None:
        from arraycoref.kernels import json_documents as kernels

        self.kernels = kernels
        self.data = np.frombuffer(data, np.uint8)
        self.data.flags.writeable = False
        self.is_text = find_bad_text(self.data) is None
        self.state, self.settings = np.zeros(kernels.N_STATE, np.int64), np.zeros(kernels.N_SETTINGS, np.int64)
        self.documents = np.empty((_AT_ONCE, kernels.N_COLUMNS), np.int64)
        self.scratch = np.empty(4096, np.int64)
        self.names, self.bounds, self.roles = np.frombuffer(b"", np.uint8), np.zeros(1, np.int64), np.empty(0, np.int64)

    def openings(self, values: Values) -> dict[str, str] | None:
        """Return how each value of the first object begins, for `layout_of`; None if the scanner cannot read it."""
        if not self.is_text:
            return None
        self._go_to(values)
        self.scratch.fill(-2)
        self.settings[self.kernels.FIELDS_ONLY] = 1
        self._scan(*(np.empty(0, np.int32) for _ in range(3)))
        self.settings[self.kernels.FIELDS_ONLY] = 0
        ends = np.flatnonzero(self.scratch == -1)
        if not ends.size:
            return None
        fields = self.scratch[: ends[0]].reshape(-1, 3).tolist()
        return {self._text(first, stop): _opening(self.data.data, value) for first, stop, value in fields}

    def set_up(self, layout: JsonLayout, fields: Container[str]) -> bool:
        """Set the scanner to the fields of a layout; return whether it can read objects of this layout.

        Args:
            layout: layout of the file.
            fields: names of the fields of the first document.
        """
        from arraycoref.kernels import json_parts as parts

        kernels = self.kernels
        if not self.is_text or layout.fields or len(layout.tokens) > 1 or layout.unit == "mention" or layout.first:
            return False
        roles = dict.fromkeys(layout.names, kernels.NAME)
        mapped = layout.unit == "subtoken" and bool(layout.word_of)
        seen = [field for field in layout.word_of if field in fields]
        roles |= {layout.part: kernels.PART, layout.tokens[0] if layout.tokens else "": kernels.TOKENS}
        roles |= dict.fromkeys(layout.word_of, kernels.STRANGE if mapped else kernels.OTHER)
        roles |= dict.fromkeys(seen[:1], kernels.WORD_OF if mapped else kernels.OTHER)
        roles |= dict.fromkeys(seen[1:], kernels.OTHER)
        roles |= {layout.count: kernels.COUNT, layout.clusters: kernels.CLUSTERS}
        roles.pop("", None)
        encoded = [field.encode() for field in roles]
        if len(roles) != len(layout.looked_at) or len(roles) > 60:
            return False
        self.names = np.frombuffer(b"".join(encoded), np.uint8)
        self.bounds = np.cumsum([0, *map(len, encoded)])
        self.roles = np.array(list(roles.values()))
        self.settings[parts.NESTED] = layout.nested
        self.settings[parts.DEPTH] = layout.depth
        self.settings[parts.BLANKS] = layout.blanks
        self.settings[kernels.EXCLUSIVE] = layout.exclusive
        self.settings[kernels.TEXT] = layout.unit == "character"
        self.settings[kernels.MAPPED] = mapped
        return True

    def run(self, values: Values, collected: Collected) -> None:
        """Collect documents up to the end, or to one that the scanner cannot read; ``values`` goes on from there."""
        kernels, state = self.kernels, self.state
        self._go_to(values)
        lacks = True
        while lacks:
            state[kernels.N_DOCUMENTS], state[kernels.N_MENTIONS] = 0, collected.n_mentions
            self._scan(collected.start, collected.end, collected.entity)
            self._collect(collected)
            lacks = state[kernels.LACKS] != kernels.NOTHING
            if state[kernels.LACKS] == kernels.MENTIONS:
                collected.make_room(room_for(collected.start.size, int(state[kernels.AT]), self.data.size))
            elif state[kernels.LACKS] == kernels.SCRATCH:
                self.scratch = np.empty(2 * self.scratch.size, np.int64)
        values.at, values.line = int(state[kernels.AT]), int(state[kernels.LINE])
        values.empty = bool(state[kernels.EMPTY])

    def _scan(self, start: NDArray[np.int32], end: NDArray[np.int32], entity: NDArray[np.int32]) -> None:
        given = (self.data, self.names, self.bounds, self.roles, self.settings, self.state, self.documents)
        self.kernels.scan_objects(*given, start, end, entity, self.scratch)

    def _go_to(self, values: Values) -> None:
        state, kernels = self.state, self.kernels
        state[kernels.AT], state[kernels.LINE] = values.at, values.line
        state[kernels.IN_ARRAY], state[kernels.EMPTY] = values.in_array, values.empty
        self.settings[kernels.ONE_LINE] = not (values.in_array or values.may_span)

    def _collect(self, collected: Collected) -> None:
        kernels, n = self.kernels, int(self.state[self.kernels.N_DOCUMENTS])
        columns = self.documents[:n].T
        names = self._names(columns[kernels.NAME_FIRST : kernels.PART_STOP + 1])
        unit = "word" if self.settings[kernels.MAPPED] else collected.layout.unit
        units, has_texts = [unit] * n, (columns[kernels.TOKENS_FIRST] >= 0).tolist()
        if unit == "character":
            of_words = (columns[kernels.TOKENS_FIRST] >= 0) & (columns[kernels.IS_TEXT] < 0)
            units = ["word" if each else unit for each in of_words.tolist()]
        collected.add_scanned(
            names,
            units,
            has_texts,
            columns[[kernels.ON_LINE, kernels.OFFSET, kernels.N_TOKENS, kernels.COUNTED]],
            self.documents[:n, kernels.TOKENS_FIRST : kernels.TOKENS_STOP + 1],
        )

    def _names(self, bounds: NDArray[np.int64]) -> list[str | None]:
        """Make the names of documents.

        Args:
            bounds: int64 (4, D) first and past-the-last byte of each name, and of each part of a document.
        """
        first, stop, part, _ = bounds
        if (part >= 0).any():
            ranges = bounds.T.tolist()
            return [
                None if a < 0 else self._text(a, b) if c < 0 else f"{self._text(a, b)}_{self._text(c, d)}"
                for a, b, c, d in ranges
            ]
        lengths = stop - first + 1  # with one more byte behind, mostly the quote
        behind = np.cumsum(lengths)
        text = self.data[np.arange(lengths.sum()) + np.repeat(stop + 1 - behind, lengths)]
        text[behind - 1] = FEED
        names = text.tobytes().decode().split("\n")
        return [None if at < 0 else name for name, at in zip(names, first.tolist(), strict=False)]

    def _text(self, first: int, stop: int) -> str:
        return str(self.data.data[first:stop], "utf-8")


def _opening(data: memoryview, at: int) -> str:
    """Return the brackets that a value begins with, and one more character, 0 for numbers, true, false and null."""
    found = _BEGIN.match(data, at)
    opening = "" if found is None else "".join(str(found[0], "utf-8", "replace").split())
    return opening if opening[-1:] in ("]", "{", '"') else opening[:-1] + "0"
