"""Number the mentions of key and response in one union index, and resolve repeated ones.

Whatever holds mentions (files, objects, tables) becomes `Occurrences` of each side, in which mentions that match have
equal codes; `number_mentions` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import DuplicateMentionError, InputError, ReadError
from arraycoref.options import Policies
from arraycoref.read.documents import Documents
from arraycoref.read.sources import OnError
from arraycoref.scoring.cells import Integers
from arraycoref.scoring.clusterings import LABEL_SEED
from arraycoref.scoring.labels import as_kernel_array

FEWEST_MOVED = 4
"""A warning suggests another way to count if it makes the sides share this many more mentions; fewer may be chance."""

WRITTEN = "texts and numbers were the same, '1' and 1, 01 and 1.0"
"""Words of the warning that says how mentions that are values, not spans, would be shared."""

SHIFTS = tuple(
    (moved, shift, f"the {what} in the {other} were one less. {question}")
    for moved, other in (("key", "response"), ("response", "key"))
    for shift, what, question in ((0, "ends", "Are they exclusive?"), (1, "starts and ends", "Do they count from 1?"))
)
"""Other ways to count spans: the side to change, the number to add to its starts (1 is added to its ends), and words.

The words name the other side: to add 1 on one side is to subtract 1 on the other.
"""

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
            rows = np.flatnonzero((document >= 0) & (document < n_documents))
            for shift in range(0, max(n_documents - 1, 1).bit_length(), 16):  # NumPy sorts 16 bits by counting
                rows = rows[np.argsort((document[rows] >> shift).astype(np.uint16), kind="stable")]
            document, code, entity = (column[rows] for column in (document, code, entity))
        offsets = document.searchsorted(np.arange(n_documents + 1))
        return cls(offsets, as_kernel_array(code), as_kernel_array(entity), np.arange(code.size))


class UnionLabels(NamedTuple):
    """The labels of both sides of D documents on one index of mentions, read-only.

    Attributes:
        key: int64 (M,) the entity of each mention in the key, -1 where the key lacks it or a policy drops it.
        response: int64 (M,) the same for the response.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
    """

    key: Integers
    response: Integers
    offsets: Integers

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
        twice = describe(("key", "response")[side], first, second)
        hint = "duplicates='first', 'last' or 'drop' keeps it in one entity or in none"
        raise DuplicateMentionError(f"{twice}; expected each mention once. {hint}", option="duplicates")
    found = UnionLabels(*map(as_kernel_array, (ours[: offsets[-1]], theirs[: offsets[-1]], offsets)))
    note_repeats(policies, found, *(int(np.count_nonzero(entity >= 0)) for entity in (key.entity, response.entity)))
    return found


def note_repeats(policies: Policies, found: UnionLabels, *occurrences: int) -> None:
    """Note how many of the key's and of the response's occurrences the policies left out."""
    rules = policies.key_duplicates, policies.response_duplicates
    for side, n, labels, rule in zip(("key", "response"), occurrences, found, rules, strict=False):
        lost = n - int(np.count_nonzero(labels >= 0))
        policies.note(lost, "repeated mention", f"of the {side} left out (duplicates: {rule})")


Matching = Callable[[Documents, Documents], tuple[Occurrences, Occurrences]]
"""Turns both sides of files, which are the same documents in the same units, into occurrences with equal codes for
mentions that match. Arguments: ``key`` and ``response``."""


def check_mentions(
    key: Documents, response: Documents, found: UnionLabels, matching: Matching, policies: Policies, on_doubt: OnError
) -> None:
    """Warn of a side without mentions, and of mentions that would match better if written or counted in another way.

    Args:
        key: D documents.
        response: the same documents in the same order, in the same units.
        found: the mentions of both sides on one index.
        matching: the matching that found them.
        policies: for repeated mentions.
        on_doubt: called with each warning.
    """
    if not any(one and other for one, other in zip(key.sources, response.sources, strict=True)):
        return  # the sides share no document: one that a side lacks has an empty source there
    sources = [next(filter(None, side.sources), name) for name, side in (("key", key), ("response", response))]
    n_mentions = [int(np.count_nonzero(labels >= 0)) for labels in (found.key, found.response)]
    warn_of_mentions(sources, n_mentions, found.n_shared, _otherwise(key, response, matching, policies), on_doubt)


def warn_of_mentions(
    sources: Sequence[str],
    n_mentions: Sequence[int],
    n_shared: int,
    otherwise: Iterable[tuple[int, str]],
    on_doubt: OnError,
) -> None:
    """Warn of a side without mentions, or of mentions that the sides seem to write or count in two ways.

    Args:
        sources: names of the key and of the response.
        n_mentions: number of mentions of the key, and of the response.
        n_shared: number of mentions that both have.
        otherwise: for each other way to write or count mentions, how many both sides would then have, and words for
            this way. Read only if few mentions are shared.
        on_doubt: called with each warning.
    """
    for name, source, n in zip(("key", "response"), sources, n_mentions, strict=True):
        if not n:
            on_doubt(ReadError(source, None, f"no document of the {name} has a mention"))
    if 2 * n_shared < min(n_mentions):
        likely = ((n, how) for n, how in otherwise if 2 * n_shared < n >= n_shared + FEWEST_MOVED)
        for n, how in islice(likely, 1):
            on_doubt(ReadError(sources[1], None, f"{n_shared} mentions are the key's, but {n} would be if {how}"))


def _otherwise(
    key: Documents, response: Documents, matching: Matching, policies: Policies
) -> Iterator[tuple[int, str]]:
    """Yield how many mentions would be shared if a side wrote or counted them in another way, and words for this way.

    The arguments are those of `check_mentions`.
    """
    if "mention" in key.units:
        yield sum(_n_alike_as_texts(key, response, d) for d in range(len(key))), WRITTEN
        return
    for moved, shift, how in SHIFTS:
        sides = {"key": key, "response": response}
        side = sides[moved]
        sides[moved] = replace(side, start=side.start + np.int32(shift), end=side.end + np.int32(1))
        ours, theirs = matching(sides["key"], sides["response"])
        yield number_mentions(ours, theirs, policies.with_own_notes(), lambda *_: "").n_shared, how


def _n_alike_as_texts(key: Documents, response: Documents, d: int) -> int:
    """Count the mentions that both sides of a document share, if a number equals every text that writes it."""
    ours, theirs = (set(map(_number_of, side.text.words(d) or [])) for side in (key, response))
    return len(ours & theirs)


def _number_of(value: str) -> str:
    """Write a number without the quotes of a text, without zeros in front, and without the ``.0`` of a float."""
    value = value.strip("'\"")
    digits = value.removesuffix(".0")
    return (digits.lstrip("0") or "0") if digits.isdecimal() else value
