"""Tell tables from files of documents by their suffixes and by the names of formats."""

from __future__ import annotations

import os
from collections.abc import Callable

from arraycoref.read.parquet import SUFFIXES
from arraycoref.read.unpacking import split_compression

TEXTS = {".tsv": None, ".csv": None, ".entities": "booknlp", ".rttm": "rttm"}
"""Suffixes of tables of text, and the format if they say it."""

FORMATS = ("booknlp", "splink", "zingg", "dedupe", "long", "s2and", "clusim", "clueval", "rttm")
"""Formats of tables of text, and of mappings, which `arraycoref.tables.reading` reads."""


def is_parquet(path: str) -> bool:
    """Whether a file, a pattern or a directory's files have the suffix of Parquet."""
    return _has(path, lambda name: name.lower().endswith(SUFFIXES))


def is_text_table(path: str) -> bool:
    """Whether a file, a pattern or a directory's files have a suffix of tables of text, compressed or not."""
    return _has(path, lambda name: suffix_of(name) in TEXTS)


def suffix_of(path: str) -> str:
    """Return a file's suffix, whatever that of a compression."""
    return os.path.splitext(split_compression(path)[0])[1].lower()


def _has(path: str, fits: Callable[[str], bool]) -> bool:
    return fits(path) or (os.path.isdir(path) and any(fits(name) for _, _, names in os.walk(path) for name in names))
