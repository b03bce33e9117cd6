"""The error tree: every error that arraycoref raises on purpose is an `ArraycorefError`.

ArraycorefError
├── InputError (ValueError)        arrays, clusters or options that cannot be scored
│   ├── DuplicateMentionError      a mention in two entities, or twice in one
│   ├── DocumentMismatchError      a document that one side lacks, or has with other tokens
│   ├── OptionError                an option's value that never makes sense
│   └── UnknownNameError (KeyError)   a metric, document, profile, policy or format that does not exist
├── ReadError (ValueError)         a file that breaks its format; carries path and line
└── MissingDependencyError (ImportError)   an optional package that is not installed
ReadWarning (UserWarning)          what a lenient reader skipped, and what seems wrong with two files together
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

Fixes = Mapping[str, str | Mapping[str, str]]
"""Options that fix an input, by name: the value, or a dictionary with the value for ``key``, ``response`` or both."""

BELOW = "expected an entity >= 0, or -1 where the mention is absent"
"""What messages expect instead of a label below -1."""

NO_ENTITY = ("", "-1", "-1.0")
"""Texts that mean no entity in files of text, whose values are all texts; as labels, they are an error."""

NO_LABEL = re.compile(r"\s*(#?n/a|<?na>?|nan|nat|none|null|\\n|-(\d+\.?\d*|\.\d+))?\s*", re.IGNORECASE)
"""Matches texts that tables have instead of a missing value, spaces, and numbers below 0: as labels, an error."""

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class ArraycorefError(Exception):
    """Base of all errors that arraycoref raises on purpose.

    Attributes:
        option: the options that the message is about, or that fix the input, with spaces between. The message names
            them as in Python, ``threads is -1`` or ``tokens='ignore'``; the command line writes them as they are typed
            there, and adds one that the message does not name. Where the values that fix the input are known, these
            (`Fixes`), from which the command line makes the command that works.
    """

    def __init__(self, message: str = "", option: str | Fixes = "") -> None:
        super().__init__(message)
        self.option = option


class InputError(ArraycorefError, ValueError):
    """Input that cannot be scored; the message names the place, the value and what is expected."""


class DuplicateMentionError(InputError):
    """A mention is in two entities of one document, or twice in one entity."""


class DocumentMismatchError(InputError):
    """A document is on one side only, or has different tokens on the two sides, and the policies refuse that."""


class OptionError(InputError):
    """An option has a value that never makes sense; the message says which values do."""


class UnknownNameError(InputError, KeyError):
    """A name that is not in its registry; the message lists the names that are, and suggests the most similar one.

    It is a `KeyError` too, so that ``in`` and ``get`` work on results as on any other mapping.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str], listed: Iterable[str] | None = None) -> None:
        from difflib import get_close_matches

        self.kind, self.name, self.known = kind, name, tuple(known)
        self.listed = self.known if listed is None else tuple(listed)
        compared = {str(each)[:100].lower(): each for each in self.known}  # long names would take long
        near = get_close_matches(name[:100].lower(), compared, 1) if isinstance(name, str) else ()
        meant = f"did you mean {compared[near[0]]!r}? Expected" if near else "expected"
        names = printable(", ".join(map(str, self.listed)))
        super().__init__(f"unknown {kind} {name!r}; {meant} one of: {names}", kind)

    def __str__(self) -> str:  # the one of KeyError would put the message in quotes
        return Exception.__str__(self)

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[Any, ...]]:
        return type(self), (self.kind, self.name, self.known, self.listed)


def check_name(kind: str, name: object, known: Collection[str]) -> None:
    """Refuse what is not one of the known names, be it another text or any other object, such as an array.

    Raises:
        UnknownNameError: it is not one of the known names.
    """
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(kind, name, known)


def first_names(names: Sequence[str], most: int = 8) -> tuple[str, ...]:
    """Return the first of many names that an `UnknownNameError` may list, with dots for the others."""
    return (*names[:most], "...") if len(names) > most else tuple(names)


class ReadError(ArraycorefError, ValueError):
    """A file breaks its format. The message starts with ``path:line:``; what cannot be printed is escaped.

    Attributes:
        path: the file as the user named it, ``<stdin>`` for standard input.
        line: the line counted from 1, or None if the problem is of the whole file.
        reason: what is wrong, without the place.
    """

    def __init__(self, path: str, line: int | None, reason: str, option: str | Fixes = "") -> None:
        self.path, self.line, self.reason = path, line, reason
        place = path if line is None else f"{path}:{line}"
        super().__init__(printable(f"{place}: {reason}"), option)

    def __reduce__(self) -> tuple[type[ReadError], tuple[str, int | None, str, str | Fixes]]:
        return type(self), (self.path, self.line, self.reason, self.option)


class MissingDependencyError(ArraycorefError, ImportError):
    """A feature needs a package that is not installed; the message says which command installs it."""


class ReadWarning(UserWarning):
    """A problem that a lenient reader skipped, or a doubt; the message starts with ``path:line:``, or ``path:``."""


def printable(text: str) -> str:
    """Escape what would break a line, control a terminal, change the direction of writing, or fail to encode.

    These characters are control characters, line separators, the embeddings, overrides and isolates that change the
    direction of writing, and lone surrogates, which Python uses for bytes that are not text.
    """
    return _UNPRINTABLE.sub(lambda match: ascii(match[0])[1:-1], text)
