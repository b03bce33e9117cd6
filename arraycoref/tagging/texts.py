"""What a tagged file holds: words with their tags, characters and lines, as ragged arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.lazy import cached_property

ZS = dict.fromkeys([0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000])
"""The characters of Unicode class Zs, as `str.translate` removes them."""


@dataclass(frozen=True, eq=False)
class TaggedText:
    """The W words of one side (gold or system), in S sentences and D documents.

    Attributes:
        source: the file as the user named it.
        tag_names: the V distinct tags as written; of CoNLL-U, ``UPOS TAB XPOS TAB FEATS``.
        tag_lines: int64 (V,) the first line on which each tag stands.
        tag_offsets: int64 (W+1,) word w has the tags ``tags[tag_offsets[w]:tag_offsets[w + 1]]``.
        tags: int32 (T,) places in ``tag_names``; a word has each tag once.
        start: int64 (W,) first character of the word's token, counted in bytes of ``text``.
        end: int64 (W,) character after the last.
        multiword: uint8 (W,) 1 for the words of a multiword token, which have the span of the token.
        line: int64 (W,) line of each word, from 1.
        sentences: int64 (S+1,) sentence s has the words ``sentences[s]:sentences[s + 1]``.
        documents: int64 (D+1,) document d has the sentences ``documents[d]:documents[d + 1]``.
        document_names: the D names, no two alike.
        text: uint8 (B,) the tokens without white space, in UTF-8.
        number_forms: called once when forms are asked for; returns ``forms`` and ``form``.
    """

    source: str
    tag_names: tuple[str, ...]
    tag_lines: NDArray[np.int64]
    tag_offsets: NDArray[np.int64]
    tags: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    multiword: NDArray[np.uint8]
    line: NDArray[np.int64]
    sentences: NDArray[np.int64]
    documents: NDArray[np.int64]
    document_names: tuple[str, ...]
    text: NDArray[np.uint8]
    number_forms: Callable[[], tuple[tuple[str, ...], NDArray[np.int32]]]

    def __len__(self) -> int:
        return int(self.line.shape[0])

    @cached_property
    def _forms(self) -> tuple[tuple[str, ...], NDArray[np.int32]]:
        return self.number_forms()

    @property
    def forms(self) -> tuple[str, ...]:
        """The F distinct word forms."""
        return self._forms[0]

    @property
    def form(self) -> NDArray[np.int32]:
        """int32 (W,) form of each word, a place in ``forms``."""
        return self._forms[1]


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
