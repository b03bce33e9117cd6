"""Read tagged files. A new format is a module with a reader, and an entry in `FORMATS`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

from arraycoref.errors import InputError, OptionError, ReadError, check_name
from arraycoref.read.parsed import Fault, limited, refuse, warn
from arraycoref.runtime import STDIN, load, split_suffixes
from arraycoref.tagging.read.conllu import read_conllu
from arraycoref.tagging.read.tabbed import read_tabbed
from arraycoref.tagging.read.xces import read_xces
from arraycoref.tagging.texts import TaggedText

Reader = Callable[..., TaggedText]

FORMATS: dict[str, Reader] = {"conllu": read_conllu, "xces": read_xces, "tsv": read_tabbed}
"""The readers by name: functions of a file's bytes, its name, a callable for faults, and the format's own options."""

SUFFIXES = {".conllu": "conllu", ".conll": "conllu", ".xml": "xces", ".xces": "xces", ".tsv": "tsv", ".txt": "tsv"}


class ReadingOptions(TypedDict, total=False):
    """How tagged files are read; see `read_tagged`."""

    format: str | None
    separator: str
    lenient: bool
    report: Fault | None
    max_bytes: int | None


def read_tagged(
    path: str | Path,
    format: str | None = None,
    *,
    analyses: bool = False,
    separator: str = "|",
    lenient: bool = False,
    report: Fault | None = None,
    max_bytes: int | None = None,
) -> TaggedText:
    r"""Read a tagged file.

        >>> _ = Path("words.tsv").write_text("to\tADP|PART\nrun\tVERB\n")
        >>> read_tagged("words.tsv").forms
        ('to', 'run')

    Args:
        path: the file, compressed where the suffix is .gz, .bz2, .xz or .zst; ``-`` for standard input.
        format: a name in `FORMATS`; by default the format of the file's suffix.
        analyses: in XCES, read all interpretations of a word, not only the chosen ones. Other formats have no others.
        separator: in tab-separated files, the text between the tags of a word; empty if each word has one tag.
        lenient: pass over faults, with a `ReadWarning` for each; the docstrings of the readers state how.
        report: called with each fault that is passed over, in place of the warning.
        max_bytes: the most bytes that the file may hold, decompressed; see `arraycoref.read.read_documents`.

    Returns:
        The words with their tags.

    Raises:
        ReadError: the file cannot be read, is empty, or has a fault and `lenient` is not set.
        UnknownNameError: there is no such format.
        OptionError: no format has the suffix, or the separator is no text.
        InputError: no path.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{path!r:.60} is not the path of a file; expected a path")
    if not isinstance(separator, str | None):
        raise OptionError(f"separator is {separator!r:.60}; expected the text between tags, '' for none")
    source = STDIN if str(path) == "-" else str(path)
    suffix = split_suffixes(source)[1]
    name = format or SUFFIXES.get(suffix.lower(), "")
    if format is None and not name:
        if source != STDIN and not os.path.exists(source):
            load(source)  # raises the error that there is no such file
        expected = f"expected one of {', '.join(SUFFIXES)}, or format=NAME"
        raise OptionError(f"{source}: no format has the suffix {suffix!r}; {expected}", option="format")
    check_name("format", name, FORMATS)
    data = bytes(load(source, max_bytes)).removeprefix(b"\xef\xbb\xbf")
    own: dict[str, dict[str, Any]] = {"xces": {"analyses": analyses}, "tsv": {"separator": separator}}
    text = FORMATS[name](data, source, fault_of(lenient, report), **own.get(name, {}))
    if not len(text):
        raise ReadError(source, None, f"no words in this file (format {name})")
    return text


def fault_of(lenient: bool, report: Fault | None = None) -> Fault:
    """Return the function to call with each fault: if lenient, ``report`` or one that warns; otherwise `refuse`.

    If lenient, the function raises an error when a file has too many faults.
    """
    return limited(report or warn) if lenient else refuse


__all__ = ["FORMATS", "ReadingOptions", "fault_of", "read_conllu", "read_tabbed", "read_tagged", "read_xces"]
