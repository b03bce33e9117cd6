"""Name the systems of a command line, and find the runs of each block of a table.

The name of a system is that in NAME=PATH, the name of its file, or the parameters of its runs. Each block of a table
has its own key and runs, whose paths are typed with ``{block}``: ``gold/{block}.conll`` and ``'out/{block}/*.conll'``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from arraycoref.errors import InputError

if TYPE_CHECKING:
    from arraycoref.scoring.settings import Setting
    from arraycoref.sweeps import Sweep

BLOCK = "{block}"

Systems = dict[str, dict[str, str]]
"""For each system of a block, the paths of its runs by the names of the runs, which are unique in the block."""


def blocks_of(key: str, runs: Sequence[str], names: str | None) -> dict[str, str]:
    """Return the path of the key of each block, by the name of the block; without blocks, the only name is "".

    Args:
        key: path of the key, as typed.
        runs: paths of the runs, as typed.
        names: value of ``--blocks``, names separated by commas; None if it is not given.

    Raises:
        click.UsageError: ``--blocks`` and a path without ``{block}``, or ``{block}`` without ``--blocks``; a name that
            is empty or given twice.
    """
    without = [path for path in (key, *runs) if BLOCK not in path]
    if names is None and len(without) > len(runs):
        return {"": key}
    if names is None:
        raise click.UsageError(f"{BLOCK} in a path needs --blocks; expected names, as in --blocks dev,test")
    if without:
        raise click.UsageError(f"{without[0]!r} has no {BLOCK}; with --blocks, expected it in KEY and all RUNS")
    blocks = [name.strip() for name in names.split(",")]
    if not all(blocks) or len(set(blocks)) < len(blocks):
        raise click.UsageError(f"--blocks is {names!r}; expected names with commas, each once, such as dev,test")
    return {name: key.replace(BLOCK, name) for name in blocks}


def runs_of(block: str, runs: Sequence[str], over: str | None, group: str | None) -> Systems:
    """List the runs of each system of a block.

    Args:
        block: name of the block, or "" where there are no blocks.
        runs: paths, patterns, or NAME=PATH, as typed.
        over: parameter in which the runs of a system differ; None if each run is a system.
        group: a regular expression that finds the parameters in the paths of runs.

    Raises:
        InputError: a pattern or directory without runs, or runs whose paths do not have the parameter ``over``.
        click.UsageError: two systems with the same name.
    """
    given = [path for typed in runs for path in _expanded(typed.replace(BLOCK, block), alone=len(runs) == 1)]
    from arraycoref.scoring.settings import grouped_over, text_of
    from arraycoref.sweeps.files import settings_of, stem_of

    if over is None and group is None:
        systems = named(tuple(given))
        if all(name != path or name == stem_of(path) for name, path in systems.items()):  # no two files share a name
            return {name: {name: path} for name, path in systems.items()}
    named_paths = [(name or path, path) for name, path in map(split_name, given)]
    settings = settings_of([name for name, _ in named_paths], group)
    each = [(text_of(setting), path) for setting, (_, path) in zip(settings, named_paths, strict=True)]
    if over is None:
        return {system_name(setting): dict([run]) for setting, run in zip(settings, each, strict=True)}
    names, positions = grouped_over(settings, over)
    return {
        system_name(name): dict(sorted(each[place] for place in places))
        for name, places in zip(names, positions.tolist(), strict=True)
    }


def _expanded(typed: str, alone: bool) -> list[str]:
    """List the runs that an argument names. A directory is one run, but a directory of runs if it is alone."""
    from arraycoref.read.sources import matches
    from arraycoref.sweeps.files import runs_in

    name, path = split_name(typed)
    if name:
        return matches(typed) or [typed]  # a pattern with "=" in it, such as lr=*.conll, has no NAME
    return [path] if path == "-" or (os.path.isdir(path) and not alone) else runs_in(path)


def require_same_runs(blocks: Mapping[str, Systems]) -> None:
    """Check that all blocks have runs of the same names.

    Raises:
        InputError: a block lacks a run that another block has.
    """
    runs = {block: {name for each in systems.values() for name in each} for block, systems in blocks.items()}
    for block, names in runs.items():
        for other, others in runs.items():
            missing = sorted(others - names)
            if missing:
                raise InputError(
                    f"block {block!r} has no run {missing[0]!r}, which block {other!r} has; expected the same runs in "
                    "each block. Where the names of files differ, name the runs by NAME=PATH"
                )


def on_shared_documents(key: str, swept: Sweep) -> Sweep:
    """Return the scores on the documents that every response has, with a note on how many documents are left out.

    Args:
        key: path of the key, for the message.
        swept: scores of the responses.

    Raises:
        InputError: no document is in every response.
    """
    shared = swept.on_shared_documents()
    if swept.n_documents and not shared.n_documents:
        raise InputError(f"{key}: {shared.notes[-1]}; expected at least one document that every response has")
    return shared


def named(responses: tuple[str, ...]) -> dict[str, str]:
    """Return the paths of responses by unique names.

    A response without ``NAME=`` is named by its file without suffixes, or by its path where that name is not unique.

    Args:
        responses: paths, or ``NAME=PATH``.

    Raises:
        click.UsageError: two responses with the same name.
    """
    from arraycoref.sweeps.files import stem_of

    given = [split_name(response) for response in responses]
    stems = [name or stem_of(path) or path for name, path in given]
    names = [stem if name or stems.count(stem) == 1 else path for (name, path), stem in zip(given, stems, strict=True)]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two systems are named {name!r}; name them apart with NAME=PATH")
    return {name: path for name, (_, path) in zip(names, given, strict=True)}


def split_name(response: str) -> tuple[str, str]:
    """Split NAME=PATH into the name and the path; the name is "" where there is none, or the whole is a file's path."""
    name, equals, path = response.partition("=")
    return (name, path) if equals and name and path and not os.path.exists(response) else ("", response)


def system_name(setting: Setting) -> str:
    """Name a system by its parameters; by the value alone if it has one parameter."""
    from arraycoref.scoring.settings import text_of

    return str(*setting.values()) if isinstance(setting, dict) and len(setting) == 1 else text_of(setting)
