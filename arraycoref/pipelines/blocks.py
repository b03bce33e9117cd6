"""Two long tables -> a block of counts; blocks of disjoint documents -> the result, whichever way they were cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import segment_bounds
from arraycoref.counts import Counts
from arraycoref.metrics import counted_metrics
from arraycoref.options import Policies, Progress, signature
from arraycoref.pairing import common_error, extra_error, missing_error
from arraycoref.pipelines.columns import Column, join, take
from arraycoref.pipelines.counting import count_sides
from arraycoref.pipelines.long_table import LongTable, Names
from arraycoref.pipelines.paired import pair, pair_sides
from arraycoref.results import BatchScores

Integers = NDArray[np.int64]

SHOWN = 3
"""Documents that a message names."""


@dataclass(frozen=True)
class Request:
    """What is to be computed.

    Attributes:
        names: of the columns of the tables.
        metrics: as asked for, resolved.
        policies: resolved.
    """

    names: Names
    metrics: tuple[str, ...]
    policies: Policies


@dataclass(frozen=True)
class Unpaired:
    """Documents that one side lacks.

    Attributes:
        n: how many.
        total: documents of the side that has them.
        shown: the first of them, by the number of their first row.
    """

    n: int = 0
    total: int = 0
    shown: tuple[tuple[int, str], ...] = ()

    @classmethod
    def of(cls, table: LongTable, segments: Integers) -> Unpaired:
        """Name some documents of a table, int64 (n,), where each has one segment."""
        if segments.size == 0:
            return cls(total=table.first.size)
        first = segments[np.argsort(table.first[segments])][:SHOWN]
        names = map(str, take(table.document, first).to_list())
        shown = zip(table.first[first].tolist(), names, strict=True)
        return cls(segments.size, table.first.size, tuple(shown))

    @classmethod
    def joined(cls, parts: Iterable[Unpaired]) -> Unpaired:
        """Put together what different documents gave."""
        every = list(parts)
        shown = sorted(one for part in every for one in part.shown)[:SHOWN]
        return cls(sum(part.n for part in every), sum(part.total for part in every), tuple(shown))

    @property
    def names(self) -> list[str]:
        """Names of the documents shown."""
        return [name for _, name in self.shown]


@dataclass(frozen=True, eq=False)
class Block:
    """Counts of some documents.

    Attributes:
        document: (D,) the documents.
        first: int64 (D,) number of the key's row that each document starts with.
        counts: the sums of each.
        missing: documents that the response lacks.
        extra: documents that the key lacks.
    """

    document: Column
    first: Integers
    counts: Counts
    missing: Unpaired
    extra: Unpaired


def count_block(
    key: LongTable, response: LongTable, request: Request, *, threads: int = 1, progress: Progress | None = None
) -> Block:
    """Count the documents of two tables, each of which holds them whole.

    Raises:
        InputError: columns of different kinds on the two sides, a metric that does not fit the mentions.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
    """
    policies, metrics = request.policies, counted_metrics(request.metrics)
    key, response, at, extra = pair(key, response, request.names)
    kept = np.flatnonzero(at >= 0) if policies.missing_documents == "skip" else np.arange(at.size)
    document, names = take(key.document, kept), None
    if request.names.document is not None and any(metric.gold_mentions for metric in metrics):  # for the message
        names = [str(name) for name in document.to_list()]
    sides = pair_sides(key, response, kept, at[kept], request.names)
    return Block(
        document,
        key.first[kept],
        count_sides(*sides[:2], policies, metrics, sides[2], names, threads=threads, progress=progress),
        Unpaired.of(key, np.flatnonzero(at < 0)),
        Unpaired.of(response, extra),
    )


def check_paired(missing: Unpaired, extra: Unpaired, policies: Policies) -> None:
    """Refuse documents on one side only, where the policies do, and sides that have none in common.

    Raises:
        DocumentMismatchError: there are some, or none are left.
    """
    if missing.n and policies.missing_documents == "error":
        raise missing_error(missing.names, missing.n, missing.total)
    if extra.n and policies.extra_documents == "error":
        raise extra_error(extra.names, extra.n, extra.total)
    if policies.missing_documents == "skip" and 0 < missing.total == missing.n:
        raise common_error(missing.total, extra.total)


def assemble(blocks: Sequence[Block], request: Request) -> BatchScores:
    """Put blocks together, the documents in the order of the key's rows.

    Args:
        blocks: one at least, no document in two of them.
        request: that they were counted for.

    Raises:
        DocumentMismatchError: documents on one side only, where the policies refuse that.
    """
    check_paired(
        Unpaired.joined(block.missing for block in blocks),
        Unpaired.joined(block.extra for block in blocks),
        request.policies,
    )
    first = np.concatenate([block.first for block in blocks])
    order = None if (first[1:] >= first[:-1]).all() else np.argsort(first)
    place = np.arange(first.size) if order is None else np.argsort(order)
    names = None
    if request.names.document is not None:
        document = join([block.document for block in blocks], request.names.document)
        names = tuple(map(str, (document if order is None else take(document, order)).to_list()))
    bounds = segment_bounds(np.array([block.first.size for block in blocks]))
    counted = blocks[0].counts.metrics
    rows = np.empty((first.size, *blocks[0].counts.rows.shape[1:]))
    for block, (a, b) in zip(blocks, pairwise(bounds), strict=True):
        rows[slice(a, b) if order is None else place[a:b]] = block.counts.rows
    return BatchScores(request.metrics, Counts(names, counted, rows), signature(request.policies))
