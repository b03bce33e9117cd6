"""The long table of one side, a row a mention, as ragged arrays: cut, split, joined without touching single rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.arrays import frozen
from arraycoref.contingency import segment_bounds
from arraycoref.errors import InputError
from arraycoref.interop.columns import Column, Numbers, from_arrow, join, take
from arraycoref.interop.union import RUN, group, group_values, runs

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Names:
    """Names of a table's columns.

    Attributes:
        document: of the documents; None for a table of one document.
        mention: of the mentions, or of several columns that make a mention together.
        label: of the labels.
    """

    document: str | None = "document"
    mention: tuple[str, ...] = ("mention",)
    label: str = "label"

    @property
    def all(self) -> tuple[str, ...]:
        """Every one, once."""
        return tuple(dict.fromkeys((*([] if self.document is None else [self.document]), *self.mention, self.label)))


@dataclass(frozen=True, eq=False)
class LongTable:
    """Segments of rows, each of one document; a document may have several.

    Attributes:
        document: (S,) the document of each segment; where there is no column of documents, one segment at least, of 0.
        first: int64 (S,) number of the row that each segment starts with, ascending with the order of all rows.
        bounds: int64 (S+1,) segment s owns the rows ``bounds[s]:bounds[s + 1]``.
        mention: (N,) each, the columns that make a mention.
        label: (N,) entities, -1 where a number says that the side lacks the mention.
    """

    document: Column
    first: Integers
    bounds: Integers
    mention: tuple[Column, ...]
    label: Column

    def __len__(self) -> int:
        return len(self.label)

    def select(self, segments: Integers) -> LongTable:
        """Take some segments, int64 (n,), in the order given."""
        start, end = self.bounds[segments], self.bounds[segments + 1]
        return LongTable(
            take(self.document, segments),
            self.first[segments],
            segment_bounds(end - start),
            tuple(_copy(column, start, end) for column in self.mention),
            _copy(self.label, start, end),
        )

    def cut(self, first: int, last: int) -> LongTable:
        """Take the segments ``first:last`` without copying their rows."""
        low, high = self.bounds[first], self.bounds[last]
        return LongTable(
            self.document.with_parts(self.document.parts[first:last]),
            self.first[first:last],
            self.bounds[first : last + 1] - low,
            tuple(column.with_parts(column.parts[low:high]) for column in self.mention),
            self.label.with_parts(self.label.parts[low:high]),
        )

    def compact(self) -> LongTable:
        """The same table without the texts that it does not use."""
        return LongTable(
            self.document.compact(),
            self.first,
            self.bounds,
            tuple(column.compact() for column in self.mention),
            self.label.compact(),
        )

    def between(self, low: Any, high: Any) -> LongTable:
        """Take the documents from ``low`` on that come before ``high``; None for no bound."""
        segments = _between(self.document, low, high)
        first, last = (int(segments[0]), int(segments[-1]) + 1) if segments.size else (0, 0)
        return self.cut(first, last) if last - first == segments.size else self.select(segments)

    def split(self, n_parts: int, seed: np.uint64) -> list[LongTable]:
        """Part the documents by their hash: equal documents come into the part of the same number in any process."""
        bounds, order = group(_remainders([self.document], n_parts, seed), n_parts)
        ordered = self if order is None else self.select(order)
        return [ordered.cut(bounds[p], bounds[p + 1]).compact() for p in range(n_parts)]

    def mentions_between(self, low: Any, high: Any) -> LongTable:
        """Take the mentions, of one document and one column, from ``low`` on that come before ``high``."""
        return self._rows(_between(self.mention[0], low, high))

    def split_mentions(self, n_parts: int, seed: np.uint64) -> list[LongTable]:
        """Part the mentions of one document by their hash, as `split` does documents."""
        bounds, order = group(_remainders(self.mention, n_parts, seed), n_parts)
        ordered = self if order is None else self._rows(order)
        return [ordered._rows(slice(bounds[p], bounds[p + 1])).compact() for p in range(n_parts)]

    def _rows(self, rows: Any) -> LongTable:
        """Take rows of one document, int64 (n,) or a slice."""
        mention, label = tuple(take(column, rows) for column in self.mention), take(self.label, rows)
        return LongTable(take(self.document, [0]), self.first[:1], np.array([0, len(label)]), mention, label)


def _between(column: Column, low: Any, high: Any) -> Integers:
    """Positions of the values from ``low`` on that come before ``high``; None for no bound."""
    kept = np.ones(len(column), bool)
    if low is not None:
        kept &= ~column.below(low)
    if high is not None:
        kept &= column.below(high)
    return np.flatnonzero(kept)


def _remainders(columns: Sequence[Column], n_parts: int, seed: np.uint64) -> Integers:
    """Hash rows of columns to 0 to ``n_parts - 1``, int64 (N,)."""
    hashes = columns[0].hashes(seed)
    for column in columns[1:]:
        hashes = hashes * np.uint64(31) + column.hashes(seed)
    return (hashes % np.uint64(n_parts)).astype(np.int64)


def _copy(column: Column, start: Integers, end: Integers) -> Column:
    """Take the rows of segments."""
    from arraycoref.kernels.tables import copy_segments

    copied = np.empty(int((end - start).sum()), np.int64)
    copy_segments(frozen(column.parts), frozen(start), frozen(end), copied)
    return column.with_parts(copied)


def join_tables(tables: Sequence[LongTable], names: Names) -> LongTable:
    """Put tables one behind the other.

    Args:
        tables: any number.
        names: of the columns, for messages.

    Raises:
        InputError: columns of different kinds.
    """
    if len(tables) < 2:
        return tables[0] if tables else empty_table(names)
    sizes = np.concatenate([np.diff(table.bounds) for table in tables])
    return LongTable(
        join([table.document for table in tables], names.document or ""),
        np.concatenate([table.first for table in tables]),
        segment_bounds(sizes),
        tuple(join([table.mention[m] for table in tables], name) for m, name in enumerate(names.mention)),
        join([table.label for table in tables], names.label),
    )


def from_table(table: Any, names: Names, place: str, first_row: int = 0, row_in_place: int = 0) -> LongTable:
    """Take over an Arrow table.

    Args:
        table: a ``pyarrow.Table``.
        names: of its columns.
        place: what the table is, or is a part of, for messages.
        first_row: number of its first row among all rows of the side.
        row_in_place: number of its first row in ``place``.

    Raises:
        InputError: a column that is not there or of another type, a null, a label below -1.
    """
    missing = [name for name in names.all if name not in table.column_names]
    if missing:
        raise InputError(f"{place} has no column {missing[0]!r}; expected one of: {', '.join(table.column_names)}")
    columns = {name: from_arrow(table.column(name), name, place, row_in_place) for name in names.all}
    label = columns[names.label]
    if isinstance(label, Numbers) and not label.unsigned and len(label) and label.values.min() < -1:
        row = int((label.values < -1).argmax())
        raise InputError(
            f"{place}: row {row_in_place + row} has the label {label.values[row]} in column {names.label!r}; "
            "expected an entity >= 0, or -1 where the mention is absent"
        )
    mention = tuple(columns[name] for name in names.mention)
    n_rows = len(label)
    if names.document is None:
        return LongTable(Numbers(np.zeros(1, np.int64)), np.array([first_row]), np.array([0, n_rows]), mention, label)
    document = columns[names.document]
    starts = runs(document.parts)
    if starts.size * RUN <= n_rows + RUN:
        bounds = np.append(starts, n_rows)
        return LongTable(take(document, starts), starts + first_row, bounds, mention, label)
    bounds, order, starts = group_values(document.parts)
    if order is not None:
        mention, label = tuple(take(column, order) for column in mention), take(label, order)
    return LongTable(take(document, starts), starts + first_row, bounds, mention, label)


def empty_table(names: Names) -> LongTable:
    """A table without rows, which any other may be joined to."""
    n_segments = int(names.document is None)
    none, zeros = Numbers(np.empty(0, np.int64)), np.zeros(n_segments + 1, np.int64)
    return LongTable(Numbers(zeros[1:]), zeros[1:], zeros, (none,) * len(names.mention), none)
