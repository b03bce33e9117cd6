"""Check and score what a table is made of: blocks of systems of runs, such as seeds, all of them alike.

A score is the mean over runs, or that of their sums; there are standard deviations, and redraws of runs and documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.metrics import counted_metrics
from arraycoref.metrics.score import Floats
from arraycoref.options import Metrics
from arraycoref.report.values import number_of
from arraycoref.results import BatchScores
from arraycoref.stats.options import Settings
from arraycoref.stats.resampling import multiplicities, over_blocks, redrawn_runs
from arraycoref.stats.systems import Systems

MACRO = "macro average"
"""Name of the last block, where there are several."""

Runs = BatchScores | Sequence[BatchScores]
Block = Mapping[str, Sequence[BatchScores]]


def parts_of(runs: Any, metrics: Metrics, pooled: bool, settings: Settings) -> dict[str, Repeated]:
    """Bring what the user gave to blocks of systems of runs, all with the same ones; an only block has no name.

    Raises:
        InputError: what is no mapping or no scores, no system, blocks that differ in systems, runs or conventions.
        DocumentMismatchError: systems of a block scored on different documents.
        UnknownNameError: a metric that was not scored.
    """
    is_blocks = _is_mapping(runs) and bool(runs) and all(map(_is_mapping, runs.values()))
    blocks = {name: _runs_of(block) for name, block in (runs if is_blocks else {"": runs}).items()}
    titles = [*map(str, blocks), MACRO]
    if len(blocks) > 1 and len(set(titles)) < len(titles):
        raise InputError(f"blocks are {', '.join(titles[:-1])}; expected names that differ, and none {MACRO!r}")
    for name, block in blocks.items():
        for other, wanted in blocks.items():
            _require_runs(name, block, other, wanted)
    names = list(next(iter(blocks.values())))
    parts = {}
    for name, block in blocks.items():
        metrics = _resolved(name, block, metrics, settings.average)  # those of the first block for all
        parts[str(name)] = Repeated({system: block[system] for system in names}, metrics, pooled, settings)
    signatures = {name: part.first.signature for name, part in parts.items()}
    (first, expected), *_ = signatures.items()
    for name, signature in signatures.items():
        if signature != expected:
            raise InputError(
                f"block {first!r} was scored under {expected} and {name!r} under {signature}; expected the same"
            )
    return parts


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and not isinstance(value, BatchScores)


def _runs_of(block: Any) -> Block:
    """List the runs of each system.

    Raises:
        InputError: no mapping, no system, or what is no scores.
    """
    if not _is_mapping(block) or not block:
        raise InputError(f"systems are {type(block).__name__} {block!r:.40}; expected a mapping from names to scores")
    found = {name: (value,) if isinstance(value, BatchScores) else value for name, value in block.items()}
    for name, each in found.items():
        if not isinstance(each, Sequence) or not each or not all(isinstance(run, BatchScores) for run in each):
            raise InputError(
                f"{name!r} is {type(each).__name__}; expected BatchScores, or a sequence of them, one a run"
            )
    return found


def _require_runs(name: str, block: Block, other: str, wanted: Block) -> None:
    """Check that a block has the runs of another.

    Raises:
        InputError: it lacks a system or a run.
    """
    for system, runs in wanted.items():
        n = len(block.get(system, ()))
        if n < len(runs):
            lacks = f"has {number_of(n, 'run')} of" if n else "lacks"
            raise InputError(f"block {name!r} {lacks} system {system!r}, of which block {other!r} has {len(runs)}")


def named_runs(block: Block) -> dict[Any, BatchScores]:
    """Name the runs of all systems as errors and notes do: the first like its system."""
    return {f"{s}, run {k + 1}" if k else s: run for s, runs in block.items() for k, run in enumerate(runs)}


def _resolved(name: str, block: Block, metrics: Metrics, average: str) -> tuple[str, ...]:
    """Check that the runs of a block can be compared, and return the metrics; errors name the block, if it has a name.

    Raises:
        InputError, DocumentMismatchError, UnknownNameError: as `Systems.of`.
    """
    try:
        return Systems.of(named_runs(block), metrics, average).metrics
    except UnknownNameError:
        raise
    except InputError as error:
        raise type(error)(f"block {name!r}: {error}" if name else str(error)) from None


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

    def every_run(self) -> Systems:
        """Gather all runs, those of the first system first."""
        runs = {(name, k): run for name, runs in self.runs.items() for k, run in enumerate(runs)}
        return Systems.of(cast("Mapping[str, BatchScores]", runs), self.metrics, self.settings.average)

    def scores(self) -> list[Floats]:
        """Score the runs of each system: (S,) of float64 (n, K, 3)."""
        return np.split(self.every_run().estimates(), np.cumsum(self._sizes)[:-1])

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
        settings, systems = self.settings, self.every_run()
        n, size = settings.n_resamples, systems.n_documents
        seed = settings.seed if document_seed is None else document_seed
        runs = [redrawn_runs(settings.seed, str(name), len(runs), n) for name, runs in self.runs.items()]
        weights, found, first = np.concatenate(runs, axis=1), [], 0
        drawn = multiplicities(seed, size)
        for sums in over_blocks(systems.sums, drawn, n, size, threads=settings.threads, batch=settings.batch):
            rows = weights[first : first + len(sums)] / self._draws
            first += len(sums)
            if self.pooled:
                n_runs = np.repeat(self._sizes, self._sizes)  # a count is one of all runs, though fewer are drawn
                found.append(systems.scores(self._weighted(rows * n_runs, sums), size))
            else:
                found.append(self._weighted(rows, systems.scores(sums, size)))
        scores = np.concatenate(found)
        return scores if size > 1 else np.full_like(scores, np.nan)

    @property
    def _sizes(self) -> list[int]:
        """Runs of each system."""
        return list(map(len, self.runs.values()))

    @property
    def _draws(self) -> Floats:
        """Runs of its system that are drawn, for each run: float64 (N,)."""
        return np.repeat([float(max(1, n - 1)) for n in self._sizes], self._sizes)

    def _weighted(self, weights: Floats, values: Floats) -> Floats:
        """Add up the runs of each system by their weights, in order: float64 (R, N), (R, N, ...) -> (R, S, ...)."""
        total = np.zeros((len(values), len(self.runs), *values.shape[2:]))
        for run, system in enumerate(np.repeat(np.arange(len(self.runs)), self._sizes)):
            total[:, system] += weights[:, run].reshape(-1, *[1] * (values.ndim - 2)) * values[:, run]
        return total


def _sum(runs: Sequence[BatchScores], metrics: Sequence[str]) -> BatchScores:
    """Add up runs, document by document."""
    first, *others = (run.counts.only([m.name for m in counted_metrics(metrics)]) for run in runs)
    return replace(runs[0], counts=replace(first, rows=sum((counts.rows for counts in others), first.rows)))
