"""Arrange the scores of a table as blocks: one for each key, of systems with one run or several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arraycoref.errors import InputError, OptionError, UnknownNameError
from arraycoref.options import Metrics
from arraycoref.ragged import Floats
from arraycoref.report.tables import number_of
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.checks import as_batch, require_same_conventions
from arraycoref.stats.resampling import Draws, multiplicities, redrawn_runs
from arraycoref.stats.run_scores import RunScores
from arraycoref.stats.sample import DOCUMENT, By, Sample
from arraycoref.stats.settings import as_setting, grouped_over, name_of, text_of


@dataclass(frozen=True, eq=False)
class Block:
    """S systems on the same documents, each with one run or more; N runs in all.

    Attributes:
        names: (S,) names of the systems.
        sizes: (S,) numbers of runs.
        runs: the N runs; those of the first system come first.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    runs: RunScores

    @classmethod
    def of(cls, given: Any, metrics: Metrics, over: str | None) -> Block:
        """Gather the runs of each system.

        Raises:
            InputError, DocumentMismatchError, UnknownNameError: see `Runs.of`; or runs without the parameter ``over``.
        """
        if isinstance(given, RunScores):
            if over is None:
                return cls(given.names, (1,) * len(given), RunScores.of(given, metrics))
            settings, positions = grouped_over(given.settings, over)
            names = tuple(map(name_of, settings))
            return cls(
                names, (positions.shape[1],) * len(names), RunScores.of(given.select(positions.ravel()), metrics)
            )
        listed = {
            text_of(as_setting(name)): [each] if isinstance(each, BatchScores) else list(each)
            for name, each in ((name, as_batch(each)) for name, each in given.items())
        }
        if len(listed) < len(given) or not all(listed.values()):
            raise InputError(
                f"systems are {', '.join(map(str, given))}; expected other texts for each, and a run or more"
            )
        runs = {f"{s}, run {k + 1}" if k else s: run for s, each in listed.items() for k, run in enumerate(each)}
        return cls(tuple(listed), tuple(map(len, listed.values())), RunScores.of(runs, metrics))

    @property
    def firsts(self) -> list[int]:
        """The position of the first run of each system."""
        return [sum(self.sizes[:s]) for s in range(len(self.sizes))]

    @property
    def notes(self) -> tuple[tuple[str, ...], ...]:
        """What happened in the runs of each system."""
        return tuple(self.runs.notes_of(*range(f, f + n)) for f, n in zip(self.firsts, self.sizes, strict=True))

    def mean(self, values: Floats) -> Floats:
        """Average values of runs over the runs of each system: float64 (..., N) -> (..., S)."""
        return np.add.reduceat(values, self.firsts, axis=-1) / self.sizes

    def in_order(self, names: Sequence[str]) -> Block:
        """Return the same block with its systems in another order."""
        order = [self.names.index(name) for name in names]
        runs = np.split(np.arange(len(self.runs)), self.firsts[1:])
        chosen = self.runs.select(np.concatenate([runs[s] for s in order]))
        return Block(tuple(names), tuple(self.sizes[s] for s in order), chosen)

    def sample(self, average: str, by: By = None, *, single: bool = False) -> Sample:
        """Take the units of a block; of one clustering the document, unless each system has a ``single`` run."""
        sample = Sample.from_runs(self.runs, average, by)
        one_clustering = sample.clustering is not None
        return Sample.from_runs(self.runs, average, DOCUMENT) if one_clustering and not single else sample

    def redraws(self, draws: Draws, average: str, pool: bool, document_seed: int, by: By = None) -> Floats:
        """Score the systems on redrawn documents (the same for all systems) and runs: float64 (K, 3, S, R).

        Runs are always drawn with the seed of ``draws``, so that a system's runs are drawn alike for several keys.
        """
        sample = self.sample(average, by)
        n, drawn = sample.n_units, zip(self.names, self.sizes, strict=True)
        weights = np.concatenate([redrawn_runs(draws.seed, s, size, draws.resamples).T for s, size in drawn])
        scale = [(size if pool else 1) / max(1, size - 1) for size in self.sizes]  # pooled: to the counts of all runs
        weights *= np.repeat(scale, self.sizes)[:, np.newaxis]
        found, first = [], 0
        for sums in draws.over_blocks(sample.sums, multiplicities(document_seed, n), n):
            some = weights[:, first : first + sums.shape[-1]]
            first += sums.shape[-1]
            values = sums if pool else sample.scores(sums, n)
            summed = np.add.reduceat(values * some, self.firsts, axis=-2)
            found.append(sample.scores(summed, n) if pool else summed)
        scores = np.concatenate(found, axis=-1)
        return scores if n > 1 else np.full_like(scores, np.nan)


def group_blocks(blocks: dict[str, Block], by: str | Iterable[object]) -> dict[str, Block]:
    """Return the groups of one key's documents as blocks, and all of them as the last block."""
    if len(blocks) > 1:
        raise OptionError(f"by makes blocks of one key's documents; there are {len(blocks)} keys", "by")
    (whole,) = blocks.values()
    return {group: replace(whole, runs=runs) for group, runs in whole.runs.by(by).items()} | {"total": whole}


def blocks_of(runs: Any, metrics: Metrics, over: str | None) -> dict[str, Block]:
    """Arrange the user's scores as blocks, and check that they go together; the name of an only block is empty."""
    is_blocks = (
        not isinstance(runs, RunScores)
        and bool(runs)
        and all(isinstance(given, Mapping) and not isinstance(as_batch(given), BatchScores) for given in runs.values())
    )
    blocks: dict[str, Block] = {}
    for name, given in (runs if is_blocks else {"": runs}).items():
        try:
            blocks[str(name)] = Block.of(given, metrics, over)
        except UnknownNameError:
            raise
        except InputError as error:
            raise type(error)(f"block {name!r}: {error}" if name else str(error)) from None
        metrics = blocks[str(name)].runs.metrics  # those found for the first block are used for all
    require_same_conventions({name: block.runs.batch(0) for name, block in blocks.items()})
    (first_name, first), *others = blocks.items()
    for name, block in others:
        here, there = (dict(zip(each.names, each.sizes, strict=True)) for each in (block, first))
        for system in there | here:
            if here.get(system, 0) != there.get(system, 0):
                raise InputError(
                    f"block {name!r} has {number_of(here.get(system, 0), 'run')} of system {system!r}, and block "
                    f"{first_name!r} has {there.get(system, 0)}; expected the same systems and runs in all blocks"
                )
        blocks[name] = block.in_order(first.names)
    return blocks
