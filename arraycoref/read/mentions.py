"""Hold the mentions of one side as they were read: one record for the files of every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from arraycoref.ragged import Bools, Ints, Ints32, Objects, bounds, owners, ranges, run_starts, sum_by

BITS = 20
"""A node is ``w << BITS | n``: word w of the document, from 1, and n = 0; or the n-th empty node after word w.

Numbers of words are those of any other format plus one, so that spans of words can be compared. In an empty node, n has
`AT_START` added if it stands before the first word of its sentence: 0 is then the beginning of the document.
"""

AT_START = 1 << (BITS - 1)
"""Bit of n in an empty node that stands before the first word of its sentence, as the node 0.1 of CoNLL-U does."""

EMPTY = (1 << BITS) - 1
"""The bits of n, which are 0 in a word."""

UPOS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
"""Universal parts of speech; each is a bit of `Mentions.upos`."""


@dataclass(frozen=True, eq=False)
class Mentions:
    """The M mention occurrences of one side, in the order of the documents, and in each in that of the file.

    Attributes:
        document: int32 (M,) document of each, ascending.
        start: int32 (M,) first word, from 0 in the document; of a mention with gaps or empty nodes, of its hull.
        end: int32 (M,) last word, inclusive.
        entity: int32 (M,) 0, 1, ... in each document, in the order of first appearance.
        line: int64 (M,) line of the file, from 1, on which the mention begins; 0 if it is not known.
        text: object (M,) the text that the file gives with the mention, or None; None if no file gives any.
        label: object (M,) the type of the mention or of its entity, the same.
        parts: int64 (P, 2) first and last node of each part, see `BITS`; None if all mentions are spans of words. A
            part is as many words as follow each other, or as many empty nodes as follow each other after one word.
        part_bounds: int64 (M+1,) mention m has the parts ``parts[part_bounds[m]:part_bounds[m + 1]]``, in order.
        head: int64 (M,) the node of its head, one of its nodes; 0 if it is not known. None if no file has heads.
        sentence: int64 (M,) its sentence in the document, from 0; -1 for words of two sentences. None without trees.
        upos: int64 (M,) parts of speech of its head and of the head's ``flat`` children, a bit for each of `UPOS`.
        deps: object (M,) texts: enhanced dependencies of its head if that is an empty node, otherwise empty.
        minimum: int64 (M,) the minimum span: which word of the mention's hull is its first one, from 0, ``<< 32``, and
            its number of words; 0 where it is not known. None if no file has minimum spans.
        number: int64 (M,) its number in its document as it was read, from 0, by which relations name it; None without
            relations.
    """

    document: Ints32
    start: Ints32
    end: Ints32
    entity: Ints32
    line: Ints
    text: Objects | None = None
    label: Objects | None = None
    parts: Ints = None  # type: ignore[assignment]  # this and the next fields are None where only spans are known
    part_bounds: Ints = None  # type: ignore[assignment]
    head: Ints = None  # type: ignore[assignment]
    sentence: Ints = None  # type: ignore[assignment]
    upos: Ints = None  # type: ignore[assignment]
    deps: Objects = None  # type: ignore[assignment]
    minimum: Ints | None = None
    number: Ints = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return self.start.size

    @property
    def has_parts(self) -> bool:
        """Whether the parts of the mentions are given; otherwise, all mentions are spans of words."""
        return self.parts is not None

    @property
    def has_heads(self) -> bool:
        """Whether the heads of all mentions are known."""
        return self.head is not None and bool((self.head != 0).all())

    def take(self, rows: Ints) -> Mentions:
        """Select mentions, int64 (L,) in 0..M-1."""
        columns = {name: getattr(self, name) for name in COLUMNS}
        changed = {name: column[rows] for name, column in columns.items() if column is not None}
        if self.has_parts:
            n_parts = np.diff(self.part_bounds)[rows]
            changed["parts"] = self.parts[ranges(self.part_bounds[rows], n_parts)]
            changed["part_bounds"] = bounds(n_parts)
        return replace(self, **changed)

    def with_parts(self) -> Mentions:
        """Return the mentions with their parts, also where all of them are spans of words."""
        if self.has_parts:
            return self
        parts = np.stack([self.start, self.end], axis=1).astype(np.int64) + 1 << BITS
        return replace(self, parts=parts, part_bounds=np.arange(len(self) + 1))

    def with_nodes(self) -> Mentions:
        """Return the mentions with all that files with trees have; heads that are not known are first nodes."""
        if self.has_parts and self.has_heads and self.sentence is not None:
            return self
        zeros = np.zeros(len(self), np.int64)
        first = self.first
        return replace(
            self.with_parts(),
            head=first if self.head is None else np.where(self.head == 0, first, self.head),
            sentence=zeros if self.sentence is None else self.sentence,
            upos=zeros if self.upos is None else self.upos,
            deps=np.full(len(self), "", object) if self.deps is None else self.deps,
        )

    @cached_property
    def first(self) -> Ints:
        """The first node of each mention, int64 (M,)."""
        if not self.has_parts:
            return self.start.astype(np.int64) + 1 << BITS
        first: Ints = self.parts[self.part_bounds[:-1], 0]
        return first

    @cached_property
    def last(self) -> Ints:
        """The last node of each mention, int64 (M,)."""
        if not self.has_parts:
            return self.end.astype(np.int64) + 1 << BITS
        last: Ints = self.parts[self.part_bounds[1:] - 1, 1]
        return last

    @cached_property
    def size(self) -> Ints:
        """Number of nodes of each mention, int64 (M,)."""
        if not self.has_parts:
            return self.end.astype(np.int64) - self.start + 1
        return np.add.reduceat(part_sizes(self.parts), self.part_bounds[:-1]) if len(self) else self.part_bounds[:-1]

    @cached_property
    def is_zero(self) -> Bools:
        """Whether the head of each mention is an empty node, bool (M,)."""
        return np.zeros(len(self), np.bool_) if self.head is None else (self.head & EMPTY).astype(np.bool_)

    @property
    def are_words(self) -> Bools:
        """Whether each mention is without empty nodes, bool (M,)."""
        result = np.ones(len(self), np.bool_)
        if self.has_parts:
            result[owners(self.part_bounds)[self.parts[:, 0] & EMPTY != 0]] = False
        return result

    @property
    def are_mixed(self) -> Bools:
        """Whether each mention has words and empty nodes, bool (M,)."""
        if not self.has_parts:
            return np.zeros(len(self), np.bool_)
        n_empty = sum_by(self.parts[:, 0] & EMPTY != 0, self.part_bounds)
        return (n_empty > 0) & (n_empty < np.diff(self.part_bounds))

    @cached_property
    def are_spans(self) -> Bools:
        """Whether each mention is words that follow each other, without empty nodes, bool (M,)."""
        return self.are_words if not self.has_parts else self.are_words & (np.diff(self.part_bounds) == 1)

    def parts_of(self, m: int) -> Ints:
        """Return first and last node of each part of a mention, int64 (n, 2)."""
        if not self.has_parts:
            return np.array([[self.first[m], self.last[m]]])
        return self.parts[self.part_bounds[m] : self.part_bounds[m + 1]]

    def n_common(self, m: int, other: Mentions, k: int) -> int:
        """Return how many nodes a mention has in common with one of the same or of the other side."""
        common = 0
        parts = other.parts_of(k).tolist()
        for first, last in self.parts_of(m).tolist():
            for begin, end in parts:
                left, right = max(first, begin), min(last, end)
                if left <= right and bool(first & EMPTY) == bool(begin & EMPTY):
                    common += 1 + (right - left if first & EMPTY else (right - left) >> BITS)
        return common

    def codes(self, number_of: dict[bytes, int]) -> Ints:
        """Return a code of each mention, equal for equal spans or sets of nodes.

        Args:
            number_of: the numbers of sets that are not spans of words; new ones are added.

        Returns:
            int64 (M,) first and last word in one number, or a negative number for a set that is not a span of words.
        """
        codes = self.start.astype(np.int64) << 32 | self.end
        if self.has_parts:
            is_other = ~self.are_spans
            is_node = is_other & (self.first == self.last)
            codes[is_node] = self.first[is_node] - (1 << 62)  # less than any other code
            for m in np.flatnonzero(is_other & ~is_node).tolist():
                own = self.parts[self.part_bounds[m] : self.part_bounds[m + 1]].tobytes()
                codes[m] = ~number_of.setdefault(own, len(number_of))
        return codes


COLUMNS = tuple([field.name for field in fields(Mentions) if "part" not in field.name])
"""The fields of `Mentions` with one value per mention."""


def part_sizes(parts: Ints) -> Ints:
    """Return the number of nodes of each part, int64 (P,)."""
    step = parts[:, 1] - parts[:, 0]
    return np.where(parts[:, 0] & EMPTY != 0, step, step >> BITS) + 1


def nodes_of(parts: Ints) -> Ints:
    """Return the nodes of parts, int64 (N,), one part after the other.

    >>> nodes_of(np.array([[1 << BITS, 2 << BITS], [2 << BITS | 1, 2 << BITS | 1]])).tolist()
    [1048576, 2097152, 2097153]
    """
    first, size = parts[:, 0], part_sizes(parts)
    step = np.where(first & EMPTY != 0, 1, 1 << BITS)
    return first.repeat(size) + ranges(np.zeros_like(size), size) * step.repeat(size)


def parts_between(nodes: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Return the parts of mentions that are ranges of a sequence of nodes.

        >>> words = np.array([1, 2, 4, 5]) << BITS
        >>> parts, part_bounds = parts_between(words, np.array([0, 2]), np.array([2, 3]))
        >>> (parts >> BITS).tolist(), part_bounds.tolist()
        ([[1, 2], [4, 4], [4, 5]], [0, 2, 3])

    Args:
        nodes: int64 (N,) the nodes of a file, or those of one mention after the other.
        first: int64 (M,) place of the first node of each mention.
        last: int64 (M,) place of the last one.

    Returns:
        int64 (P, 2) and (M+1,): `Mentions.parts` and `Mentions.part_bounds`.
    """
    is_empty = nodes & EMPTY != 0
    begins = run_starts(nodes - np.cumsum(np.append(0, np.where(is_empty, 1, 1 << BITS)))[:-1], is_empty)
    next_run, behind = begins.searchsorted(first, "right"), begins.searchsorted(last, "right")
    n_parts = behind - next_run + 1
    part_bounds = bounds(n_parts)
    left, right = begins[ranges(next_run - 1, n_parts)], np.append(begins, nodes.size)[ranges(next_run, n_parts)] - 1
    left[part_bounds[:-1]], right[part_bounds[1:] - 1] = first, last
    return np.stack([nodes[left], nodes[right]], axis=1), part_bounds


def join_parts(parts: Ints, part_bounds: Ints) -> tuple[Ints, Ints]:
    """Join parts of words of a mention between which there is no other word.

    Args:
        parts: int64 (P, 2) see `Mentions.parts`; parts of words may overlap the part before.
        part_bounds: int64 (M+1,) see `Mentions.part_bounds`.
    """
    is_first = np.ones(len(parts), np.bool_)
    before, behind = parts[:-1, 1], parts[1:, 0]
    is_first[1:] = (behind - before > 1 << BITS) | ((behind | before) & EMPTY != 0)
    is_first[part_bounds[:-1]] = True
    is_last = np.append(is_first[1:], True)[: len(parts)]
    joined = np.stack([parts[is_first, 0], parts[is_last, 1]], axis=1)
    return joined, np.flatnonzero(is_first).searchsorted(part_bounds)


def without_empty_nodes(mentions: Mentions) -> tuple[Mentions, int, int]:
    """Leave out zeros, which are mentions whose head is an empty node or that have no word, and all other empty nodes.

    Returns:
        The mentions; how many were left out; how many of the others have lost empty nodes.
    """
    n_words = sum_by(mentions.parts[:, 0] & EMPTY == 0, mentions.part_bounds) if mentions.has_parts else None
    if n_words is None or mentions.are_words.all():
        return mentions, 0, 0
    kept = mentions.take(np.flatnonzero((n_words > 0) & ~mentions.is_zero))
    n_mixed = int(kept.are_mixed.sum())
    is_word = kept.parts[:, 0] & EMPTY == 0
    parts, part_bounds = join_parts(kept.parts[is_word], bounds(sum_by(is_word, kept.part_bounds)))
    kept = replace(kept, parts=parts, part_bounds=part_bounds)
    start, end = ((node >> BITS).astype(np.int32) - 1 for node in (kept.first, kept.last))
    return replace(kept, start=start, end=end), len(mentions) - len(kept), n_mixed


def join_mentions(batches: Sequence[Mentions]) -> Mentions:
    """Join the mentions of one or more batches, whose documents are numbered on, in order."""
    if any(batch.has_parts for batch in batches):
        batches = [batch.with_parts() for batch in batches]
    joined: dict[str, Any] = {}
    for field in fields(Mentions):
        columns = [getattr(batch, field.name) for batch in batches]
        known = next((column for column in columns if column is not None), None)
        if field.name == "part_bounds" and known is not None:
            joined[field.name] = bounds(np.concatenate([np.diff(column) for column in columns]))
        elif known is not None:
            nothing = "" if field.name == "deps" else None if known.dtype == object else 0
            pairs = zip(columns, map(len, batches), strict=True)
            filled = [np.full(size, nothing, known.dtype) if column is None else column for column, size in pairs]
            joined[field.name] = np.concatenate(filled)
    return Mentions(**joined)
