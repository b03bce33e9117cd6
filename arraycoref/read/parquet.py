"""Read Parquet files: with a row per document, which becomes a line of JSON; or with a row per mention, one of CSV."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote

from arraycoref.errors import ArraycorefError, ReadError
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
        return os.path.isfile(path) and any(map(_are_clusters, open_parquet(path)[0].schema_arrow))
    except ArraycorefError:
        return False


def _are_clusters(field: Any) -> bool:
    """Whether a column has the clusters of documents; also one of nulls, in blind data."""
    is_null = str(field.type) == "null" and any(field.name == layout.clusters for layout in SHAPES.values())
    return is_null or _depth(field.type) >= _CLUSTERS


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
    (file, size), lines = open_parquet(path), bytearray()
    most = byte_limit(max_bytes) or max(PLENTY, RATIO * size)
    for row in _rows(file, path):
        lines += json.dumps(row, default=str, ensure_ascii=False).encode() + b"\n"
        if len(lines) > most:
            raise too_large(path, most)
    return lines


def load_table(path: str, max_bytes: int | None) -> bytearray:
    """Return the columns of numbers and texts of a table of mentions as CSV, folders' too; an empty field for a null.

    Raises:
        ReadError: a file that cannot be read, or that holds more bytes than it may.
    """
    (file, size), lines = open_parquet(path), bytearray()
    most = byte_limit(max_bytes) or max(PLENTY, RATIO * size)
    for part in _parts(file, path):
        lines += part
        if len(lines) > most:
            raise too_large(path, most)
    return lines


def _parts(file: Any, path: str) -> Iterator[bytes]:
    csv: Any = import_extra("pyarrow.csv", "Parquet files need PyArrow", "parquet")
    names = [field.name for field in file.schema_arrow if not field.type.num_fields]
    folders = {name: value for name, value in folder_values(path).items() if name not in file.schema_arrow.names}
    try:
        for n, batch in enumerate(file.iter_batches(columns=names)):
            part = io.BytesIO()
            columns = [column.cast("string") for column in batch.columns]
            columns += [[value] * len(batch) for value in folders.values()]
            texts = batch.from_arrays(columns, [*names, *folders])
            csv.write_csv(texts, part, csv.WriteOptions(include_header=not n))
            yield part.getvalue()
    except Exception as error:
        raise broken(path, error) from error


def _rows(file: Any, path: str) -> Iterator[dict[str, Any]]:
    try:
        for batch in file.iter_batches(_ROWS, use_threads=False):
            yield from batch.to_pylist()
    except Exception as error:
        raise broken(path, error) from error


def open_parquet(path: str, what: str = "Parquet", **options: Any) -> tuple[Any, int]:
    """Open a Parquet file, by its path or a URI.

    Args:
        path: path of the file; or a URI that PyArrow has a file system for.
        what: the kind of file that is expected, for the message.
        options: options of ``ParquetFile``.

    Returns:
        A ``ParquetFile``, and the size of the file.

    Raises:
        ReadError: a file that cannot be read or is no Parquet file.
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
        raise broken(path, error, what) from error


def broken(path: str, error: Exception, what: str = "Parquet") -> ReadError:
    """Make a `ReadError` of any error of PyArrow, which has several classes for files that it cannot read."""
    reason = error.strerror if isinstance(error, OSError) else None
    return ReadError(path, None, reason or f"cannot be read as {what}: {error}")
