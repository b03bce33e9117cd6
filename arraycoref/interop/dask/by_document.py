"""Score many documents: each task has all rows of some documents, and returns their counts or the sums of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.interop.dask.shares import shared_tasks
from arraycoref.interop.dask.tasks import Task, summed
from arraycoref.interop.long_table import LongTable
from arraycoref.interop.overlap import Overlap
from arraycoref.interop.ranges import Piece
from arraycoref.interop.two_tables import CountedDocuments, Request, Sums, count_tables
from arraycoref.match.documents import Unpaired
from arraycoref.scoring.counts import Counts, Floats
from arraycoref.scoring.exact import split

FAN_IN = 16
"""Number of `Totals` that one task adds up."""


@dataclass(frozen=True, eq=False)
class Packed:
    """Counts of D documents, packed into less memory without loss.

    Attributes:
        metrics: names of the metrics.
        columns: the distinct columns of the counts, (D,) each, in the smallest dtype that holds their values.
        places: int64 (K, 4), for each column of the counts, its position in ``columns``.
    """

    metrics: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Sums) -> Packed:
        """Pack counts."""
        columns: list[Floats] = []
        places = []
        for group, field in np.ndindex(counts.rows.shape[1:]):
            column = counts.rows[:, group, field]
            same = (c for c, other in enumerate(columns) if np.array_equal(other[:9], column[:9]))
            place = next((c for c in same if np.array_equal(columns[c], column)), len(columns))
            if place == len(columns):
                columns.append(np.ascontiguousarray(column))
            places.append(place)
        return cls(counts.metrics, tuple(map(_smallest, columns)), np.reshape(places, (-1, 4)))

    @property
    def rows(self) -> Floats:
        """The sums, float64 (D, K, 4), made when they are asked for."""
        rows = np.empty((self.columns[0].size, *self.places.shape))
        for (group, field), column in np.ndenumerate(self.places):
            rows[:, group, field] = self.columns[column]
        return rows


def _smallest(column: Floats) -> NDArray[Any]:
    """Return a column in the smallest of uint8, uint16 and uint32 that holds every value, or as it is if none does."""
    if column.size and column.min() >= 0 and (column == np.rint(column)).all():
        for dtype in (np.uint8, np.uint16, np.uint32):
            if column.max() <= np.iinfo(dtype).max:
                return column.astype(dtype)
    return column


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums of the counts of some documents, in two parts that `arraycoref.scoring.exact` adds up without rounding.

    Attributes:
        n_documents: number of documents.
        metrics: names of the metrics.
        sums: float64 (2, 4K): the parts on the coarse grid of `arraycoref.scoring.exact`, then those on its fine grid.
        only: float64 (4K,), the counts themselves if there is only one document; else None.
        missing: documents that the response lacks.
        extra: documents that the key lacks.
        overlap: how many of the mentions both sides have.
    """

    n_documents: int
    metrics: tuple[str, ...]
    sums: Floats
    only: Floats | None
    missing: Unpaired
    extra: Unpaired
    overlap: Overlap

    @classmethod
    def of(cls, counted: CountedDocuments) -> Totals:
        """Sum the counts of documents."""
        n_documents, n_groups, _ = counted.counts.rows.shape
        rows = counted.counts.rows.reshape(n_documents, 4 * n_groups)
        parts = split(rows)
        added = np.ones(n_documents) @ parts.array
        sums = np.zeros((2, parts.width))
        sums[0] = added[: parts.width]
        sums[1, parts.fractional] = added[parts.width :]
        only = rows[0] if n_documents == 1 else None
        return cls(n_documents, counted.counts.metrics, sums, only, counted.missing, counted.extra, counted.overlap)

    @classmethod
    def joined(cls, parts: Iterable[Totals]) -> Totals:
        """Add up one or more totals, each of different documents."""
        every = list(parts)
        n_documents = sum(part.n_documents for part in every)
        sums = np.sum([part.sums for part in every], axis=0)
        only = next((part.only for part in every if part.only is not None), None) if n_documents == 1 else None
        missing, extra = (Unpaired.joined(getattr(part, side) for part in every) for side in ("missing", "extra"))
        overlap = np.sum([part.overlap for part in every], axis=0)
        return cls(n_documents, every[0].metrics, sums, only, missing, extra, overlap)

    @property
    def counts(self) -> Counts:
        """The sums of the two parts, with one rounding."""
        totals = self.sums[0] + self.sums[1] if self.only is None else self.only
        return Counts.read_only(None, self.metrics, totals.reshape(-1, 4))


def packed_counts(key: LongTable, response: LongTable, request: Request) -> CountedDocuments:
    """Count the documents of two tables, and pack the counts to be sent."""
    counted = count_tables(key, response, request)
    return replace(counted, counts=Packed.of(counted.counts))


def total_tasks(
    key: Sequence[Piece], response: Sequence[Piece], request: Request, threads: int
) -> tuple[Task, list[Task]]:
    """Make a tree of tasks that add up the totals of all documents; return its root and the list of its leaves."""
    first = shared_tasks(count_totals, key, response, request, threads)
    return summed(first, Totals.joined, FAN_IN), first


def count_totals(key: LongTable, response: LongTable, request: Request) -> Totals:
    """Sum the counts of the documents of two tables."""
    return Totals.of(count_tables(key, response, request))
