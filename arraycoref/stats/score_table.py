"""Print the table of scores that papers on coreference print, in every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arraycoref.metrics.base import RATIOS
from arraycoref.report.formats import Report, plain
from arraycoref.report.grouped import GroupedTable
from arraycoref.stats.table_layout import lay_out, words
from arraycoref.stats.table_numbers import TableNumbers

SETTINGS = (
    *("fields", "seeds", "baseline", "test", "correction", "alpha", "method", "confidence", "average", "n_resamples"),
    *("seed", "notes"),
)
"""Attributes of a table that JSON holds besides its rows."""

BESIDE = {"": "values", "_sd": "sd", "_low": "low", "_high": "high", "_best_pvalue": "pvalues"} | {
    "_baseline_pvalue": "adjusted",
    "_difference": "difference",
    "_difference_low": "difference_low",
    "_difference_high": "difference_high",
}
"""Ends of the names of columns in CSV, JSON and frames, and the attributes that they hold."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreTable(TableNumbers, Report):
    """Scores of systems as papers print them; `TableNumbers` has the attributes.

    `render` writes the table in a format; `print` shows it as text, and a notebook as HTML.
    """

    def __str__(self) -> str:
        return self.render().rstrip("\n")

    def tables(self, digits: int) -> list[GroupedTable]:
        """Lay out a row for each system, in a section for each block."""
        return [lay_out(self, digits)]

    def caption(self, digits: int) -> list[str]:
        """Say in full sentences what the table shows, so that a reader could repeat it."""
        del digits
        return words(self)

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each block and system, in fractions 0-1: each score, and beside it what was asked for."""
        columns = {
            f"{self.metrics[k]}_{RATIOS[f]}{end}": getattr(self, name)[..., k, f]
            for k, f in self.places
            for end, name in BESIDE.items()
            if not end or not np.isnan(getattr(self, name)[..., k, f]).all()
        }
        yield ("block", "system", "runs", *columns)
        for b, s in self.rows:
            yield (self.blocks[b], self.systems[s], self.n_runs[s], *(plain(each[b, s]) for each in columns.values()))

    def to_dict(self) -> dict[str, Any]:
        """Return settings and rows as plain Python values, fractions 0-1, None in place of nan."""
        header, *rows = self.records()
        return {
            "signature": self.signature.as_dict(),
            **{name: getattr(self, name) for name in SETTINGS},
            "documents": dict(zip(self.blocks, self.n_documents, strict=True)),
            "rows": [dict(zip(map(str, header), row, strict=True)) for row in rows],
        }
