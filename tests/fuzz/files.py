"""One place for the files that targets write: in memory where the system offers that, gone with the process."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

MEMORY = Path("/dev/shm")
_kept: list[tempfile.TemporaryDirectory[str]] = []


@cache
def folder() -> Path:
    """The folder of this process."""
    made = tempfile.TemporaryDirectory(prefix="fuzz-", dir=MEMORY if MEMORY.is_dir() else None)
    _kept.append(made)  # or it would be removed at once
    return Path(made.name)


def file(name: str, data: bytes) -> str:
    """Write a file; return its path."""
    path = folder() / name
    path.write_bytes(data)
    return str(path)
