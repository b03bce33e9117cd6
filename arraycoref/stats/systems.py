"""Put the counts of several systems into one array, sum them over weighted documents, and score the sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import UnknownNameError
from arraycoref.lazy import cached_property
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.exact import Parts, split
from arraycoref.scoring.metrics.registry import METRIC_NAMES, RATIOS, counted_metrics, find_metric, resolve_metrics
from arraycoref.scoring.metrics.score import Floats, Score
from arraycoref.scoring.scores import BatchScores, score_counts
from arraycoref.stats.comparable import check_comparable


@dataclass(frozen=True, eq=False)
class Systems:
    """S systems on D documents.

    Attributes:
        runs: (S,) scores of each system, by name.
        metrics: (K,) metrics to score.
        average: ``micro``, ratios of sums over documents, or ``macro``, means of the documents' ratios.
        counted: (C,) metrics whose counts are summed; some metrics, as the CoNLL average, are computed from others.
        parts: float64 (S, D, p) counts of each document (with ``macro``, its scores), split into p columns whose sums
            are exact, see `arraycoref.scoring.exact`; joined again, there are w columns.
    """

    runs: Mapping[str, BatchScores]
    metrics: tuple[str, ...]
    average: str
    counted: tuple[str, ...]
    parts: Parts

    @classmethod
    def of(cls, runs: Mapping[str, BatchScores], metrics: str | Iterable[str] | None, average: str) -> Systems:
        """Gather systems, and check that they can be compared.

        Raises:
            InputError: no system, no document, or systems scored under different profiles or betas.
            DocumentMismatchError: systems scored on different documents, or against different keys.
            UnknownNameError: a metric that was not scored.
        """
        first = check_comparable(runs)
        wanted = first.metrics if metrics is None else resolve_metrics(metrics, known_metrics(first))
        needed = tuple(metric.name for metric in counted_metrics(wanted))
        for name, b in runs.items():
            missing = [metric for metric in needed if metric not in b.counts]
            if missing:
                raise UnknownNameError(f"metric (not scored for {name!r})", missing[0], b.metrics)
        rows = np.stack([b.counts.only(needed).flat for b in runs.values()])
        systems = cls(runs, wanted, "micro", needed, split(rows))
        if average == "micro":
            return systems
        ratios = np.nan_to_num(systems._scores(rows)).reshape(*rows.shape[:2], -1)
        return replace(systems, average=average, parts=split(ratios))

    @property
    def n_documents(self) -> int:
        """Number of documents, D."""
        return int(self.parts.array.shape[1])

    @property
    def totals(self) -> Floats:
        """Sums over all documents, float64 (S, p)."""
        return np.asarray(self.parts.array.sum(axis=1))

    def differing(self, i: int, j: int) -> NDArray[np.int64]:
        """Return positions of documents in which the counts of two systems differ; for macro averages, their scores."""
        return np.flatnonzero((self.parts.array[i] != self.parts.array[j]).any(axis=1))

    def sums(self, weights: Floats) -> Floats:
        """Sum the documents' rows with R rows of weights, float64 (R, D) -> (R, S, p)."""
        return self._products(weights, slice(None)).transpose(2, 1, 0)

    def column_sums(self, weights: Floats, documents: NDArray[np.int64] | slice = slice(None)) -> Floats:
        """Sum the rows of d documents with R rows of weights, float64 (R, d) -> (w, S, R), and join the parts."""
        sums = self._products(weights, documents)
        sums[self.parts.fractional] += sums[self.parts.width :]
        return sums[: self.parts.width]

    @cached_property
    def _columns(self) -> Floats:
        """The parts, with the columns as the first axis: float64 (p, S, D)."""
        return np.ascontiguousarray(self.parts.array.transpose(2, 0, 1))

    def _products(self, weights: Floats, documents: NDArray[np.int64] | slice) -> Floats:
        """Sum with weights, float64 (R, d) -> (p, S, R); each column is contiguous, so that scoring is fast."""
        parts = self._columns[:, :, documents]
        n_columns, n_systems, n_documents = parts.shape
        return (parts.reshape(n_columns * n_systems, n_documents) @ weights.T).reshape(n_columns, n_systems, -1)

    def value(self, sums: Floats, place: int) -> Floats:
        """Score sums over all documents, float64 (w, ...) -> (...), in the first metric and the field at ``place``."""
        if self.average == "macro":
            return np.asarray(sums[place] / self.n_documents)
        return np.asarray(getattr(self._score(np.moveaxis(sums, 0, -1), self.metrics[0]), RATIOS[place]))

    def scores(self, sums: Floats, n_documents: int) -> Floats:
        """Score sums over ``n_documents``, float64 (..., p) -> (..., K, 3): recall, precision, F; nan where undefined.

        If the weights of the sums are integers, the scores have the same bits on any machine.
        """
        totals = self.parts.joined(sums)
        if self.average == "micro":
            return self._scores(totals)
        means = (totals / n_documents).reshape(*totals.shape[:-1], len(self.metrics), len(RATIOS))
        for position, name in enumerate(self.metrics):
            means[..., position, [field not in find_metric(name).fields for field in RATIOS]] = np.nan
        return means

    def estimates(self) -> Floats:
        """Return the scores on all documents, the same to the bit as those of `BatchScores`: float64 (S, K, 3)."""
        views = [BatchScores(self.metrics, b.counts, b.signature) for b in self.runs.values()]
        sources = [b.corpus if self.average == "micro" else b.macro for b in views]
        return np.array([[[getattr(v[metric], field) for field in RATIOS] for metric in self.metrics] for v in sources])

    def _score(self, totals: Floats, metric: str) -> Score[Any]:
        counts = Counts(None, self.counted, totals.reshape(*totals.shape[:-1], -1, 4))
        return score_counts(counts, metric, next(iter(self.runs.values())).signature)

    def _scores(self, totals: Floats) -> Floats:
        scores = [self._score(totals, metric) for metric in self.metrics]
        fields = [np.stack(np.broadcast_arrays(s.recall, s.precision, s.f1), axis=-1) for s in scores]
        return np.stack(fields, axis=-2)


def known_metrics(b: BatchScores) -> tuple[str, ...]:
    """Return the metrics that may be asked for: all of the coreference scorer, or those that a tagger's scores have."""
    return METRIC_NAMES if set(b.metrics) <= set(METRIC_NAMES) else b.metrics
