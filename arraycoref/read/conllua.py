"""Read CoNLL-UA, the files of Universal Anaphora: a line for each word, with mentions in one column, links in another.

In the column IDENTITY, ``(EntityID=1|MarkableID=m1|Min=2`` opens a mention of entity 1, and ``)`` closes the mention
that was opened last; an item of one word ends with its ``)``. A MarkableID that opens again is a further part of its
mention. DISCOURSE_DEIXIS is a second clustering in the same grammar; BRIDGING has links between mentions of IDENTITY.

Source: the format of Universal Anaphora, version 1.1 (2024); and the files of the shared tasks CODI-CRAC 2021 and 2022,
which differ from it in a few places. Both are read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from arraycoref.ragged import bounds_of, owners, sum_by
from arraycoref.read.conllu import ID, NEWDOC, empty_node
from arraycoref.read.documents import Parsed, Text, make_documents
from arraycoref.read.layers import IN_CONLLU, PER_SENTENCE, Layers, informative
from arraycoref.read.mentions import BITS, EMPTY, Mentions, join_parts
from arraycoref.read.problems import ReadingOptions, collector_paused, quote
from arraycoref.read.relations import Relations, first_circle
from arraycoref.runtime import Content, decoded

IDENTITY, BRIDGING = "IDENTITY", "BRIDGING"
OF_CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
COLUMNS = (*OF_CONLLU, IDENTITY, BRIDGING, "DISCOURSE_DEIXIS", "REFERENCE", "NOM_SEM")
"""The columns of a file without ``# global.columns``."""

KEPT = {name: OF_CONLLU[place] for name, place in IN_CONLLU.items() if name not in ("head", "deprel", "deps")}
"""The columns that writers get, by their names in `Layers`; IDs, and so trees, run through a document here."""

GLOBAL = re.compile(r"# *global\.columns *= *(.*)")
_CELLS = re.compile(r"[^ \t\r]+").findall
_ITEM = re.compile(r"@?(?:\(([^()@]*)(\)?)|([^()@]*)\)|([^()@]+))")
_MINIMUM = re.compile(r"([0-9]{1,9})(?:[,-]([0-9]{1,9}))?")


class Markable(NamedTuple):
    """A mention that is being read.

    Attributes:
        entity: the id of its entity.
        line: the line on which it opens.
        minimum: first and last word of its minimum span, from 1 in the document; zeros for none, -1 for no words.
        parts: first and last node of each part that was closed.
    """

    entity: str
    line: int
    minimum: tuple[int, int]
    parts: list[tuple[int, int]]


@dataclass(slots=True, eq=False)
class MarkedDocument:
    """A document that is being read.

    Attributes:
        name: its name; None if the file does not name it.
        line: the line on which it begins.
        columns: the names of its columns.
        layer: the column of the mentions.
        has_links: whether to read BRIDGING.
        fault: called with the line of an error, and what is wrong.
        notes: counts what has no effect, by a noun and what is said of it.
        sentences: the cells of each sentence by column, and what `Layers` have per sentence.
        unread: how many cells say something in each column that is not read.
        n_words: number of words so far.
        n_zeros: number of empty nodes since the last word.
        mentions: by their ids, in the order in which they open.
        opened: mentions that are open, by their ids: mention, or None for an item with an error, id, line and node.
        elements: the id of an entity, that of one of its elements, and the line.
        links: the fields of each item of BRIDGING.
        entities: numbers of the entities, by their ids.
    """

    name: str | None
    line: int
    columns: tuple[str, ...]
    layer: str
    has_links: bool
    fault: Callable[[int, str], None]
    notes: Counter[tuple[str, str]]
    sentences: list[dict[str, list[Any]]] = field(default_factory=lambda: [defaultdict(list)])
    unread: Counter[str] = field(default_factory=Counter)
    n_words: int = 0
    n_zeros: int = 0
    mentions: dict[str, Markable] = field(default_factory=dict)
    opened: dict[object, tuple[Markable | None, str, int, int]] = field(default_factory=dict)
    elements: list[tuple[str, str, int]] = field(default_factory=list)
    links: list[dict[str, str]] = field(default_factory=list)
    entities: dict[str, int] = field(default_factory=dict)

    def add(self, line: int, text: str) -> None:
        """Read a line."""
        cells, sentence = dict(zip(self.columns, _CELLS(text), strict=False)), self.sentences[-1]
        if not cells or text[0] == "#":
            sentence["comments"] += [text.strip()] if cells else []
            self.sentences += [] if cells or not sentence["FORM"] else [defaultdict(list)]
            return
        id = ID.fullmatch(cells.get("ID", ""))
        if id is None or self.layer not in cells:
            what = f"no {self.layer if id else 'ID such as 3, 3-4 or 3.1'} in {quote(text)}"
            self.fault(line, f"{what}; expected the columns {' '.join(self.columns)}")
        sign = id[2] if id else ""
        self.unread.update([name for name, cell in cells.items() if cell != "_"] if sign != "-" else ["multiword"])
        if sign == "-":
            return
        if sign == ".":
            self.n_zeros += 1
            node = empty_node(self.n_words, self.n_zeros, not self.n_words)
            sentence = next((s for s in reversed(self.sentences) if s["FORM"]), sentence)  # as none begins with one
            row = [cells.get(name, "_") if name in KEPT.values() else "_" for name in OF_CONLLU]
            sentence["empty_nodes"].append(
                [f"{len(sentence['FORM'])}.{self.n_zeros}", cells.get("FORM", "_"), *row[2:]]
            )
        else:
            self.n_words, self.n_zeros = self.n_words + 1, 0
            node = self.n_words << BITS
            for name in ("FORM", *KEPT.values()):
                sentence[name].append(cells.get(name, "_"))
        for item in _ITEM.finditer(cells.get(self.layer, "").strip("_")):
            fields, end, name, odd = item.groups()
            if odd:
                expected = "expected items such as (EntityID=1|MarkableID=m1 and )"
                self.fault(line, f"{quote(odd)} in {self.layer} {quote(cells[self.layer])}; {expected}")
            elif fields is not None:
                self._open(line, fields, node)
            if end or name is not None:
                self._close(line, name or "", node)
        items = _ITEM.findall(cells.get(BRIDGING, "")) if self.has_links else ()
        self.links += [_fields(fields) for fields, *_ in items if fields]

    def _open(self, line: int, text: str, node: int) -> None:
        """Open a mention, or a further part of one."""
        fields, fault = _fields(text), ""
        id, entity, minimum = (fields.get(name, "") for name in ("markableid", "entityid", "min"))
        words = _MINIMUM.fullmatch(minimum or "0")
        span = (int(words[1]), int(words[2] or words[1])) if words else (-1, -1)
        mention = self.mentions.setdefault(id, Markable(entity, line, span, []))
        if not id or not entity:
            fault = f"an item without {'EntityID' if id else 'MarkableID'}: {quote(text)}"
        elif mention.entity != entity:
            also = f"in entity {quote(mention.entity)} on line {mention.line}"
            fault = f"the mention {quote(id)} is in entity {quote(entity)} here, and {also}"
        elif id in self.opened:
            fault = f"the mention {quote(id)} opens again before it closes"
        if fault:
            self.fault(line, fault)
        else:
            self.elements += [(whole, entity, line) for whole in fields.get("elementof", "").split(",") if whole]
        self.opened[id if id not in self.opened else object()] = None if fault else mention, id, line, node

    def _close(self, line: int, name: str, node: int) -> None:
        """Close the mention that was opened last, or the one of an id."""
        if not self.opened or (name and name not in self.opened):
            self.fault(line, f"{f'the mention {quote(name)}' if name else 'a mention'} closes here, but is not open")
            return
        mention, id, begins, first = self.opened.pop(name) if name else self.opened.popitem()[1]
        if first != node and (first | node) & EMPTY:
            self.fault(begins, f"the mention {quote(id)} begins or ends at an empty node, and has more than that node")
        elif mention is not None:
            mention.parts.append((first, node))

    def end(self) -> Relations:
        """Drop mentions that never close, number the entities, and return what the document says beside identity."""
        for _, id, line, _ in self.opened.values():
            self.fault(line, f"the mention {quote(id)} opens here, but never closes")
        self.mentions = {id: mention for id, mention in self.mentions.items() if mention.parts}
        ids = dict.fromkeys(mention.entity for mention in self.mentions.values())
        self.entities = entities = {entity: k for k, entity in enumerate(ids)}
        number, links = {id: m for m, id in enumerate(self.mentions)}, {}
        for fields in self.links:
            anaphor, anchor, entity = (fields.get(k, "") for k in ("markableid", "mentionanchor", "entityanchor"))
            entity = self.mentions[anchor].entity if anchor in number else entity * (not anchor)
            if anaphor in number and entity in entities:
                links[anaphor] = number[anaphor], number.get(anchor, -1), entities[entity], fields.get("rel")
        elements = [(whole, element) for whole, element, _ in self.elements if entities.keys() >= {whole, element}]
        self.notes["ElementOf", "an entity that is not there: ignored"] += len(self.elements) - len(elements)
        if circle := first_circle(elements):
            line = next(line for *pair, line in self.elements if {*circle} >= {*pair})
            self.fault(line, f"entity {quote(circle[0])} is an element of itself, as ElementOf leads in a circle")
            elements = []
        named = [entity for entity in entities if entity.lower().endswith("pseudo")]
        pseudo = [entities[entity] for entity in named if entity.endswith("-Pseudo")]
        self.notes["link", "of a mention that is not there or has another: ignored"] += len(self.links) - len(links)
        self.notes["entity", "named pseudo, but not -Pseudo: counted like others"] += len(named) - len(pseudo)
        return Relations.from_lists(links.values(), [(entities[w], entities[e]) for w, e in elements], pseudo)

    def text(self) -> Text:
        """Return the words, with what the columns say of them and CoNLL-U can hold."""
        sentences = [sentence for sentence in self.sentences if sentence["FORM"]]
        forms = [sentence["FORM"] for sentence in sentences]
        columns = informative({name: [sentence[column] for sentence in sentences] for name, column in KEPT.items()})
        per_sentence = {name: [sentence[name] for sentence in sentences] for name in PER_SENTENCE}
        is_read = {"ID", "FORM", *KEPT.values(), self.layer, IDENTITY, *[BRIDGING] * self.has_links}
        unread = {f"column {name}": n for name, n in self.unread.items() if name not in is_read}
        return Text(forms, self.n_words, said=Layers(forms, columns, per_sentence, unread))


def _fields(item: str) -> dict[str, str]:
    """Return the fields of an item; their names, which are written in several ways, in lower case without ``_``."""
    fields = (part.partition("=") for part in item.split("|"))
    return {name.lower().replace("_", ""): value for name, _, value in fields}


@collector_paused()
def read_conllua(data: Content, path: str, options: ReadingOptions) -> Parsed:
    """Read the documents of a file.

    Args:
        data: the bytes of the file.
        path: its name, for messages.
        options: how to read it; ``layer`` or ``column`` say which column has the mentions, if not IDENTITY.

    Raises:
        ReadError: text that is not UTF-8; or an error, where reading is strict.
    """
    documents, notes, columns = list[MarkedDocument](), Counter[tuple[str, str]](), COLUMNS
    fault = partial(options.problems.error, path)
    for number, line in enumerate(decoded(bytes(data), path).removeprefix("\ufeff").split("\n"), 1):
        begins = NEWDOC.match(line)
        if header := GLOBAL.match(line):
            columns = tuple(header[1].split())
        elif begins or (not documents and _CELLS(line) and line[0] != "#"):
            name = begins[1].strip() if begins else ""
            if not name:
                fault(number, "a document without a name; expected '# newdoc id = NAME' before its words")
            places = {n: name for k, name in enumerate(columns) for n in (k + 1, k - len(columns))}
            layer = IDENTITY if options.column is None else places.get(options.column, str(options.column))
            has_links = options.keep_relations and (options.layer or layer) == IDENTITY
            layer = options.layer or layer
            documents.append(MarkedDocument(name or None, number, columns, layer, has_links, fault, notes))
        if documents and not begins and not header:
            documents[-1].add(number, line)
    if not documents:
        options.problems.error(path, None, "no document; expected '# newdoc id = NAME' and lines of words")
    relations = tuple([document.end() for document in documents])
    mentions = _mentions(documents, notes)
    for (noun, what), n in (+notes).items():
        options.problems.note(path, n, noun, what)
    texts = [document.text() for document in documents]
    entities, names = tuple([tuple(document.entities) for document in documents]), [d.name for d in documents]
    made = make_documents(path, names, mentions, texts, entities=entities, relations=relations)
    return Parsed(made, tuple([document.line for document in documents]))


def _mentions(documents: list[MarkedDocument], notes: Counter[tuple[str, str]]) -> Mentions:
    """Lay out the mentions of all documents."""
    kept = [*chain.from_iterable(document.mentions.values() for document in documents)]
    sorted_parts = [sorted(mention.parts) for mention in kept]
    nodes = np.array([*chain.from_iterable(sorted_parts)], np.int64).reshape(-1, 2)
    parts, part_bounds = join_parts(nodes, bounds_of(sorted_parts))
    first, last = parts[part_bounds[:-1], 0], parts[part_bounds[1:] - 1, 1]
    low, high = np.array([mention.minimum for mention in kept], np.int64).reshape(-1, 2).T
    of_part = owners(part_bounds)
    is_inside = (parts[:, 0] <= low[of_part] << BITS) & (high[of_part] << BITS <= parts[:, 1])
    has_minimum = (low <= high) & (sum_by(is_inside, part_bounds) > 0)
    notes["mention", "with a minimum span that is not in it: ignored"] += int(((low != 0) & ~has_minimum).sum())
    start, end = (np.maximum(node >> BITS, 1).astype(np.int32) - 1 for node in (first, last))
    columns: dict[str, Any] = {}
    if len(parts) > len(kept) or (parts & EMPTY).any():
        columns = {"parts": parts, "part_bounds": part_bounds}
    if (parts & EMPTY).any():  # only of mentions of one node the head is known
        columns["head"] = np.where(first == last, first, 0)
    if has_minimum.any():
        columns["minimum"] = np.where(has_minimum, low - (first >> BITS) << 32 | high - low + 1, 0)
    document = owners(bounds_of([document.mentions for document in documents])).astype(np.int32)
    entity = [d.entities[mention.entity] for d in documents for mention in d.mentions.values()]
    lines = np.array([mention.line for mention in kept], np.int64)
    return Mentions(document, start, end, np.array(entity, np.int32), lines, **columns)
