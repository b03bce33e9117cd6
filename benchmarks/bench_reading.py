"""Reading CoNLL files: speed on one core, and peak memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from arraycoref.read import read_documents
from benchmarks.data import data_file, documents, write_conll
from benchmarks.timing import median_seconds, python

MEMORY = """
import resource, sys
from arraycoref.read import read_documents
read_documents(sys.argv[2])                      # compiled code and libraries are in memory now
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
read_documents(sys.argv[1])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


def rows(folder: Path) -> Iterator[str]:
    """A row a file: MB/s, and what reading adds to the process's peak, as a multiple of the file."""
    batch = documents(200, 300, seed=3)
    small, narrow, wide = folder / "small.conll", folder / "narrow.conll", folder / "wide.conll"
    write_conll(small, batch.key, batch.offsets)
    write_conll(narrow, batch.key, batch.offsets, repeat=200)
    columns = "a/document_name\t0\t12\tword\tNN\t(NP*)\t-\t-\t-\t-\t*\t"
    write_conll(wide, batch.key, batch.offsets, columns, repeat=40)
    files = [("3 columns, a mention a line", narrow), ("14 columns, a mention a line", wide)]
    if litbank := data_file("litbank.conll"):
        files.append(("LitBank (13 columns)", litbank))
    for name, path in files:
        size = path.stat().st_size
        seconds = median_seconds(lambda path=path: read_documents(path))
        peak = int(python("-c", MEMORY, os.fspath(path), os.fspath(small)))
        yield f"| {name} | {size / 1e6:.0f} MB | {size / seconds / 1e6:.0f} MB/s | {peak / size:.2f} x |"
