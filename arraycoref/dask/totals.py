"""Sums of counts over documents, to the bit the same whichever way the documents are shared out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.exact import split
from arraycoref.interop.two_tables import CountedDocuments
from arraycoref.pairing import Unpaired

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums of the counts of some documents, in the parts in which `arraycoref.exact` adds without rounding.

    Attributes:
        n_documents: how many.
        sums: float64 (2, width) a metric, by its name: on the coarse grid, and on the fine.
        only: the counts themselves, float64 (width,) a metric, of a document that is the only one.
        missing: documents that the response lacks.
        extra: documents that the key lacks.
    """

    n_documents: int
    sums: dict[str, Floats]
    only: dict[str, Floats] | None
    missing: Unpaired
    extra: Unpaired

    @classmethod
    def of(cls, block: CountedDocuments) -> Totals:
        """Sum a block."""
        n_documents = block.first.size
        sums = {}
        for metric, counts in block.counts.items():
            parts = split(counts)
            added = np.ones(n_documents) @ parts.array
            sums[metric] = np.zeros((2, parts.width))
            sums[metric][0] = added[: parts.width]
            sums[metric][1, parts.fractional] = added[parts.width :]
        only = {metric: counts[0] for metric, counts in block.counts.items()} if n_documents == 1 else None
        return cls(n_documents, sums, only, block.missing, block.extra)

    @classmethod
    def joined(cls, parts: Iterable[Totals]) -> Totals:
        """Add totals of different documents, one at least."""
        every = list(parts)
        n_documents = sum(part.n_documents for part in every)
        sums = {metric: np.sum([part.sums[metric] for part in every], axis=0) for metric in every[0].sums}
        only = next((part.only for part in every if part.only is not None), None) if n_documents == 1 else None
        missing, extra = (Unpaired.joined(getattr(part, side) for part in every) for side in ("missing", "extra"))
        return cls(n_documents, sums, only, missing, extra)

    @property
    def counts(self) -> dict[str, Floats]:
        """The sums, float64 (width,) a metric, rounded once."""
        return self.only or {metric: coarse + fine for metric, (coarse, fine) in self.sums.items()}
