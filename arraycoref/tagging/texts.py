"""Hold a tagged file as ragged arrays: words with their tags, characters and lines."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=Hashable)

ZS = dict.fromkeys([0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000])
"""The spaces, which are the characters of the Unicode class Zs, as a table with which `str.translate` removes them."""


@dataclass(frozen=True, eq=False)
class TaggedText:
    """The W words of one side (gold or system), in S sentences and D documents.

    Attributes:
        source: the file as the user named it.
        tag_names: the V distinct tags as written; in CoNLL-U, ``UPOS TAB XPOS TAB FEATS``.
        tag_lines: int64 (V,) the first line that has each tag.
        tag_offsets: int64 (W+1,) word w has the tags ``tags[tag_offsets[w]:tag_offsets[w + 1]]``.
        tags: int32 (T,) indices of ``tag_names``; a word has each tag once.
        forms: the F distinct word forms.
        form: int32 (W,) form of each word, an index of ``forms``.
        start: int64 (W,) index in ``text`` of the first character of the word's token.
        end: int64 (W,) index in ``text`` of the character after the token's last.
        multiword: bool (W,) whether the word is part of a multiword token, and has the span of the token.
        line: int64 (W,) line of each word, from 1.
        sentences: int64 (S+1,) sentence s has the words ``sentences[s]:sentences[s + 1]``.
        documents: int64 (D+1,) document d has the sentences ``documents[d]:documents[d + 1]``.
        document_names: the D names, all different.
        text: the tokens without white space.
    """

    source: str
    tag_names: tuple[str, ...]
    tag_lines: NDArray[np.int64]
    tag_offsets: NDArray[np.int64]
    tags: NDArray[np.int32]
    forms: tuple[str, ...]
    form: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    multiword: NDArray[np.bool_]
    line: NDArray[np.int64]
    sentences: NDArray[np.int64]
    documents: NDArray[np.int64]
    document_names: tuple[str, ...]
    text: str

    def __len__(self) -> int:
        return int(self.line.shape[0])


@dataclass(eq=False)
class TextBuilder:
    """Collects the words of a file: readers add words, and end sentences and documents.

    Attributes:
        source: the file as the user named it.
        forms: the form of each word.
        line: the line of each word.
        n_tags: the number of tags of each word.
        tags: the tags of all words, word by word.
        tokens: the form of each token.
        multiword: for each token the number of its words; 0 for a token that is a word.
        sentences: the first word of each sentence, and the number of words.
        documents: the first sentence of each document, and the number of sentences.
        names: the name of each document.
    """

    source: str
    forms: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    n_tags: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    multiword: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=lambda: [0])
    documents: list[int] = field(default_factory=lambda: [0])
    names: list[str] = field(default_factory=list)

    def add(self, form: str, tags: Iterable[str], line: int) -> None:
        """Add a word that is a token, with each of its tags once."""
        different = dict.fromkeys(tags)
        self.forms.append(form)
        self.line.append(line)
        self.n_tags.append(len(different))
        self.tags += different
        self.tokens.append(form)
        self.multiword.append(0)

    def end_sentence(self) -> None:
        """End the sentence, if it has words."""
        if self.sentences[-1] < len(self.forms):
            self.sentences.append(len(self.forms))

    def end_document(self, name: str) -> None:
        """End the sentence; and the document, if it has sentences."""
        self.end_sentence()
        if self.documents[-1] < len(self.sentences) - 1:
            self.documents.append(len(self.sentences) - 1)
            self.names.append(name)

    def build(self) -> TaggedText:
        """Return the words as arrays; call this after the end of the last document."""
        form_ids: dict[str, int] = {}
        tag_ids: dict[str, int] = {}
        form = np.array(numbered(self.forms, form_ids), np.int32)
        tags = np.array(numbered(self.tags, tag_ids), np.int32)
        line = np.array(self.line, np.int64)
        tag_offsets = np.append(0, np.cumsum(self.n_tags, dtype=np.int64))
        pieces = [token if token.isascii() and " " not in token else token.translate(ZS) for token in self.tokens]
        end = np.cumsum(list(map(len, pieces)), dtype=np.int64)
        n_words = np.array(self.multiword, np.int64)
        token = np.repeat(np.arange(len(pieces)), np.maximum(n_words, 1))  # of each word
        return TaggedText(
            source=self.source,
            tag_names=tuple(tag_ids),
            tag_lines=line[owners(tag_offsets)][np.unique(tags, return_index=True)[1]],
            tag_offsets=tag_offsets,
            tags=tags,
            forms=tuple(form_ids),
            form=form,
            start=np.append(0, end)[token],
            end=end[token],
            multiword=n_words[token] > 0,
            line=line,
            sentences=np.array(self.sentences, np.int64),
            documents=np.array(self.documents, np.int64),
            document_names=unique_names(self.names),
            text="".join(pieces),
        )


def numbered(items: Iterable[T], ids: dict[T, int]) -> list[int]:
    """Return the numbers of items; an item that is not in ``ids`` is added to it with the next number."""
    return [ids.setdefault(item, len(ids)) for item in items]


def owners(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the run to which each element belongs; run r holds the elements ``offsets[r]:offsets[r + 1]``."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Make names differ: the second ``x`` becomes ``x#2``."""
    seen: dict[str, int] = {}
    unique: dict[str, None] = {}
    for name in names:
        seen[name] = n = seen.get(name, 0) + 1
        candidate = name if n == 1 else f"{name}#{n}"
        while candidate in unique:
            candidate += "'"
        unique[candidate] = None
    return tuple(unique)
