"""From what the user names to bytes: files, directories, patterns, standard input, compression."""

from __future__ import annotations

import glob
import importlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from typing import IO

from arraycoref.errors import MissingDependencyError, ReadError

Path = str | os.PathLike[str]
Source = Path | Sequence[Path]

STDIN = "<stdin>"
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstd"}
_BLOCK = 1 << 20


def expand(source: Source) -> Iterator[str]:
    """List the files that a source stands for, directories and patterns in sorted order, ``-`` as `STDIN`.

    Raises:
        ReadError: a name or pattern that no file matches, or a directory without files.
    """
    if not isinstance(source, str | os.PathLike):
        for each in source:
            yield from expand(each)
        return
    path = os.fspath(source)
    if path == "-":
        yield STDIN
    elif os.path.isdir(path):
        yield from _files_below(path)
    elif os.path.lexists(path) or not glob.has_magic(path):
        yield path
    else:
        matches = sorted(glob.glob(path, recursive=True))
        if not matches:
            raise ReadError(path, None, "no file matches this pattern")
        for match in matches:
            if os.path.isdir(match):
                yield from _files_below(match, may_be_empty=True)
            else:
                yield match


def _files_below(directory: str, may_be_empty: bool = False) -> Iterator[str]:
    found = []
    for folder, folders, files in os.walk(directory):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (os.path.join(folder, name) for name in files if not name.startswith("."))
        found += [path for path in paths if os.path.isfile(path)]
    if not found and not may_be_empty:
        raise ReadError(directory, None, "no file in this directory; hidden files do not count")
    yield from sorted(found)


def split_compression(path: str) -> tuple[str, str | None]:
    """Split ``x.conll.gz`` into ``x.conll`` and ``.gz``; None where the suffix is not of a compression."""
    stem, suffix = os.path.splitext(path)
    return (stem, suffix.lower()) if suffix.lower() in COMPRESSIONS else (path, None)


def open_compressed(file: IO[bytes], compression: str, mode: str) -> IO[bytes]:
    """Wrap a binary file in the decompressor (``rb``) or compressor (``wb``) of a suffix.

    Raises:
        MissingDependencyError: a module that this Python lacks.
    """
    name = COMPRESSIONS[compression]
    if name == "zstd":
        name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        hint = "pip install backports.zstd" if name == "backports.zstd" else "a Python built with it"
        raise MissingDependencyError(f"{compression} files need the module {name}: {hint}") from error
    if name == "gzip" and mode == "wb":
        # No name and no time in the header: the same documents give the same bytes.
        return module.GzipFile(filename="", fileobj=file, mode=mode, mtime=0)  # type: ignore[no-any-return]
    if compression == ".zst" and mode == "wb":
        checksum = {module.CompressionParameter.checksum_flag: True}
        return module.open(file, mode, options=checksum)  # type: ignore[no-any-return]
    return module.open(file, mode)  # type: ignore[no-any-return]


def load(path: str) -> bytes | bytearray:
    """Read a file whole, decompressed.

    Raises:
        ReadError: a file that does not exist, is not a regular file, cannot be read or is corrupt as compressed data.
    """
    if path == STDIN:
        if sys.stdin is None:
            raise ReadError(path, None, "standard input is closed")
        return _drain(sys.stdin.buffer)
    compression = split_compression(path)[1]
    try:
        special = not stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError) as error:
        raise ReadError(path, None, getattr(error, "strerror", None) or f"not a file name: {error}") from error
    if special:
        raise ReadError(path, None, "not a regular file; give '-' and pipe it to standard input")
    try:
        with open(path, "rb", buffering=0) as file:
            if compression is None:
                return file.read()
            with open_compressed(file, compression, "rb") as stream:
                return _drain(stream)
    except (MissingDependencyError, MemoryError):
        raise
    except Exception as error:  # each compression module has its own class of errors
        reason = getattr(error, "strerror", None) or f"corrupt {compression} data: {error}"
        raise ReadError(path, None, reason) from error


def _drain(stream: IO[bytes]) -> bytearray:
    content = bytearray()
    while block := stream.read(_BLOCK):
        content += block
    return content
