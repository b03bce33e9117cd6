"""Hold the mentions and the text of D documents as they were read for one side, before the sides are matched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import ReadError, first_names
from arraycoref.ragged import ranges
from arraycoref.read.nodes import Nodes, concatenate_nodes, of_spans
from arraycoref.report.tables import number_of

Sentences = list[list[str]]
"""The words of each sentence."""


@dataclass(frozen=True, eq=False)
class FileText:
    """The text of all documents of one file. The bytes of two files can be compared without making words of them.

    Attributes:
        data: uint8 (N,) bytes of the file.
        make: function that makes the sentences of a document, from its first and its past-the-last position in
            ``data``.
        layout: if two files have equal layouts, equal bytes hold equal words. In ``conll``, the bytes are whole lines,
            and the words are one of their columns. None for a file whose bytes are not to be compared.
        tree: function that makes the trees of a document in the same way, see `Text.tree`; None for a file without.
        words: function that returns bytes to compare in the same way, in place of those of ``data``.
    """

    data: NDArray[np.uint8]
    make: Callable[[int, int], Sentences]
    layout: object = None
    tree: Callable[[int, int], NDArray[np.int64] | None] | None = None
    words: Callable[[int, int], bytes] | None = None

    def compared(self, first: int, stop: int) -> bytes:
        """Return bytes that are equal for equal words, if the layouts of two files are."""
        return self.words(first, stop) if self.words is not None else self.data[first:stop].tobytes()


def text_of(words: list[str]) -> FileText:
    """Return a text made of words that are in no file."""
    return FileText(np.empty(0, np.uint8), lambda *_: [words])


@dataclass(frozen=True, eq=False)
class Text:
    """The words and sentences of D documents, made when they are asked for.

    Attributes:
        files: (D,) the text of the file that each document is from; None where the file has no text.
        places: int64 (D, 2) where the document's text begins and ends in the bytes of this file.
    """

    files: tuple[FileText | None, ...]
    places: NDArray[np.int64]

    @property
    def have_trees(self) -> bool:
        """Whether each document is from a file with trees."""
        return all(file is not None and file.tree is not None for file in self.files)

    def bytes_of(self, d: int) -> bytes:
        """Return the text of a document as it is in its file; nothing where the file has no text."""
        file, (first, stop) = self.files[d], self.places[d].tolist()
        return b"" if file is None else file.data[first:stop].tobytes()

    def compared(self, d: int) -> bytes:
        """Return bytes of a document that are equal for equal words in two files of one layout; none without text."""
        file = self.files[d]
        return b"" if file is None else file.compared(*self.places[d].tolist())

    def sentences(self, d: int) -> Sentences | None:
        """Return the words of each sentence of a document; None where the file has no text."""
        file = self.files[d]
        return None if file is None else file.make(*self.places[d].tolist())

    def words(self, d: int) -> list[str] | None:
        """Return the words of a document; None where the file has no text."""
        sentences = self.sentences(d)
        return None if sentences is None else list(chain.from_iterable(sentences))

    def tree(self, d: int) -> NDArray[np.int64] | None:
        """Return the parent of each word of a document, int64 (W,) from 1 and 0 for none; None without trees."""
        file = self.files[d]
        return None if file is None or file.tree is None else file.tree(*self.places[d].tolist())

    def take(self, indices: NDArray[np.int64]) -> Text:
        """Select documents, int64 (E,) in 0..D-1, or -1 for one without text."""
        files = (*self.files, None)
        places = np.append(self.places, np.zeros((1, 2), np.int64), axis=0)
        return Text(tuple([files[d] for d in indices.tolist()]), places[indices])


@dataclass(frozen=True, eq=False, repr=False)
class Documents:
    """The mention occurrences of D documents of one side (key or response).

    Attributes:
        names: (D,) unique document names. A CoNLL header ``(x); part 003`` gives ``x_3``, as neural systems write
            ``doc_key``; a header without a part gives ``x``.
        headers: (D,) what followed ``#begin document`` in the file, or the name in parentheses for other formats.
        sources: (D,) the file that each document came from, as the user named it.
        offsets: int64 (D+1,) document d owns the occurrences ``offsets[d]:offsets[d + 1]``.
        start: int32 (M,) first token of the occurrence, counted from 0 in its document.
        end: int32 (M,) last token, inclusive.
        entity: int32 (M,) entity of the occurrence: 0, 1, ... in each document, in the order in which entity ids
            first appear in the file.
        line: int64 (M,) line of the file, from 1, on which the occurrence begins; 0 where it is not known.
        n_tokens: int64 (D,) tokens in the document where the file gives it; otherwise as many as its mentions need.
        counted: bool (D,) whether the file says how many tokens the document has.
        named: bool (D,) whether the file names the document. If not, its name is its number in the file, or the file's
            name if it is the only document there.
        units: (D,) what ``start`` and ``end`` count: ``word``, ``subtoken``, ``character`` or ``mention``. A document
            of ``mention`` has values in place of spans: start and end are the number of the value among the document's
            words. An empty string fits any unit.
        text: words and sentences of the documents.
        columns: names of the columns that hold a mention, if the documents are from a table; otherwise empty.
        nodes: the nodes of each occurrence, if the files have trees or mentions with gaps; start and end are then those
            of its words.
        mention_texts: object (M,) the text that the file gives with each occurrence, or None; None if no file has any.
    """

    names: tuple[str, ...]
    headers: tuple[str, ...]
    sources: tuple[str, ...]
    offsets: NDArray[np.int64]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    entity: NDArray[np.int32]
    line: NDArray[np.int64]
    n_tokens: NDArray[np.int64]
    counted: NDArray[np.bool_]
    named: NDArray[np.bool_]
    units: tuple[str, ...]
    text: Text
    columns: tuple[str, ...] = ()
    nodes: Nodes | None = None
    mention_texts: NDArray[np.object_] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        files = ", ".join(first_names(tuple(dict.fromkeys(self.sources)), 3))
        return f"<{number_of(len(self), 'document')}, {number_of(len(self.start), 'mention')}, from {files}>"

    def spans(self, d: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return first token, last token and entity of each occurrence of a document."""
        here = slice(self.offsets[d], self.offsets[d + 1])
        return self.start[here], self.end[here], self.entity[here]

    def codes(self, number_of: dict[bytes, int]) -> NDArray[np.int64]:
        """Return a code of each occurrence, equal for equal spans or sets of words and empty nodes.

        Args:
            number_of: the numbers of sets that are no spans of words; new ones are added.

        Returns:
            int64 (M,) first and last token in one number, or a negative number for a set that is no span of words.
        """
        codes = self.start.astype(np.int64) << 32 | self.end
        if self.nodes is not None:
            nodes = self.nodes
            other = ~nodes.are_spans
            empty = other & (nodes.size == 1)
            codes[empty] = nodes.head[empty] - (1 << 62)  # less than any other code
            for m in np.flatnonzero(other & ~empty).tolist():
                within = nodes.node[nodes.offsets[m] : nodes.offsets[m + 1]].tobytes()
                codes[m] = ~number_of.setdefault(within, len(number_of))
        return codes

    def _of(self, occurrences: NDArray[np.int64]) -> dict[str, Any]:
        """Return the fields with one value per occurrence, for some of these."""
        found: dict[str, Any] = {name: getattr(self, name)[occurrences] for name in OF_MENTIONS}
        return found | {"mention_texts": None if self.mention_texts is None else self.mention_texts[occurrences]}

    def keep(self, kept: NDArray[np.bool_]) -> Documents:
        """Leave out the occurrences that are not kept, bool (M,)."""
        occurrences = np.flatnonzero(kept)
        changed = self._of(occurrences)
        if self.nodes is not None:
            changed["nodes"] = self.nodes.take(occurrences, range(len(self)))
        return replace(self, offsets=np.append(0, np.cumsum(kept))[self.offsets], **changed)


@dataclass(frozen=True, eq=False)
class Parsed:
    """What a reader returns for one file.

    Attributes:
        documents: its documents.
        begins: (D,) the line on which each begins.
        clusters_field: in JSON, the field of the clusters; all files of a side must have the same.
        bare_numbers: in CoNLL, how many numbers without a bracket were passed over, and line and value of the first.
    """

    documents: Documents
    begins: tuple[int, ...]
    clusters_field: str | None = None
    bare_numbers: tuple[int, int, str] | None = None


TEXTS = ("names", "headers", "sources", "units")
"""Fields with a string per document, which is empty for an empty document."""

NUMBERS = {"n_tokens": 0, "counted": False, "named": True}
"""Fields with a number per document, and its value for an empty document."""

OF_MENTIONS = ("start", "end", "entity", "line")
"""Fields with one number per occurrence."""


def repeated_mention(side: Documents, first: int, second: int) -> ReadError:
    """Return the error for two occurrences of one mention; its line is that of the second."""
    d = int(side.offsets.searchsorted(first, side="right")) - 1
    where = "two entities" if side.entity[first] != side.entity[second] else "one entity twice"
    what = "characters" if side.units[d] == "character" else "tokens"
    mention = f"of {what} {side.start[first]}-{side.end[first]}"
    if side.units[d] == "mention":
        mention = (side.text.words(d) or [])[side.start[first]]
    line, also = (int(side.line[second]), f", also on line {side.line[first]}") if side.line[second] else (None, "")
    return ReadError(side.sources[d], line, f"document {side.names[d]!r}: the mention {mention} is in {where}{also}")


def take(documents: Documents, indices: Sequence[int] | NDArray[np.integer]) -> Documents:
    """Select documents, in the order of the indices.

    Args:
        documents: D documents.
        indices: int (E,) in 0..D-1, or -1 for an empty document, whose name, header and source are empty.

    Returns:
        E documents; `documents` itself where the indices are 0..D-1 in order.
    """
    wanted = np.asarray(indices, np.int64).reshape(-1)
    if np.array_equal(wanted, np.arange(len(documents))):
        return documents
    lengths = np.append(np.diff(documents.offsets), 0)[wanted]  # -1 takes the last one, 0
    offsets = np.append(0, np.cumsum(lengths))
    occurrences = ranges(documents.offsets[wanted], lengths)
    changed = documents._of(occurrences)
    for name in TEXTS:
        texts = (*getattr(documents, name), "")
        changed[name] = tuple([texts[d] for d in wanted.tolist()])
    for name, absent in NUMBERS.items():
        changed[name] = np.append(getattr(documents, name), absent)[wanted]
    if documents.nodes is not None:
        changed["nodes"] = documents.nodes.take(occurrences, wanted.tolist())
    return replace(documents, offsets=offsets, text=documents.text.take(wanted), **changed)


def concatenate(parts: Sequence[Documents]) -> Documents:
    """Join the documents of one or more batches into one batch, in order."""
    lengths = [np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)]
    joined: dict[str, Any] = {name: tuple(chain.from_iterable(getattr(part, name) for part in parts)) for name in TEXTS}
    for name in (*OF_MENTIONS, *NUMBERS):
        joined[name] = np.concatenate([getattr(part, name) for part in parts])
    texts = [part.text for part in parts]
    files = tuple(chain.from_iterable(text.files for text in texts))
    text = Text(files, np.concatenate([text.places for text in texts]))
    if any(part.nodes is not None for part in parts):
        joined["nodes"] = concatenate_nodes([part.nodes or of_spans(part.start, part.end, len(part)) for part in parts])
    if any(part.mention_texts is not None for part in parts):
        found = [np.full(part.start.size, None) if (each := part.mention_texts) is None else each for part in parts]
        joined["mention_texts"] = np.concatenate(found)
    return Documents(offsets=np.cumsum(np.concatenate(lengths)), text=text, columns=parts[0].columns, **joined)
