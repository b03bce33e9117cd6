"""Put the mentions of a key and of several responses on one index, in the order of the text.

Error analysis compares more than labels: which mention comes first, what its words are, where its sentence ends. This
record has the labels of all sides, and leads from each mention back to what was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain
from typing import Any

import numpy as np

from arraycoref.analysis.parts_of_speech import Note, add_tagged
from arraycoref.exceptions import InputError
from arraycoref.match import MatchedSides
from arraycoref.ragged import Bools, Ints, Objects, bounds, bounds_of, number_rows, owners, ranges, run_starts
from arraycoref.read.documents import Documents, Sentences, pieces_of, take, words_at
from arraycoref.read.mentions import BITS, UPOS
from arraycoref.read.record_fields import NO_FIELDS, RecordFields
from arraycoref.scoring.clusterings import Clusterings, number_entities

KEY = 0
"""The side of the key; responses are the sides 1 to S."""

LONGEST = 200
"""Most characters of a mention's text."""

NAMES = UPOS.index("PROPN")
PRONOUNS = UPOS.index("PRON")


@dataclass(frozen=True, eq=False, repr=False)
class MentionIndex:
    """The M mentions that a key or one of S responses has, in D documents.

    Side 0 is the key; side s is response ``systems[s - 1]``. In a document, mentions of files and spans are in the
    order of first and last word: of two that begin together the shorter is earlier. Labels keep the order in which they
    were given. Objects that are whole numbers or tuples of these are in the order of their values, others in that in
    which they first occur. A mention that matches one of the key is one mention, also if its words differ, as with
    ``matching="head"``; `start` and `end` are then the key's, `span` has each side's own.

        >>> import arraycoref as ac
        >>> index = ac.analyze([[(0, 1), (5, 5)], [(3, 3)]], {"a": [[(0, 1), (3, 3)]], "b": [[(5, 5), (7, 8)]]}).index
        >>> index.start.tolist(), index.labels.tolist()
        ([0, 3, 5, 7], [[0, 1, 0, -1], [0, 0, -1, -1], [-1, -1, 0, 0]])

    Attributes:
        names: (D,) names of the documents; their numbers, where they have no names.
        systems: (S,) names of the responses.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        labels: int64 (1+S, M) the entity of each mention on each side, -1 where the side lacks it. Entities are
            numbered through the documents in the order of their first mentions.
        entity_bounds: int64 (1+S, D+1) document d owns the entities ``entity_bounds[s, d]:entity_bounds[s, d + 1]`` of
            side s. The number of an entity in its document, from 0, is what `entity_in_document` returns.
        documents: (1+S,) the documents as they were read, with their mentions and text; empty where only labels or
            objects are known.
        rows: int64 (1+S, M) the row of each mention in ``documents[s].mentions``, -1 where the side lacks it; None
            without documents.
        values: object (M,) the mentions themselves, where they are objects; None otherwise.
        has_names: whether the documents were given names.
        fields: the fields of mentions that are records.
        any_upos: int64 (M,) the part of speech of each mention's head, a position in `UPOS`, from the first side that
            knows it, or from tags, see `arraycoref.analysis.parts_of_speech`; -1 for none. None if none is known.
    """

    names: tuple[str, ...]
    systems: tuple[str, ...]
    offsets: Ints
    labels: Ints
    entity_bounds: Ints
    documents: tuple[Documents, ...] = ()
    rows: Ints | None = None
    values: Objects | None = None
    has_names: bool = True
    fields: RecordFields = NO_FIELDS
    any_upos: Ints | None = None

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def __repr__(self) -> str:
        return f"<MentionIndex of {len(self.names)} documents, {len(self)} mentions, {', '.join(self.systems)}>"

    @cached_property
    def document(self) -> Ints:
        """The document of each mention, int64 (M,)."""
        return owners(self.offsets)

    @property
    def clusterings(self) -> Clusterings:
        """The labels as scoring takes them: S responses to one key."""
        names = self.names if self.has_names and len(self.systems) == 1 else None
        return Clusterings(self.labels[KEY], self.labels[1:].ravel(), self.offsets, names, len(self.systems))

    def entity_in_document(self, side: int) -> Ints:
        """Return the number of each mention's entity in its document, from 0; int64 (M,), -1 where it is absent."""
        labels = self.labels[side]
        return np.where(labels < 0, -1, labels - self.entity_bounds[side][self.document])

    @cached_property
    def has_spans(self) -> bool:
        """Whether all mentions are spans of words or of characters, so that `start`, `end` and lengths are known."""
        return bool(self.documents) and not any("mention" in side.units for side in self.documents)

    @cached_property
    def start(self) -> Ints:
        """First word of each mention, int64 (M,), from 0 in the document; of the first side that has it."""
        return self._of_first_side("start")

    @cached_property
    def end(self) -> Ints:
        """Last word of each mention, inclusive, int64 (M,); of the first side that has it."""
        return self._of_first_side("end")

    def span(self, side: int) -> tuple[Ints, Ints]:
        """Return first and last word of each mention as one side has it, int64 (M,) each; -1 where it is absent."""
        return self.column(side, "start", -1), self.column(side, "end", -1)

    def column(self, side: int, name: str, absent: Any = None) -> Any:
        """Return a column of `arraycoref.read.mentions.Mentions` by mention of the index, (M,).

        Args:
            side: the side whose mentions it describes.
            name: such as ``start``, ``label`` (type of the mention or its entity), ``line``, ``sentence``.
            absent: the value where the side lacks the mention.

        Returns:
            (M,) of the column's type; None where the files do not have it.
        """
        if self.rows is None:
            return None
        values = getattr(self.documents[side].mentions, name)
        if values is None:
            return None
        rows = self.rows[side]
        if not values.size:
            return np.full(rows.size, absent, values.dtype)
        return np.where(rows < 0, absent, values[rows])

    def head(self, side: int) -> Ints | None:
        """Return the word that is the head of each mention of a side, int64 (M,), from 0 in the document.

        Where files have no heads, the last word of the span. An empty node counts as the word before it. -1 where the
        side lacks the mention; None where no words are known.
        """
        if not self.has_spans:
            return None
        nodes, (_, end) = self.column(side, "head", 0), self.span(side)
        if nodes is None:
            return end.astype(np.int64)
        return np.where(nodes == 0, end, (nodes >> BITS) - 1)

    def upos(self, side: int) -> Ints | None:
        """Return the part of speech of each mention's head, int64 (M,), a position in `UPOS`.

        Of a head with ``flat`` children it is PROPN if one of these is a name, otherwise the first in `UPOS`. -1 where
        the side lacks the mention or its part of speech is not known; None where the side's files have none.
        """
        bits = self.column(side, "upos", 0)
        if bits is None or not bits.any():
            return None
        lowest = np.frexp((bits & -bits).astype(np.float64))[1] - 1
        return np.where(bits >> NAMES & 1, NAMES, np.where(bits == 0, -1, lowest))

    def is_repeated(self, side: int) -> Bools:
        """Return which mentions a side has in several entities, where the policies kept one, bool (M,)."""
        result = np.zeros(len(self), np.bool_)
        if self.rows is None:
            return result
        mentions = self.documents[side].mentions
        number = number_rows([mentions.document.astype(np.int64), mentions.first, mentions.last])[1]
        present = np.flatnonzero(self.rows[side] >= 0)
        result[present] = np.bincount(number)[number[self.rows[side, present]]] > 1
        return result

    def with_upos(self, note: Note) -> MentionIndex:
        """Return the index with `any_upos`; note documents whose tags are of no known set."""
        sides = range(len(self.labels))
        known = [upos for side in sides if (upos := self.upos(side)) is not None]
        upos = reduce(lambda one, other: np.where(one < 0, other, one), known, np.full(len(self), -1))
        if self.has_spans:
            nodes = [heads for side in sides if (heads := self.column(side, "head", 0)) is not None]
            node = reduce(lambda one, other: np.where(one == 0, other, one), nodes, np.zeros(len(self), np.int64))
            add_tagged(upos, self.documents, self.offsets, (self.start, self.end), node, note)
        return replace(self, any_upos=upos if (upos >= 0).any() else None)

    @cached_property
    def is_pronoun(self) -> Bools | None:
        """Whether the head of each mention is a pronoun, bool (M,); None where no part of speech is known."""
        return None if self.any_upos is None else self.any_upos == PRONOUNS

    def types(self, side: int) -> Objects | None:
        """Return the type of each mention of a side, or of its entity, object (M,), None where it has none.

        It is that of the files' mentions, or ``etype`` of CoNLL-U. None where the side's files have none.
        """
        types: Objects | None = self.column(side, "label")
        if types is not None or self.rows is None:
            return types
        absent = np.full(1, None, object)  # the last row is of absent mentions
        known = np.append(np.array(self.documents[side].with_types().mentions.label, object), absent)
        return known[self.rows[side]] if known.astype(np.bool_).any() else None

    def sentences(self, d: int) -> Sentences | None:
        """Return the words of each sentence of a document, from the first side that has words; None for no words."""
        texts = (side.text[d].sentences() for side in self.documents if side.units[d] != "mention")
        return next((text for text in texts if text is not None), None)

    def words(self, d: int) -> list[str] | None:
        """Return the words of a document, or its characters; None where it has none."""
        sentences = self.sentences(d)
        return None if sentences is None else [word for sentence in sentences for word in sentence]

    def pieces(self, d: int) -> Sentences | None:
        """Return what `sentences` does; of a text of characters the pieces of its lines, which are words."""
        sentences = self.sentences(d)
        if sentences is None or not self._counts_characters(d):
            return sentences
        return pieces_of(list(chain.from_iterable(sentences)))

    @cached_property
    def sentence_bounds(self) -> list[Ints | None]:
        """Where the sentences of each document begin and end, int64 (N+1,) words; None where it has no words."""
        pieces = map(self.pieces, range(len(self.names)))
        return [None if sentences is None else bounds_of(sentences) for sentences in pieces]

    @cached_property
    def words_of_spans(self) -> tuple[Ints, Ints]:
        """First and last word of each mention, int64 (M,) each; where mentions are of characters, of its `pieces`.

        Raises:
            InputError: mentions of characters, whose text is not known.
        """
        start, end = self.start.copy(), self.end.copy()
        for d in filter(self._counts_characters, range(len(self.names))):
            rows, characters = slice(*self.offsets[d : d + 2].tolist()), self.words(d)
            if characters is None:
                raise InputError(f"document {self.names[d]!r} has no text; expected the one that its mentions count")
            pieces = chain.from_iterable(pieces_of(characters))
            start[rows], end[rows], _ = words_at(characters, pieces).spans(start[rows], end[rows])
        return start, end

    def _counts_characters(self, d: int) -> bool:
        return any(side.units[d] == "character" for side in self.documents)

    def texts(self, d: int) -> list[str]:
        """Return the text of each mention of a document, in the order of the index.

        That is the text the file gives with it, or its words; of values and objects the value; else its position. Long
        texts are cut before they are made, as many mentions may contain each other.
        """
        first, last = self.offsets[d : d + 2].tolist()
        if self.values is not None:
            return [str(value) for value in self.values[first:last].tolist()]
        if not self.documents or self.rows is None:
            return [str(m) for m in range(last - first)]
        sides = self.documents
        words = {s: None if sides[s].units[d] == "mention" else self.words(d) for s in range(len(sides))}
        shown = []
        for s, row in zip(self._first_side[first:last].tolist(), self._first_row[first:last].tolist(), strict=True):
            mentions, own = sides[s].mentions, words[s]
            start, end = int(mentions.start[row]), int(mentions.end[row])
            text = None if mentions.text is None else mentions.text[row]
            if text is None and sides[s].units[d] == "mention":
                own = words[s] = own or sides[s].text[d].words() or []
                text = own[start]
            elif text is None and own is not None:
                first_words = (word[:LONGEST] for word in own[start : min(end, start + LONGEST) + 1])
                text = ("" if sides[s].units[d] == "character" else " ").join(first_words)
            text = f"{start}-{end}" if text is None else str(text)
            shown.append(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
        return shown

    @cached_property
    def _first_side(self) -> Ints:
        first: Ints = (self.labels >= 0).argmax(axis=0)
        return first

    @cached_property
    def _first_row(self) -> Ints:
        assert self.rows is not None
        rows: Ints = self.rows[self._first_side, np.arange(len(self))]
        return rows

    def _of_first_side(self, name: str) -> Ints:
        sides = [getattr(side.mentions, name) for side in self.documents]
        before = bounds_of(sides)
        values: Ints = np.concatenate(sides)[before[self._first_side] + self._first_row].astype(np.int64)
        return values

    def take(self, documents: Sequence[int]) -> tuple[MentionIndex, Ints]:
        """Return the index of some documents, and their mentions here, int64 (N,)."""
        wanted = np.asarray(documents, np.int64)
        lengths = np.diff(self.offsets)[wanted]
        mentions = ranges(self.offsets[wanted], lengths)
        names = tuple([self.names[d] for d in wanted.tolist()])
        known: dict[str, Any] = {"fields": self.fields}
        if self.rows is not None:
            known["documents"] = sides = tuple([take(side, wanted) for side in self.documents])
            starts = [side.offsets[wanted] - own.offsets[:-1] for side, own in zip(self.documents, sides, strict=True)]
            rows = self.rows[:, mentions]
            known["rows"] = np.where(rows < 0, -1, rows - np.stack([start.repeat(lengths) for start in starts]))
        known |= {name: own[mentions] for name in ("values", "any_upos") if (own := getattr(self, name)) is not None}
        index = MentionIndex.of_labels(self.systems, list(self.labels[:, mentions]), bounds(lengths), names, **known)
        return index, mentions

    @classmethod
    def of_labels(
        cls, systems: Sequence[str], labels: Sequence[Ints], offsets: Ints, names: tuple[str, ...] | None, **known: Any
    ) -> MentionIndex:
        """Number the entities of labels that are on one index.

        Args:
            systems: (S,) names of the responses.
            labels: (1+S,) int64 (M,) labels of the key and of each response, -1 where it lacks a mention. The same
                label in two documents names two entities.
            offsets: int64 (D+1,) bounds of the documents.
            names: (D,) names of the documents, or None.
            **known: the other attributes.

        Raises:
            InputError: a label below -1.
        """
        shown = tuple(map(str, range(offsets.size - 1))) if names is None else names
        sides = ("key", *(f"response {system}" for system in systems))
        numbered = [number_entities(each, what, offsets, shown) for what, each in zip(sides, labels, strict=True)]
        entities, entity_bounds = (np.stack(arrays) for arrays in zip(*numbered, strict=True))
        is_named = names is not None
        return cls(shown, tuple(systems), offsets, entities, entity_bounds, has_names=is_named, **known)

    @classmethod
    def of_matched(
        cls, systems: Sequence[str], matched: Sequence[MatchedSides], labels: Sequence[tuple[Ints, Ints]]
    ) -> MentionIndex:
        """Join pairs of a key and a response, each on an index of its own, on one index.

        Args:
            systems: (S,) names of the responses.
            matched: (S,) the key with each response; the documents are the same.
            labels: (S,) labels of both sides of each, after the policies; -1 for mentions that these drop.

        Raises:
            InputError: some responses count in the key's unit, and others do not.
        """
        key = matched[0].sides[0]
        for other in matched[1:]:
            for d, units in enumerate(zip(key.units, other.sides[0].units, strict=True)):
                if units[0] != units[1]:
                    raise InputError(
                        f"document {key.names[d]!r}: the mentions of one response are of {units[0]}s, those of another "
                        f"of {units[1]}s; expected one unit",
                        "unit",
                    )
        number_of: dict[bytes, int] = {}
        columns, pairs = [], []
        for pair, (of_key, of_response) in zip(matched, labels, strict=True):
            given = pair.clusterings.key, pair.clusterings.response
            kept_labels = [np.where(own < 0, -1, all_) for own, all_ in zip((of_key, of_response), given, strict=True)]
            rows = np.stack(list(map(_rows, pair.sides, pair.places, kept_labels)))
            kept = np.flatnonzero((rows >= 0).any(axis=0))
            rows, is_extra = rows[:, kept], rows[KEY, kept] < 0
            described = [_places(side, own, number_of) for side, own in zip(pair.sides, rows, strict=True)]
            position = [np.where(is_extra, *each[::-1]) for each in zip(*described, strict=True)]
            position = [owners(pair.clusterings.offsets)[kept], *position]
            order = np.lexsort((is_extra, *position[::-1]))
            starts = run_starts(*[column[order] for column in position])
            rank = np.zeros(order.size, np.int64)  # of mentions of equal words that do not match
            rank[order] = np.arange(order.size) - starts.repeat(np.diff(starts, append=order.size))
            columns.append([*position, rank])
            pairs.append((rows, of_key[kept], of_response[kept]))
        joined = [np.concatenate(parts) for parts in zip(*columns, strict=True)]
        number = number_rows(joined)[1]
        m = int(number.max(initial=-1)) + 1
        rows_of, labels_of = (np.full((1 + len(pairs), m), -1) for _ in range(2))
        first = 0
        for s, (rows, of_key, of_response) in enumerate(pairs, 1):
            place = number[first : first + rows.shape[1]]
            first += place.size
            in_key = rows[KEY] >= 0
            rows_of[KEY, place[in_key]], labels_of[KEY, place[in_key]] = rows[KEY, in_key], of_key[in_key]
            rows_of[s, place], labels_of[s, place] = rows[1], np.where(rows[1] < 0, -1, of_response)
        document = np.empty(m, np.int64)
        document[number] = joined[0]
        offsets = document.searchsorted(np.arange(len(key) + 1))
        documents = (key, *(pair.sides[1] for pair in matched))
        return cls.of_labels(systems, list(labels_of), offsets, key.names, documents=documents, rows=rows_of)


def _rows(side: Documents, places: Ints, labels: Ints) -> Ints:
    """Return the row of the mention at each place of an index, int64 (M,); -1 where its label is -1."""
    rows = np.full(labels.size, -1)
    kept = np.flatnonzero(side.mentions.entity == labels[places])  # of a repeated mention, the entity that counts
    rows[places[kept]] = kept
    return rows


def _places(side: Documents, rows: Ints, number_of: dict[bytes, int]) -> tuple[Ints, Ints, Ints]:
    """Return first node, last node and a code of some mentions, int64 (M,) each; codes are equal for equal mentions.

    Args:
        side: documents with their mentions.
        rows: int64 (M,) rows of the mentions; -1 for none.
        number_of: numbers of values and of sets of nodes, which grows.
    """
    mentions = side.mentions
    columns = [mentions.first, mentions.last, mentions.codes(number_of)]
    if "mention" in side.units:  # values, whose numbers differ between responses
        columns = [column.copy() for column in columns]
        for d in (d for d, unit in enumerate(side.units) if unit == "mention"):
            chosen = slice(side.offsets[d], side.offsets[d + 1])
            values = [value.encode() for value in side.text[d].words() or []]
            numbers = np.array([number_of.setdefault(value, len(number_of)) for value in values], np.int64)
            for column in columns:
                column[chosen] = numbers[mentions.start[chosen]]
    none = np.zeros(1, np.int64)
    return tuple(np.append(column, none)[rows] for column in columns)  # type: ignore[return-value]
