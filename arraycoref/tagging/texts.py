"""Hold the words of a tagged file in order, with their tags, lines, sentences and documents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=Hashable)
Int64 = NDArray[np.int64]

ZS = dict.fromkeys([0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000])
"""The spaces, which are the characters of the Unicode class Zs, as a table with which `str.translate` removes them."""


@dataclass(eq=False)
class TaggedText:
    """The W words of one side (gold or system), in S sentences and D documents; only the reader of a file changes it.

    Attributes:
        source: the file as the user named it.
        forms: (W,) form of each word.
        lines: (W,) line of each word, from 1.
        tags: (T,) tags of all words, word by word, each once; in CoNLL-U, ``UPOS TAB XPOS TAB FEATS``.
        tag_offsets: (W+1,) word w has the tags ``tags[tag_offsets[w]:tag_offsets[w + 1]]``.
        tokens: (K,) form of each token: a word, or a multiword token.
        multiword: (K,) number of words of each multiword token; 0 for a token that is a word.
        sentences: (S+1,) sentence s has the words ``sentences[s]:sentences[s + 1]``.
        documents: (D+1,) document d has the sentences ``documents[d]:documents[d + 1]``.
        document_names: (D,) may repeat.
    """

    source: str
    forms: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    tag_offsets: list[int] = field(default_factory=lambda: [0])
    tokens: list[str] = field(default_factory=list)
    multiword: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=lambda: [0])
    documents: list[int] = field(default_factory=lambda: [0])
    document_names: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.forms)

    def add(self, form: str, tags: Iterable[str], line: int) -> None:
        """Add a word that is a token, with each of its tags once."""
        self.forms.append(form)
        self.lines.append(line)
        self.tags += dict.fromkeys(tags)
        self.tag_offsets.append(len(self.tags))
        self.tokens.append(form)
        self.multiword.append(0)

    def end_sentence(self) -> None:
        """End the sentence, if it has words."""
        if self.sentences[-1] < len(self.forms):
            self.sentences.append(len(self.forms))

    def end_document(self, name: str = "") -> None:
        """End the sentence; and the document, if it has sentences. One without a name is called by its number."""
        self.end_sentence()
        if self.documents[-1] < len(self.sentences) - 1:
            self.documents.append(len(self.sentences) - 1)
            self.document_names.append(name or f"document {len(self.document_names) + 1}")

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The V distinct tags, in the order in which they appear."""
        return tuple(dict.fromkeys(self.tags))

    @cached_property
    def pieces(self) -> list[str]:
        """The tokens without spaces: the text that is compared."""
        return [token if token.isascii() and " " not in token else token.translate(ZS) for token in self.tokens]

    @cached_property
    def spans(self) -> tuple[Int64, Int64, NDArray[np.bool_]]:
        """The places of the words in the text without spaces.

        int64 (W,) the first character of each word, or of the multiword token of which it is a part; int64 (W,) the
        one after its last; bool (W,) whether it is part of a multiword token.
        """
        end = np.cumsum(list(map(len, self.pieces)), dtype=np.int64)
        n_words = np.array(self.multiword, np.int64)
        token = np.repeat(np.arange(len(n_words)), np.maximum(n_words, 1))  # of each word
        return np.append(0, end)[token], end[token], n_words[token] > 0


def numbered(items: Iterable[T], ids: dict[T, int]) -> list[int]:
    """Return the numbers of items; an item that is not in ``ids`` is added to it with the next number."""
    return [ids.setdefault(item, len(ids)) for item in items]


def owners(offsets: NDArray[np.int64] | list[int]) -> NDArray[np.int64]:
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
