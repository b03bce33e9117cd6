"""Match the mentions of key and response: number those of both sides in one union index, and resolve repeated ones.

Whatever holds mentions (files, objects, tables) becomes `Occurrences` of each side, in which mentions that match have
equal codes; `number_mentions` does the rest. `MATCHINGS` says which mentions of files match: a matching is a function
on a page of its own in this folder, and a line in that table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import DuplicateMentionError, InputError
from arraycoref.options import Policies
from arraycoref.read.documents import Documents
from arraycoref.scoring.cells import Integers, segment_bounds
from arraycoref.scoring.clusterings import LABEL_SEED
from arraycoref.scoring.labels import as_kernel_array

Describe = Callable[[str, int, int], object]
"""Takes a side and two rows of it that hold one mention; returns words that say which mention it is, and where."""


class Occurrences(NamedTuple):
    """Every occurrence of a mention on one side of D documents, one after the other.

    Attributes:
        offsets: int64 (D+1,) document d owns the occurrences ``offsets[d]:offsets[d + 1]``.
        code: int64 (N,) any numbers, equal on both sides, within a document, for mentions that match.
        entity: int64 (N,) entities from 0; an occurrence with a negative one does not count.
        rank: int64 (N,) of several occurrences of one mention, the policy ``first`` keeps the one of the lowest rank,
            ``last`` that of the highest. Files and objects rank by entity, tables by row.
    """

    offsets: Integers
    code: Integers
    entity: Integers
    rank: Integers

    @classmethod
    def of_rows(
        cls, document: NDArray[np.integer], code: NDArray[np.integer], entity: NDArray[np.integer], n_documents: int
    ) -> Occurrences:
        """Make the occurrences of a table's rows, which may be in any order; they rank by row.

            >>> rows = Occurrences.of_rows(np.array([1, 0, 1]), np.array([7, 7, 8]), np.array([0, 0, 0]), 2)
            >>> rows.offsets.tolist(), rows.code.tolist()
            ([0, 1, 3], [7, 7, 8])

        Args:
            document: int (N,) the document of each row, 0 to ``n_documents - 1``; rows of others are left out.
            code: int (N,) the mention of each row.
            entity: int (N,) its entity.
            n_documents: D.
        """
        if document.size and (np.any(document[1:] < document[:-1]) or document[0] < 0 or document[-1] >= n_documents):
            rows = np.argsort(document, kind="stable")
            first, stop = document[rows].searchsorted([0, n_documents])
            document, code, entity = (column[rows[first:stop]] for column in (document, code, entity))
        offsets = document.searchsorted(np.arange(n_documents + 1))
        return cls(offsets, as_kernel_array(code), as_kernel_array(entity), np.arange(code.size))

    def take(self, documents: Integers) -> Occurrences:
        """Return some documents, int64 (E,) in 0..D-1, in this order and as often as they are named."""
        lengths = np.diff(self.offsets)[documents]
        offsets = segment_bounds(lengths)
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[documents] - offsets[:-1], lengths)
        return Occurrences(offsets, self.code[rows], self.entity[rows], self.rank[rows])

    def cut(self, first: int, last: int) -> Occurrences:
        """Return the documents ``first:last`` without a copy of their occurrences."""
        rows = slice(self.offsets[first], self.offsets[last])
        columns = (column[rows] for column in (self.code, self.entity, self.rank))
        return Occurrences(self.offsets[first : last + 1] - rows.start, *columns)


class UnionLabels(NamedTuple):
    """The labels of both sides of D documents on one index of mentions.

    Attributes:
        key: int64 (M,) the entity of each mention in the key, -1 where the key lacks it or a policy drops it.
        response: int64 (M,) the same for the response.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
    """

    key: Integers
    response: Integers
    offsets: Integers

    @property
    def n_mentions(self) -> tuple[int, int]:
        """How many mentions the key has, and the response."""
        return int(np.count_nonzero(self.key >= 0)), int(np.count_nonzero(self.response >= 0))

    @property
    def n_shared(self) -> int:
        """How many mentions both sides have."""
        return int(np.count_nonzero((self.key >= 0) & (self.response >= 0)))


def number_mentions(key: Occurrences, response: Occurrences, policies: Policies, describe: Describe) -> UnionLabels:
    """Number the mentions of both sides in one union index: the key's by first appearance, then those that it lacks.

    Args:
        key: occurrences in D documents of the key.
        response: occurrences in the same documents of the response, in the same order.
        policies: for repeated mentions.
        describe: makes the words for a repeated mention, for the message.

    Raises:
        InputError: the sides have different numbers of documents.
        DuplicateMentionError: a repeated mention, where the policy refuses it.
    """
    from arraycoref.kernels import mentions as kernels
    from arraycoref.kernels.hashtable import RULES

    n_documents = key.offsets.size - 1
    if n_documents != response.offsets.size - 1:
        raise InputError(
            f"key holds {n_documents} documents and response {response.offsets.size - 1}; expected the same documents"
        )
    room = key.code.size + response.code.size
    offsets, ours, theirs = np.empty(n_documents + 1, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    one, other = Occurrences(*map(as_kernel_array, key)), Occurrences(*map(as_kernel_array, response))
    rules = RULES[policies.key_duplicates], RULES[policies.response_duplicates]
    side, first, second = kernels.number_mentions(one, other, rules, LABEL_SEED, offsets, ours, theirs)
    if side >= 0:
        found = describe(("key", "response")[side], first, second)
        hint = "duplicates='first', 'last' or 'drop' keeps it in one entity or in none"
        raise DuplicateMentionError(f"{found}; expected each mention once. {hint}", "duplicates")
    return UnionLabels(ours[: offsets[-1]], theirs[: offsets[-1]], offsets)


Matching = Callable[[Documents, Documents], tuple[Occurrences, Occurrences]]
"""Turns both sides of files, which are the same documents in the same units, into occurrences with equal codes for
mentions that match. Arguments: ``key`` and ``response``."""


def match_exactly(key: Documents, response: Documents) -> tuple[Occurrences, Occurrences]:
    """Match mentions of equal spans: first and last token are the same."""
    ours, theirs = (
        Occurrences(side.offsets, side.start.astype(np.int64) << 32 | side.end, entity, entity)
        for side, entity in ((side, as_kernel_array(side.entity)) for side in (key, response))
    )
    return ours, theirs


MATCHINGS: Mapping[str, Matching] = {"exact": match_exactly}
"""Name of a matching, and its function."""
