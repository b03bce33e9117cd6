"""Compare a key with one response, mention by mention: their cells, who represents each entity, and the pieces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

import numpy as np

from arraycoref.analysis.index import KEY, MentionIndex
from arraycoref.exceptions import OptionError, check_name
from arraycoref.ragged import Bools, Floats, Ints, bounds, join, ranges, run_starts
from arraycoref.scoring.alignment import align
from arraycoref.scoring.cells import Cells, make_cells
from arraycoref.scoring.contributions import UnitCells

Type = IntEnum(
    "Type",
    "CONFLATED EXTRA_MENTION EXTRA_ENTITY DIVIDED MISSING_MENTION MISSING_ENTITY "
    "SPAN EXTRA_SINGLETON MISSING_SINGLETON",
    start=0,
)
"""The types of errors: of the response's entities, of the key's, and what Kummerfeld and Klein count apart."""

TYPES = tuple(each.name.lower().replace("_", "-") for each in Type)
"""Their names, such as ``extra-mention``."""

OF_KEY = (Type.DIVIDED, Type.MISSING_MENTION, Type.MISSING_ENTITY, Type.MISSING_SINGLETON)
OF_RESPONSE = (Type.CONFLATED, Type.EXTRA_MENTION, Type.EXTRA_ENTITY, Type.EXTRA_SINGLETON)
"""The types of errors in entities of the key, and of the response: a cell elsewhere, an absent mention, an absent
entity, an absent singleton."""


@dataclass(frozen=True, eq=False)
class ErrorList:
    """The P errors of one response, each with the mentions that are wrong, by document, then by first mention.

    Attributes:
        type: int64 (P,) a position in `TYPES`.
        document: int64 (P,) document of each.
        side: int64 (P,) the side whose mentions it shows: 0, the key's, of types ``divided`` and ``missing-...``; the
            response's of all others.
        entity: int64 (P,) the entity of that side, as `MentionIndex.labels` numbers them.
        bounds: int64 (P+1,) error p has the mentions ``mentions[bounds[p]:bounds[p + 1]]``.
        mentions: int64 (N,) mentions of the index, which that side has. A ``span`` error has two: that of the key, and
            that of the response.
    """

    type: Ints
    document: Ints
    side: Ints
    entity: Ints
    bounds: Ints
    mentions: Ints

    def __len__(self) -> int:
        return self.type.size

    @property
    def first(self) -> Ints:
        """The first mention of each error, int64 (P,)."""
        return self.mentions[self.bounds[:-1]]

    def range_of(self, d: int) -> slice:
        """Return the range of the errors of a document."""
        return slice(*self.document.searchsorted([d, d + 1]).tolist())

    def type_of_mentions(self, side: int, n_mentions: int, only_first: bool = False) -> Ints:
        """Return the type of the error that each mention of the index is part of on a side, int64 (M,), -1 for none.

        With ``only_first``, only the first mention of each piece has its type.

        A mention is in one error on each side at most. One of a span error has it on both sides, unless it is also
        in an error of its entity, which is then returned.
        """
        result, owner = np.full(n_mentions, -1), np.arange(len(self)).repeat(np.diff(self.bounds))
        is_span = self.type[owner] == Type.SPAN
        half = self.bounds[:-1][owner] != np.arange(owner.size)  # of a span error: 0 for the key, 1 for the response
        is_of_side = self.side[owner] == side
        if only_first:
            is_of_side &= ~half
        for chosen in (is_span & (half == (side != KEY)), ~is_span & is_of_side):
            result[self.mentions[chosen]] = self.type[owner[chosen]]
        return result


@dataclass(frozen=True, eq=False)
class SideEntities:
    """The E entities of one side of a pair, and what the other side has of them.

    The representative of an entity is its first mention that is not a pronoun, or else its first.

    Attributes:
        labels: int64 (M,) entity of each mention, -1 where this side lacks it.
        other: int64 (M,) the same of the other side.
        n_entities: E.
        is_pronoun: bool (M,), or None for a representative that is the first mention in any case.
    """

    labels: Ints
    other: Ints
    n_entities: int
    is_pronoun: Bools | None

    @cached_property
    def sizes(self) -> Ints:
        """Number of mentions of each entity, int64 (E,)."""
        return np.bincount(self.labels + 1, minlength=self.n_entities + 1)[1:]

    @cached_property
    def n_absent(self) -> Ints:
        """Number of mentions of each entity that the other side lacks, int64 (E,)."""
        return np.bincount(self.labels[self.other < 0] + 1, minlength=self.n_entities + 1)[1:]

    @cached_property
    def representatives(self) -> Ints:
        """The representative mention of each entity, int64 (E,)."""
        first = np.full(self.n_entities + 1, -1)  # the last place is for absent mentions, whose label is -1
        backwards = np.arange(self.labels.size)[::-1]
        first[self.labels[backwards]] = backwards  # of repeated indices, NumPy keeps the last
        if self.is_pronoun is not None:
            backwards = backwards[~self.is_pronoun[::-1]]
            first[self.labels[backwards]] = backwards
        return first[:-1]

    @cached_property
    def is_represented(self) -> Bools:
        """Whether the other side has the representative of each entity, bool (E,)."""
        return np.asarray(self.other[self.representatives] >= 0)

    @cached_property
    def is_whole(self) -> Bools:
        """Whether each entity is missing, or extra, as a whole, bool (E,).

        That is one of two or more mentions that the other side lacks, whose other mentions are pronouns, if any.
        """
        has_shared = self.n_absent < self.sizes
        if self.is_pronoun is not None:
            has_shared = np.zeros(self.n_entities + 1, np.bool_)
            has_shared[self.labels[(self.other >= 0) & ~self.is_pronoun]] = True
            has_shared = has_shared[:-1]
        return ~has_shared & (self.n_absent >= 2)

    @cached_property
    def absent(self) -> tuple[Ints, Ints]:
        """The mentions that the other side lacks, int64 (N,), and the place of the type of each in `OF_KEY`.

        A representative is at place 0, though it is not an error: other pieces of its entity are.
        """
        mentions = np.flatnonzero((self.labels >= 0) & (self.other < 0))
        owner = self.labels[mentions]
        place = np.where(self.representatives[owner] == mentions, 0, 1)
        place[self.is_whole[owner]] = 2
        place[self.sizes[owner] == 1] = 3
        return mentions, place


@dataclass(frozen=True, eq=False)
class Pair:
    """A key and one response on the index of their mentions; mentions whose span alone is wrong count as shared.

    An entity consists of pieces: a cell is the mentions that it shares with one entity of the other side, and each
    mention that the other side lacks is a piece by itself.

    Attributes:
        index: the index of M mentions.
        side: number of the response's side, from 1.
        key: int64 (M,) entity of each mention in the key, -1 where it lacks the mention.
        response: int64 (M,) the same for the response; the mention of a span error is where the key's is.
        is_pronoun: bool (M,), or None for a representative that is the first mention in any case.
        spans: int64 (2, P) mentions of the key and of the response that differ in their span only.
    """

    index: MentionIndex
    side: int
    key: Ints
    response: Ints
    is_pronoun: Bools | None
    spans: Ints

    @cached_property
    def labels(self) -> tuple[Ints, Ints]:
        """The entities of both sides."""
        return self.key, self.response

    @cached_property
    def n_entities(self) -> tuple[int, int]:
        """Number of entities of each side."""
        return int(self.index.entity_bounds[KEY, -1]), int(self.index.entity_bounds[self.side, -1])

    @cached_property
    def sides(self) -> tuple[SideEntities, SideEntities]:
        """The key against the response, and the response against the key."""
        of_key, of_response = self.n_entities
        key = SideEntities(self.key, self.response, of_key, self.is_pronoun)
        return key, SideEntities(self.response, self.key, of_response, self.is_pronoun)

    @cached_property
    def shared(self) -> Ints:
        """The mentions that both sides have, int64 (N,)."""
        return np.flatnonzero((self.key >= 0) & (self.response >= 0))

    @cached_property
    def _cells(self) -> tuple[Ints, Ints]:
        """The positions of shared mentions cell by cell, in order in each; and where each cell begins among these."""
        code = self.key[self.shared] * self.n_entities[1] + self.response[self.shared]
        order = stable_order(code)
        return order, run_starts(code[order])

    @cached_property
    def by_cell(self) -> Ints:
        """The shared mentions cell by cell, int64 (N,), in order in each; cells are in the order of their entities."""
        return self.shared[self._cells[0]]

    @property
    def cell_bounds(self) -> Ints:
        """Bounds of the cells in `by_cell`, int64 (C+1,)."""
        return np.append(self._cells[1], self.shared.size)

    @cached_property
    def cell(self) -> Ints:
        """The cell of each shared mention, int64 (N,)."""
        cell = np.empty_like(self.shared)
        cell[self._cells[0]] = np.arange(self.cell_size.size).repeat(self.cell_size)
        return cell

    @cached_property
    def cell_entities(self) -> tuple[Ints, Ints]:
        """The entities of key and response of each of C cells, int64 (C,) each."""
        first = self.by_cell[self._cells[1]]
        return self.key[first], self.response[first]

    @cached_property
    def cell_size(self) -> Ints:
        """Number of mentions of each cell, int64 (C,)."""
        return np.diff(self.cell_bounds)

    @cached_property
    def cells(self) -> Cells:
        """The cells as scoring has them, in the order of `by_cell`."""
        of_documents = self.index.entity_bounds[[KEY, self.side]]
        return make_cells(self.cell_size, *self.cell_entities, *(side.sizes for side in self.sides), *of_documents)

    @cached_property
    def unit_cells(self) -> UnitCells:
        """Each mention as a unit by itself, from which `arraycoref.scoring.contributions` finds what it contributes."""
        (of_key, of_response), (n_key, n_response), n = self.cell_entities, self.n_entities, self.cell_size.size
        none = np.full(n_key + 1, -1), np.full(1 + n_response, -1)
        place = np.where(self.key >= 0, n + self.key, n + n_key + 1 + self.response)  # without mentions of other pairs
        place[self.shared] = self.cell
        key = np.concatenate([of_key, np.arange(n_key), none[1]])
        response = np.concatenate([of_response, none[0], np.arange(n_response)])
        m = np.arange(self.key.size)
        return UnitCells(m, np.ones_like(m), place, key, response, self.cells)

    def is_aligned(self, weights: Floats) -> Bools:
        """Return which cells are aligned in the best alignment by their weights, bool (C,)."""
        cell, result = align(self.cells, weights), np.zeros(weights.size, np.bool_)
        result[cell[cell >= 0]] = True
        return result

    @cached_property
    def home_cells(self) -> list[Ints]:
        """The cell of each entity's representative, of each side, -1 where the other side lacks the representative."""
        cell_of = np.full(len(self.index), -1)
        cell_of[self.shared] = self.cell
        return [cell_of[side.representatives] for side in self.sides]

    def cells_apart(self, one: int) -> Ints:
        """Return the cells without the representative of their entity on a side, int64 (N,)."""
        return np.flatnonzero(self.home_cells[one][self.cell_entities[one]] != np.arange(self.cell_size.size))

    def _largest_cells(self, one: int) -> Ints:
        """Return the largest cell of each entity of a side, int64 (E,), if several, its home; -1 for none.

        It is -1 too where the representative is absent and cells have one mention, or if the whole entity is absent.
        """
        home, entity, side = self.home_cells[one], self.cell_entities[one], self.sides[one]
        is_home = home[entity] == np.arange(entity.size)
        order = np.lexsort((-np.arange(entity.size), is_home, self.cell_size))
        largest = np.full(self.n_entities[one], -1)
        largest[entity[order]] = order  # of repeated indices, NumPy keeps the last
        is_absent = (home < 0) & ((np.append(self.cell_size, 0)[largest] == 1) | side.is_whole)
        return np.where(is_absent, -1, largest)

    @cached_property
    def pieces(self) -> ErrorList:
        """Every error, by document.

        Source: Kummerfeld and Klein (2013), as their program counts: an entity is where its representative is, and
        that piece is not an error. The number of pieces of each type is what `arraycoref.analysis.errors` counts.
        """
        return self._pieces(self.home_cells)

    @cached_property
    def marks(self) -> ErrorList:
        """As many errors of each type as `pieces`, but the largest piece is where an entity is, and gets no mark."""
        return self._pieces([self._largest_cells(one) for one in range(2)])

    def _pieces(self, homes: Sequence[Ints]) -> ErrorList:
        """Return every error, by the home of each entity of both sides, int64 (E,), -1 for its representative."""
        types, entities, mentions, lengths, sides = [], [], [], [], []

        def add(type_: int, entity: Ints, rows: Ints, length: Ints | None = None) -> None:
            types.append(np.full(entity.size, type_))
            entities.append(entity)
            mentions.append(rows)
            lengths.append(np.ones(entity.size, np.int64) if length is None else length)
            sides.append(np.full(entity.size, KEY if type_ in OF_KEY else self.side))

        by_cell, cell_bounds = self.by_cell, self.cell_bounds
        for one, (piece, mention, entity, singleton) in enumerate((OF_KEY, OF_RESPONSE)):
            labels, (absent, place) = self.labels[one], self.sides[one].absent
            errors = np.flatnonzero(homes[one][self.cell_entities[one]] != np.arange(self.cell_size.size))
            away = np.flatnonzero((homes[one] >= 0) & (self.home_cells[one] < 0))  # its representative is a piece
            add(piece, away, self.sides[one].representatives[away])
            rows = by_cell[ranges(cell_bounds[errors], self.cell_size[errors])]
            add(piece, self.cell_entities[one][errors], rows, self.cell_size[errors])
            for type_, n in ((mention, 1), (singleton, 3)):
                add(type_, labels[absent[place == n]], absent[place == n])
            rows = absent[place == 2]
            rows = rows[labels[rows].argsort(kind="stable")]
            starts = run_starts(labels[rows])
            add(entity, labels[rows[starts]], rows, np.diff(starts, append=rows.size))
        of_response = self.index.labels[self.side, self.spans[1]]
        add(Type.SPAN, of_response, self.spans.T.ravel(), np.full(of_response.size, 2))
        kind, side, length, rows = (np.concatenate(parts) for parts in (types, sides, lengths, mentions))
        own = np.arange(len(self.index))
        own[self.spans[0]] = self.spans[1]  # a mention with another span is drawn where the response has it
        rows = np.where(((side != KEY) & (kind != Type.SPAN)).repeat(length), own[rows], rows)
        first = rows[bounds(length)[:-1]]
        order = np.lexsort((kind, first))
        rows = rows[ranges(bounds(length)[:-1][order], length[order])]
        owner, document = np.concatenate(entities)[order], self.index.document[first[order]]
        return ErrorList(kind[order], document, side[order], owner, bounds(length[order]), rows)


def stable_order(code: Ints) -> Ints:
    """Return what a stable ``argsort`` of numbers from 0 does, int64 (N,), in half the time or less."""
    bits = max(code.size, 1).bit_length()
    if int(code.max(initial=0)) >= 1 << 63 - bits:
        return code.argsort(kind="stable")
    order: Ints = np.sort(code << bits | np.arange(code.size)) & ((1 << bits) - 1)  # a number holds code and place
    return order


def pair_of(index: MentionIndex, side: int, is_pronoun: Bools | None = None, spans: str = "none") -> Pair:
    """Compare the key with a response.

    Args:
        index: the index of M mentions.
        side: side of the response, from 1.
        is_pronoun: bool (M,), or None.
        spans: how mentions are found that differ in their span only, see `span_errors`.
    """
    key, response = index.labels[KEY], index.labels[side]
    pair = Pair(index, side, key, response, is_pronoun, np.zeros((2, 0), np.int64))
    if spans == "none":
        return pair
    pairs = span_errors(index, side, spans)
    altered = response.copy()
    altered[pairs[0]], altered[pairs[1]] = response[pairs[1]], -1
    return replace(pair, response=altered, spans=pairs)


SPANS = ("head", "text", "none")
"""How they are found: by their head; by their text without articles and punctuation first, then by their head; not."""


def span_errors(index: MentionIndex, side: int, how: str) -> Ints:
    """Pair mentions of the key that the response lacks with mentions that only the response has.

    By ``head``, two are a pair if no other such mention of their sides has this head. It is the head that files give,
    otherwise the last word. By ``text``, two of one sentence are a pair before that if they are equal without ``the``
    (in lower case) and punctuation in front, and without ``'s`` and punctuation after; the first of several is taken.
    That is for English. A punctuation mark is a word of one character that is not a letter.

    Args:
        index: the index of M mentions.
        side: side of the response.
        how: one of `SPANS`.

    Returns:
        int64 (2, P) mentions of the key and of the response.

    Raises:
        OptionError: mentions that are not spans, so that their words are not known.

    Source: Kummerfeld and Klein (2013), "span error", and their program, which takes one-character words of other
    scripts for punctuation too.
    """
    check_name("spans", how, SPANS)
    if not index.has_spans:
        raise OptionError(f"spans is {how!r}, but the mentions are not spans of words; expected spans='none'", "spans")
    in_key, in_response = index.labels[KEY] >= 0, index.labels[side] >= 0
    missing, extra = np.flatnonzero(in_key & ~in_response), np.flatnonzero(in_response & ~in_key)
    pairs = np.zeros((2, 0), np.int64)
    if how == "text":
        pairs = _of_equal_text(index, side, missing, extra)
        missing, extra = np.setdiff1d(missing, pairs[0]), np.setdiff1d(extra, pairs[1])
    heads = [index.head(which) for which in (KEY, side)]
    sides = []
    for rows, head in zip((missing, extra), heads, strict=True):
        assert head is not None
        code = index.document[rows] << 32 | head[rows]
        codes, first, n = np.unique(code, return_index=True, return_counts=True)
        sides.append((rows[first[n == 1]], codes[n == 1]))
    i, j = join(sides[0][1], sides[1][1])
    return np.concatenate([pairs, np.stack([sides[0][0][i], sides[1][0][j]])], axis=1)


def _of_equal_text(index: MentionIndex, side: int, missing: Ints, extra: Ints) -> Ints:
    """Pair mentions of one sentence by their spans without what `span_errors` strips, int64 (2, P)."""
    pairs: list[tuple[int, int]] = []
    places = [missing.searchsorted(index.offsets), extra.searchsorted(index.offsets)]
    spans = [np.stack(index.span(which), axis=1) for which in (KEY, side)]
    for d in np.flatnonzero(np.logical_and(*(np.diff(place) > 0 for place in places))).tolist():
        sentences = index.sentences(d)
        if sentences is None:
            continue
        words = [word for sentence in sentences for word in sentence]
        free: dict[tuple[int, int], list[int]] = defaultdict(list)
        for m in extra[places[1][d] : places[1][d + 1]].tolist():
            free[_stripped(words, *spans[1][m].tolist())].append(m)
        for m in missing[places[0][d] : places[0][d + 1]].tolist():
            same = free.get(_stripped(words, *spans[0][m].tolist()))
            if same:
                pairs.append((m, same.pop(0)))
    return np.array(pairs, np.int64).reshape(-1, 2).T


def _stripped(words: list[str], first: int, last: int) -> tuple[int, int]:
    """Return first and last word of a span without articles and punctuation at its ends; at least one word is left."""

    def is_mark(word: str) -> bool:
        return len(word) == 1 and not word.isalpha()

    while first < last and (words[first] == "the" or is_mark(words[first])):
        first += 1
    while first < last and (words[last] == "'s" or is_mark(words[last])):
        last -= 1
    return first, last
