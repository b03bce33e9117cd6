"""Sums of counts over documents, to the bit the same whichever way the documents are shared out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from arraycoref.counts import Counts, Floats
from arraycoref.exact import split
from arraycoref.pipelines.blocks import Block, Unpaired


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums of the counts of some documents, in the parts in which `arraycoref.exact` adds without rounding.

    Attributes:
        n_documents: how many.
        metrics: names of the metrics.
        sums: float64 (2, 4K): on the coarse grid, and on the fine.
        only: the counts themselves, float64 (4K,), of a document that is the only one.
        missing: documents that the response lacks.
        extra: documents that the key lacks.
    """

    n_documents: int
    metrics: tuple[str, ...]
    sums: Floats
    only: Floats | None
    missing: Unpaired
    extra: Unpaired

    @classmethod
    def of(cls, block: Block) -> Totals:
        """Sum a block."""
        n_documents = block.first.size
        rows = block.counts.flat
        parts = split(rows)
        added = np.ones(n_documents) @ parts.array
        sums = np.zeros((2, parts.width))
        sums[0] = added[: parts.width]
        sums[1, parts.fractional] = added[parts.width :]
        only = rows[0] if n_documents == 1 else None
        return cls(n_documents, block.counts.metrics, sums, only, block.missing, block.extra)

    @classmethod
    def joined(cls, parts: Iterable[Totals]) -> Totals:
        """Add totals of different documents, one at least."""
        every = list(parts)
        n_documents = sum(part.n_documents for part in every)
        sums = np.sum([part.sums for part in every], axis=0)
        only = next((part.only for part in every if part.only is not None), None) if n_documents == 1 else None
        missing, extra = (Unpaired.joined(getattr(part, side) for part in every) for side in ("missing", "extra"))
        return cls(n_documents, every[0].metrics, sums, only, missing, extra)

    @property
    def counts(self) -> Counts:
        """The sums, rounded once."""
        totals = self.sums[0] + self.sums[1] if self.only is None else self.only
        return Counts(None, self.metrics, totals.reshape(-1, 4))
