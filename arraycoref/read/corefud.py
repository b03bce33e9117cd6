"""Read CorefUD: CoNLL-U files with the mentions in ``Entity=`` of their last column, empty nodes included.

Words and empty nodes of a sentence, in the order of their numbers, are one sequence. ``(e1-person-2`` opens a mention
of entity e1 in it, whose head is its second node, ``e1)`` closes it. ``e1[1/2]`` is the first of two parts of a mention
with a gap. ``# global.Entity`` names the fields of a mention.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from arraycoref.errors import ReadError
from arraycoref.read.conllu import DEPREL, DEPS, HEAD, MISC, UPOS as UPOS_COLUMN, Sentence
from arraycoref.read.mentions import AT_START, BITS, UPOS
from arraycoref.read.sources import ReadingOptions, quote

USUAL = ("eid", "etype", "head", "other")
"""Fields of a mention in a file without ``# global.Entity``."""

OTHER_NAMES = {"GRP": "eid", "entity": "etype"}
"""Older names of fields."""

GLOBAL = re.compile(r"# *global\.Entity *= *(.*?) *\Z")
SENT_ID = re.compile(r"# *sent_id *= *(.*?) *\Z")
ITEM = re.compile(r"(\()?([^()]+)(\))?")
VALUE = re.compile(r"(?:\([^()]++\)?+|[^()]++\))+")  # items that have a bracket each
PLACE = re.compile(r"[1-9][0-9]{0,8}")
PART = re.compile(r"(.+)\[([0-9]{1,9})/([0-9]{1,9})\]")
UPOS_BIT = {tag: 1 << bit for bit, tag in enumerate(UPOS)}


@dataclass(slots=True, eq=False)
class Mention:
    """A mention that is being read.

    Attributes:
        entity: the id of its entity.
        line: the line on which it opens.
        sentence: its sentence in the document, from 0.
        head: what the file says of its head; None if it says nothing.
        n_parts: of how many parts it consists.
        places: first and last place of each part that was read, in the sequence of the sentence's nodes.
        node: its nodes, once it is complete.
        at_head: the node of its head, its parts of speech and enhanced dependencies; see `arraycoref.read.mentions`.
    """

    entity: str
    line: int
    sentence: int
    head: str | None
    n_parts: int
    places: list[list[int]] = field(default_factory=list)
    node: list[int] = field(default_factory=list)
    at_head: tuple[int, int, str] = (0, 0, "")


@dataclass(slots=True, eq=False)
class Document:
    """A document that is being read.

    Attributes:
        name: its name, None if the file does not name it.
        line: the line on which it begins.
        n_words: number of words read so far.
        mentions: in the order in which they open, also those that turn out to be faulty.
        sentences: the ``sent_id`` of each sentence.
    """

    name: str | None
    line: int
    n_words: int = 0
    mentions: list[Mention] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


def begin_documents(sentence: Sentence, documents: list[Document], path: str) -> None:
    """Add the document that begins with a sentence, if one does.

    Raises:
        ReadError: two documents begin, or one within a sentence; or none did at the first sentence of the file; or
            there are comments alone.
    """
    first, names = sentence.first_line, sentence.new_documents
    if not sentence.words and not sentence.empty:
        raise ReadError(path, first, "comments without a sentence; expected lines of words after them")
    if len(names) > 1:
        raise ReadError(path, first, "a second document begins here, before the first sentence of another")
    first_node = min([*sentence.lines[:1], *(node.line for node in sentence.empty[:1])])
    if names and first + len(sentence.comments) > first_node:
        raise ReadError(path, first, "a document begins within a sentence; expected an empty line before its comments")
    if names and documents and documents[0].line < 0:
        raise ReadError(path, first, "a document begins here, but sentences before it are in no document")
    if names or not documents:
        documents.append(Document(names[0] or None if names else None, first if names else -1))


class EntityReader:
    """Reads the mentions of the sentences of a file, one sentence after the other.

    Args:
        path: name of the file.
        options: how to read it; its ``on_error`` is called with each fault.

    Attributes:
        fields: the names of a mention's fields; empty until the file has named them, or has a mention.
        without_fields: the line of the first mention, if the file does not name the fields.
    """

    def __init__(self, path: str, options: ReadingOptions) -> None:
        self._path, self._on_error = path, options.on_error
        self.fields: tuple[str, ...] = ()
        self._named: str | None = None
        self._read_before: dict[str, tuple[str, str, int, int, str | None]] = {}
        self.without_fields: int | None = None

    def _fault(self, line: int, reason: str) -> None:
        self._on_error(ReadError(self._path, line, reason))

    def read(self, sentence: Sentence, document: Document) -> None:
        """Read a sentence and add its mentions to the document."""
        document.sentences.append("")
        for line, comment in enumerate(sentence.comments, sentence.first_line):
            if found := GLOBAL.match(comment):
                self._name_fields(found[1], line)
            elif found := SENT_ID.match(comment):
                document.sentences[-1] = found[1]
        if any("Entity=" in columns[MISC] for columns in sentence.words) or sentence.empty:
            self._read_mentions(sentence, document)
        document.n_words += len(sentence.words)

    def _name_fields(self, value: str, line: int) -> None:
        if self._named is not None and value != self._named:
            self._fault(line, f"global.Entity is {quote(value)} here and {quote(self._named)} before; expected one")
        fields = tuple([OTHER_NAMES.get(name, name) for name in value.split("-")])
        if "eid" not in fields:
            self._fault(
                line, f"global.Entity is {quote(value)}, without eid; expected fields such as {'-'.join(USUAL)}"
            )
        elif self._named is None:
            self.fields, self._named = fields, value
            self._read_before.clear()

    def _read_mentions(self, sentence: Sentence, document: Document) -> None:
        sequence = list(nodes_in_order(sentence, document.n_words, self._path))
        flat = _upos_of_flat(sentence)
        opened: dict[str, list[Mention]] = {}
        unfinished: dict[str, Mention] = {}  # mentions of several parts, by entity
        for place, (_, line, columns) in enumerate(sequence):
            if "Entity=" not in columns[MISC]:
                continue
            for opens, text, closes in self._items(columns[MISC], line):
                name = self._open(text, place, line, document, opened, unfinished) if opens else text
                if closes and name:
                    mention = self._close(name, place, line, opened, unfinished)
                    if mention is not None:
                        self._complete(mention, sequence, flat)
        for mention in chain.from_iterable(opened.values()):
            reason = f"a mention of entity {quote(mention.entity)} opens here, but does not close in its sentence"
            self._fault(mention.line, reason)
        for mention in unfinished.values():
            if all(last >= 0 for _, last in mention.places):  # else it was reported as open
                missing = f"part {len(mention.places) + 1} of {mention.n_parts} is not in the sentence"
                self._fault(mention.line, f"of the mention of entity {quote(mention.entity)}, {missing}")

    def _items(self, misc: str, line: int) -> Iterator[tuple[str, str, str]]:
        """Yield the items of a line: the bracket that opens a mention, or nothing; the text; the one that closes it."""
        values = [each[7:] for each in misc.split("|") if each.startswith("Entity=")]
        if len(values) > 1:
            self._fault(line, f"Entity twice in one line: {quote(misc)}")
        for value in values[:1]:
            if value and not VALUE.fullmatch(value):
                reason = "expected items such as (e1-person-1 and e1) and (e1-person-1)"
                self._fault(line, f"Entity={quote(value)}; {reason}")
            else:
                yield from ITEM.findall(value)

    def _open(
        self,
        text: str,
        place: int,
        line: int,
        document: Document,
        opened: dict[str, list[Mention]],
        unfinished: dict[str, Mention],
    ) -> str:
        """Open a mention, or a further part of one; return what closes it, nothing if it is faulty."""
        if self._named is None:
            self.fields, self._named, self.without_fields = USUAL, "-".join(USUAL), line
        if text not in self._read_before:
            self._read_before[text] = _fields_of(text, self.fields)
        name, entity, part, n_parts, head = self._read_before[text]
        if name and part == n_parts == 1 and (head is None or PLACE.fullmatch(head)):  # most mentions
            mention = Mention(entity, line, len(document.sentences) - 1, head, 1, [[place, -1]])
            document.mentions.append(mention)
            opened.setdefault(name, []).append(mention)
            return name
        reason = ""
        if not name:
            reason = f"a mention {quote(text)} without an entity"
        elif head is not None and not PLACE.fullmatch(head):
            reason = f"the head of {quote(text)} is {quote(head)}; expected 1, 2, ..., a place in the mention"
        elif not 1 <= part <= n_parts:
            reason = f"{quote(name)} is part {part} of {n_parts}"
        elif part == 1 and n_parts > 1 and entity in unfinished:
            reason = f"another mention of entity {quote(entity)} begins before all parts of one were read"
        elif part > 1:
            begun = unfinished.get(entity)
            if begun is None:
                reason = f"{quote(name)} without part 1 in its sentence"
            elif (len(begun.places) + 1, begun.n_parts) != (part, n_parts) or begun.places[-1][1] < 0:
                expected = f"{entity}[{len(begun.places) + 1}/{begun.n_parts}]"
                reason = f"{quote(name)} where {quote(expected)} is expected, after the part before is closed"
            elif begun.head != head:
                reason = f"the head of {quote(text)} is {head} here and {begun.head} in the part before"
        if reason:
            self._fault(line, reason)
            return ""
        if part == 1:
            mention = Mention(entity, line, len(document.sentences) - 1, head, n_parts)
            document.mentions.append(mention)
            if n_parts > 1:
                unfinished[entity] = mention
        else:
            mention = unfinished[entity]
        mention.places.append([place, -1])
        opened.setdefault(name, []).append(mention)
        return name

    def _close(
        self, name: str, place: int, line: int, opened: dict[str, list[Mention]], unfinished: dict[str, Mention]
    ) -> Mention | None:
        """Close the mention or part of this name that was opened last; return it if it is complete."""
        if not opened.get(name):
            part = next((each for each in opened if opened[each] and each.startswith(f"{name}[")), "")
            hint = f". Is {quote(part)} meant?" if part else ""
            self._fault(line, f"a mention of entity {quote(name)} closes here, but none is open in this sentence{hint}")
            return None
        mention = opened[name].pop()
        mention.places[-1][1] = place
        if len(mention.places) < mention.n_parts:
            return None
        if mention.n_parts > 1:
            del unfinished[mention.entity]
        return mention

    def _complete(self, mention: Mention, sequence: list[tuple[int, int, list[str]]], flat: dict[str, int]) -> None:
        """Find the nodes and the head of a mention whose parts are all closed."""
        (first, last), *others = mention.places
        places: Sequence[int] = range(first, last + 1)
        if others:
            places = sorted({each for first, last in mention.places for each in range(first, last + 1)})
        head = 1 if mention.head is None else int(mention.head)
        if head > len(places):
            shown = f"{head} for the mention of entity {quote(mention.entity)} that opens here"
            self._fault(mention.line, f"the head is word {shown}, which has {len(places)}")
            return
        node, _, columns = sequence[places[head - 1]]
        is_empty = node & ((1 << BITS) - 1)
        upos = UPOS_BIT.get(columns[UPOS_COLUMN], 0) | flat.get(columns[0], 0)
        mention.at_head = node, upos, columns[DEPS] if is_empty and columns[DEPS] != "_" else ""
        mention.node = [sequence[each][0] for each in places]


def _fields_of(text: str, fields: Sequence[str]) -> tuple[str, str, int, int, str | None]:
    """Return what an item says that opens a mention: its name, entity, part, number of parts, and head or None."""
    values = dict(zip(fields, text.split("-", len(fields) - 1), strict=False))
    name, head = values.get("eid", ""), values.get("head")
    found = PART.fullmatch(name)
    entity, part, n_parts = (found[1], int(found[2]), int(found[3])) if found else (name, 1, 1)
    return name, entity, part, n_parts, head


def nodes_in_order(sentence: Sentence, n_before: int, path: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the node, the line and the columns of each word and each empty node of a sentence, in order.

    Args:
        sentence: the sentence.
        n_before: number of words in the document before it.
        path: name of the file.
    """
    if not sentence.empty:
        first = n_before + 1
        nodes = range(first << BITS, (first + len(sentence.words)) << BITS, 1 << BITS)
        yield from zip(nodes, sentence.lines, sentence.words, strict=True)
        return
    behind = iter(sentence.empty)
    empty = next(behind, None)
    lines = [0, *sentence.lines, sys.maxsize]
    for word in range(len(sentence.words) + 1):
        if word:
            yield (n_before + word) << BITS, sentence.lines[word - 1], sentence.words[word - 1]
        last = 0
        while empty is not None and empty.after == word:
            between = lines[word] < empty.line < lines[word + 1]
            if not (last < empty.number < AT_START and between):
                reason = f"the empty node {empty.columns[0]!r}; expected it behind word {word}, numbers rising from .1"
                raise ReadError(path, empty.line, reason)
            last = empty.number
            yield (n_before + word) << BITS | last | (0 if word else AT_START), empty.line, empty.columns
            empty = next(behind, None)
    if empty is not None:
        raise ReadError(path, empty.line, f"the empty node {empty.columns[0]!r}, but its sentence has no such word")


def _upos_of_flat(sentence: Sentence) -> dict[str, int]:
    """Map the number of a word to the parts of speech of its ``flat`` children, as bits."""
    found: dict[str, int] = {}
    for columns in sentence.words:
        if columns[DEPREL].startswith("flat"):
            found[columns[HEAD]] = found.get(columns[HEAD], 0) | UPOS_BIT.get(columns[UPOS_COLUMN], 0)
    return found
