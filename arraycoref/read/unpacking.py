"""Read and write compressed files, by their suffixes."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import IO, Any

from arraycoref.errors import MissingDependencyError
from arraycoref.saving import atomic_write

COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstd"}
_DECOMPRESSORS = {".bz2": "BZ2Decompressor", ".xz": "LZMADecompressor", ".zst": "ZstdDecompressor"}
_BLOCK = 1 << 20
_SMALL_BLOCK = 1 << 14  # bytes of compressed data read at once; each stream in a block copies the rest of the block


def split_suffixes(path: str) -> tuple[str, str, str | None]:
    """Split a path into stem, suffix (may be empty), and the suffix of its compression, in lower case, or None.

    >>> split_suffixes("a/x.jsonl.gz"), split_suffixes("x.conll")
    (('a/x', '.jsonl', '.gz'), ('x', '.conll', None))
    """
    stem, last = os.path.splitext(path)
    compression = last.lower()
    return (*os.path.splitext(stem), compression) if compression in COMPRESSIONS else (stem, last, None)


def open_compressed(file: IO[bytes], compression: str, mode: str) -> IO[bytes]:
    """Wrap a binary file in the decompressor (``rb``) or compressor (``wb``) of a suffix.

    Raises:
        MissingDependencyError: a module that this Python lacks.
    """
    module = _module(compression)
    if compression == ".gz" and mode == "wb":
        # No name and no time in the header: the same documents give the same bytes.
        return module.GzipFile(filename="", fileobj=file, mode=mode, mtime=0)  # type: ignore[no-any-return]
    if compression == ".zst" and mode == "wb":
        checksum = {module.CompressionParameter.checksum_flag: True}
        return module.open(file, mode, options=checksum)  # type: ignore[no-any-return]
    return module.open(file, mode)  # type: ignore[no-any-return]


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write text as UTF-8 with `atomic_write`; a lone surrogate, which UTF-8 cannot hold, as a backslash escape.

    Args:
        text: what to write.
        path: the file, compressed where its suffix says so.

    Raises:
        OSError: the file cannot be written.
        MissingDependencyError: a module that this Python lacks.
    """
    with atomic_write(path) as file:
        write_blocks([text.encode("utf-8", "backslashreplace")], file, split_suffixes(os.fspath(path))[2])


def write_blocks(blocks: Iterable[bytes], file: IO[bytes], compression: str | None) -> None:
    """Write to a binary file, with the compressor of a suffix if there is one."""
    if compression is None:
        file.writelines(blocks)
        return
    with open_compressed(file, compression, "wb") as stream:
        stream.writelines(blocks)


def unpacked(file: IO[bytes], compression: str) -> Iterator[bytes]:
    """Yield the content of a compressed file, one stream or several, in blocks of at most 1 MiB.

    Raises:
        MissingDependencyError: a module that this Python lacks.
        Exception: of a class of the compression's module: data are corrupt or cut short, or something else follows.
    """
    if compression == ".gz":
        with open_compressed(file, compression, "rb") as stream:
            yield from iter(lambda: stream.read(_BLOCK), b"")
        return
    # The file classes of the other modules ignore anything that follows the last stream.
    make = getattr(_module(compression), _DECOMPRESSORS[compression])
    rest = file.read(_SMALL_BLOCK)
    decompressor = make()
    while True:
        yield decompressor.decompress(rest, _BLOCK)
        while not decompressor.eof:
            rest = file.read(_SMALL_BLOCK) if decompressor.needs_input else b""
            if decompressor.needs_input and not rest:
                raise EOFError("the end of the compressed data is missing")
            yield decompressor.decompress(rest, _BLOCK)
        rest = decompressor.unused_data or file.read(_SMALL_BLOCK)
        while compression == ".xz" and rest[:1] == b"\0":  # padding, which the format allows
            rest = rest.lstrip(b"\0") or file.read(_SMALL_BLOCK)
        if not rest:
            return
        decompressor = make()


def _module(compression: str) -> Any:
    name = COMPRESSIONS[compression]
    if name == "zstd":
        name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return importlib.import_module(name)
    except ImportError as error:
        hint = "pip install backports.zstd" if name == "backports.zstd" else "a Python built with it"
        raise MissingDependencyError(f"{compression} files need the module {name}: {hint}") from error
