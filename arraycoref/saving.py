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
"""Temporary names of the files that are being written."""

_DESCRIPTORS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


def file_name(path: Path) -> str:
    """Return the name of a file to write.

    Raises:
        InputError: it is not a path.
    """
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str) or "\0" in name:
        raise InputError(f"{path!r:.60} is not the path of a file; expected that of one to write")
    return name


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file, which replaces the file when the block ends; if the block fails, nothing is changed.

    A file that exists keeps its permissions, and its owner where the system allows it; the temporary file has them
    from the first byte on. A symbolic link stays a link. A device, a pipe or ``/dev/stdout``, which is no regular file,
    is written directly. A process that is killed leaves the file as it was, and beside it the temporary file, whose
    name is ``.arraycoref-`` and hexadecimal digits.

    Args:
        path: the file.

    Raises:
        InputError: it is not a path.
        OSError: the file cannot be written; the error names ``path``.
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
    """Write blocks to standard output, and repeat for what is left: with ``python -u``, a write may be only a part.

    Raises:
        OSError: standard output cannot be written, or nobody reads it any more.
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
    """Remove the temporary files, in a process that is about to end without unwinding the stack."""
    for path in tuple(_unfinished):
        _remove(path)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _open_directly(name: str) -> IO[bytes] | None:
    """Open a device, a pipe or a descriptor, which must not be replaced; return None for a regular or a new file."""
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
    """Create a file that no other user can open, until it has the permissions of the file that it will replace."""
    return os.open(path, flags, 0o600)


def _keep_owner(path: str, earlier: os.stat_result) -> None:
    """Give a file the permissions of an earlier one, and its owner, if the system allows it."""
    with contextlib.suppress(OSError, AttributeError):
        os.chown(path, earlier.st_uid, earlier.st_gid)
    os.chmod(path, stat.S_IMODE(earlier.st_mode))
