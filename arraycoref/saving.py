"""Write files so that they appear complete, or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from typing import IO

from arraycoref.errors import InputError

Path = str | os.PathLike[str]

_unfinished: set[str] = set()
"""Files that are being written, by their names until they are whole."""

_DESCRIPTORS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


def file_name(path: Path) -> str:
    """Return the name of a file to write.

    Raises:
        InputError: what is no path.
    """
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str) or "\0" in name:
        raise InputError(f"{path!r:.60} is not the path of a file; expected that of one to write")
    return name


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing, to take its name when the block ends; if the block fails, all is as it was.

    A file that exists keeps its permissions, and its owner where the system allows it; what is written has them from
    the first byte on. A symbolic link stays one. What is no regular file (a device, a pipe, ``/dev/stdout``) is written
    directly. A process that is killed leaves the file as it was, and beside it one that is called ``.arraycoref-`` and
    a number.

    Args:
        path: the file.

    Raises:
        InputError: what is no path.
        OSError: the file cannot be written; it carries the name that was asked for.
    """
    name = file_name(path)
    target, unfinished = name, ""
    try:
        direct = _open_directly(name)
        if direct is not None:
            with direct:
                yield direct
            return
        target = os.path.realpath(name)
        unfinished = os.path.join(os.path.dirname(target), f".arraycoref-{os.urandom(8).hex()}")
        earlier = os.stat(target) if os.path.exists(target) else None
        if earlier is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        _unfinished.add(unfinished)
        with open(unfinished, "xb", opener=None if earlier is None else _open_closed) as file:
            if earlier is not None:
                _keep_owner(unfinished, earlier)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except OSError as error:
        if error.errno is not None and error.filename in (None, target, unfinished):
            error.filename, error.filename2 = name, None
        raise
    finally:
        _remove(unfinished)
        _unfinished.discard(unfinished)


def print_bytes(blocks: Iterable[bytes]) -> None:
    """Write to standard output all there is to write: Python without buffers (``-u``) loses what does not fit a pipe.

    Raises:
        OSError: it cannot be written, or nobody reads it any more.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    sys.stdout.flush()
    stream = sys.stdout.buffer
    for block in blocks:
        rest = memoryview(block)
        while rest:
            rest = rest[stream.write(rest) :]
    stream.flush()


def remove_unfinished() -> None:
    """Remove what unfinished files there are, in a process that is about to end without unwinding."""
    for path in tuple(_unfinished):
        _remove(path)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _open_directly(name: str) -> IO[bytes] | None:
    """Open what must not be replaced; None for a regular file, or for none yet."""
    descriptor = _DESCRIPTORS.get(name)
    if numbered := re.fullmatch(r"/(?:dev|proc/self)/fd/([0-9]{1,9})", name):
        descriptor = int(numbered[1])
    if descriptor is not None and os.path.exists("/dev/stdout"):  # on Windows, these are names like any other
        if sys.stdout is not None:
            sys.stdout.flush()
        return os.fdopen(os.dup(descriptor), "wb")
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(name).st_mode):
            return open(name, "wb")
    return None


def _open_closed(path: str, flags: int) -> int:
    """Make a file that nobody else can open, until it has the permissions of the one that it will replace."""
    return os.open(path, flags, 0o600)


def _keep_owner(path: str, earlier: os.stat_result) -> None:
    """Give a file the owner, if that may be done, and the permissions of another."""
    with contextlib.suppress(OSError, AttributeError):
        os.chown(path, earlier.st_uid, earlier.st_gid)
    os.chmod(path, stat.S_IMODE(earlier.st_mode))
