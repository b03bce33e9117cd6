"""Find the systems that the user names for ``compare``, ``table`` and ``sweep``, and score them."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from arraycoref.cli.main import warn
from arraycoref.exceptions import InputError, ReadError, check_name

if TYPE_CHECKING:
    from arraycoref.read.paths import Source
    from arraycoref.stats.run_scores import Setting
    from arraycoref.stats.runs import Runs

BLOCK = "{block}"


def named_systems(key: str, typed: Sequence[str], systems_in: str | None) -> list[tuple[str, str]]:
    """List the systems that the user named: a file, a folder, each match of a glob, each file and folder in a folder.

    Args:
        key: path of the key; a path or glob that includes it, without a name, causes a warning, unless it is the path
            of the only system.
        typed: paths and globs, each maybe with ``NAME=``, which makes it one system.
        systems_in: the folder of ``--systems-in``; None if there is none.

    Returns:
        The name of each, "" where it has none, and its path.

    Raises:
        click.UsageError: no system.
        ReadError: a glob that matches nothing.
    """
    from arraycoref.read.paths import matches
    from arraycoref.sweeps.files import runs_in

    named: list[tuple[str, str]] = []
    sources = [*typed, *([] if systems_in is None else [os.path.join(glob.escape(systems_in), "*")])]
    for source in sources:
        name, equals, path = source.partition("=")
        name = name if equals and path and not os.path.exists(source) else ""
        if name and not matches(source):  # a glob with "=" in it, such as lr=*.conll, has no NAME
            named.append((name, path))
            continue
        paths = [source] if source == "-" else runs_in(source)
        named += [("", path) for path in paths]
        is_alone = paths == sources  # the only system, and typed as it is
        if not is_alone and any(path != "-" and os.path.exists(key) and os.path.samefile(path, key) for path in paths):
            warn(ReadError(key, None, f"{source!r} also matches the key, which is scored as a system"))
    if not named:
        raise click.MissingParameter(param_hint="'SYSTEM...'", param_type="argument")
    return named


class AnalyzedFiles(NamedTuple):
    """The key, and the systems that are analyzed; or annotators of one project, of whom the first is the key.

    Attributes:
        typed: what names the key on the command line: its path, or the project and the annotator.
        key: files of the key.
        named: name, or "", and path of each system; or each further annotator, and the files.
    """

    typed: tuple[str, ...]
    key: Source
    named: Sequence[tuple[str, Source]]

    def words(self, systems: Sequence[int]) -> list[str]:
        """Return what names some of the systems on the command line."""
        named = [self.named[s] for s in systems]
        if len(self.typed) > 1:
            return [name for name, _ in named]
        return [f"{name}={path}" if name and len(named) > 1 else str(path) for name, path in named]


def annotators_of(project: str, typed: Sequence[str], options: dict[str, Any]) -> AnalyzedFiles | None:
    """Find annotators whom the user named after a project; None where these are not annotators, but paths.

    Args:
        project: what may be a project, as `arraycoref agree` takes it.
        typed: names; the first one is the key.
        options: options of reading; receive ``annotator``, where one file has the work of all.

    Raises:
        UnknownNameError: the first is an annotator, and another one is not.
        click.UsageError: more than two annotators in one file: only one of them can be the response.
    """
    from arraycoref.read import annotators_in

    first, *others = typed or ("",)
    is_path = os.path.lexists(first) and not os.path.lexists(os.path.join(project, first))
    files = {} if is_path or not others else annotators_in(project, options["format"], options["max_bytes"])
    if first not in files:
        return None
    for name in others:
        check_name("annotator", name, files)
    if files[first] == files[others[0]]:
        if len(others) > 1:
            raise click.UsageError(f"{project} has the work of all annotators in one file; expected two of them")
        options["annotator"] = f"key:{first},response:{others[0]}"
    return AnalyzedFiles((project, first), files[first], [(name, files[name]) for name in others])


def sides_of(key: str, typed: Sequence[str], systems_in: str | None, options: dict[str, Any]) -> AnalyzedFiles:
    """Find the key and the systems, or annotators, that the user named; see `named_systems` and `annotators_of`."""
    of_project = None if systems_in else annotators_of(key, typed, options)
    return of_project or AnalyzedFiles((key,), key, named_systems(key, typed, systems_in))


def names_of(named: Sequence[tuple[str, Any]], parameters: bool = False, pattern: str | None = None) -> list[Setting]:
    """Return the names of systems, or their parameters; arguments and errors are those of `scored_runs`."""
    from arraycoref.stats.run_scores import name_of, text_of
    from arraycoref.sweeps.files import settings_of, stem_of

    settings: list[Setting] = [name or stem_of(path) or path for name, path in named]
    if parameters or pattern is not None or len(set(map(text_of, settings))) < len(settings):
        settings = settings_of([name or path for name, path in named], pattern)
        settings = settings if parameters else list(map(name_of, settings))
    return settings


def scored_runs(
    key: str, named: Sequence[tuple[str, str]], parameters: bool, name_pattern: str | None, reading: dict[str, Any]
) -> Runs:
    """Score systems.

    Args:
        key: path of the key.
        named: name, or "", and path of each.
        parameters: whether the names, or else the paths, show parameters.
        name_pattern: a regular expression that finds the parameters.
        reading: options of `arraycoref.sweep_files`.

    Returns:
        Their scores. Settings are parameters if ``parameters`` is set, and otherwise the names of systems.

    Raises:
        InputError: two systems have the same name.
    """
    from arraycoref.read.paths import with_pattern
    from arraycoref.stats.run_scores import text_of
    from arraycoref.sweeps.files import sweep_files

    settings = names_of(named, parameters, name_pattern)
    paths = {text_of(setting): path for setting, (_, path) in zip(settings, named, strict=True)}
    try:
        runs = sweep_files(key, paths, **reading)
    except ReadError as error:
        raise with_pattern(error, [path for _, path in named]) from None
    return replace(runs, settings=tuple(settings))


def shared_runs(
    key: str, named: Sequence[tuple[str, str]], over: str | None, name_pattern: str | None, reading: dict[str, Any]
) -> Runs:
    """Score systems on the documents that all of them have, see `scored_runs`.

    Args:
        key: path of the key.
        named: name, or "", and path of each.
        over: the parameter in which runs of one system differ; None if each is a system.
        name_pattern: a regular expression that finds the parameters.
        reading: options of `arraycoref.sweep_files`.

    Raises:
        InputError: no document is in every response; see also `scored_runs`.
    """
    runs = scored_runs(key, named, over is not None, name_pattern, reading).on_shared_documents()
    if not runs.n_documents:
        raise InputError(f"{key}: no document is in every response; expected at least one")
    return runs


def block_names(paths: Sequence[str], names: str | None) -> list[str]:
    """Return the names of the blocks of a table; without blocks, the only name is "".

    Args:
        paths: paths of the key and the systems, as typed.
        names: value of ``--blocks``, names separated by commas; None if it is not given.

    Raises:
        click.UsageError: ``--blocks`` and a path without ``{block}``, or ``{block}`` without ``--blocks``.
    """
    without = [path for path in paths if BLOCK not in path]
    if names is None:
        if len(without) < len(paths):
            raise click.UsageError(f"{BLOCK} in a path needs --blocks; expected names, as in --blocks dev,test")
        return [""]
    if without:
        raise click.UsageError(f"{without[0]!r} has no {BLOCK}; with --blocks, expected it in KEY and all systems")
    return [name.strip() for name in names.split(",")]
