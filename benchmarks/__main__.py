"""Run the benchmarks of the report and print it as Markdown: ``python -m benchmarks [--write]``."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numba
import numpy as np

import arraycoref as ac
from benchmarks import bench_batch, bench_objects, bench_reading, bench_scaling, bench_single, bench_startup
from benchmarks.data import as_labels, documents, gum_files

BEGIN, END = "<!-- begin report -->\n", "<!-- end report -->\n"


def table(header: str, rows: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield header
    yield "|" + "---|" * (header.count("|") - 1)
    yield from rows
    yield ""


def report(folder: Path) -> Iterator[str]:
    """Yield the lines of all tables, each as soon as it is measured."""
    key, response, name = gum_files(folder)
    start_up = list(bench_startup.rows(key, response, name))  # first, before the processor has done other work
    ac.warmup()
    pair, short = as_labels(key, response), documents(10_000, 60)
    yield (
        f"arraycoref {ac.__version__}, Python {platform.python_version()}, numpy {np.__version__}, numba "
        f"{numba.__version__}, {os.cpu_count()} cores ({platform.machine()}), one run.\n"
    )
    yield "### From process start\n"
    yield from table("| what | time |", start_up)
    yield "### Label arrays to all metrics (MUC, B³, both CEAFs, BLANC, LEA, pairwise, mentions, CoNLL)\n"
    rows = [*bench_batch.throughput("short documents", short), *bench_batch.throughput(name, pair)]
    yield from table("| data | documents x mentions | one core | mentions | two threads | with two cores |", rows)
    yield "### Against other scorers, all of the above against what each computes, or BLANC against link counts\n"
    rows = [*bench_batch.against_peers(name, pair), *bench_batch.against_peers("short documents", short, share=20)]
    yield from table("| data | scorer | what it computes | its time | arraycoref is faster |", rows)
    yield "### Clusters of Python objects to all metrics, 5,000 documents x 60 mentions\n"
    yield from table(bench_objects.HEADER, bench_objects.rows(documents(5_000, 60)))
    yield "### One document of 60 mentions\n"
    yield from table("| input | scored | and every F1 read |", bench_single.rows())
    yield "### One document, nanoseconds per mention\n"
    yield from table("| shape | 10³ mentions | 10⁵ | 10⁷ |", bench_scaling.rows())
    yield "### Reading CoNLL files\n"
    yield from table(bench_reading.CONLL_HEADER, bench_reading.rows(folder))
    yield "### Reading JSON lines, and how many times as long it takes to parse them alone\n"
    yield from table(bench_reading.JSON_HEADER, bench_reading.json_rows(folder))


def main() -> None:
    """Print the report; with ``--write`` also write it to benchmarks/README.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the report in benchmarks/README.md")
    write = parser.parse_args().write
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for line in report(Path(folder)):
            print(line, flush=True)
            lines.append(line)
    if write:
        readme = Path(__file__).with_name("README.md")
        text = readme.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN)
        readme.write_text(head + BEGIN + "\n".join(lines) + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
