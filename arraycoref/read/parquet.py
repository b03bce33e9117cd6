"""Read Parquet files: with a row per document, which becomes a line of JSON; or with a row per mention, one of CSV."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote

from arraycoref.errors import ArraycorefError, ReadError
from arraycoref.read.layouts import SHAPES
from arraycoref.read.paths import expand
from arraycoref.runtime import PLENTY, RATIO, byte_limit, import_extra, too_large

SUFFIXES = (".parquet", ".pq")
_ROWS, _RECORDS = 64, 65_536  # rows that are made into lines at a time: documents, and mentions
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

    def lines(batch: Any) -> bytes:
        return b"".join(json.dumps(row, default=str, ensure_ascii=False).encode() + b"\n" for row in batch.to_pylist())

    return _load(path, max_bytes, lambda field: True, lines)


def load_table(path: str, max_bytes: int | None) -> bytearray:
    """Return the columns of numbers and texts of a table of mentions as CSV, folders' too; an empty field for a null.

    Raises:
        ReadError: a file that cannot be read, or that holds more bytes than it may.
    """
    csv: Any = import_extra("pyarrow.csv", "Parquet files need PyArrow", "parquet")
    is_first = True

    def lines(batch: Any) -> bytes:
        nonlocal is_first
        part, names = io.BytesIO(), batch.schema.names
        folders = {name: value for name, value in folder_values(path).items() if name not in names}
        columns = [column.cast("string") for column in batch.columns]
        columns += [[value] * len(batch) for value in folders.values()]
        texts = batch.from_arrays(columns, [*names, *folders])
        csv.write_csv(texts, part, csv.WriteOptions(include_header=is_first))
        is_first = False
        return part.getvalue()

    return _load(path, max_bytes, lambda field: not field.type.num_fields, lines, rows=_RECORDS)


def _load(
    path: str, max_bytes: int | None, takes: Callable[[Any], bool], write: Callable[[Any], bytes], rows: int = _ROWS
) -> bytearray:
    """Return what ``write`` makes of the columns that are taken, batch by batch of so many rows."""
    file, size = open_parquet(path)
    most = byte_limit(max_bytes) or max(PLENTY, RATIO * size)
    columns, metadata = [field.name for field in file.schema_arrow if takes(field)], file.metadata
    leaves = [n for n in range(len(file.schema)) if file.schema.column(n).path.split(".")[0] in columns]
    texts = [file.schema.column(n).path for n in leaves if file.schema.column(n).physical_type == "BYTE_ARRAY"]
    parts = [metadata.row_group(group).column(n) for group in range(metadata.num_row_groups) for n in leaves]
    if any(max(part.total_uncompressed_size, 4 * part.num_values) > most for part in parts):
        raise too_large(path, most)
    content, size = bytearray(), 0
    try:
        file = open_parquet(path, read_dictionary=texts)[0]  # a text that repeats is held once
        for batch in file.iter_batches(rows, columns=columns, use_threads=False):
            size = sum(map(n_bytes, batch.columns))
            content += write(batch) if size <= most else b""
            if max(size, len(content)) > most:
                break
    except (ArraycorefError, MemoryError):
        raise
    except Exception as error:
        raise broken(path, error) from error
    if max(size, len(content)) > most:
        raise too_large(path, most)
    return content


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
