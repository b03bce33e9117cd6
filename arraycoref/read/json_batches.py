"""Read documents of JSON by msgspec and NumPy, many at a time; leave what is unusual or faulty to the strict reader."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from arraycoref.errors import ReadError
from arraycoref.read.conll import find_bad_text
from arraycoref.read.json_collected import Collected
from arraycoref.read.json_documents import LARGEST, Places, name_of, texts_of
from arraycoref.read.json_numbers import Int32, Int64, bounds_of, count_words, parse_clusters, parse_lists
from arraycoref.read.json_values import Values
from arraycoref.read.shapes import JsonLayout
from arraycoref.read.sources import collector_paused
from arraycoref.runtime import Content

MOST_DOCUMENTS, MOST_BYTES = 1024, 1 << 20
"""How much is read at a time: so little that it stays in the cache."""

_BETWEEN, _BRACKETS = re.compile(rb"[ \t\r\n,]*"), re.compile(rb"[ \t\r\n[]*")
_OPENING, _CLOSING = re.compile(rb"[ \t\r\n]*+(\{)[ \t\r]*+\n"), re.compile(rb"\n\}")
_RETURN, _FEED, _ZERO, _COLON = b"\r\n0:"
_BLOCK, _RUN = 2048, 32  # more than 4,000 digits, of which Python makes no number, fill a block of the file

Bounds = list[tuple[int, int]]
"""Where each value begins and ends."""


class Batches:
    """The documents of one file, read in batches.

    Args:
        data: the bytes of the file.

    Attributes:
        usable: whether the file is UTF-8 without endless numbers; msgspec does not look at those that it skips.
    """

    def __init__(self, data: Content) -> None:
        import msgspec

        self.view, self.text = memoryview(data), np.frombuffer(data, np.uint8)
        self.decode = msgspec.json.Decoder().decode
        self.decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
        self.decode_array = msgspec.json.Decoder(list[msgspec.Raw]).decode
        self.refusals = msgspec.MsgspecError, ReadError, ValueError, KeyError, RecursionError
        self.elements: Bounds | None = None
        self.feeds, self.at_once, self.spanned = np.empty(0, np.int64), MOST_DOCUMENTS, True
        blocks = self.text[: self.text.size // _BLOCK * _BLOCK].reshape(-1, _BLOCK)[:, :_RUN]
        self.usable = not (blocks - _ZERO < 10).all(axis=1).any() and find_bad_text(self.text) is None

    def openings(self, values: Values) -> dict[str, str]:
        """Return how the value of each field of the first document begins; empty if it is left to the strict reader."""
        try:
            fields = self.decode_fields(self.view[slice(*self._next(values)[0])]) if self.usable else {}
        except (*self.refusals, IndexError):
            return {}
        return {name: _opening(bytes(value)) for name, value in fields.items()}

    def set_layout(self, layout: JsonLayout) -> bool:
        """Read documents of this layout from now on; return whether that is possible."""
        self.layout = layout
        self.tokens = layout.tokens[0] if layout.tokens else ""
        self.others = {layout.count, self.tokens}
        self.maps = layout.word_of if layout.unit == "subtoken" else ()
        self.wanted = [field for field in (*layout.names, layout.part, layout.count, *layout.texts) if field]
        self.key = f'"{self.tokens}":'.encode()
        self.plain = None if self.maps else Places({}, layout)
        return self.usable and not (layout.group or layout.fields or layout.first or layout.unit == "mention")

    def run(self, values: Values, collected: Collected) -> None:
        """Collect documents up to the end, or to one for the strict reader; ``values`` goes on from there."""
        while bounds := self._next(values)[: self.at_once]:
            try:
                with collector_paused():
                    self._add(bounds, values, collected)
            except self.refusals:
                if len(bounds) == 1:
                    return
                self.at_once = len(bounds) // 2
            else:
                self.at_once = min(2 * self.at_once, MOST_DOCUMENTS)

    def _next(self, values: Values) -> Bounds:
        """Return where the next values are: elements of the array, objects over several lines, or lines."""
        begin = values.at
        if values.in_array and self.elements is None:
            self.elements = list(self._elements(begin - 1))
        if self.elements is not None:
            found = self.elements[(k := bisect_left(self.elements, (begin,))) : k + MOST_DOCUMENTS]
        else:
            found = list(self._objects(values))
        if found:
            self.feeds = begin + np.flatnonzero(self.text[begin : found[-1][1]] == _FEED)
        elif not values.in_array:
            found = self._lines(begin)
        return found[: bisect_right([end for _, end in found], begin + MOST_BYTES)] or found[:1]

    def _lines(self, at: int) -> Bounds:
        size, feeds = MOST_BYTES, np.empty(0, np.int64)
        while not feeds.size and at < self.text.size:
            feeds = at + np.flatnonzero(self.text[at : at + size] == _FEED)[:MOST_DOCUMENTS]
            if at + size >= self.text.size and feeds.size < MOST_DOCUMENTS:
                feeds = np.append(feeds, self.text.size)
            size *= 8
        begins = np.append(at, feeds[:-1] + 1)[: feeds.size]
        is_return = self.text.take(begins, mode="clip") == _RETURN
        filled = feeds - begins > is_return  # other blank lines are left to the strict reader
        self.feeds = feeds
        return list(zip(begins[filled].tolist(), feeds[filled].tolist(), strict=True))

    def _objects(self, values: Values) -> Iterator[tuple[int, int]]:
        """Yield where objects are that begin and end with a bracket on a line of its own."""
        at = values.at
        most = at + MOST_BYTES
        while at < most and values.may_span and self.spanned and (opening := _OPENING.match(self.view, at)):
            closing = _CLOSING.search(self.view, opening.end(1))
            self.spanned = closing is not None
            if closing:
                at = closing.end()
                yield opening.start(1), at

    def _elements(self, begin: int) -> Iterator[tuple[int, int]]:
        try:
            found = self.decode_array(self.view[begin:])
        except self.refusals:
            return
        at = begin + 1
        for each in found:
            between = _BETWEEN.match(self.view, at)
            first = between.end() if between else at
            at = first + len(memoryview(each))
            yield first, at

    def _add(self, bounds: Bounds, values: Values, collected: Collected) -> None:
        """Collect the documents at some places, and go on behind them.

        Raises:
            Exception: one of `refusals`; then nothing was collected.
        """
        begin, end = values.at, bounds[-1][1]
        fields = [self.decode_fields(self.view[first:stop]) for first, stop in bounds]
        more_colons = np.count_nonzero(self.text[begin:end] == _COLON) - sum(map(len, fields))
        if more_colons and more_colons != sum(bytes(each).count(b":") for raws in fields for each in raws.values()):
            raise ValueError("a field may be there twice, of which msgspec keeps the last value")
        found = [{name: self.decode(raws[name]) for name in self.wanted if name in raws} for raws in fields]
        names = [name_of(each, self.layout) for each in found]
        if self.maps:
            self._read_maps(fields, found)
        words = [bytes(raws.get(self.tokens, b"null")) if self.tokens else b"null" for raws in fields]
        places = self._places(found, words)
        spans, lengths, behind = spans_of([bytes(raws[self.layout.clusters]) for raws in fields], places, self.layout)
        lines = values.line + np.searchsorted(self.feeds, [first for first, _ in bounds])
        n_tokens = np.array([-1 if each.n_tokens is None else each.n_tokens for each in places])
        numbers = [lines, lengths, np.where(n_tokens < 0, behind, n_tokens), n_tokens >= 0]
        found_at = [self._find(*each, text) for each, text in zip(bounds, words, strict=True)]
        texts = [texts_of(each, self.layout, n) for each, n in zip(found, lengths.tolist(), strict=True)]
        has_text = [each != b"null" for each in words]
        collected.add(
            names, [each.unit for each in places], has_text, np.column_stack([*numbers, found_at]), spans, texts
        )
        values.at, values.line, values.empty = end, values.line + int(np.searchsorted(self.feeds, end)), False

    def _read_maps(self, fields: Sequence[Mapping[str, Any]], found: Sequence[dict[str, object]]) -> None:
        """Put the words of the subtokens of each document beside its other fields."""
        names = [next((name for name in self.maps if bytes(raws.get(name, b"null")) != b"null"), "") for raws in fields]
        maps = parse_lists([bytes(raws[name]) for raws, name in zip(fields, names, strict=True)])
        for each, name, words in zip(found, names, maps, strict=True):
            each[name] = words

    def _places(self, found: Sequence[dict[str, object]], words: Sequence[bytes]) -> list[Places]:
        """Find the tokens of documents."""
        counted = count_words(words, self.layout.depth, self.layout.blanks) if self.layout.depth else None
        lengths: Sequence[list[int] | None] = [None] * len(words)
        if counted is not None and self.layout.nested:
            lengths = [each.tolist() for each in np.split(counted[0], counted[1][1:-1])]
        elif counted is not None:
            lengths = np.add.reduceat(counted[0], counted[1][:-1])[:, None].tolist()
        places = []
        for fields, text, counts in zip(found, words, lengths, strict=True):
            if counts is None and text != b"null":
                fields[self.tokens] = self.decode(text)
            plain = self.plain if counts is None and self.others.isdisjoint(fields) else None
            places.append(plain or Places(fields, self.layout, counts))
        return places

    def _find(self, begin: int, end: int, words: bytes) -> tuple[int, int]:
        """Return where the words of a document begin and end, or where equal bytes do; the document if it has none."""
        if words == b"null":
            return begin, end
        text = self.view[begin:end].tobytes()
        at = text.find(self.key) + len(self.key)
        at += text[at : at + 1] == b" "
        at = begin + (at if text.startswith(words, at) else text.find(words))
        return at, at + len(words)


def _opening(value: bytes) -> str:
    brackets = _BRACKETS.match(value)
    at = brackets.end() if brackets else 0
    mark = value[at : at + 1].decode()
    return "[" * value.count(b"[", 0, at) + (mark if mark in '{"]' else "0")


def spans_of(
    clusters: Sequence[bytes], places: Sequence[Places], layout: JsonLayout
) -> tuple[list[Int32], Int64, Int64]:
    """Find the mentions of D documents.

    Args:
        clusters: (D,) the bytes of their clusters.
        places: (D,) their tokens.
        layout: layout of the file.

    Returns:
        First token, last token and entity of each mention, each int32 (M,); the number of mentions of each document,
        int64 (D,); and the token behind its last one, int64 (D,).

    Raises:
        ValueError: a mention is not of the usual form, or faulty.
    """
    numbers, entity, lengths = parse_clusters(clusters, 2 + layout.nested)
    start, end = numbers[-2], numbers[-1] - layout.exclusive
    fine = start <= end
    if layout.nested:
        bounds = bounds_of([each.offsets for each in places])
        row, last_row = numbers[0] + np.repeat(bounds[:-1], lengths), np.repeat(bounds[1:], lengths) - 1
        fine &= row < last_row
        row = np.minimum(row, last_row - 1)
        offsets = np.array(list(chain.from_iterable(each.offsets for each in places)))
        start, end = start + offsets[row], end + offsets[row]
        fine &= end < offsets[row + 1]
    else:
        limits = np.array([LARGEST + 1 if each.limit is None else each.limit for each in places])
        fine &= end < np.repeat(limits, lengths)
    maps = [each.word_of for each in places if each.word_of is not None]
    if maps and fine.all():
        words = np.concatenate(maps)
        start, end = (words[each + np.repeat(bounds_of(maps)[:-1], lengths)] for each in (start, end))
        fine = (start >= 0) & (start <= end)
    if not fine.all():
        raise ValueError("a mention outside its document, or without tokens")
    at = np.cumsum(lengths) - lengths
    last = np.where(lengths > 0, np.maximum.reduceat(np.append(end, 0), at), -1)
    return [column.astype(np.int32) for column in (start, end, entity)], lengths, last.astype(np.int64) + 1
