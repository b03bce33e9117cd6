"""Define what the readers of all formats share: their signature, their result, and how a fault is handled."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from arraycoref.errors import ReadError, ReadWarning
from arraycoref.read.documents import Documents
from arraycoref.read.shapes import Asked
from arraycoref.runtime import Content

Fault = Callable[[ReadError], None]
BareNumbers = tuple[int, str, int, str]
"""Number of the numbers without a bracket in a file, the file's name, and line and value of the first such number."""
MOST_FAULTS = 10_000
"""The most faults of one file that a lenient reader passes over."""
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
        fault: called with each fault; raises it in strict mode, returns in lenient mode.
        cluster_fields: readers of JSON add the field of the clusters, and the first file that has them there.
        bare_numbers: readers of CoNLL add an entry for each file with numbers without a bracket.
        asked: the user's options for JSON files.
        note: called with each doubt, which is no fault; never raises it.
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
    """Raise a fault, which is what strict mode does."""
    raise error


def limited(fault: Fault) -> Fault:
    """Return a function that passes up to `MOST_FAULTS` faults per file to ``fault``, and raises an error on the next.

    Nobody reads so many faults, and they take time.

    Args:
        fault: called with each fault.
    """
    found: Counter[str] = Counter()

    def count(error: ReadError) -> None:
        found[error.path] += 1
        if found[error.path] > MOST_FAULTS:
            reason = f"more than {MOST_FAULTS:,} faults; another format or column may fit this file"
            raise ReadError(error.path, error.line, reason) from error
        fault(error)

    return count


def quote(value: object) -> str:
    """Show a value of the file in a message, shortened."""
    if isinstance(value, str):
        return repr(value) if len(value) <= _LONGEST else f"{value[:_LONGEST]!r}..."
    try:
        text = repr(value)
    except RecursionError:
        text = "a value nested too deeply"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
