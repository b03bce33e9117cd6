"""Read files of coreference: CoNLL columns and JSON lines, plain or compressed, by file, directory or pattern."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable

from arraycoref.documents import Documents, concatenate, take
from arraycoref.errors import OptionError, ReadError, ReadWarning, UnknownNameError
from arraycoref.read.conll import read_conll, tell_of_bare_numbers
from arraycoref.read.jsonlines import CLUSTER_FIELDS, read_jsonlines
from arraycoref.read.parsed import Options, Reader, limited, refuse
from arraycoref.read.sources import Source, expand, load
from arraycoref.read.unpacking import split_compression

__all__ = ["FORMATS", "format_of", "read_documents"]

FORMATS: dict[str, Reader] = {"conll": read_conll, "jsonlines": read_jsonlines}
"""Name of a format and its reader."""

TABLES = (".parquet", ".pq")
"""Suffixes of what is no file of documents."""

SUFFIXES = {".jsonl": "jsonlines", ".jsonlines": "jsonlines", ".json": "jsonlines"}


def read_documents(
    source: Source,
    *,
    side: str = "key",
    format: str | None = None,
    column: int | None = None,
    lenient: bool = False,
    report: Callable[[ReadError], None] | None = None,
    max_bytes: int | None = None,
) -> Documents:
    """Read the documents of one side.

        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 1], [4, 4]]]}')
        >>> documents = read_documents("key.jsonl")
        >>> documents.names, documents.start, documents.end, documents.entity
        (('a',), array([0, 4], dtype=int32), array([1, 4], dtype=int32), array([0, 0], dtype=int32))

    In CoNLL files, a line that begins with ``#`` is a comment. Only ``#`` alone, or with a word behind it at once, is a
    token where the line is within a document and tabs separate its columns. An empty column counts as one. Where a
    comment among columns parted by spaces, or a tab at the end of a line, seems to hide a mention, by the columns of
    the tokens next to it, that is a fault; but comments ``# NAME = VALUE`` are always comments. Numbers without a
    bracket in the column of the coreference, such as the 5 of ``(0|5``, are passed over one by one, with one warning
    for all files. In JSON lines, a response has its clusters in ``predicted_clusters``, or,
    where no document of a file has those, in ``clusters``.

    Args:
        source: a file, a directory (all files below it that are not hidden, sorted), a glob pattern, ``-`` for standard
            input, a named pipe, or a list of these. Decompressed where the suffix is .gz, .bz2, .xz or .zst.
        side: ``key`` or ``response``; JSON lines may hold the clusters of both.
        format: ``conll`` or ``jsonlines``; None to go by each file's suffix.
        column: of the coreference in CoNLL files, from 1, or from -1 at the right; None for the last.
        lenient: pass over faults, each with a `ReadWarning`. Brackets that never open or never close are dropped, a
            missing ``#end document`` is supplied, other values count as no mention, and of documents with one name the
            first is kept. More than 10,000 faults in one file are an error.
        report: called with each fault passed over, and once if numbers were, in place of the warning.
        max_bytes: the most bytes that a file may hold, decompressed; None for what ``ARRAYCOREF_MAX_BYTES`` in the
            environment says. Without either, a compressed file may hold 1 GiB, or 200 times its size if that is more.

    Returns:
        The documents, in the order of the files and within them.

    Raises:
        ReadError: a file that cannot be read, or the first fault where `lenient` is not set, the 10,001st where it is.
        UnknownNameError: a format or side that does not exist.
        OptionError: column 0, or a limit that is no number of bytes.
    """
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if side not in CLUSTER_FIELDS:
        raise UnknownNameError("side", side, CLUSTER_FIELDS)
    if column is not None and (type(column) is not int or column == 0 or abs(column) >= 2**31):
        raise OptionError(f"column is {column!r}; expected 1, 2, ... from the left or -1, -2, ... from the right")
    parts = []
    places: dict[str, str] = {}
    fault = limited(report or _warn) if lenient else refuse
    options = Options(side, column, lenient, fault)
    for path in expand(source):
        if format is None and path.lower().endswith(TABLES):
            raise ReadError(path, None, "a Parquet table, which `arraycoref score` and arraycoref.score_table take")
        parsed = FORMATS[format or format_of(path)](load(path, max_bytes), path, options)
        kept = []
        for d, (name, line) in enumerate(zip(parsed.documents.names, parsed.begins, strict=True)):
            if name in places:
                fault(ReadError(path, line, f"a second document {name!r}; the first begins at {places[name]}"))
            else:
                places[name] = f"{path}:{line}"
                kept.append(d)
        parts.append(take(parsed.documents, kept))
    if options.bare_numbers:
        (report or _warn)(tell_of_bare_numbers(options.bare_numbers))
    return concatenate(parts)


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's suffix means, whatever the suffix of a compression.

    >>> format_of("key.jsonl.gz"), format_of("key.conll")
    ('jsonlines', 'conll')
    """
    stem = split_compression(os.fspath(path))[0]
    return SUFFIXES.get(os.path.splitext(stem)[1].lower(), "conll")


def _warn(error: ReadError) -> None:
    warnings.warn(str(error), ReadWarning, stacklevel=3)
