"""List and load the rows of a side, piece by piece: row groups of Parquet files, or partitions of a Dask DataFrame."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from arraycoref.errors import InputError
from arraycoref.interop.long_table import LongTable, check_columns, concat_tables, from_table
from arraycoref.interop.parquet import RowGroup, list_row_groups, read_row_groups
from arraycoref.interop.ranges import Piece
from arraycoref.read.table_shapes import Names

PARTITION_ROWS = 2**40
"""Row numbers set aside per partition, as its length is unknown: partition p starts with row number p times this."""


@dataclass(frozen=True)
class Partition(Piece):
    """A partition of a Dask DataFrame, with an unknown number of rows.

    Its upper bound is the lower bound of the next partition. Only the last one may hold its upper bound itself.

    Attributes:
        number: position of the partition in the DataFrame.
        frame: a Delayed of a pandas DataFrame; within a task, the DataFrame itself.
        last: whether it is the last partition.
    """

    number: int
    frame: Any
    last: bool = False

    def reaches(self, value: Any) -> bool:
        """Whether the partition may hold this value or a larger one."""
        return bool(self.high > value or (self.last and self.high == value))


def list_pieces(table: Any, names: Names, side: str, by: str | None, max_bytes: int | None = None) -> list[Piece]:
    """List the pieces of a side.

    Args:
        table: Parquet files, as `arraycoref.interop.parquet.list_row_groups` takes them, or a Dask DataFrame.
        names: of its columns; one of them may be the index of a DataFrame.
        side: ``key`` or ``response``, for messages.
        by: column whose bounds are wanted; None for none.
        max_bytes: limit for Parquet files, as for `arraycoref.interop.parquet.list_row_groups`.

    Raises:
        InputError: a table of another kind, or without one of the columns.
        ReadError: a file that cannot be read or is not a Parquet file.
    """
    if isinstance(table, str | os.PathLike) or (isinstance(table, Sequence) and not hasattr(table, "dask")):
        return list(list_row_groups(table, names, side, by, max_bytes))
    if not all(hasattr(table, name) for name in ("to_delayed", "columns", "divisions")):
        kind = f"{type(table).__module__}.{type(table).__name__}"
        raise InputError(f"{side} is a {kind}; expected the path of Parquet files or a Dask DataFrame")
    columns, index = list(table.columns), table.index.name
    check_columns((name for name in names.all if name != index), columns, side)
    frames = table[[name for name in names.all if name in columns]].to_delayed()
    bounds: list[tuple[Any, Any]] = [(None, None)] * len(frames)
    if by is not None and by not in columns and table.known_divisions:
        bounds = list(pairwise(map(_plain, table.divisions)))
    return [
        Partition(p, frame, last=p == len(frames) - 1, low=low, high=high)
        for p, (frame, (low, high)) in enumerate(zip(frames, bounds, strict=True))
    ]


def _plain(value: Any) -> int | str | None:
    value = value.item() if hasattr(value, "item") else value
    return value if type(value) in (int, str) else None


def load(pieces: Sequence[Piece], names: Names, side: str) -> LongTable:
    """Read pieces, given in the order of the rows; this is the first step of a task.

    Raises:
        InputError: a column that is not there or of another type, a null, a label below -1.
        ReadError: a file that cannot be read.
    """
    partitions = [piece for piece in pieces if isinstance(piece, Partition)]
    if not partitions:
        return read_row_groups([piece for piece in pieces if isinstance(piece, RowGroup)], names, side)
    return concat_tables([_from_frame(partition, names, side) for partition in partitions], names)


def _from_frame(partition: Partition, names: Names, side: str) -> LongTable:
    """Convert the pandas DataFrame of a partition to a long table, by way of Arrow.

    Raises:
        InputError: see `load`; documents outside of the divisions, which no task would score.
    """
    import pyarrow

    place = f"partition {partition.number} of the {side}"
    frame, columns = partition.frame, {}
    check_columns((name for name in names.all if name != frame.index.name), list(frame.columns), place)
    for name in names.all:
        values = frame[name] if name in frame.columns else frame.index
        try:
            columns[name] = pyarrow.array(values, from_pandas=True)
        except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
            found = f"column {name!r} has dtype {values.dtype}"
            raise InputError(f"{place}: {found}; expected whole numbers or texts ({error})") from None
    rows = from_table(pyarrow.table(columns), names, place, partition.number * PARTITION_ROWS)
    if partition.low is not None and len(frame):
        least, most = (pick(frame.index.tolist()) for pick in (min, max))
        if least < partition.low or most > partition.high or (most == partition.high and not partition.last):
            bounds = f"{partition.low!r} to {partition.high!r}, as its frame's divisions say"
            raise InputError(f"{place} has documents from {least!r} to {most!r}; expected {bounds}")
    return rows
