"""Read the fields of records, such as names and dates, from a table with the ids of the records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from arraycoref.display.tables import plural
from arraycoref.exceptions import DuplicateMentionError, InputError, ReadError
from arraycoref.read.columns import Choose, read_columns, record_columns
from arraycoref.read.json import values_of
from arraycoref.read.layouts import USUAL
from arraycoref.read.paths import expand
from arraycoref.read.problems import ProblemLog, quote
from arraycoref.runtime import load, split_suffixes

OBJECTS = (".jsonl", ".ndjson", ".json")
"""Suffixes of files with an object of JSON for each record."""

MISSING = ("None", "nan", "<NA>", "NaT")
"""How libraries write values that are missing."""

TABLE = "the table of records"

Id = tuple[str, ...]
"""The parts of an id, as texts."""


class RecordColumns(NamedTuple):
    """Columns of a table of records.

    Attributes:
        ids: the columns that make an id.
        fields: the other columns that are read.
    """

    ids: tuple[str, ...]
    fields: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*self.ids, *self.fields)


class RecordFields(NamedTuple):
    """The fields of records.

    Attributes:
        names: (F,) names of the fields.
        rows: (F,) texts of each record by its id, empty where a value is missing.
        source: where they are from; empty for further columns of the truth.
    """

    names: tuple[str, ...] = ()
    rows: Mapping[Id, tuple[str, ...]] = {}
    source: str = ""

    def rows_of(self, ids: Iterable[Id]) -> list[tuple[str, ...]]:
        """Return the fields of some records; empty texts of records that the table lacks."""
        none = ("",) * len(self.names)
        return [self.rows.get(record, none) for record in ids]

    def missing(self, ids: Iterable[Id], options: Mapping[str, Any]) -> tuple[str, ...]:
        """Warn of records that a named table lacks, and return a note with their number; none if it has all."""
        n = len(set(ids) - self.rows.keys()) if self.source else 0
        if n:
            ProblemLog.from_options(options).warning(self.source, None, f"no row for {plural(n, 'record')}")
        return (f"{plural(n, 'record')} without a row in {self.source}",) if n else ()


NO_FIELDS = RecordFields()


def ids_of(columns: Iterable[Any]) -> list[Id]:
    """Return the ids in columns of any library."""
    return list(zip(*map(texts_of, columns), strict=True))


def texts_of(column: Any) -> list[str]:
    """Return the values of a column of any library as texts, empty where they are missing."""
    own = next((name for name in ("to_pylist", "to_list", "tolist") if hasattr(column, name)), "")
    values = getattr(column, own)() if own else column
    return [value if isinstance(value, str) else "" if str(value) in MISSING else str(value) for value in values]


def read_fields(source: Any, ids: Sequence[str], n_parts: int, max_bytes: int | None = None) -> RecordFields:
    """Read the fields of records.

    Args:
        source: a table of pandas, polars or PyArrow; or files of text, Parquet or JSON lines.
        ids: columns of the ids in the truth, which the table may have too; empty for usual names only.
        n_parts: number of columns that make an id.
        max_bytes: the most bytes that a file may hold.

    Raises:
        ReadError: a file that cannot be read.
        InputError: a table without a column of ids.
        DuplicateMentionError: a record in two rows, both of which are named.
    """

    def choose(header: Sequence[str], place: str) -> RecordColumns:
        at = {name.lower(): name for name in header}
        tried = [tuple(ids), *(tuple(usual.split("+")) for usual in USUAL["mention"])]
        own = next((each for each in tried if len(each) == n_parts and at.keys() >= set(map(str.lower, each))), None)
        if own is None:
            expected = "+".join(ids) or "unique_id, id or the like"
            raise InputError(f"the columns of {place} are {', '.join(header)[:200]}; expected the ids, {expected}")
        own = tuple([at[name.lower()] for name in own])
        return RecordColumns(own, tuple([name for name in header if name not in own]))

    named = TABLE if hasattr(source, "columns") else str(source)
    return RecordFields(*_read(source, choose, max_bytes, are_unique=True), named)


def further_fields(truth: Any, n_parts: int, columns: Any, max_bytes: int | None = None) -> RecordFields:
    """Return the columns of a truth beside ids and labels; none of a truth that is not a table, or a pipe.

    Args:
        truth: a table, or its path, which was read before without errors.
        n_parts: number of columns that make an id.
        columns: the user's names of the columns of ids and labels; None for usual ones.
        max_bytes: the most bytes that a file may hold.
    """

    def choose(header: Sequence[str], place: str) -> RecordColumns:
        names = record_columns(header, n_parts, columns, place)
        if not (further := tuple([name for name in header if name not in names.all])):
            raise InputError(f"{place} has no column but {', '.join(names.all)}")
        return RecordColumns(names.mention, further)

    is_file = isinstance(truth, str | os.PathLike) and (os.path.isfile(truth) or os.path.isdir(truth))
    try:
        return RecordFields(*_read(truth, choose, max_bytes)) if is_file or hasattr(truth, "columns") else NO_FIELDS
    except InputError:
        return NO_FIELDS


def _read(
    source: Any, choose: Choose[RecordColumns], max_bytes: int | None, *, are_unique: bool = False
) -> tuple[tuple[str, ...], dict[Id, tuple[str, ...]]]:
    """Return names of fields, and the fields of each record; of a record in two rows, those in the first."""
    chosen, values = _columns(source, choose, max_bytes)
    ids, rows = ids_of(values[name] for name in chosen.ids), dict[Id, tuple[str, ...]]()
    fields = zip(*(texts_of(values[name]) for name in chosen.fields), strict=True) if chosen.fields else [()] * len(ids)
    for n, (record, row) in enumerate(zip(ids, fields, strict=True)):
        if are_unique and record in rows:
            where = f"rows {ids.index(record)} and {n} of {TABLE if hasattr(source, 'columns') else source}"
            raise DuplicateMentionError(f"record {' '.join(record)!r} is in {where}; expected each once")
        rows.setdefault(record, row)
    return chosen.fields, rows


def _columns(source: Any, choose: Choose[RecordColumns], max_bytes: int | None) -> tuple[RecordColumns, Any]:
    """Return which columns are read of a table, of files with objects of JSON, or of other files; and these by name."""
    if hasattr(source, "columns"):
        return choose(list(getattr(source, "column_names", source.columns)), TABLE), source
    files = list(expand(source))
    if not all(split_suffixes(path)[1].lower() in OBJECTS for path in files):
        return read_columns(source, choose, max_bytes)
    objects = list[Mapping[str, Any]]()
    for path in files:
        for line, value in values_of(load(path, max_bytes)):
            if not isinstance(value, Mapping):
                raise ReadError(path, line, f"{quote(value)}; expected an object of JSON")
            objects.append(value)
    values = {name: [value.get(name) for value in objects] for name in dict.fromkeys(chain(*objects))}
    return choose(list(values), files[0]), values
