"""Find name, mentions and tokens of a document in its JSON value, by the layout of the file: the strict reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError
from arraycoref.read.conll import parse_header
from arraycoref.read.documents import Sentences
from arraycoref.read.json_values import Fields, bad, object_of
from arraycoref.read.shapes import JsonLayout
from arraycoref.read.sources import quote

LARGEST = 2**31 - 2
_HEADER = re.compile(r"(?:#[ \t]*begin[ \t]+document[ \t]*)?(\(.+\);(?:[ \t]*part[ \t]+[0-9]++)?)")

Spans = tuple[list[int], list[int], list[int]]
"""First tokens, last tokens and entities of mentions."""


class Found(NamedTuple):
    """The parts of a document that were found in a JSON value.

    Attributes:
        name: name of the document, None if it has none.
        unit: what the spans count; see `arraycoref.read.documents.Documents`.
        n_tokens: number of tokens, None if the value does not give it.
        spans: the mentions.
        values: the distinct mentions as texts, if the unit is ``mention``; otherwise empty.
        n_nulls: number of mentions that are null, if the layout allows them.
        texts: the texts of the mentions; empty if the value does not have one for each.
    """

    name: str | None
    unit: str
    n_tokens: int | None
    spans: Spans
    values: list[str]
    n_nulls: int
    texts: list[str]


def document_of(
    value: object, layout: JsonLayout, wanted: Sequence[str], on_error: Callable[[ReadError], None]
) -> Found:
    """Find name, mentions and tokens of a document.

    Args:
        value: the JSON value of the document.
        layout: layout of the file; clusters are read from its field `clusters`.
        wanted: the fields that the clusters may be in, for the message.
        on_error: called with the fault of a mention; if it returns, the mention is dropped.

    Raises:
        ReadError: any other fault of the document; it has a reason, but neither file nor line.
    """
    found = object_of(value, layout.looked_at)
    name, clusters = name_of(found, layout), _clusters(found, layout, wanted)
    place = _Values() if layout.unit == "mention" else Places(found, layout)
    spans: Spans = [], [], []
    mentions = [each for each in chain.from_iterable(clusters) if each is not None]
    own = {field: [[each.get(field) for each in mentions if isinstance(each, Fields)]] for field in layout.texts}
    given, texts = iter(texts_of(own if layout.fields else found, layout, len(mentions))), list[str]()
    entity = n_nulls = 0
    for cluster in clusters:
        before = len(spans[0])
        for mention in cluster:
            if mention is None and layout.nulls:
                n_nulls += 1
                continue
            text = next(given, None)
            try:
                start, end = place.span(mention)
            except ReadError as error:
                on_error(error)
                continue
            for column, number in zip(spans, (start, end, entity), strict=True):
                column.append(number)
            if text is not None:
                texts.append(text)
        entity += len(spans[0]) > before
    return Found(name, place.unit, place.n_tokens, spans, list(place.values), n_nulls, texts)


def sentences_of(value: object, layout: JsonLayout) -> Sentences:
    """Return the words in the field of tokens, sentence by sentence: a list without inner lists is one sentence.

    Args:
        value: value of the field; the words of a text are its characters.
        layout: layout of the file.
    """
    if isinstance(value, str):
        return [list(value)]
    entries = value if isinstance(value, list) else []
    if not any(isinstance(entry, list | dict) for entry in entries):
        return [list(map(str, entries))]
    return [list(map(str, _leaves(each, layout))) for each in entries if not (layout.blanks and each == [" "])]


def texts_of(value: Mapping[str, object], layout: JsonLayout, n: int) -> list[str]:
    """Return the texts of n mentions: the lists in the first of the fields of texts that is there, without nulls.

    There are none if these lists do not have n texts.
    """
    listed = next((value[field] for field in layout.texts if value.get(field) is not None), None)
    lists = [each for each in listed if isinstance(each, list)] if isinstance(listed, list) else []
    texts = [text for text in chain.from_iterable(lists) if text is not None]
    return texts if len(texts) == n and set(map(type, texts)) <= {str} else []


class _Values:
    """Mentions that are values, not spans, numbered in the order in which they first come."""

    unit = "mention"

    def __init__(self) -> None:
        self.values: dict[str, int] = {}

    @property
    def n_tokens(self) -> int:
        """The number of distinct mentions so far."""
        return len(self.values)

    def span(self, mention: object) -> tuple[int, int]:
        """Return the number of a mention, as its first and last token.

        Raises:
            ReadError: it is neither a text nor a whole number.
        """
        if not isinstance(mention, str) and type(mention) is not int:
            raise bad(f"the mention {quote(mention)} is neither a string nor a whole number")
        number = self.values.setdefault(repr(mention), len(self.values))
        return number, number


class Places:
    """The tokens of a document, and where a mention lies among them.

    Args:
        value: the fields of the document, but for its clusters; the words of subtokens may be in an array already.
        layout: layout of the file.
        lengths: number of tokens in each sentence, if they were counted before; then ``value`` does not have them.

    Raises:
        ReadError: a fault in a field; the error has a reason, but neither file nor line.
    """

    values = ()

    def __init__(self, value: Mapping[str, object], layout: JsonLayout, lengths: Sequence[int] | None = None) -> None:
        self.layout, self.unit = layout, layout.unit
        self.lengths = self._lengths(value, layout) if lengths is None else lengths
        self.word_of: NDArray[np.integer] | None = None
        self.n_tokens = None if self.lengths is None else sum(self.lengths)
        if self.unit == "character" and self.lengths is not None and not isinstance(value.get(layout.tokens[0]), str):
            self.unit = "word"
        if self.lengths is None and layout.count and (n_tokens := value.get(layout.count)) is not None:
            if type(n_tokens) is not int or not 0 <= n_tokens <= LARGEST + 1:
                raise bad(f"{layout.count} is {quote(n_tokens)}; expected a number of tokens")
            self.n_tokens = n_tokens
        if self.unit == "subtoken" and layout.word_of:
            self._read_map(value)
        self.limit = self.n_tokens if self.word_of is None else len(self.word_of)
        if layout.nested:
            self.offsets = [0]
            for length in self.lengths or ():
                self.offsets.append(self.offsets[-1] + length)

    def span(self, mention: object) -> tuple[int, int]:
        """Return the first and the last token of a mention.

        Raises:
            ReadError: it is not a mention of this layout, or lies outside the document.
        """
        layout = self.layout
        numbers = mention
        if isinstance(mention, Fields):
            numbers = [object_of(mention, layout.fields).get(name) for name in layout.fields]
        if (
            not isinstance(numbers, list)
            or isinstance(mention, Fields) != bool(layout.fields)
            or len(numbers) != 2 + layout.nested
            or any(type(number) is not int for number in numbers)
        ):
            form = ", ".join(layout.fields) or ("sentence, start, end" if layout.nested else "start, end")
            raise bad(f"the mention {quote(mention)} is not [{form}], {'three' if layout.nested else 'two'} integers")
        start, end = numbers[-2] - layout.first, numbers[-1] - layout.first - layout.exclusive
        if not 0 <= start <= end:
            rule = "start <= end (the last token, inclusive)"
            if layout.exclusive:
                rule = "start < end (the token behind, exclusive)"
            raise bad(f"the mention {quote(mention)} has no tokens; expected {layout.first} <= {rule}")
        if end > LARGEST:
            raise bad(f"the mention {quote(mention)} lies past token {LARGEST}")
        if layout.nested:
            return self._in_sentence(mention, numbers[0] - layout.first, start, end)
        if self.limit is not None and end >= self.limit:
            hint = "" if layout.exclusive else "; is its end exclusive? end='[SIDE:]exclusive' reads it so"
            what = "subtokens" if self.word_of is not None else f"{self.unit}s".replace("word", "token")
            raise bad(f"the mention {quote(mention)} lies past the {self.limit} {what} of the document{hint}", "end")
        if self.word_of is None:
            return start, end
        first, last = int(self.word_of[start]), int(self.word_of[end])
        if not 0 <= first <= last:
            words = [None if word < 0 else word for word in (first, last)]
            raise bad(f"the mention {quote(mention)} is of the words {quote(words)}")
        return first, last

    def _in_sentence(self, mention: object, sentence: int, start: int, end: int) -> tuple[int, int]:
        lengths = self.lengths
        if lengths is None:
            raise bad(f"no {self.layout.tokens[0]}, in which the mention {quote(mention)} may lie")
        if not 0 <= sentence < len(lengths):
            raise bad(f"the mention {quote(mention)} lies past the {len(lengths)} sentences of the document")
        if end >= lengths[sentence]:
            raise bad(f"the mention {quote(mention)} lies past the {lengths[sentence]} tokens of its sentence")
        return self.offsets[sentence] + start, self.offsets[sentence] + end

    def _lengths(self, value: Mapping[str, object], layout: JsonLayout) -> list[int] | None:
        """Return how many tokens each entry of the field of tokens holds; None if it is not there."""
        field = value.get(layout.tokens[0]) if layout.tokens else None
        if field is None:
            return None
        if self.unit == "character" and isinstance(field, str):
            return [len(field)]
        if isinstance(field, list):
            if layout.depth == 1:
                return [len(field)]
            if layout.depth == 0:
                try:
                    return [sum(1 for _ in _leaves(entry, layout)) for entry in field]
                except (KeyError, RecursionError):
                    pass
            elif all(isinstance(entry, list) for entry in field):
                return [0 if layout.blanks and entry == [" "] else len(entry) for entry in field]
        kind = "a list of lists of words" if layout.depth == 2 else "a list of words"
        if layout.tokens[1:]:
            kind = f"a list of sentences with {', '.join(layout.tokens[1:])}"
        raise bad(f"{layout.tokens[0]} is not {kind}")

    def _read_map(self, value: Mapping[str, object]) -> None:
        for field in self.layout.word_of:
            words = value.get(field)
            if words is not None:
                word_of = _as_map(words) if isinstance(words, list) else words
                if not isinstance(word_of, np.ndarray):
                    raise bad(f"{field} is {quote(words)}; expected the word of each subtoken, a list of numbers")
                n_words = 1 + int(word_of.max(initial=-1))
                if self.n_tokens is not None and n_words > self.n_tokens:
                    raise bad(f"{field} has the word {n_words - 1}, but {self.layout.tokens[0]} has {self.n_tokens}")
                self.unit, self.word_of = "word", word_of
                self.n_tokens = n_words if self.n_tokens is None else self.n_tokens
                return
        raise bad(f"no {' or '.join(self.layout.word_of)}, which gives the words of the subtokens")


def _as_map(words: list[object]) -> NDArray[np.integer] | None:
    """Return the word of each subtoken, -1 where the list has None; None if it has anything but numbers of words."""
    numbers = [-1 if word is None else word for word in words]
    if not all(type(number) is int and -1 <= number <= LARGEST for number in numbers) or -1 in words:
        return None
    return np.array(numbers, np.int64)


def name_of(value: Mapping[str, object], layout: JsonLayout) -> str | None:
    """Return the name of a document, with the part that it is, if the layout has parts; None if it has no name.

    The part may be a list, the same for each word; or it is in the name, if that is a whole header of CoNLL.

    Raises:
        ReadError: a name or part that is neither a text nor a whole number.
    """
    for field in layout.names:
        name = value.get(field)
        if isinstance(name, str) or type(name) is int:
            part = value.get(layout.part) if layout.part else None
            if isinstance(part, list) and part and all(each == part[0] for each in part):
                part = part[0]
            if part is None:
                header = _HEADER.fullmatch(name) if isinstance(name, str) else None
                return parse_header(header[1]) if header else str(name)
            if not isinstance(part, str) and type(part) is not int:
                raise bad(f"{layout.part} is {quote(part)}; expected a whole number or a string")
            return f"{name}_{part}"
        if name is not None:
            raise bad(f"{field} is {quote(name)}; expected a string")
    return None


def _clusters(value: Fields, layout: JsonLayout, wanted: Sequence[str]) -> list[list[object]]:
    if layout.clusters not in value:
        raise bad(f"no {' or '.join(wanted)} among the fields {quote(', '.join(value))}", "clusters_field")
    clusters = value[layout.clusters]
    if isinstance(clusters, Fields) and (layout.fields or layout.unit == "mention"):
        clusters = list(object_of(clusters, clusters).values())
    if not isinstance(clusters, list) or not all(isinstance(cluster, list) for cluster in clusters):
        form = "mentions" if layout.fields or layout.unit == "mention" else "[start, end]"
        raise bad(f"{layout.clusters} is {quote(clusters)}; expected lists of {form}")
    return clusters


def _leaves(value: object, layout: JsonLayout) -> Iterator[object]:
    """Yield the tokens of an entry: the items of nested lists, and of objects the fields that the layout names."""
    pending = [(value, layout.tokens[1:])]
    while pending:
        each, path = pending.pop()
        if isinstance(each, list):
            pending += [(item, path) for item in reversed(each)]
        elif path and isinstance(each, dict):
            pending.append((each[path[0]], path[1:]))
        else:
            yield each
