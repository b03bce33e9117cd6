"""Hold what mentions consist of where a file has trees: sets of words and empty nodes, their heads and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.ragged import Ints as Integers, ranges

BITS = 20
"""A node is ``w << BITS | n``: word w of the document, from 1, and n = 0; or the n-th empty node behind word w.

Numbers of words are those of any other format plus one, so that spans of words can be compared. In an empty node, n has
`AT_START` added if it stands before the first word of its sentence: 0 is then the beginning of the document.
"""

AT_START = 1 << (BITS - 1)
"""Bit of n in an empty node that stands before the first word of its sentence, as the node 0.1 of CoNLL-U does."""

UPOS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
"""Universal parts of speech; each is a bit of `Nodes.upos`."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """The words and empty nodes of M mention occurrences in D documents of one side.

    Attributes:
        offsets: int64 (M+1,) occurrence m consists of ``node[offsets[m]:offsets[m + 1]]``.
        node: int64 (N,) its words and empty nodes in order, see `BITS`.
        head: int64 (M,) its head, one of its nodes.
        sentence: int64 (M,) its sentence in the document, from 0; -1 for a mention of words of two sentences.
        upos: int64 (M,) the parts of speech of its head and of the head's ``flat`` children, a bit for each of `UPOS`.
        deps: (M,) texts, the enhanced dependencies of its head if that is an empty node, otherwise empty.
        sentences: (D,) the ``sent_id`` of each sentence of the document, empty where it has none.
        ids: (D,) the id of each entity of the document; none if the file has no ids.
        headed: whether the heads are known; otherwise they are first words.
    """

    offsets: Integers
    node: Integers
    head: Integers
    sentence: Integers
    upos: Integers
    deps: NDArray[np.object_]
    sentences: tuple[tuple[str, ...], ...]
    ids: tuple[tuple[str, ...], ...]
    headed: bool = True

    @property
    def size(self) -> Integers:
        """Number of nodes of each occurrence, int64 (M,)."""
        return np.diff(self.offsets)

    @property
    def is_zero(self) -> NDArray[np.bool_]:
        """Whether the head of each occurrence is an empty node, bool (M,)."""
        return (self.head & ((1 << BITS) - 1)).astype(np.bool_)

    @property
    def are_words(self) -> NDArray[np.bool_]:
        """Whether each occurrence is without empty nodes, bool (M,)."""
        n_empty = np.append(0, np.cumsum(self.node & ((1 << BITS) - 1) != 0))
        return np.asarray(n_empty[self.offsets[1:]] == n_empty[self.offsets[:-1]])

    @property
    def are_spans(self) -> NDArray[np.bool_]:
        """Whether each occurrence is words that follow each other, without empty nodes, bool (M,)."""
        first, last = self.node[self.offsets[:-1]], self.node[self.offsets[1:] - 1]
        return np.asarray(self.are_words & ((last - first) >> BITS == self.size - 1))

    def take(self, occurrences: Integers, documents: Sequence[int]) -> Nodes:
        """Select occurrences, int64 (L,), and the documents that they are in; a document of -1 has no sentence."""
        size = self.size[occurrences]
        sentences, ids = (*self.sentences, ()), (*self.ids, ())
        return Nodes(
            np.append(0, np.cumsum(size)),
            self.node[ranges(self.offsets[occurrences], size)],
            sentences=tuple([sentences[d] for d in documents]),
            ids=tuple([ids[d] for d in documents]),
            headed=self.headed,
            **{name: getattr(self, name)[occurrences] for name in OF_OCCURRENCES},
        )


OF_OCCURRENCES = ("head", "sentence", "upos", "deps")
"""Fields of `Nodes` with one value per occurrence."""


def of_spans(
    start: NDArray[np.int32], end: NDArray[np.int32], n_documents: int, parts: Sequence[tuple[int, int, int]] = ()
) -> Nodes:
    """Make the nodes of spans of words without known heads.

    Args:
        start: int32 (M,) first word of each occurrence, from 0 in its document.
        end: int32 (M,) last word, inclusive.
        n_documents: D.
        parts: of occurrences with gaps, each part: which occurrence it is of, its first and last word.
    """
    of_part, first, last = np.array(parts, np.int64).reshape(-1, 3).T
    whole = np.delete(np.arange(start.size), of_part)
    owner = np.concatenate([whole, of_part])
    order = np.lexsort((np.concatenate([start[whole], first]), owner))
    begin = np.concatenate([start[whole], first])[order]
    length = np.concatenate([end[whole], last])[order] - begin + 1
    nothing = np.zeros(start.size, np.int64)
    return Nodes(
        np.append(0, np.cumsum(np.bincount(owner[order], length, start.size))).astype(np.int64),
        ranges(begin + 1, length) << BITS,
        start.astype(np.int64) + 1 << BITS,
        nothing,
        nothing,
        np.full(start.size, "", object),
        ((),) * n_documents,
        ((),) * n_documents,
        headed=False,
    )


def concatenate_nodes(parts: Sequence[Nodes]) -> Nodes:
    """Join the nodes of one or more batches of documents, in order."""
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ("node", *OF_OCCURRENCES)
    }
    lengths = np.concatenate([np.zeros(1, np.int64), *(part.size for part in parts)])
    for name in ("sentences", "ids"):
        joined[name] = tuple(texts for part in parts for texts in getattr(part, name))
    headed = all(part.headed or not part.head.size for part in parts)
    return Nodes(offsets=np.cumsum(lengths), headed=headed, **joined)
