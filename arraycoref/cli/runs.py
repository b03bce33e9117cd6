"""Name systems, by NAME=PATH, the name of a file or the parameters of their runs; find the runs of a table's blocks.

A block has a key and runs of its own: ``gold/{block}.conll`` and ``'out/{block}/*.conll'``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from arraycoref.errors import InputError

if TYPE_CHECKING:
    from arraycoref.sweeps import Sweep
    from arraycoref.sweeps.settings import Setting

BLOCK = "{block}"

Systems = dict[str, dict[str, str]]
"""The runs of each system of a block: paths by the names of runs, which no other run of the block has."""


def blocks_of(key: str, runs: Sequence[str], names: str | None) -> dict[str, str]:
    """Return the path of the key of each block, by the block's name; of an only one, without ``{block}``, by "".

    Args:
        key: as typed.
        runs: likewise.
        names: with commas, or None.

    Raises:
        click.UsageError: names without ``{block}`` in all paths, or this without names; a name that is empty, or twice.
    """
    without = [path for path in (key, *runs) if BLOCK not in path]
    if names is None and len(without) > len(runs):
        return {"": key}
    if names is None:
        raise click.UsageError(f"{BLOCK} stands for the names of --blocks; expected --blocks dev,test or the like")
    if without:
        raise click.UsageError(f"{without[0]!r} has no {BLOCK}, which stands for the names of --blocks; expected one")
    blocks = [name.strip() for name in names.split(",")]
    if not all(blocks) or len(set(blocks)) < len(blocks):
        raise click.UsageError(f"--blocks is {names!r}; expected names with commas, each once, such as dev,test")
    return {name: key.replace(BLOCK, name) for name in blocks}


def runs_of(block: str, runs: Sequence[str], over: str | None, group: str | None) -> Systems:
    """List the runs of each system of a block.

    Args:
        block: its name, or "".
        runs: as typed.
        over: parameter in which the runs of a system differ; None for one run each.
        group: a regular expression that finds the parameters of runs.

    Raises:
        InputError: no run where a pattern or directory says so, or runs whose names have no such parameter.
        click.UsageError: two systems of one name.
    """
    given = [path for typed in runs for path in _expanded(typed.replace(BLOCK, block), alone=len(runs) == 1)]
    from arraycoref.sweeps.repeats import grouped
    from arraycoref.sweeps.runs import settings_of, stem_of
    from arraycoref.sweeps.settings import text_of

    if over is None and group is None:
        systems = named(tuple(given))
        if all(name != path or name == stem_of(path) for name, path in systems.items()):  # no two files of one name
            return {name: {name: path} for name, path in systems.items()}
    named_paths = [(name or path, path) for name, path in map(split_name, given)]
    settings = settings_of([name for name, _ in named_paths], group)
    each = [(text_of(setting), path) for setting, (_, path) in zip(settings, named_paths, strict=True)]
    if over is None:
        return {system_name(setting): dict([run]) for setting, run in zip(settings, each, strict=True)}
    names, positions = grouped(settings, over)
    return {
        system_name(name): dict(sorted(each[place] for place in places))
        for name, places in zip(names, positions.tolist(), strict=True)
    }


def _expanded(typed: str, alone: bool) -> list[str]:
    """List the runs that an argument means; one alone may be a directory of them."""
    from arraycoref.read.sources import matches
    from arraycoref.sweeps.runs import runs_in

    name, path = split_name(typed)
    if name:
        return matches(typed) or [typed]  # a pattern may have an = of its own
    return [path] if path == "-" or (os.path.isdir(path) and not alone) else runs_in(path)


def require_same_runs(blocks: Mapping[str, Systems]) -> None:
    """Check that all blocks have the same runs.

    Raises:
        InputError: one lacks a run that another has.
    """
    runs = {block: {name for each in systems.values() for name in each} for block, systems in blocks.items()}
    for block, names in runs.items():
        for other, others in runs.items():
            missing = sorted(others - names)
            if missing:
                raise InputError(
                    f"block {block!r} has no run {missing[0]!r}, which block {other!r} has; expected the same runs in "
                    "each block: NAME=PATH names runs whose files are called otherwise"
                )


def on_shared_documents(key: str, swept: Sweep) -> tuple[Sweep, tuple[str, ...]]:
    """Return the scores of the documents of a key that every response has, and a note on the others.

    Raises:
        InputError: every response has some, but there are none that all have.
    """
    shared = swept.on_shared_documents()
    left_out = swept.left_out(shared)
    if left_out and not shared.n_documents:
        raise InputError(f"{key}: {left_out[0]}; expected one at least that all of them have")
    return shared, left_out


def named(responses: tuple[str, ...]) -> dict[str, str]:
    """Name each response, unlike all others.

    Args:
        responses: paths, or ``NAME=PATH``.

    Raises:
        click.UsageError: two systems of one name.
    """
    from arraycoref.sweeps.runs import stem_of

    given = [split_name(response) for response in responses]
    stems = [name or stem_of(path) or path for name, path in given]
    names = [stem if name or stems.count(stem) == 1 else path for (name, path), stem in zip(given, stems, strict=True)]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two systems are named {name!r}; name them apart with NAME=PATH")
    return {name: path for name, (_, path) in zip(names, given, strict=True)}


def split_name(response: str) -> tuple[str, str]:
    """Return what stands before and behind the ``=`` of NAME=PATH; no name where this is a path that exists."""
    name, equals, path = response.partition("=")
    return (name, path) if equals and name and path and not os.path.exists(response) else ("", response)


def system_name(setting: Setting) -> str:
    """Name a system by its parameters, by the value alone where it has one."""
    from arraycoref.sweeps.settings import text_of

    return str(*setting.values()) if isinstance(setting, dict) and len(setting) == 1 else text_of(setting)
