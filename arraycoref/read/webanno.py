"""Read WebAnno TSV 3, an export of WebAnno and INCEpTION: chains, or spans with relations, of words in columns.

After the number, place and form of a word there is a column for each feature of a layer, as the header lists them. A
cell holds a value, several with ``|`` between, or ``_`` for none. Values with one ``[ID]`` on several lines are of one
span.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from itertools import islice
from typing import Any, NamedTuple

from arraycoref.display.tables import plural
from arraycoref.read.annotation import NO_IDENTITY, Annotated, Link, Range, Span, name_of
from arraycoref.read.problems import ReadingOptions, quote
from arraycoref.runtime import Content, decoded

_WORD = re.compile(r"([0-9]{1,9})-([0-9]{1,9})(\.[0-9.]{1,20})?\Z")
_ESCAPE = re.compile(r"\\([\x00-\uffff])")
_WITH_ID = re.compile(r"(.*)\[([0-9]{1,10})\]\Z", re.DOTALL)
_IN_CHAIN = re.compile(r"([0-9]{1,10})-([0-9]{1,10})\Z")
_SOURCE = re.compile(r"([0-9]{1,9}-[0-9]{1,9}(?:\.[0-9.]{1,20})?)(?:\[([0-9]{1,10})_([0-9]{1,10})\])?\Z")

HELD = 0xF0000
"""Added to a character after a backslash, which is then no mark of the format."""

_HELD = re.compile(f"[{chr(HELD)}-{chr(HELD + 0xFFFF)}]")


class Layer(NamedTuple):
    """A layer of annotation, as the header has it.

    Attributes:
        kind: ``SP`` for spans, ``CH`` for chains, ``RL`` for relations.
        name: its name.
        features: its features, a column each; a layer without any has a column too.
    """

    kind: str
    name: str
    features: list[str]

    @property
    def base(self) -> str:
        """Name of the layer that relations join the spans of; empty for other layers."""
        return next((name[3:] for name in self.features if name.startswith("BT_")), "")


def read_webanno(data: Content, path: str, options: ReadingOptions) -> list[Annotated]:
    """Read the document of a file.

    Args:
        data: the bytes of the file.
        path: its name.
        options: how to read it.

    Raises:
        ReadError: an error, where reading is strict; or text that is not UTF-8.
    """
    name, annotator = name_of(path)
    document = Annotated(path, name, annotator=annotator)
    text = decoded(bytes(data), path).removeprefix("\ufeff")
    reader = _Reader(document, options)
    for number, line in enumerate(text.split("\n"), 1):
        reader.add(number, line.removesuffix("\r"))
    reader.close()
    return [document]


class _Reader:
    """The layers of a file, and the spans that were read of its lines.

    Attributes:
        document: receives words, spans and links.
        layers: the layers of the header.
        word: the position of each word, by sentence and number.
        spans: the position of each span in the document's list, by its key: id, or place for a span without one, and
            layer.
        widened: the line of each value that is of a part of a word.
    """

    def __init__(self, document: Annotated, options: ReadingOptions) -> None:
        self.document, self.options = document, options
        self.layers: list[Layer] = []
        self.bases: set[str] = set()
        self.words: list[list[str]] = [[]]
        self.word: dict[tuple[str | Any, ...], int] = {}
        self.spans: dict[Hashable, int] = {}
        self.widened: list[int] = []

    def add(self, number: int, line: str) -> None:
        """Read a line."""
        if not line.strip():
            self.words += [[]] if self.words[-1] else []
            return
        if line.startswith("#"):
            if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")) and not self.word:
                name, *features = line[6:].split("|")
                self.layers.append(Layer(line[3:5], name, features or [""]))
                self.bases.add(self.layers[-1].base)
            return
        columns = line.split("\t")
        place = _WORD.match(columns[0]) if len(columns) > 2 else None
        if place is None:
            expected = "expected a word such as 1-2, its place and its form, with tabs between"
            self._fault(number, f"the line {quote(line)}; {expected}")
            return
        if place[3] is None:
            if place.group(1, 2) in self.word:
                self._fault(number, f"a second word {columns[0]}")
                return
            self.word[place.group(1, 2)] = len(self.word)
            self.words[-1].append(columns[2])
        elif place.group(1, 2) not in self.word:
            self._fault(number, f"a part {columns[0]} of a word that is not there")
            return
        begin, _, end = columns[1].partition("-")
        word = self.word[place.group(1, 2)]
        part = word, word if begin == end else word + 1
        rest = iter(columns[3:])
        for layer in self.layers:
            cells = [*islice(rest, len(layer.features))]
            if layer.kind == "RL":
                self._add_relations(number, layer, columns[0], cells)
            elif layer.kind == "CH" or layer.name in self.bases:
                self._add_spans(number, layer, columns[0], cells, part)
                self.widened += [number] * (place[3] is not None and any(_values(cell) for cell in cells))

    def _add_spans(self, number: int, layer: Layer, place: str, cells: list[str], part: Range) -> None:
        """Add the word to the spans, or to the mentions in chains, that the cells of a layer name."""
        values = [value for cell in cells for value in _values(cell)]
        if layer.kind == "SP":
            for id in dict.fromkeys(id or place for _, id in values):
                self._extend(Span([part], id, layer.name, number, key=(id, layer.name)))
        for value, _ in values if layer.kind == "CH" else ():
            link = _IN_CHAIN.match(value.rpartition("->")[2])
            if "->" in value and link is None:
                self._fault(number, f"the value {quote(value)} of a chain; expected VALUE->CHAIN-LINK")
            elif "->" in value and link is not None:
                name = layer.name.removesuffix("Link")
                self._extend(Span([part], link[0], "", number, None, name, link[1], key=(link[0], layer.name)))

    def _extend(self, new: Span) -> None:
        """Let the span of a key end with a word; a new one if it is the first word."""
        at = self.spans.setdefault(new.key, len(self.document.spans))
        if at == len(self.document.spans):
            self.document.spans.append(new)
            return
        span, (begin, end) = self.document.spans[at], new.parts[0]
        if begin > span.parts[0][1]:
            self._fault(new.line, f"the span {quote(new.id)} of line {span.line} is here again, with words between")
        self.document.spans[at] = span._replace(parts=[(span.parts[0][0], max(end, span.parts[0][1]))])

    def _add_relations(self, number: int, layer: Layer, place: str, cells: list[str]) -> None:
        """Add the relations of a cell, with a label each."""
        named = dict(zip(layer.features, cells, strict=False))
        sources = _values(named.pop(f"BT_{layer.base}", ""), ids=False)
        labels = [_values(cell) for cell in named.values()]
        for n, (source, _) in enumerate(sources):
            values = [column[n][0] for column in labels if n < len(column)]
            odd = [value for value in values if NO_IDENTITY.match(value)]
            match = _SOURCE.match(source)
            if match is None:
                self._fault(number, f"the source {quote(source)} of a relation; expected 1-2 or 1-2[3_4]")
                continue
            ids = [id if id not in (None, "0") else at for id, at in ((match[2], match[1]), (match[3], place))]
            ends = tuple((id, layer.base) for id in ids)
            self.document.links.append(Link(ends, layer.name, next(iter(odd or values), ""), number))

    def close(self) -> None:
        """Tell of what is wrong with the file as a whole."""
        document = self.document
        document.words = [sentence for sentence in self.words if sentence]
        if all(layer.kind == "SP" for layer in self.layers):
            names = ", ".join(layer.name for layer in self.layers)
            reason = f"no layer of chains (#T_CH) or relations (#T_RL); the header has {quote(names or 'none')}"
            self._fault(None, reason)
        if self.widened:
            n = plural(len(self.widened), "value")
            reason = f"{n} of parts of words, which count as of the whole words"
            self.options.problems.warning(document.path, self.widened[0], reason)

    def _fault(self, number: int | None, reason: str) -> None:
        self.options.problems.error(self.document.path, number, reason)


def _values(cell: str, ids: bool = True) -> list[tuple[str, str]]:
    r"""Return the values in a cell, each with its ID, or with an empty one.

    >>> _values("person[1]|Hajj\\|x"), _values("_")
    ([('person', '1'), ('Hajj|x', '')], [])
    """
    if cell in ("", "_"):
        return []
    held = _ESCAPE.sub(lambda match: chr(HELD + ord(match[1])), cell) if "\\" in cell else cell
    found = [(value, _WITH_ID.match(value) if ids else None) for value in held.split("|")]
    values = [(value, "") if match is None else (match[1], match[2]) for value, match in found]
    return values if held is cell else [(_HELD.sub(lambda match: chr(ord(match[0]) - HELD), v), id) for v, id in values]
