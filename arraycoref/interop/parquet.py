"""Read and score long tables in Parquet files: list row groups from the footers, read them as long tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Any, Unpack

from arraycoref.deadline import check_time
from arraycoref.errors import ArraycorefError, ReadError
from arraycoref.interop.arrow import arrow_column, is_text_type
from arraycoref.interop.long_table import LongTable, check_columns, concat_tables, from_table
from arraycoref.interop.ranges import Piece, Range, ranges, task_count
from arraycoref.interop.two_tables import CountedDocuments, Request, TableOptions, assemble, count_tables
from arraycoref.read.parquet import broken, open_parquet
from arraycoref.read.sources import Source, expand, named
from arraycoref.read.table_shapes import Names
from arraycoref.runtime import (
    PLENTY,
    RATIO,
    byte_limit,
    import_extra,
    in_threads,
    progress_of,
    reported,
    thread_count,
    too_large,
)
from arraycoref.scoring.scores import BatchScores

EXPECTED = "Parquet of whole numbers or texts"
FOOTERS_AT_ONCE = 16
BATCH = 2**20
"""Rows that are read at a time; the limits of time and size are checked after each such batch."""


@dataclass(frozen=True)
class RowGroup(Piece):
    """A row group of a file, with bounds of its values from the footer.

    Attributes:
        path: the file, or its URI.
        group: position of the row group in the file.
        row_in_file: number of its first row in the file.
        first_row: number of its first row among all rows of the side.
        texts: names of the columns that hold texts.
        by: name of the column whose values the bounds hold for; None without bounds.
        most: limit of the bytes that the columns read from the file may take; see `list_row_groups`.
    """

    path: str
    group: int
    row_in_file: int
    first_row: int = 0
    texts: tuple[str, ...] = ()
    by: str | None = None
    most: int = PLENTY


def list_row_groups(
    source: Source, names: Names, side: str, by: str | None, max_bytes: int | None = None
) -> list[RowGroup]:
    """Read the footers of the files of one side.

    Args:
        source: a file, a directory, a glob pattern, a URI that PyArrow has a file system for, or several of them.
        names: columns that each file must have.
        side: ``key`` or ``response``, for messages.
        by: column whose bounds are wanted; None for none.
        max_bytes: the most bytes that the named columns of a file may take, decompressed; each value counts as at least
            8 bytes. None for the limit in the environment variable ``ARRAYCOREF_MAX_BYTES``. Without either, 1 GiB, or
            200 times the file's size if that is more.

    Returns:
        The row groups in the order of the files; the files of a directory are sorted by name.

    Raises:
        ReadError: a file that cannot be read, is not a Parquet file, exceeds the limit according to its footer, or
            whose footer contradicts itself; a directory without files.
        InputError: a source that is neither a path nor a list of paths; a column that is not there.
        MissingDependencyError: PyArrow is not installed.
    """
    import_extra("pyarrow", "Parquet files need PyArrow", "parquet")
    paths, most = _files(source), byte_limit(max_bytes)
    footers = list(in_threads(lambda path: _footer(path, names, side, by, most), paths, FOOTERS_AT_ONCE))
    groups = [group for footer in footers for group in footer]
    first_rows = accumulate((group.n_rows for group in groups), initial=0)
    return [replace(group, first_row=first_row) for group, first_row in zip(groups, first_rows, strict=False)]


def require_rows(key: object, pieces: Iterable[Piece]) -> None:
    """Refuse Parquet files if neither side has a row: they would be scored as a corpus of no documents.

    Raises:
        ReadError: no row on either side; the message names the key's files.
    """
    if all(isinstance(piece, RowGroup) and not piece.n_rows for piece in pieces):
        raise ReadError(str(key), None, "no row here, nor in the response; expected one for each mention")


def read_row_groups(groups: Sequence[RowGroup], names: Names, side: str) -> LongTable:
    """Read row groups of one side as a long table.

    Args:
        groups: row groups in the order of their rows.
        names: of the columns.
        side: ``key`` or ``response``, for messages.

    Raises:
        ReadError: a file that cannot be read, exceeds the limit of bytes, or contradicts its footer.
        InputError: a column of another type, a null, a label below -1.
    """
    tables = []
    for run_of_groups in _runs(groups):
        first = run_of_groups[0]
        table = _read(run_of_groups, names)
        place = f"the {side}'s file {first.path}"
        tables.append(from_table(table, names, place, first.first_row, first.row_in_file))
    return concat_tables(tables, names)


def _read(groups: Sequence[RowGroup], names: Names) -> Any:
    """Read row groups of one file as a ``pyarrow.Table``, and check them against the footer and the limit of bytes."""
    import pyarrow

    path = groups[0].path
    try:
        with open_parquet(path, EXPECTED, read_dictionary=list(groups[0].texts))[0] as file:
            none = pyarrow.schema([file.schema_arrow.field(name) for name in names.all]).empty_table()
            batches = list(_batches(file, groups, names))
    except (ArraycorefError, MemoryError):
        raise
    except Exception as error:
        raise broken(path, error, EXPECTED) from error
    return pyarrow.Table.from_batches(batches) if batches else none


def _batches(file: Any, groups: Sequence[RowGroup], names: Names) -> Iterator[Any]:
    """Yield the rows of row groups, `BATCH` at a time; raise if they exceed the limit or contradict the footer."""
    sizes = dict[int, int]()  # size of each buffer by its address, so that a buffer in several batches counts once
    for group in groups:
        n_rows = 0
        for batch in file.iter_batches(BATCH, row_groups=[group.group], columns=list(names.all), use_threads=False):
            check_time()
            sizes |= {buffer.address: buffer.size for column in batch.columns for buffer in _buffers(column)}
            if sum(sizes.values()) > group.most:
                raise too_large(group.path, group.most)
            if group.by is not None:
                _check_bounds(group, batch.column(group.by))
            n_rows += batch.num_rows
            yield batch
        if n_rows != group.n_rows:
            raise _contradiction(group, f"holds {n_rows} rows, and the footer says {group.n_rows}")


def _buffers(column: Any) -> Iterator[Any]:
    """Yield the buffers that hold a column, and those of its dictionary."""
    yield from filter(None, column.buffers())
    if hasattr(column, "dictionary"):
        yield from filter(None, column.dictionary.buffers())


def _check_bounds(group: RowGroup, column: Any) -> None:
    """Refuse values outside the bounds in the footer: tasks rely on these bounds when they skip a row group."""
    from pyarrow import compute

    def outside(values: Any) -> Any:
        found = compute.min_max(arrow_column(values)).as_py()
        return next((v for v in found.values() if v is not None and not group.low <= v <= group.high), None)

    coded = hasattr(column, "dictionary")
    value = outside(column.dictionary if coded else column)
    if value is not None and coded:  # a dictionary may hold values that no row has
        value = outside(column)
    if value is not None:
        bounds = f"{group.low!r:.60} to {group.high!r:.60}"
        raise _contradiction(group, f"has {value!r:.60} in column {group.by!r}, and the footer says {bounds}")


def _contradiction(group: RowGroup, found: str) -> ReadError:
    return ReadError(group.path, None, f"row group {group.group} {found}; expected a footer that is true")


def score_parquet(
    key: Source,
    response: Source,
    *,
    document: str | None = "document",
    mention: str | Sequence[str] = "mention",
    label: str = "label",
    report: Callable[[ReadError], None] | None = None,
    **options: Unpack[TableOptions],
) -> BatchScores:
    """Score Parquet files of long tables in this process, as `arraycoref.score_table` scores two tables.

        >>> import pandas
        >>> rows = {"document": ["a", "a", "b"], "mention": [3, 5, 8]}
        >>> pandas.DataFrame(rows | {"label": ["Ada", "Ada", "Bob"]}).to_parquet("key.parquet")
        >>> pandas.DataFrame(rows | {"label": ["x", "x", "y"]}).to_parquet("response.parquet")
        >>> scores = score_parquet("key.parquet", "response.parquet")
        >>> scores.names, scores["bcub"].f1
        (('a', 'b'), 1.0)

    Args:
        key: files of the key; see `list_row_groups`.
        response: files of the response.
        document: column of the documents; None for one document.
        mention: column of the mentions, or columns that identify a mention together.
        label: column of the labels.
        report: called with each warning, in place of `ReadWarning`.
        **options: see `arraycoref.options`. Files that are sorted by document are read and scored in ranges of
            documents, one range per thread at a time, and are never in memory all at once; ``progress`` then counts
            the ranges. For ``max_bytes``, see `list_row_groups`.

    Raises:
        ReadError: a file that cannot be read, is not a Parquet file, exceeds ``max_bytes``, or contradicts its footer;
            no row on either side.
        InputError: a column that is not there or of another type, a null, a label below -1.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
        MissingDependencyError: PyArrow is not installed.
    """
    request = Request.of(Names.of(document, mention, label), options, TableOptions)
    threads, progress = options.get("threads", 1), progress_of(options)
    names, n_threads = request.names, thread_count(threads)
    ours, theirs = (
        list_row_groups(source, names, side, names.document, options.get("max_bytes"))
        for side, source in (("key", key), ("response", response))
    )
    require_rows(key, (*ours, *theirs))
    found = ranges(ours, theirs, task_count(ours, theirs, n_threads), n_threads) if names.document else None

    def count(part: Range[RowGroup]) -> CountedDocuments:
        whole = (read_row_groups(part.key, names, "key"), read_row_groups(part.response, names, "response"))
        one, other = (table.between(part.low, part.high) for table in whole)
        return count_tables(one, other, request)

    if found is not None:
        parts = list(reported(in_threads(count, found, n_threads), [1] * len(found), progress))
    else:
        sides = [("key", ours), ("response", theirs)]
        one, other = in_threads(lambda side: read_row_groups(side[1], names, side[0]), sides, min(n_threads, 2))
        parts = [count_tables(one, other, request, threads=threads, progress=progress)]
    return assemble(parts, request, key, response, report)


def _files(source: Source) -> list[str]:
    """List files; in directories, skip files whose names start with an underscore, such as Spark's ``_SUCCESS``."""
    found = []
    for path in named(source):
        if "://" in path:
            files = list(_remote_files(path))
        else:
            files = [file for file in expand(path) if file == path or not os.path.basename(file).startswith("_")]
        if not files:
            raise ReadError(path, None, "no file to read; those whose names begin with '_' or '.' do not count")
        found += files
    return found


def _remote_files(uri: str) -> Iterator[str]:
    from pyarrow import fs

    try:
        system, path = fs.FileSystem.from_uri(uri)
        if system.get_file_info(path).type != fs.FileType.Directory:
            yield uri
            return
        found = system.get_file_info(fs.FileSelector(path, recursive=True))
    except (OSError, ValueError) as error:
        raise ReadError(uri, None, str(error)) from error
    for file in sorted(found, key=lambda info: info.path):
        if file.type == fs.FileType.File and not file.base_name.startswith((".", "_")):
            yield uri.rstrip("/") + file.path.removeprefix(path.rstrip("/"))


def _footer(path: str, names: Names, side: str, by: str | None, most: int | None) -> list[RowGroup]:
    file, size = open_parquet(path, EXPECTED)
    with file:
        metadata, schema = file.metadata, file.schema_arrow
    check_columns(names.all, schema.names, f"the {side}'s file {path}")
    most = max(PLENTY, RATIO * size) if most is None else most
    leaves = {metadata.schema.column(c).path: c for c in range(metadata.num_columns)}
    wanted = [leaves[name] for name in names.all if name in leaves]  # lists and structures are refused when read
    texts = tuple(name for name in names.all if is_text_type(schema.field(name).type))
    groups, row, n_bytes = [], 0, 0
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        chunks = {c: group.column(c) for c in wanted}
        low, high = _bounds(chunks[leaves[by]]) if by in leaves else (None, None)
        where = RowGroup(path, g, row, texts=texts, most=most, n_rows=group.num_rows)
        groups.append(where if low is None else replace(where, low=low, high=high, by=by))
        _check_footer(groups[-1], list(chunks.values()))
        row += group.num_rows
        n_bytes += sum(max(chunk.total_uncompressed_size, 8 * group.num_rows) for chunk in chunks.values())
        if n_bytes > most:
            raise too_large(path, most)
    if row != metadata.num_rows:
        raise ReadError(path, None, f"the row groups hold {row} rows, and the footer says {metadata.num_rows}")
    return groups


def _check_footer(group: RowGroup, chunks: Sequence[Any]) -> None:
    """Refuse a footer that contradicts itself."""
    for chunk in chunks:
        if group.n_rows < 0 or chunk.num_values != group.n_rows:
            found = f"has {chunk.num_values} values in column {chunk.path_in_schema!r}"
            raise _contradiction(group, f"{found}, and the footer says {group.n_rows} rows")
    if group.low is not None and group.low > group.high:
        raise _contradiction(group, f"has the bounds {group.low!r:.60} to {group.high!r:.60} in column {group.by!r}")


def _bounds(chunk: Any) -> tuple[Any, Any]:
    """Return the bounds of a column chunk, whole numbers or texts; (None, None) if the footer has none."""
    try:
        statistics = chunk.statistics
        if statistics is None or not statistics.has_min_max:
            return None, None
        low, high = statistics.min, statistics.max
    except (ValueError, NotImplementedError):  # a bound cut within a character; a type without order in PyArrow
        return None, None
    fits = type(low) is type(high) and type(low) in (int, str)
    return (low, high) if fits else (None, None)


def _runs(groups: Iterable[RowGroup]) -> Iterator[list[RowGroup]]:
    """Yield lists of row groups that follow one another directly in one file."""
    for _, run_of_groups in groupby(enumerate(groups), lambda one: (one[1].path, one[1].group - one[0])):
        yield [group for _, group in run_of_groups]
