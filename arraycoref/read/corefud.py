"""Read CorefUD: CoNLL-U files with the mentions in ``Entity=`` of their last column, empty nodes included.

Words and empty nodes of a sentence, in the order of their numbers, are one sequence. ``(e1-person-2`` opens a mention
of entity e1 in it, whose head is its second node, ``e1)`` closes it. ``e1[1/2]`` is the first of two parts of a mention
with a gap. ``# global.Entity`` names the fields of a mention.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import NamedTuple

from arraycoref.errors import ReadError
from arraycoref.read.conllu import (
    DEPREL,
    DEPS,
    FORM,
    HEAD,
    MISC,
    UPOS as UPOS_COLUMN,
    Sentence,
    empty_node,
    in_order,
)
from arraycoref.read.corefud_items import NO_ITEM, USUAL, Item, Items, split_items
from arraycoref.read.faults import ReadingOptions, quote
from arraycoref.read.mentions import UPOS

OTHER_NAMES = {"GRP": "eid", "entity": "etype"}
"""Older names of fields."""

GLOBAL = re.compile(r"# *global\.Entity *= *(.*)")
SENT_ID = re.compile(r"# *sent_id *= *(.*)")
ENTITY = re.compile(r"(?:\A|\|)Entity=([^|]*)")
UPOS_BIT = {tag: 1 << bit for bit, tag in enumerate(UPOS)}


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
class Document:
    """A document that is being read.

    Attributes:
        name: its name, None if the file does not name it.
        line: the line on which it begins, -1 if the file does not say that it begins.
        n_words: number of words read so far.
        mentions: in the order in which they open; None for one with a fault.
        sent_ids: the ``sent_id`` of each sentence, empty where it has none.
        forms: of each sentence with words their forms, with tabs between them.
    """

    name: str | None
    line: int
    n_words: int = 0
    mentions: list[Mention | None] = field(default_factory=list)
    sent_ids: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)


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
        options: how to read it; its ``on_error`` is called with each fault.

    Attributes:
        documents: those that have begun.
        empty: of each empty node the number of words before it in the file, and the node as in `BITS`.
        n_words: number of words read so far.
        n_nodes: number of words and empty nodes.
        without_fields: the line of the first mention, if the file does not name the fields.
    """

    def __init__(self, path: str, options: ReadingOptions) -> None:
        self._path, self._on_error = path, options.on_error
        self.documents: list[Document] = []
        self.empty: list[tuple[int, int]] = []
        self.without_fields: int | None = None
        self._named: str | None = None  # the fields, as the file names them
        self._items = Items()
        self.n_words = self.n_nodes = 0
        self._opened: dict[str, list[Opening]] = {}  # what is open in the sentence, by name
        self._unfinished: dict[str, Unfinished] = {}  # by entity
        self._parts: dict[str, str] = {}  # name of the part of an entity that was opened last in the sentence

    def _fault(self, line: int, reason: str) -> None:
        self._on_error(ReadError(self._path, line, reason))

    def read(self, sentence: Sentence) -> None:
        """Read a sentence: its mentions, forms and empty nodes are then in the last document."""
        self._begin_document(sentence)
        document, sent_id = self.documents[-1], ""
        for line, comment in enumerate(sentence.comments, sentence.first_line):
            if value := SENT_ID.match(comment):
                sent_id = value[1].rstrip(" ")
            elif value := GLOBAL.match(comment):
                self._name_fields(value[1].rstrip(" "), line)
        rows, lines = in_order(sentence, self._path)
        with_entities = [k for k, columns in enumerate(rows) if "Entity=" in columns[MISC]]
        if with_entities:
            self._read_mentions(rows, lines, with_entities, _upos_of_flat(sentence))
        for node in sentence.empty:
            place = empty_node(document.n_words + node.after, node.number, not node.after)
            self.empty.append((self.n_words + node.after, place))
        document.sent_ids.append(sent_id)
        if sentence.words:
            document.forms.append("\t".join([columns[FORM] for columns in sentence.words]))
        document.n_words += len(sentence.words)
        self.n_words += len(sentence.words)
        self.n_nodes += len(rows)

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
                self.documents.append(Document(None, -1))
            return
        if len(names) > 1:
            raise ReadError(path, first, "a second document begins here, before the first sentence of another")
        if first + len(sentence.comments) > min([*sentence.lines[:1], *(node.line for node in sentence.empty[:1])]):
            reason = "a document begins within a sentence; expected an empty line before its comments"
            raise ReadError(path, first, reason)
        if self.documents and self.documents[0].line < 0:
            raise ReadError(path, first, "a document begins here, but sentences before it are in no document")
        self.documents.append(Document(names[0] or None, first))

    def _name_fields(self, value: str, line: int) -> None:
        if self._named is not None and value != self._named:
            self._fault(line, f"global.Entity is {quote(value)} here and {quote(self._named)} before; expected one")
        fields = tuple([OTHER_NAMES.get(name, name) for name in value.split("-")])
        if "eid" not in fields:
            expected = f"expected fields such as {'-'.join(USUAL)}"
            self._fault(line, f"global.Entity is {quote(value)}, without eid; {expected}")
        elif self._named is None:
            self._items.fields, self._named = fields, value
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
            for item in self._items_of(rows[k][MISC], line):
                if item.opens:
                    if item.is_usual:
                        opened.setdefault(item.name, []).append((item, len(mentions), line, place))
                        mentions.append(None)
                    elif not self._open_part(item, line, place):
                        continue
                    if not item.closes:
                        continue
                if not opened.get(item.name):
                    self._fault_of_closing(item.name, line)
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
        for (_, last), (first, _) in pairwise(parts):
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

    def _items_of(self, misc: str, line: int) -> list[Item]:
        """Return the items in the last column of a line; none if they have a fault."""
        values = ENTITY.findall(misc)
        if len(values) > 1:
            self._fault(line, f"Entity twice in one line: {quote(misc)}")
        value = values[0] if values else ""
        items = [self._items[text] for text in split_items(value)]
        if NO_ITEM in items:
            reason = "expected items such as (e1-person-1 and e1) and (e1-person-1)"
            self._fault(line, f"Entity={quote(value)}; {reason}")
            return []
        if self._named is None and any(item.opens for item in items):
            self._named, self.without_fields = "-".join(USUAL), line
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

    def _fault_of_closing(self, name: str, line: int) -> None:
        part = self._parts.get(name, "")
        hint = f". Is {quote(part)} meant?" if self._opened.get(part) else ""
        self._fault(line, f"a mention of entity {quote(name)} closes here, but none is open in this sentence{hint}")


def entity_types(text: str, items: Items) -> dict[str, str]:
    """Return the type of each entity of a document by its id: ``etype`` of its first mention that has one.

    Args:
        text: the lines of the document.
        items: the items of the file, whose fields are set where a document names them.
    """
    found: dict[str, str] = {}
    if named := GLOBAL.search(text):
        items.fields = tuple([OTHER_NAMES.get(name, name) for name in named[1].rstrip(" ").split("-")])
    for value in re.findall(r"[\t|]Entity=([^|\s]*)", text):
        for item in [items[each] for each in split_items(value)]:
            values = item.text.split("-", len(items.fields) - 1) if item.opens else []
            kind = dict(zip(items.fields, values, strict=False)).get("etype")
            if kind:
                found.setdefault(item.entity, kind)
    return found


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
    for columns in [columns for columns in sentence.words if columns[DEPREL][:4] == "flat"]:
        upos[columns[HEAD]] = upos.get(columns[HEAD], 0) | UPOS_BIT.get(columns[UPOS_COLUMN], 0)
    return upos
