"""Reading CoNLL files: speed on one core, and peak memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from arraycoref.read import read_documents
from benchmarks.data import data_file, documents, write_conll
from benchmarks.timing import median_seconds, python

MEMORY = """
import sys
from pathlib import Path
from arraycoref.read import read_documents

def status(field):
    return next(int(line.split()[1]) for line in Path("/proc/self/status").open() if line.startswith(field)) * 1024

read_documents(sys.argv[2])                      # compiled code and libraries are in memory now
Path("/proc/self/clear_refs").write_text("5")    # the peak starts again from here (Linux)
before = status("VmRSS")
documents = read_documents(sys.argv[1])
print(status("VmHWM") - before)
"""


def repeated(source: Path, target: Path, times: int) -> Path:
    """Write a file's documents several times, under new names."""
    text = source.read_text(encoding="utf-8")
    with target.open("w", encoding="utf-8") as file:
        for copy in range(times):
            file.write(text.replace("#begin document (", f"#begin document ({copy}_"))
    return target


def rows(folder: Path) -> Iterator[str]:
    """Yield a row per file: MB/s, and how much reading adds to the peak memory, as a multiple of the file's size."""
    batch = documents(200, 300, seed=3)
    small, narrow, wide = folder / "small.conll", folder / "narrow.conll", folder / "wide.conll"
    write_conll(small, batch.key, batch.offsets)
    write_conll(narrow, batch.key, batch.offsets, repeat=200)
    columns = "a/document_name\t0\t12\tword\tNN\t(NP*)\t-\t-\t-\t-\t*\t"
    write_conll(wide, batch.key, batch.offsets, columns, repeat=40)
    files = [("3 columns, nothing but a mention per line", narrow), ("14 columns, a mention per line", wide)]
    for name, title, times in (("gum_gum_key.conll", "GUM key", 40), ("litbank.conll", "LitBank", 10)):
        if source := data_file(name):
            files.append((f"{title}, {times} times over", repeated(source, folder / name, times)))
    for name, path in files:
        size = path.stat().st_size
        seconds = median_seconds(lambda path=path: read_documents(path))
        peak = int(python("-c", MEMORY, os.fspath(path), os.fspath(small)))
        yield f"| {name} | {size / 1e6:.0f} MB | {size / seconds / 1e6:.0f} MB/s | {peak / size:.2f} x |"
