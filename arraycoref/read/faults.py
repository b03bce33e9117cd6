"""Define what all readers share: their options, what is done with a fault, and how values are shown in messages."""

from __future__ import annotations

import gc
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

from arraycoref.errors import ReadError, ReadWarning
from arraycoref.options import ReadOptions
from arraycoref.read.layouts import Names

OnError = Callable[[ReadError], None]
OnNote = Callable[[int, str, str], None]

MOST_FAULTS = 10_000
"""The most faults of one file that a lenient reader passes over."""

MOST_SHOWN = 10
"""The most faults of one run that a lenient reader warns of one by one."""

_LONGEST = 60

NO_LEVEL = "levels other than 'document' are for JSON with an object per mention"
"""Why an option makes no sense for a file."""


def warn(error: ReadError) -> None:
    """Warn of a fault that is passed over."""
    warnings.warn(str(error), ReadWarning, stacklevel=3)


def refuse(error: ReadError) -> NoReturn:
    """Raise a fault, which is what strict mode does."""
    raise error


class DocumentOptions(ReadOptions, total=False):
    """Options of `arraycoref.read.read_documents`."""

    profile: str
    layers: bool
    on_doubt: OnError | None
    on_note: OnNote | None
    on_broken: OnError | None


@dataclass(frozen=True, eq=False)
class ReadingOptions:
    """How to read a file; what the user did not say is None.

    Attributes:
        side: ``key`` or ``response``.
        format: the user's name of the format.
        lenient: go on after faults.
        on_error: called with each fault; raises it in strict mode, returns in lenient mode.
        on_doubt: called with each doubt, which is no fault; never raises it.
        column: CoNLL: the column with the coreference, 1-based, negative from the right; None for the last.
        unit: JSON: what numbers count, one of `arraycoref.read.layouts.UNITS`.
        end: JSON: whether the ends of mentions are ``inclusive`` or ``exclusive``.
        start: JSON: the number of the first token, 0 or 1.
        clusters_field: JSON: field of the clusters.
        name_field: JSON: field of the document's name.
        columns: tables: names of their columns, if they are not those of the format.
        frame: RTTM: length of a frame in seconds.
        relations: annotation tools: names of the links, or of the layer of chains, that mean identity.
        annotator: annotation tools: whose annotation is read, where files have that of several.
        max_bytes: the most bytes of a file that belongs to another.
        profile: CoNLL: ``conll`` for items as the reference scorer reads them.
        join: annotated text: ``overlap`` to join windows of a document.
        level: JSON of single mentions: what a document is made of, see `arraycoref.options`.
        on_note: called with what was repaired: how often, a noun, and words; None for doubts. See `Policies.note`.
        layers: JSON: keep what documents hold beside words and clusters, see `arraycoref.read.layers`.
        on_broken: called with the fault of each file that cannot be read any further; None to raise that.
    """

    side: str = "key"
    format: str | None = None
    lenient: bool = False
    on_error: OnError = refuse
    on_doubt: OnError = warn
    column: int | None = None
    unit: str | None = None
    end: str | None = None
    start: str | None = None
    clusters_field: str | None = None
    name_field: str | None = None
    columns: Names | None = None
    frame: float = 0.01
    relations: frozenset[str] | None = None
    annotator: str | None = None
    max_bytes: int | None = None
    profile: str = "paper"
    join: str | None = None
    level: str = "document"
    on_note: OnNote | None = None
    layers: bool = False
    on_broken: OnError | None = None


def limited(on_error: OnError) -> OnError:
    """Return a function that passes up to `MOST_FAULTS` faults per file to another, and raises an error on the next.

    Nobody reads so many faults, and they take time.

    Args:
        on_error: called with each fault.
    """
    n_faults: Counter[str] = Counter()

    def count(error: ReadError) -> None:
        n_faults[error.path] += 1
        if n_faults[error.path] > MOST_FAULTS:
            reason = f"more than {MOST_FAULTS:,} faults; another format or column may fit this file"
            raise ReadError(error.path, error.line, reason) from error
        on_error(error)

    return count


@dataclass(eq=False)
class FirstFaults:
    """Shows the warnings of a run: all doubts, the first ten faults, and at the end how many more faults there are.

    Each warning is shown or counted once, also if its file is read several times.

    Attributes:
        show: called with each warning.
    """

    show: OnError
    _seen: set[int] = field(default_factory=set)
    _n_shown: int = 0
    _more: Counter[str] = field(default_factory=Counter)

    def __call__(self, error: ReadError, is_fault: bool = False) -> None:
        """Show a doubt; show or count a fault that was passed over."""
        text = hash(str(error))
        if text in self._seen:
            return
        self._seen.add(text)
        if is_fault and self._n_shown == MOST_SHOWN:
            self._more[error.path] += 1
        else:
            self._n_shown += is_fault
            self.show(error)

    def close(self) -> None:
        """Show how many more faults there are."""
        if self._more:
            n, n_files = self._more.total(), len(self._more)
            where = f", and in {n_files - 1:,} more file{'s' if n_files > 2 else ''}" if n_files > 1 else ""
            what = f"{n:,} more fault{'s' if n > 1 else ''} here{where}; `arraycoref check` lists all"
            self.show(ReadError(next(iter(self._more)), None, what))


def quote(value: object) -> str:
    """Show a value of the file in a message, shortened."""
    if isinstance(value, str):
        return repr(value) if len(value) <= _LONGEST else f"{value[:_LONGEST]!r}..."
    try:
        text = repr(value).replace("\n", " ")  # of arrays
    except RecursionError:
        text = "a value nested too deeply"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def quote_both(one: object, other: object) -> tuple[str, str]:
    """Show two values that differ, escaped if they look alike: ``é`` may be a character or two."""
    shown = quote(one), quote(other)
    if len({unicodedata.normalize("NFKC", each) for each in shown}) < len(set(map(str, (one, other)))):
        return ascii(one)[: 2 * _LONGEST], ascii(other)[: 2 * _LONGEST]
    return shown


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the collector of cyclic garbage, which takes most of the time where many lists are made."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
