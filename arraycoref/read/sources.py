"""Find the files that the user names, and define what all readers share: options, what is done with a fault, hints."""

from __future__ import annotations

import codecs
import gc
import glob
import os
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import NoReturn

from arraycoref.errors import InputError, ReadError, ReadWarning
from arraycoref.inputs import note_input
from arraycoref.read.shapes import Names
from arraycoref.runtime import STDIN, Content, split_suffixes

Path = str | os.PathLike[str]
Source = Path | Sequence[Path]
OnError = Callable[[ReadError], None]

MOST_FAULTS = 10_000
"""The most faults of one file that a lenient reader passes over."""

MOST_SHOWN = 10
"""The most faults of one run that a lenient reader warns of one by one."""

_LONGEST = 60

_RECURSIVE = re.compile(r"(|.*?[/\\])\*\*(?:[/\\](.*))?\Z" if os.sep == "\\" else r"(|.*?/)\*\*(?:/(.*))?\Z", re.DOTALL)


def expand(source: Source) -> Iterator[str]:
    """List the files that a source names, directories and patterns in sorted order, ``-`` as `STDIN`.

    Raises:
        ReadError: a name or pattern that no file matches, or a directory without files.
        InputError: no path, nor a list of some.
    """
    for path in [os.fspath(source)] if isinstance(source, str | os.PathLike) else named(source):
        note_input(path)
        if path == "-":
            yield STDIN
        elif os.path.isdir(path):
            yield from _files_below(path)
        elif os.path.lexists(path) or not glob.has_magic(path):
            yield path
        else:
            paths = matches(path)
            if not paths:
                raise ReadError(path, None, "no file matches this pattern")
            below = (_files_below(match, may_be_empty=True) if os.path.isdir(match) else [match] for match in paths)
            yield from dict.fromkeys(chain.from_iterable(below))


def named(source: Path | Iterable[Path]) -> list[str]:
    """Return the paths of a source as the user gave them: a directory or a pattern is one path.

    Raises:
        InputError: no path, nor a list of some.
    """
    if isinstance(source, str | os.PathLike):
        return [os.fspath(source)]
    no_paths = isinstance(source, bytes | set | frozenset | Mapping) or hasattr(source, "read")  # an open file
    if no_paths or not isinstance(source, Iterable) or getattr(source, "ndim", 1) == 0:
        raise InputError(f"{source!r:.60} is not the path of a file; expected a path, or a list of paths")
    paths = [path for part in source for path in named(part)]
    if not paths:
        raise InputError("an empty list of files; expected one path or more")
    return paths


def matches(pattern: str) -> list[str]:
    """List what a glob pattern matches, sorted, without pipes, devices and sockets.

    ``**`` does not enter symbolic links: with two links to a folder above, there would be 2^40 paths.
    """
    recursive = _RECURSIVE.match(pattern)
    if recursive is None:
        paths = set(glob.glob(pattern))
    else:
        folder, rest = recursive.groups()
        roots = [os.path.join(root, "") for root in matches(folder[:-1])] if glob.has_magic(folder) else [folder]
        paths = set()
        for root in roots:
            for below, folders, files in os.walk(root or os.curdir, onerror=_refuse):
                folders[:] = [name for name in folders if not name.startswith(".")]
                prefix = os.path.join(below if root else below[len(os.curdir) + 1 :], "")
                if rest:
                    paths.update(matches(glob.escape(prefix) + rest))
                else:
                    paths.update(prefix + name for name in files if not name.startswith("."))
    return sorted(path for path in paths if _is_meant(path) or os.path.isdir(path))


def _is_meant(path: str) -> bool:
    """Whether a file among others is read: regular files are; broken or unreachable links too, to raise an error."""
    return os.path.isfile(path) or not os.path.exists(path)


def _refuse(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError | NotADirectoryError):  # both are usual when a pattern is matched
        raise ReadError(error.filename, None, error.strerror or str(error)) from error


def _files_below(directory: str, may_be_empty: bool = False) -> Iterator[str]:
    """List the files of a directory and of those below it, but not of folders that are links, as `find` does."""
    paths: list[str] = []
    for folder, folders, files in os.walk(directory, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        visible = (os.path.join(folder, name) for name in files if not name.startswith("."))
        paths += filter(_is_meant, visible)
    if not paths and not may_be_empty:
        raise ReadError(directory, None, "no file in this directory; hidden files do not count")
    yield from sorted(paths)


def warn(error: ReadError) -> None:
    """Warn of a fault that is passed over."""
    warnings.warn(str(error), ReadWarning, stacklevel=3)


def refuse(error: ReadError) -> NoReturn:
    """Raise a fault, which is what strict mode does."""
    raise error


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
        unit: JSON: what numbers count, one of `arraycoref.read.shapes.UNITS`.
        end: JSON: whether the ends of mentions are ``inclusive`` or ``exclusive``.
        start: JSON: the number of the first token, 0 or 1.
        clusters_field: JSON: field of the clusters.
        name_field: JSON: field of the document's name.
        table_columns: tables: names of their columns, if they are not those of the format.
        frame: RTTM: length of a frame in seconds.
        profile: CoNLL: ``conll`` for items as the reference scorer reads them.
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
    table_columns: Names | None = None
    frame: float = 0.01
    profile: str = "paper"


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


_OPENING = 1 << 16
JSON = re.compile(rb'(\xef\xbb\xbf)?\s*(\{\s*("|\})|\[\s*(\{|\]))')
"""Matches a file that begins as objects of JSON, or an array of them, do."""
_KINDS = (
    (
        rb"\x1f\x8b|BZh|\xfd7zXZ\0|\x28\xb5\x2f\xfd",
        "a compressed file without its suffix; rename it to end in .gz, say",
    ),
    (rb"PK\x03\x04", "a zip archive; unpack it"),
    (rb"PAR1", "a Parquet table; rename it to end in .parquet"),
    (rb"\s*<(\?xml|!DOCTYPE|html|TEI|[A-Za-z]+[ >])", "XML or HTML"),
    (rb"SPEAKER \S+ \d+ [\d.]+ [\d.]+ ", "RTTM, the segments of speakers"),
    (rb"COREF\tstart_token\tend_token\t", "the .entities table of BookNLP"),
    (rb"(?s:.*?)\]\(#", "text with Markdown links as mentions"),
    (
        rb"(?s:.*?)(\((EntityID|MarkableID)=| IDENTITY BRIDGING )",
        "CoNLL-UA, of Universal Anaphora; expected CoNLL-2012 columns or JSON",
    ),
)


UTF_16 = re.compile(rb"\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0]")
"""Matches a file that begins as a text in UTF-16 does, with a mark of the order of bytes or without."""

NOTES = (".md", ".rst", ".txt", ".log", ".toml", ".yaml", ".yml")
"""Suffixes of what lies beside files of coreference."""


def with_pattern(error: ReadError, paths: Sequence[str]) -> ReadError:
    """Return the error of a file among others; if its suffix is not that of most, with a pattern that leaves it out."""
    suffixes = [split_suffixes(path)[1].lower() for path in paths]
    own = split_suffixes(error.path)[1].lower()
    usual = Counter(suffix for suffix in suffixes if suffix not in ("", own)).most_common(1)
    if error.path not in paths or not usual or (own not in NOTES and suffixes.count(own) >= usual[0][1]):
        return error
    pattern = os.path.join(os.path.dirname(error.path), f"*{usual[0][0]}")
    return ReadError(error.path, error.line, f"{error.reason}; {pattern!r}, quoted, leaves it out", error.option)


def begins_as_conll(data: Content) -> bool:
    """Return whether a file has ``#begin document`` near its beginning, as CoNLL columns do."""
    return re.search(rb"(?m)^#\s*begin\s", bytes(data[:_OPENING])) is not None


def is_conllu(data: Content) -> bool:
    """Return whether a file begins as CoNLL-U does: lines of ten columns, and no ``#begin document``."""
    if begins_as_conll(data):
        return False
    begin = bytes(data[:_OPENING]).removeprefix(codecs.BOM_UTF8)
    rows = [line for line in begin.split(b"\n")[:-1] if line.strip() and not line.startswith(b"#")]
    return len(rows) > 1 and all(row.count(b"\t") == 9 for row in rows)


def looks_like(data: Content, as_json: bool = False) -> str:
    """Return a hint for the message of an error: what kind of file this may be; empty if no known kind fits.

        >>> looks_like(b"<?xml version='1.0'?>")
        '; this looks like XML or HTML'

    Args:
        data: the bytes of a file.
        as_json: whether the file was read as JSON already, so that the hint need not say that it is JSON.
    """
    begin = bytes(data[:_OPENING]).removeprefix(codecs.BOM_UTF8)
    kind = next((kind for pattern, kind in _KINDS if re.match(pattern, begin)), "")
    if not kind and is_conllu(data):
        kind = "CoNLL-U; the format conllu reads it"
    elif re.search(rb"(^|\s)\S+\|(\S+,)?\[e\d+\b", begin[:2000]):
        kind = "the text format of CRAC 2025; its converter writes CoNLL-U or JSON"
    elif not kind and not as_json and JSON.match(data):
        kind = "JSON; the format jsonlines reads it"
    return f"; this looks like {kind}" if kind else ""
