"""Define what the readers of all formats share: their signature, their result, and what to do with a fault."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from arraycoref.documents import Documents
from arraycoref.errors import InputError, ReadError, ReadWarning
from arraycoref.read.shapes import Asked
from arraycoref.read.sources import Content

Fault = Callable[[ReadError], None]
BareNumbers = tuple[int, str, int, str]
"""How many numbers without a bracket a file has, its name, and the line and the value of the first."""
MOST_FAULTS = 10_000
"""Faults of one file that a lenient reader passes over."""
_LONGEST = 60


def warn(error: ReadError) -> None:
    """Warn of a fault that is passed over."""
    warnings.warn(str(error), ReadWarning, stacklevel=3)


@dataclass(frozen=True, eq=False)
class Options:
    """How to read a file.

    Attributes:
        side: ``key`` or ``response``.
        column: the column with the coreference, 1-based, negative from the right; None for the last. CoNLL only.
        lenient: go on after faults.
        fault: takes each fault; raises it in strict mode, returns in lenient mode.
        cluster_fields: filled while JSON lines are read: the fields of their clusters, and the first file of each.
        bare_numbers: filled while CoNLL files are read.
        asked: what the user says of files of JSON.
        note: takes what is told of, but is no fault; never raises it.
    """

    side: str
    column: int | None
    lenient: bool
    fault: Fault
    cluster_fields: dict[str, str] = field(default_factory=dict)
    bare_numbers: list[BareNumbers] = field(default_factory=list)
    asked: Asked = field(default_factory=Asked)
    note: Fault = warn


@dataclass(frozen=True, eq=False)
class Parsed:
    """The documents of one file, and the line on which each begins (D,)."""

    documents: Documents
    begins: tuple[int, ...]


Reader = Callable[[Content, str, Options], Parsed]


def refuse(error: ReadError) -> NoReturn:
    """Raise a fault: strict mode."""
    raise error


def limited(fault: Fault) -> Fault:
    """Pass on up to `MOST_FAULTS` faults per file, and refuse the next one: nobody reads so many, and they take time.

    Args:
        fault: takes the faults.
    """
    found: Counter[str] = Counter()

    def count(error: ReadError) -> None:
        found[error.path] += 1
        if found[error.path] > MOST_FAULTS:
            reason = f"more than {MOST_FAULTS:,} faults; another format or column may fit this file"
            raise ReadError(error.path, error.line, reason) from error
        fault(error)

    return count


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of JSON, which has each name once; for ``object_pairs_hook``.

    Raises:
        InputError: a name that it has twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise InputError(f"{twice!r:.60} twice in one object; expected each name once")
    return found


def quote(value: object) -> str:
    """Show a value of the file in a message, shortened."""
    if isinstance(value, str):
        return repr(value) if len(value) <= _LONGEST else f"{value[:_LONGEST]!r}..."
    try:
        text = repr(value)
    except RecursionError:
        text = "a value nested too deeply"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
