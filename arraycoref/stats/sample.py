"""Rows of documents or other units, on which systems were scored: resamples of them are added up and scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.counts import score_sums, undefined
from arraycoref.scoring.format import fields_of
from arraycoref.scoring.metrics.registry import RATIOS, find_metric
from arraycoref.scoring.metrics.score import Score, ratio
from arraycoref.scoring.shares import places, sums_of
from arraycoref.scoring.signature import Signature
from arraycoref.stats.design_effect import Spread
from arraycoref.stats.results import LINEARISED
from arraycoref.stats.runs import Runs
from arraycoref.stats.units import DOCUMENTS, By, Units

CACHED = 1 << 14
"""Number of units whose rows are multiplied at once: with ten times as many, a product takes fifty times as long."""

STEP = 1e-50
"""Size of the imaginary steps of derivatives, whose square vanishes beside any score."""


@dataclass(frozen=True, eq=False)
class Sample:
    """What S systems were scored on, U documents or other units, as rows that are added up and scored.

    Attributes:
        rows: float64 (S, U, w) counts of each document or group of documents; with ``macro``, its recall, precision and
            F of each metric, and for groups or with ``zero_division="skip"`` in how many documents these are counted.
            Of units of one clustering, shares of its sums, see `arraycoref.scoring.shares`.
        metrics: (K,) metrics to score.
        counted: metrics whose counts the rows hold; some metrics, as the CoNLL average, are computed from others.
        average: ``micro``, ratios of sums over documents, or ``macro``, means of the documents' ratios.
        signature: signature of the scores.
        units: what the rows are of.
    """

    rows: Floats
    metrics: tuple[str, ...]
    counted: tuple[str, ...]
    average: str
    signature: Signature
    units: Units = DOCUMENTS

    @classmethod
    def of(cls, runs: Runs, average: str, by: By = None) -> Sample:
        """Take the rows from the counts of systems, all of whose metrics are to be scored, or from shares of these.

        Args:
            runs: the systems.
            average: ``micro`` or ``macro``, which are the same for one clustering.
            by: ``resample_by`` of `arraycoref.options`.

        Raises:
            InputError, OptionError: see `Units.of`.
        """
        signature, units = replace(runs.signature, average=average), Units.of(runs, by)
        rows = runs.counts.flat if units.rows is None else units.rows
        sample = cls(rows, runs.metrics, runs.counts.metrics, "micro", signature, units)
        if average == "macro" and units.rows is None:
            ratios = np.nan_to_num(sample.scores(np.moveaxis(sample.rows, -1, 0), 1))
            if units.groups or signature.zero_division == "skip":
                kept = np.ones_like(ratios)
                if signature.zero_division == "skip":
                    kept -= np.stack([undefined(runs.counts, metric, signature) for metric in runs.metrics])
                ratios = np.stack([ratios * kept, kept])
            rows = np.moveaxis(ratios.reshape(-1, *sample.rows.shape[:2]), 0, -1)
            sample = replace(sample, rows=np.ascontiguousarray(rows), average=average)
        if units.groups:
            rows = np.stack([sample.rows[:, documents].sum(axis=1) for documents in units.groups], axis=1)
            sample = replace(sample, rows=rows)
        return sample

    @property
    def n_units(self) -> int:
        """Number of documents, or of other units, U."""
        return int(self.rows.shape[1])

    @property
    def is_tested(self) -> bool:
        """Whether tests mean anything: not on one unit, nor in a metric that mentions have no shares of."""
        return self.n_units > 1 and not np.isnan(self.rows).any()

    def take(self, systems: Ints | Sequence[int] | slice) -> Sample:
        """Return the sample of the systems at some positions."""
        return replace(self, rows=self.rows[systems], units=self.units.take(systems))

    def differing(self, i: int, j: int) -> Ints:
        """Return positions of units in which the rows of two systems differ."""
        return np.flatnonzero((self.rows[i] != self.rows[j]).any(axis=1))

    @cached_property
    def _columns(self) -> Floats:
        """The rows, with the columns as the first axis, so that sums are made and scored fast: float64 (w, S, D)."""
        return np.ascontiguousarray(self.rows.transpose(2, 0, 1))

    @property
    def totals(self) -> Floats:
        """Sums over all units, float64 (w, S)."""
        return np.ascontiguousarray(self.rows.sum(axis=1).T)

    def sums(self, weights: Floats) -> Floats:
        """Sum the units' rows with R rows of weights, float64 (R, U) -> (w, S, R)."""
        width, n_systems, n_units = self._columns.shape
        columns, sums = self._columns.reshape(-1, n_units), np.zeros((width * n_systems, len(weights)))
        for first in range(0, n_units, CACHED):
            sums += columns[:, first : first + CACHED] @ weights[:, first : first + CACHED].T
        return sums.reshape(width, n_systems, -1)

    def score(self, sums: Floats, k: int, f: int) -> Floats:
        """Score sums over all documents in one metric and field: float64 (w, ...) -> (...)."""
        if self.average == "macro":
            return self._mean(sums, k, f, self.n_units)
        return np.asarray(getattr(self._ratios(sums, self.metrics[k]), RATIOS[f]))

    def scores(self, sums: Floats, n_units: int) -> Floats:
        """Score sums over ``n_units``: float64 (w, ...) -> (K, 3, ...) R, P and F; nan where undefined."""
        found = np.full((len(self.metrics), len(RATIOS), *sums.shape[1:]), np.nan)
        for k, metric in enumerate(self.metrics):
            ratios = self._ratios(sums, metric) if self.average == "micro" else None
            for f in map(RATIOS.index, fields_of(metric)):
                found[k, f] = self._mean(sums, k, f, n_units) if ratios is None else getattr(ratios, RATIOS[f])
        return found

    def _mean(self, sums: Floats, k: int, f: int, n_units: int) -> Floats:
        place, width = k * len(RATIOS) + f, len(self.metrics) * len(RATIOS)
        return ratio(sums[place], sums[place + width]) if len(sums) > width else np.asarray(sums[place] / n_units)

    def _ratios(self, sums: Floats, metric: str) -> Score[Any]:
        sums = sums if self.units.rows is None else sums_of(self.counted, sums)
        return score_sums(sums.reshape(-1, 4, *sums.shape[1:]), self.counted, metric, self.signature)

    def estimates(self) -> Floats:
        """Return the scores on all units, the same as those of `BatchScores`: float64 (K, 3, S)."""
        if self.units.scored is not None:
            return replace(self, units=DOCUMENTS).scores(self.units.scored.T, 1)
        if self.average == "micro":
            return self.scores(self.totals, self.n_units)
        return self.scores(self._columns.mean(axis=-1), 1)

    @cached_property
    def _estimates(self) -> Floats:
        return self.estimates()

    def estimate(self, k: int, f: int, s: int) -> float:
        """Return a score of a system on all units."""
        return float(self._estimates[k, f, s])

    def f1(self, metric: str, s: int) -> float:
        """Return the F of a system in a metric whose counts the rows have."""
        return float(self._ratios(self.totals[:, s], metric).f1)

    def leave_one_out(self) -> Floats:
        """Score all units but one, for each unit left out: float64 (K, 3, S, U)."""
        return self.scores(self.totals[..., np.newaxis] - self._columns, max(1, self.n_units - 1))

    def spread(self, k: int, f: int, i: int, j: int | None = None) -> Spread:
        """Find how much a score of system i, or its difference from that of j, varies over units of one clustering."""
        if (k, f, i, j) not in self._known_spreads:
            influences = self.influences(k, f, i)
            influences = influences if j is None else influences - self.influences(k, f, j)
            self._known_spreads[k, f, i, j] = self.units.spread(influences, i, j)
        return self._known_spreads[k, f, i, j]

    def has_rows(self, k: int) -> bool:
        """Whether units have rows in a metric: not of one clustering, if its mentions contribute to no sum."""
        made_of, columns = find_metric(self.metrics[k]).made_of, places(self.counted)
        return not any(np.isnan(self.rows[..., columns[name]]).any() for name in made_of)

    def stretch(self, k: int, f: int, i: int, j: int | None = None) -> float:
        """Return the square root of the design effect, by which spreads are stretched; 1 for independent units."""
        return self.spread(k, f, i, j).design_effect ** 0.5 if self.units.meetings else 1.0

    def influences(self, k: int, f: int, s: int) -> Floats:
        """Return how much a score changes with the weight of each unit, to first order: float64 (U,), in all 0.

        The gradient at the totals comes from tiny imaginary steps, which have no rounding error.

        Source: Squire and Trapp (1998), Using Complex Variables to Estimate Derivatives of Real Functions.
        """
        if not self.has_rows(k):
            return np.full(self.n_units, np.nan)
        if (k, f, s) not in self._known_influences:
            totals = self.totals[:, s]
            stepped = totals[:, np.newaxis] + 1j * STEP * np.eye(totals.size)
            slopes = getattr(self._ratios(stepped, self.metrics[k]), RATIOS[f]).imag / STEP
            slopes[totals == 0.0] = 0.0  # no unit has any of these
            used = slopes != 0.0  # rows of other metrics may be nan
            influences = self.rows[s][:, used] @ slopes[used]
            self._known_influences[k, f, s] = influences - influences.sum() / max(1, influences.size)
        return self._known_influences[k, f, s]

    @cached_property
    def _known_influences(self) -> dict[tuple[int, int, int], Floats]:
        return {}

    @cached_property
    def _known_spreads(self) -> dict[tuple[int, int, int, int | None], Spread]:
        return {}


def sample_of(runs: Runs, asked: dict[str, Any]) -> Sample:
    """Take the sample that options ask for, and write into the options what it is of.

    Args:
        runs: systems on the same documents.
        asked: options, completed by `settings_of`. Results hold them; ``n_units`` is added, and for one clustering
            ``bca`` becomes ``linearised``.

    Raises:
        InputError, OptionError: see `arraycoref.stats.units.Units.of`.
    """
    sample = Sample.of(runs, asked["average"], asked["resample_by"])
    asked |= {"resample_by": sample.units.by, "n_units": sample.n_units}
    if sample.units.rows is not None and asked.get("method") == "bca":
        asked["method"] = LINEARISED
    return sample
