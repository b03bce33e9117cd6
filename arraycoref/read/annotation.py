"""Make documents of what annotators drew: which links mean identity, which spans are mentions, what is an entity.

A reader of an annotation tool's files makes an `Annotated` of each document, as the tool has it. The rules here are the
same for all tools. They are applied to all files of a side together: which spans are mentions must not depend on what
the annotator of one document drew. `with_types_of_all` extends that to the sides that are compared.

| what | rule |
|---|---|
| identity | the chains or sets of a layer, if there is one layer of them; otherwise links with ``coref`` in their name; otherwise, those of the only kind. Never a value that begins with ``bridg`` or ``split`` |
| entity | a chain or set, or what links of identity connect, in any direction |
| mention | each span of a chain or set; or of a type that some link of identity joins; all spans if there is no such link |

A document without chains, on a side where others have some, keeps its links: those with ``coref`` in their name, and
those that join spans of the type that chains elsewhere consist of.
"""  # noqa: E501

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby, islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from arraycoref.display.tables import plural
from arraycoref.exceptions import ReadError, first_names
from arraycoref.ragged import Ints, bounds, bounds_of
from arraycoref.read.documents import Documents, Parsed, Sentences, Text, make_documents
from arraycoref.read.mentions import BITS, Mentions, join_mentions
from arraycoref.read.problems import ReadingOptions, quote, quote_both
from arraycoref.read.relations import Relations
from arraycoref.runtime import split_suffixes

Range = tuple[int, int]
"""First and past-the-last character, or word."""

NO_IDENTITY = re.compile(r"bridg|split", re.IGNORECASE)
"""Matches values of links that are never identity: bridging, split antecedents."""

LONGEST = 200
"""The most characters or words of a mention whose text is kept, for messages."""

LARGEST = 2**31 - 2
"""The largest number of a character, where the text is not known."""

LAST_OF_UNIT = "\uffff"
"""The last character that is one unit of UTF-16; all after it are two."""

PROJECT = ("annotation", "curation")
"""Folders of an exported project, which have a folder for each document, with a file for each annotator."""

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
        key: that by which links name it; None for its id.
    """

    parts: Sequence[Range]
    id: str
    type: str
    line: int
    text: str | None = None
    layer: str | None = None
    entity: str = ""
    key: Hashable = None


class Link(NamedTuple):
    """A link between spans.

    Attributes:
        ends: the keys of two or more spans, each linked with the next; `documents_of` replaces them by
            the spans' positions in the document's list.
        layer: layer of the link; its value, where the format has no layers.
        value: its label; may be empty.
        line: line of the file, or 0.
        path: its file, if that is not the document's.
    """

    ends: tuple[Any, ...]
    layer: str
    value: str
    line: int = 0
    path: str = ""

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
        unread: lines of what the reader leaves out, by a word for it, its name, and the kind of the links that it would
            be, which is empty for what is not a link.
        line: the line on which it begins.
        named: whether the file names it; see `arraycoref.read.documents.Documents`.
        annotator: who marked it; empty if that is not known.
        text: its characters; None if they are not known.
        words: the words of each sentence; if they are given, spans count words.
        tokens: the words of each sentence as ranges of characters; if all mentions begin and end at one, they become
            spans of words.
        unit: what numbers of characters count: ``code points``, or ``utf-16`` units; empty if the spans' texts show it.
        only_linked: whether the spans are not mentions where no file of the side has links or chains.
        has_ids: whether a type that ends in a hyphen and a number may name an entity.
    """

    path: str
    name: str
    spans: list[Span] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    unread: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)
    line: int = 1
    named: bool = False
    annotator: str = ""
    text: str | None = None
    words: Sentences | None = None
    tokens: list[list[Range]] | None = None
    unit: str = "code points"
    only_linked: bool = False
    has_ids: bool = False

    def leave_out(self, line: int, what: str, name: str, kind: str = "") -> None:
        """Add a line, or 0, to `unread`."""
        self.unread.setdefault((what, name, kind), []).append(line)

    @cached_property
    def has_chains(self) -> bool:
        """Whether a span is in a chain or set."""
        return any(span.layer is not None for span in self.spans)


def name_of(path: str) -> tuple[str, str]:
    """Return the name of a file's document, and the annotator, which is empty where the path does not name one.

    A file is named by its stem; but the export of a project has ``annotation/DOCUMENT/ANNOTATOR.tsv``. There, a folder
    of files ``.ann`` is a document only if its name has a suffix: others keep brat's files in folders of that name too.

    >>> name_of("a/novel.ann"), name_of("export/annotation/novel.txt/anna.tsv")
    (('novel', ''), ('novel.txt', 'anna'))
    """
    stem, suffix, _ = split_suffixes(os.path.basename(path))
    folders = os.path.dirname(os.path.abspath(path)).split(os.sep)
    if len(folders) > 2 and folders[-2] in PROJECT and (suffix != ".ann" or "." in folders[-1]):
        return folders[-1], stem
    return stem, ""


def documents_of(side: Sequence[Annotated], options: ReadingOptions) -> Iterator[tuple[str, Parsed]]:
    """Make the documents of a side's files; yield the path and the documents of each.

    Args:
        side: the documents of all files, those of a file one after the other.
        options: ``relations`` names the links, or the layer of chains, that mean identity; ``annotator`` whose
            annotation is read, where files have that of several.

    Raises:
        ReadError: an error, where reading is strict; or it is not clear which links mean identity, or whose annotation
            is to be read.
    """
    side = _of_one_annotator(side, options)
    for document in side:
        document.links = [*_placed(document, options)]
    rules = _Side(_with_ids_of_types(side), options)
    for path, documents in groupby(rules.side, lambda document: document.path):
        yield path, rules.parsed(path, list(documents))
    rules.warn()


def _placed(document: Annotated, options: ReadingOptions) -> Iterator[Link]:
    """Yield the links of a document with the positions of its spans; a key of no span, or two, is a problem."""
    places: dict[Hashable, int] = {}
    for m, span in enumerate(document.spans):
        key = span.id if span.key is None else span.key
        places[key] = -1 if key in places else m
    for link in document.links:
        ends = tuple([places.get(key, -1) for key in link.ends])
        if -1 not in ends:
            yield Link(ends, *link[1:])
            continue
        name, key = link.value or link.layer, link.ends[ends.index(-1)]
        which = f"the link {quote(name)}" if name else "a link"
        shown, what = quote(key[0] if isinstance(key, tuple) else key), "two spans" if key in places else "no span"
        reason = f"{which} names {shown}, which is {what} of this document"
        options.problems.error(link.path or document.path, link.line or None, reason)


def _of_one_annotator(side: Sequence[Annotated], options: ReadingOptions) -> Sequence[Annotated]:
    """Leave out the annotation of others than the annotator whom the user names.

    Raises:
        ReadError: a document that several annotated, and none is named; or none of this name.
    """
    names = list(dict.fromkeys(document.annotator for document in side if document.annotator))
    shown = ", ".join(map(repr, first_names(names)))
    if options.annotator is not None and names:
        if options.annotator not in names:
            reason = f"no annotator {options.annotator!r}; expected one of {shown}"
            raise ReadError(side[0].path, None, reason, "annotator")
        return [document for document in side if document.annotator in ("", options.annotator)]
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
        ReadError: several layers or kinds, none of coreference and none named by the user; or the user names others.
    """
    layers = Counter(span.layer for document in side for span in document.spans if span.layer is not None)
    chained = {f"{layer}Link" for layer in layers}
    links = [link for document in side for link in document.links if link.layer not in chained]
    asked = options.relations
    if layers and asked is None:
        types = {span.type for document in side for span in document.spans if span.layer is not None}
        others = [(document.spans, link) for document in side if not document.has_chains for link in document.links]
        links = [link for spans, link in others if "coref" in link.kind.lower() or spans[link.ends[0]].type in types]
    kinds = Counter(link.kind for link in links if not NO_IDENTITY.match(link.value))
    listed = ", ".join(f"{name!r:.60} ({n:,})" for name, n in (layers or kinds).most_common(8))
    if asked is not None:
        asked |= {name.removesuffix("Link") for name in asked}
        named = {layer for layer in layers if asked & {layer, _last(layer)}}
        joining = {link[1:3] for link in links if asked & {link.kind, link.value, link.layer, _last(link.layer)}}
        if (layers or links) and not (named or joining):
            reason = f"no relation or layer {', '.join(sorted(options.relations or ()))}; expected some of {listed}"
            raise ReadError(side[0].path, None, reason, "relations")
        return named, joining
    chosen = [kind for kind in kinds if "coref" in kind.lower()] or list(kinds)
    if len(layers) > 1 or (len(chosen) > 1 and "coref" not in chosen[0].lower()):
        what = "layers of chains" if layers else "relations, none named coreference"
        reason = f"several {what}: {listed}; relations='NAME,NAME' says which mean identity"
        raise ReadError(side[0].path, None, reason, "relations")
    return set(layers), {link[1:3] for link in links if link.kind in chosen and not NO_IDENTITY.match(link.value)}


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
        chained: layers of the links within these chains.
        joining: layer and value of links of identity.
        links: of each document, its links that join mentions.
        types: types of the spans that chains consist of and such links join; None if there are none of these.
        is_joined: whether two mentions were in one entity.
    """

    def __init__(self, side: Sequence[Annotated], options: ReadingOptions) -> None:
        self.side, self.options = side, options
        self.layers, self.joining = _identity(side, options)
        self.chained = {f"{layer}Link" for layer in self.layers}
        self.links = {document: [link for link in document.links if self.is_read(document, link)] for document in side}
        self.types: set[str] | None = None
        if self.layers or self.joining:
            self.types = {span.type for document in side for span in document.spans if span.layer in self.layers}
            ends = ((document.spans, link.ends) for document, links in self.links.items() for link in links)
            self.types |= {spans[m].type for spans, places in ends for m in places}
        self.is_joined = False
        self.n_texts = 0
        self.other_texts: list[ReadError] = []
        self.again: list[ReadError] = []

    def is_read(self, document: Annotated, link: Link) -> bool:
        """Whether a link joins mentions: not beside chains, unless the user names the link, but within them."""
        is_asked = self.options.relations is not None
        is_beside = self.layers and document.has_chains and not is_asked
        return link.layer in self.chained or (link[1:3] in self.joining and not is_beside)

    def is_bridging(self, document: Annotated, link: Link) -> bool:
        """Whether a link leads from an anaphor to its antecedent in another entity."""
        return "bridg" in f"{link.layer} {link.value}".lower() and not self.is_read(document, link)

    def parsed(self, path: str, documents: list[Annotated]) -> Parsed:
        """Make the documents of one file."""
        laid = [self._laid(document) for document in documents]
        units, texts, entities, mentions, unlinked, relations = zip(*laid, strict=True)
        joined = join_mentions([replace(each, document=each.document + d) for d, each in enumerate(mentions)])
        others: dict[str, Any] = {"units": units, "entities": entities, "unlinked": unlinked}
        others["linked"] = frozenset(self.types or ())
        others["named"] = np.array([document.named for document in documents], np.bool_)
        result = make_documents(path, [document.name for document in documents], joined, texts, **others)
        result = replace(result, relations=relations if self.options.keep_relations else ())
        return Parsed(result, tuple([document.line for document in documents]))

    def warn(self) -> None:
        """Warn of what is doubtful: texts that are not at their places, spans twice in one entity, what is not read."""
        of_texts = self.other_texts, f"of {self.n_texts:,} with another text than at their places"
        for doubts, what in (of_texts, (self.again, "twice in one entity, which count once")):
            if doubts:
                n, first = plural(len(doubts), "span"), doubts[0]
                self.options.problems.warning(first.path, first.line, f"{n} {what}; the first is {first.reason}")
        self._warn_of_unread()

    def _warn_of_unread(self) -> None:
        """Warn of links that join nothing; if there is no entity of two mentions, of all that was left out."""
        layers = {None, *self.layers}
        n_spans = sum(span.layer in layers for document in self.side for span in document.spans)
        is_alone = n_spans > 1 and not self.is_joined
        kinds = {*chain.from_iterable(self.joining)} - {""}
        unread, first, names = Counter[str](), ReadError(self.side[0].path, None, ""), dict[str, None]()
        for document in self.side:
            for link in document.links if is_alone or self.options.relations is None else ():
                may_join = not NO_IDENTITY.match(link.value) and not self.is_bridging(document, link)
                if (is_alone or may_join) and not self.is_read(document, link):
                    document.leave_out(link.line, "links", link.kind, "coref")
                    names |= {link.kind: None} if may_join else {}
            for (what, name, kind), lines in document.unread.items():
                if is_alone or kind in kinds or "coref" in kind.lower():
                    first = first if unread else ReadError(document.path, lines[0] or None, "")
                    unread[f"{what} {name!r:.60}"] += len(lines)
        reasons = [f"{plural(n_spans, 'span')}, no two of them in one entity"] * is_alone
        if unread:
            reasons.append("not read: " + ", ".join(f"{what} ({n:,})" for what, n in unread.most_common(8)))
        if names:
            known = [link.kind for link in chain.from_iterable(self.links.values())]
            every = ",".join(dict.fromkeys([*sorted(self.layers), *known, *names]))
            reasons.append(f"relations={every!r} reads them as identity too")
        if reasons:
            self.options.problems.warning(first.path, first.line, "; ".join(reasons), "relations" * bool(names))

    def _laid(self, document: Annotated) -> tuple[str, Text, tuple[str, ...], Mentions, Mentions | None, Relations]:
        """Lay out a document: its unit, text, ids of entities, mentions, unlinked spans, and bridging links."""
        places, spans = Places(document), document.spans
        ranks, texts, unlinked = self._found(document, places)
        unit, parts_of = places.in_unit(ranks, unlinked)
        root = _roots(spans, self.links[document], self.layers)
        ids: dict[int, str] = {}
        first: dict[tuple[int, *tuple[Range, ...]], int] = {}
        order = sorted(parts_of, key=lambda m: (m in unlinked, parts_of[m][0][0], -parts_of[m][-1][1], parts_of[m]))
        for m in order:
            ids.setdefault(root[m], spans[m].entity or spans[m].id)
            other = first.setdefault((root[m], *parts_of[m]), m)
            if other != m:
                reason = f"{quote(texts[m])}, {quote(spans[other].id)} and {quote(spans[m].id)}"
                self.again.append(ReadError(document.path, spans[m].line or None, reason))
        number, kept = {each: n for n, each in enumerate(ids)}, [*first.values()]
        parts = [parts_of[m] for m in kept]
        hull = np.array([(each[0][0], each[-1][1] - 1) for each in parts], np.int32).reshape(-1, 2)
        label = np.array([spans[m].type or None for m in kept], object)
        mentions = Mentions(
            np.zeros(len(kept), np.int32),
            hull[:, 0],
            hull[:, 1],
            np.array([number[root[m]] for m in kept], np.int32),
            np.array([spans[m].line for m in kept], np.int64),
            np.array([texts[m] for m in kept], object),
            label if label.any() else None,
            number=np.arange(len(kept)),
        )
        row = {mention: n for n, mention in enumerate(first)}
        links = [
            (row[root[a], *parts_of[a]], row[root[b], *parts_of[b]], number[root[b]], link.value or None)
            for link in document.links
            if self.is_bridging(document, link)
            for a, b in pairwise(link.ends)
            if a in parts_of and b in parts_of
        ]
        if any(len(each) > 1 for each in parts):
            nodes = np.array([*chain.from_iterable(parts)], np.int64) + np.array([1, 0]) << BITS
            mentions = replace(mentions, parts=nodes, part_bounds=bounds_of(parts))
        self.is_joined |= len(ids) < len(kept)
        is_left = np.array([m in unlinked for m in kept], np.bool_)
        own, spare = (mentions.take(np.flatnonzero(rows)) for rows in (~is_left, is_left))
        of_entities = tuple(ids.values()), own, spare if len(spare) else None, Relations.from_lists(links)
        return unit, places.text_in(unit), *of_entities

    def _found(
        self, document: Annotated, places: Places
    ) -> tuple[dict[int, list[Range]], dict[int, str | None], set[int]]:
        """Find the places of spans, and their texts: those of the file, if it gives any; and which are not mentions."""
        types = set[str]() if self.types is None and document.only_linked else self.types
        ranks: dict[int, list[Range]] = {}
        texts: dict[int, str | None] = {}
        unlinked = set[int]()
        for m, span in enumerate(document.spans):
            if span.layer is not None and span.layer not in self.layers:
                continue
            is_mention = span.layer is not None or types is None or span.type in types
            parts = places.find(span)
            if isinstance(parts, str):
                if is_mention:
                    reason = f"the span {quote(span.id)} {parts}"
                    self.options.problems.error(document.path, span.line or None, reason)
                continue
            ranks[m], own = parts, span.text or ""
            there = places.text_at(parts, LONGEST + len(own))
            texts[m] = own.strip() or there
            if not is_mention:
                unlinked.add(m)
            elif own and places.pieces is not None:
                self.n_texts += 1
                if there is None or "".join(own.split()) != "".join(there.split()):
                    shown = quote_both(own, "a longer one" if there is None else there)
                    reason = "{} in the file, {} in the text".format(*shown)
                    self.other_texts.append(ReadError(document.path, span.line or None, reason))
        return ranks, texts, unlinked


def _roots(spans: Sequence[Span], links: Sequence[Link], layers: set[str]) -> list[int]:
    """Return for each span the one that stands for its entity: links join spans, and so do the chains of layers."""
    root, first = list(range(len(spans))), dict[tuple[str, str], int]()

    def find(m: int) -> int:
        while root[m] != m:
            root[m] = m = root[root[m]]
        return m

    for m, span in enumerate(spans):
        if span.layer in layers:
            root[m] = first.setdefault((span.layer or "", span.entity), m)
    for one, other in chain.from_iterable(pairwise(link.ends) for link in links):
        root[find(one)] = find(other)
    return [*map(find, range(len(spans)))]


class Places:
    """Finds the places of a document's spans.

    Where the text is known, places are ranges of the characters that are not spaces: then spaces at the ends of spans,
    and spaces between their parts, are nothing.

    Attributes:
        pieces: what spans count: words, or characters; None if the text is not known.
        solid: int64 (S,) the pieces that are not spaces.
        rank: int64 (N+1,) how many of these are before each piece.
        before: int64 (N+1,) how many UTF-16 units are; None if numbers count code points, or words.
    """

    def __init__(self, document: Annotated) -> None:
        self.document = document
        flat = None if document.words is None else [*chain.from_iterable(document.words)]
        self.pieces: Sequence[str] | None = document.text if flat is None else flat
        self.joint, self.unit = ("", "characters") if flat is None else (" ", "words")
        self.size = LARGEST if self.pieces is None else len(self.pieces)
        is_blank = map(str.isspace, document.text or "") if flat is None else [False] * len(flat)
        is_solid = ~np.array([*is_blank], np.bool_)
        self.solid, self.rank = np.flatnonzero(is_solid), bounds(is_solid)
        self.before = _units(document) if flat is None else None

    def find(self, span: Span) -> list[Range] | str:
        """Return the parts of a span, in order, with something between them; or the reason why it is not a mention."""
        parts = sorted(span.parts)
        if self.before is not None and parts[0][0] >= 0 and max(end for _, end in parts) <= self.before[-1]:
            parts = [(begin, end) for begin, end in self.before.searchsorted(np.array(parts)).tolist()]
        is_known = self.pieces is not None
        if not is_known and span.text is not None:
            parts = _trimmed(parts, span.text)
        result: list[Range] = []
        for begin, end in parts:
            if not 0 <= begin < end:
                return f"from {begin} to {end} is empty; expected begin < end"
            if end > self.size:
                return f"from {begin} to {end} lies past the {self.size:,} {self.unit} of the text"
            first, last = (int(self.rank[begin]), int(self.rank[end])) if is_known else (begin, end)
            if first == last:
                continue
            if result and first <= result[-1][1] + (not is_known):  # without the text, a space may be between
                result[-1] = result[-1][0], max(last, result[-1][1])
            else:
                result.append((first, last))
        return result or "has only spaces"

    def text_at(self, parts: list[Range], most: int) -> str | None:
        """Return the text of a mention, with spaces between its parts; None if it is not known, or longer than that.

        The texts of nested mentions would take memory as the square of their number.
        """
        pieces = self.pieces
        if pieces is None or sum(end - begin for begin, end in parts) > most:
            return None
        return " ".join([self.joint.join(pieces[self.solid[a] : self.solid[b - 1] + 1]) for a, b in parts])

    def in_unit(self, ranks: dict[int, list[Range]], others: set[int]) -> tuple[str, dict[int, list[Range]]]:
        """Return the unit of the document, and the parts of each mention in this unit.

        Args:
            ranks: the places of mentions, and of others.
            others: those that do not decide the unit, and are left out if they are not of whole words.
        """
        if self.pieces is None or self.unit == "words":
            return self.unit.removesuffix("s"), ranks
        words = self.rank[np.clip(self.tokens, 0, self.size)].tolist()
        starts = {begin: word for word, (begin, _) in enumerate(words)}
        ends = {end: word + 1 for word, (_, end) in enumerate(words)}
        odd = {m for m, parts in ranks.items() for begin, end in parts if begin not in starts or end not in ends}
        if words and odd <= others:
            ranks = {m: parts for m, parts in ranks.items() if m not in odd}
            return "word", {m: [(starts[begin], ends[end]) for begin, end in parts] for m, parts in ranks.items()}
        solid = self.solid.tolist()
        return "character", {
            m: [(solid[begin], solid[end - 1] + 1) for begin, end in parts] for m, parts in ranks.items()
        }

    def text_in(self, unit: str) -> Text:
        """Return the text as words or characters, if they are known."""
        sentences, text = self.document.words, self.document.text or ""
        if self.pieces is None:
            return Text()
        if sentences is None and unit == "character":
            sentences = [[*text]]
        elif sentences is None:
            words = iter([text[begin:end].strip() for begin, end in self.tokens.tolist()])
            sentences = [[*islice(words, len(tokens))] for tokens in self.document.tokens or ()]
        return Text(sentences, sum(map(len, sentences)))

    @cached_property
    def tokens(self) -> Ints:
        """The words of the document, int64 (W, 2), as ranges of characters."""
        tokens = np.array([*chain.from_iterable(self.document.tokens or ())], np.int64).reshape(-1, 2)
        return tokens if self.before is None else self.before.searchsorted(tokens)


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
    """Leave out spaces at the ends of parts, by the span's own text, which has a space between parts."""
    result, at = [], 0
    for begin, end in parts:
        own = text[at : at + end - begin]
        at += end - begin + 1
        fits = len(own) == end - begin and own.strip()
        result.append((begin + len(own) - len(own.lstrip()), begin + len(own.rstrip())) if fits else (begin, end))
    return result


def with_types_of_all(*sides: Documents, types: frozenset[str] = frozenset()) -> tuple[Documents, ...]:
    """Let spans of a type be mentions of all sides if a link joins some on one of them, as all marked the same text.

    Args:
        *sides: the documents of each side; those that are not of annotation tools stay as they are.
        types: types that links join on other sides, whose documents are not here.
    """
    types = types.union(*[side.linked for side in sides if side.linked is not None])
    return tuple([side if side.linked in (None, types) else _with_types(side, types) for side in sides])


def _with_types(side: Documents, types: frozenset[str]) -> Documents:
    """Return a side whose mentions are the spans of some types; of others, those that are linked on this side."""
    mentions = [side.mentions]
    if not side.linked and side.mentions.label is not None:  # without a link, all spans are mentions
        is_linked = np.array([label in types for label in side.mentions.label], np.bool_)
        mentions = [side.mentions.take(np.flatnonzero(is_linked))] if is_linked.any() else mentions
    unlinked = list(side.unlinked)
    for d, spans in enumerate(side.unlinked):
        if spans is not None and spans.label is not None:
            is_linked = np.array([label in types for label in spans.label], np.bool_)
            own = spans.take(np.flatnonzero(is_linked))
            mentions.append(replace(own, document=own.document + d))
            unlinked[d] = spans.take(np.flatnonzero(~is_linked))
    joined = join_mentions(mentions)
    order = np.lexsort((-joined.end, joined.start, joined.document))
    return replace(side, mentions=joined.take(order), linked=types, unlinked=tuple(unlinked))
