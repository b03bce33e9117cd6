"""Find and load the files that the user names, by path, directory, pattern, pipe or standard input, up to a size."""

from __future__ import annotations

import glob
import io
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from arraycoref.deadline import check_time, within_time
from arraycoref.errors import ArraycorefError, InputError, OptionError, ReadError
from arraycoref.read.unpacking import split_suffixes, unpacked

Path = str | os.PathLike[str]
Source = Path | Sequence[Path]
Content = bytes | bytearray | memoryview

STDIN = "<stdin>"
_RECURSIVE = re.compile(r"(|.*?[/\\])\*\*(?:[/\\](.*))?\Z" if os.sep == "\\" else r"(|.*?/)\*\*(?:/(.*))?\Z", re.DOTALL)
LIMIT = "ARRAYCOREF_MAX_BYTES"
"""Environment variable: the most bytes that any file may hold, decompressed."""
PLENTY, RATIO = 1 << 30, 200
"""If no limit is set, a compressed file may unpack to `PLENTY` bytes, or to `RATIO` times its size if that is more."""
_BLOCK = 1 << 20
_LARGE = 1 << 22


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


def load(path: str, max_bytes: int | None = None, *, plenty: int = PLENTY, ratio: int = RATIO) -> Content:
    """Read a file whole, decompressed. A named pipe is read like standard input, from its first writer to its last.

    Args:
        path: of a file or pipe, or `STDIN`.
        max_bytes: the most bytes that it may hold, decompressed; None for what the environment variable `LIMIT` says.
            Without either, only a compressed file has a limit: ``plenty``, or ``ratio`` times its size if that is more.
        plenty: limit in bytes for a small compressed file.
        ratio: limit for a large one, in bytes for each byte of the file.

    Raises:
        ReadError: a file that does not exist, is a directory, device or socket, cannot be read, is corrupt as
            compressed data, is larger than the limit or memory allows, or changes while it is read.
        InputError: a limit that is no number of bytes.
    """
    check_time()
    most = byte_limit(max_bytes)
    if path == STDIN:
        if sys.stdin is None:
            raise ReadError(path, None, "standard input is closed")
        return _join(iter(lambda: sys.stdin.buffer.read(_BLOCK), b""), path, most)
    compression = split_suffixes(path)[2]
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        raise ReadError(path, None, getattr(error, "strerror", None) or f"not a file name: {error}") from error
    if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
        raise ReadError(path, None, "a directory, device or socket; expected a file or a pipe")
    try:
        with open(path, "rb", buffering=0) as file:
            before = os.fstat(file.fileno())
            if compression is not None:
                most = max(plenty, ratio * before.st_size) if most is None else most
                content: Content = _join(unpacked(file, compression), path, most)
            elif most is None and stat.S_ISREG(mode):
                content = _read_large(file, before.st_size) if before.st_size >= _LARGE else file.read()
            else:
                content = _join(iter(lambda: file.read(_BLOCK), b""), path, most)
            after = os.fstat(file.fileno())
    except ArraycorefError:
        raise
    except MemoryError as error:
        raise ReadError(path, None, "larger than memory") from error
    except Exception as error:  # each compression module has its own class of errors
        reason = getattr(error, "strerror", None) or f"corrupt {compression} data: {error}"
        raise ReadError(path, None, reason) from error
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) and stat.S_ISREG(mode):
        raise ReadError(path, None, "the file changed while it was read")
    return content


def load_text(path: str | os.PathLike[str], max_bytes: int | None = None) -> str:
    """Read a file of text whole, decompressed, without its byte order mark; ``max_bytes`` is as for `load`.

    Raises:
        ReadError: as `load`; and text that is not UTF-8.
    """
    name = os.fspath(path)
    return decoded(bytes(load(name, max_bytes)), name).removeprefix("\ufeff")


def decoded(content: bytes, path: str) -> str:
    """Decode the content of a file of text.

    Raises:
        ReadError: it is not UTF-8; names the line.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        raise ReadError(path, line, f"not UTF-8: {content[error.start : error.start + 20]!r}") from error


def byte_limit(max_bytes: int | None) -> int | None:
    """Return the limit that the user set, by the argument or in the environment; None for no limit.

    Raises:
        OptionError: the argument is not a number of bytes.
        InputError: the variable in the environment is not a number of bytes.
    """
    if max_bytes is not None:
        if type(max_bytes) is not int or max_bytes < 1:
            raise OptionError(f"max_bytes is {max_bytes!r}; expected a number of bytes, 1 or more", option="max_bytes")
        return max_bytes
    text = os.environ.get(LIMIT, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 19 and int(text)):
        raise InputError(f"the environment variable {LIMIT} is {text!r}; expected a number of bytes, 1 or more")
    return int(text)


def _read_large(file: io.FileIO, size: int) -> memoryview:
    """Read a file into an array of NumPy, which uses large pages from `_LARGE` bytes on; this takes half the time."""
    content = np.empty(size, np.uint8).data
    at = 0
    while at < size and (n := file.readinto(content[at:])):
        at += n
    return content[:at]


def too_large(path: str, most: int) -> ReadError:
    """Make the error of a file that holds more bytes than it may."""
    return ReadError(path, None, f"more than {most} bytes; max_bytes=N or {LIMIT} sets another limit", "max_bytes")


def _join(blocks: Iterator[bytes], path: str, most: int | None) -> bytearray:
    content = bytearray()
    for block in within_time(blocks):
        if most is not None and len(content) + len(block) > most:
            raise too_large(path, most)
        content += block
    return content
