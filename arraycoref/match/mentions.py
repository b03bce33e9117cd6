"""Number the mentions of key and response in one union index, and resolve repeated ones.

Whatever holds mentions (files, objects, tables) becomes `Occurrences` of each side, in which mentions that match have
equal codes; `number_mentions` does the rest. By the matching `exact`, mentions of files match if their first and last
tokens are the same, or their words and empty nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import chain
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.exceptions import DuplicateMentionError, InputError
from arraycoref.options.policies import Policies
from arraycoref.ragged import Bools, Ints, bounds, bounds_of, number_rows, owners, run_starts
from arraycoref.read.documents import Documents
from arraycoref.scoring.duplicates import Memberships, Repeated
from arraycoref.twin import twin

LOW = (1 << 32) - 1
"""The lower half of a code."""

Describe = Callable[[str, int, int], object]
"""Takes a side and two rows of it that hold one mention; formats the repeated mention for an error message."""


class Occurrences(NamedTuple):
    """Every occurrence of a mention on one side of D documents, one after the other.

    Attributes:
        offsets: int64 (D+1,) document d owns the occurrences ``offsets[d]:offsets[d + 1]``.
        code: int64 (N,) any numbers, equal on both sides, within a document, for mentions that match.
        entity: int64 (N,) entities from 0.
        rank: int64 (N,) of several occurrences of one mention, the policy ``first`` keeps the one of the lowest rank,
            ``last`` that of the highest. Files and objects rank by entity, tables by row.
        order: returns other ranks, int64 (N,), for the policy ``both``; None if they are the same.
    """

    offsets: Ints
    code: Ints
    entity: Ints
    rank: Ints
    order: Callable[[], Ints] | None = None

    @classmethod
    def of_rows(
        cls, document: NDArray[np.integer], code: NDArray[np.integer], entity: NDArray[np.integer], n_documents: int
    ) -> Occurrences:
        """Make the occurrences of a table's rows, which may be in any order; they rank by row.

            >>> rows = Occurrences.of_rows(np.array([1, 0, 1]), np.array([7, 7, 8]), np.array([0, 0, 0]), 2)
            >>> rows.offsets.tolist(), rows.code.tolist(), rows.rank.tolist()
            ([0, 1, 3], [7, 7, 8], [1, 0, 2])

        Args:
            document: int (N,) the document of each row, 0 to ``n_documents - 1``; rows of others are left out.
            code: int (N,) the mention of each row.
            entity: int (N,) its entity; rows with a negative one are left out.
            n_documents: D.
        """
        rows = np.flatnonzero((document >= 0) & (document < n_documents) & (entity >= 0))
        if np.any(document[rows[1:]] < document[rows[:-1]]):
            for shift in range(0, max(n_documents - 1, 1).bit_length(), 16):  # NumPy sorts 16 bits by counting
                rows = rows[np.argsort((document[rows] >> shift).astype(np.uint16), kind="stable")]
        offsets = document[rows].searchsorted(np.arange(n_documents + 1))
        return cls(offsets, code[rows].astype(np.int64), entity[rows].astype(np.int64), rows)

    def ranks(self, rule: str) -> Ints:
        """Return the ranks for a policy, int64 (N,)."""
        return self.order() if rule == "both" and self.order is not None else self.rank


class UnionLabels(NamedTuple):
    """The labels of both sides of D documents on one index of mentions.

    Attributes:
        key: int64 (M,) the entity of each mention in the key, -1 where the key lacks it or a policy drops it.
        response: int64 (M,) the same for the response.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        repeated: the documents in which a mention is in several entities where that is counted; labels are the last.
    """

    key: Ints
    response: Ints
    offsets: Ints
    repeated: Repeated | None = None


def number_mentions(key: Occurrences, response: Occurrences, policies: Policies, describe: Describe) -> UnionLabels:
    """Number the mentions of both sides in one union index: the key's by first appearance, then those that it lacks.

    Args:
        key: occurrences in D documents of the key.
        response: occurrences in the same documents of the response, in the same order.
        policies: for repeated mentions; receives a note of those left out.
        describe: makes the words for a repeated mention, for the message.

    Raises:
        InputError: the sides have different numbers of documents.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
    """
    if key.offsets.size != response.offsets.size:
        n_documents = f"key holds {key.offsets.size - 1} documents and response {response.offsets.size - 1}"
        raise InputError(f"{n_documents}; expected the same documents")
    offsets, of_key, of_response = union_numbers(key, response)
    return label_mentions(key._replace(code=of_key), response._replace(code=of_response), offsets, policies, describe)


@twin(
    "mentions.union_numbers",
    call=5e-5,
    each=1e-7,
    compiling=1.0,
    size=lambda key, response: key.code.size + response.code.size,
)
def union_numbers(key: Occurrences, response: Occurrences) -> tuple[Ints, Ints, Ints]:
    """Number the mentions of both sides of D documents, those of the key first, each side by first appearance.

    Returns:
        int64 (D+1,) bounds of the documents in the union index; and int64 (N,) for each side, the number of the mention
        of each occurrence, counted across all documents.
    """
    n_key, n = key.code.size, key.code.size + response.code.size
    bounds = key.offsets + response.offsets
    documents = [owners(side.offsets) for side in (key, response)]
    place = np.arange(n)  # of each occurrence where documents follow each other, in each the key before the response
    place[:n_key] += response.offsets[documents[0]]
    place[n_key:] += key.offsets[1:][documents[1]] - n_key
    document, code = np.concatenate(documents), np.concatenate([key.code, response.code])
    high = code >> 32
    low = (code & LOW) - high  # of spans in files, the number of tokens after the first
    least = [int(half.min(initial=0)) for half in (high, low)]
    spread = [int(half.max(initial=0)) - lowest + 1 for half, lowest in zip((high, low), least, strict=True)]
    bits = n.bit_length()
    if prod(spread) * (int(document.max(initial=0)) + 1) << bits < 2**63:  # one number holds all that is sorted by
        mention = (document * spread[0] + (high - least[0])) * spread[1] + (low - least[1])
        mention = np.sort(mention << bits | place, kind="stable")  # takes half the time: much is in order
        order, mention = mention & ((1 << bits) - 1), mention >> bits
    else:
        mention = document * n + np.unique(code, return_inverse=True)[1]
        rows = mention.argsort(kind="stable")
        order, mention = place[rows], mention[rows]
    starts = run_starts(mention)
    first = order[starts]  # where each mention appears first
    before = np.zeros(n + 1, np.int64)
    before[first + 1] = 1
    before.cumsum(out=before)  # the number of mentions that appear before each place
    numbers = np.empty(n, np.int64)
    numbers[order] = before[first].repeat(np.diff(starts, append=n))
    numbers = numbers[place]
    return before[bounds], numbers[:n_key], numbers[n_key:]


def label_mentions(
    key: Occurrences, response: Occurrences, offsets: Ints, policies: Policies, describe: Describe
) -> UnionLabels:
    """Lay out the entities of numbered mentions as labels, and apply the policies to repeated mentions.

    Args:
        key: occurrences in D documents of the key, whose codes are positions of mentions in the union index.
        response: the same for the response.
        offsets: int64 (D+1,) bounds of the documents in the union index.
        policies: for repeated mentions; receives a note of those left out, or counted several times.
        describe: makes the words for a repeated mention, for the message.

    Raises:
        DuplicateMentionError: a repeated mention, where the policy is ``error``: the first one, by document, then side.
    """
    labels, faults, counted, rule = [], [], [], policies.duplicates
    for name, side in (("key", key), ("response", response)):
        entity = np.full(int(offsets[-1]), -1)
        entity[side.code] = side.entity
        labels.append(entity)
        if np.count_nonzero(entity >= 0) == side.code.size:
            continue
        rows = np.flatnonzero(np.bincount(side.code)[side.code] > 1)
        if rule == "error":
            first, second = _first_repeated(side.code, rows)
            faults.append((int(side.offsets.searchsorted(second, side="right")), name, first, second))
        elif rule == "drop":
            entity[side.code[rows]] = -1
        else:
            rows = rows[np.lexsort((side.ranks(rule)[rows], side.code[rows]))]
            rows = rows[::-1] if rule == "first" else rows
            entity[side.code[rows]] = side.entity[rows]  # of several entities of a mention, the last one stays
        if rule == "both":
            counted.append(side.code[rows])
            _note_repeated(name, side, rows, policies)
        else:
            n_lost = side.code.size - int(np.count_nonzero(entity >= 0))
            policies.note(n_lost, "repeated mention", f"of the {name} left out (duplicates: {rule})")
    if faults:
        shown = describe(*min(faults)[1:])
        hint = "duplicates='first' or 'last' keeps one of them, 'both' counts it in each, 'drop' leaves it out"
        raise DuplicateMentionError(f"{shown}; {hint}", option="duplicates")
    if not counted:
        return UnionLabels(labels[0], labels[1], offsets)
    documents = np.unique(offsets.searchsorted(np.concatenate(counted), side="right") - 1)
    members = [memberships(side, documents) for side in (key, response)]
    repeated = Repeated(documents, members[0], members[1], policies.profile)
    return UnionLabels(labels[0], labels[1], offsets, repeated)


def _note_repeated(name: str, side: Occurrences, rows: Ints, policies: Policies) -> None:
    """Note how many mentions these rows repeat, which are all their occurrences, and in how many more entities."""
    n_mentions = np.unique(side.code[rows]).size
    policies.note(n_mentions, "mention", f"of the {name} repeated (duplicates: both)")
    n_entities = int(number_rows([side.code[rows], side.entity[rows]])[1].max()) + 1
    policies.note(n_entities - n_mentions, "repetition", f"in other entities of the {name}")
    if policies.profile == "stanza":
        what = f"of the {name} repeated, which stanza itself counts in B³ and LEA once for each pair of its entities"
        policies.note(n_mentions, "mention", what)


def memberships(side: Occurrences, documents: Ints) -> Memberships:
    """Return the occurrences in some documents, in the order of their ranks."""
    document = owners(side.offsets)
    rows = np.flatnonzero(np.isin(document, documents))
    rows = rows[np.argsort(side.ranks("both")[rows], kind="stable")]
    return Memberships(documents.searchsorted(document[rows]), side.code[rows], side.entity[rows])


def _first_repeated(code: Ints, rows: Ints) -> tuple[int, int]:
    """Return the first of the rows whose code an earlier row has too, after the first row with that code."""
    _, first, inverse = np.unique(code[rows], return_index=True, return_inverse=True)
    first = first[inverse]
    second = int((first < np.arange(rows.size)).argmax())
    return int(rows[first[second]]), int(rows[second])


def match_exactly(key: Documents, response: Documents, profile: str) -> tuple[Occurrences, Occurrences]:
    """Match mentions of equal spans, or of equal words and empty nodes; for the profile see `order_entities`."""
    number_of: dict[bytes, int] = {}
    sides = []
    for side in (key, response):
        codes, entity = side.mentions.codes(number_of), side.mentions.entity.astype(np.int64)
        sides.append(Occurrences(side.offsets, codes, entity, entity, cache(partial(order_entities, side, profile))))
    return sides[0], sides[1]


def entity_numbers(side: Documents) -> Ints:
    """Return the entity of each of M mentions, int64 (M,): no two documents share a number."""
    document, entity = side.mentions.document, side.mentions.entity.astype(np.int64)
    n_entities = np.zeros(len(side), np.int64)
    np.maximum.at(n_entities, document, entity + 1)  # with int32, it takes ten times as long
    return bounds(n_entities)[document] + entity


def order_entities(side: Documents, profile: str, kept: Bools | None = None) -> Ints:
    """Order the entities of each document by their first mentions, as the profile's scorer does.

    The reference scorer, profile ``conll``, reads the mentions of one token before those that begin in the same cell.
    For CorefUD's scorer, the longer one of two mentions with one first word comes first, then that with the earlier
    last word, then that of the entity whose id is first as a text.

    Args:
        side: documents with M mentions.
        profile: the profile.
        kept: bool (M,) which K mentions to return; None for all.

    Returns:
        int64 (K,) the place of each mention's entity.
    """
    mentions = side.mentions
    by: tuple[NDArray[Any], ...] = mentions.end > mentions.start, mentions.start
    if profile != "conll":
        by = mentions.last, -mentions.size, mentions.first
    if profile != "conll" and any(side.entities):
        first_id = bounds_of(side.entities)
        texts = np.unique(np.array([*chain(*side.entities), ""]), return_inverse=True)[1]
        place = first_id[mentions.document] + mentions.entity
        by = (texts[np.where(place < first_id[mentions.document + 1], place, -1)], *by)
    order = np.lexsort((*by, mentions.document))
    number = entity_numbers(side)
    places = np.empty(number.max(initial=-1) + 1, np.int64)
    places[number[order[::-1]]] = np.arange(order.size)[::-1]  # of repeated indices, NumPy keeps the last
    return places[number if kept is None else number[kept]]
