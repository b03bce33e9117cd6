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
| ``members`` | a file with a cluster per line, its members between tabs, commas or spaces | a member |
| ``labels`` | a file with the label of a mention in each line | the number of a line, from 1 |
| ``rttm`` | the lines ``SPEAKER`` of one recording | a frame in whose middle one speaker speaks |
"""

from __future__ import annotations

import operator
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from arraycoref.exceptions import BELOW, NO_ENTITY, NO_LABEL, Fixes, InputError, OptionError, ReadError
from arraycoref.inputs import note_input
from arraycoref.ragged import bounds_of, owners
from arraycoref.read.columns import Columns, parquet_columns, text_columns
from arraycoref.read.documents import Documents, Parsed, Text, make_documents
from arraycoref.read.layouts import (
    ANNOTATOR,
    LAYOUTS,
    NUMBERS,
    PREDICTED,
    SIDES,
    SPANS,
    TEXTS,
    LayoutColumns,
    Names,
    Table,
    find_columns,
    usual_columns,
    way_of,
)
from arraycoref.read.mentions import Mentions
from arraycoref.read.parquet import SUFFIXES, holds_documents
from arraycoref.read.paths import expand
from arraycoref.read.plain_clusters import read_clueval, read_labels, read_mapping, read_members, read_rttm
from arraycoref.read.problems import ReadingOptions, collector_paused
from arraycoref.read.recognize import are_members, is_webanno
from arraycoref.runtime import Content, decoded, load_text, split_suffixes

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

    The lines of mentions are not known. A problem is an error in lenient mode too.

    Args:
        data: the bytes of the file.
        path: its name.
        options: how to read it; without a format, the suffix or the header says which it is.

    Raises:
        ReadError: the file breaks its format; names path and line.
        OptionError: a frame that is not a number of seconds, or names of columns for a file without a header.
    """
    format = options.format or TEXTS.get(split_suffixes(path)[1].lower()) or ""
    read = FORMATS.get(format, read_columns)
    if read is not read_columns and options.columns not in (None, Names()):
        raise OptionError(f"columns are named for {path}, which is {format} and has no header")
    text = "" if path.lower().endswith(SUFFIXES) else decoded(bytes(data), path).removeprefix("\ufeff")
    if "\0" in text:
        line = 1 + text.count("\n", 0, text.index("\0"))
        raise ReadError(path, line, "a NUL, which no text has: a binary file, or another encoding")
    with collector_paused():
        table = read(text, path, replace(options, format=format or None))
        documents = documents_in(table, path)
    if table.n_without:
        options.problems.note("", table.n_without, "mention", "in no entity (COREF is -1) left out")
    if path.lower().endswith(BOOK) and documents.units == ("word",) and (words := _words_beside(path, options)):
        documents = replace(documents, text=(Text([words], len(words)),))
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
    header, *rows = load_text(tokens, options.max_bytes).rstrip("\n").split("\n")
    if "word" not in header.split("\t"):
        raise ReadError(tokens, 1, "no column 'word'; expected the words of BookNLP, or no such file beside .entities")
    at = header.split("\t").index("word")
    short = next((n for n, row in enumerate(rows, 2) if row.count("\t") < at), None)
    if short is not None:
        raise ReadError(tokens, short, f"too few columns; expected {header.count(chr(9)) + 1}, as in the first line")
    return [row.split("\t")[at] for row in rows]


def labels_across(
    sizes: Mapping[tuple[Any, Any], int], place: str, way: str, fixes: Fixes | None = None
) -> ReadError | None:
    """Return a doubt if labels link more mentions across documents than within, as entries of a knowledge base do.

    Not of labels as documents count their entities: numbers below the number of mentions, all after the same letters.

    Args:
        sizes: number of mentions of each document and label.
        place: file, or side, for the message.
        way: how to make one clustering of all.
        fixes: the same as options.
    """
    n_mentions, documents = sum(sizes.values()), Counter(label for _, label in sizes)
    if 2 * len(sizes) - len(documents) <= n_mentions:
        return None
    counted = [re.fullmatch(r"(\D*)(\d{1,9})(?:\.0)?", str(label)) for label in documents]
    kinds_of_labels = {one[1] if one and int(one[2]) < max(n_mentions, 100) else None for one in counted}
    n_several = sum(n > 1 for n in documents.values())
    if n_several < 2 or (len(kinds_of_labels) == 1 and None not in kinds_of_labels):
        return None
    reason = f"{n_several:,} labels are in several documents; links between documents do not count"
    return ReadError(place, None, f"{reason}; {way} makes one clustering of all", fixes or "")


def documents_in(table: Table, path: str) -> Documents:
    """Make documents of the clusters in a file."""
    ends = (end for clusters in table.clusters.values() for cluster in clusters for _, end in cluster)
    spans = table.mention in SPANS and all(end < 2**31 - 1 for end in ends)
    start, end, texts = list[int](), list[int](), list[Text]()
    for name, clusters in table.clusters.items():
        mentions = list(chain.from_iterable(clusters))
        if spans:
            start += [first for first, _ in mentions]
            end += [last for _, last in mentions]
        else:
            number_of = {str(line + 1): line for line in range(table.n_lines.get(name, 0))}
            start += [number_of.setdefault(written, len(number_of)) for written in map(repr, mentions)]
        texts.append(Text() if spans else Text([list(number_of)], len(number_of)))
    sizes = [len(cluster) for clusters in table.clusters.values() for cluster in clusters]
    of_clusters = bounds_of(table.clusters.values())
    number = np.arange(len(sizes)) - of_clusters[:-1].repeat(np.diff(of_clusters))
    document, entity = owners(of_clusters).repeat(sizes), number.repeat(sizes)
    first, last = (np.array(each, np.int32) for each in (start, end or start))
    line, mention_text = np.zeros(len(start), np.int64), None
    if table.texts:
        named = ((name, mention) for name, own in table.clusters.items() for mention in chain.from_iterable(own))
        mention_text = np.array(list(map(table.texts.get, named)), object)
    laid = Mentions(document.astype(np.int32), first, last, entity.astype(np.int32), line, mention_text)
    names = [None if name is None else str(name) for name in table.clusters]
    return make_documents(path, names, laid, texts, "word" if spans else "mention", columns=table.mention)


def kinds(mention: Sequence[str]) -> list[bool]:
    """Return, for each column of a mention, whether it holds whole numbers."""
    return [name in NUMBERS for name in mention]


def read_columns(text: str, path: str, options: ReadingOptions) -> Table:
    """Read a table with a header, of text or in a Parquet file."""

    def choose(header: Sequence[str], path: str) -> LayoutColumns:
        return _layout_of(header, path, options, text)

    if path.lower().endswith(SUFFIXES):
        columns = parquet_columns(path, choose, options.max_bytes)
        own = zip(columns.values.column_names, columns.values.columns, strict=True)
        texts = {name: column.cast("string").fill_null("").to_pylist() for name, column in own}
        columns = replace(columns, values=texts)
    else:
        columns = text_columns(text, path, choose)
    return _collect(columns, options)


def _layout_of(header: Sequence[str], path: str, options: ReadingOptions, text: str) -> LayoutColumns:
    """Find the layout of a table, and its columns; of a response with labels and predicted ones, these.

    Raises:
        ReadError: a table without these columns, or with one of them twice.
    """
    asked = options.columns or Names()
    document = asked.document
    if document not in (None, Names().document, *header):
        raise ReadError(path, 1, f"has no column {document!r}, only {', '.join(header)[:200]}")
    tried = [options.format] if options.format else ["long"] if asked.label != Names().label else list(LAYOUTS)
    layouts = [LAYOUTS[name].change(asked) for name in tried]
    if options.format:
        layouts = [replace(layout, marks=()) for layout in layouts]  # which need not be recognized
    found = find_columns(header, layouts, path)
    if found is not None:
        label = next((name for begin in PREDICTED if (name := f"{begin}{found.names.label}") in found.header), "")
        if not label or options.side == "key" or options.columns is not None:
            return found
        names = found.names
        read, side = ("the response is", "response:") if options.side == "response" else ("an annotator's are", "")
        way = side + ",".join(filter(None, [names.document, "+".join(names.mention), names.label]))
        reason = f"labels are in {names.label} and in {label}; {read} what was predicted; columns={way!r}"
        options.problems.warning(path, None, f"{reason} reads the others", "columns")
        return found._replace(names=replace(names, label=label))
    if options.format is None and asked == Names() and are_members(text[:10_000].encode()):
        reason = "no header; this looks like a cluster in each line, which format='members' reads"
        raise ReadError(path, 1, reason, {"format": "members"})
    expected = ""
    if len(layouts) == 1:
        expected = f"; expected {layouts[0].label!r} with {' or '.join(map('+'.join, layouts[0].mention))}"
    is_one = asked.label in SIDES  # one table of both sides
    labels = SIDES if is_one else ("label",) if asked.label == Names().label else ()
    meant = usual_columns(header, labels, guess=True) if labels else {}
    hint, fixes = way_of(meant, "DOCUMENT,MENTION,LABEL", "" if is_one or options.side == ANNOTATOR else options.side)
    hint += ", or is the response a second file?" * (is_one and not meant)
    raise ReadError(path, 1, f"has the columns {', '.join(header)[:200]}{expected}; {hint}", fixes)


def _collect(columns: Columns[LayoutColumns], options: ReadingOptions) -> Table:
    """Add the mention of each row to its cluster, in its document."""
    layout, names, header = columns.chosen
    mentions = [_values(columns, name) for name in names.mention]
    if names.mention in SPANS and any(map(operator.gt, *mentions)):
        n = next(n for n, (start, end) in enumerate(zip(*mentions, strict=True)) if start > end)
        reason = f"a mention from {mentions[0][n]} to {mentions[1][n]}; expected start <= end"
        raise ReadError(columns.path, columns.line_of(n), reason)
    in_documents = [None] * len(mentions[0]) if names.document is None else _values(columns, names.document)
    labels = columns.values[header[names.label]]
    entities, written = dict[str, str | None](), dict[str, str]()
    for label in dict.fromkeys(labels):
        try:
            entities[label] = _entity(label, written, names.label)
        except InputError as error:
            raise ReadError(columns.path, columns.line_of(labels.index(label)), str(error)) from None
    values = mentions[0] if len(mentions) == 1 else list(zip(*mentions, strict=True))
    members = defaultdict[tuple[Any, str], list[Any]](list)
    for place, mention in zip(zip(in_documents, labels, strict=True), values, strict=True):
        members[place].append(mention)
    documents: dict[Any, dict[str, list[Any]]] = {name: {} for name in in_documents} if names.document else {None: {}}
    for (document, label), cluster in members.items():
        if entities[label] is not None:
            documents[document][label] = cluster
    texts: dict[tuple[str | None, Any], str] = {}
    if layout.text in header:
        texts = dict(zip(zip(in_documents, values, strict=True), columns.values[header[layout.text]], strict=True))
    if names.document and options.side != "response":
        sizes = {(d, label): len(cluster) for d, own in documents.items() for label, cluster in own.items()}
        way = f"{names.document}+{'+'.join(names.mention)},{names.label}"
        if (doubt := labels_across(sizes, columns.path, f"columns={way!r}", {"columns": way})) is not None:
            options.problems.report(doubt, "warning")
    merged = {
        name: [list(dict.fromkeys(cluster)) if layout.repeats else cluster for cluster in clusters.values()]
        for name, clusters in documents.items()
    }
    n_without = sum(entities[label] is None for label in labels) if layout.repeats else 0
    return Table(merged, names.mention, texts, n_without)


def _values(columns: Columns[LayoutColumns], name: str) -> list[Any]:
    """Return the values of a column: whole numbers of those of spans, texts of any other."""
    texts: list[str] = columns.values[columns.chosen.header[name]]
    if name not in NUMBERS:
        if "" in texts:
            reason = f"nothing in column {name!r}; expected a value in each row"
            raise ReadError(columns.path, columns.line_of(texts.index("")), reason)
        return texts
    for n, text in enumerate(texts):
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            reason = f"{text!r:.60} in column {name!r}; expected a whole number from 0 on"
            raise ReadError(columns.path, columns.line_of(n), reason)
    return list(map(int, texts))


def _entity(text: str, written: dict[str, str], column: str) -> str | None:
    """Return the entity that a label names, None if it says that there is none.

    Raises:
        InputError: a text that means a missing value, or another spelling of one in ``written``, which is added to.
    """
    if NO_LABEL.fullmatch(text) and text not in NO_ENTITY:
        expected = BELOW if text.lstrip()[:1] == "-" else "expected an entity, or nothing where there is none"
        raise InputError(f"{text!r:.60} in column {column!r}; {expected}")
    number = text.strip().removesuffix(".0")
    if (other := written.setdefault(number if number.isdigit() else text.strip(), text)) != text:
        raise InputError(f"{text!r:.60} in column {column!r}, and {other!r:.60} before; expected one spelling")
    return None if text in NO_ENTITY else text


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
