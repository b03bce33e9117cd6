"""Read files of coreference: CoNLL columns and JSON of many tools, plain or compressed, by file, folder or pattern."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import repeat

import numpy as np

from arraycoref.errors import OptionError, ReadError, UnknownNameError
from arraycoref.read import parquet
from arraycoref.read.conll import read_conll, tell_of_bare_numbers
from arraycoref.read.documents import Documents, concatenate, take
from arraycoref.read.jsonlines import read_jsonlines
from arraycoref.read.looks import JSON, looks_like
from arraycoref.read.parsed import Fault, Options, Parsed, Reader, limited, refuse, warn
from arraycoref.read.shapes import ENDS, SHAPES, UNITS, Asked
from arraycoref.read.sources import Source, expand
from arraycoref.runtime import Content, load, split_suffixes

__all__ = ["FORMATS", "format_of", "read_documents"]

FORMATS: Mapping[str, Reader] = {
    "conll": read_conll,
    "jsonlines": read_jsonlines,
    **dict.fromkeys(SHAPES, read_jsonlines),
}
"""Name of a format and its reader. ``jsonlines`` recognises the shape by the fields; other names of JSON are shapes."""

SIDES = ("key", "response")

SUFFIXES = {".jsonl": "jsonlines", ".jsonlines": "jsonlines", ".json": "jsonlines"}


def read_documents(
    source: Source,
    *,
    side: str = "key",
    format: str | None = None,
    column: int | str | None = None,
    lenient: bool = False,
    report: Callable[[ReadError], None] | None = None,
    note: Callable[[ReadError], None] | None = None,
    max_bytes: int | None = None,
    unit: str | None = None,
    end: str | None = None,
    clusters_field: str | None = None,
    name_field: str | None = None,
) -> Documents:
    """Read the documents of one side.

        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 1], [4, 4]]]}')
        >>> documents = read_documents("key.jsonl")
        >>> documents.names, documents.start, documents.end, documents.entity
        (('a',), array([0, 4], dtype=int32), array([1, 4], dtype=int32), array([0, 0], dtype=int32))

    In CoNLL files, a line that begins with ``#`` is a comment. The exception: within a document, in a line with tabs
    between its columns, ``#`` is a token if it stands alone or a word follows without a space. An empty column counts
    as a column. It is a fault if, compared with the columns of the tokens next to it, a mention seems to be hidden by a
    comment between lines with spaces, or by a tab at the end of a line; but ``# NAME = VALUE`` is always a comment.
    Numbers without a bracket in the column of the coreference, such as the 5 of ``(0|5``, are passed over one by one,
    with one warning for all files.

    JSON is lines of one object per document, an array of them, or objects one after the other, in the shapes that
    ``docs/files.md`` lists. A Parquet file is one of coref-data, with a row per document; its rows count as lines. The
    clusters of a response are read from the field of predictions or, if no document of the file has this field, from
    the field of the key's clusters. A document without a name is named by its number, or, if it is the only one in its
    file, by the file's name.

    Args:
        source: a file, a directory (all files below it that are not hidden, sorted), a glob pattern, ``-`` for standard
            input, a named pipe, or a list of these. Decompressed where the suffix is .gz, .bz2, .xz or .zst.
        side: ``key`` or ``response``; JSON lines may hold the clusters of both.
        format: ``conll``, ``jsonlines``, or the name of a shape of JSON in `SHAPES`; None to go by each file's suffix
            and how it begins.
        column: of the coreference in CoNLL files, from 1, or from -1 at the right, as a number or its digits; None for
            the last.
        lenient: pass over faults, each with a `ReadWarning`. Brackets that never open or never close are dropped, a
            missing ``#end document`` is supplied, other values count as no mention, and of documents with one name the
            first is kept. More than 10,000 faults in one file are an error.
        report: called in place of a warning, with each fault passed over and, if there is no ``note``, each doubt.
        note: called in place of a warning with each doubt, which is no fault, such as numbers without a bracket.
        max_bytes: the most bytes that a file may hold, decompressed; None for what ``ARRAYCOREF_MAX_BYTES`` in the
            environment says. Without either, a compressed file may hold 1 GiB, or 200 times its size if that is more.
        unit: what numbers in JSON count: ``word``, ``subtoken`` or ``character``; None for the unit of the shape.
        end: ``inclusive`` or ``exclusive``, for the end of mentions in JSON; None for that of the shape.
        clusters_field: field of the clusters in JSON; None for that of the shape.
        name_field: field of the document's name in JSON; None for those of the shape.

    Returns:
        The documents, in the order of the files and within them.

    Raises:
        ReadError: a file that cannot be read, or the first fault where `lenient` is not set, the 10,001st where it is.
        UnknownNameError: a format, side, unit or end that does not exist.
        OptionError: an option of another type, column 0, or a limit that is no number of bytes.
    """
    for what, value, known in (("format", format, tuple(FORMATS)), ("unit", unit, UNITS), ("end", end, ENDS)):
        if value is not None and (not isinstance(value, str) or value not in known):
            raise UnknownNameError(what, value, known)
    for what, function in (("report", report), ("note", note)):
        if function is not None and not callable(function):
            raise OptionError(f"{what} is {function!r:.60}; expected a function that takes a fault, or None")
    for what, field in (("clusters_field", clusters_field), ("name_field", name_field)):
        if field is not None and not isinstance(field, str):
            raise OptionError(f"{what} is {field!r}; expected the name of a field")
    if not isinstance(side, str) or side not in SIDES:
        raise UnknownNameError("side", side, SIDES)
    if not isinstance(lenient, bool | int | np.bool_):
        raise OptionError(f"lenient is {lenient!r:.60}; expected True or False")
    if isinstance(column, str) and re.fullmatch("-?[0-9]{1,10}", column):
        column = int(column)
    if column is not None and (type(column) is not int or column == 0 or abs(column) >= 2**31):
        raise OptionError(
            f"column is {column!r}; expected 1, 2, ... from the left or -1, -2, ... from the right", "column"
        )
    asked = Asked(format if format in SHAPES else None, unit, end, clusters_field, name_field)
    parts = []
    places: dict[str, tuple[str, int]] = {}
    fault = limited(report or warn) if lenient else refuse
    options = Options(side, column, bool(lenient), fault, asked=asked, note=note or report or warn)
    for path in list(expand(source)):
        if path.lower().endswith(parquet.SUFFIXES):
            content: Content = parquet.load_rows(path, max_bytes)
            usual = "coref-data"
        else:
            content = load(path, max_bytes)
            usual = "jsonlines" if JSON.match(content) else format_of(path)
        reader = FORMATS[format or usual]
        hinting = partial(_hand_on, fault, content, reader is read_jsonlines, [])
        parsed = reader(content, path, replace(options, fault=hinting))
        names = parsed.documents.names
        if len(set(names)) == len(names) and places.keys().isdisjoint(names):
            places.update(zip(names, zip(repeat(path), parsed.begins, strict=False), strict=False))
            parts.append(parsed.documents)
        else:
            parts.append(_first_of_each_name(parsed, path, places, fault))
    if options.bare_numbers:
        options.note(tell_of_bare_numbers(options.bare_numbers))
    if len(parts) == 1:
        return parts[0]
    # A document that is the only one in its file is named by the file's name.
    return concatenate([replace(part, named=np.ones(1, np.bool_)) if len(part) == 1 else part for part in parts])


def _first_of_each_name(parsed: Parsed, path: str, places: dict[str, tuple[str, int]], fault: Fault) -> Documents:
    """Drop each document whose name was read before; but if only its number or file named it, give it a new name."""
    names, kept = [], []
    for d, (given, line) in enumerate(zip(parsed.documents.names, parsed.begins, strict=True)):
        name = given if parsed.documents.named[d] or given not in places else f"{path}:{given}"
        if name in places:
            first = "{}:{}".format(*places[name])
            fault(ReadError(path, line, f"a second document {name!r}; the first begins at {first}"))
        else:
            places[name] = path, line
            kept.append(d)
            names.append(name)
    return replace(take(parsed.documents, kept), names=tuple(names))


def _hand_on(fault: Fault, content: Content, as_json: bool, hint: list[str], error: ReadError) -> None:
    """Call ``fault`` with a fault of a file, and add to the first one a hint what other kind of file this may be."""
    if not hint:
        hint.append(looks_like(content, as_json))
        error = ReadError(error.path, error.line, error.reason + hint[0])
    fault(error)


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's suffix means, without the suffix of a compression.

    >>> format_of("key.jsonl.gz"), format_of("key.conll")
    ('jsonlines', 'conll')
    """
    return SUFFIXES.get(split_suffixes(os.fspath(path))[1].lower(), "conll")
