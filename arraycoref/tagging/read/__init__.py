"""Read tagged files. A new format is a file with a reader, and a line in `FORMATS`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from arraycoref.errors import ReadError, UnknownNameError
from arraycoref.read.sources import STDIN, load, split_compression
from arraycoref.tagging.read.conllu import read_conllu
from arraycoref.tagging.read.tabbed import read_tabbed
from arraycoref.tagging.read.xces import read_xces
from arraycoref.tagging.texts import TaggedText

FORMATS: dict[str, Callable[[bytes, str], TaggedText]] = {
    "conllu": read_conllu,
    "xces": read_xces,
    "tsv": read_tabbed,
}
"""The readers by name."""

SUFFIXES = {".conllu": "conllu", ".conll": "conllu", ".xml": "xces", ".xces": "xces", ".tsv": "tsv", ".txt": "tsv"}


def read_tagged(path: str | Path, format: str | None = None, *, analyses: bool = False) -> TaggedText:
    """Read a tagged file.

    Args:
        path: the file, compressed where the suffix is .gz, .bz2, .xz or .zst; ``-`` for standard input.
        format: a name in `FORMATS`; by default what the suffix says.
        analyses: of XCES, read all interpretations and not only the chosen ones. The other formats list no others.

    Returns:
        The words with their tags.

    Raises:
        ReadError: the file cannot be read, is empty or breaks its format.
        UnknownNameError: there is no such format, or the suffix tells none.
    """
    source = STDIN if str(path) == "-" else str(path)
    suffix = os.path.splitext(split_compression(source)[0])[1]
    name = format or SUFFIXES.get(suffix.lower(), "")
    if name not in FORMATS:
        raise UnknownNameError("format", format or suffix or source, FORMATS)
    data = bytes(load(source)).removeprefix(b"\xef\xbb\xbf")
    text = read_xces(data, source, analyses=True) if analyses and name == "xces" else FORMATS[name](data, source)
    if not len(text):
        raise ReadError(source, None, f"no words in this file (format {name})")
    return text


__all__ = ["FORMATS", "read_conllu", "read_tabbed", "read_tagged", "read_xces"]
