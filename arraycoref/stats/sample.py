"""Rows of documents or other units, on which systems were scored: resamples of them are added up and scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from arraycoref.exceptions import InputError
from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.contributions import CONTRIBUTIONS, sums_of
from arraycoref.scoring.counts import score_sums, undefined
from arraycoref.scoring.format import fields_of
from arraycoref.scoring.grouped import documents_by, refuse_missing
from arraycoref.scoring.labels import index_of
from arraycoref.scoring.metrics.registry import RATIOS, find_metric
from arraycoref.scoring.metrics.score import Score, ratio
from arraycoref.scoring.signature import Signature
from arraycoref.stats.how import LINEARIZED, By, How
from arraycoref.stats.one_clustering import COMPONENT, ENTITY, LABEL, SAMPLED, Meetings, OneClustering, Spread
from arraycoref.stats.run_scores import RunScores

DOCUMENT, GROUP = "document", "group"
"""The kinds of units of several documents."""

NOUNS = {
    DOCUMENT: ("document", "documents"),
    GROUP: ("group of documents", "groups of documents"),
    ENTITY: ("key entity", "key entities"),
    COMPONENT: ("component", "components"),
    LABEL: ("given unit", "given units"),
    SAMPLED: ("sampled entity", "sampled entities"),
}
"""What units are called, one and several."""

CACHED = 1 << 14
"""Number of units whose rows are multiplied at once: with ten times as many, a product takes fifty times as long."""

RECENT = 4
"""Number of systems whose rows of one clustering are kept: they are large, and made from labels when asked for."""

STEP = 1e-50
"""Size of the imaginary steps of derivatives, whose square vanishes beside any score."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Units:
    """What is resampled and exchanged: documents, groups of documents, or units of one clustering.

    Attributes:
        kind: one of `NOUNS`.
        by: the value of ``resample_by`` that gives these units; ``labels`` for labels of the user.
        groups: positions of the documents of each group; empty for other kinds.
        reason: why a single document could not be divided; empty if it was, or was not to be.
    """

    kind: str = DOCUMENT
    by: str = DOCUMENT
    groups: Sequence[Sequence[int]] = ()
    reason: str = ""

    @property
    def noun(self) -> str:
        """What one of them is called."""
        return NOUNS[self.kind][0]

    def describe(self, n: int) -> str:
        """Write a number of units with its noun."""
        return f"{n} {NOUNS[self.kind][n != 1]}"


def units_of(runs: RunScores, by: By) -> tuple[Units, OneClustering | None]:
    """Find the units of runs on the same documents; for ``by`` see ``resample_by`` in `arraycoref.options`.

    Raises:
        InputError: units that these runs do not have; a label that is missing.
        OptionError: a text that is not a regular expression.
    """
    if (design := runs.signature.truth_sample) != "none":
        if by is not None and not (isinstance(by, str) and by == ENTITY):
            raise InputError("resample_by has no effect on a sample of entities; expected 'entity'", "resample_by")
        return Units(SAMPLED, ENTITY), OneClustering.from_labels(runs.clusterings, SAMPLED, runs.counts, design=design)
    kind: str | None = None
    labels: Sequence[object] | Mapping[Any, object] = ()
    if by is None or (isinstance(by, str) and by == DOCUMENT):
        if by is None and runs.n_documents == 1 and runs.clusterings:
            try:
                return Units(ENTITY, ENTITY), OneClustering.from_labels(runs.clusterings, ENTITY, runs.counts)
            except InputError as error:
                return Units(reason=str(error)), None
        return Units(), None
    index = index_of(by)
    by_id = all(one.ids is not None for one in runs.clusterings) and bool(runs.clusterings)
    if isinstance(by, str):
        kind = by if by in (ENTITY, COMPONENT) else None
    elif runs.n_documents == 1 and by_id and (index is not None or isinstance(by, Mapping)):
        kind, labels = LABEL, by if isinstance(by, Mapping) else dict(zip(index, by, strict=True))
    elif not isinstance(by, Mapping):
        labels = by = list(by)
        refuse_missing(labels, "resample_by")
        kind = LABEL if runs.n_documents == 1 and len(labels) > 1 else None
    if kind is None:
        groups = documents_by(runs.written_names, by, "resample_by")
        return Units(GROUP, by if isinstance(by, str) else "labels", tuple(groups.values())), None
    if runs.n_documents != 1:
        reason = f"units of one clustering, and there are {runs.n_documents} documents"
        raise InputError(f"resample_by asks for {reason}; expected 'document', or groups of documents", "resample_by")
    clustering = OneClustering.from_labels(runs.clusterings, kind, runs.counts, labels)
    return Units(kind, "labels" if kind == LABEL else kind), clustering


def by_name(by: By, runs: RunScores) -> By:
    """Return labels of several documents as a mapping from their names: others may take some of the documents."""
    if by is None or isinstance(by, str | Mapping) or runs.n_documents == 1:
        return by
    names, labels = runs.written_names, list(by)
    if len(labels) != len(names):
        raise InputError(f"got {len(labels)} labels for {len(names)} documents; expected one for each", "resample_by")
    return dict(zip(names, labels, strict=True))


@dataclass(frozen=True, eq=False)
class Sample:
    """What S systems were scored on, U documents or other units, as rows that are added up and scored.

    Attributes:
        metrics: (K,) metrics to score.
        counted: metrics whose counts the rows hold; some metrics, as the CoNLL average, are computed from others.
        average: ``micro``, ratios of sums over documents, or ``macro``, means of the documents' ratios.
        signature: signature of the scores.
        units: what the rows are of.
        of_documents: float64 (S, U, w) counts of each document or group of documents; with ``macro``, its recall,
            precision and F of each metric, and for groups or with ``zero_division="skip"`` in how many documents these
            are counted. None for one clustering.
        clustering: the units of one clustering; None for documents. Its rows are parts of the sums, see
            `arraycoref.scoring.contributions`.
    """

    metrics: tuple[str, ...]
    counted: tuple[str, ...]
    average: str
    signature: Signature
    units: Units
    of_documents: Floats | None
    clustering: OneClustering | None = None

    @classmethod
    def from_runs(cls, runs: RunScores, average: str, by: By = None) -> Sample:
        """Take the rows from the counts of systems, all of whose metrics are to be scored, or from parts of these.

        Args:
            runs: the systems.
            average: ``micro`` or ``macro``, which are the same for one clustering.
            by: ``resample_by`` of `arraycoref.options`.

        Raises:
            InputError, OptionError: see `units_of`.
        """
        signature, (units, clustering) = replace(runs.signature, average=average), units_of(runs, by)
        if clustering is not None:
            return cls(runs.metrics, runs.counts.metrics, "micro", signature, units, None, clustering)
        rows = runs.counts.flat
        sample = cls(runs.metrics, runs.counts.metrics, "micro", signature, units, rows)
        if average == "macro":
            ratios = np.nan_to_num(sample.scores(np.moveaxis(rows, -1, 0), 1))
            if units.groups or signature.zero_division == "skip":
                kept = np.ones_like(ratios)
                if signature.zero_division == "skip":
                    kept -= np.stack([undefined(runs.counts, metric, signature) for metric in runs.metrics])
                ratios = np.stack([ratios * kept, kept])
            rows = np.ascontiguousarray(np.moveaxis(ratios.reshape(-1, *rows.shape[:2]), 0, -1))
        if units.groups:
            rows = np.stack([rows[:, documents].sum(axis=1) for documents in units.groups], axis=1)
        return replace(sample, of_documents=rows, average=average)

    def __len__(self) -> int:
        """Return the number of systems, S."""
        return len(self.of_documents) if self.clustering is None else len(self.clustering.keys)  # type: ignore[arg-type]

    @property
    def n_units(self) -> int:
        """Number of documents, or of other units, U."""
        return self.rows.shape[1] if self.clustering is None else self.clustering.n_units

    @cached_property
    def is_tested(self) -> bool:
        """Whether tests mean anything: not on one unit, nor in a metric to which mentions do not contribute."""
        if self.clustering is not None:
            return self.n_units > 1 and all(map(self.has_rows, range(len(self.metrics))))
        return self.n_units > 1 and not np.isnan(self.rows).any()

    def pooled(self, firsts: Sequence[int]) -> Sample:
        """Add up the runs of each system, given the position of its first one."""
        return replace(self, of_documents=np.add.reduceat(self.rows, firsts, axis=0), clustering=None)

    @cached_property
    def rows(self) -> Floats:
        """The rows of all systems, float64 (S, U, w)."""
        if self.of_documents is not None:
            return self.of_documents
        return np.stack([self.rows_of(s) for s in range(len(self))])

    def rows_of(self, s: int) -> Floats:
        """Return the rows of a system, float64 (U, w)."""
        if self.clustering is None or "rows" in vars(self):
            return np.asarray(self.rows[s])
        return self._rows_and_meetings(s)[0]

    def _meetings(self, s: int) -> Meetings | None:
        return None if self.clustering is None else self._rows_and_meetings(s)[1]

    def _rows_and_meetings(self, s: int) -> tuple[Floats, Meetings | None]:
        made: tuple[Floats, Meetings | None]
        made = self.recent("rows", s, lambda: self.clustering.rows(s))  # type: ignore[union-attr]
        return made

    def recent(self, what: str, place: object, make: Callable[[], T]) -> T:
        """Return a value that is kept for the systems that were asked for last."""
        kept = self._kept.setdefault(what, {})
        value: T = kept.pop(place) if place in kept else make()
        if len(kept) >= RECENT:
            del kept[next(iter(kept))]
        kept[place] = value
        return value

    @cached_property
    def _kept(self) -> dict[str, dict[object, Any]]:
        return {}

    def differing(self, systems: Sequence[int]) -> Ints:
        """Return positions of units in which the rows of some systems differ."""
        differs = np.zeros(self.n_units, np.bool_)
        for s in systems[1:]:
            differs |= (self.rows_of(s) != self.rows_of(systems[0])).any(axis=1)
        return np.flatnonzero(differs)

    @cached_property
    def _columns(self) -> Floats:
        """The rows, with the columns as the first axis, so that sums are made and scored fast: float64 (w, S, D)."""
        return np.ascontiguousarray(self.rows.transpose(2, 0, 1))

    @cached_property
    def totals(self) -> Floats:
        """Sums over all units, float64 (w, S)."""
        if self.clustering is None or "rows" in vars(self):
            return np.ascontiguousarray(self.rows.sum(axis=1).T)
        return np.stack([self.totals_of(s) for s in range(len(self))], axis=1)

    def totals_of(self, s: int) -> Floats:
        """Sums over all units of a system, float64 (w,)."""
        if self.clustering is None:
            return self.totals[:, s]
        return np.asarray(self.rows_of(s).sum(axis=0))

    def sums(self, weights: Floats) -> Floats:
        """Sum the units' rows with R rows of weights, float64 (R, U) -> (w, S, R)."""
        return weighted(self._columns, weights)

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
        sums = sums if self.clustering is None else sums_of(self.counted, sums)
        return score_sums(sums.reshape(-1, 4, *sums.shape[1:]), self.counted, metric, self.signature)

    @cached_property
    def estimates(self) -> Floats:
        """The scores on all units, the same as those of `BatchScores`: float64 (K, 3, S)."""
        if self.clustering is not None:
            return replace(self, clustering=None).scores(self.clustering.scored.T, 1)
        if self.average == "micro":
            return self.scores(self.totals, self.n_units)
        return self.scores(self._columns.mean(axis=-1), 1)

    def f1(self, metric: str, s: int) -> float:
        """Return the F of a system in a metric whose counts the rows have."""
        return float(self._ratios(self.totals_of(s), metric).f1)

    def leave_one_out(self) -> Floats:
        """Score all units but one, for each unit left out: float64 (K, 3, S, U)."""
        return self.scores(self.totals[..., np.newaxis] - self._columns, max(1, self.n_units - 1))

    def spread(self, k: int, f: int, i: int, j: int | None = None) -> Spread:
        """Find how much a score of system i, or its difference from that of j, varies over units of one clustering."""
        influences = self.influences(k, f, i) - (0.0 if j is None else self.influences(k, f, j))
        return self.spread_of(influences, i, j)

    def spread_of(self, influences: Floats, i: int = 0, j: int | None = None) -> Spread:
        """Find the same of any number by its influences, where errors in common are those of system i, or of both."""
        meetings = self._meetings(i)
        if j is not None:
            other = self._meetings(j)
            meetings = None if meetings is None or other is None else meetings.beside(other)
        free = 1.0 if self.clustering is None else self.recent("free", i, lambda: self.clustering.free(i))  # type: ignore[union-attr]
        return Spread.from_influences(influences, None if meetings is None else meetings.together(influences), free)

    def has_rows(self, k: int) -> bool:
        """Whether units have rows in a metric: not of one clustering, if its mentions contribute to no sum."""
        if self.clustering is None:
            return True
        known = self.clustering.clusterings[0].contributions or CONTRIBUTIONS
        return all(name in known for name in find_metric(self.metrics[k]).made_of)

    def stretch(self, k: int, f: int, i: int, j: int | None = None) -> float:
        """Return the square root of the design effect, by which spreads are stretched; 1 for independent units."""
        return self.spread(k, f, i, j).design_effect ** 0.5 if self.units.kind == ENTITY else 1.0

    def influences(self, k: int, f: int, s: int) -> Floats:
        """Return how much a score changes with the weight of each unit, to first order: float64 (U,), in all 0."""
        if not self.has_rows(k):
            return np.full(self.n_units, np.nan)

        def make() -> Floats:
            slopes, rows = self.slopes(k, f, s), self.rows_of(s)
            used = slopes != 0.0  # rows of other metrics may be nan
            influences: Floats = np.einsum("wu,w->u", rows.T[used], slopes[used])
            return np.asarray(influences - influences.sum() / max(1, influences.size))

        influences: Floats = self.recent("influences", (k, f, s), make)
        return influences

    def slopes(self, k: int, f: int, s: int) -> Floats:
        """Return how much a score changes with each of its sums, float64 (w,), to first order.

        They come from tiny imaginary steps, which have no rounding error.

        Source: Squire and Trapp (1998), Using Complex Variables to Estimate Derivatives of Real Functions.
        """
        totals = self.totals_of(s)
        slopes = self.score(totals[:, np.newaxis] + 1j * STEP * np.eye(totals.size), k, f).imag / STEP
        slopes[totals == 0.0] = 0.0  # no unit has any of these
        return np.asarray(slopes)


def weighted(columns: Floats, weights: Floats) -> Floats:
    """Sum columns of units with R rows of weights: float64 (w, S, U) and (R, U) -> (w, S, R)."""
    width, n_systems, n_units = columns.shape
    flat, sums = columns.reshape(-1, n_units), np.zeros((width * n_systems, len(weights)))
    for first in range(0, n_units, CACHED):
        sums += flat[:, first : first + CACHED] @ weights[:, first : first + CACHED].T
    return sums.reshape(width, n_systems, -1)


def sample_of(runs: RunScores, how: How) -> tuple[Sample, How]:
    """Take the sample that options ask for, and write into them what it is of; one clustering has no ``bca``.

    Raises:
        InputError, OptionError: see `units_of`.
    """
    sample = Sample.from_runs(runs, how.average, how.resample_by)
    method = LINEARIZED if sample.clustering is not None and how.method == "bca" else how.method
    return sample, replace(how, resample_by=sample.units.by, n_units=sample.n_units, method=method)
