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
| ``members`` | a file with a cluster per line, its members between tabs, commas or blanks | a member |
| ``labels`` | a file with the label of a mention in each line | the number of a line, from 1 |
| ``rttm`` | the lines ``SPEAKER`` of one recording | a frame in whose middle one speaker speaks |
"""

from __future__ import annotations

import csv
import io
import os
import re
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import PurePath
from typing import Any

import numpy as np

from arraycoref.errors import BELOW, NO_ENTITY, NO_LABEL, Mends, OptionError, ReadError
from arraycoref.inputs import note_input
from arraycoref.read.documents import Documents, FileText, Parsed, Text, text_of
from arraycoref.read.faults import ReadingOptions
from arraycoref.read.layouts import (
    LAYOUTS,
    NUMBERS,
    PREDICTED,
    SIDES,
    SPANS,
    TEXTS,
    Names,
    Table,
    TableLayout,
    columns_option,
    usual_columns,
)
from arraycoref.read.mentions import Mentions
from arraycoref.read.parquet import SUFFIXES, holds_documents
from arraycoref.read.paths import expand
from arraycoref.read.plain_clusters import read_clueval, read_labels, read_mapping, read_members, read_rttm
from arraycoref.read.recognize import are_members, is_webanno
from arraycoref.runtime import Content, decoded, load, split_suffixes

BOOK, BOOK_WORDS = ".entities", ".tokens"
"""Suffixes of the files that BookNLP writes for a book: its mentions and its words."""


def tables_of(path: str, format: str | None = None) -> str | None:
    """Return the kind of tables in a file, pattern or directory: ``parquet``, ``text``, or None if it has documents.

    Args:
        path: a file, pattern or directory. Without a format, its suffix and those of the files in it decide; columns of
            a Parquet file do too.
        format: the format that the user named, which decides.

    Raises:
        ReadError: a directory without files.
    """
    if isinstance(format, str):
        return "parquet" if format == "parquet" else "text" if format in FORMATS else None
    names = [path, *(expand(path) if os.path.isdir(path) else ())]
    if any(name.lower().endswith(SUFFIXES) for name in names):
        return None if holds_documents(path) else "parquet"
    return "text" if any(split_suffixes(name)[1].lower() in TEXTS and not is_webanno(name) for name in names) else None


def read_text(data: Content, path: str, options: ReadingOptions) -> Parsed:
    """Read a table of text: a mention of two whole numbers is a span of words, any other one a value.

    The lines of mentions are not known. A fault is an error in lenient mode too.

    Args:
        data: the bytes of the file.
        path: its name.
        options: how to read it; without a format, the suffix or the header says which it is.

    Raises:
        ReadError: the file breaks its format; names path and line.
        OptionError: a frame that is no number of seconds, or names of columns for a file without a header.
    """
    format = options.format or TEXTS.get(split_suffixes(path)[1].lower()) or ""
    read = FORMATS.get(format, read_columns)
    if read is not read_columns and options.table_columns not in (None, Names()):
        raise OptionError(f"columns are named for {path}, which is {format} and has no header")
    text = decoded(bytes(data), path).removeprefix("\ufeff")
    if "\0" in text:
        line = 1 + text.count("\n", 0, text.index("\0"))
        raise ReadError(path, line, "a NUL, which no text has: a binary file, or another encoding")
    table = read(text, path, replace(options, format=format or None))
    if table.n_without and options.on_note is not None:
        options.on_note(table.n_without, "mention", f"of the {options.side} in no entity (COREF is -1) left out")
    documents = _documents(table, path)
    if path.lower().endswith(BOOK) and documents.units == ("word",) and (words := _words_beside(path, options)):
        own = replace(documents.text, files=(text_of(words),), lengths=np.array([len(words)]))
        documents = replace(documents, text=own)
    return Parsed(documents, (1,) * len(table.clusters))


def _words_beside(path: str, options: ReadingOptions) -> list[str]:
    """Return the words in the file ``.tokens`` that BookNLP writes beside its ``.entities``; none without such a file.

    Raises:
        ReadError: a table without a column ``word``, or a row with too few columns.
    """
    tokens = path[: -len(BOOK)] + BOOK_WORDS
    if not os.path.isfile(tokens):
        return []
    note_input(tokens)
    header, *rows = decoded(bytes(load(tokens, options.max_bytes)), tokens).rstrip("\n").split("\n")
    if "word" not in header.split("\t"):
        raise ReadError(tokens, 1, "no column 'word'; expected the words of BookNLP, or no such file beside .entities")
    at = header.split("\t").index("word")
    short = next((n for n, row in enumerate(rows, 2) if row.count("\t") < at), None)
    if short is not None:
        raise ReadError(tokens, short, f"too few columns; expected {header.count(chr(9)) + 1}, as in the first line")
    return [row.split("\t")[at] for row in rows]


def labels_across(
    sizes: Mapping[tuple[Any, Any], int], place: str, way: str, mends: Mends | None = None
) -> ReadError | None:
    """Return a doubt if labels link more mentions across documents than within, as entries of a knowledge base do.

    Not of labels as documents count their entities: numbers below the number of mentions, all behind the same letters.

    Args:
        sizes: number of mentions of each document and label.
        place: file, or side, for the message.
        way: how to make one clustering of all.
        mends: the same as options.
    """
    n_mentions, documents = sum(sizes.values()), Counter(label for _, label in sizes)
    if 2 * len(sizes) - len(documents) <= n_mentions:
        return None
    counted = [re.fullmatch(r"(\D*)(\d{1,9})(?:\.0)?", str(label)) for label in documents]
    kinds_of_labels = {one[1] if one and int(one[2]) < max(n_mentions, 100) else None for one in counted}
    n_several = sum(n > 1 for n in documents.values())
    if n_several < 2 or (len(kinds_of_labels) == 1 and None not in kinds_of_labels):
        return None
    reason = f"{n_several:,} labels are in several documents, each of which counts without links to others"
    return ReadError(place, None, f"{reason}; {way} makes one clustering of all", mends or "")


def _documents(table: Table, path: str) -> Documents:
    every = chain.from_iterable(chain.from_iterable(table.clusters.values()))
    spans = table.mention in SPANS and all(end < 2**31 - 1 for _, end in every)
    rows, mention_texts, texts, lengths = array("i"), [], list[FileText | None](), []
    for d, (name, clusters) in enumerate(table.clusters.items()):
        number_of: dict[str, int] = {}
        for number, cluster in enumerate(clusters):
            for mention in cluster:
                span = mention if spans else (number_of.setdefault(repr(mention), len(number_of)),) * 2
                rows.extend((d, *span, number))
                mention_texts.append(table.texts.get((name, mention)))
        lengths.append(-1 if spans else len(number_of))
        texts.append(None if spans else text_of(list(number_of)))
    document, start, end, entity = np.array(rows).reshape(-1, 4).T.copy()
    names = tuple(PurePath(split_suffixes(path)[0]).name if name is None else str(name) for name in table.clusters)
    n, line = len(names), np.zeros(start.size, np.int64)
    mention_text = np.array(mention_texts, object) if table.texts else None
    return Documents(
        names,
        tuple(f"({name})" for name in names),
        (path,) * n,
        ("word" if spans else "mention",) * n,
        np.array([name is not None for name in table.clusters], np.bool_),
        ((),) * n,
        Mentions(document, start, end, entity, line, mention_text),
        Text(tuple(texts), np.zeros((n, 2), np.int64), np.array(lengths, np.int64), ((),) * n),
        table.mention,
    )


def kinds(mention: Sequence[str]) -> list[bool]:
    """Return, for each column of a mention, whether it holds whole numbers."""
    return [name in NUMBERS for name in mention]


def read_columns(text: str, path: str, options: ReadingOptions) -> Table:
    """Read a table with a header."""
    opening = text.partition("\n")[0].rstrip("\r")
    delimiter = "\t" if split_suffixes(path)[1].lower() in (".tsv", ".entities") else max("\t,;", key=opening.count)
    try:
        quoted = _layout_of([name.strip('"') for name in opening.split(delimiter)], path, options)[1].quoted
    except ReadError:
        if options.format is None and options.table_columns in (None, Names()) and are_members(text[:10_000].encode()):
            reason = "no header; this looks like a cluster in each line, which format='members' reads"
            raise ReadError(path, 1, reason, {"format": "members"}) from None
        raise
    quoting = {"quoting": csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, "strict": True}
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, **quoting)  # type: ignore[arg-type]
    try:
        header, layout, names = _layout_of(next(rows, []), path, options)
        predicted = next((column for begin in PREDICTED if (column := f"{begin}{names.label}") in header), None)
        if predicted and options.side == "response" and options.table_columns is None:
            columns = filter(None, [names.document, "+".join(names.mention), names.label])
            asked = ",".join(f"response:{column}" for column in columns)
            reason = f"labels are in {names.label} and in {predicted}; the response is what was predicted; columns="
            options.on_doubt(ReadError(path, None, f"{reason}{asked!r} reads the others", "columns"))
            names = replace(names, label=predicted)
        return _collect(rows, header, layout, names, path, options)
    except csv.Error as error:
        raise ReadError(path, rows.line_num, f"no table separated by {delimiter!r}: {error}") from error


def _layout_of(header: Sequence[str], path: str, options: ReadingOptions) -> tuple[Sequence[str], TableLayout, Names]:
    """Find the layout of a table, and the names of its columns; return the header too, spelled as the layout has it.

    Raises:
        ReadError: a table without these columns, or with one of them twice.
    """
    asked = options.table_columns or Names()
    document = asked.document
    if document not in (None, Names().document, *header):
        raise ReadError(path, 1, f"has no column {document!r}, only {', '.join(header)[:200]}")
    tried = [options.format] if options.format else ["long"] if asked.label != Names().label else list(LAYOUTS)
    for name in tried:
        layout = LAYOUTS[name].change(asked)
        layout = replace(layout, marks=()) if options.format else layout  # which need not be recognised
        spelled = layout.spelled(header)
        names = layout.columns(spelled)
        if names is not None:
            twice = next((column for column in names.all if spelled.count(column) > 1), None)
            if twice is not None:
                raise ReadError(path, 1, f"{spelled.count(twice)} columns {twice!r}; expected one")
            return spelled, layout, names
    layouts = [LAYOUTS[name].change(asked) for name in tried]
    wanted = "; or ".join(
        f"{each.label!r} with {' or '.join('+'.join(names) for names in each.mention)}"
        f"{''.join(f' and {mark}' for mark in each.marks if not options.format)}"
        for each in layouts
    )
    is_one = asked.label in SIDES  # one table of both sides
    labels = SIDES if is_one else ("label",) if asked.label == Names().label else ()
    meant = columns_option(usual_columns(header, labels)) if labels else ""
    hint = f"columns={meant or 'DOCUMENT,MENTION,LABEL'!r} names {'these' if meant else 'others'}"
    hint += ", or is the response a second file?" * (is_one and not meant)
    reason = f"has the columns {', '.join(header)[:200]}; expected {wanted}; {hint}"
    mends: Mends = {"columns": meant if is_one else {options.side: meant}}
    raise ReadError(path, 1, reason, mends if meant else "columns")


def _collect(
    rows: Any, header: Sequence[str], layout: TableLayout, names: Names, path: str, options: ReadingOptions
) -> Table:
    """Add the mention of each row to its cluster, in its document."""
    documents: dict[str | None, dict[str, list[Any]]] = {} if names.document else {None: {}}
    at = [header.index(name) for name in names.mention]
    label_at, document_at = header.index(names.label), header.index(names.document) if names.document else None
    text_at = header.index(layout.text) if layout.text in header else None
    texts: dict[tuple[str | None, Any], str] = {}
    labels: dict[str, str | None] = {}
    written: dict[str, str] = {}
    n_without = 0
    for row in rows:
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
        n_without += layout.repeats and entity is None
        if entity is not None:
            mention = tuple(values) if len(values) > 1 else values[0]
            clusters.setdefault(entity, []).append(mention)
            if text_at is not None:
                texts[document, mention] = row[text_at]  # type: ignore[index]  # a text too
    if names.document and options.side == "key":
        sizes = {(d, label): len(cluster) for d, own in documents.items() for label, cluster in own.items()}
        way = f"{names.document}+{'+'.join(names.mention)},{names.label}"
        if (doubt := labels_across(sizes, path, f"columns={way!r}", {"columns": way})) is not None:
            options.on_doubt(doubt)
    merged = {
        name: [list(dict.fromkeys(cluster)) if layout.repeats else cluster for cluster in clusters.values()]
        for name, clusters in documents.items()
    }
    return Table(merged, names.mention, texts, n_without)


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
    if text in NO_ENTITY:
        return None
    if NO_LABEL.fullmatch(text):
        expected = BELOW if text.lstrip()[:1] == "-" else "expected an entity, or nothing where there is none"
        raise ReadError(path, rows.line_num, f"{text!r:.60} in column {column!r}; {expected}")
    return text


FORMATS: Mapping[str, Callable[[str, str, ReadingOptions], Table]] = {
    **dict.fromkeys(LAYOUTS, read_columns),
    "s2and": read_mapping,
    "clusim": read_mapping,
    "clueval": read_clueval,
    "members": read_members,
    "labels": read_labels,
    "rttm": read_rttm,
}
"""Name of a format, and its reader: a function of a file's text, its path and the user's options."""
