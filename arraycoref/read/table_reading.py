"""Read tables of text and mappings in JSON that tools write: records, words or times, each with its entity.

| format | one document is | a mention is |
|---|---|---|
| ``long`` | the rows of one ``document``, or a file | ``mention``, or ``start`` and ``end`` |
| ``booknlp`` | a file ``.entities`` | first and last word of the book, both inclusive |
| ``splink`` | a file | ``unique_id``, with ``source_dataset`` before it if the file has that |
| ``zingg``, ``dedupe`` | a file | ``id``, ``Id``, ``ID`` or ``unique_id`` |
| ``s2and`` | a JSON file of ``{cluster: [id]}`` or of S2AND's gold clusters | an id |
| ``clusim`` | a JSON file of ``{element: [cluster]}`` | an element |
| ``clueval`` | a file with a cluster ``a|b|c`` per line, in the last column | an element |
| ``rttm`` | the lines ``SPEAKER`` of one recording | a frame in whose middle one speaker speaks |
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import PurePath
from typing import Any

import numpy as np

from arraycoref.deadline import within_time
from arraycoref.errors import OptionError, ReadError, UnknownNameError
from arraycoref.read.documents import Documents, Words
from arraycoref.read.headless import read_clueval, read_mapping, read_rttm
from arraycoref.read.sources import Source, expand
from arraycoref.read.table_shapes import NUMBERS, SHAPES, SPANS, TEXTS, Asked, Names, Shape, Table
from arraycoref.runtime import load_text, split_suffixes
from arraycoref.scoring.labels import ABSENT, BELOW

UNCLEAR = ("na", "n/a", "#n/a", "<na>", "nan", "nat", "none", "null", "\\n")
"""Texts that tables have in place of a missing value, in small letters."""


def read_table(source: Source, asked: Asked, max_bytes: int | None = None) -> Table:
    """Read the files of one side.

    Raises:
        ReadError: a file that cannot be read, or breaks its format; names path and line.
        UnknownNameError: a format that does not exist.
        OptionError: a frame that is no number of seconds, or names of columns for a file without a header.
    """
    if asked.format is not None and asked.format not in FORMATS:
        raise UnknownNameError("format of tables", asked.format, FORMATS)
    if not isinstance(asked.frame, int | float) or not 1e-6 <= asked.frame <= 1e6:
        raise OptionError(f"frame is {asked.frame!r}; expected seconds, such as 0.01")
    paths, found = list(expand(source)), Table()
    for path in paths:
        format = asked.format or TEXTS.get(split_suffixes(path)[1].lower())
        read = FORMATS[format or "long"]
        if read is not _read_columns and asked.names != Names():
            raise OptionError(f"names of columns were given for {path}, which is {format} and has no header")
        text = load_text(path, max_bytes)
        if "\0" in text:
            line = 1 + text.count("\n", 0, text.index("\0"))
            raise ReadError(path, line, "a NUL, which no text has: a binary file, or another encoding")
        table = read(text, path, Asked(format, asked.names, asked.frame))
        if found.mention and kinds(table.mention) != kinds(found.mention):
            raise ReadError(path, None, f"mentions are {'+'.join(table.mention)}; elsewhere {'+'.join(found.mention)}")
        found.mention = table.mention
        for name, clusters in table.clusters.items():
            named = stem(path) if name is None and len(paths) > 1 else name
            if named in found.clusters:
                raise ReadError(path, None, f"a second document {named!r}; expected each in one file")
            found.clusters[named], found.sources[named] = clusters, path
    if not found.clusters:
        raise ReadError(", ".join(paths), None, "no document; expected rows, each of a mention")
    return found


def documents_of(table: Table) -> Documents:
    """Turn a table into documents: a mention of two whole numbers is a span of words, any other one a value.

    The lines of mentions are not known and set to 0.
    """
    mentions = chain.from_iterable(chain.from_iterable(table.clusters.values()))
    spans = table.mention in SPANS and all(end < 2**31 - 1 for _, end in mentions)
    starts: list[int] = []
    ends: list[int] = []
    entities, offsets, texts = [], [0], list[Words | None]()
    for clusters in table.clusters.values():
        number_of: dict[str, int] = {}
        for entity, cluster in enumerate(clusters):
            for mention in cluster:
                number = None if spans else number_of.setdefault(repr(mention), len(number_of))
                start, end = mention if number is None else (number, number)
                starts.append(start)
                ends.append(end)
                entities.append(entity)
        offsets.append(len(starts))
        texts.append(None if spans else _texts(list(number_of)))
    names = tuple(stem(table.sources[name]) if name is None else str(name) for name in table.clusters)
    return Documents(
        names,
        tuple(f"({name})" for name in names),
        tuple(table.sources.values()),
        np.array(offsets, np.int64),
        np.array(starts, np.int32),
        np.array(ends, np.int32),
        np.array(entities, np.int32),
        line=np.zeros(len(starts), np.int64),
        n_tokens=np.array([1 + max(ends[first:stop], default=-1) for first, stop in pairwise(offsets)], np.int64),
        counted=np.full(len(names), not spans),
        named=np.array([name is not None for name in table.clusters], np.bool_),
        units=("word" if spans else "mention",) * len(names),
        texts=tuple(texts),
        places=np.zeros((len(names), 2), np.int64),
        columns=tuple(table.mention),
    )


def _texts(values: list[str]) -> Words:
    return lambda *_: values


def stem(path: str) -> str:
    """Return the name of a file without its suffixes."""
    return PurePath(split_suffixes(path)[0]).name


def kinds(mention: Sequence[str]) -> list[bool]:
    """Return, for each column of a mention, whether it holds whole numbers."""
    return [name in NUMBERS for name in mention]


def _read_columns(text: str, path: str, asked: Asked) -> Table:
    """Read a table with a header."""
    opening = text.partition("\n")[0].rstrip("\r")
    delimiter = "\t" if split_suffixes(path)[1].lower() in (".tsv", ".entities") else max("\t,;", key=opening.count)
    quoted = _shape([name.strip('"') for name in opening.split(delimiter)], path, asked)[0].quoted
    quoting = {"quoting": csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, "strict": True}
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **quoting)  # type: ignore[arg-type]
    try:
        header = next(rows, [])
        shape, names = _shape(header, path, asked)
        return _collect(rows, header, shape, names, path)
    except csv.Error as error:
        raise ReadError(path, rows.line_num, f"no table separated by {delimiter!r}: {error}") from error


def _shape(header: Sequence[str], path: str, asked: Asked) -> tuple[Shape, Names]:
    """Find the shape of a table with this header, and the names of its columns."""
    document = asked.names.document
    if document not in (None, Names().document, *header):
        raise ReadError(path, 1, f"has no column {document!r}, only {', '.join(header)[:200]}")
    tried = [asked.format] if asked.format else ["long"] if asked.names.label != Names().label else list(SHAPES)
    for name in tried:
        shape = SHAPES[name].change(asked.names)
        names = shape.columns(header)
        if names is not None:
            twice = next((column for column in names.all if header.count(column) > 1), None)
            if twice is not None:
                raise ReadError(path, 1, f"{header.count(twice)} columns {twice!r}; expected one")
            return shape, names
    shapes = [SHAPES[name].change(asked.names) for name in tried]
    wanted = "; or ".join(f"{s.label!r} with {' or '.join('+'.join(names) for names in s.mention)}" for s in shapes)
    raise ReadError(path, 1, f"has the columns {', '.join(header)[:200]}; expected {wanted}, or names of others")


def _collect(rows: Any, header: Sequence[str], shape: Shape, names: Names, path: str) -> Table:
    """Add the mention of each row to its cluster, in its document."""
    documents: dict[str | None, dict[str, list[Any]]] = {} if names.document else {None: {}}
    at = [header.index(name) for name in names.mention]
    label_at, document_at = header.index(names.label), header.index(names.document) if names.document else None
    labels: dict[str, str | None] = {}
    written: dict[str, str] = {}
    for row in within_time(rows):
        if not row:
            continue
        if len(row) != len(header):
            raise ReadError(path, rows.line_num, f"{len(row)} columns; expected {len(header)}, as in the first line")
        if rows.dialect.delimiter == "\t" and any("\t" in value and "\n" in value for value in row):
            reason = "a value in quotes that holds tabs and ends of lines; expected no quotation mark to begin a value"
            raise ReadError(path, rows.line_num, f"{reason}, unless it is doubled and in quotes")
        values = [_value(row[place], name, path, rows) for place, name in zip(at, names.mention, strict=True)]
        if names.mention in SPANS and values[0] > values[1]:  # type: ignore[operator]  # numbers
            raise ReadError(path, rows.line_num, f"a mention from {values[0]} to {values[1]}; expected start <= end")
        label = row[label_at]
        if label not in labels:
            labels[label] = _label(label, names.label, path, rows)
            number = label.strip().removesuffix(".0")
            if (other := written.setdefault(number if number.isdigit() else label.strip(), label)) != label:
                reason = f"{label!r:.60} in column {names.label!r}, and {other!r:.60} before; expected one spelling"
                raise ReadError(path, rows.line_num, reason)
        document = None if document_at is None else _value(row[document_at], str(names.document), path, rows)
        clusters = documents.setdefault(document, {})  # type: ignore[arg-type]  # a text: no column of numbers
        entity = labels[label]
        if entity is not None:
            clusters.setdefault(entity, []).append(tuple(values) if len(values) > 1 else values[0])
    found = {
        name: [list(dict.fromkeys(each)) if shape.repeats else each for each in clusters.values()]
        for name, clusters in documents.items()
    }
    return Table(found, names.mention)


def _value(text: str, column: str, path: str, rows: Any) -> str | int:
    if column not in NUMBERS:
        if not text:
            raise ReadError(path, rows.line_num, f"nothing in column {column!r}; expected a value in each row")
        return text
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ReadError(path, rows.line_num, f"{text!r:.60} in column {column!r}; expected a whole number from 0 on")
    return int(text)


def _label(text: str, column: str, path: str, rows: Any) -> str | None:
    """Return the entity that a text names, None if it says that there is none."""
    if text in ABSENT:
        return None
    if not text.strip() or text.strip().lower() in UNCLEAR:
        raise ReadError(
            path, rows.line_num, f"{text!r} in column {column!r}; expected an entity, or nothing where there is none"
        )
    if text.lstrip()[0] == "-" and text.strip()[1:].replace(".", "", 1).isdigit():
        raise ReadError(path, rows.line_num, f"{text!r:.60} in column {column!r}; {BELOW}")
    return text


FORMATS: Mapping[str, Callable[[str, str, Asked], Table]] = {
    **dict.fromkeys(SHAPES, _read_columns),
    "s2and": read_mapping,
    "clusim": read_mapping,
    "clueval": read_clueval,
    "rttm": read_rttm,
}
"""Name of a format, and its reader: a function of a file's text, its path and the user's options."""
