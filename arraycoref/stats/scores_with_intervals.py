"""Print scores of a batch with a confidence interval beside each F, as ``arraycoref score --intervals`` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arraycoref.report.tables import TextTable
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.scoring.reports import ScoresReport
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.intervals import bootstrap

SETTINGS = ("method", "confidence", "resamples", "resample_by", "seed")
"""Attributes of the intervals that JSON holds."""


@dataclass(frozen=True)
class ScoresWithIntervals(ScoresReport):
    """Scores of a batch and their intervals, as they are to be printed; those of documents have none.

    Attributes:
        intervals: of the scores that are printed: of the corpus, or of means over documents.
    """

    intervals: Any = None

    @classmethod
    def of(cls, b: BatchScores, *, macro: bool, **options: Any) -> ScoresWithIntervals:
        """Find the intervals of scores; the options are those of `arraycoref.bootstrap`."""
        return cls(b, macro=macro, intervals=bootstrap(b, average="macro" if macro else "micro", **options))

    @property
    def notes(self) -> Sequence[str]:
        """What happened in the run, and what a reader should know before trusting the intervals."""
        return tuple(dict.fromkeys((*super().notes, *self.intervals.notes)))

    def tables(self, digits: int) -> list[TextTable]:
        """Return the tables of the scores, with a column of intervals behind F."""
        *documents, table = super().tables(digits)
        profile, ends = self.b.signature.profile, [f"{100 * self.intervals.confidence:g}% interval"]
        for row in self.rows:
            score = None if row.link_class else self.intervals[row.metric].f1
            ends.append(score.cells(row.metric, digits, profile=profile)[1] if score else "")
        headers, *rows = (
            [*row[:4], end, *row[4:]] for row, end in zip((table.headers, *table.rows), ends, strict=True)
        )
        return [*documents, replace(table, headers=headers, rows=rows)]

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers and how the intervals were made."""
        about, *more = super().caption(digits)
        return [about, self.intervals.caption(digits)[0], *more]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield the records of the scores, with the ends of all intervals before the notes; documents have none."""
        if self.per_document:
            yield from super().records()
            return
        header, *records = super().records()
        yield (*header[:-1], *(f"{field}_{end}" for field in RATIOS for end in ("low", "high")), header[-1])
        for row, record in zip(self.rows, records, strict=True):
            found = [] if row.link_class else [getattr(self.intervals[row.metric], field) for field in RATIOS]
            ends = [end for interval in found for end in (interval.low, interval.high)] or [None] * 2 * len(RATIOS)
            yield (*record[:-1], *ends, record[-1])

    def nested(self) -> Any:
        """Return what the scores hold, and ``intervals``: how they were made, and those of each metric and field."""
        settings = {name: getattr(self.intervals, name) for name in SETTINGS}
        found = {"intervals": settings | {"scores": self.intervals.nested()["scores"]}}
        return super().nested() | {"notes": list(self.notes)} | found
