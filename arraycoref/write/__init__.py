"""Write documents to files: CoNLL columns or JSON lines, plain or compressed."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterator
from typing import IO

from arraycoref.documents import Documents
from arraycoref.errors import UnknownNameError
from arraycoref.read import format_of
from arraycoref.read.sources import open_compressed, split_compression
from arraycoref.write.conll import conll_blocks
from arraycoref.write.jsonlines import jsonlines_blocks

__all__ = ["FORMATS", "write_documents"]

FORMATS: dict[str, Callable[[Documents], Iterator[bytes]]] = {"conll": conll_blocks, "jsonlines": jsonlines_blocks}
"""Name of a format and the function that yields its text."""


def write_documents(
    documents: Documents,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
) -> None:
    """Write documents to a file, which is whole or absent: a file beside it takes its name when it is complete.

    Args:
        documents: the documents of one side.
        target: a path, compressed where the suffix is .gz, .bz2, .xz or .zst; ``-`` for standard output.
        format: ``conll`` or ``jsonlines``; None to go by the suffix.

    Raises:
        UnknownNameError: a format that does not exist.
        InputError: documents that the format cannot hold.
        OSError: a file that cannot be written.
    """
    path = os.fspath(target)
    if format is not None and format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    blocks = FORMATS[format or format_of(path)](documents)
    if path == "-":
        sys.stdout.flush()
        for block in blocks:
            sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()
        return
    compression = split_compression(path)[1]
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe must not be replaced
        with open(path, "wb") as file:
            _write(file, blocks, compression)
        return
    unfinished = os.path.join(os.path.dirname(path), f".arraycoref-{secrets.token_hex(8)}")
    try:
        with open(unfinished, "xb") as file:
            _write(file, blocks, compression)
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)


def _write(file: IO[bytes], blocks: Iterator[bytes], compression: str | None) -> None:
    if compression is None:
        file.writelines(blocks)
        return
    with open_compressed(file, compression, "wb") as stream:
        stream.writelines(blocks)
