"""Open Parquet files; read those with a row per document, which becomes a line of JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote

from arraycoref.exceptions import ArraycorefError, ReadError
from arraycoref.read.layouts import SHAPES
from arraycoref.read.paths import expand
from arraycoref.runtime import PLENTY, RATIO, byte_limit, import_extra, too_large

SUFFIXES = (".parquet", ".pq")
_ROWS = 64  # rows that are made into lines at a time
_CLUSTERS = 3  # lists in lists, of a document's spans in clusters or in sentences


def holds_documents(path: str) -> bool:
    """Return whether a row of a Parquet file, or of the first one of a directory, is a document: has lists in lists."""
    if os.path.isdir(path):
        path = next((name for name in expand(path) if name.lower().endswith(SUFFIXES)), "")
    try:
        columns = open_parquet(path)[0].schema_arrow if os.path.isfile(path) else ()
    except ArraycorefError:
        return False
    in_blind_data = {layout.clusters for layout in SHAPES.values()}  # columns of nulls
    return any(
        _depth(column.type) >= _CLUSTERS or (str(column.type) == "null" and column.name in in_blind_data)
        for column in columns
    )


def _depth(kind: Any) -> int:
    """Return how many lists are in each other in a type of Arrow."""
    inner = (kind.field(n).type for n in range(kind.num_fields))
    return (kind.num_fields == 1 and hasattr(kind, "value_type")) + max(map(_depth, inner), default=0)


def folder_values(path: str) -> dict[str, str]:
    """Return the values of columns that folders name, as Spark, Dask and pandas write and read them (Hive's layout).

    >>> folder_values("table/document=bc%2Fa/part=1/x.parquet")
    {'document': 'bc/a', 'part': '1'}
    """
    parts = (part.partition("=") for part in PurePath(path).parent.parts)
    return {unquote(name): unquote(value) for name, equals, value in parts if name and equals}


def load_rows(path: str, max_bytes: int | None) -> bytearray:
    """Return the rows of a file as JSON lines, in the order of the file: a row has the number of its line.

    Raises:
        ReadError: a file that cannot be read, or that holds more bytes than it may.
    """
    file, size = open_parquet(path)
    most, metadata = byte_limit(max_bytes) or max(PLENTY, RATIO * size), file.metadata
    leaves = [file.schema.column(n) for n in range(len(file.schema))]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    parts = [metadata.row_group(g).column(n) for g in range(metadata.num_row_groups) for n in range(len(leaves))]
    if any(max(part.total_uncompressed_size, 4 * part.num_values) > most for part in parts):
        raise too_large(path, most)
    content = bytearray()
    for batch in batches_of(path, _ROWS, read_dictionary=texts):  # a text that repeats is held once
        if sum(map(n_bytes, batch.columns)) > most:
            raise too_large(path, most)
        for row in batch.to_pylist():
            content += json.dumps(row, default=str, ensure_ascii=False).encode() + b"\n"
        if len(content) > most:
            raise too_large(path, most)
    return content


def batches_of(
    path: str, n_rows: int, columns: Sequence[str] | None = None, groups: Sequence[int] | None = None, **options: Any
) -> Iterator[Any]:
    """Yield the rows of a Parquet file in batches.

    Args:
        path: of the file, or its URI.
        n_rows: number of rows of a batch.
        columns: names of the columns to read; None for all.
        groups: numbers of the row groups to read; None for all.
        **options: options of ``ParquetFile``.

    Raises:
        ReadError: a file that cannot be read.
    """
    try:
        with open_parquet(path, **options)[0] as file:
            yield from file.iter_batches(n_rows, row_groups=groups, columns=columns, use_threads=columns is not None)
    except (ArraycorefError, MemoryError):
        raise
    except Exception as error:
        raise broken(path, error) from error


def n_bytes(array: Any) -> int:
    """Return how many bytes a column of a batch takes, with a text at each place of a dictionary's number."""
    from pyarrow import compute

    if hasattr(array, "dictionary"):
        lengths = compute.binary_length(array.dictionary)
        return 8 * len(array) + int(compute.sum(lengths.take(array.indices)).as_py() or 0)
    if not array.type.num_fields:
        return int(array.nbytes)
    inner = array.flatten()  # of a list an array, of a structure a list of them
    return 8 * len(array) + sum(map(n_bytes, inner if isinstance(inner, list) else [inner]))


def open_parquet(path: str, **options: Any) -> tuple[Any, int]:
    """Open a Parquet file, by its path or a URI.

    Args:
        path: path of the file; or a URI that PyArrow has a file system for.
        options: options of ``ParquetFile``.

    Returns:
        A ``ParquetFile``, and the size of the file.

    Raises:
        ReadError: a file that cannot be read or is not a Parquet file.
        MissingDependencyError: PyArrow is not installed.
    """
    parquet: Any = import_extra("pyarrow.parquet", "Parquet files need PyArrow", "parquet")
    try:
        if "://" in path:
            from pyarrow import fs

            system, inner = fs.FileSystem.from_uri(path)
            content = system.open_input_file(inner)
            return parquet.ParquetFile(content, **options), content.size()
        size = os.stat(path).st_size
        return parquet.ParquetFile(path, memory_map=True, **options), size
    except Exception as error:
        raise broken(path, error) from error


def broken(path: str, error: Exception) -> ReadError:
    """Make a `ReadError` of any error of PyArrow, which has several classes for files that it cannot read."""
    reason = error.strerror if isinstance(error, OSError) else None
    return ReadError(path, None, reason or f"cannot be read as Parquet: {error}")
