"""Find and load the files that the user names, by path, directory, pattern, pipe or standard input, up to a size."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from arraycoref.errors import InputError, ReadError
from arraycoref.runtime import STDIN

Path = str | os.PathLike[str]
Source = Path | Sequence[Path]

_RECURSIVE = re.compile(r"(|.*?[/\\])\*\*(?:[/\\](.*))?\Z" if os.sep == "\\" else r"(|.*?/)\*\*(?:/(.*))?\Z", re.DOTALL)


def expand(source: Source) -> Iterator[str]:
    """List the files that a source names, directories and patterns in sorted order, ``-`` as `STDIN`.

    Raises:
        ReadError: a name or pattern that no file matches, or a directory without files.
        InputError: no path, nor a list of some.
    """
    for path in [os.fspath(source)] if isinstance(source, str | os.PathLike) else named(source):
        if path == "-":
            yield STDIN
        elif os.path.isdir(path):
            yield from _files_below(path)
        elif os.path.lexists(path) or not glob.has_magic(path):
            yield path
        else:
            found = matches(path)
            if not found:
                raise ReadError(path, None, "no file matches this pattern")
            below = (_files_below(match, may_be_empty=True) if os.path.isdir(match) else [match] for match in found)
            yield from dict.fromkeys(chain.from_iterable(below))


def named(source: Path | Iterable[Path]) -> list[str]:
    """Return the paths of a source as the user gave them: a directory or a pattern is one path.

    Raises:
        InputError: no path, nor a list of some.
    """
    if isinstance(source, str | os.PathLike):
        return [os.fspath(source)]
    no_paths = isinstance(source, bytes | set | frozenset | Mapping) or hasattr(source, "read")  # an open file
    if no_paths or not isinstance(source, Iterable) or getattr(source, "ndim", 1) == 0:
        raise InputError(f"{source!r:.60} is not the path of a file; expected a path, or a list of paths")
    paths = [path for each in source for path in named(each)]
    if not paths:
        raise InputError("an empty list of files; expected one path or more")
    return paths


def matches(pattern: str) -> list[str]:
    """List what a glob pattern matches, sorted, without pipes, devices and sockets.

    ``**`` does not enter symbolic links: with two links to a folder above, there would be 2^40 paths.
    """
    recursive = _RECURSIVE.match(pattern)
    if recursive is None:
        found = set(glob.glob(pattern))
    else:
        folder, rest = recursive.groups()
        roots = [os.path.join(root, "") for root in matches(folder[:-1])] if glob.has_magic(folder) else [folder]
        found = set()
        for root in roots:
            for below, folders, files in os.walk(root or os.curdir, onerror=_refuse):
                folders[:] = [name for name in folders if not name.startswith(".")]
                prefix = os.path.join(below if root else below[len(os.curdir) + 1 :], "")
                if rest:
                    found.update(matches(glob.escape(prefix) + rest))
                else:
                    found.update(prefix + name for name in files if not name.startswith("."))
    return sorted(path for path in found if _is_meant(path) or os.path.isdir(path))


def _is_meant(path: str) -> bool:
    """Whether a file among others is read: regular files are; broken or unreachable links too, to raise an error."""
    return os.path.isfile(path) or not os.path.exists(path)


def _refuse(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):  # both are usual when a pattern is matched
        raise ReadError(error.filename, None, error.strerror or str(error)) from error


def _files_below(directory: str, may_be_empty: bool = False) -> Iterator[str]:
    """List the files of a directory and of those below it, but not of folders that are links, as `find` does."""
    found: list[str] = []
    for folder, folders, files in os.walk(directory, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (os.path.join(folder, name) for name in files if not name.startswith("."))
        found += filter(_is_meant, paths)
    if not found and not may_be_empty:
        raise ReadError(directory, None, "no file in this directory; hidden files do not count")
    yield from sorted(found)


def is_stream(path: object) -> bool:
    """Whether a source can be read only once: standard input or a named pipe."""
    if not isinstance(path, str | os.PathLike):
        return False
    try:
        return os.fspath(path) == "-" or stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
