"""Score files: read both sides, pair their documents, match their mentions, resolve repeated ones, count."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from arraycoref.api import score_clusterings
from arraycoref.errors import InputError, OptionError, ReadError, check_name
from arraycoref.options import FileOptions, Policies, ReadOptions, resolve_policies
from arraycoref.read.documents import Documents, repeated_mention
from arraycoref.runtime import thread_count
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.labels import as_kernel_array
from arraycoref.scoring.metrics.registry import resolve_metrics
from arraycoref.scoring.scores import BatchScores

if TYPE_CHECKING:
    from arraycoref.read.table_shapes import Asked

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def score_files(key: Source, response: Source, **options: Unpack[FileOptions]) -> BatchScores:
    """Score files; documents are paired by name, mentions by their first and last token.

        >>> import arraycoref as ac
        >>> from pathlib import Path
        >>> _ = Path("key.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4], [8, 8]]]}')
        >>> _ = Path("response.jsonl").write_text('{"doc_key": "a", "clusters": [[[0, 0], [3, 4]]]}')
        >>> ac.score_files("key.jsonl", "response.jsonl")["muc"].recall
        0.5

    Args:
        key: a file, a directory, a glob pattern, a list of files, or ``-`` for standard input. Compressed where the
            suffix is .gz, .bz2, .xz or .zst.
        response: likewise.
        **options: see `arraycoref.options`.

    Raises:
        ReadError: a file that cannot be read or breaks its format; names path and line.
        DocumentMismatchError: a document on one side only, where the policy refuses that; or no document on both
            sides, where the policy leaves out the others.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        OptionError: an option that makes no sense, or `UnknownNameError`: one that does not exist.
    """
    from arraycoref.read.sources import is_stream

    policies = resolve_policies(options, FileOptions)
    metrics = resolve_metrics(options.get("metrics"))  # complain before hours of reading
    thread_count(options.get("threads", 1))
    paths = isinstance(key, str | os.PathLike) and isinstance(response, str | os.PathLike)  # no arrays to compare
    if paths and key == response and is_stream(key):
        raise OptionError(f"key and response are both {key!r}, which can be read only once")
    ours = read_some(key, reading(options, "key"))
    theirs = read_some(response, reading(options, "response"))
    clusterings = encode_documents(ours, theirs, policies, options.get("report"))
    header_of = dict(zip(ours.names, ours.headers, strict=True))
    headers = tuple(header_of[name] for name in clusterings.names or ())
    return score_clusterings(clusterings, policies, options | {"metrics": metrics}, headers)


def reading(options: Mapping[str, Any], side: str) -> dict[str, Any]:
    """Return the options of `arraycoref.read.read_documents` for one side.

        >>> reading({"beta": 2, "response_format": "fastcoref", "unit": "key:word", "end": "exclusive"}, "response")
        {'unit': None, 'end': 'exclusive', 'format': 'fastcoref', 'side': 'response'}

    Args:
        options: keywords that the user gave, those of `ReadOptions` and others.
        side: ``key`` or ``response``.

    Raises:
        OptionError: a value such as ``key:VALUE`` that names another side than key and response, or one side twice.
        UnknownNameError: a format of the side that does not exist.
    """
    found = {name: value for name, value in options.items() if name in ReadOptions.__annotations__}
    own = {each: found.pop(f"{each}_format", None) for each in ("key", "response")}
    if own.get(side) is not None:
        _check_format(f"{side}_format", own[side])
        found["format"] = own[side]
    for name in ("unit", "end", "clusters_field", "name_field", "column"):
        value = found.get(name)
        if isinstance(value, str) and value.startswith(("key:", "response:")):
            parts = [part.strip().partition(":")[::2] for part in value.split(",")]
            if sorted(each for each, _ in parts) not in (["key"], ["response"], ["key", "response"]):
                raise OptionError(
                    f"{name} is {value!r}; expected key:VALUE, response:VALUE, or both with a comma", option=name
                )
            found[name] = dict(parts).get(side)
    return found | {"side": side}


def read_some(
    source: Source, options: Mapping[str, Any], may_be_none: bool = False, asked: Asked | None = None
) -> Documents:
    """Read the documents of one side: files of documents, or tables of text.

    Args:
        source: its files.
        options: those of `arraycoref.read.read_documents`; ``format`` may name a format of tables too. For a table,
            only ``format`` and ``max_bytes`` count: a fault in a table is an error in lenient mode too.
        may_be_none: whether no document may be left.
        asked: how to read tables, except for their format.

    Raises:
        ReadError: as `arraycoref.read.read_documents` does; and in lenient mode, if every document has a fault.
        UnknownNameError: a format that does not exist.
    """
    from arraycoref.read import read_documents
    from arraycoref.read.sources import expand, named
    from arraycoref.read.table_shapes import FORMATS as TABLES, Asked, tables_of

    format = options.get("format")
    if format is not None:
        _check_format("format", format)
    files = source if isinstance(source, str | os.PathLike) else named(source)  # goes through a generator once
    if format in TABLES or (format is None and "text" in map(tables_of, expand(files))):
        from arraycoref.read.table_reading import documents_of, read_table

        return documents_of(read_table(files, replace(asked or Asked(), format=format), options.get("max_bytes")))
    documents = read_documents(files, **options)
    if not len(documents) and not may_be_none:
        raise ReadError(", ".join(named(files)), None, "no document is left: every one has a fault")
    return documents


def _check_format(what: str, format: object) -> None:
    from arraycoref.read import FORMATS
    from arraycoref.read.table_shapes import FORMATS as TABLES

    check_name(what, format, (*FORMATS, *TABLES))


def encode_documents(
    key: Documents, response: Documents, policies: Policies, report: Callable[[ReadError], None] | None = None
) -> Clusterings:
    """Pair the documents of two sides and lay their mentions out as label vectors.

    Args:
        key: what the key's files hold.
        response: what the response's files hold.
        policies: for documents on one side only, for tokens that differ and for repeated mentions.
        report: called with each fault or doubt, in place of a warning.

    Raises:
        DocumentMismatchError: a document on one side only, where the policy refuses that; or a document whose tokens
            differ; or two documents without names that should pair, but seem to be different documents.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        InputError: mentions in units, or in columns of tables, that cannot be compared.
    """
    if key.columns and response.columns and key.columns != response.columns:
        from arraycoref.read.table_reading import kinds

        if kinds(key.columns) != kinds(response.columns):
            shown = f"the key's mentions are {'+'.join(key.columns)}, the response's {'+'.join(response.columns)}"
            raise InputError(f"{shown}; expected the same kinds of columns, which score_table(mention=...) names")
    from arraycoref.match.mentions import MATCHINGS, number_mentions
    from arraycoref.match.sides import in_one_unit, paired
    from arraycoref.match.tokens import check_mentions, check_tokens
    from arraycoref.read.parsed import warn

    key, response = paired(key, response, policies)
    check_tokens(key, response, policies, report or warn)
    sides = in_one_unit(key, response)  # `key` and `response` stay as read: errors show mentions as in the files
    as_read, matching = {"key": key, "response": response}, MATCHINGS["exact"]
    ours, theirs = matching(*sides)
    found = number_mentions(ours, theirs, policies, lambda side, *rows: repeated_mention(as_read[side], *rows))
    check_mentions(*sides, found, matching, policies, report or warn)
    return Clusterings(
        as_kernel_array(found.key), as_kernel_array(found.response), as_kernel_array(found.offsets), key.names
    )
