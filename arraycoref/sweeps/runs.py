r"""Name runs: find the setting of each run, a name or its parameters, in the paths of its files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from arraycoref.errors import InputError, OptionError
from arraycoref.files import Source
from arraycoref.match.objects import is_iterable
from arraycoref.read.sources import matches, named
from arraycoref.sweeps.settings import Scalar, Setting, as_setting, identity, positions_by, text_of

Path = str | os.PathLike[str]
Runs = Path | Sequence[Path] | Mapping[Any, Source]

_NUMBERED = re.compile(
    r"(?:\A|[/_.,-])(seed|run|fold|epoch|step|checkpoint)[_=-]?([0-9]{1,9})(?![^/_.,-])", re.IGNORECASE
)
"""A word for what is repeated, with its number, between separators: ``x_seed1``, ``x/epoch-3``."""


def named_runs(responses: Runs, group: str | None = None) -> list[tuple[Setting, list[str]]]:
    """Name the runs and list the paths of each.

    Args:
        responses: a directory, whose files and folders are the runs; a glob pattern, whose matches are the runs; a list
            of the runs' paths; or a mapping from settings to sources.
        group: see `settings_of`.

    Raises:
        InputError: no run, or two runs of one name.
        OptionError: a ``group`` together with a mapping, or one that `settings_of` refuses.
    """
    if isinstance(responses, Mapping):
        if group is not None:
            raise OptionError(f"group is {group!r} beside a mapping, whose keys name the runs; expected one of the two")
        names = _require_distinct(list(map(as_setting, responses)))
        sources = list(map(named, responses.values()))
    else:
        paths = runs_in(os.fspath(responses)) if isinstance(responses, str | os.PathLike) else _paths(responses)
        names, sources = settings_of(paths, group), [[path] for path in paths]
    if not names:
        raise InputError("no runs were given; expected a glob pattern, paths, or a mapping from settings to files")
    return list(zip(names, sources, strict=True))


def _paths(responses: Any) -> list[str]:
    """Check that the runs are paths, and return them as strings.

    Raises:
        InputError: an item is no path.
    """
    given = list(responses) if is_iterable(responses) else [responses]
    for path in given:
        if not isinstance(path, str | os.PathLike):
            what = "a glob pattern, paths, or a mapping from settings to files"
            raise InputError(f"{path!r:.60} is not the path of a run; expected {what}")
    return list(map(os.fspath, given))


def runs_in(path: str) -> list[str]:
    """List the runs of one path: the files and folders of a directory, or the matches of a pattern.

    Raises:
        InputError: there are no runs.
    """
    if path == "-":
        return [path]
    if os.path.isdir(path):
        found = sorted(os.path.join(path, name) for name in os.listdir(path) if not name.startswith("."))
        if not found:
            raise InputError(f"{path!r} is an empty directory; expected a file or a folder for each run")
        return found
    found = [path] if os.path.lexists(path) else matches(path)
    if not found:
        raise InputError(f"{path!r} matches no file; expected a glob pattern of runs")
    return found


def settings_of(paths: Sequence[str], group: str | None = None) -> list[Setting]:
    r"""Name runs by their paths.

        >>> settings_of(["runs/lr=0.1,seed=1/out.conll", "runs/lr=0.1,seed=2/out.conll"])[1]
        {'lr': 0.1, 'seed': 2}
        >>> settings_of(["x_seed1.conll", "x_seed2.conll"])[1]
        {'system': 'x', 'seed': 2}
        >>> settings_of(["runs/x/1.conll", "runs/y/1.conll", "runs/y/2.conll"])[1]
        {'system': 'y', 'seed': 1}
        >>> settings_of(["base-t5.conll", "large-t7.conll"], r"(?P<size>\w+)-t(?P<threshold>\d+)")[1]
        {'size': 'large', 'threshold': 7}
        >>> settings_of(["runs/a/out.conll", "runs/b/out.conll"])
        ['a', 'b']

    Args:
        paths: (S,) paths of the runs.
        group: a regular expression that is searched in each path; its named groups are the parameters.

    Returns:
        (S,) settings: the parameters that ``group`` finds. Without ``group``, three forms are tried in turn, and the
        first that finds the same parameters in all paths, with different values, is used: ``name=value``; numbers after
        the words seed, run, fold, epoch, step and checkpoint, where the rest of the path is the ``system``; files named
        by a number, the ``seed``, in a folder for each system. If no form does, settings are strings: the parts in
        which the paths differ, or the whole paths if these parts are equal for two of them or the depths differ.

    Raises:
        OptionError: a ``group`` that is no regular expression, or names no group.
        InputError: a path in which ``group`` is not found, or two runs of one name.
    """
    if group is not None:
        return _require_distinct(_grouped(paths, group))
    names = _differing(paths)
    for find, texts in ((_equations, paths), (_numbers, names), (_numbered_files, names)):
        found = [find(text) for text in texts]
        if all(found) and len(set(map(frozenset, found))) == 1 and len(set(map(identity, found))) == len(paths):
            return list(found)
    return _require_distinct(names)


def stem_of(path: str) -> str:
    """Return the name of a file without its suffixes; other dots in it, as those of numbers, stay.

    >>> stem_of("runs/lr=0.1.conll.gz")
    'lr=0.1'
    """
    name = PurePath(path).name
    stem = name.split(".")
    while len(stem) > 1 and re.fullmatch(r"[A-Za-z_]\w*", stem[-1]) and not _NUMBERED.fullmatch(stem[-1]):
        stem.pop()
    return ".".join(stem)


def _grouped(paths: Sequence[str], group: str) -> list[Setting]:
    """Name runs by the named groups of a regular expression."""
    try:
        pattern = re.compile(group)
    except (re.error, TypeError) as error:
        raise OptionError(f"group is {group!r}, which is no regular expression: {error}", option="group") from None
    if not pattern.groupindex:
        raise OptionError(
            rf"group is {group!r}; expected a regular expression with named groups, as (?P<seed>\d+)", option="group"
        )
    found: list[Setting] = []
    for path in paths:
        match = pattern.search(path)
        if match is None:
            raise InputError(f"group {group!r} is not found in {path!r}; expected it in the path of each run")
        found.append({name: None if text is None else _value(text) for name, text in match.groupdict().items()})
    return found


def _require_distinct(settings: Sequence[Setting]) -> list[Setting]:
    """Check that no two runs have the same name, and return the names as a list.

    Raises:
        InputError: two runs have the same name.
    """
    for setting, positions in positions_by(settings):
        if len(positions) > 1:
            raise InputError(f"two runs are named {text_of(setting)}; expected each once")
    return list(settings)


def _differing(paths: Sequence[str]) -> list[str]:
    """Return the parts in which paths differ, or the whole paths if their depths differ or two have equal parts."""
    parts = [PurePath(path).parts for path in paths]
    if len(parts) > 1 and len(set(map(len, parts))) == 1:
        columns = [column for column in zip(*parts, strict=True) if len(set(column)) > 1]
        names = ["/".join(row) for row in zip(*columns, strict=True)]
        if len(set(names)) == len(paths):
            return names
    return [str(path) for path in paths]


def _equations(path: str) -> dict[str, Scalar]:
    """Find ``name=value`` in a path; the suffixes of the file are not part of a value."""
    pieces = re.split(r"[,;&]", ",".join([*PurePath(path).parts[:-1], stem_of(path)]))
    pairs = [piece.split("=", 1) for piece in pieces if re.match(r"\w[\w.-]*=", piece)]
    return {name: _value(text) for name, text in pairs}


def _numbers(name: str) -> dict[str, Scalar]:
    """Find numbers of seeds, epochs and the like, as in ``x_seed1`` or ``x/epoch-3``; the rest is the system."""
    folder, slash, file = name.rpartition("/")
    stem = folder + slash + stem_of(file)
    found: dict[str, Scalar] = {word.lower(): int(number) for word, number in _NUMBERED.findall(stem)}
    rest = _NUMBERED.sub("", stem).strip("/_.,-")
    return {"system": rest, **found} if found and rest else found


def _numbered_files(name: str) -> dict[str, Scalar]:
    """Read ``x/1.conll`` as seed 1 of system x."""
    folder, _, _ = name.rpartition("/")
    number = stem_of(name)
    return {"system": folder, "seed": int(number)} if folder and re.fullmatch(r"[0-9]{1,9}", number) else {}


def _value(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
