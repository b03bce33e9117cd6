"""Show documents as text: brackets around mentions, numbers of entities, and a sign for each error."""

from __future__ import annotations

import re
from ast import literal_eval
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import accumulate, islice
from typing import NamedTuple

import numpy as np

from arraycoref.analysis.analyzed import Analyzed
from arraycoref.analysis.index import KEY, MentionIndex
from arraycoref.analysis.pair import OF_KEY, TYPES
from arraycoref.display.tables import plural
from arraycoref.exceptions import printable
from arraycoref.ragged import Bools, Ints, bounds
from arraycoref.read.mentions import BITS
from arraycoref.read.record_fields import Id
from arraycoref.scoring.format import format_score

SIGNS = dict(zip(TYPES, "≠+⊕÷−⊖↔●○", strict=True))
"""A sign for each type of errors, as a color alone does not say enough."""

PLACEHOLDERS = {"", "_", "-", "*"}
"""Words that stand for words that were taken out of a corpus."""

QUOTED = re.compile(r"(['\"]).*\1")
"""A value of a table that is a text, as Python writes it."""

IDEOGRAPH = r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
"""A letter or mark of scripts without spaces between words: Chinese and Japanese."""

BETWEEN = re.compile(f"{IDEOGRAPH} {IDEOGRAPH}")
"""Two words that stand without a space."""

GLUED = re.compile(r"[.,;:!?)\]}%…”’»]+|['’]\w{0,2}|n['’]t")
"""Words that follow the word before them without a space."""

OPENING = {"(", "[", "{", "“", "‘"}

ROW, CHARACTERS = 24, 6
"""Words of a row where files have no sentences, more where a mention would be cut; and characters of a word."""


class Rows(NamedTuple):
    """The text of a document in rows.

    Attributes:
        words: each after a space if there is one. In a ``plain`` document, `` #`` is the number of a word at an end of
            a mention, and other words are marks.
        lengths: how many words are in each row.
        unit: what a row is: ``sentence``, or ``line`` of a text of characters, or ``row`` where neither is known.
        is_plain: whether the document has no words, or they are not to be shown.
    """

    words: list[str]
    lengths: list[int]
    unit: str
    is_plain: bool


@dataclass(frozen=True, eq=False)
class TextLayout:
    """The documents of an index of M mentions, laid out.

    Attributes:
        index: the mentions.
        words: whether words are to be shown; otherwise, their numbers.
    """

    index: MentionIndex
    words: bool = True

    @cached_property
    def lengths(self) -> Ints:
        """Number of words or characters of each document, int64 (D,); 0 where mentions are not spans."""
        if not self.index.has_spans:
            return np.zeros(len(self.index.names), np.int64)
        lengths: Ints = np.max([side.n_tokens for side in self.index.documents], axis=0)
        return lengths

    @cached_property
    def spans(self) -> list[tuple[Ints, Ints]]:
        """First and last word of each mention by side, int64 (M,); an empty node ends before the word after it."""
        index, spans = self.index, []
        for side, documents in enumerate(index.documents):
            start, end = index.span(side)
            if documents.mentions.has_parts and index.rows is not None:
                row = index.rows[side]
                is_zero = (row >= 0) & ~documents.mentions.are_words[row]
                behind = np.minimum(documents.mentions.first[row] >> BITS, self.lengths[index.document] - 1)
                start, end = np.where(is_zero, behind, start), np.where(is_zero, behind - 1, end)
            spans.append((start, end))
        return spans

    @cached_property
    def entities(self) -> list[Ints]:
        """The entity of each mention by side, int64 (M,), from 0 in each document."""
        return [self.index.entity_in_document(side) for side in range(len(self.index.labels))]

    def ids(self, d: int) -> list[Id]:
        """Return the id of each record of a document, as the texts of its parts."""
        texts = self.index.texts(d)
        values = [literal_eval(text) if text.startswith("('") and text.endswith(")") else (text,) for text in texts]
        return [tuple(self.plain(str(part)) for part in value) for value in values]

    def cells(self, d: int) -> list[list[str]]:
        """Return the id of each record of a document, and its fields."""
        ids = self.ids(d)
        return [[" ".join(record), *row] for record, row in zip(ids, self.index.fields.rows_of(ids), strict=True)]

    def texts(self, d: int) -> list[str]:
        """Return the text of each mention of a document; values of tables are read as Python writes them."""
        if self.index.fields.names:
            return [" · ".join(filter(None, row)) for row in self.cells(d)]
        return list(map(self.plain, self.index.texts(d)))

    def plain(self, text: str) -> str:
        """Return the text of a mention, with spaces as in `rows`; a table's value without Python's quotes."""
        if self.index.has_spans:
            words = text.split(" ")
            return "".join(map(str.__add__, _spaces(words, [len(words)]), words))
        return str(literal_eval(text)) if self.index.documents and QUOTED.fullmatch(text) else text

    def rows(self, d: int) -> Rows:
        """Return the text of a document whose mentions are spans."""
        mentions = slice(*self.index.offsets[d : d + 2].tolist())
        spans = np.concatenate([np.stack([each[mentions] for each in columns]) for columns in self.spans], axis=1)
        spans = spans[:, spans[0] >= 0]
        sentences = self.index.sentences(d) or []
        read, lengths, least = [word for words in sentences for word in words], list(map(len, sentences)), ROW
        n = int(self.lengths[d])
        is_plain = not self.words or PLACEHOLDERS.issuperset(read) or len(read) < n
        if is_plain:
            words = _numbers(n, spans)
        elif "character" in self.index.documents[0].units[d]:
            words, least = [" " if character.isspace() else character for character in read], ROW * CHARACTERS
        else:
            words = [space + word for space, word in zip(_spaces(read, lengths), read, strict=True)]
        if len(lengths) > 1 and sum(lengths) == len(words):
            return Rows(words, lengths, "sentence", is_plain)
        is_end = np.array([word == "\n" for word in read], np.bool_)
        if is_end.any() and not is_plain:
            return Rows(words, _cut(len(words), spans, 1, is_end), "line", is_plain)
        return Rows(words, _cut(len(words), spans, least), "row", is_plain)


def _spaces(words: Sequence[str], lengths: Sequence[int]) -> list[str]:
    """Return what is in front of each word: a space, or nothing before closing and after opening punctuation."""
    spaces, is_open, is_tight, starts = [], False, True, set(accumulate(lengths, initial=0))
    for n, word in enumerate(words):
        is_quote = word == '"'
        is_open = is_open and not (is_quote and n in starts)
        is_glued = GLUED.fullmatch(word) or BETWEEN.search(f"{words[n - 1]} {word}")
        spaces.append("" if is_tight or (is_quote and is_open) or is_glued else " ")
        is_open ^= is_quote
        is_tight = is_open if is_quote else word in OPENING
    return spaces


def _numbers(n: int, spans: Ints) -> list[str]:
    """Return what stands for n words that are not shown; spans are int64 (2, N).

    >>> "".join(_numbers(9, np.array([[2, 4], [6, 4]])))
    ' · # … # … # ·'
    """
    inside = np.zeros(n + 1, np.int64)
    np.add.at(inside, spans[0], 1)
    np.add.at(inside, spans[1] + 1, -1)
    is_end: Bools = np.zeros(n, np.bool_)
    is_end[spans[0]] = is_end[np.maximum(spans[1], spans[0])] = True
    kind = np.where(is_end, 2, np.cumsum(inside[:n]) > 0)
    is_new = is_end | np.append(True, kind[1:] != kind[:-1])[:n]
    marks: list[str] = np.where(is_new, np.array([" ·", " …", " #"], object)[kind], "").tolist()
    return marks


def _cut(n: int, spans: Ints, least: int, is_end: Bools | None = None) -> list[int]:
    """Return lengths of rows of n words, at least so many of them, at whose ends no mention is open.

    With ``is_end``, bool (n,), rows end at words where it is true.

    >>> _cut(9, np.array([[1, 6], [4, 6]]), 3)
    [5, 3, 1]
    """
    change = np.zeros(n + 1, np.int64)
    np.add.at(change, spans[0], 1)
    np.add.at(change, np.maximum(spans[1], spans[0]), -1)
    is_free = np.cumsum(change[:n]) == 0
    ends = np.flatnonzero(is_free if is_end is None else is_free & is_end) + 1
    lengths, at = list[int](), 0
    while at < n:
        k = int(ends.searchsorted(at + least))
        lengths.append(int(ends[k]) - at if k < ends.size else n - at)
        at += lengths[-1]
    return lengths


OTHERS, WIDEST = 5, 30
"""The most records of other entities that are shown with a piece, and characters of a field."""

LETTERS = "krstuvwxyz"
"""The letter of entities of each side: of the key, then of the responses."""

COLORS = (33, 208, 35, 170, 37, 160, 99, 142, 205, 67, 130, 29)
"""Colors of terminals, of a table of 256, for entities of the key; they can be read on light and on dark."""

BOLD, QUIET, END = "\x1b[1m", "\x1b[2m", "\x1b[0m"
SIGN_OF_KEY, SIGN_OF_RESPONSE = "\x1b[1;38;5;160m", "\x1b[1;38;5;172m"
_STYLE = re.compile(r"\x1b\[[\d;]*m")


@dataclass(frozen=True, eq=False, repr=False)
class Shown:
    """Documents as text; as a string, without colors and not wrapped.

    Attributes:
        analysis: the analysis.
        documents: positions of the documents.
        max_sentences: most sentences, or rows, of each document; 0 for all with errors.
    """

    analysis: Analyzed
    documents: Sequence[int]
    max_sentences: int = 0

    def text(self, width: int = 0, *, colors: bool = False) -> str:
        """Return the text.

        Args:
            width: most characters of a line; 0 for no limit.
            colors: whether to color it, for a terminal.
        """
        text = "\n".join("\n".join(self._lines(d, width)) + "\n" for d in self.documents)
        return text if colors else _STYLE.sub("", text)

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f'<pre style="white-space: pre-wrap">{escape(self.text())}</pre>'

    @cached_property
    def _layout(self) -> TextLayout:
        return TextLayout(self.analysis.index)

    @cached_property
    def _types(self) -> list[tuple[Ints, Ints]]:
        """The type of the error of each mention, int64 (M,), -1 for none: in each response, then in the key of each.

        Of each, the types of first mentions, before which signs stand, and those of all.
        """
        n, marks = len(self.analysis.index), [pair.marks for pair in self.analysis.pairs]
        sides = [*enumerate(marks, 1), *((KEY, pieces) for pieces in marks)]
        return [(of.type_of_mentions(side, n, only_first=True), of.type_of_mentions(side, n)) for side, of in sides]

    @cached_property
    def _partners(self) -> list[Ints]:
        """The key entity with which each entity of each side shares most mentions, (E,), -1 for none."""
        index = self.analysis.index
        partners = [np.arange(int(index.entity_bounds[KEY, -1]))]
        for pair in self.analysis.pairs:
            of_key, of_response = pair.cell_entities
            partner = np.full(pair.n_entities[1], -1)
            order = np.lexsort((-np.arange(of_key.size), pair.cell_size))
            partner[of_response[order]] = of_key[order]  # of repeated indices, NumPy keeps the last
            partners.append(partner)
        return partners

    def _lines(self, d: int, width: int) -> Iterator[str]:
        """Yield a line on the document, and those of its rows with errors."""
        yield self._title(d)
        index = self.analysis.index
        arrows = [self._antecedents(d, side) for side in range(len(index.labels))]
        ends = [{(m, self._entity(side, a)) for m in own for a in own[m]} for side, own in enumerate(arrows)]
        wrong = [m for m in range(*index.offsets[d : d + 2].tolist()) if any(types[m] >= 0 for _, types in self._types)]
        wrong += [m for of_response in ends[1:] for m, _ in of_response ^ ends[KEY]]
        if not index.has_spans:
            yield from self._entities(d, width)
            return
        rows = self._layout.rows(d)
        at = bounds(np.array(rows.lengths, np.int64))
        words = [printable(word.replace("#", str(n)) if rows.is_plain else word) for n, word in enumerate(rows.words)]
        has_error = np.zeros(len(rows.lengths), np.bool_)
        for side in range(len(index.labels)):
            start = self._layout.spans[side][0][wrong]
            has_error[at.searchsorted(start[start >= 0], side="right") - 1] = True
        chosen = np.flatnonzero(has_error).tolist()
        left_out = len(chosen) - self.max_sentences if 0 < self.max_sentences < len(chosen) else 0
        before = -1
        for row in chosen[: self.max_sentences or None]:
            if row - before > 1:
                yield f"   {QUIET}… {plural(row - before - 1, rows.unit)} without errors{END}"
            before = row
            for side, name in enumerate(self._names):
                pieces = self._row(d, side, words, arrows[side], *at[row : row + 2].tolist())
                head = f"{QUIET}{row + 1 if not side else '':>4}  {name}{END}  "
                yield from _wrapped(head, pieces, width)
        if left_out:
            yield f"   {QUIET}… {left_out} more {rows.unit}s with errors{END}"

    def _aligned(self, d: int) -> list[str]:
        """Return the fields of each record of a document in columns of equal width; nothing without fields."""
        if not self.analysis.index.fields.names:
            return []
        cells = [[printable(cell)[:WIDEST] for cell in row] for row in self._layout.cells(d)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]

    @property
    def _names(self) -> list[str]:
        names = ["key", *map(printable, self.analysis.systems)]
        return [name.ljust(max(map(len, names))) for name in names]

    def _title(self, d: int) -> str:
        parts = []
        runs = self.analysis.scores
        several = len(self.analysis.systems) > 1
        for s, system in enumerate(self.analysis.systems):
            scores, metric = runs.batch(s), runs.first_metric
            value = format_score(float(scores.documents[metric].f1[d]), metric, profile=scores.signature.profile)
            pieces = self.analysis.errors(s)
            counts = Counter(pieces.type[pieces.range_of(d)].tolist())
            errors = ", ".join(f"{counts[t]} {SIGNS[TYPES[t]]} {TYPES[t].replace('-', ' ')}" for t in sorted(counts))
            parts.append(f"{printable(system) + ' ' if several else ''}{metric} {value}; {errors or 'no errors'}")
        return f"{BOLD}{printable(self.analysis.index.names[d])}{END}  {'  |  '.join(parts)}"

    def _label(self, side: int, m: int) -> str:
        return f"{LETTERS[min(side, len(LETTERS) - 1)]}{int(self._layout.entities[side][m]) + 1}"

    def _entity(self, side: int, m: int) -> int:
        """Return the key entity that stands for the entity of a mention, -1 for none."""
        return int(self._partners[side][self.analysis.index.labels[side, m]])

    def _color(self, side: int, m: int) -> str:
        entity = self._entity(side, m)
        return f"\x1b[38;5;{COLORS[entity % len(COLORS)]}m" if entity >= 0 else QUIET

    def _signs(self, side: int, m: int, later: str = "") -> str:
        """Return the signs of the errors that begin with a mention; ``later`` before other mentions of one."""
        n = len(self.analysis.systems)
        of = self._types[n:] if side == KEY else self._types[side - 1 : side]
        types = dict.fromkeys(int(first[m]) for first, _ in of if first[m] >= 0)
        signs = (f"{SIGN_OF_KEY if t in OF_KEY else SIGN_OF_RESPONSE}{SIGNS[TYPES[t]]}{END}" for t in types)
        return "".join(signs) or later * any(bool(every[m] >= 0) for _, every in of)

    def _antecedents(self, d: int, side: int) -> dict[int, list[int]]:
        """Return a mention of the antecedent of each bridging link of each anaphor on a side of a document."""
        index, antecedents = self.analysis.index, defaultdict[int, list[int]](list)
        relations = index.documents[side].relations[d] if index.documents and index.documents[side].relations else None
        if relations is None or index.rows is None:
            return {}
        mentions, rows = index.documents[side].mentions, index.rows[side]
        own = [m for m in range(*index.offsets[d : d + 2].tolist()) if rows[m] >= 0]
        number, entity = ({int(column[rows[m]]): m for m in own} for column in (mentions.number, mentions.entity))
        for anaphor, antecedent in zip(relations.anaphor.tolist(), relations.entity.tolist(), strict=True):
            if anaphor in number and antecedent in entity:
                antecedents[number[anaphor]].append(entity[antecedent])
        return antecedents

    def _row(
        self, d: int, side: int, words: Sequence[str], arrows: Mapping[int, list[int]], first: int, stop: int
    ) -> list[str]:
        """Return the pieces of a row, each with a space in front of it if there is one."""
        lower, upper = self.analysis.index.offsets[d : d + 2].tolist()
        start, end = (column[lower:upper] for column in self._layout.spans[side])
        inside = np.flatnonzero((start >= 0) & (start < stop) & (np.maximum(start, end) >= first))
        opens, closes = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
        for k in inside[np.lexsort((-end[inside], start[inside]))].tolist():
            m = lower + k
            color, begin, last = self._color(side, m), int(start[k]), int(end[k])
            label = "→".join(self._label(side, k) for k in (m, *arrows.get(m, ())))
            mark, close = f"{self._signs(side, m, '~')}{color}[{END}", f"{color}]{label}{END}"
            if last < begin:
                opens[begin].append(f"{mark}∅{close} ")
                continue
            opens[max(begin, first)].append(mark if begin >= first else f"{color}…[{END}")
            closes[min(last, stop - 1)].insert(0, close if last < stop else f"{color}…{END}")
        pieces = []
        for n in range(first, stop):
            word = words[n]
            space = " " if word.startswith(" ") and n > first else ""
            pieces.append(space + "".join(opens[n]) + word.lstrip(" ") + "".join(closes[n]))
        return pieces

    def _entities(self, d: int, width: int) -> Iterator[str]:
        """Yield a line for each entity of the key with errors, those that lose most first, then for extra entities."""
        index, layout = self.analysis.index, self._layout
        mentions = range(*index.offsets[d : d + 2].tolist())
        texts = dict(zip(mentions, self._aligned(d) or map(printable, layout.texts(d)), strict=True))
        if index.fields.names:
            yield f"   {QUIET}fields: {', '.join(map(printable, index.fields.names))}{END}"
        for s, system in enumerate(self.analysis.systems, 1):
            of_key, of_response = layout.entities[KEY].tolist(), layout.entities[s].tolist()
            entities: dict[tuple[bool, int], list[int]] = defaultdict(list)
            for m in mentions:
                is_extra = of_key[m] < 0
                if not is_extra or of_response[m] >= 0:
                    entities[is_extra, of_response[m] if is_extra else of_key[m]].append(m)
            members: dict[int, list[int]] = defaultdict(list)
            for m in mentions:
                members[of_response[m]].append(m)
            lines = []
            for (is_extra, _), of in entities.items():
                pieces: dict[int, list[int]] = defaultdict(list)
                for m in of:
                    pieces[-1 if is_extra else of_response[m]].append(m)
                kept = sum(len(piece) ** 2 / len(of) for r, piece in pieces.items() if r >= 0)
                if kept < len(of) or any(len(members[r]) > len(piece) for r, piece in pieces.items()):
                    side = s if is_extra else KEY
                    lines.append((len(of) - kept, self._pieces(side, s, of[0], pieces, members, texts)))
            lines.sort(key=lambda line: -line[0])
            if len(self.analysis.systems) > 1:
                yield f"   {printable(system)}"
            for lost, words in lines[: self.max_sentences or None]:
                head = f"{QUIET}{lost:7.1f}{END}  "
                yield from "".join([head, *words]).split("\n") if index.fields.names else _wrapped(head, words, width)
            if 0 < self.max_sentences < len(lines):
                yield f"   {QUIET}… {len(lines) - self.max_sentences} more entities with errors{END}"

    def _pieces(
        self,
        side: int,
        other: int,
        first: int,
        pieces: dict[int, list[int]],
        members: dict[int, list[int]],
        texts: dict[int, str],
    ) -> list[str]:
        """Return the pieces of an entity, each with the entity that has it, and how many others that has.

        Records with fields are rows, in lines of their own; those of other entities of the key follow.
        """
        words = [f"{self._color(side, first)}{self._label(side, first)}{END}"]
        is_table = bool(self.analysis.index.fields.names)
        for n, (entity, of) in enumerate(sorted(pieces.items(), key=lambda item: (item[0] < 0, -len(item[1])))):
            named = "missing" if side == KEY else "extra"
            if entity >= 0:
                named = f"{self._color(other, of[0])}{self._label(other, of[0])}{END}"
                n_others = len(members[entity]) - len(of)
                named += f" (+{n_others})" if n_others else ""
            if not is_table:
                words.append(f" {'| ' if n else ''}{named}:")
                words += [f" {self._signs(side, m)}{texts[m]}{',' if m != of[-1] else ''}" for m in of]
                continue
            inside = set(of)
            others = islice((m for m in members[entity] if m not in inside), OTHERS if entity >= 0 else 0)
            marks = [(m, self._signs(side, m)) for m in of]
            marks += [(m, self._label(KEY, m) if self._layout.entities[KEY][m] >= 0 else "extra") for m in others]
            words.append(f"\n{' ' * 9}{named}")
            words += [f"\n{' ' * (16 - len(_STYLE.sub('', mark)))}{mark} {texts[m]}" for m, mark in marks]
        return words


def _wrapped(head: str, pieces: Sequence[str], width: int) -> Iterator[str]:
    """Yield lines of pieces that begin with a space where a line may end; styles take no room."""
    margin = len(_STYLE.sub("", head))
    line, length = [head], margin
    for piece in pieces:
        n = len(_STYLE.sub("", piece))
        is_new = 0 < width < length + n and piece.startswith(" ") and len(line) > 1
        if is_new:
            yield "".join(line)
            line, length = [" " * margin], margin
        line.append(piece[is_new:])
        length += n - is_new
    yield "".join(line)
