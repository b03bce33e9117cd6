"""Hold and print the table that papers on coreference print: a row per system, metrics in groups of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.metrics import direction
from arraycoref.metrics.base import RATIOS
from arraycoref.options import Signature
from arraycoref.report.formats import Report, plain
from arraycoref.report.grouped import GroupedTable
from arraycoref.report.values import fields_of
from arraycoref.stats import table_layout
from arraycoref.stats.options import Resampled

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MACRO = "macro average"
"""Name of the last block, where there are several."""

SETTINGS = (
    *("fields", "seeds", "baseline", "test", "correction", "alpha", "method", "confidence", "average", "n_resamples"),
    *("seed", "notes"),
)
"""Attributes of a table that JSON holds besides its blocks."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreTable(Resampled, Report):
    """Scores of S systems by K metrics, in B blocks: one for each key, and the means over these, if there are several.

    `render` writes the table in a format; `print` shows it as text, and a notebook as HTML.

    Attributes:
        systems: (S,) names.
        blocks: (B,) names, empty of an only one.
        metrics: (K,) groups of columns.
        fields: of ``recall``, ``precision`` and ``f1``, those that are shown.
        values: float64 (B, S, K, 3) recall, precision and F, fractions 0-1; nan where a metric has none.
        sd: float64 (B, S, K, 3) standard deviation over a system's runs; nan of one run, or of sums over runs.
        low: float64 (B, S, K, 3) lower end of the interval; nan if intervals were not asked for.
        high: its upper end.
        pvalues: float64 (B, S, K, 3) of being the best; nan if marks were not asked for, or no test can be made.
        adjusted: float64 (B, S, K, 3) of the difference from the baseline, corrected for the number of systems.
        n_runs: (S,) of each system.
        n_documents: (B,) of each block; of means over blocks, in all.
        seeds: ``mean`` or ``pool``, what was made of the runs of a system.
        sort: whether the systems of a block stand in the order of their last score.
        baseline: name of a system, or None.
        test: ``randomisation`` or ``bootstrap``.
        correction: ``maxt``, ``holm``, ``bh`` or ``none``.
        alpha: level of the marks.
        method: of the intervals; those of means over blocks are ``percentile`` ones where it is ``bca``.
        confidence: of the intervals.
        signature: of the scores.
    """

    systems: tuple[str, ...]
    blocks: tuple[str, ...]
    metrics: tuple[str, ...]
    fields: tuple[str, ...]
    values: Floats
    sd: Floats
    low: Floats
    high: Floats
    pvalues: Floats
    adjusted: Floats
    n_runs: tuple[int, ...]
    n_documents: tuple[int, ...]
    seeds: str
    sort: bool
    baseline: str | None
    test: str
    correction: str
    alpha: float
    method: str
    confidence: float
    signature: Signature

    def __str__(self) -> str:
        return self.render().rstrip("\n")

    @property
    def best(self) -> Flags:
        """Whether a score is the best of its column, bool (B, S, K, 3)."""
        signs = np.array([direction(metric) for metric in self.metrics])[:, np.newaxis]
        signed = np.where(np.isnan(self.values), -np.inf, signs * self.values)
        found: Flags = (signed == signed.max(axis=1, keepdims=True)) & np.isfinite(signed)
        return found

    @property
    def rivals(self) -> Flags:
        """Whether a score may be as good as the best of its column, bool (B, S, K, 3)."""
        found: Flags = (self.pvalues > self.alpha) & ~self.best
        return found

    @property
    def differing(self) -> Flags:
        """Whether a score differs significantly from that of the baseline, bool (B, S, K, 3)."""
        found: Flags = self.adjusted <= self.alpha
        return found

    @property
    def places(self) -> list[tuple[int, int]]:
        """Positions of metric and field of each column of scores."""
        shown = [
            [f for f, field in enumerate(RATIOS) if field in self.fields and field in fields_of(metric)]
            for metric in self.metrics
        ]
        return [(k, f) for k, fields in enumerate(shown) for f in fields]

    def order(self, block: int) -> list[int]:
        """Positions of the systems of a block as they are shown."""
        if not self.sort:
            return list(range(len(self.systems)))
        k, f = self.places[-1]
        order: list[int] = np.argsort(-direction(self.metrics[k]) * self.values[block, :, k, f], kind="stable").tolist()
        return order

    def tables(self, digits: int) -> list[GroupedTable]:
        """Lay out a row for each system, in a section for each block."""
        return [table_layout.lay_out(self, digits)]

    def caption(self, digits: int) -> list[str]:
        """Say in full sentences what the table shows, so that a reader could repeat it."""
        del digits
        return table_layout.caption(self)

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each block and system, in fractions 0-1: each score, and beside it what was asked for."""
        columns = [
            ("_".join((self.metrics[k], RATIOS[f], *name)), values[:, :, k, f])
            for k, f in self.places
            for name, values in (((), self.values), *(((name,), values) for name, values in self._beside.items()))
            if not name or not np.isnan(values[:, :, k, f]).all()
        ]
        yield ("block", "system", "runs", *(name for name, _ in columns))
        for b, block in enumerate(self.blocks):
            for s in self.order(b):
                yield (block, self.systems[s], self.n_runs[s], *(plain(values[b, s]) for _, values in columns))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, fractions 0-1, None in place of nan."""
        return {
            "signature": self.signature.as_dict(),
            **{name: getattr(self, name) for name in SETTINGS},
            "blocks": [
                {
                    "block": block,
                    "documents": self.n_documents[b],
                    "systems": [
                        {"system": self.systems[s], "runs": self.n_runs[s], "scores": self._scores(b, s)}
                        for s in self.order(b)
                    ],
                }
                for b, block in enumerate(self.blocks)
            ],
        }

    @property
    def _beside(self) -> dict[str, Floats]:
        """What there may be beside a score, by the names of columns."""
        names = {"sd": "sd", "low": "low", "high": "high", "best_pvalue": "pvalues", "baseline_pvalue": "adjusted"}
        return {name: getattr(self, attribute) for name, attribute in names.items()}

    def _scores(self, block: int, system: int) -> dict[str, dict[str, dict[str, Any]]]:
        """Return what there is to each score of a system, by metric and field."""
        found: dict[str, dict[str, dict[str, Any]]] = {metric: {} for metric in self.metrics}
        for k, f in self.places:
            place = (block, system, k, f)
            values = {name: plain(values[place]) for name, values in self._beside.items()}
            marks = {"best": bool(self.best[place]), "rival": bool(self.rivals[place])}
            found[self.metrics[k]][RATIOS[f]] = {"value": plain(self.values[place]), **values, **marks}
        return found
