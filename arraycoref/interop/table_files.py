"""Score what tools write as tables of text or as mappings in JSON: records, words or times, and their entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Unpack

from arraycoref.api import score_batch
from arraycoref.documents import Documents
from arraycoref.errors import InputError, ReadError, UnknownNameError
from arraycoref.interop.two_tables import TableOptions
from arraycoref.options import takes
from arraycoref.read import FORMATS as DOCUMENT_FORMATS, read_documents
from arraycoref.read.parsed import warn
from arraycoref.read.sources import Source, expand
from arraycoref.results import BatchScores
from arraycoref.tables.reading import FORMATS, documents_of, kinds, read_table, stem
from arraycoref.tables.shapes import Asked, Names, Table
from arraycoref.tables.suffixes import tables_of


@takes(TableOptions)
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
    report: Callable[[ReadError], None] | None = None,
    **options: Unpack[TableOptions],
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
        key_format: one of the formats that `arraycoref.tables.reading` lists; None to go by the suffix and the names of
            the columns. Beside a table of first and last words, a side may be of `arraycoref.read.FORMATS`.
        response_format: likewise.
        document: column of the documents, where its name is not the format's; None for one document.
        mention: column of the mentions, or columns that make a mention together, where it is not the format's.
        label: column of the entities, where it is not the format's.
        frame: seconds of a frame of RTTM.
        report: called with each warning, in place of `ReadWarning`.
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
    if kinds(ours.mention) != kinds(theirs.mention):
        shown = f"the key's mentions are {'+'.join(ours.mention)}, the response's {'+'.join(theirs.mention)}"
        raise InputError(f"{shown}; expected as many columns of the same kind (mention=... names them)")
    alone = stem(next(expand(key)))
    if (None in ours.clusters) != (None in theirs.clusters):  # a file without names and one document are a pair
        named = list(theirs.clusters if None in ours.clusters else ours.clusters)
        if len(named) != 1:
            raise InputError(f"one side is a file without names of documents, and the other has {len(named)} documents")
        alone = str(named[0])
    keys, responses = (
        {alone if name is None else name: clusters for name, clusters in side.clusters.items()}
        for side in (ours, theirs)
    )
    _check_mentions(keys, responses, ours, theirs, report or warn)
    return score_batch(keys, responses, **options)  # type: ignore[misc]  # max_bytes is taken out


def _check_mentions(
    keys: Mapping[str, Any], responses: Mapping[str, Any], ours: Table, theirs: Table, note: Callable[[ReadError], None]
) -> None:
    """Warn of a side without mentions, and of mentions that seem to be written in two ways."""
    from arraycoref.checks import check_mentions
    from arraycoref.match import match
    from arraycoref.sides import in_one_unit

    def documents(side: Table, clusters: Mapping[str, Any]) -> Documents:
        path = next(iter(side.sources.values()), "")
        shared = [name for name in keys if name in responses]
        return documents_of(Table({name: clusters[name] for name in shared}, side.mention, dict.fromkeys(shared, path)))

    key, response = documents(ours, keys), documents(theirs, responses)
    if key.units == response.units:
        key, response = in_one_unit(key, response)
        check_mentions(key, response, match(key, response), note)


def _read_side(side: str, source: Source, asked: Asked, max_bytes: int | None) -> Table:
    """Read a side, which may be files of documents: their mentions are first and last word."""
    known = (*FORMATS, *DOCUMENT_FORMATS)
    if asked.format is not None and asked.format not in known:
        raise UnknownNameError("format", asked.format, known)
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
