"""Read CorefUD: CoNLL-U files with the mentions in ``Entity=`` of their last column, empty nodes included.

Words and empty nodes of a sentence, in the order of their numbers, are one sequence. ``(e1-person-2`` opens a mention
of entity e1 in it, whose head is its second node, ``e1)`` closes it. ``e1[1/2]`` is the first of two parts of a mention
with a gap. ``# global.Entity`` names the fields of a mention.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import ReadError, first_names
from arraycoref.ragged import Ints, bounds_of, owners, ranges
from arraycoref.read.conllu import (
    DEPREL,
    DEPS,
    FORM,
    HEAD,
    MISC,
    NEWDOC,
    UPOS as UPOS_COLUMN,
    Sentence,
    empty_node,
    in_order,
    read_sentences,
)
from arraycoref.read.documents import Parsed, Sentences, Text, make_documents
from arraycoref.read.layers import IN_CONLLU, SPEAKER, Cells, Layers, informative, own_items, tree_of
from arraycoref.read.mentions import BITS, UPOS, Mentions, join_parts, parts_between
from arraycoref.read.problems import ReadingOptions, collector_paused, quote
from arraycoref.read.relations import Relations, first_circle
from arraycoref.runtime import Content, decoded

USUAL = ("eid", "etype", "head", "other")
"""Fields of a mention in a file without ``# global.Entity``."""

SPLIT = re.compile(r"\([^()]*\)?|[^()]+\)?|\)")
ITEM = re.compile(r"(\()?([^()]+)(\))?")
PLACE = re.compile(r"[1-9][0-9]{0,8}")
PART = re.compile(r"(.+)\[([0-9]{1,9})/([0-9]{1,9})\]")

OTHER_NAMES = {"GRP": "eid", "entity": "etype"}
"""Older names of fields."""

GLOBAL = re.compile(r"# *global\.Entity *= *(.*)")
DECLARED = re.compile(r"# *(sent_id|global\.Entity) *= *(.*)")
ENTITY = re.compile(r"(?:\A|\|)Entity=([^|]*)")
RELATIONS = re.compile(r"(?:\A|\|)(Bridge|SplitAnte|Split)=([^|]*)")
_OF_FILE = re.compile(rf"{NEWDOC.pattern}|# *global\.Entity *=|{SPEAKER}")
"""Comments that are written anew."""

UPOS_BIT = {tag: 1 << bit for bit, tag in enumerate(UPOS)}


class Item(NamedTuple):
    """An item of ``Entity=``, such as ``(e1-person-2``.

    Attributes:
        opens: whether it opens a mention, or a part of one.
        closes: whether it closes one.
        text: what is between the brackets.
        name: what an item that opens and one that closes have in common: ``e1`` or, of a part, ``e1[1/2]``.
        entity: the id of the entity.
        part: number of the part, from 1.
        n_parts: of how many parts the mention consists.
        head: which of its words and empty nodes is its head, from 1; None if the item does not say it.
        fault: what is wrong with an item that opens, empty if nothing is.
        is_usual: whether it opens a mention of one part, and has no problem.
    """

    opens: bool
    closes: bool
    text: str
    name: str
    entity: str = ""
    part: int = 1
    n_parts: int = 1
    head: int | None = None
    fault: str = ""
    is_usual: bool = False


NO_ITEM = Item(False, False, "", "")


def split_items(value: str) -> list[str]:
    """Split the value of ``Entity`` into items.

    >>> split_items("e1)(e2-person-1)")
    ['e1)', '(e2-person-1)']
    """
    return SPLIT.findall(value)


@lru_cache(1 << 14)
def item_of(text: str, fields: tuple[str, ...]) -> Item:
    """Read an item; `NO_ITEM` if the text is not an item."""
    brackets = ITEM.fullmatch(text)
    if brackets is None or not (brackets[1] or brackets[3]):
        return NO_ITEM
    if not brackets[1]:
        return Item(False, True, brackets[2], brackets[2])
    values = dict(zip(fields, brackets[2].split("-", len(fields) - 1), strict=False))
    name, head = values.get("eid", ""), values.get("head")
    entity, part, n_parts, fault = name, 1, 1, ""
    if numbers := PART.fullmatch(name):
        entity, part, n_parts = numbers[1], int(numbers[2]), int(numbers[3])
    if not name:
        fault = f"a mention {quote(brackets[2])} without an entity"
    elif head is not None and not PLACE.fullmatch(head):
        fault = f"the head of {quote(brackets[2])} is {quote(head)}; expected 1, 2, ..., a place in the mention"
    elif not 1 <= part <= n_parts:
        fault = f"{quote(name)} is part {part} of {n_parts}"
    place = None if fault or head is None else int(head)
    is_usual = not fault and name == entity
    return Item(True, bool(brackets[3]), brackets[2], name, entity, part, n_parts, place, fault, is_usual)


def link_of(text: str) -> tuple[str, str, str, str]:
    """Return antecedent, anaphor and label of an item of ``Bridge=`` or ``SplitAnte=``, and what is wrong with it.

    >>> link_of("e1<e2:part"), link_of("e1<e1")
    (('e1', 'e2', 'part', ''), ('e1', 'e1', '', 'an entity that is its own antecedent'))
    """
    pair, _, label = text.partition(":")
    antecedent, sign, anaphor = pair.partition("<")
    is_own = "an entity that is its own antecedent" if antecedent == anaphor else ""
    return antecedent, anaphor, label, is_own if sign else "an item without '<'"


class Mention(NamedTuple):
    """A mention. A place is the number of a word or empty node in the file, from 0.

    Attributes:
        entity: the id of its entity.
        line: the line on which it opens.
        sentence: its sentence in the document, from 0.
        parts: first and last place of each part; between two there is a gap.
        head: place of its head.
        upos: the parts of speech of its head, see `Mentions`.
        deps: the enhanced dependencies of its head if that is an empty node.
    """

    entity: str
    line: int
    sentence: int
    parts: list[tuple[int, int]]
    head: int
    upos: int
    deps: str


@dataclass(slots=True, eq=False)
class OpenDocument:
    """A document that is being read.

    Attributes:
        name: its name, None if the file does not name it.
        line: the line on which it begins, -1 if the file does not say that it begins.
        n_words: number of words read so far.
        mentions: in the order in which they open; None for one with a problem.
        sent_ids: the ``sent_id`` of each sentence, empty where it has none.
        forms: of each sentence with words their forms, with tabs between them.
        links: of each bridging link the place of its anaphor in `mentions`, the antecedent's entity, label and line.
        elements: of each split antecedent the entity that has it, its own entity, and the line.
    """

    name: str | None
    line: int
    n_words: int = 0
    mentions: list[Mention | None] = field(default_factory=list)
    sent_ids: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    links: list[tuple[int, str, str | None, int]] = field(default_factory=list)
    elements: list[tuple[str, str, int]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Unfinished:
    """A mention of several parts, the last of which was not read.

    Attributes:
        first: the item that opens its first part.
        number: its number in the document.
        line: the line on which it opens.
        n_opened: how many parts were opened.
        parts: first and last place of each part that was closed.
    """

    first: Item
    number: int
    line: int
    n_opened: int = 0
    parts: list[tuple[int, int]] = field(default_factory=list)


Opening = tuple[Item, int, int, int]
"""An item that opens a mention or a part; of the mention, its number in the document and its line; and the place."""


class EntityReader:
    """Reads the mentions of the sentences of a file, one sentence after the other.

    Args:
        path: name of the file.
        options: how to read it.

    Attributes:
        documents: those that have begun.
        empty: of each empty node the number of words before it in the file, and the node as in `BITS`.
        n_words: number of words read so far.
        n_nodes: number of words and empty nodes.
        fields: the names of a mention's fields.
        keeps_relations: whether it reads bridging links.
        without_fields: the line of the first mention, if the file does not name the fields.
    """

    def __init__(self, path: str, options: ReadingOptions) -> None:
        self._path, self._problems, self.keeps_relations = path, options.problems, options.keep_relations
        self.documents: list[OpenDocument] = []
        self.empty: list[tuple[int, int]] = []
        self.without_fields: int | None = None
        self._named: str | None = None  # the fields, as the file names them
        self.fields: tuple[str, ...] = USUAL
        self._items: dict[str, list[Item]] = {}  # those without problems in a last column, which many lines share
        self.n_words = self.n_nodes = 0
        self._opened: dict[str, list[Opening]] = {}  # what is open in the sentence, by name
        self._unfinished: dict[str, Unfinished] = {}  # by entity
        self._parts: dict[str, str] = {}  # name of the part of an entity that was opened last in the sentence

    def _fault(self, line: int, reason: str) -> None:
        self._problems.error(self._path, line, reason)

    def read(self, sentence: Sentence) -> None:
        """Read a sentence: its mentions, forms and empty nodes are then in the last document."""
        self._begin_document(sentence)
        document, sent_id = self.documents[-1], ""
        for line, comment in enumerate(sentence.comments, sentence.first_line):
            if said := DECLARED.match(comment):
                value = said[2].rstrip(" ")
                if said[1] == "sent_id":
                    sent_id = value
                else:
                    self._name_fields(value, line)
        rows, lines = in_order(sentence, self._path)
        n_mentions = len(document.mentions)
        with_entities = [k for k, columns in enumerate(rows) if "Entity=" in columns[MISC]]
        if with_entities:
            self._read_mentions(rows, lines, with_entities, _upos_of_flat(sentence))
        for k, columns in enumerate(rows) if self.keeps_relations else ():
            for name, links in RELATIONS.findall(columns[MISC]):
                for link in filter(None, links.split(",")):
                    self._read_link(name, link, self.n_nodes + k, lines[k], n_mentions)
        for node in sentence.empty:
            place = empty_node(document.n_words + node.after, node.number, not node.after)
            self.empty.append((self.n_words + node.after, place))
        document.sent_ids.append(sent_id)
        if sentence.words:
            document.forms.append("\t".join([columns[FORM] for columns in sentence.words]))
        document.n_words += len(sentence.words)
        self.n_words += len(sentence.words)
        self.n_nodes += len(rows)

    def relations(self, document: OpenDocument, entities: tuple[str, ...]) -> Relations:
        """Return the bridging links and split antecedents of a document, given the ids of its entities."""
        number_of, links = {name: number for number, name in enumerate(entities)}, []
        rows = np.cumsum([mention is not None for mention in document.mentions]) - 1
        for anaphor, antecedent, label, line in document.links:
            if antecedent in number_of:
                links.append((int(rows[anaphor]), -1, number_of[antecedent], label))
            else:
                self._fault(line, f"Bridge: the antecedent {quote(antecedent)} has no mention")
        pairs = [(whole, element) for whole, element, _ in document.elements]
        circle = first_circle(pairs)
        for *pair, line in document.elements:
            if lacking := [entity for entity in pair if entity not in number_of]:
                self._fault(line, f"SplitAnte: entity {quote(lacking[0])} has no mention")
            elif {*circle} >= {*pair}:
                self._fault(line, f"SplitAnte: entity {quote(pair[0])} is an element of itself")
        elements = [(number_of[w], number_of[e]) for w, e in pairs if {w, e} <= number_of.keys() - {*circle}]
        return Relations.from_lists(links, elements)

    def _begin_document(self, sentence: Sentence) -> None:
        """Add the document that begins with a sentence, if one does.

        Raises:
            ReadError: two documents begin, or one within a sentence; or none did at the first sentence of the file; or
                there are comments alone.
        """
        first, names, path = sentence.first_line, sentence.new_documents, self._path
        if not sentence.words and not sentence.empty:
            raise ReadError(path, first, "comments without a sentence; expected lines of words after them")
        if not names:
            if not self.documents:
                self.documents.append(OpenDocument(None, -1))
            return
        if len(names) > 1:
            raise ReadError(path, first, "a second document begins here, before the first sentence of another")
        if first + len(sentence.comments) > min([*sentence.lines[:1], *(node.line for node in sentence.empty[:1])]):
            reason = "a document begins within a sentence; expected an empty line before its comments"
            raise ReadError(path, first, reason)
        if self.documents and self.documents[0].line < 0:
            raise ReadError(path, first, "a document begins here, but sentences before it are in no document")
        self.documents.append(OpenDocument(names[0] or None, first))

    def _name_fields(self, value: str, line: int) -> None:
        if self._named is not None and value != self._named:
            self._fault(line, f"global.Entity is {quote(value)} here and {quote(self._named)} before; expected one")
        fields = tuple([OTHER_NAMES.get(name, name) for name in value.split("-")])
        if "eid" not in fields:
            expected = f"expected fields such as {'-'.join(USUAL)}"
            self._fault(line, f"global.Entity is {quote(value)}, without eid; {expected}")
        elif self._named is None:
            self.fields, self._named = fields, value
            self._items.clear()

    def _read_mentions(
        self, rows: list[list[str]], lines: list[int], with_entities: list[int], flat: dict[str, int]
    ) -> None:
        """Read the mentions of a sentence.

        Args:
            rows: the columns of its words and empty nodes.
            lines: their lines.
            with_entities: the rows in whose last column there is an ``Entity``.
            flat: the parts of speech of the ``flat`` children of a word, by its ID.
        """
        opened, mentions, n_before = self._opened, self.documents[-1].mentions, self.n_nodes
        for k in with_entities:
            line, place = lines[k], n_before + k
            misc = rows[k][MISC]
            for item in self._items.get(misc) or self._items_of(misc, line):
                if item.opens:
                    if item.is_usual and item.closes:
                        mentions.append(self._mention(item, line, [(place, place)], rows, flat))
                        continue
                    if item.is_usual:
                        opened.setdefault(item.name, []).append((item, len(mentions), line, place))
                        mentions.append(None)
                    elif not self._open_part(item, line, place):
                        continue
                    if not item.closes:
                        continue
                if not opened.get(item.name):
                    part = self._parts.get(item.name, "")
                    hint = f". Is {quote(part)} meant?" if opened.get(part) else ""
                    reason = f"a mention of entity {quote(item.name)} closes here, but none is open in this sentence"
                    self._fault(line, reason + hint)
                    continue
                opening, number, its_line, first = opened[item.name].pop()
                parts = [(first, place)] if opening.is_usual else self._close_part(opening, (first, place))
                if parts:
                    mentions[number] = self._mention(opening, its_line, parts, rows, flat)
        for opening, _, line, _ in chain.from_iterable(opened.values()):
            reason = f"a mention of entity {quote(opening.entity)} opens here, but does not close in its sentence"
            self._fault(line, reason)
        for begun in self._unfinished.values():
            if len(begun.parts) == begun.n_opened:  # else it was reported as open
                missing = f"part {begun.n_opened + 1} of {begun.first.n_parts} is not in the sentence"
                self._fault(begun.line, f"of the mention of entity {quote(begun.first.entity)}, {missing}")
        self._opened, self._unfinished, self._parts = {}, {}, {}

    def _mention(
        self, opening: Item, line: int, parts: list[tuple[int, int]], rows: list[list[str]], flat: dict[str, int]
    ) -> Mention | None:
        """Return a mention whose parts are all closed; None if its head is beyond them."""
        head = parts[0][0] + (opening.head or 1) - 1
        for (_, last), (first, _) in pairwise(parts) if len(parts) > 1 else ():
            if head > last:
                head += first - last - 1
        if head > parts[-1][1]:
            shown = f"{opening.head} for the mention of entity {quote(opening.entity)} that opens here"
            size = sum(last - first + 1 for first, last in parts)
            self._fault(line, f"the head is word {shown}, which has {size}")
            return None
        columns = rows[head - self.n_nodes]
        upos = UPOS_BIT.get(columns[UPOS_COLUMN], 0) | flat.get(columns[0], 0)
        deps = columns[DEPS] if "." in columns[0] and columns[DEPS] != "_" else ""
        return Mention(opening.entity, line, len(self.documents[-1].sent_ids), parts, head, upos, deps)

    def _read_link(self, name: str, text: str, place: int, line: int, n_before: int) -> None:
        """Read a link at a place; a bridging anaphor is one of the mentions of its sentence, after ``n_before``."""
        antecedent, anaphor, label, fault = link_of(text)
        own = enumerate(self.documents[-1].mentions[n_before:], n_before)
        holding = [
            number
            for number, mention in own
            if mention and mention.entity == anaphor and any(first <= place <= last for first, last in mention.parts)
        ]
        if fault or not (holding or name != "Bridge"):
            fault = fault or f"no mention of {quote(anaphor)} contains this word"
            self._fault(line, f"{name}={quote(text)}: {fault}")
        elif name != "Bridge":
            self.documents[-1].elements.append((anaphor, antecedent, line))
        else:
            self.documents[-1].links.append((holding[-1], antecedent, label or None, line))

    def _items_of(self, misc: str, line: int) -> list[Item]:
        """Return the items in the last column of a line, which are then known; none if they have a problem."""
        values = ENTITY.findall(misc)
        if len(values) > 1:
            self._fault(line, f"Entity twice in one line: {quote(misc)}")
        value = values[0] if values else ""
        items = [item_of(text, self.fields) for text in split_items(value)]
        if NO_ITEM in items:
            reason = "expected items such as (e1-person-1 and e1) and (e1-person-1)"
            self._fault(line, f"Entity={quote(value)}; {reason}")
            return []
        if self._named is None and any(item.opens for item in items):
            self._named, self.without_fields = "-".join(USUAL), line
        if len(values) == 1:
            self._items[misc] = items
        return items

    def _open_part(self, item: Item, line: int, place: int) -> bool:
        """Open a part of a mention; return whether this is possible."""
        begun = self._unfinished.get(item.entity) if item.n_parts > 1 else None
        fault = item.fault or _fault_of_part(item, begun)
        if fault:
            self._fault(line, fault)
            return False
        if begun is None:
            mentions = self.documents[-1].mentions
            begun = Unfinished(item, len(mentions), line)
            mentions.append(None)
            if item.n_parts > 1:
                self._unfinished[item.entity] = begun
        begun.n_opened += 1
        self._parts[item.entity] = item.name
        self._opened.setdefault(item.name, []).append((item, begun.number, begun.line, place))
        return True

    def _close_part(self, item: Item, part: tuple[int, int]) -> list[tuple[int, int]]:
        """Close a part of a mention; return all parts if it is the last one, otherwise none."""
        if item.n_parts == 1:
            return [part]
        begun = self._unfinished[item.entity]
        begun.parts.append(part)
        if len(begun.parts) < item.n_parts:
            return []
        del self._unfinished[item.entity]
        return _without_gaps(begun.parts)


def _fault_of_part(item: Item, begun: Unfinished | None) -> str:
    """Return what is wrong with an item that opens a part, after other parts of its mention; empty if nothing is."""
    if item.part == 1:
        if begun is None:
            return ""
        return f"another mention of entity {quote(item.entity)} begins before all parts of one were read"
    if begun is None:
        return f"{quote(item.name)} without part 1 in its sentence"
    first, following = begun.first, begun.n_opened + 1
    if (following, first.n_parts) != (item.part, item.n_parts) or len(begun.parts) < begun.n_opened:
        expected = f"{item.entity}[{following}/{first.n_parts}]"
        return f"{quote(item.name)} where {quote(expected)} is expected, after the part before is closed"
    if first.head != item.head:
        return f"the head of {quote(item.text)} is {item.head} here and {first.head} in the part before"
    return ""


def _without_gaps(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join the parts of a mention between which no place is missing."""
    joined = parts[:1]
    for first, last in parts[1:]:
        if first > joined[-1][1] + 1:
            joined.append((first, last))
        else:
            joined[-1] = joined[-1][0], last
    return joined


def _upos_of_flat(sentence: Sentence) -> dict[str, int]:
    """Map the ID of a word to the parts of speech of its ``flat`` children, as bits."""
    upos: dict[str, int] = {}
    for columns in [columns for columns in sentence.words if "flat" in columns[DEPREL]]:
        if columns[DEPREL].startswith("flat"):
            upos[columns[HEAD]] = upos.get(columns[HEAD], 0) | UPOS_BIT.get(columns[UPOS_COLUMN], 0)
    return upos


@collector_paused()  # up to where the reader's lists are gone
def read_conllu(data: Content, path: str, options: ReadingOptions) -> Parsed:
    """Read the documents of a CorefUD file.

    A document begins with a ``# newdoc`` comment. A file without any is one document.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it.

    Raises:
        ReadError: a problem of the sentences; or an error, where reading is strict for a problem of the mentions.
    """
    text = bytes(data)
    if not text.isascii():
        decoded(text, path)
    reader = EntityReader(path, options)
    for sentence in read_sentences(text.decode().removeprefix("\ufeff"), path):
        reader.read(sentence)
    parsed = _parsed(reader, path, np.frombuffer(text, np.uint8))
    if not parsed.begins:
        options.problems.error(path, None, "no sentence; expected lines of ten columns with tabs between them")
    if reader.without_fields is not None:
        ids = [*dict.fromkeys(chain.from_iterable(parsed.documents.entities))]
        shown = ", ".join(map(quote, first_names(ids, 3)))
        reason = f"mentions, but no '# global.Entity'; their fields are taken to be {'-'.join(USUAL)}"
        reason += f", so that ids are {shown}"
        options.problems.warning(path, reader.without_fields, reason)
    return parsed


def _parsed(reader: EntityReader, path: str, text: NDArray[np.uint8]) -> Parsed:
    """Lay out the documents as arrays; ``text`` is uint8 (N,) the bytes of the file."""
    documents = reader.documents
    mentions, entities = _mentions(reader)
    begins = tuple([max(document.line, 1) for document in documents])
    lines = np.append(0, np.flatnonzero(text == ord("\n")) + 1)
    starts = np.append(lines[np.array(begins, np.int64) - 1], text.size).tolist()
    texts = [
        ConlluText(
            n_tokens=document.n_words,
            sent_ids=tuple(document.sent_ids),
            data=text[first:stop],
            line=line,
            forms=document.forms,
            fields=reader.fields,
        )
        for document, (first, stop), line in zip(documents, pairwise(starts), begins, strict=True)
    ]
    names, others = [document.name for document in documents], dict[str, Any]()
    if reader.keeps_relations:
        others["relations"] = tuple(map(reader.relations, documents, entities))
    return Parsed(make_documents(path, names, mentions, texts, entities=entities, **others), begins)


def _mentions(reader: EntityReader) -> tuple[Mentions, tuple[tuple[str, ...], ...]]:
    """Lay out the mentions of all documents; and list the ids of the entities of each document."""
    n_words = np.array([document.n_words for document in reader.documents], np.int64)
    before, empty = np.array(reader.empty, np.int64).reshape(-1, 2).T
    nodes = np.insert(ranges(np.ones_like(n_words), n_words) << BITS, before, empty)  # of each place in the file
    kept = [[mention for mention in document.mentions if mention is not None] for document in reader.documents]
    number_of: list[dict[str, int]] = [{} for _ in kept]  # of each entity of a document, in the order of appearance
    entity = [ids.setdefault(m.entity, len(ids)) for ids, own in zip(number_of, kept, strict=True) for m in own]
    _, line, sentence, parts, head, upos, deps = zip(*chain.from_iterable(kept), strict=True) if entity else ((),) * 7
    first, last = np.fromiter(chain.from_iterable(chain.from_iterable(parts)), np.int64).reshape(-1, 2).T
    part_nodes, part_bounds = parts_between(nodes, first, last)
    # Parts become one where a mention leaves out empty nodes alone.
    part_nodes, part_bounds = join_parts(part_nodes, part_bounds[bounds_of(parts)])
    zeros = np.zeros(len(entity), np.int32)
    mentions = Mentions(
        owners(bounds_of(kept)).astype(np.int32),
        zeros,
        zeros,
        np.array(entity, np.int32),
        np.array(line, np.int64),
        parts=part_nodes,
        part_bounds=part_bounds,
        head=nodes[np.array(head, np.int64)],
        sentence=np.array(sentence, np.int64),
        upos=np.array(upos, np.int64),
        deps=np.array(deps, object),
    )
    start, end = (np.maximum(node >> BITS, 1).astype(np.int32) - 1 for node in (mentions.first, mentions.last))
    return replace(mentions, start=start, end=end), tuple(map(tuple, number_of))


@dataclass(eq=False, kw_only=True)
class ConlluText(Text):
    """The text of a document of CoNLL-U.

    Attributes:
        data: uint8 (N,) its bytes.
        line: the line of the file on which it begins, from 1.
        forms: of each sentence with words their forms, with tabs between them.
        fields: the names of a mention's fields in the file.
    """

    data: NDArray[np.uint8]
    line: int
    forms: list[str]
    fields: tuple[str, ...]

    has_words = has_tree = True

    def sentences(self) -> Sentences:
        """Return the words of each sentence."""
        return [forms.split("\t") for forms in self.forms]

    def lines(self) -> list[str]:
        """Return the lines of the document, the first and the last one not empty."""
        return self.data.tobytes().decode().removeprefix("\ufeff").replace("\r\n", "\n").strip("\r\n").split("\n")

    def looks_like(self, other: Text) -> bool:
        """Whether another document of CoNLL-U has the same words in the same sentences."""
        return self is other or (isinstance(other, ConlluText) and self.forms == other.forms)

    def tree(self) -> Ints | None:
        """Return the parent of each word, int64 (W,) from 1 and 0 for none; None if no word has one or 0."""
        return tree_of([columns[HEAD] for columns in sentence.words] for sentence in parsed(self))

    def misc(self) -> Iterator[str]:
        """Yield the last column of each word and empty node."""
        for sentence in parsed(self):
            yield from (columns[MISC] for columns in sentence.words)
            yield from (node.columns[MISC] for node in sentence.empty)

    def types(self) -> dict[str, str]:
        """Return the type of each entity by its id: ``etype`` of its first mention that has one."""
        types: dict[str, str] = {}
        for values in chain.from_iterable(openings(misc, self.fields) for misc in self.misc()):
            eid, _, part = values.get("eid", "").partition("[")
            if (not part or part.startswith("1/")) and values.get("etype"):
                types.setdefault(eid, values["etype"])
        return types

    def cells(self, name: str) -> Cells:
        """Return a column of the words; empty if it says nothing."""
        return self.layers().columns.get(name, [])

    def layers(self) -> Layers:
        """Return what the columns and comments say."""
        sentences = parsed(self)
        columns = {name: [[cells[k] for cells in s.words] for s in sentences] for name, k in IN_CONLLU.items()}
        columns["misc"] = [["|".join(own_items(cell)) or "_" for cell in cells] for cells in columns["misc"]]
        speakers = [[c.removeprefix(SPEAKER) for c in s.comments if c.startswith(SPEAKER)] for s in sentences]
        columns["speakers"] = [
            len(s.words) * (names[:1] or ["_"]) for s, names in zip(sentences, speakers, strict=True)
        ]
        per_sentence: dict[str, list[list[Any]]] = {
            "comments": [[c for c in s.comments if not _OF_FILE.match(c)] for s in sentences],
            "multiword": [[_without_items(token.columns) for token in s.multiword] for s in sentences],
            "empty_nodes": [[_without_items(node.columns) for node in s.empty] for s in sentences],
        }
        of_entities: Counter[str] = Counter()
        for values in chain.from_iterable(openings(misc, self.fields) for misc in self.misc()):
            _, bracket, part = values.get("eid", "").partition("[")
            if not bracket or part.startswith("1/"):
                of_entities["heads of mentions"] += "head" in values
                others = [name for name in self.fields if name not in ("eid", "etype", "head")]
                of_entities["other fields of mentions"] += any(map(values.get, others))
        for item in (item.partition("=")[0] for misc in self.misc() if "=" in misc for item in misc.split("|")):
            if item in ("Bridge", "SplitAnte", "Split"):
                of_entities["bridges" if item == "Bridge" else "split antecedents"] += 1
        return Layers(
            [[cells[FORM] for cells in s.words] for s in sentences],
            informative(columns),
            {name: lists for name, lists in per_sentence.items() if any(lists)},
            of_entities=+of_entities,
        )


@lru_cache(2)  # the last document of each side
def parsed(text: ConlluText) -> list[Sentence]:
    """Return the sentences of a document; lines are numbered from 1 in the document."""
    return [*read_sentences("\n".join(text.lines()), "")]


def openings(misc: str, fields: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the fields of each item in a last column that opens a mention, or a part of one, by their names."""
    for item in split_items("".join(ENTITY.findall(misc))) if "Entity=" in misc else ():
        if item[0] == "(":
            yield dict(zip(fields, item.strip("()").split("-", len(fields) - 1), strict=False))


def _without_items(columns: list[str]) -> list[str]:
    return [*columns[:MISC], "|".join(own_items(columns[MISC])) or "_"]
