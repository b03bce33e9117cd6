"""Hold the long table of one side, one row per mention, as ragged arrays that are cut, split and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from arraycoref.arrays import frozen
from arraycoref.contingency import Integers, segment_bounds
from arraycoref.errors import InputError
from arraycoref.interop.columns import (
    Column,
    Numbers,
    concat_columns,
    from_arrow,
    group,
    group_values,
    labels_from_arrow,
    take,
)
from arraycoref.tables.shapes import Names


def check_columns(wanted: Iterable[str], columns: Sequence[Any], place: str) -> None:
    """Refuse a table without the columns that are wanted, or with two of a name.

    Raises:
        InputError: a column that is not there or there twice, a name that is no text.
    """
    for name in wanted:
        if not isinstance(name, str):
            raise InputError(f"{name!r:.60} names no column of {place}; expected a text")
        n = sum(1 for column in columns if isinstance(column, str) and column == name)
        if n == 0:
            raise InputError(f"{place} has no column {name!r}; expected one of: {', '.join(map(str, columns))}")
        if n > 1:
            raise InputError(f"{place} has {n} columns {name!r}; expected one")


@dataclass(frozen=True, eq=False)
class LongTable:
    """Segments of rows, each of one document; a document may have several.

    Its units, by which it is cut and split, are its segments, or the rows where there is no column of documents.

    Attributes:
        document: (S,) the document of each segment; where there is no column of documents, one segment at least, of 0.
        first: int64 (S,) number of the row that each segment starts with, ascending with the order of all rows.
        bounds: int64 (S+1,) segment s owns the rows ``bounds[s]:bounds[s + 1]``.
        mention: (N,) each, the columns that make a mention.
        label: (N,) entities; rows that say that the side lacks the mention are left out.
        one_document: whether there is no column of documents.
    """

    document: Column
    first: Integers
    bounds: Integers
    mention: tuple[Column, ...]
    label: Column
    one_document: bool = False

    def __len__(self) -> int:
        return len(self.label)

    def select(self, segments: Integers) -> LongTable:
        """Take some segments, int64 (n,), in the order given."""
        start, end = self.bounds[segments], self.bounds[segments + 1]
        return self._with(segments, segment_bounds(end - start), lambda column: _copy(column, start, end))

    def cut(self, first: int, last: int) -> LongTable:
        """Take the units ``first:last`` without copying their rows."""
        if self.one_document:
            return self._rows(slice(first, last))
        rows = slice(self.bounds[first], self.bounds[last])
        bounds = self.bounds[first : last + 1] - rows.start
        return self._with(slice(first, last), bounds, lambda column: take(column, rows))

    def compact(self) -> LongTable:
        """Return the table without the texts that it does not use."""
        mention = tuple(column.compact() for column in self.mention)
        return replace(self, document=self.document.compact(), mention=mention, label=self.label.compact())

    def between(self, low: Any, high: Any) -> LongTable:
        """Take the units from ``low`` on that come before ``high``; None for no bound."""
        by = self._units[0]
        if not len(by):  # whose values are of no kind yet that a bound could be compared with
            return self
        kept = np.ones(len(by), bool)
        if low is not None:
            kept &= ~by.below(low)
        if high is not None:
            kept &= by.below(high)
        units = np.flatnonzero(kept)
        first, last = (int(units[0]), int(units[-1]) + 1) if units.size else (0, 0)
        return self.cut(first, last) if last - first == units.size else self._take(units)

    def split(self, n_parts: int, seed: np.uint64) -> list[LongTable]:
        """Part the units by their hash: equal ones come into the part of the same number in any process."""
        columns = self._units
        hashes = columns[0].hashes(seed)
        for column in columns[1:]:
            hashes = hashes * np.uint64(31) + column.hashes(seed)
        bounds, order = group((hashes % np.uint64(n_parts)).astype(np.int64), n_parts)
        ordered = self if order is None else self._take(order)
        return [ordered.cut(first, last).compact() for first, last in pairwise(bounds.tolist())]

    @property
    def _units(self) -> tuple[Column, ...]:
        """The columns whose values name the units."""
        return self.mention if self.one_document else (self.document,)

    def _take(self, units: Integers) -> LongTable:
        return self._rows(units) if self.one_document else self.select(units)

    def _rows(self, rows: Any) -> LongTable:
        """Take rows of one document, int64 (n,) or a slice."""
        return self._with(slice(1), None, lambda column: take(column, rows))

    def _with(self, segments: Any, bounds: Integers | None, take_rows: Callable[[Column], Column]) -> LongTable:
        """Take segments, int64 (n,) or a slice, with their rows and other bounds, None for one segment."""
        mention, label = tuple(map(take_rows, self.mention)), take_rows(self.label)
        bounds = np.array([0, len(label)]) if bounds is None else bounds
        document, first = take(self.document, segments), self.first[segments]
        return LongTable(document, first, bounds, mention, label, self.one_document)


def _copy(column: Column, start: Integers, end: Integers) -> Column:
    """Take the rows of segments."""
    from arraycoref.kernels.tables import copy_segments

    copied = np.empty(int((end - start).sum()), np.int64)
    copy_segments(frozen(column.codes), frozen(start), frozen(end), copied)
    return replace(column, codes=copied)


def concat_tables(tables: Sequence[LongTable], names: Names) -> LongTable:
    """Put tables one behind the other; a table without rows, which any other may be put behind, where there are none.

    Args:
        tables: any number.
        names: of the columns, for messages.

    Raises:
        InputError: columns of different kinds.
    """
    one_document = names.document is None
    if not tables:
        none, zeros = Numbers(np.empty(0, np.int64)), np.zeros(1 + one_document, np.int64)
        return LongTable(Numbers(zeros[1:]), zeros[1:], zeros, (none,) * len(names.mention), none, one_document)
    if len(tables) == 1:
        return tables[0]
    bounds = segment_bounds(np.concatenate([np.diff(table.bounds) for table in tables]))
    first = np.concatenate([table.first for table in tables])
    document = concat_columns([table.document for table in tables], names.document or "")
    mention = tuple(map(concat_columns, zip(*(table.mention for table in tables), strict=True), names.mention))
    label = concat_columns([table.label for table in tables], names.label)
    return LongTable(document, first, bounds, mention, label, one_document)


def from_table(table: Any, names: Names, place: str, first_row: int = 0, row_in_place: int = 0) -> LongTable:
    """Take over an Arrow table.

    Args:
        table: a ``pyarrow.Table``.
        names: of its columns.
        place: what the table is, or is a part of, for messages.
        first_row: number of its first row among all rows of the side.
        row_in_place: number of its first row in ``place``.

    Raises:
        InputError: a column that is not there or of another type, a document or mention that is null, a label that
            `arraycoref.labels` gives no meaning, or below -1.
    """
    check_columns(names.all, table.column_names, place)
    others = dict.fromkeys(name for name in (names.document, *names.mention) if name is not None)
    columns = {name: from_arrow(table.column(name), name, place, row_in_place) for name in others}
    label, has_label = labels_from_arrow(table.column(names.label), names.label, place, row_in_place)
    document: Column = Numbers(np.zeros(1, np.int64))
    first, bounds, rows = np.array([first_row]), np.array([0, len(label)]), None
    if names.document is not None:
        bounds, rows, starts = group_values(columns[names.document].codes)
        document, first = take(columns[names.document], starts), starts + first_row
    if has_label is not None:
        rows = np.arange(len(label)) if rows is None else rows
        bounds = segment_bounds(has_label[rows].astype(np.int64))[bounds]
        rows = rows[has_label[rows]]
    mention = tuple(columns[name] for name in names.mention)
    if rows is not None:
        mention, label = tuple(take(column, rows) for column in mention), take(label, rows)
    return LongTable(document, first, bounds, mention, label, names.document is None)
