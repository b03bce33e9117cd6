"""Read JSON of coreference: objects with the clusters of a document each, in any of the layouts that tools write.

Other objects (a mention, a graph, the parts of many documents) are first converted to objects of one document each.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import OptionError, ReadError
from arraycoref.read.conll_scanner import longer
from arraycoref.read.documents import Documents, FileText, Parsed, Sentences, Text
from arraycoref.read.json_documents import document_of, sentences_of
from arraycoref.read.json_values import NOWHERE, Each, Fields, Values, bad, object_of
from arraycoref.read.shapes import JsonLayout, layout_of
from arraycoref.read.sources import ReadingOptions, quote
from arraycoref.runtime import Content, split_suffixes

SMALL = 1 << 16
"""Size in bytes below which a file is read without loading compiled code."""

OF_MENTION = ("coref_chain", "sent_id", "tokens_number")


def read_json(data: Content, path: str, options: ReadingOptions, small: int = SMALL) -> Parsed:
    """Read the documents of a file of JSON lines, or of other layouts of JSON.

    A faulty mention is dropped in lenient mode; any other fault drops the document.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.
        small: a file of fewer bytes is read without compiled code; the result is the same.

    Raises:
        ReadError: what `options.on_error` raises; or fields that leave open what the numbers count, where no option
            says it.
    """
    values = Values(data)
    scan = None
    if len(data) >= small:
        from arraycoref.read.json_scanner import Scanner

        scan = Scanner(data)
    try:
        openings = (scan.openings(values) if scan else None) or openings_of(Values(data))
        layout = layout_of(openings, options)
    except OptionError as error:
        raise ReadError(path, None, str(error)) from None
    wanted: tuple[str, ...] = (layout.clusters,)
    if options.side == "response" and layout.predicted:
        wanted = layout.predicted, layout.clusters
    if re.search(rf'"{re.escape(wanted[0])}"\s*:'.encode(), data):
        layout, wanted = replace(layout, clusters=wanted[0]), wanted[:1]
    collected = Collected(data, path, options, layout, wanted)
    group = GROUPS.get(layout.group)
    if scan is None or group is not None or not scan.set_up(layout, openings):
        collected.add_all(values if group is None else group(values, layout))
    else:
        while not values.over:
            scan.run(values, collected)
            if (each := values.next()) is not None:
                collected.add_all([each])
    return collected.parsed()


class Collected:
    """The documents of a file as they are read, in arrays that grow."""

    def __init__(
        self, data: Content, path: str, options: ReadingOptions, layout: JsonLayout, wanted: Sequence[str]
    ) -> None:
        self.data, self.path, self.options, self.layout, self.wanted = data, path, options, layout, wanted
        self.names: list[str | None] = []
        self.units: list[str] = []
        self.texts: list[FileText | None] = []
        make = partial(_sentences, data, layout)  # no method: a cycle would keep the bytes until it is collected
        self.text = FileText(np.frombuffer(data, np.uint8), make, (layout.tokens, layout.blanks))
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
        found = document_of(value, self.layout, self.wanted, lambda reason: self._fault(line, reason))
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
        holds = isinstance(value, Fields) and value.get((*self.layout.tokens, "")[0]) is not None
        values = FileText(self.text.data, lambda *_: [found.values])
        self.texts.append(values if found.values else self.text if holds else None)
        self.places.extend(place)
        if found.n_nulls:
            self.nulls = [self.nulls[0] + found.n_nulls, self.nulls[1] or line]

    def add_scanned(
        self,
        names: Sequence[str | None],
        units: Sequence[str],
        has_texts: Sequence[bool],
        numbers: NDArray[np.int64],
        places: NDArray[np.int64],
    ) -> None:
        """Add documents whose mentions the scanner has written into the arrays already.

        Args:
            names: (D,) names of the documents, None for none.
            units: (D,) units of their spans.
            has_texts: (D,) whether the file has their text.
            numbers: int64 (4, D) of each document: its line, the end of its mentions in the arrays, its number of
                tokens, and whether the file gives this number.
            places: int64 (D, 2) where the text begins and ends in the file.
        """
        self.names += names
        self.units += units
        self.texts += [self.text if each else None for each in has_texts]
        for column, row in zip((self.begins, self.offsets, self.n_tokens), numbers, strict=False):
            column.frombytes(row.tobytes())
        self.counted += (numbers[3] > 0).tobytes()
        self.places.frombytes(places.tobytes())
        self.n_mentions = self.offsets[-1]

    def make_room(self, n_mentions: int) -> None:
        """Make the arrays longer if they have no room for so many mentions."""
        size = self.start.size
        if n_mentions > size:
            size = max(n_mentions, size + size // 2)
            self.start, self.end, self.entity = (longer(each, size) for each in (self.start, self.end, self.entity))

    def _fault(self, line: int | None, reason: str) -> None:
        self.n_faults += 1
        self.options.on_error(ReadError(self.path, line, reason))

    def parsed(self) -> Parsed:
        """Report the faults and doubts of the file as a whole, and return the documents collected."""
        if not self.names and not self.n_faults:
            self._fault(None, "no document; expected one JSON object per line")
        asked = self.options.name_field
        if asked is not None and self.names and not any(name is not None for name in self.names):
            self._fault(None, f"no document has its name in the field {asked!r}; expected the field of the names")
        if self.nulls[0]:
            reason = f"{self.nulls[0]} mentions are null, without a place in the text; they do not count"
            self.options.on_doubt(ReadError(self.path, self.nulls[1], reason))
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
            text=Text(tuple(self.texts), np.asarray(self.places).reshape(-1, 2)),
        )
        return Parsed(documents, tuple(self.begins), self.layout.clusters if names else None)

    def _stand_in(self, d: int) -> str:
        """Return the name of a document that has none: that of its file, or its number among others."""
        if len(self.names) > 1:
            return str(d + 1)
        return os.path.basename(split_suffixes(self.path)[0])


def _sentences(data: Content, layout: JsonLayout, first: int, stop: int) -> Sentences:
    """Make sentences from the bytes of a document, or of the field that holds its tokens."""
    value = json.loads(bytes(memoryview(data)[first:stop]))
    return sentences_of(value[layout.tokens[0]] if isinstance(value, dict) else value, layout)


def openings_of(values: Values) -> dict[str, str]:
    """Return how the value of each field of the first document begins; see `arraycoref.read.shapes.layout_of`."""
    first = values.next()
    return {name: _opening(value) for name, value in first[2].items()} if first and isinstance(first[2], Fields) else {}


def _opening(value: object) -> str:
    brackets = ""
    while isinstance(value, list):
        brackets += "["
        if not value:
            return brackets + "]"
        value = value[0]
    return brackets + ("{" if isinstance(value, Mapping) else '"' if isinstance(value, str) else "0")


def two_objects(values: Iterable[Each], layout: JsonLayout) -> Iterator[Each]:
    """Make documents of two objects with a field per document: one has the clusters, one the words of subtokens."""
    found = list(itertools.islice(values, 3))
    broken = [each for each in found if not isinstance(each[2], Fields)]
    if broken:
        yield broken[0]
        return
    line, objects = found[0][1] if found else 1, [value for _, _, value in found if isinstance(value, Fields)]
    if len(objects) != 2 or objects[0].keys() != objects[1].keys() or objects[0].twice | objects[1].twice:
        reason = "expected two objects with the same documents: their clusters, and the words of their subtokens"
        yield NOWHERE, line, bad(f"no document has 'clusters'; {reason}")
        return
    for name, clusters in objects[0].items():
        words = objects[1][name]
        yield NOWHERE, line, Fields({layout.names[0]: name, layout.clusters: clusters, layout.word_of[0]: words})


def mentions_alone(values: Iterable[Each], layout: JsonLayout) -> Iterator[Each]:
    """Make documents of objects of one mention each: group the mentions by document and chain."""
    documents: dict[str, dict[object, list[object]]] = {}
    lines: dict[str, int] = {}
    for place, line, value in values:
        try:
            name, chain, mention = _mention(value, layout.names[0])
        except ReadError as error:
            yield place, line, error
            continue
        documents.setdefault(name, {}).setdefault(chain, []).append(mention)
        lines.setdefault(name, line)
    for name, chains in documents.items():
        yield NOWHERE, lines[name], Fields({layout.names[0]: name, layout.clusters: list(chains.values())})


def _mention(value: object, name_field: str) -> tuple[str, object, str]:
    """Return the document of a mention, its chain, and the mention as a text.

    Raises:
        ReadError: it is not a mention; the error has a reason, but neither file nor line.
    """
    found = object_of(value, (name_field, "conll_doc_key", *OF_MENTION))
    name, chain, sentence = (found.get(field) for field in (name_field, "coref_chain", "sent_id"))
    if not isinstance(name, str | int) or not isinstance(chain, str | int) or not isinstance(sentence, str | int):
        raise bad(f"a mention without {name_field}, coref_chain or sent_id, each a string or a number")
    tokens = found.get("tokens_number")
    if not isinstance(tokens, list) or not tokens or any(type(token) is not int for token in tokens):
        raise bad(f"tokens_number is {quote(tokens)}; expected numbers of tokens")
    first, last = min(tokens), max(tokens)
    if not len(tokens) == len(set(tokens)) == last - first + 1:
        raise bad(f"the mention of tokens {quote(tokens)} has a gap")
    return str(name), chain, f"{found.get('conll_doc_key', name)} {sentence} {first}-{last}"


def graphs(values: Iterable[Each], layout: JsonLayout) -> Iterator[Each]:
    """Make documents with clusters from graphs: the clusters are the mentions that links connect."""
    for place, line, value in values:
        try:
            made = _clustered(value, layout)
        except ReadError as error:
            yield place, line, error
        else:
            yield place, line, made


def _clustered(value: object, layout: JsonLayout) -> Fields:
    """Return a document with clusters for a graph; return an object that is no graph unchanged.

    Raises:
        ReadError: it is not an object, or a graph without lists of mentions and links.
    """
    graph = object_of(value, (*layout.names, "type", "mentions", "links", layout.clusters))
    if graph.get("type") != "graph":
        return graph
    mentions, links = graph.get("mentions"), graph.get("links")
    if not _are_mentions(mentions) or not isinstance(links, list) or not all(map(_is_link, links)):
        raise bad("a graph without lists of mentions and of links [mention, mention]")
    clusters = {repr(mention): [mention] for mention in mentions}  # one list for all mentions of a cluster
    for a, b in links:
        one, other = (clusters.setdefault(repr(each), [each]) for each in (a, b))
        if one is not other:
            few, many = sorted((one, other), key=len)
            many += few
            clusters.update((repr(mention), many) for mention in few)
    found = Fields({name: each for name, each in graph.items() if name in layout.names})
    found[layout.clusters] = list({id(cluster): cluster for cluster in clusters.values()}.values())
    return found


def _are_mentions(value: object) -> TypeGuard[list[str | int]]:
    return isinstance(value, list) and all(isinstance(mention, str | int) for mention in value)


def _is_link(value: object) -> bool:
    return _are_mentions(value) and len(value) == 2


GROUPS: Mapping[str, Callable[[Iterable[Each], JsonLayout], Iterator[Each]]] = {
    "s2e": two_objects,
    "ucdcr": mentions_alone,
    "scorch": graphs,
}
"""Name of a layout, and the function that makes documents of the values in its files."""
