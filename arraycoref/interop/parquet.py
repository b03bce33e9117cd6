"""Read and score long tables in Parquet files: list row groups by the footers, read them as long tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Any, Unpack

from arraycoref.errors import ArraycorefError, ReadError
from arraycoref.interop.long_table import LongTable, Names, check_columns, concat_tables, from_table
from arraycoref.interop.ranges import Range, ranges, task_count
from arraycoref.interop.two_tables import CountedDocuments, Request, assemble, count_tables, score_tables
from arraycoref.lazy import need
from arraycoref.options import BatchOptions, takes
from arraycoref.read.sources import expand
from arraycoref.results import BatchScores
from arraycoref.threads import run, thread_count

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

FOOTERS_AT_ONCE = 16
TEXTS = ("string", "large_string", "string_view")


@dataclass(frozen=True)
class RowGroup:
    """A row group of a file.

    Attributes:
        path: the file, or its URI.
        group: position in the file.
        n_rows: number of rows.
        row_in_file: number of its first row in the file.
        first_row: number of its first row among all rows of the side.
        texts: columns of texts.
        low: a bound of the values of one column, from below, None where the footer has none.
        high: from above.
    """

    path: str
    group: int
    n_rows: int
    row_in_file: int
    first_row: int
    texts: tuple[str, ...] = ()
    low: int | str | None = None
    high: int | str | None = None

    def reaches(self, value: Any) -> bool:
        """Whether it may hold a value as large as this."""
        return bool(self.high is None or self.high >= value)


def list_row_groups(source: Source, names: Names, side: str, by: str | None) -> list[RowGroup]:
    """Read the footers of the files of one side.

    Args:
        source: a file, a directory, a glob pattern, a URI that PyArrow has a file system for, or several of them.
        names: columns that each file must have.
        side: ``key`` or ``response``, for messages.
        by: column whose bounds are wanted; None for none.

    Returns:
        The row groups in the files' order, directories sorted.

    Raises:
        ReadError: a file that cannot be read or is no Parquet file.
        InputError: a column that is not there.
        MissingDependencyError: PyArrow is not installed.
    """
    _parquet()
    paths = list(_files(source))
    footers = run(lambda path: _footer(path, names, side, by), paths, FOOTERS_AT_ONCE)
    groups = [group for footer in footers for group in footer]
    first_rows = accumulate((group.n_rows for group in groups), initial=0)
    return [replace(group, first_row=first_row) for group, first_row in zip(groups, first_rows, strict=False)]


def read_row_groups(groups: Sequence[RowGroup], names: Names, side: str) -> LongTable:
    """Read row groups.

    Args:
        groups: in the order of the rows.
        names: of the columns.
        side: ``key`` or ``response``, for messages.

    Raises:
        ReadError: a file that cannot be read.
        InputError: a column of another type, a null, a label below -1.
    """
    tables = []
    for run_of_groups in _runs(groups):
        first = run_of_groups[0]
        try:
            with _open(first.path, first.texts) as file:
                numbers = [group.group for group in run_of_groups]
                table = file.read_row_groups(numbers, columns=list(names.all), use_threads=False)
        except (OSError, ValueError) as error:
            if isinstance(error, ArraycorefError):
                raise
            raise ReadError(first.path, None, f"cannot be read as Parquet: {error}") from error
        place = f"the {side}'s file {first.path}"
        tables.append(from_table(table, names, place, first.first_row, first.row_in_file))
    return concat_tables(tables, names)


@takes(BatchOptions)
def score_parquet(
    key: Source,
    response: Source,
    *,
    document: str | None = "document",
    mention: str | Sequence[str] = "mention",
    label: str = "label",
    **options: Unpack[BatchOptions],
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
        key: files of the key, see `list_row_groups`.
        response: files of the response.
        document: column of the documents; None for one document.
        mention: column of the mentions, or columns that make a mention together.
        label: column of the labels.
        **options: see `arraycoref.options`. Files that are sorted by document are read and scored in ranges of
            documents, one after the other, and are never in memory all at once; ``progress`` then counts these.

    Raises:
        ReadError: a file that cannot be read or is no Parquet file.
        InputError: a column that is not there or of another type, a null, a label below -1.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        DocumentMismatchError: a document on one side only, where the policy refuses that.
        MissingDependencyError: PyArrow is not installed.
    """
    request = Request.of(Names.of(document, mention, label), options, BatchOptions)
    threads, progress = options.get("threads", 1), options.get("progress")
    names, n_threads = request.names, thread_count(threads)
    ours = list_row_groups(key, names, "key", names.document)
    theirs = list_row_groups(response, names, "response", names.document)
    found = ranges(ours, theirs, task_count(ours, theirs, n_threads), n_threads) if names.document else None

    def count(part: Range[RowGroup]) -> CountedDocuments:
        whole = (read_row_groups(part.key, names, "key"), read_row_groups(part.response, names, "response"))
        one, other = (table.between(part.low, part.high) for table in whole)
        return count_tables(one, other, request)

    if found is not None:
        return assemble(run(count, found, n_threads, progress), request)
    sides = [("key", ours), ("response", theirs)]
    tables = run(lambda one: read_row_groups(one[1], names, one[0]), sides, min(n_threads, 2))
    return score_tables(tables[0], tables[1], request, threads, progress)


def _parquet() -> Any:
    return need("pyarrow.parquet", "Parquet files need PyArrow", "parquet")


def _files(source: Source) -> Iterator[str]:
    """List files; in directories those whose names start with an underscore, such as Spark's, do not count."""
    if not isinstance(source, str | os.PathLike):
        for each in source:
            yield from _files(each)
        return
    path = os.fspath(source)
    if "://" in path:
        yield from _remote_files(path)
    else:
        yield from (file for file in expand(path) if file == path or not os.path.basename(file).startswith("_"))


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


def _open(path: str, texts: Sequence[str] = ()) -> Any:
    """Open a file, some columns to be read as codes into their distinct texts, as which they mostly lie in the file."""
    parquet = _parquet()
    from pyarrow import fs

    try:
        if "://" in path:
            system, inner = fs.FileSystem.from_uri(path)
            return parquet.ParquetFile(system.open_input_file(inner), read_dictionary=list(texts))
        os.stat(path)
        return parquet.ParquetFile(path, memory_map=True, read_dictionary=list(texts))
    except OSError as error:
        raise ReadError(path, None, error.strerror or str(error)) from error
    except ValueError as error:
        raise ReadError(path, None, f"not a Parquet file: {error}") from error


def _footer(path: str, names: Names, side: str, by: str | None) -> list[RowGroup]:
    with _open(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
    columns = schema.names
    check_columns(names.all, columns, f"the {side}'s file {path}")
    leaves = [metadata.schema.column(c).path for c in range(metadata.num_columns)]
    texts = tuple(name for name in names.all if str(schema.field(name).type) in TEXTS)
    groups, row = [], 0
    for g in range(metadata.num_row_groups):
        group = metadata.row_group(g)
        low, high = (None, None) if by is None else _bounds(group.column(leaves.index(by)))
        groups.append(RowGroup(path, g, group.num_rows, row, 0, texts, low, high))
        row += group.num_rows
    return groups


def _bounds(chunk: Any) -> tuple[Any, Any]:
    """Return the bounds of a column chunk, whole numbers or texts; (None, None) where there are none."""
    try:
        statistics = chunk.statistics
        if statistics is None or not statistics.has_min_max:
            return None, None
        low, high = statistics.min, statistics.max
    except (ValueError, NotImplementedError):  # a text cut within a character; a type that PyArrow knows no order of
        return None, None
    fits = type(low) is type(high) and type(low) in (int, str)
    return (low, high) if fits else (None, None)


def _runs(groups: Iterable[RowGroup]) -> Iterator[list[RowGroup]]:
    """Yield row groups that lie one behind the other in one file."""
    for _, run_of_groups in groupby(enumerate(groups), lambda one: (one[1].path, one[1].group - one[0])):
        yield [group for _, group in run_of_groups]
