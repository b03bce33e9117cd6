"""Make documents of what annotators drew: which links mean identity, which spans are mentions, what is an entity.

A reader of an annotation tool's files makes an `Annotated` of each document, as the tool has it. The rules here are the
same for all tools. They are applied to all files of a side together: which spans are mentions must not depend on what
the annotator of one document drew.

| what | rule |
|---|---|
| identity | the chains or sets of a layer, if there is one layer of them; otherwise links with ``coref`` in their name; otherwise, those of the only kind. Never a value that begins with ``bridg`` or ``split`` |
| entity | a chain or set, or what links of identity connect, in any direction |
| mention | each span of a chain or set; or of a type that some link of identity joins; all spans if there is no such link |
"""  # noqa: E501

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

import numpy as np

from arraycoref.errors import ReadError
from arraycoref.ragged import bounds_of
from arraycoref.read.annotated import Annotated, Range, Span
from arraycoref.read.annotators import of_one_annotator
from arraycoref.read.documents import Documents, FileText, Parsed, Text
from arraycoref.read.faults import ReadingOptions, quote, quote_both
from arraycoref.read.mentions import BITS, Mentions, join_mentions
from arraycoref.read.places import LARGEST, Places
from arraycoref.report.tables import number_of

NO_IDENTITY = re.compile(r"bridg|split", re.IGNORECASE)
"""Matches values of links that are never identity: bridging, split antecedents."""

LONGEST = 200
"""The most characters or words of a mention whose text is kept, for messages."""

_WITH_ID = re.compile(r".*-[0-9]+\Z", re.DOTALL)
"""Matches a type of brat that names an entity, such as ``Lord_Chancellor-2`` in LitBank."""


def documents_of(side: Sequence[Annotated], options: ReadingOptions) -> Iterator[tuple[str, Parsed]]:
    """Make the documents of a side's files; yield the path and the documents of each.

    Args:
        side: the documents of all files, those of a file one after the other.
        options: ``relations`` names the links, or the layer of chains, that mean identity; ``annotator`` whose
            annotation is read, where files have that of several.

    Raises:
        ReadError: what `options.on_error` raises; or it is not clear which links mean identity, or whose annotation is
            to be read.
    """
    reading = _Side(_with_ids_of_types(of_one_annotator(side, options)), options)
    for path, documents in groupby(reading.side, lambda document: document.path):
        yield path, reading.parsed(path, list(documents))
    reading.tell()


def _with_ids_of_types(side: Sequence[Annotated]) -> Sequence[Annotated]:
    """Make entities of types with a number, such as ``Lord_Chancellor-2``, where no link is of coreference.

    So does LitBank: one span has the id, another of the same characters the category. A span without an id is an entity
    of its own, and other links join nothing.
    """
    types = (span.type for document in side if document.has_ids for span in document.spans)
    links = chain.from_iterable(document.links for document in side)
    if any("coref" in link.kind.lower() for link in links) or not any(map(_WITH_ID.match, types)):
        return side
    changed = []
    for document in side:
        at: dict[tuple[Range, ...], tuple[list[Span], list[Span]]] = {}  # spans with a category, and with an id
        for span in document.spans:
            at.setdefault(tuple(sorted(span.parts)), ([], []))[_WITH_ID.match(span.type) is not None].append(span)
        spans = []
        for categories, ids in at.values():
            category = categories[0].type if categories else ""
            spans += [span._replace(type=category, layer="", entity=span.type) for span in ids]
            if not ids:
                spans.append(categories[0]._replace(layer="", entity=f"{categories[0].id} alone"))
        changed.append(replace(document, spans=spans, links=[]))
    return changed


def _identity(side: Sequence[Annotated], options: ReadingOptions) -> tuple[set[str], set[tuple[str, str]]]:
    """Return the layers whose chains or sets are entities; and layer and value of the links that join mentions.

    Raises:
        ReadError: several layers or kinds, of which none is of coreference or named by the user; or the user names
            others.
    """
    layers = Counter(span.layer for document in side for span in document.spans if span.layer is not None)
    links = Counter((link.kind, link.layer, link.value) for document in side for link in document.links)
    kinds = Counter[str]()
    for (kind, _, value), n in links.items():
        if not NO_IDENTITY.match(value):
            kinds[kind] += n
    listed = ", ".join(f"{name!r:.60} ({n:,})" for name, n in (layers or kinds).most_common(8))
    asked = options.relations
    if asked is not None:
        named = {layer for layer in layers if asked & {layer, _last(layer)}}
        joining = {(layer, value) for kind, layer, value in links if asked & {kind, value, layer, _last(layer)}}
        if (layers or links) and not (named or joining):
            reason = f"no relation or layer {', '.join(sorted(asked))}; expected some of {listed}"
            raise ReadError(side[0].path, None, reason, "relations")
        return named, joining
    chosen = [kind for kind in kinds if "coref" in kind.lower()] or list(kinds)
    if len(layers) > 1 or (not layers and len(chosen) > 1 and "coref" not in chosen[0].lower()):
        what = "layers of chains" if layers else "relations, of which none is named coreference"
        reason = f"several {what}: {listed}; relations='NAME,NAME' says which mean identity"
        raise ReadError(side[0].path, None, reason, "relations")
    if layers:
        return set(layers), set()
    return set(), {(layer, value) for kind, layer, value in links if kind in chosen and not NO_IDENTITY.match(value)}


def _last(layer: str) -> str:
    """Return the name of a layer without its namespace."""
    return layer.rpartition(".")[2]


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
        self.side, self.options = side, options
        self.layers, self.joining = _identity(side, options)
        self.types: set[str] | None = None
        if self.layers or self.joining:
            joins = ((document.spans, self.joins(document)) for document in side)
            self.types = {spans[m].type for spans, pairs in joins for m in chain.from_iterable(pairs)}
        self.n_texts = 0
        self.other_texts: list[ReadError] = []
        self.again: list[ReadError] = []

    def joins(self, document: Annotated) -> list[tuple[int, int]]:
        """Return the spans that links of identity join."""
        return [link[:2] for link in document.links if (link.layer, link.value) in self.joining]

    def parsed(self, path: str, documents: list[Annotated]) -> Parsed:
        """Make the documents of one file."""
        n, laid = len(documents), [self._laid(document) for document in documents]
        units, files, lengths, entities, mentions = zip(*laid, strict=True)
        names = tuple([document.name for document in documents])
        result = Documents(
            names,
            tuple([f"({name})" for name in names]),
            (path,) * n,
            units,
            np.array([document.named for document in documents], np.bool_),
            entities,
            join_mentions([replace(each, document=each.document + d) for d, each in enumerate(mentions)]),
            Text(files, np.zeros((n, 2), np.int64), np.array(lengths, np.int64), ((),) * n),
        )
        return Parsed(result, tuple([document.line for document in documents]))

    def tell(self) -> None:
        """Tell of texts that are not at their places, and of spans that are twice in one entity."""
        events = [
            ReadError(document.path, line, event)
            for document in self.side
            for line, value, event in document.with_events
            if (value, value) in self.joining
        ]
        of_texts = f"of {self.n_texts:,} with another text than at their places"
        for doubts, noun, what in (
            (self.other_texts, "span", of_texts),
            (self.again, "span", "twice in one entity, which count once"),
            (events, "link", "with an event, which join no mentions"),
        ):
            if doubts:
                n, first = number_of(len(doubts), noun), doubts[0]
                self.options.on_doubt(ReadError(first.path, first.line, f"{n} {what}; the first is {first.reason}"))

    def _laid(self, document: Annotated) -> tuple[str, FileText | None, int, tuple[str, ...], Mentions]:
        """Lay out a document: its unit, text, number of tokens, ids of entities, and mentions."""
        places, spans = Places(document), document.spans
        ranks, texts = self._found(document, places)
        unit, parts_of = places.in_unit(ranks)
        root = _roots(spans, self.joins(document), self.layers)
        ids: dict[int, str] = {}
        first: dict[tuple[int, *tuple[Range, ...]], int] = {}
        for m in sorted(parts_of, key=lambda m: (parts_of[m][0][0], -parts_of[m][-1][1], parts_of[m])):
            ids.setdefault(root[m], spans[m].entity or spans[m].id)
            other = first.setdefault((root[m], *parts_of[m]), m)
            if other != m:
                reason = f"{quote(texts[m])}, {quote(spans[other].id)} and {quote(spans[m].id)}"
                self.again.append(ReadError(document.path, spans[m].line or None, reason))
        number_of_root = {each: number for number, each in enumerate(ids)}
        kept = list(first.values())
        parts = [parts_of[m] for m in kept]
        label = np.array([spans[m].type or None for m in kept], object)
        hull = np.array([(each[0][0], each[-1][1] - 1) for each in parts], np.int32).reshape(-1, 2)
        mentions = Mentions(
            np.zeros(len(kept), np.int32),
            hull[:, 0],
            hull[:, 1],
            np.array([number_of_root[root[m]] for m in kept], np.int32),
            np.array([spans[m].line for m in kept], np.int64),
            np.array([texts[m] for m in kept], object),
            label if label.any() else None,
        )
        if any(len(each) > 1 for each in parts):
            nodes = np.array([*chain.from_iterable(parts)], np.int64) + np.array([1, 0]) << BITS
            mentions = replace(mentions, parts=nodes, part_bounds=bounds_of(parts))
        return unit, *places.text_in(unit), tuple(ids.values()), mentions

    def _found(self, document: Annotated, places: Places) -> tuple[dict[int, list[Range]], dict[int, str | None]]:
        """Find the places of the spans that are mentions, and their texts: those of the file, if it gives any."""
        types = set[str]() if self.types is None and document.only_linked else self.types
        ranks: dict[int, list[Range]] = {}
        texts: dict[int, str | None] = {}
        for m, span in enumerate(document.spans):
            if span.layer not in self.layers and types is not None and span.type not in types:
                continue
            parts = places.find(span)
            if isinstance(parts, str):
                reason = f"the span {quote(span.id)} {parts}"
                self.options.on_error(ReadError(document.path, span.line or None, reason))
                continue
            ranks[m], own = parts, span.text or ""
            there = places.text_at(parts, LONGEST + len(own))
            texts[m] = own.strip() or there
            if own and places.size < LARGEST:
                self.n_texts += 1
                if there is None or "".join(own.split()) != "".join(there.split()):
                    shown = quote_both(own, "a longer one" if there is None else there)
                    reason = "{} in the file, {} in the text".format(*shown)
                    self.other_texts.append(ReadError(document.path, span.line or None, reason))
        return ranks, texts


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
    """Return for each span the one that stands for its entity: links join spans, and so do the chains of layers."""
    first: dict[tuple[str, str], int] = {}
    chained = [(m, span.layer, span.entity) for m, span in enumerate(spans) if span.layer is not None]
    chains = [(m, first.setdefault((layer, entity), m)) for m, layer, entity in chained if layer in layers]
    return roots(len(spans), chain(chains, links))
