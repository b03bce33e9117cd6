"""Measure hostile files, processor seconds and memory per megabyte: ``python -m benchmarks.bench_hostile``.

Each family of files in ``tests/hostile.py``, such as nested, repeated or long mentions and single lines, is read,
scored and checked at a size of a quarter of a megabyte and of one megabyte. If the seconds per megabyte grow by a
factor well above 1, the time is more than linear. ``--megabytes 100`` reads files of 25 and 100 MB.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import tracemalloc
from pathlib import Path

from tests.hostile import FAMILIES, every, read

MEGABYTE = 1_000_000


def cpu_seconds(suffix: str, mode: str, path: Path) -> float:
    """Return the time that the processor takes to read a file."""
    start = time.process_time()
    read(suffix, mode, path)
    return time.process_time() - start


def main() -> None:
    """Print a table, and how many families take more than a second per megabyte."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_hostile", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--only", default="", help="a word of the family's name or suffix")
    options = parser.parse_args()
    rows = []
    print(f"| file | family | s/MB | s/MB at {options.megabytes:g} MB over at a quarter | memory, times the file |")
    print("|---|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        for suffix, name, mode in every():
            if options.only not in f"{suffix} {name}":
                continue
            path = Path(folder, f"file.{suffix}")
            path.write_bytes(FAMILIES[suffix][name](1000))
            read(suffix, mode, path)  # so that the code is compiled
            seconds, memory = [], 0.0
            for megabytes in (options.megabytes / 4, options.megabytes):
                path.write_bytes(FAMILIES[suffix][name](int(megabytes * MEGABYTE)))
                size = path.stat().st_size / MEGABYTE
                seconds.append(min(cpu_seconds(suffix, mode, path) for _ in range(2)) / size)
            if options.megabytes <= 1:
                tracemalloc.start()
                read(suffix, mode, path)
                memory = tracemalloc.get_traced_memory()[1] / MEGABYTE / size
                tracemalloc.stop()
            rows.append((seconds[1], seconds[1] / seconds[0]))
            row = f"| {suffix} {mode} | {name} | {seconds[1]:.3f} | {seconds[1] / seconds[0]:.2f} | {memory:.0f} |"
            print(row, flush=True)
    slow = [row for row in rows if row[0] > 1]
    growing = [row for row in rows if row[1] > 2 and row[0] > 0.05]
    print(
        f"\n{len(rows)} families; over 1 s a MB: {len(slow)}; twice the time a MB at 4 times the size: {len(growing)}"
    )


if __name__ == "__main__":
    main()
