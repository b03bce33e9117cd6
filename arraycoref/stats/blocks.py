"""Check what a table is made of: blocks of systems of runs, all of them alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.options import Metrics
from arraycoref.results import BatchScores
from arraycoref.stats.options import Settings
from arraycoref.stats.repeated import Repeated
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
            lacks = f"has {n} runs of" if n else "lacks"
            raise InputError(f"block {name!r} {lacks} system {system!r}, of which block {other!r} has {len(runs)}")


def _resolved(name: str, block: Block, metrics: Metrics, average: str) -> tuple[str, ...]:
    """Check that the runs of a block can be compared, and return the metrics; errors name the block, if it has a name.

    Raises:
        InputError, DocumentMismatchError, UnknownNameError: as `Systems.of`.
    """
    every = {f"{s}, run {k + 1}" if k else s: run for s, runs in block.items() for k, run in enumerate(runs)}
    try:
        return Systems.of(every, metrics, average).metrics
    except UnknownNameError:
        raise
    except InputError as error:
        raise type(error)(f"block {name!r}: {error}" if name else str(error)) from None
