"""Check and score the input of a table: blocks (one for each key) of systems, each with runs (one for each seed, say).

All blocks must have the same systems and runs. The score of a system is the mean of its runs' scores, or the score of
the sum of their counts. Standard deviations are over runs; redraws are of runs and documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.options import Metrics
from arraycoref.report.tables import number_of
from arraycoref.scoring.metrics.registry import counted_metrics
from arraycoref.scoring.metrics.score import Floats
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.options import Settings
from arraycoref.stats.resampling import multiplicities, over_blocks, redrawn_runs
from arraycoref.stats.systems import Systems

MACRO = "macro average"
"""Name of the last block, which holds the means over the others if there are several."""

Runs = BatchScores | Sequence[BatchScores]
Block = Mapping[str, Sequence[BatchScores]]


def parts_of(runs: Any, metrics: Metrics, pooled: bool, settings: Settings) -> dict[str, Repeated]:
    """Arrange the user's scores as blocks of systems of runs, and check them; the name of an only block is empty.

    Args:
        runs: mapping from systems to a run or a sequence of runs, or a mapping from blocks to such mappings.
        metrics: metrics to score; those found for the first block are used for all.
        pooled: whether to score the sums over a system's runs, instead of averaging their scores.
        settings: how documents are averaged and resampled.

    Raises:
        InputError: no mapping, a value without scores, no system, blocks that differ in systems, runs or conventions.
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
        metrics = _resolved(name, block, metrics, settings.average)  # all blocks: those of the first
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
        InputError: ``block`` is no mapping, has no system, or has values that are no scores.
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
    """Check that a block has all systems of another block, with at least as many runs of each.

    Raises:
        InputError: the block lacks a system or a run.
    """
    for system, runs in wanted.items():
        n = len(block.get(system, ()))
        if n < len(runs):
            lacks = f"has {number_of(n, 'run')} of" if n else "lacks"
            raise InputError(f"block {name!r} {lacks} system {system!r}, of which block {other!r} has {len(runs)}")


def named_runs(block: Block) -> dict[Any, BatchScores]:
    """List all runs under the names that errors and notes use: a system's first run has the name of the system."""
    return {f"{s}, run {k + 1}" if k else s: run for s, runs in block.items() for k, run in enumerate(runs)}


def _resolved(name: str, block: Block, metrics: Metrics, average: str) -> tuple[str, ...]:
    """Check that the runs of a block can be compared, and return the names of the metrics.

    Raises:
        InputError, DocumentMismatchError, UnknownNameError: see `Systems.of`; the first two name the block if it has a
            name.
    """
    try:
        return Systems.of(named_runs(block), metrics, average).metrics
    except UnknownNameError:
        raise
    except InputError as error:
        raise type(error)(f"block {name!r}: {error}" if name else str(error)) from None


@dataclass(frozen=True, eq=False)
class Repeated:
    """S systems on the same documents, each with one run or more; N runs in all.

    Attributes:
        runs: runs of each system, by its name.
        metrics: (K,) names of the metrics to score.
        pooled: whether to score the sums over a system's runs, instead of averaging their scores.
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
        """Gather the systems, each with the counts of its runs added up."""
        one = {name: _sum(runs, self.metrics) for name, runs in self.runs.items()}
        return Systems.of(one, self.metrics, self.settings.average)

    def every_run(self) -> Systems:
        """Gather all N runs, each as a system of its own; those of the first system come first."""
        runs = {(name, k): run for name, runs in self.runs.items() for k, run in enumerate(runs)}
        return Systems.of(cast("Mapping[str, BatchScores]", runs), self.metrics, self.settings.average)

    def scores(self) -> list[Floats]:
        """Score the runs of each system: a list of S arrays, float64 (n, K, 3), for a system with n runs."""
        return np.split(self.every_run().estimates(), np.cumsum(self._sizes)[:-1])

    def estimates(self) -> Floats:
        """Score the systems: float64 (S, K, 3)."""
        if self.pooled:
            return self.systems().estimates()
        return np.stack([scores.mean(axis=0) for scores in self.scores()])

    def redraws(self, document_seed: int | None = None) -> Floats:
        """Score the systems on redrawn documents (the same for all systems) and runs: float64 (R, S, K, 3).

        Args:
            document_seed: seed for the documents; None for the seed of the settings. Runs are always drawn with the
                seed of the settings, so that a system's runs are drawn alike for several keys.
        """
        settings, systems = self.settings, self.every_run()
        n, size = settings.resamples, systems.n_documents
        seed = settings.seed if document_seed is None else document_seed
        runs = [redrawn_runs(settings.seed, str(name), len(runs), n) for name, runs in self.runs.items()]
        weights, found, first = np.concatenate(runs, axis=1), [], 0
        drawn = multiplicities(seed, size)
        for sums in over_blocks(systems.sums, drawn, n, size, threads=settings.threads, batch=settings.batch):
            rows = weights[first : first + len(sums)] / self._draws
            first += len(sums)
            if self.pooled:
                n_runs = np.repeat(self._sizes, self._sizes)  # scale counts to all runs: fewer are drawn
                found.append(systems.scores(self._weighted(rows * n_runs, sums), size))
            else:
                found.append(self._weighted(rows, systems.scores(sums, size)))
        scores = np.concatenate(found)
        return scores if size > 1 else np.full_like(scores, np.nan)

    @property
    def _sizes(self) -> list[int]:
        """Number of runs of each system."""
        return list(map(len, self.runs.values()))

    @property
    def _draws(self) -> Floats:
        """For each of the N runs, how many runs of its system are drawn in a resample: float64 (N,)."""
        return np.repeat([float(max(1, n - 1)) for n in self._sizes], self._sizes)

    def _weighted(self, weights: Floats, values: Floats) -> Floats:
        """Sum the weighted runs of each system, always in one order: float64 (R, N), (R, N, ...) -> (R, S, ...)."""
        total = np.zeros((len(values), len(self.runs), *values.shape[2:]))
        for run, system in enumerate(np.repeat(np.arange(len(self.runs)), self._sizes)):
            total[:, system] += weights[:, run].reshape(-1, *[1] * (values.ndim - 2)) * values[:, run]
        return total


def _sum(runs: Sequence[BatchScores], metrics: Sequence[str]) -> BatchScores:
    """Add up the counts of runs, document by document."""
    first, *others = (run.counts.only([m.name for m in counted_metrics(metrics)]) for run in runs)
    return replace(runs[0], counts=replace(first, rows=sum((counts.rows for counts in others), first.rows)))
