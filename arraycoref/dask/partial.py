"""Cells of one clustering, summed from part to part: entities by their labels, until all are in one place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.clusterings import Clusterings
from arraycoref.contingency import Cells, cells_of, one_document
from arraycoref.errors import InputError
from arraycoref.interop.blocks import Request
from arraycoref.interop.columns import Column, join, number, take
from arraycoref.interop.long_table import LongTable
from arraycoref.interop.paired import labels_of, pair, pair_sides
from arraycoref.interop.union import union_labels

Integers = NDArray[np.int64]

MOST_MENTIONS = 2**32
"""Mentions of a side up to which the number of their pairs stays below 2^63."""


@dataclass(frozen=True, eq=False)
class Entities:
    """Entities of one side.

    Attributes:
        label: (A,) distinct labels.
        size: int64 (A,) mentions of each, in some part of the mentions.
    """

    label: Column
    size: Integers

    @classmethod
    def joined(cls, parts: Sequence[Entities], name: str) -> tuple[Entities, list[Integers]]:
        """Put entities together, and tell which of them those of each part have become."""
        label = join([part.label for part in parts], name)
        codes, first = number(label.parts)
        size = np.zeros(first.size, np.int64)
        np.add.at(size, codes, np.concatenate([part.size for part in parts]))
        bounds = np.cumsum([part.size.size for part in parts])[:-1]
        return cls(take(label, first), size), np.split(codes, bounds)

    def order(self) -> Integers:
        """Positions of the entities in the order of their labels, int64 (A,)."""
        return np.argsort(self.label.ranks())


@dataclass(frozen=True, eq=False)
class Partial:
    """Cells of some mentions.

    Attributes:
        keys: entities of the key.
        responses: entities of the response.
        key: int64 (C,) position of each cell's key entity.
        response: int64 (C,) position of its response entity; no cell twice.
        shared: int64 (C,) mentions that both hold.
    """

    keys: Entities
    responses: Entities
    key: Integers
    response: Integers
    shared: Integers

    @classmethod
    def joined(cls, parts: Iterable[Partial], label: str) -> Partial:
        """Add up the cells of different mentions, of one part at least; ``label`` names the column, for messages."""
        every = list(parts)
        if len(every) == 1:
            return every[0]
        keys, key_codes = Entities.joined([part.keys for part in every], label)
        responses, response_codes = Entities.joined([part.responses for part in every], label)
        key = np.concatenate([codes[part.key] for codes, part in zip(key_codes, every, strict=True)])
        response = np.concatenate([codes[part.response] for codes, part in zip(response_codes, every, strict=True)])
        _check_room(keys.size.size * responses.size.size, "pairs of entities", 2**63)
        cell, first = number(key * responses.size.size + response)
        shared = np.zeros(first.size, np.int64)
        np.add.at(shared, cell, np.concatenate([part.shared for part in every]))
        return cls(keys, responses, key[first], response[first], shared)

    def cells(self, *, drop_singletons: bool) -> Cells:
        """Make the cells of one document; entities and cells come in the order of their labels, however they arrived.

        Args:
            drop_singletons: leave out entities of one mention, on both sides.

        Raises:
            InputError: more mentions than counts can hold.
        """
        least = 2 if drop_singletons else 1
        sides = []
        for entities in (self.keys, self.responses):
            _check_room(int(entities.size.sum()), "mentions on one side", MOST_MENTIONS)
            order = entities.order()
            order = order[entities.size[order] >= least]
            position = np.full(entities.size.size, -1)
            position[order] = np.arange(order.size)
            sides.append((position, entities.size[order]))
        (key_position, key_size), (response_position, response_size) = sides
        key, response = key_position[self.key], response_position[self.response]
        kept = np.flatnonzero((key >= 0) & (response >= 0))
        place = kept[np.argsort(key[kept] * response_size.size + response[kept])]
        return one_document(key[place], response[place], self.shared[place], key_size, response_size)


def partial_cells(key: LongTable, response: LongTable, request: Request) -> Partial:
    """Sum the cells of some mentions of one document, all rows of which are there.

    Raises:
        InputError: columns of different kinds on the two sides.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
    """
    key, response, at, _ = pair(key, response, request.names)
    every = np.zeros(1, np.int64)
    our_side, their_side, describe = pair_sides(key, response, every, at, request.names)
    ours, theirs, _ = union_labels(our_side, their_side, request.policies, describe)
    dense = Clusterings.from_labels(ours, theirs).dense()
    found = cells_of(dense)
    return Partial(
        _entities(key.label, ours, dense.key, found.key_size),
        _entities(response.label, theirs, dense.response, found.response_size),
        found.key,
        found.response,
        found.shared,
    )


def _entities(label: Column, given: Integers, dense: NDArray[np.int32], size: Integers) -> Entities:
    """Name the densely numbered entities by the labels that they were given."""
    present = np.flatnonzero(dense >= 0)
    numbers = np.empty(size.size, np.int64)
    numbers[dense[present]] = given[present]
    return Entities(labels_of(label, numbers).compact(), size)


def _check_room(n: int, what: str, most: int) -> None:
    if n > most:
        raise InputError(f"there are {n} {what}; expected at most {most}, which 64-bit counts can hold")
