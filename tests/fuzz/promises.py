"""What every target holds its subject to: an error of our tree and of a true place, never another; and its notes.

A target calls `note` with what it computed. While `digest` listens, notes become a fingerprint by which two runs are
compared: the kernels compiled, and the kernels interpreted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from arraycoref.errors import ArraycorefError, ReadError
from arraycoref.read.documents import Documents
from fuzz.files import folder

T = TypeVar("T")

PATH = "file"
_notes: list[object] | None = None


def note(*values: object) -> None:
    """Remember what a target computed, if anybody wants to know."""
    if _notes is not None:
        _notes.extend(values)


def digest(target: Callable[[bytes], None], data: bytes) -> str:
    """Run a target; return a fingerprint of its notes."""
    global _notes  # noqa: PLW0603  # one listener a process
    _notes = []
    try:
        target(data)
        text = "\n".join(map(_show, _notes)).replace(str(folder()), "")
    finally:
        _notes = None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _show(value: object) -> str:
    if isinstance(value, np.ndarray):
        # 9 digits: libm differs in the last bits from numpy's, compiled code from interpreted code does not else.
        return repr([f"{x:.9g}" for x in value.ravel().tolist()] if value.dtype.kind == "f" else value.tolist())
    return repr(value)


def attempt(call: Callable[[], T]) -> tuple[T | None, ArraycorefError | None]:
    """Call; return the result, or an error of our tree. Any other exception is a finding and goes on."""
    try:
        return call(), None
    except ArraycorefError as raised:
        error = raised
    assert str(error), "an error without a message"
    assert len(str(error)) < 5000, "a message of more than 5000 characters"
    note(type(error).__name__, str(error))
    return None, error


def check_place(error: ArraycorefError | None, data: bytes, path: str = PATH) -> None:
    """Check that an error, if there is one, is a `ReadError` with the path and a line that the file has."""
    if error is None:
        return
    assert isinstance(error, ReadError), f"no place: {error!r}"
    assert error.path == path
    assert str(error).startswith(f"{path}: " if error.line is None else f"{path}:{error.line}: ")
    assert error.line is None or 1 <= error.line <= data.count(b"\n") + 1, f"line {error.line} is not in the file"


def facts(documents: Documents) -> list[tuple[str, int, list[tuple[int, ...]]]]:
    """What a file says: name, tokens and mentions (start, end, entity, line) of each document."""
    rows = list(zip(*(getattr(documents, name).tolist() for name in ("start", "end", "entity", "line")), strict=True))
    bounds: Sequence[int] = documents.offsets.tolist()
    return [
        (name, int(documents.n_tokens[d]), rows[bounds[d] : bounds[d + 1]]) for d, name in enumerate(documents.names)
    ]


def clusters(documents: Documents) -> list[tuple[str, int, list[list[tuple[int, ...]]]]]:
    """What must survive writing and reading: name, tokens and clusters of each document; not the entities' numbers."""
    found = []
    for name, tokens, rows in facts(documents):
        entities: dict[int, list[tuple[int, ...]]] = {}
        for start, end, entity, _ in rows:
            entities.setdefault(entity, []).append((start, end))
        found.append((name, tokens, sorted(map(sorted, entities.values()))))
    return found
