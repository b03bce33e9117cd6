"""Read and score what tools write as tables of text or as mappings in JSON: records, words or times, and their entity.

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
from itertools import pairwise
from pathlib import PurePath
from typing import Any, Unpack

from arraycoref.api import score_batch
from arraycoref.deadline import within_time
from arraycoref.errors import InputError, OptionError, ReadError, UnknownNameError
from arraycoref.interop.headless import read_clueval, read_mapping, read_rttm
from arraycoref.interop.long_table import Names
from arraycoref.interop.suffixes import TEXTS, suffix_of, tables_of
from arraycoref.interop.table_shapes import NUMBERS, SHAPES, Asked, Shape, Table
from arraycoref.labels import BELOW
from arraycoref.options import BatchOptions, takes
from arraycoref.read import read_documents
from arraycoref.read.sources import Source, expand, load_text
from arraycoref.read.unpacking import split_compression
from arraycoref.results import BatchScores

ABSENT = ("", "-1", "-1.0")
UNCLEAR = ("NA", "N/A", "<NA>", "nan", "NaN", "None", "none", "null", "NULL")


class TableFileOptions(BatchOptions, total=False):
    """Options of tables of text."""

    max_bytes: int | None


@takes(TableFileOptions)
def score_table_files(
    key: Source,
    response: Source,
    *,
    key_format: str | None = None,
    response_format: str | None = None,
    document: str | None = "document",
    mention: str | Sequence[str] = "mention",
    label: str = "label",
    frame: float = 0.01,
    **options: Unpack[TableFileOptions],
) -> BatchScores:
    r"""Score tables of text, of one tool or of two.

        >>> from pathlib import Path
        >>> _ = Path("key.csv").write_text("mention,label\nr1,Ada\nr2,Ada\nr3,Bob\n")
        >>> _ = Path("splink.csv").write_text("cluster_id,unique_id,name\nc1,r1,Ada\nc1,r2,A.\nc1,r3,Bob\n")
        >>> score_table_files("key.csv", "splink.csv", metrics="muc")["muc"].precision
        0.5

    Args:
        key: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input, compressed or not.
        response: likewise.
        key_format: one of the formats that this module lists; None to go by the suffix and the names of the columns.
            Beside a table of first and last words, a side may be of `arraycoref.read.FORMATS`.
        response_format: likewise.
        document: column of the documents, where its name is not the format's; None for one document.
        mention: column of the mentions, or columns that make a mention together, where it is not the format's.
        label: column of the entities, where it is not the format's.
        frame: seconds of a frame of RTTM.
        **options: see `arraycoref.options`. ``max_bytes`` is as for `arraycoref.read.read_documents`.

    Raises:
        ReadError: a file that cannot be read, or breaks its format; names path and line.
        InputError: mentions of different kinds, or a side with a document without a name beside others.
        UnknownNameError: a format that does not exist.
        OptionError: a frame of no length.
        DuplicateMentionError: a mention in two entities, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
    """
    names = Names.of(document, mention, label)
    max_bytes = options.pop("max_bytes", None)
    sides = (("key", key, key_format), ("response", response, response_format))
    ours, theirs = (_read_side(side, source, Asked(format, names, frame), max_bytes) for side, source, format in sides)
    if _kinds(ours.mention) != _kinds(theirs.mention):
        shown = f"the key's mentions are {'+'.join(ours.mention)}, the response's {'+'.join(theirs.mention)}"
        raise InputError(f"{shown}; expected as many columns of the same kind (mention=... names them)")
    alone = _stem(next(expand(key)))
    if (None in ours.clusters) != (None in theirs.clusters):  # a file without names and one document are a pair
        named = list(theirs.clusters if None in ours.clusters else ours.clusters)
        if len(named) != 1:
            raise InputError(f"one side is a file without names of documents, and the other has {len(named)} documents")
        alone = str(named[0])
    keys, responses = (
        {alone if name is None else name: clusters for name, clusters in side.clusters.items()}
        for side in (ours, theirs)
    )
    return score_batch(keys, responses, **options)  # type: ignore[misc]  # max_bytes is taken out


def _read_side(side: str, source: Source, asked: Asked, max_bytes: int | None) -> Table:
    """Read a side, which may be files of documents: their mentions are first and last word."""
    if asked.format in FORMATS or (asked.format is None and "text" in map(tables_of, expand(source))):
        return read_table(source, asked, max_bytes)
    found = read_documents(source, side=side, format=asked.format, max_bytes=max_bytes)
    unit = next((each for each in found.units if each not in ("", "word")), None)
    if unit is not None:
        raise InputError(f"the {side}'s numbers are those of a {unit}; expected words beside a table")
    spans = list(zip(found.start.tolist(), found.end.tolist(), strict=True))
    table, entities = Table(mention=("start", "end")), found.entity.tolist()
    for name, (first, last) in zip(found.names, pairwise(found.offsets.tolist()), strict=True):
        clusters: dict[int, list[Any]] = {}
        for mention, entity in zip(spans[first:last], entities[first:last], strict=True):
            clusters.setdefault(entity, []).append(mention)
        table.clusters[name] = list(clusters.values())
    return table


def read_table(source: Source, asked: Asked, max_bytes: int | None = None) -> Table:
    """Read the files of one side; see `score_table_files`."""
    if asked.format is not None and asked.format not in FORMATS:
        raise UnknownNameError("format of tables", asked.format, FORMATS)
    if not 1e-6 <= asked.frame <= 1e6:
        raise OptionError(f"frame is {asked.frame!r}; expected seconds, such as 0.01")
    paths, found = list(expand(source)), Table()
    for path in paths:
        format = asked.format or TEXTS.get(suffix_of(path))
        read = FORMATS[format or "long"]
        if read is not _read_columns and asked.names != Names():
            raise OptionError(f"names of columns were given for {path}, which is {format} and has no header")
        table = read(load_text(path, max_bytes), path, Asked(format, asked.names, asked.frame))
        if found.mention and _kinds(table.mention) != _kinds(found.mention):
            raise ReadError(path, None, f"mentions are {'+'.join(table.mention)}; before, {'+'.join(found.mention)}")
        found.mention = table.mention
        for name, clusters in table.clusters.items():
            named = _stem(path) if name is None and len(paths) > 1 else name
            if named in found.clusters:
                raise ReadError(path, None, f"a second document {named!r}; expected each in one file")
            found.clusters[named] = clusters
    return found


def _stem(path: str) -> str:
    return PurePath(split_compression(path)[0]).stem


def _kinds(mention: Sequence[str]) -> list[bool]:
    return [name in NUMBERS for name in mention]


def _read_columns(text: str, path: str, asked: Asked) -> Table:
    """Read a table with a header."""
    opening = text.partition("\n")[0].rstrip("\r")
    delimiter = "\t" if suffix_of(path) in (".tsv", ".entities") else max("\t,;", key=opening.count)
    quoted = _shape(_split(opening, delimiter), path, asked)[0].quoted
    quoting = {"quoting": csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, "strict": True}
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **quoting)  # type: ignore[arg-type]
    try:
        header = next(rows, [])
        shape, names = _shape(header, path, asked)
        return _collect(rows, header, shape, names, path)
    except csv.Error as error:
        raise ReadError(path, rows.line_num, f"no table parted by {delimiter!r}: {error}") from error


def _split(line: str, delimiter: str) -> list[str]:
    return [name.strip('"') for name in line.split(delimiter)]


def _shape(header: Sequence[str], path: str, asked: Asked) -> tuple[Shape, Names]:
    """Find the shape that a header has."""
    tried = [asked.format] if asked.format else ["long"] if asked.names.label != Names().label else list(SHAPES)
    for name in tried:
        shape = SHAPES[name].change(asked.names)
        if asked.names.document is not None and asked.names.document != Names().document:
            _require(asked.names.document, header, path)
        names = shape.columns(header)
        if names is not None:
            twice = next((column for column in names.all if header.count(column) > 1), None)
            if twice is not None:
                raise ReadError(path, 1, f"{header.count(twice)} columns {twice!r}; expected one")
            return shape, names
    shapes = [SHAPES[name].change(asked.names) for name in tried]
    wanted = "; or ".join(f"{s.label!r} with {' or '.join('+'.join(names) for names in s.mention)}" for s in shapes)
    raise ReadError(path, 1, f"has the columns {', '.join(header)[:200]}; expected {wanted}, or names of others")


def _require(column: str, header: Sequence[str], path: str) -> None:
    if column not in header:
        raise ReadError(path, 1, f"has no column {column!r}, only {', '.join(header)[:200]}")


def _collect(rows: Any, header: Sequence[str], shape: Shape, names: Names, path: str) -> Table:
    """Put the mentions of rows into the clusters of their documents."""
    documents: dict[str | None, dict[str, list[Any]]] = {} if names.document else {None: {}}
    at = [header.index(name) for name in names.mention]
    label_at, document_at = header.index(names.label), header.index(names.document) if names.document else None
    labels: dict[str, str | None] = {}
    for row in within_time(rows):
        if not row:
            continue
        if len(row) != len(header):
            raise ReadError(path, rows.line_num, f"{len(row)} columns; expected {len(header)}, as in the first line")
        values = [_value(row[place], name, path, rows) for place, name in zip(at, names.mention, strict=True)]
        label = row[label_at]
        if label not in labels:
            labels[label] = _label(label, names.label, path, rows)
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
    """Return the entity that a text names; None for none."""
    if text in ABSENT:
        return None
    if text in UNCLEAR:
        raise ReadError(
            path, rows.line_num, f"{text!r} in column {column!r}; expected an entity, or nothing where there is none"
        )
    if text[0] == "-" and text[1:].replace(".", "", 1).isdigit():
        raise ReadError(path, rows.line_num, f"{text!r:.60} in column {column!r}; {BELOW}")
    return text


FORMATS: Mapping[str, Callable[[str, str, Asked], Table]] = {
    **dict.fromkeys(SHAPES, _read_columns),
    "s2and": read_mapping,
    "clusim": read_mapping,
    "clueval": read_clueval,
    "rttm": read_rttm,
}
"""Name of a format, and its reader of a text, its path and what is asked."""
