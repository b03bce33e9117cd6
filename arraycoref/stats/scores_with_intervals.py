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
        for row in self.of_metrics:
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

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the scores, with the ends of all intervals before the notes; documents have none."""
        for row in super().rows():
            found = None if self.per_document else self.intervals.get(row["metric"])
            fields = () if self.per_document else RATIOS
            ends = {
                f"{field}_{end}": None if found is None else getattr(getattr(found, field), end)
                for field in fields
                for end in ("low", "high")
            }
            yield {**row, **ends, "notes": row["notes"]}

    def nested(self) -> Any:
        """Return what the scores hold, and ``intervals``: how they were made, and a row for each metric and field."""
        made = {name: value for name, value in self.intervals.nested().items() if name not in ("signature", "notes")}
        return super().nested() | {"notes": list(self.notes), "intervals": made}
