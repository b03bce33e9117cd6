"""Score systems of several runs, such as seeds: means and standard deviations, and other runs on other documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arraycoref.metrics import counted_metrics
from arraycoref.results import BatchScores
from arraycoref.stats.bootstrapping import replicates
from arraycoref.stats.options import Settings
from arraycoref.stats.resampling import multiplicities, over_blocks, redrawn_runs
from arraycoref.stats.systems import Systems

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Repeated:
    """S systems on the same documents, each of one run or more.

    Attributes:
        runs: by system.
        metrics: (K,) to score.
        pooled: score the sums over a system's runs, instead of averaging their scores.
        settings: how documents are averaged and resampled.
    """

    runs: Mapping[str, Sequence[BatchScores]]
    metrics: tuple[str, ...]
    pooled: bool
    settings: Settings

    @property
    def first(self) -> BatchScores:
        """The first run of the first system."""
        return next(iter(self.runs.values()))[0]

    @property
    def single(self) -> bool:
        """Whether each system has one run."""
        return all(len(runs) == 1 for runs in self.runs.values())

    def systems(self) -> Systems:
        """Gather the systems, with the sums of their runs."""
        one = {name: _sum(runs, self.metrics) for name, runs in self.runs.items()}
        return Systems.of(one, self.metrics, self.settings.average)

    def scores(self) -> list[Floats]:
        """Score the runs of each system: (S,) of float64 (n, K, 3)."""
        return [self._runs_of(name).estimates() for name in self.runs]

    def estimates(self) -> Floats:
        """Score the systems: float64 (S, K, 3)."""
        if self.pooled:
            return self.systems().estimates()
        return np.stack([scores.mean(axis=0) for scores in self.scores()])

    def redraws(self, document_seed: int | None = None) -> Floats:
        """Score the systems on redrawn documents, the same for all, by redrawn runs: float64 (R, S, K, 3).

        Args:
            document_seed: of the documents; None for the seed of the settings, by which the runs go in any case, so
                that those of one name are drawn alike for several keys.
        """
        seed = self.settings.seed if document_seed is None else document_seed
        return np.stack([self._redraw(name, seed) for name in self.runs], axis=1)

    def _redraw(self, name: str, document_seed: int) -> Floats:
        systems, settings = self._runs_of(name), self.settings
        n, threads, batch = settings.n_resamples, settings.threads, settings.batch
        weights = redrawn_runs(settings.seed, str(name), len(systems.runs), n)
        if not self.pooled:
            values = replicates(systems, n, document_seed, threads=threads, batch=batch)
            means: Floats = _weighted(weights, values) / weights[0].sum()
            return means
        size = systems.n_documents
        drawn = over_blocks(systems.sums, multiplicities(document_seed, size), n, size, threads=threads, batch=batch)
        found = systems.scores(_weighted(weights, np.concatenate(list(drawn))), size)
        return found if size > 1 else np.full_like(found, np.nan)

    def _runs_of(self, name: str) -> Systems:
        runs = {f"{name}, run {k + 1}": run for k, run in enumerate(self.runs[name])}
        return Systems.of(runs, self.metrics, self.settings.average)


def _sum(runs: Sequence[BatchScores], metrics: Sequence[str]) -> BatchScores:
    """Add up runs, document by document."""
    first, *others = (run.counts.only([m.name for m in counted_metrics(metrics)]) for run in runs)
    return replace(runs[0], counts=replace(first, rows=sum((counts.rows for counts in others), first.rows)))


def _weighted(weights: Floats, values: Floats) -> Floats:
    """Add up runs by their weights, one after the other: float64 (R, n), (R, n, ...) -> (R, ...)."""
    total = np.zeros((len(values), *values.shape[2:]))
    for k in range(weights.shape[1]):
        total += weights[:, k].reshape(-1, *[1] * (values.ndim - 2)) * values[:, k]
    return total
