"""Read documents in Parquet files, as coref-data publishes them: a row per document, which becomes a line of JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from arraycoref.errors import ArraycorefError, ReadError
from arraycoref.read.shapes import SHAPES
from arraycoref.read.sources import expand
from arraycoref.runtime import byte_limit, import_extra, too_large

SUFFIXES = (".parquet", ".pq")
LAYOUT = SHAPES["coref-data"]
_ROWS = 64  # rows that are made into lines at a time


def holds_documents(path: str) -> bool:
    """Return whether a Parquet file, or the first one of a directory, has a column of clusters, not of mentions."""
    if os.path.isdir(path):
        path = next((each for each in expand(path) if each.lower().endswith(SUFFIXES)), "")
    try:
        return os.path.isfile(path) and LAYOUT.clusters in open_parquet(path)[0].schema_arrow.names
    except ArraycorefError:
        return False


def load_rows(path: str, max_bytes: int | None) -> bytearray:
    """Return the rows of a file as JSON lines, in the order of the file: a row has the number of its line.

    Raises:
        ReadError: a file without the column of clusters, one that cannot be read, or that holds more bytes than it may.
    """
    most, lines, file = byte_limit(max_bytes), bytearray(), open_parquet(path)[0]
    columns = [name for name in file.schema_arrow.names if name in LAYOUT.looked_at]
    if LAYOUT.clusters not in columns:
        known = "which `arraycoref score` and arraycoref.score_table accept"
        raise ReadError(path, None, f"a Parquet table without {LAYOUT.clusters}, {known}")
    for row in _rows(file, path, columns):
        lines += json.dumps(row, default=str, ensure_ascii=False).encode() + b"\n"
        if most is not None and len(lines) > most:
            raise too_large(path, most)
    return lines


def _rows(file: Any, path: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    try:
        for batch in file.iter_batches(_ROWS, columns=columns, use_threads=False):
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
