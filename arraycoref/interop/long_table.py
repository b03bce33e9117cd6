"""Hold the long table of one side, one row per mention, as ragged arrays that can be cut, split and concatenated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

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
from arraycoref.read.table_shapes import Names
from arraycoref.scoring.cells import Integers, segment_bounds
from arraycoref.scoring.labels import as_kernel_array


def check_columns(wanted: Iterable[str], columns: Sequence[Any], place: str) -> None:
    """Refuse a table that lacks a wanted column, or has two columns of a wanted name.

    Raises:
        InputError: a wanted column that is not there or there twice, or whose name is not a text.
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
    """Segments of rows; the rows of a segment belong to one document, which may have several segments.

    `cut`, `between` and `split` work on units. The units are the segments, or, in a table without a column of
    documents, the rows.

    Attributes:
        document: (S,) the document of each segment; without a column of documents, 0 for each, and S is at least 1.
        first: int64 (S,) number of each segment's first row. The numbers ascend in the order of all rows of the side,
            but may have gaps.
        bounds: int64 (S+1,) segment s owns the rows ``bounds[s]:bounds[s + 1]``.
        mention: the columns that identify a mention together, (N,) each.
        label: (N,) entities; rows whose label means that the side lacks the mention are left out.
        one_document: whether the table has no column of documents, so that all rows are of one document.
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
        """Return the table without the texts that none of its rows uses."""
        mention = tuple(column.compact() for column in self.mention)
        return replace(self, document=self.document.compact(), mention=mention, label=self.label.compact())

    def between(self, low: Any, high: Any) -> LongTable:
        """Take the units whose value is at least ``low`` and below ``high``; None for no bound."""
        by = self._units[0]
        if not len(by):  # an empty column counts as numbers, which could not be compared with bounds that are texts
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
        """Split the units by their hash: in every process, equal units come into the part of the same number."""
        columns = self._units
        hashes = columns[0].hashes(seed)
        for column in columns[1:]:
            hashes = hashes * np.uint64(31) + column.hashes(seed)
        bounds, order = group((hashes % np.uint64(n_parts)).astype(np.int64), n_parts)
        ordered = self if order is None else self._take(order)
        return [ordered.cut(first, last).compact() for first, last in pairwise(bounds.tolist())]

    @property
    def _units(self) -> tuple[Column, ...]:
        """The columns whose values identify the units."""
        return self.mention if self.one_document else (self.document,)

    def _take(self, units: Integers) -> LongTable:
        return self._rows(units) if self.one_document else self.select(units)

    def _rows(self, rows: Any) -> LongTable:
        """Take rows, int64 (n,) or a slice, of a table without a column of documents."""
        return self._with(slice(1), None, lambda column: take(column, rows))

    def _with(self, segments: Any, bounds: Integers | None, take_rows: Callable[[Column], Column]) -> LongTable:
        """Make a table of some segments.

        Args:
            segments: int64 (n,) or a slice.
            bounds: of the segments in the new table; None for one segment of all its rows.
            take_rows: takes the rows of the segments from a column.
        """
        mention, label = tuple(map(take_rows, self.mention)), take_rows(self.label)
        bounds = np.array([0, len(label)]) if bounds is None else bounds
        document, first = take(self.document, segments), self.first[segments]
        return LongTable(document, first, bounds, mention, label, self.one_document)


def _copy(column: Column, start: Integers, end: Integers) -> Column:
    """Copy the rows ``start[s]:end[s]`` of all segments s."""
    from arraycoref.kernels.mentions import copy_segments

    copied = np.empty(int((end - start).sum()), np.int64)
    copy_segments(as_kernel_array(column.codes), as_kernel_array(start), as_kernel_array(end), copied)
    return replace(column, codes=copied)


def concat_tables(tables: Sequence[LongTable], names: Names) -> LongTable:
    """Concatenate tables; without any, return a table without rows, which fits any other in a later concatenation.

    Args:
        tables: any number.
        names: of the columns.

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
    """Convert an Arrow table to a long table.

    Args:
        table: a ``pyarrow.Table``.
        names: of its columns.
        place: words for the table, or for the file or partition that it is part of, for messages.
        first_row: number of the table's first row among all rows of the side.
        row_in_place: number of the table's first row in ``place``, for messages.

    Raises:
        InputError: a column that is not there or of an unsupported type; a document or mention that is null; a value
            that is not a label by `arraycoref.scoring.labels`, or a label below -1.
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
