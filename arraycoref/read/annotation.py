"""Make documents of what annotators drew: which links mean identity, which spans are mentions, where these begin and end.

A reader of an annotation tool's files makes an `Annotated` of each document, as the tool has it. The rules here are the
same for all tools. They are applied to all files of a side together: which spans are mentions must not depend on what
the annotator of one document drew.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import NamedTuple

import numpy as np

from arraycoref.errors import ReadError, first_names
from arraycoref.ragged import Ints, bounds, bounds_of
from arraycoref.read.documents import Documents, FileText, Parsed, Sentences, Text
from arraycoref.read.faults import ReadingOptions, quote, quote_both
from arraycoref.read.mentions import BITS, Mentions, join_mentions
from arraycoref.report.tables import number_of
from arraycoref.runtime import split_suffixes

Range = tuple[int, int]
"""First and past-the-last character, or word."""

LARGEST = 2**31 - 2
"""The largest number of a character, where the text is not known."""

LAST_OF_UNIT = "\uffff"
"""The last character that is one unit of UTF-16; all behind it are two."""

PROJECT = ("annotation", "curation")
"""Folders of an exported project, which have a folder for each document, with a file for each annotator."""

NO_IDENTITY = re.compile(r"bridg|split", re.IGNORECASE)
"""Matches values of links that are never identity: bridging, split antecedents."""

_WITH_ID = re.compile(r".*-[0-9]+\Z", re.DOTALL)
"""Matches a type of brat that names an entity, such as ``Lord_Chancellor-2`` in LitBank."""


class Span(NamedTuple):
    """A span that an annotator marked.

    Attributes:
        parts: its parts, in any order.
        id: what the file calls it, for messages.
        type: its type, or the layer that it is of.
        line: line of the file, or 0.
        text: the text that the file gives with it, or None.
        layer: layer of the chains or sets that it is in one of, or None.
        entity: the chain or set of this layer.
    """

    parts: Sequence[Range]
    id: str
    type: str
    line: int
    text: str | None = None
    layer: str | None = None
    entity: str = ""


class Link(NamedTuple):
    """A link between two spans.

    Attributes:
        one: position of a span in the document's list of spans.
        other: position of the other.
        layer: layer of the link; its value, where the format has no layers.
        value: its label; may be empty.
    """

    one: int
    other: int
    layer: str
    value: str

    @property
    def kind(self) -> str:
        """The layer if that is one of coreference; otherwise its label, if it has one."""
        return self.layer if "coref" in self.layer.lower() or self.value in ("", "*", "_") else self.value


@dataclass(eq=False)
class Annotated:
    """A document as an annotation tool has it.

    Attributes:
        path: its file.
        name: its name.
        spans: the spans, see `Span`.
        links: the links between them.
        line: the line on which it begins.
        named: whether the file names it; see `arraycoref.read.documents.Documents`.
        annotator: who marked it; empty if that is not known.
        text: its characters; None if they are not known.
        words: the words of each sentence; if they are given, spans count words.
        tokens: the words of each sentence as ranges of characters; if all mentions begin and end at one, they become
            spans of words.
        unit: what numbers of characters count: ``code points``, or ``utf-16`` units; empty if the spans' texts tell.
        only_linked: whether the spans are no mentions where no file of the side has links or chains.
        has_ids: whether a type that ends in a hyphen and a number may name an entity.
    """

    path: str
    name: str
    spans: list[Span] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    line: int = 1
    named: bool = False
    annotator: str = ""
    text: str | None = None
    words: Sentences | None = None
    tokens: list[list[Range]] | None = None
    unit: str = "code points"
    only_linked: bool = False
    has_ids: bool = False


def documents_of(side: Sequence[Annotated], options: ReadingOptions) -> Iterator[tuple[str, Parsed]]:
    """Make the documents of a side's files; yield the path and the documents of each.

    Args:
        side: the documents of all files, those of a file one after the other.
        options: ``relations`` names the links, or the layer of chains, that are identity; ``annotator`` whose
            annotation is read, where files have that of several.

    Raises:
        ReadError: what `options.on_error` raises; or it is not clear which links are identity, or whose annotation is
            to be read.
    """
    side = _with_ids_of_types(_of_one_annotator(side, options))
    reading = _Side(side, options)
    for path, documents in groupby(side, lambda document: document.path):
        yield path, reading.parsed(path, list(documents))
    reading.tell()


def _of_one_annotator(side: Sequence[Annotated], options: ReadingOptions) -> Sequence[Annotated]:
    """Leave out the annotation of others than the annotator whom the user names.

    Raises:
        ReadError: a document that several annotated, and none is named; or none of this name.
    """
    names = list(dict.fromkeys(document.annotator for document in side if document.annotator))
    shown = ", ".join(map(repr, first_names(names)))
    if options.annotator is not None and names:
        kept = [document for document in side if document.annotator in ("", options.annotator)]
        if options.annotator not in names:
            raise ReadError(side[0].path, None, f"no annotator {options.annotator!r}; expected one of {shown}", "annotator")
        return kept
    of_document: dict[str, Annotated] = {}
    for document in side:
        other = of_document.setdefault(document.name, document)
        if document.annotator and other.annotator not in ("", document.annotator):
            reason = f"document {document.name!r} is annotated by {other.annotator!r} and {document.annotator!r}"
            hint = f"annotator={other.annotator!r} reads one annotator's, of {shown}; `arraycoref agree` compares all"
            raise ReadError(document.path, document.line, f"{reason}; {hint}", "annotator")
    return side


def _with_ids_of_types(side: Sequence[Annotated]) -> Sequence[Annotated]:
    """Make entities of types with a number, such as ``Lord_Chancellor-2``, where no link is of coreference.

    So does LitBank: one span has the id, another of the same characters the category. A span without an id is an entity
    of its own, and other links join nothing.
    """
    spans = chain.from_iterable(document.spans for document in side if document.has_ids)
    if any("coref" in link.kind.lower() for document in side for link in document.links) or not any(
        _WITH_ID.match(span.type) for span in spans
    ):
        return side
    changed = []
    for document in side:
        category: dict[tuple[Range, ...], Span] = {}
        places = [tuple(sorted(span.parts)) for span in document.spans]
        own = [_WITH_ID.match(span.type) is not None for span in document.spans]
        for span, place, is_id in zip(document.spans, places, own, strict=True):
            if not is_id:
                category.setdefault(place, span)
        new, named = list[Span](), {place for place, is_id in zip(places, own, strict=True) if is_id}
        for span, place, is_id in zip(document.spans, places, own, strict=True):
            if is_id:
                kind = category[place].type if place in category else ""
                new.append(span._replace(layer="", entity=span.type, type=kind))
            elif place not in named and category[place] is span:
                new.append(span._replace(layer="", entity=f"{span.id} alone"))
        changed.append(replace(document, spans=new, links=[]))
    return changed


def _identity(side: Sequence[Annotated], options: ReadingOptions) -> tuple[set[str], set[tuple[str, str]]]:
    """Return the layers whose chains or sets are entities; and layer and value of the links that join mentions.

    Raises:
        ReadError: several layers or kinds, of which none is of coreference or named by the user; or the user names
            others.
    """
    layers = Counter(span.layer for document in side for span in document.spans if span.layer is not None)
    links = Counter((link.kind, *link[2:]) for document in side for link in document.links)
    kinds = Counter[str]()
    for (kind, _, value), n in links.items():
        if not NO_IDENTITY.match(value):
            kinds[kind] += n
    known = layers or kinds
    listed = ", ".join(f"{name!r} ({n:,})" for name, n in known.most_common(8))
    asked = options.relations
    if asked is not None:
        named = {layer for layer in layers if asked & {layer, layer.rpartition(".")[2]}}
        joining = {link[1:] for link in links if asked & {link[0], link[2], link[1].rpartition(".")[2]}}
        if (layers or links) and not (named or joining):
            reason = f"no relation or layer {', '.join(sorted(asked))}; expected some of {listed}"
            raise ReadError(side[0].path, None, reason, "relations")
        return named, joining
    chosen = [kind for kind in kinds if "coref" in kind.lower()] or list(kinds)
    if len(layers) > 1 or (not layers and len(chosen) > 1 and "coref" not in chosen[0].lower()):
        what = f"layers of chains {listed}" if layers else f"relations {listed}, none of which is named coreference"
        raise ReadError(side[0].path, None, f"{what}; relations='NAME,NAME' says which mean identity", "relations")
    if layers:
        return set(layers), set()
    return set(), {link[1:] for link in links if link[0] in chosen and not NO_IDENTITY.match(link[2])}


class _Side:
    """The rules that hold for all files of a side, and what is doubtful in them.

    Args:
        side: the documents of all files.
        options: how to read them.

    Attributes:
        layers: layers whose chains or sets are entities.
        joining: layer and value of links of identity.
        types: types of the spans that such links join; None if spans of all types are mentions.
    """

    def __init__(self, side: Sequence[Annotated], options: ReadingOptions) -> None:
        self.options = options
        self.layers, self.joining = _identity(side, options)
        self.types: set[str] | None = None
        if self.layers or self.joining:
            ends = ((each.spans, link[:2]) for each in side for link in each.links if link[2:] in self.joining)
            self.types = {spans[end].type for spans, both in ends for end in both}
        self.n_texts, self.other_texts, self.again = 0, list[ReadError](), list[ReadError]()

    def parsed(self, path: str, documents: list[Annotated]) -> Parsed:
        """Make the documents of one file."""
        n, every = len(documents), [self._laid(document) for document in documents]
        units, files, lengths, entities, mentions = zip(*every, strict=True)
        names = tuple([document.name for document in documents])
        numbered = [replace(each, document=each.document + d) for d, each in enumerate(mentions)]
        result = Documents(
            names,
            tuple([f"({name})" for name in names]),
            (path,) * n,
            units,
            np.array([document.named for document in documents], np.bool_),
            entities,
            join_mentions(numbered),
            Text(files, np.zeros((n, 2), np.int64), np.array(lengths, np.int64), ((),) * n),
        )
        return Parsed(result, tuple([document.line for document in documents]))

    def tell(self) -> None:
        """Tell of texts that are not at their places, and of spans that are twice in one entity."""
        if self.other_texts:
            first, n = self.other_texts[0], number_of(len(self.other_texts), "span")
            reason = f"the texts of {n} of {self.n_texts:,} are not at their places; the first: {first.reason}"
            self.options.on_doubt(ReadError(first.path, first.line, reason))
        if self.again:
            first, n = self.again[0], number_of(len(self.again), "span")
            reason = f"{n} of the same place and entity as another, which count once; the first: {first.reason}"
            self.options.on_doubt(ReadError(first.path, first.line, reason))

    def _laid(self, document: Annotated) -> tuple[str, FileText | None, int, tuple[str, ...], Mentions]:
        """Lay out a document: its unit, text, number of tokens, names of entities, and mentions."""
        spans = document.spans
        types = set[str]() if self.types is None and document.only_linked else self.types
        rows = [m for m, span in enumerate(spans) if span.layer in self.layers or types is None or span.type in types]
        places = _Places(document)
        parts_of: dict[int, list[Range]] = {}
        for m in rows:
            parts = places.find(spans[m])
            if isinstance(parts, str):
                self.options.on_error(ReadError(document.path, spans[m].line or None, f"the span {quote(spans[m].id)} {parts}"))
            else:
                parts_of[m] = parts
        texts = {m: places.text_of(parts) for m, parts in parts_of.items()}
        for m, text in texts.items():
            self._compare(document, spans[m], text)
        unit, parts_of = places.in_words(parts_of)
        root = _roots(spans, [link[:2] for link in document.links if link[2:] in self.joining], self.layers)
        order = sorted(parts_of, key=lambda m: (parts_of[m][0][0], -parts_of[m][-1][1], parts_of[m]))
        number_of_root: dict[int, int] = {}
        names, kept, entity, seen = list[str](), list[int](), list[int](), dict[tuple[tuple[Range, ...], int], int]()
        for m in order:
            first = seen.setdefault((tuple(parts_of[m]), root[m]), m)
            if first != m:
                what = f"{quote(spans[first].id)} and {quote(spans[m].id)}, {quote(texts[m])}"
                self.again.append(ReadError(document.path, spans[m].line or None, what))
                continue
            if root[m] not in number_of_root:
                names.append(spans[m].entity or spans[m].id)
            entity.append(number_of_root.setdefault(root[m], len(number_of_root)))
            kept.append(m)
        chosen = [spans[m] for m in kept]
        label = np.array([span.type or None for span in chosen], object)
        text = np.array([texts[m] if span.text is None else span.text for m, span in zip(kept, chosen, strict=True)], object)
        hull = np.array([(parts_of[m][0][0], parts_of[m][-1][1] - 1) for m in kept], np.int32).reshape(-1, 2)
        mentions = Mentions(
            np.zeros(len(kept), np.int32),
            hull[:, 0],
            hull[:, 1],
            np.array(entity, np.int32),
            np.array([span.line for span in chosen], np.int64),
            text,
            label if label.any() else None,
        )
        if any(len(parts_of[m]) > 1 for m in kept):
            every = np.array([*chain.from_iterable(parts_of[m] for m in kept)], np.int64)
            nodes = every + np.array([1, 0]) << BITS
            mentions = replace(mentions, parts=nodes, part_bounds=bounds_of([parts_of[m] for m in kept]))
        return unit, *places.text(unit), tuple(names), mentions

    def _compare(self, document: Annotated, span: Span, text: str | None) -> None:
        """Count a span whose own text is not the text at its place, but for blanks."""
        if span.text is None or text is None:
            return
        self.n_texts += 1
        if "".join(span.text.split()) != "".join(text.split()):
            reason = "{} in the file, {} in the text".format(*quote_both(span.text, text))
            self.other_texts.append(ReadError(document.path, span.line or None, reason))


def roots(n: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return for each of n things the one that stands for all that pairs connect it with.

    >>> roots(4, [(0, 2), (2, 3)])
    [3, 1, 3, 3]
    """
    root = list(range(n))

    def find(m: int) -> int:
        while root[m] != m:
            root[m] = m = root[root[m]]
        return m

    for one, other in pairs:
        root[find(one)] = find(other)
    return list(map(find, range(n)))


def _roots(spans: Sequence[Span], links: Iterable[tuple[int, int]], layers: set[str]) -> list[int]:
    """Return for each span the span that stands for its entity: links join spans, and so do the chains of layers."""
    first_of: dict[tuple[str, str], int] = {}
    chains = [
        (m, first_of.setdefault((span.layer, span.entity), m))
        for m, span in enumerate(spans)
        if span.layer is not None and span.layer in layers
    ]
    return roots(len(spans), chain(chains, links))


class _Places:
    """Finds the places of a document's spans.

    Where the text is known, places are counted in characters that are not blank: then blanks at the ends of spans, and
    blanks between their parts, are nothing.
    """

    def __init__(self, document: Annotated) -> None:
        self.characters, self.words, self.tokens = document.text, document.words, document.tokens or []
        self.flat = [*chain.from_iterable(self.words or [])]
        self.solid: list[int] | None = None
        self.rank: list[int] = []
        self.before: Ints | None = None
        if self.words is not None:
            self.size, self.unit = len(self.flat), "words"
        else:
            self.size, self.unit = LARGEST if document.text is None else len(document.text), "characters"
        if self.words is None and document.text is not None:
            is_solid = ~np.array([*map(str.isspace, document.text)], np.bool_)
            self.solid, self.rank = np.flatnonzero(is_solid).tolist(), bounds(is_solid).tolist()
            self.before = _units(document)
            self.tokens = [self._characters(sentence) for sentence in self.tokens]

    def _characters(self, parts: list[Range]) -> list[Range]:
        """Return ranges of units as ranges of characters; those past the text's end as they are."""
        if self.before is None:
            return parts
        size = int(self.before[-1])
        fits = all(0 <= begin <= size and end <= size for begin, end in parts) and len(parts) > 0
        return [(begin, end) for begin, end in self.before.searchsorted(np.array(parts)).tolist()] if fits else parts

    def find(self, span: Span) -> list[Range] | str:
        """Return the parts of a span, in order, with something between them; or the reason why it is no mention."""
        parts = self._characters(sorted(span.parts))
        is_known = self.words is not None or self.solid is not None
        if not is_known and span.text is not None:
            parts = _trimmed(parts, span.text)
        result = list[Range]()
        for begin, end in parts:
            if not 0 <= begin < end:
                return f"from {begin} to {end} is empty; expected begin < end"
            if end > self.size:
                return f"from {begin} to {end} lies past the {self.size:,} {self.unit} of the text"
            first, last = (self.rank[begin], self.rank[end]) if self.solid is not None else (begin, end)
            if first == last:
                continue
            if result and first <= result[-1][1] + (not is_known):  # where no text is known, one may be a blank
                result[-1] = result[-1][0], max(last, result[-1][1])
            else:
                result.append((first, last))
        return result or "is blank"

    def text_of(self, parts: list[Range]) -> str | None:
        """Return the text of a mention, with blanks between its parts; None if it is not known."""
        if self.words is not None:
            return " ".join(" ".join(self.flat[begin:end]) for begin, end in parts)
        if self.characters is None or self.solid is None:
            return None
        return " ".join(self.characters[self.solid[begin] : self.solid[end - 1] + 1] for begin, end in parts)

    def in_words(self, parts_of: dict[int, list[Range]]) -> tuple[str, dict[int, list[Range]]]:
        """Return the unit of the document, and the parts of each mention in this unit."""
        if self.words is not None or self.solid is None:
            return "character" if self.words is None else "word", parts_of
        solid, places = self.solid, [self.rank[at] for at in chain.from_iterable(chain.from_iterable(self.tokens))]
        of_words = [each for each in zip(places[::2], places[1::2], strict=True) if each[0] < each[1]]
        starts = {begin: word for word, (begin, _) in enumerate(of_words)}
        ends = {end: word + 1 for word, (_, end) in enumerate(of_words)}
        every = chain.from_iterable(parts_of.values())
        if of_words and all(begin in starts and end in ends for begin, end in every):
            return "word", {m: [(starts[begin], ends[end]) for begin, end in parts] for m, parts in parts_of.items()}
        return "character", {
            m: [(solid[begin], solid[end - 1] + 1) for begin, end in parts] for m, parts in parts_of.items()
        }

    def text(self, unit: str) -> tuple[FileText | None, int]:
        """Return the text as words or characters, and their number; None and -1 if they are not known."""
        text, words = self.characters, self.words
        if words is None and text is None:
            return None, -1
        nothing = np.empty(0, np.uint8)
        if words is None and text is not None and unit == "character":
            return FileText(nothing, lambda *_: [list(text)]), len(text)
        if words is None and text is not None:
            cut = ([text[begin:end].strip() for begin, end in sentence] for sentence in self.tokens)
            words = [[word for word in sentence if word] for sentence in cut]
        return FileText(nothing, lambda *_: words or []), sum(map(len, words or []))


def _units(document: Annotated) -> Ints | None:
    """Return how many UTF-16 units are before each character, int64 (N+1,); None if numbers count code points."""
    text = document.text or ""
    if document.unit == "code points" or not text or max(text) <= LAST_OF_UNIT:
        return None
    before = bounds(1 + np.array([character > LAST_OF_UNIT for character in text]))
    if document.unit:
        return before
    texts = [(span, span.text) for span in document.spans if span.text is not None and len(span.parts) == 1]
    places = [span.parts[0] for span, _ in texts]
    in_units = np.minimum(before.searchsorted(np.clip(places, 0, int(before[-1]))), len(text)).tolist()
    as_points, as_units = (
        sum(text[begin:end] == own for (begin, end), (_, own) in zip(every, texts, strict=True))
        for every in (places, in_units)
    )
    return before if as_units > as_points else None


def _trimmed(parts: list[Range], text: str) -> list[Range]:
    """Leave out blanks at the ends of parts, by the span's own text, in which a blank is between parts."""
    result, at = [], 0
    for begin, end in parts:
        own = text[at : at + end - begin]
        at += end - begin + 1
        if len(own) == end - begin and own.strip():
            begin, end = begin + len(own) - len(own.lstrip()), begin + len(own.rstrip())
        result.append((begin, end))
    return result


def name_of(path: str) -> tuple[str, str]:
    """Return the name of a file's document, and the annotator, which is empty where the path does not tell.

    A file is named by its stem; but the export of a project has ``annotation/DOCUMENT/ANNOTATOR.tsv``.

    >>> name_of("a/novel.ann"), name_of("export/annotation/novel.txt/anna.tsv")
    (('novel', ''), ('novel.txt', 'anna'))
    """
    stem = os.path.basename(split_suffixes(path)[0])
    folders = os.path.dirname(os.path.abspath(path)).split(os.sep)
    if len(folders) > 2 and folders[-2] in PROJECT and "." in folders[-1]:
        return folders[-1], stem
    return stem, ""
