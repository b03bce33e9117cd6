"""Define what all readers share: their options, what is done with problems, and how values are shown in messages."""

from __future__ import annotations

import gc
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from arraycoref.display.tables import plural
from arraycoref.exceptions import Fixes, ReadError, ReadWarning
from arraycoref.options import ReadOptions
from arraycoref.options.policies import Policies, Profile
from arraycoref.read.layouts import Names

OnError = Callable[[ReadError], None]

MOST_FAULTS = 10_000
"""The most problems of one file that a lenient reader skips."""

MOST_SHOWN = 10
"""The most problems of one run that a lenient reader warns of one by one."""

_LONGEST = 60

NO_LEVEL = "levels other than 'document' need JSON with one object per mention"
"""Why an option makes no sense for a file."""


def warn(error: ReadError) -> None:
    """Warn of a problem."""
    warnings.warn(str(error), ReadWarning, stacklevel=5)


@dataclass(eq=False)
class ProblemLog:
    """What is done with the problems of the files of one call; errors are skipped or raised, and warnings shown.

    Each is shown once, also if its file is read several times.

    Attributes:
        show: called with each warning, and each error that is skipped.
        is_every: whether it is called with all errors; otherwise, with the first ten, and one that counts the others.
        lenient: whether errors are skipped; otherwise, the first is raised.
        side: ``key`` or ``response``.
        policies: receive notes, also of how many errors were skipped; None for warnings instead.
        hint: returns what is added to the first error of a file: what other kind of file this may be.
    """

    show: OnError = warn
    is_every: bool = False
    lenient: bool = False
    side: str = "key"
    policies: Policies | None = None
    hint: Callable[[], str] | None = None
    n_errors: Counter[str] = field(default_factory=Counter)
    _seen: set[int] = field(default_factory=set)
    _shown: set[int] = field(default_factory=set)
    _more: Counter[str] = field(default_factory=Counter)

    @classmethod
    def from_options(
        cls, options: Mapping[str, Any], side: str = "key", policies: Policies | None = None
    ) -> ProblemLog:
        """Make the log of a call from its options ``lenient`` and ``on_error``, which may be a log already."""
        given = options.get("on_error")
        made = given if isinstance(given, ProblemLog) else cls(given or warn, given is not None)
        policies, lenient = policies or made.policies, bool(options.get("lenient"))
        return replace(made, lenient=lenient, side=side, policies=policies, n_errors=Counter())

    def error(self, path: str, line: int | None, reason: str, option: str | Fixes = "") -> None:
        """Report an error of a file. Where reading is lenient, this returns, and the reader goes on without the value.

        Raises:
            ReadError: the error, where reading is strict; or one that says that there are more than `MOST_FAULTS`.
        """
        if self.hint is not None:
            hint, self.hint = self.hint(), None
            reason, option = reason + hint, "format" if "format=" in hint else option
        error = ReadError(path, line, reason, option)
        if not self.lenient:
            raise error
        self.count(error)
        if self.policies is not None:
            self.policies.note(1, "problem", f"of the {self.side}'s files skipped")
        self.report(error, "error")

    def warning(self, path: str, line: int | None, reason: str, option: str | Fixes = "") -> None:
        """Show a warning."""
        self.report(ReadError(path, line, reason, option), "warning")

    def note(self, path: str, n: int, noun: str, what: str) -> None:
        """Note what happened n times in a file; where there are no notes, warn of it, unless the path is empty."""
        if self.policies is not None:
            self.policies.note(n, noun, f"of the {self.side} {what}")
        elif path:
            self.warning(path, None, f"{plural(n, noun)} {what}")

    def broken(self, error: ReadError) -> None:
        """Raise the error of a file that cannot be read any further."""
        raise error from None

    def count(self, error: ReadError) -> None:
        """Count the errors of a file; nobody reads more than `MOST_FAULTS`."""
        self.n_errors[error.path] += 1
        if self.n_errors[error.path] > MOST_FAULTS:
            reason = f"more than {MOST_FAULTS:,} problems; another format or column may fit this file"
            raise ReadError(error.path, error.line, reason) from error

    def __call__(self, error: ReadError) -> None:
        """Show a warning, as the option ``on_error`` of other functions."""
        self.report(error, "warning")

    def report(self, error: ReadError, severity: str) -> None:
        """Show or count a problem, an ``error`` or a ``warning``."""
        text = hash(str(error))
        if self.is_every:
            self.show(error)
        elif text not in self._seen:
            self._seen.add(text)
            if severity == "error" and len(self._shown) == MOST_SHOWN:
                self._more[error.path] += 1
                return
            self._shown.update({text} if severity == "error" else ())
            self.show(error)

    def close(self) -> None:
        """Show how many more errors there are."""
        if self._more:
            n, n_files = self._more.total(), len(self._more)
            where = f", and in {n_files - 1:,} more file{'s' if n_files > 2 else ''}" if n_files > 1 else ""
            what = f"{n:,} more problem{'s' if n > 1 else ''} here{where}; `arraycoref check` lists all"
            self.show(ReadError(next(iter(self._more)), None, what))


class DocumentOptions(ReadOptions, total=False):
    """Options of `arraycoref.read.read_documents`."""

    profile: Profile
    layers: bool
    keep_relations: bool


@dataclass(frozen=True, eq=False)
class ReadingOptions:
    """How to read a file; what the user did not say is None.

    Attributes:
        side: ``key``, ``response`` or ``annotator``. Of a file with clusters and predicted ones, the predicted ones are
            read, but for a key; of one with the work of people and models, people's, but for a response.
        format: the user's name of the format.
        lenient: go on after problems.
        problems: what is done with errors and warnings.
        noted: what the user asked for that a note names, such as ``unit=word``.
        column: CoNLL: the column with the coreference, 1-based, negative from the right; None for the last.
        layer: CoNLL-UA: name of the column with the coreference; None for ``IDENTITY``.
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
        layers: JSON: keep what documents hold beside words and clusters, see `arraycoref.read.layers`.
        keep_relations: keep bridging, split antecedents and the like, see `arraycoref.read.relations`.
    """

    side: str = "key"
    format: str | None = None
    lenient: bool = False
    problems: ProblemLog = field(default_factory=ProblemLog)
    noted: tuple[str, ...] = ()
    column: int | None = None
    layer: str | None = None
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
    layers: bool = False
    keep_relations: bool = False


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
