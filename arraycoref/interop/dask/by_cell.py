"""Score one giant clustering: tasks join mentions and count cells, one task collects all cells, others align entities.

A cell is the number of mentions that a key entity and a response entity share. The cells of some mentions each are
added up in a tree of tasks, where entities with the same label are the same entity. To align entities, all cells are
split by connected components.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.interop.columns import Column, concat_columns, factorize, take
from arraycoref.interop.counting import union_labels
from arraycoref.interop.dask.shares import shared_tasks
from arraycoref.interop.dask.tasks import Task, summed, task
from arraycoref.interop.long_table import LongTable
from arraycoref.interop.overlap import Overlap, overlap
from arraycoref.interop.ranges import Piece
from arraycoref.interop.two_tables import Request, labels_of, pair, pair_sides
from arraycoref.scoring.cells import Cells, Integers, cells_of, one_document, segment_bounds
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts, Floats
from arraycoref.scoring.metrics.registry import counted_metrics

FAN_IN = 8
"""Number of `PartialCells` that one task adds up."""

ALIGNMENTS = 64
"""Number of tasks that align connected components; fixed, so that sums are added in the same order on any cluster."""

MOST_MENTIONS = 2**32
"""Most mentions of one side; up to this number, the number of pairs of mentions is below 2^63."""


@dataclass(frozen=True, eq=False)
class Entities:
    """Entities of one side.

    Attributes:
        label: (A,) distinct labels.
        size: int64 (A,) number of mentions of each entity, among some of the mentions.
    """

    label: Column
    size: Integers

    @classmethod
    def joined(cls, parts: Sequence[Entities], name: str) -> tuple[Entities, list[Integers]]:
        """Join the entities of parts by label; also return the new position of each entity, one array per part."""
        label = concat_columns([part.label for part in parts], name)
        codes, first = factorize(label.codes)
        size = np.zeros(first.size, np.int64)
        np.add.at(size, codes, np.concatenate([part.size for part in parts]))
        bounds = np.cumsum([part.size.size for part in parts])[:-1]
        return cls(take(label, first), size), np.split(codes, bounds)


@dataclass(frozen=True, eq=False)
class PartialCells:
    """Cells, counted over some of the mentions.

    Attributes:
        keys: entities of the key.
        responses: entities of the response.
        key: int64 (C,) position of each cell's key entity in ``keys``.
        response: int64 (C,) position of its response entity in ``responses``; no two cells have the same entities.
        shared: int64 (C,) number of mentions that both entities hold.
    """

    keys: Entities
    responses: Entities
    key: Integers
    response: Integers
    shared: Integers

    @classmethod
    def joined(cls, parts: Iterable[PartialCells], label: str) -> PartialCells:
        """Add up the cells of one or more parts, which have no mention in common; ``label`` is the column's name."""
        every = list(parts)
        if len(every) == 1:
            return every[0]
        keys, key_codes = Entities.joined([part.keys for part in every], label)
        responses, response_codes = Entities.joined([part.responses for part in every], label)
        key = np.concatenate([codes[part.key] for codes, part in zip(key_codes, every, strict=True)])
        response = np.concatenate([codes[part.response] for codes, part in zip(response_codes, every, strict=True)])
        _check_size(keys.size.size * responses.size.size, "pairs of entities", 2**63)
        cell, first = factorize(key * responses.size.size + response)
        shared = np.zeros(first.size, np.int64)
        np.add.at(shared, cell, np.concatenate([part.shared for part in every]))
        return cls(keys, responses, key[first], response[first], shared)

    def cells(self, *, drop_singletons: bool, most: int = MOST_MENTIONS) -> Cells:
        """Make the cells of one document, with entities and cells sorted by label, whatever their order was before.

        Args:
            drop_singletons: leave out entities of one mention, on both sides.
            most: the most mentions that one side may have.

        Raises:
            InputError: more mentions than counts can hold.
        """
        least = 2 if drop_singletons else 1
        sides = []
        for entities in (self.keys, self.responses):
            _check_size(int(entities.size.sum()), "mentions on one side", most)
            order = np.argsort(entities.label.ranks())
            order = order[entities.size[order] >= least]
            position = np.full(entities.size.size, -1)
            position[order] = np.arange(order.size)
            sides.append((position, entities.size[order]))
        (key_position, key_size), (response_position, response_size) = sides
        key, response = key_position[self.key], response_position[self.response]
        kept = np.flatnonzero((key >= 0) & (response >= 0))
        place = kept[np.argsort(key[kept] * response_size.size + response[kept])]
        return one_document(key[place], response[place], self.shared[place], key_size, response_size)


def partial_cells(key: LongTable, response: LongTable, request: Request) -> PartialCells:
    """Count the cells of some mentions of one document, from all rows of these mentions.

    Raises:
        InputError: columns of different kinds on the two sides.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
    """
    key, response, at, _ = pair(key, response, request.names)
    every = np.zeros(1, np.int64)
    our_side, their_side, describe = pair_sides(key, response, every, at, request.names)
    ours, theirs, _ = union_labels(our_side, their_side, request.policies, describe)
    dense = Clusterings.from_labels(ours, theirs).factorize()
    found = cells_of(Clusterings.from_labels(dense.key, dense.response))  # entities stay in this order, giants too
    keys = _entities(key.label, ours, dense.key, found.key_size)
    responses = _entities(response.label, theirs, dense.response, found.response_size)
    return PartialCells(keys, responses, found.key, found.response, found.shared)


def _entities(label: Column, given: Integers, dense: NDArray[np.int32], size: Integers) -> Entities:
    """Return the entities of one side with their labels.

    Args:
        label: the side's column of labels.
        given: int64 (M,) the number of each mention's label, as `labels_of` takes them; -1 for no entity.
        dense: int32 (M,) the same entities, numbered from 0; -1 for no entity.
        size: int64 (A,) number of mentions of each entity, in the order of ``dense``.
    """
    present = np.flatnonzero(dense >= 0)
    numbers = np.empty(size.size, np.int64)
    numbers[dense[present]] = given[present]
    return Entities(labels_of(label, numbers).compact(), size)


def _check_size(n: int, what: str, most: int) -> None:
    if n > most:
        raise InputError(f"there are {n} {what}; expected at most {most}, which 64-bit counts can hold")


def component_parts(cells: Cells, n_parts: int) -> list[Cells]:
    """Split the cells of one document into sets of whole connected components, with about equally many cells each.

    Args:
        cells: of one document.
        n_parts: at most 256.

    Returns:
        ``n_parts`` sets, some of which may be empty; entities and cells keep their order within each set.
    """
    from arraycoref.kernels.links import component_labels

    n_keys, n_nodes = cells.key_size.size, cells.key_size.size + cells.response_size.size
    component = np.empty(n_nodes, np.int64)
    component_labels(cells.key, cells.response + n_keys, component)
    weight = np.bincount(component[cells.key], minlength=n_nodes)
    before = np.cumsum(weight) - weight
    part = (before * n_parts // max(cells.key.size, 1)).clip(max=n_parts - 1).astype(np.uint8)[component]
    key_order, key_bounds, key_number = _sorted(part[:n_keys], n_parts)
    response_order, response_bounds, response_number = _sorted(part[n_keys:], n_parts)
    cell_order, cell_bounds, _ = _sorted(part[cells.key], n_parts)
    parts = []
    for p in range(n_parts):
        k, r, c = (slice(*bounds[p : p + 2]) for bounds in (key_bounds, response_bounds, cell_bounds))
        here = cell_order[c]
        key, response = key_number[cells.key[here]] - k.start, response_number[cells.response[here]] - r.start
        key_size, response_size = cells.key_size[key_order[k]], cells.response_size[response_order[r]]
        parts.append(one_document(key, response, cells.shared[here], key_size, response_size))
    return parts


def _sorted(part: NDArray[np.uint8], n_parts: int) -> tuple[Integers, Integers, Integers]:
    """Sort items by part, stably; return the order, the bounds of the parts in it, and each item's place in it."""
    order = np.argsort(part, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return order, segment_bounds(np.bincount(part, minlength=n_parts)), place


def count_task(
    key: Sequence[Piece], response: Sequence[Piece], request: Request, threads: int
) -> tuple[Task, Task, list[Task]]:
    """Make the task that returns the counts of one clustering, `Counts` of one document, and that of its `Overlap`.

    Args:
        key: pieces of the key.
        response: pieces of the response.
        request: what to compute; its tables have no column of documents.
        threads: number of threads of the cluster.

    Returns:
        The two tasks, and the tasks that they depend on whose ends are counted as progress.
    """
    joins = shared_tasks(partial_cells, key, response, request, threads)
    partial = summed(joins, PartialCells.joined, FAN_IN, request.names.label)
    whole = task(assemble_cells, partial, request=request)
    counts = [task(count_some, whole, request=request, alignments=False)]
    if any(metric.computed_from == "alignment" for metric in counted_metrics(request.metrics)):
        parts = task(component_parts, whole, n_parts=ALIGNMENTS)
        counts += [task(count_some, parts[part], request=request, alignments=True) for part in range(ALIGNMENTS)]
    return task(add_counts, counts, request=request), task(count_mentions, partial), [*joins, whole, *counts]


def count_mentions(partial: PartialCells) -> Overlap:
    """Count the mentions of each side, and those that both have.

    The changes of `arraycoref.interop.overlap.WAYS` are not tried: mentions that the sides write in different ways may
    be in different parts.
    """
    n_shared = int(partial.shared.sum())
    return overlap(1, [int(side.size.sum()) for side in (partial.keys, partial.responses)], n_shared)


def assemble_cells(partial: PartialCells, request: Request) -> Cells:
    """Make the cells of the one document from the sum of all parts, and check them.

    Raises:
        InputError: a metric for gold mentions only, and sides with different mentions; more mentions than counts can
            hold.
    """
    cells = partial.cells(drop_singletons=request.policies.singletons == "drop")
    ours, theirs, shared = (int(n[0]) for n in cells.totals[:3])
    for metric in counted_metrics(request.metrics):
        if metric.gold_mentions and not shared == ours == theirs:
            found = f"key ({ours} mentions) and response ({theirs}) share {shared}"
            reason = f"{metric.name} is defined on gold mentions only, but {found}"
            raise InputError(f"{reason}; use blanc for predicted mentions")
    return cells


def count_some(cells: Cells, request: Request, alignments: bool) -> Floats:
    """Return the sums of the metrics that align entities, or of those that do not, float64 (K, 4); the others are 0.

    Args:
        cells: cells of the whole document; for metrics that align entities, of some of its connected components.
        request: what to compute.
        alignments: True for the metrics that align entities, False for those that do not.
    """
    counts = []
    for metric in counted_metrics(request.metrics):
        wanted = (metric.computed_from == "alignment") == alignments
        counts.append(metric.count(cells).reshape(-1, 4) if wanted else np.zeros((len(metric.groups), 4)))
    return np.concatenate(counts)


def add_counts(parts: list[Floats], request: Request) -> Counts:
    """Add up counts, float64 (K, 4) each, in the order given."""
    names = tuple(metric.name for metric in counted_metrics(request.metrics))
    return Counts.read_only(None, names, reduce(np.add, parts)[np.newaxis])
