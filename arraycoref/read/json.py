"""Read JSON of coreference: objects with the clusters of a document each, in any of the layouts that tools write.

The objects are on one line each, several on a line or over lines; or they are the items of one array.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from itertools import chain, compress, islice, repeat

import numpy as np

from arraycoref.errors import OptionError, ReadError
from arraycoref.ragged import Bools, Ints, Ints32, bounds, bounds_of, owners, run_starts, sum_by
from arraycoref.read.annotation import Annotated
from arraycoref.read.documents import Documents, FileText, Parsed, Text
from arraycoref.read.faults import ReadingOptions, collector_paused
from arraycoref.read.json_documents import Document, document_of, fault_of, spans_of, unpacked, with_layers
from arraycoref.read.json_layouts import GROUPS, Fields, Numbered, bad, layout_of
from arraycoref.read.layouts import PREDICTED, JsonLayout
from arraycoref.read.mentions import Mentions
from arraycoref.read.signs import tool_of
from arraycoref.runtime import Content, split_suffixes

DOCUMENTS, FAULTS, MENTIONS = 1024, 64, 1 << 16
"""How much is turned into arrays at a time, if that many are there: the lists of so many mentions take some 10 MB."""

_SPACE = re.compile(r"[ \t\r\n]*")
_ALONE = re.compile(r"\{[ \t\r]*\n")
_FEED = re.compile(rb"\n")
_BAD = (ValueError, RecursionError)  # for bad syntax and integers of thousands of digits; for deep nesting


def read_json(data: Content, path: str, options: ReadingOptions) -> Parsed | list[Annotated]:
    """Read the documents of a file of JSON lines, or of other layouts of JSON.

    A faulty mention is dropped in lenient mode; any other fault drops the document.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.

    Raises:
        ReadError: what `options.on_error` raises; or fields that leave open what the numbers count, where no option
            says it.
    """
    with collector_paused():
        values = values_of(data)
        first = list(islice(values, 1))
        fields = first[0][1] if first else None
        is_known = options.format not in (None, "jsonlines") or options.clusters_field is not None
        tool = None if is_known or not isinstance(fields, Fields) else tool_of(fields, path)
        if tool is not None:
            reader = import_module(f"arraycoref.read.{'cas' if tool == 'cas' else 'span_json'}")
            documents: list[Annotated] = reader.documents_of(chain(first, values), path, replace(options, format=tool))
            return documents
        try:
            layout = layout_of(first[0][1] if first else None, options)
        except OptionError as error:
            raise ReadError(path, None, str(error), error.option) from None
        if options.side == "response" and not layout.predicted and options.clusters_field is None:
            layout = _predicted(data, path, layout, options)
        wanted: tuple[str, ...] = (layout.clusters,)
        if options.side == "response" and layout.predicted:
            wanted = layout.predicted, layout.clusters
        elif layout.predicted == "span_clusters" and not _has_field(data, layout.clusters):
            wanted = (layout.predicted,)  # stanza writes keys with these only
        if _has_field(data, wanted[0]):
            layout, wanted = replace(layout, clusters=wanted[0]), wanted[:1]
        values = chain(first, values)
        holds_predictions = _has_field(data, layout.predicted) if layout.predicted else None
        reading = _Reading(path, options, layout, wanted, holds_predictions)
        if layout.group:
            doubt = lambda line, reason: options.on_doubt(ReadError(path, line, reason))  # noqa: E731
            values = GROUPS[layout.group](values, layout, options, doubt)
        for line, value in values:
            reading.add(line, value)
        return reading.parsed()


def _has_field(data: Content, field: str) -> bool:
    return re.search(rf'"{re.escape(field)}"\s*:'.encode(), data) is not None


def _predicted(data: Content, path: str, layout: JsonLayout, options: ReadingOptions) -> JsonLayout:
    """Return the layout of a response with the clusters that it predicts, if the file has these beside others."""
    for field in (*(f"{begin}{layout.clusters}" for begin in PREDICTED), "predicted_clusters"):
        if re.search(rf'"{re.escape(field)}"\s*:\s*(?!"UNK"|null|-1\b|\[\s*\])\S'.encode(), data) is not None:
            hint = f"clusters_field='response:{layout.clusters}' reads the others"
            reason = f"clusters are in {layout.clusters} and in {field}; the response is what was predicted; {hint}"
            options.on_doubt(ReadError(path, None, reason, "clusters_field"))
            return replace(layout, clusters=field, texts=())
    return layout


class _Reading:
    """The documents of a file as they are read: the last ones as lists, those before as columns.

    Args:
        path: name of the file.
        options: how to read it.
        layout: layout of the file.
        wanted: the fields that the clusters may be in, for a message.
        holds_predictions: see `Documents`.
    """

    def __init__(
        self,
        path: str,
        options: ReadingOptions,
        layout: JsonLayout,
        wanted: Sequence[str],
        holds_predictions: bool | None,
    ) -> None:
        self.holds_predictions = holds_predictions
        self.path, self.options, self.layout, self.wanted = path, options, layout, wanted
        self.documents: list[Document] = []
        self.lines: list[int] = []
        self.faults: list[tuple[int, int, ReadError]] = []
        self.n_mentions = self.n_faults = 0
        self.names: list[str | None] = []
        self.units: list[str] = []
        self.words: list[bytes | FileText | None] = []
        self.texts: list[str | None] = []
        self.types: list[str | None] = []
        self.numbers: list[Ints] = []
        self.spans: list[Ints32] = []

    def add(self, line: int, value: object) -> None:
        """Add the document of a value, or its fault."""
        if isinstance(value, ReadError):
            self.faults.append((len(self.documents), line, value))
        else:
            try:
                document = document_of(value, self.layout, self.wanted)
                if self.options.layers and document.words and document.unit == "word" and isinstance(value, Fields):
                    document = document._replace(words=with_layers(document.words, value, self.layout))
                self.documents.append(document)
                self.lines.append(line)
                self.n_mentions += len(document.mentions)
            except ReadError as error:
                self.faults.append((len(self.documents), line, error))
        if len(self.documents) >= DOCUMENTS or len(self.faults) >= FAULTS or self.n_mentions >= MENTIONS:
            self.make_columns()

    def make_columns(self) -> None:
        """Turn the last documents into columns, and report their faults."""
        documents = self.documents
        first = bounds_of(each.mentions for each in documents)
        start, end, fine = spans_of(documents, self.layout)
        self._report_all(first, fine)
        lengths = sum_by(fine, first)
        n_tokens = [-1 if each.n_tokens is None else each.n_tokens for each in documents]
        n_nulls = [each.n_nulls for each in documents]
        self.numbers.append(np.array([self.lines, lengths, n_tokens, n_nulls], np.int64))
        self.spans.append(np.array([start[fine], end[fine], _entities(documents, fine, lengths)], np.int32))
        self.names += [each.name for each in documents]
        self.units += [each.unit for each in documents]
        self.words += [each.words for each in documents]
        if self.layout.texts:
            texts = [each.texts or repeat(None, len(each.mentions)) for each in documents]
            self.texts += compress(chain.from_iterable(texts), fine.tolist())
        if any(each.types for each in documents):
            types = [each.types or repeat(None, len(each.mentions)) for each in documents]
            n_before = sum(spans.shape[1] for spans in self.spans[:-1])
            self.types += [None] * (n_before - len(self.types))
            self.types += compress(chain.from_iterable(types), fine.tolist())
        self.documents, self.lines, self.faults, self.n_mentions = [], [], [], 0

    def _report_all(self, first: Ints, fine: Bools) -> None:
        """Report faults of documents and mentions in their order in the file."""
        places = [(d, False, n) for n, (d, _, _) in enumerate(self.faults)]
        faulty = np.flatnonzero(~fine)
        places += zip(owners(first)[faulty].tolist(), repeat(True), faulty.tolist(), strict=False)
        for d, is_of_mention, n in sorted(places):
            if is_of_mention:
                self._report(self.lines[d], fault_of(self.documents[d], n - int(first[d]), self.layout))
            else:
                self._report(*self.faults[n][1:])

    def _report(self, line: int | None, fault: ReadError) -> None:
        """Report a fault in this file, on this line if it does not say on which."""
        self.n_faults += 1
        option = fault.option
        if not isinstance(option, str):
            option = {name: {self.options.side: str(value)} for name, value in option.items()}
        self.options.on_error(ReadError(self.path, fault.line or line, fault.reason, option))

    def parsed(self) -> Parsed:
        """Report the faults and doubts of the file as a whole, and return its documents."""
        self.make_columns()
        line, lengths, n_tokens, n_nulls = np.concatenate(self.numbers, axis=1)
        if not self.names and not self.n_faults:
            self._report(None, bad("no document; expected one JSON object per line"))
        named = np.array([name is not None for name in self.names], np.bool_)
        asked = self.options.name_field
        if asked is not None and named.size and not named.any():
            reason = f"no document has its name in the field {asked!r}; expected the field of the names"
            self._report(None, bad(reason, "name_field"))
        if n_nulls.any():
            reason = f"{n_nulls.sum()} mentions are null, without a place in the text; they do not count"
            self.options.on_doubt(ReadError(self.path, int(line[n_nulls.argmax()]), reason))
        names = tuple([self._stand_in(d) if name is None else name for d, name in enumerate(self.names)])
        n = len(names)
        start, end, entity = np.concatenate(self.spans, axis=1)
        mentions = Mentions(
            np.arange(n, dtype=np.int32).repeat(lengths),
            start,
            end,
            entity,
            line.repeat(lengths),
            text=np.array(self.texts, object) if any(self.texts) else None,
            label=np.array(self.types + [None] * (start.size - len(self.types)), object) if any(self.types) else None,
        )
        documents = Documents(
            names,
            tuple([f"({name})" for name in names]),
            (self.path,) * n,
            tuple(self.units),
            named,
            ((),) * n,
            mentions,
            self._text(n_tokens),
            holds_predictions=self.holds_predictions,
        )
        return Parsed(documents, tuple(line.tolist()), self.layout.clusters if names else None)

    def _stand_in(self, d: int) -> str:
        """Return the name of a document that has none: that of its file, or its number among others."""
        return str(d + 1) if len(self.names) > 1 else os.path.basename(split_suffixes(self.path)[0])

    def _text(self, n_tokens: Ints) -> Text:
        packed = [words if isinstance(words, bytes) else b"" for words in self.words]
        data, places = np.frombuffer(b"".join(packed), np.uint8), bounds_of(packed)
        shared = FileText(data, partial(unpacked, data), "words")
        files = tuple([shared if isinstance(words, bytes) else words for words in self.words])
        return Text(files, np.stack([places[:-1], places[1:]], axis=1), n_tokens, ((),) * len(files))


def _entities(documents: Sequence[Document], fine: Bools, lengths: Ints) -> Ints:
    """Number the entities of the mentions that are fine, from 0 in each document; empty clusters are no entities.

    Args:
        documents: D documents.
        fine: bool (M,) whether a mention counts.
        lengths: int64 (D,) how many do in each document.
    """
    sizes = np.array([*chain.from_iterable(each.sizes for each in documents)], np.int64)
    cluster = owners(bounds(sizes))[fine]
    begins = np.zeros(cluster.size, np.bool_)
    begins[run_starts(cluster)] = True
    of_document = bounds(sum_by(begins, bounds(lengths)))[:-1]
    return np.cumsum(begins) - 1 - of_document.repeat(lengths)


def values_of(data: Content) -> Iterator[Numbered]:
    """Yield line and value of each JSON text of a file; a `ReadError` for broken syntax.

    Behind a broken text, reading goes on with the next line; behind a broken item of an array, it ends.
    """
    text = _Text(data)
    if text.skip() and text.text[text.at] == "[":
        text.at, text.in_array = text.at + 1, True
        yield from _items(text)
        return
    may_span = True  # but not behind a broken text: each line of a broken file would be read to the file's end
    while text.skip():
        line, spans = text.line, may_span and text.text[text.at] == "{"
        value = text.value(spans)
        if text.is_broken:
            may_span = may_span and not spans
            text.leave_line()
        yield line, value


def _items(text: _Text) -> Iterator[Numbered]:
    is_first = True
    while True:
        text.skip()
        mark = text.text[text.at : text.at + 1]
        if mark == "]":
            text.at += 1
            if text.skip():
                yield text.line, _broken(text.line, "text after the array")
            return
        if not is_first:
            if mark != ",":
                yield text.line, _broken(text.line, "expected ',' or ']' after an element of the array")
                return
            text.at += 1
            text.skip()
        is_first, line = False, text.line
        yield line, text.value(True)
        if text.is_broken:
            return


class _Text:
    """The text of a file, line by line; more lines are added while a value goes on over several.

    Args:
        data: the bytes of the file. Those that are not UTF-8 become lone surrogates, which `value` refuses.

    Attributes:
        text: some lines.
        at: position in these of what comes next.
        line: number of the line of this position.
        next: position in the file behind these lines.
        in_array: whether values are the items of an array.
        is_broken: whether the last value had broken syntax; then it is not passed over.
        is_utf8: whether all lines were UTF-8 so far.
    """

    def __init__(self, data: Content) -> None:
        self.data, self.text, self.at, self.line = data, "", 0, 1
        self.in_array, self.is_broken, self.is_utf8 = False, False, True
        self.next = len(codecs.BOM_UTF8) if bytes(data[:3]) == codecs.BOM_UTF8 else 0

    def more(self) -> bool:
        """Drop what was passed over, and add as many lines as make the rest twice as long; False if there are none."""
        self.text, self.at = self.text[self.at :], 0
        feed = _FEED.search(self.data, min(self.next + len(self.text), len(self.data)))
        lines = self.data[self.next : feed.end() if feed else len(self.data)]
        try:
            self.text += str(lines, "utf-8")
        except UnicodeDecodeError:
            self.text, self.is_utf8 = self.text + str(lines, "utf-8", "surrogateescape"), False
        self.next += len(lines)
        return len(lines) > 0

    def skip(self) -> bool:
        """Pass over white space; return whether anything is left."""
        while True:
            space = _SPACE.match(self.text, self.at)
            stop = space.end() if space else self.at
            self.line += self.text.count("\n", self.at, stop)
            self.at = stop
            if stop < len(self.text) or not self.more():
                return stop < len(self.text)

    def leave_line(self) -> None:
        """Go to the next line."""
        stop = self.text.find("\n", self.at) + 1 or len(self.text)
        self.next -= len(self.text[stop:].encode("utf-8", "surrogateescape"))
        self.text, self.at, self.line = "", 0, self.line + 1

    def value(self, spans: bool) -> object:
        """Return the value that begins here, or the fault of what is no JSON or not UTF-8.

        Args:
            spans: whether the value may go on behind the lines that are there.
        """
        faults = []  # not raised: then each would stay in memory, in a cycle with this list
        while True:
            try:
                value, stop = _DECODER.raw_decode(self.text, self.at)
                break
            except _BAD as error:
                faults.append(self._explain(error))
            if not spans or not self.more():
                self.is_broken = True
                return faults[-1 if self.in_array or _ALONE.match(self.text, self.at) else 0]
        self.is_broken, fault = False, self._bad_text(stop)
        self.line += self.text.count("\n", self.at, stop)
        self.at = stop
        return value if fault is None else fault

    def _explain(self, error: Exception) -> ReadError:
        """Return the fault of the value that begins here."""
        line_end = self.text.find("\n", self.at)
        if fault := self._bad_text(line_end if line_end >= 0 else len(self.text)):
            return fault
        if not isinstance(error, json.JSONDecodeError):
            return _broken(self.line, "nested too deeply" if isinstance(error, RecursionError) else str(error))
        stop = min(error.pos, len(self.text) - self.text.endswith("\n"))  # not on the line behind the last one
        before = max(self.text.rfind("\n", self.at, stop), self.at - 1)
        line = self.line + self.text.count("\n", self.at, stop)
        message = error.msg.removesuffix(" at")
        if message == "Invalid control character" and self.text[stop] == "\n":
            message = "Unterminated string ending"
        return _broken(line, f"{message} at column {stop - before}")

    def _bad_text(self, stop: int) -> ReadError | None:
        """Return the fault of text from here on that is not UTF-8; None if it is."""
        try:
            if not self.is_utf8:
                self.text[self.at : stop].encode("utf-8", "surrogateescape").decode()
        except UnicodeDecodeError as error:
            return _broken(self.line, str(error))
        return None


def _broken(line: int, reason: str) -> ReadError:
    return ReadError("", line, f"not JSON: {reason}")


def _fields(pairs: list[tuple[str, object]]) -> Fields:
    fields = Fields(pairs)
    if len(fields) < len(pairs):
        fields.twice = frozenset(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
    return fields


_DECODER = json.JSONDecoder(object_pairs_hook=_fields)
