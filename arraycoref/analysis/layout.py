"""Lay documents out for people: words, rows of words, and where each side has its mentions."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

import numpy as np

from arraycoref.analysis.breakdown import Breakdown
from arraycoref.analysis.error_table import ErrorTable
from arraycoref.analysis.index import MentionIndex
from arraycoref.analysis.pair import TYPES, ErrorPieces, Pair
from arraycoref.options import Metrics
from arraycoref.ragged import Bools, Ints
from arraycoref.read.mentions import BITS
from arraycoref.stats.runs import Runs

SIGNS = dict(zip(TYPES, "≠+⊕÷−⊖↔●○", strict=True))
"""A sign for each type of errors, as a colour alone does not say enough."""

PLACEHOLDERS = {"", "_", "-", "*"}
"""Words that stand for words that were taken out of a corpus."""

QUOTED = re.compile(r"(['\"]).*\1")
"""A value of a table that is a text, as Python writes it."""

GLUED = re.compile(r"[.,;:!?)\]}%…”’»]+|['’]\w{0,2}|n['’]t")
"""Words that follow the word before them without a space."""

OPENING = {"(", "[", "{", "“", "‘"}

ROW, CHARACTERS = 24, 6
"""Words of a row where files have no sentences, more where a mention would be cut; and characters of a word."""


class Analyzed(Protocol):
    """What is shown of an `arraycoref.analysis.Analysis`, whose attributes and methods these are."""

    @property
    def index(self) -> MentionIndex:
        """The mentions of all sides."""

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the responses."""

    @property
    def documents(self) -> tuple[str, ...]:
        """Names of the documents."""

    @property
    def scores(self) -> Runs:
        """The scores of each response."""

    @property
    def error_types(self) -> Runs:
        """The number of errors of each type."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The key with each response."""

    @property
    def plain_pairs(self) -> tuple[Pair, ...]:
        """The same, where mentions whose span alone is wrong are not matched."""

    def pieces(self, system: str | int | None = None) -> ErrorPieces:
        """Return every error of a response."""

    def error_table(self, metric: str = "conll", *, resamples: int = ...) -> ErrorTable:
        """Return the table of error types."""

    def breakdown(self, attribute: Any, metrics: Metrics = ()) -> Breakdown:
        """Break the scores down by classes of mentions."""


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
        """Number of words or characters of each document, int64 (D,); 0 where mentions are no spans."""
        if not self.index.has_spans:
            return np.zeros(len(self.index.names), np.int64)
        lengths: Ints = np.max([side.n_tokens for side in self.index.documents], axis=0)
        return lengths

    @cached_property
    def spans(self) -> list[tuple[Ints, Ints]]:
        """First and last word of each mention by side, int64 (M,); an empty node ends before the word behind it."""
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

    def texts(self, d: int) -> list[str]:
        """Return the text of each mention of a document; values of tables are read as Python writes them."""
        texts = self.index.texts(d)
        if self.index.has_spans or not self.index.documents:
            return texts
        return [str(literal_eval(text)) if QUOTED.fullmatch(text) else text for text in texts]

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
        spaces.append("" if is_tight or (is_quote and is_open) or GLUED.fullmatch(word) else " ")
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
