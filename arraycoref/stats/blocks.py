"""Check what a table is made of: blocks of systems of runs, all of them alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.metrics.base import RATIOS
from arraycoref.options import Metrics
from arraycoref.results import BatchScores
from arraycoref.stats.options import Settings
from arraycoref.stats.repeated import Repeated
from arraycoref.stats.systems import Systems

Runs = BatchScores | Sequence[BatchScores]
Block = dict[str, tuple[BatchScores, ...]]


def blocks_of(runs: Any) -> dict[str, Block]:
    """Bring what the user gave to blocks of systems of runs; an only block has no name.

    Raises:
        InputError: no mapping, no system, what is no scores, or blocks that differ in their systems or runs.
    """
    if not isinstance(runs, Mapping) or isinstance(runs, BatchScores) or not runs:
        raise InputError(
            f"systems are {type(runs).__name__} {runs!r:.40}; expected a mapping from names to BatchScores"
        )
    nested = [isinstance(value, Mapping) and not isinstance(value, BatchScores) for value in runs.values()]
    if any(nested) and not all(nested):
        raise InputError(
            f"{list(runs)[nested.index(False)]!r} is no mapping, as others are; expected blocks or systems"
        )
    blocks = {
        str(name): {str(system): _runs(system, value) for system, value in block.items()}
        for name, block in (runs if all(nested) else {"": runs}).items()
    }
    (first_name, first), *others = blocks.items()
    if not first:
        raise InputError(f"block {first_name!r} has no systems; expected one at least")
    for name, block in others:
        for one, two, here, there in ((first, block, name, first_name), (block, first, first_name, name)):
            for system in one:
                if system not in two:
                    raise InputError(f"block {here!r} lacks system {system!r}, which block {there!r} has")
        for system, each in first.items():
            if len(block[system]) != len(each):
                raise InputError(
                    f"system {system!r} has {len(each)} runs in block {first_name!r} and {len(block[system])} in block "
                    f"{name!r}; expected as many"
                )
    return {name: {system: block[system] for system in first} for name, block in blocks.items()}


def _runs(system: object, value: Any) -> tuple[BatchScores, ...]:
    each = (value,) if isinstance(value, BatchScores) else tuple(value) if isinstance(value, Sequence) else ()
    if not each or not all(isinstance(run, BatchScores) for run in each):
        raise InputError(
            f"{system!r} is {type(value).__name__}; expected BatchScores, or a sequence of them, one per run"
        )
    return each


def part_of(name: str, block: Block, metrics: Metrics, seeds: str, settings: Settings) -> Repeated:
    """Check that the runs of a block can be compared.

    Raises:
        InputError, DocumentMismatchError, UnknownNameError: as `Systems.of`; with the block's name, if it has one.
    """
    every = {
        f"{s}, run {k + 1}" if len(each) > 1 else s: run for s, each in block.items() for k, run in enumerate(each)
    }
    if len(every) < sum(map(len, block.values())):
        raise InputError(f"two runs have one name among {', '.join(every)}; expected other names of systems")
    try:
        resolved = Systems.of(every, metrics, settings.average).metrics
    except UnknownNameError:
        raise
    except InputError as error:
        raise type(error)(f"block {name!r}: {error}" if name else str(error)) from None
    return Repeated(block, resolved, seeds == "pool", settings)


def require_alike(parts: Mapping[str, Repeated]) -> None:
    """Check that blocks were scored under the same conventions.

    Raises:
        InputError: they were not; or sums are asked of means over documents.
    """
    (name, first), *others = parts.items()
    for other, part in others:
        if part.first.signature != first.first.signature:
            raise InputError(
                f"block {name!r} was scored under {first.first.signature} and {other!r} under {part.first.signature}; "
                "expected the same conventions"
            )
    if first.pooled and first.settings.average == "macro" and not first.single:
        raise InputError("seeds is 'pool', which adds up sums, and average 'macro'; expected average 'micro'")


def fields_of_table(fields: str | Sequence[str]) -> tuple[str, ...]:
    """Return the fields to show, in their order.

    Raises:
        InputError: none.
        UnknownNameError: a name that is none of them.
    """
    wanted = [field.strip() for field in fields.split(",")] if isinstance(fields, str) else list(fields)
    for field in wanted:
        if field not in RATIOS:
            raise UnknownNameError("field", field, RATIOS)
    if not wanted:
        raise InputError(f"no fields were given; expected some of {', '.join(RATIOS)}")
    return tuple(field for field in RATIOS if field in wanted)
