"""Hold a tagged file as ragged arrays: words with their tags, characters and lines; with helpers for its readers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arraycoref.deadline import within_time
from arraycoref.errors import ReadError
from arraycoref.lazy import cached_property
from arraycoref.read.parsed import Fault

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
        start: int64 (W,) index in ``text`` of the first byte of the word's token.
        end: int64 (W,) index in ``text`` of the byte after the token's last.
        multiword: uint8 (W,) 1 for the words of a multiword token, which have the span of the token.
        line: int64 (W,) line of each word, from 1.
        sentences: int64 (S+1,) sentence s has the words ``sentences[s]:sentences[s + 1]``.
        documents: int64 (D+1,) document d has the sentences ``documents[d]:documents[d + 1]``.
        document_names: the D names, all different.
        text: uint8 (B,) the tokens without white space, in UTF-8.
        number_forms: called once, when forms are first needed; returns ``forms`` and ``form``.
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
        """int32 (W,) form of each word, an index of ``forms``."""
        return self._forms[1]


@dataclass
class TextBuilder:
    """Collects the words of a file. Readers that are written in Python add words and end sentences and documents."""

    source: str
    form_ids: dict[str, int] = field(default_factory=dict)
    tag_ids: dict[str, int] = field(default_factory=dict)
    form: list[int] = field(default_factory=list)
    tags: list[int] = field(default_factory=list)
    n_tags: list[int] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=lambda: [0])
    documents: list[int] = field(default_factory=lambda: [0])
    names: list[str] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)

    def add(self, form: str, tags: Iterable[str], line: int) -> bool:
        """Add a word, with each of its tags once; if the form has only spaces, add nothing and return False."""
        piece = form.translate(ZS).encode("utf-8")
        if not piece:
            return False
        different = dict.fromkeys(tags)
        self.pieces.append(piece)
        self.form.append(self.form_ids.setdefault(form, len(self.form_ids)))
        self.tags += numbered(different, self.tag_ids)
        self.n_tags.append(len(different))
        self.line.append(line)
        return True

    def end_sentence(self) -> None:
        """End the sentence, if it has words."""
        if self.sentences[-1] < len(self.form):
            self.sentences.append(len(self.form))

    def end_document(self, name: str) -> None:
        """End the sentence; and the document, if it has sentences."""
        self.end_sentence()
        if self.documents[-1] < len(self.sentences) - 1:
            self.documents.append(len(self.sentences) - 1)
            self.names.append(name)

    def build(self) -> TaggedText:
        """Return the words as arrays; call this after the end of the last document."""
        ends, tag_offsets = (np.cumsum([0, *sizes], dtype=np.int64) for sizes in (map(len, self.pieces), self.n_tags))
        line, tags = np.array(self.line, np.int64), np.array(self.tags, np.int32)
        first = np.unique(tags, return_index=True)[1]
        forms: Any = (tuple(self.form_ids), np.array(self.form, np.int32))
        return TaggedText(
            source=self.source,
            tag_names=tuple(self.tag_ids),
            tag_lines=line[owners(tag_offsets)][first],
            tag_offsets=tag_offsets,
            tags=tags,
            start=ends[:-1].copy(),
            end=ends[1:].copy(),
            multiword=np.zeros(len(line), np.uint8),
            line=line,
            sentences=np.array(self.sentences, np.int64),
            documents=np.array(self.documents, np.int64),
            document_names=unique_names(self.names),
            text=np.frombuffer(b"".join(self.pieces), np.uint8).copy(),
            number_forms=partial(tuple, forms),  # can be pickled, unlike a nested function
        )


def decoded_lines(data: bytes, source: str, fault: Fault) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers, without line ends.

    Args:
        data: the file, UTF-8.
        source: its name, for messages.
        fault: called with an error for each line that is not UTF-8; the line's invalid bytes then become U+FFFD.
    """
    for number, raw in enumerate(within_time(data.split(b"\n")), 1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            fault(ReadError(source, number, f"not UTF-8: {raw[error.start : error.start + 20]!r}"))
            line = raw.decode("utf-8", "replace")
        yield number, line.rstrip("\r")


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
