"""Write CorefUD: the lines of CoNLL-U files with other mentions in ``Entity=`` of their last column.

A mention is written in as many parts as it has without a gap, in the sequence of words and empty nodes: ``(e1--2`` and
``e1)`` round one part, ``(e1[1/2]--2)`` and ``(e1[2/2]--2)`` for two parts of one word each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import InputError
from arraycoref.ragged import Ints
from arraycoref.read.conllu import MISC, NEWDOC, nodes_in_order, read_sentences
from arraycoref.read.corefud import GLOBAL, ConlluText
from arraycoref.read.documents import Documents
from arraycoref.read.layers import IN_CONLLU, PER_SENTENCE, SPEAKER, Layers, one_line, own_items, speaker_of
from arraycoref.read.mentions import EMPTY
from arraycoref.read.problems import ProblemLog
from arraycoref.read.relations import Relations

_NO_TYPE = re.compile(r"[-()|=\s]+")
"""What a type of entities in ``Entity=`` cannot have."""

_NO_LABEL = re.compile(r"[,|=\s]+")


class Written(NamedTuple):
    """A mention as it is written.

    Attributes:
        entity: number of its entity in the document.
        head: place of its head among its words and empty nodes, from 1; 0 if it is not known.
        parts: first and last place of each part in the document's sequence of words and empty nodes.
        occurrence: its number in the documents.
    """

    entity: int
    head: int
    parts: list[tuple[int, int]]
    occurrence: int


def corefud_blocks(
    documents: Documents, layers: Callable[[int], Layers | None], problems: ProblemLog
) -> Iterator[bytes]:
    """Yield the lines of each document with its mentions, entities as e1, e2, ... through all documents.

    Args:
        documents: D documents with words; `arraycoref.match.on_words` brings others on such text. Heads of mentions
            are written where they are known.
        layers: what their files say of each; None without words.
        problems: what is done with the first mention of each kind that cannot be written; they are left out.

    Raises:
        InputError: a document without words.
        ReadError: such a mention, where writing is strict.
    """
    mentions, texts = documents.mentions, documents.text
    for d, file in enumerate(documents.files):
        if not (isinstance(texts[d], ConlluText) or texts[d].sentences()):
            raise InputError(
                f"{file}: no text of document {documents.names[d]!r}, which CoNLL-U needs; words=FILE has it", "words"
            )
    fields = "# global.Entity = eid-etype" + "-head" * (mentions.head is not None)
    left_out: dict[str, list[int]] = defaultdict(list)
    kept = [_mentions(documents, d, _lines(documents, d, layers), left_out) for d in range(len(documents))]
    for reason, (m, *later) in left_out.items():
        d, line = int(mentions.document[m]), int(mentions.line[m]) or None
        mention = f"document {documents.shown(d)}: the mention of tokens {mentions.start[m]}-{mentions.end[m]}"
        all_such = f"lenient leaves out all such mentions, {1 + len(later):,} here"
        what = f"{mention} {reason}, which CoNLL-U cannot hold; {all_such}"
        problems.error(documents.files[d], line, what, "lenient")
    n_entities = 0
    for d, written in enumerate(kept):
        types = {who: next(filter(None, of_entity), "") for who, of_entity in documents.types_of(d).items()}
        kinds = {who: _NO_TYPE.sub("_", kind) for who, kind in types.items()}
        items = _items(written, n_entities, kinds, has_heads=mentions.head is not None)
        if documents.relations and (relations := documents.relations[d]) is not None:
            path = "" if isinstance(texts[d], ConlluText) else documents.files[d]  # `Layers` say it of CoNLL-U
            note = partial(problems.note, path)
            items = _with_relations(items, written, mentions.number, relations, n_entities, note)
        yield "\n".join([*_with_items(_lines(documents, d, layers), items, fields), "\n"]).encode()
        n_entities += 1 + max((mention.entity for mention in written), default=-1)


def crossing(
    start: NDArray[np.integer], end: NDArray[np.integer], entity: NDArray[np.integer]
) -> Iterator[tuple[int, int]]:
    """Yield each mention that crosses another one of its entity, after that one, which brackets cannot show.

        >>> list(crossing(np.array([0, 1, 2]), np.array([2, 3, 3]), np.array([5, 5, 5])))
        [(0, 1)]

    Args:
        start: int (M,) first token of each mention.
        end: int (M,) last token, inclusive.
        entity: int (M,)

    Yields:
        Two places in 0..M-1. The second one is from then on skipped.
    """
    order = np.lexsort((-end.astype(np.int64), start, entity))
    stack: list[tuple[int, int]] = []
    last = -1
    rows = zip(order.tolist(), *(column[order].tolist() for column in (start, end, entity)), strict=True)
    for m, first, final, who in rows:
        if who != last:
            stack, last = [], who
        while stack and (stack[-1][0] < first or (stack[-1][0] == first and first < final)):
            stack.pop()
        if stack and stack[-1][0] < final:
            yield stack[-1][1], m
        else:
            stack.append((final, m))


def _lines(documents: Documents, d: int, layers: Callable[[int], Layers | None]) -> list[str]:
    """Return the lines of a document, the first and the last one not empty; made of its words if it has none."""
    text = documents.text[d]
    return text.lines() if isinstance(text, ConlluText) else list(_made(layers(d) or Layers([]), documents.names[d]))


def _made(layers: Layers, name: str) -> Iterator[str]:
    """Yield the lines of a document that is not from CoNLL-U; a sentence has one speaker, or none is written."""
    yield f"# newdoc id = {one_line(name)}"
    for s, words in enumerate(layers.sentences):
        if s:
            yield ""
        comments, multiword, empty_nodes = (layers.per_sentence.get(name, [])[s : s + 1] for name in PER_SENTENCE)
        yield from (comment for listed in comments for comment in listed)
        if speaker := speaker_of(layers.columns["speakers"][s] if "speakers" in layers.columns else ()):
            yield f"{SPEAKER}{one_line(speaker)}"
        lines = [((k, 1), ["_"] * (MISC + 1)) for k in range(1, len(words) + 1)]
        for (_, columns), (k, word) in zip(lines, enumerate(words), strict=True):
            columns[:2] = str(k + 1), one_line(word)
            for column, place in IN_CONLLU.items():
                if column in layers.columns:
                    columns[place] = one_line(layers.columns[column][s][k])
        for columns in (columns for listed in (*multiword, *empty_nodes) for columns in listed):
            first, sign, _ = re.split("([-.]|$)", columns[0], maxsplit=1)
            lines.append(((int(first) if first.isdigit() else 0, 2 * (sign == ".")), [*map(one_line, columns)]))
        yield from ("\t".join(columns) for _, columns in sorted(lines, key=lambda line: line[0]))


def _mentions(documents: Documents, d: int, lines: list[str], left_out: dict[str, list[int]]) -> list[Written]:
    """Find the parts of the mentions of a document; add those that cannot be written to ``left_out``, by the reason."""
    mentions = documents.mentions
    sequence = np.array([*nodes_in_order(read_sentences("\n".join(lines), ""))], np.int64).reshape(-1, 2)
    written: list[Written] = []
    head_nodes = mentions.head if mentions.head is not None else mentions.first
    for m in range(documents.offsets[d], documents.offsets[d + 1]):
        places = _places(sequence[:, 0], mentions.parts_of(m))
        if places.size < mentions.size[m]:
            left_out["has a word or an empty node that the key lacks"].append(m)
        elif sequence[places[0], 1] != sequence[places[-1], 1]:
            left_out["is in two sentences"].append(m)
        else:
            cuts = np.flatnonzero(np.diff(places) > 1)
            parts = zip(places[[0, *(cuts + 1)]].tolist(), places[[*cuts, -1]].tolist(), strict=True)
            head = int((sequence[places, 0] == head_nodes[m]).argmax()) + 1 if head_nodes[m] else 0
            written.append(Written(int(mentions.entity[m]), head, [*parts], m))
    whole = [mention for mention in written if len(mention.parts) == 1]
    columns = np.array([(*mention.parts[0], mention.entity) for mention in whole], np.int64).reshape(-1, 3).T
    odd = {whole[m].occurrence for _, m in crossing(*columns)}
    ended: dict[int, int] = {}  # last place of an entity's mentions in parts, which may not begin before others end
    for mention in sorted(written, key=lambda mention: mention.parts):
        if len(mention.parts) > 1:
            if mention.parts[0][0] <= ended.get(mention.entity, -1):
                odd.add(mention.occurrence)
            else:
                ended[mention.entity] = mention.parts[-1][1]
    if odd:
        left_out["crosses another one of its entity, or both have gaps"] += sorted(odd)
    return [mention for mention in written if mention.occurrence not in odd]


def _places(sequence: Ints, parts: Ints) -> Ints:
    """Return the places of the nodes of a mention's parts in a sequence of nodes, without those that it lacks."""
    places = []
    for first, last in parts.tolist():
        begin, stop = sequence.searchsorted(first), sequence.searchsorted(last, "right")
        is_of_part = (sequence[begin:stop] & EMPTY != 0) == (first & EMPTY != 0)
        places.append(begin + np.flatnonzero(is_of_part))
    return np.concatenate(places)


def _items(mentions: list[Written], n_entities: int, kinds: Mapping[int, str], *, has_heads: bool) -> dict[int, str]:
    """Return ``Entity=`` of each place at which a mention begins or ends; kinds are types of entities.

    Readers close the mention that was opened last, so that of two that open at one place the longer one is first. The
    UD validator wants mentions of one word before those that close, or else after those that open.
    """
    opening, closing, single = (defaultdict[int, list[tuple[int, int, str]]](list) for _ in range(3))
    for entity, head, parts, _ in mentions:
        for number, (first, last) in enumerate(parts, 1):
            name = f"e{n_entities + entity + 1}" + (f"[{number}/{len(parts)}]" if len(parts) > 1 else "")
            item = f"({name}-{kinds.get(entity, '')}" + (f"-{head or ''}" if has_heads else "")
            if first == last:
                single[first].append((0, entity, f"{item.rstrip('-')})"))
            else:
                opening[first].append((-last, entity, item.rstrip("-")))
                closing[last].append((-first, -entity, f"{name})"))
    items = {}
    for place in {*opening, *closing, *single}:
        ones, opened, closed = (sorted(at_place.get(place, ())) for at_place in (single, opening, closing))
        texts = [text for *_, text in ((*ones, *closed, *opened) if closed else (*opened, *ones))]
        items[place] = f"Entity={''.join(texts)}"
    return items


def _with_relations(
    items: Mapping[int, str],
    mentions: list[Written],
    numbers: Ints,
    relations: Relations,
    n_entities: int,
    note: Callable[[int, str, str], None],
) -> dict[int, str]:
    """Add ``Bridge=`` of anaphors, and ``SplitAnte=`` at the first place of the first mention of entities.

    ``Bridge=`` is at the first place at which no mention of the anaphor's entity opens within it: readers take the
    mention that was opened last.
    """
    in_order = sorted(mentions, key=lambda mention: (mention.parts[0][0], -mention.parts[0][1]))
    begin = {mention.entity: mention.parts[0][0] for mention in reversed(in_order)}
    names = {entity: f"e{n_entities + entity + 1}" for entity in begin}
    opened_last = {(m.entity, at): m for m in in_order for first, last in m.parts for at in range(first, last + 1)}
    places = sorted([(at, entity, int(numbers[m.occurrence])) for (entity, at), m in opened_last.items()], reverse=True)
    place_of = {number: (entity, at) for at, entity, number in places}
    fields: dict[tuple[int, str], list[str]] = defaultdict(list)
    columns = (column.tolist() for column in (relations.anaphor, relations.entity, relations.label))
    for number, antecedent, label in zip(*columns, strict=True):
        entity, place = place_of.get(number, (antecedent, 0))
        if antecedent in begin and antecedent != entity:
            suffix = f":{_NO_LABEL.sub('_', label)}" if label else ""
            fields[place, "Bridge"].append(f"{names[antecedent]}<{names[entity]}{suffix}")
    if n_lost := relations.anaphor.size - sum(map(len, fields.values())):
        what = "left out: within an entity, of no mention, or of one that others of its entity hide in CoNLL-U"
        note(n_lost, "bridging link", what)
    for whole, element in zip(relations.whole.tolist(), relations.element.tolist(), strict=True):
        if {whole, element} <= begin.keys():
            fields[begin[whole], "SplitAnte"].append(f"{names[element]}<{names[whole]}")
    texts = defaultdict(list, {place: [text] for place, text in items.items()})
    for (place, name), links in fields.items():
        texts[place].append(f"{name}={','.join(links)}")
    return {place: "|".join(sorted(of_place)) for place, of_place in texts.items()}


def _with_items(lines: list[str], items: dict[int, str], fields: str) -> Iterator[str]:
    """Yield the lines of a document with other fields of entities, by their place in the sequence of nodes."""
    if not any(map(NEWDOC.match, lines)):
        yield fields
    place = 0
    for line in lines:
        if not line or line[0] == "#":
            if not GLOBAL.match(line):
                yield line
            if NEWDOC.match(line):
                yield fields
            continue
        columns = line.split("\t")
        values = own_items(columns[MISC])
        if "-" not in columns[0]:
            if place in items:
                values.insert(0, items[place])
            place += 1
        columns[MISC] = "|".join(values) or "_"
        yield "\t".join(columns)
