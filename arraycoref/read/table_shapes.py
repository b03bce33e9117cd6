"""Define how tools write clusterings as tables of text: with which suffixes, and in which columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arraycoref.errors import InputError
from arraycoref.read.parquet import SUFFIXES, holds_documents
from arraycoref.read.sources import expand
from arraycoref.runtime import split_suffixes

TEXTS = {".tsv": None, ".csv": None, ".entities": "booknlp", ".rttm": "rttm"}
"""Suffixes of tables of text, and the format that a suffix means; None if the header decides."""

SPANS = (("start", "end"), ("start_token", "end_token"))
"""Columns of the first and the last word of a mention, both inclusive."""

NUMBERS = (*SPANS[0], *SPANS[1])
"""Columns that hold whole numbers; others are compared as texts."""


@dataclass(frozen=True)
class Names:
    """Names of a table's columns.

    Attributes:
        document: name of the column of documents; None for a table of one document.
        mention: name of the column of mentions, or of several columns that make a mention together.
        label: name of the column of labels.
    """

    document: str | None = "document"
    mention: tuple[str, ...] = ("mention",)
    label: str = "label"

    @classmethod
    def of(cls, document: str | None, mention: str | Sequence[str] | None, label: str) -> Names:
        """Check the names of the columns of two tables.

        Raises:
            InputError: no column of mentions, a name that is no text, or one column for labels and something else.
        """
        mentions = mention_columns(mention)
        if not mentions:
            raise InputError("mention names no column; expected one at least, by which rows of two tables are matched")
        others = (*mentions, "" if document is None else document)
        for name in (label, *others):
            if not isinstance(name, str):
                raise InputError(f"{name!r:.60} names no column; expected a text")
        if label in others:
            raise InputError(f"column {label!r} is named for labels and for mentions or documents; expected another")
        return cls(document, mentions, label)

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all columns, each once."""
        return tuple(dict.fromkeys((*([] if self.document is None else [self.document]), *self.mention, self.label)))


def mention_columns(mention: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns that make a mention, as a tuple; an object that is no iterable of names becomes one name."""
    if mention is None:
        return ()
    given: Any = mention
    several = isinstance(given, Iterable) and not isinstance(given, str) and getattr(given, "ndim", 1) != 0
    return tuple(given) if several else (given,)


@dataclass(frozen=True)
class Shape:
    """The columns of a tool's table.

    Attributes:
        label: column of the entities; nothing or -1 in it says that the side lacks the mention.
        mention: alternatives, each of the columns that make a mention together; the first that the table has counts.
        marks: other columns, which a table of this shape must have too.
        document: column of the documents, if the table has it; otherwise, the file is one document.
        repeats: whether a mention may have several rows of one entity.
        quoted: whether values may be in quotation marks.
    """

    label: str
    mention: tuple[tuple[str, ...], ...]
    marks: tuple[str, ...] = ()
    document: str | None = None
    repeats: bool = False
    quoted: bool = True

    def columns(self, header: Sequence[str]) -> Names | None:
        """Return the names of the columns in a table with this header; None if the header lacks any of them."""
        mention = next((names for names in self.mention if set(names) <= set(header)), None)
        if mention is None or self.label not in header or not set(self.marks) <= set(header):
            return None
        return Names(self.document if self.document in header else None, mention, self.label)

    def change(self, asked: Names) -> Shape:
        """Return the shape, changed to the user's names of columns; a name that is the default changes nothing."""
        usual, changed = Names(), self
        if asked.mention != usual.mention:
            changed = replace(changed, mention=(asked.mention,))
        if asked.label != usual.label:
            changed = replace(changed, label=asked.label, marks=())
        if asked.document != usual.document:
            changed = replace(changed, document=asked.document)
        return changed


RECORD = (("id",), ("Id",), ("ID",), ("unique_id",))

SHAPES: Mapping[str, Shape] = {
    "booknlp": Shape("COREF", (("start_token", "end_token"),), repeats=True, quoted=False),
    "splink": Shape("cluster_id", (("source_dataset", "unique_id"), ("unique_id",))),
    "zingg": Shape("Z_CLUSTER", RECORD),
    "dedupe": Shape("Cluster ID", RECORD, ("confidence_score",)),
    "long": Shape("label", (("mention",), ("start", "end")), document="document"),
}
"""Each shape by the name of its tool. A table has the first shape whose columns are in its header."""

FORMATS = (*SHAPES, "s2and", "clusim", "clueval", "rttm")
"""Formats of tables of text, and of mappings, which `arraycoref.read.table_reading` reads."""


@dataclass
class Table:
    """The clusters that were read from the files of one side.

    Attributes:
        clusters: the clusters of each document by its name; None is the key of a document without a name.
        mention: names of the columns that make a mention.
        sources: the file of each document.
    """

    clusters: dict[str | None, list[list[Any]]] = field(default_factory=dict)
    mention: tuple[str, ...] = ()
    sources: dict[str | None, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """How to read a table: its format (None: by suffix and header), names of its columns, seconds of a frame."""

    format: str | None = None
    names: Names = field(default_factory=Names)
    frame: float = 0.01


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
    return "text" if any(split_suffixes(name)[1].lower() in TEXTS for name in names) else None
