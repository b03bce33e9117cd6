"""Tell tables from files of documents by their suffixes and by the names of formats."""

from __future__ import annotations

import os

from arraycoref.read.parquet import SUFFIXES
from arraycoref.read.unpacking import split_compression

TEXTS = {".tsv": None, ".csv": None, ".entities": "booknlp", ".rttm": "rttm"}
"""Suffixes of tables of text, and the format if they say it."""

FORMATS = ("booknlp", "splink", "zingg", "dedupe", "long", "s2and", "clusim", "clueval", "rttm")
"""Formats of tables of text, and of mappings, which `arraycoref.tables.reading` reads."""


def tables_of(path: str) -> str | None:
    """Say by suffixes what tables a file, a pattern or a directory holds: ``parquet``, ``text`` or None."""
    names = [path, *(name for _, _, files in os.walk(path) for name in files)]
    if any(name.lower().endswith(SUFFIXES) for name in names):
        return "parquet"
    return "text" if any(suffix_of(name) in TEXTS for name in names) else None


def suffix_of(path: str) -> str:
    """Return a file's suffix, whatever that of a compression."""
    return os.path.splitext(split_compression(path)[0])[1].lower()
