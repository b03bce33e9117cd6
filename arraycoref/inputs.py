"""Note what a command reads, so that no output replaces it, or lies where the next run would read it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fnmatch import fnmatch
from glob import has_magic
from pathlib import PurePath

from arraycoref.exceptions import OptionError

_inputs: ContextVar[set[str] | None] = ContextVar("inputs", default=None)
"""The files, folders and glob patterns that the running command reads; None outside of `noting_inputs`."""


@contextmanager
def noting_inputs() -> Iterator[None]:
    """Note what is read until the block ends, so that no output replaces it."""
    token = _inputs.set(set())
    try:
        yield
    finally:
        _inputs.reset(token)


def note_input(source: str) -> None:
    """Note a file, folder or glob pattern that is read, if `noting_inputs` asks for it."""
    noted = _inputs.get()
    if noted is not None:
        noted.add(source)


def keep_inputs(name: str, sources: Iterable[str] = ()) -> None:
    """Refuse an output that is one of the files read, or that a folder or pattern would name the next time.

    Args:
        name: path of the output, which need not exist.
        sources: files that were read for it, beside what the running command noted.

    Raises:
        OptionError: names the output and the source.
    """
    path = PurePath(os.path.realpath(name))
    for source in sorted({*sources, *(_inputs.get() or ())}):
        if os.path.exists(source) and not os.path.isdir(source):
            if os.path.exists(name) and os.path.samefile(source, name):
                raise OptionError(f"{name}: the output would replace the input {source}; expected another file")
        elif _would_list(source, path):
            raise OptionError(f"{name}: the next run would read the output as part of {source}; expected another path")


def _would_list(source: str, path: PurePath) -> bool:
    """Whether a folder or glob pattern names a file, which need not exist; its path has no links."""
    parts = PurePath(source).parts
    n_plain = len(parts) if os.path.isdir(source) else [*map(has_magic, parts), True].index(True)
    root = os.path.realpath(os.path.join("", *parts[:n_plain]))
    return path.is_relative_to(root) and _fits(parts[n_plain:], path.relative_to(root).parts)


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Whether the parts of a glob pattern fit those of a path, or of a folder above it; hidden names fit if named."""
    if not pattern or not path:
        return not pattern and not any(name.startswith(".") for name in path)
    is_named = not path[0].startswith(".") or pattern[0].startswith(".")
    if pattern[0] == "**":
        return _fits(pattern[1:], path) or (is_named and _fits(pattern, path[1:]))
    return is_named and fnmatch(path[0], pattern[0]) and _fits(pattern[1:], path[1:])
