"""Tell tables from files of documents by their suffixes and by the names of formats."""

from __future__ import annotations

import os

from arraycoref.read.parquet import SUFFIXES
from arraycoref.read.unpacking import split_suffixes

TEXTS = {".tsv": None, ".csv": None, ".entities": "booknlp", ".rttm": "rttm"}
"""Suffixes of tables of text, and the format if they say it."""

FORMATS = ("booknlp", "splink", "zingg", "dedupe", "long", "s2and", "clusim", "clueval", "rttm")
"""Formats of tables of text, and of mappings, which `arraycoref.tables.reading` reads."""


def tables_of(path: str, format: str | None = None) -> str | None:
    """Say what tables a file, a pattern or a directory holds: ``parquet``, ``text`` or None.

    Args:
        path: its suffix counts, and those of the files in it, unless there is a format.
        format: that the user names.
    """
    if format is not None:
        return "parquet" if format == "parquet" else "text" if format in FORMATS else None
    below = os.walk(path) if os.path.isdir(path) else ()
    names = [path, *(name for _, _, files in below for name in files)]
    if any(name.lower().endswith(SUFFIXES) for name in names):
        return "parquet"
    return "text" if any(split_suffixes(name)[1].lower() in TEXTS for name in names) else None
