"""Hostile files cost no more than their size: memory by tracemalloc, work by the lines of Python that run.

Kernels run compiled where memory is measured, and interpreted, in a process of their own, where lines are counted. No
time is measured here; ``benchmarks/bench_hostile.py`` does that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

import hostile
from marks import slow

SMALL, LARGE = 1_000, 4_000
ONCE = 300_000  # bytes of tables that do not depend on the file
LINES = """
import json, sys, warnings
from pathlib import Path
import hostile

warnings.simplefilter("ignore")
folder, sizes, found = Path(sys.argv[1]), (300, 1200), {}
lines = 0

def trace(frame, event, argument):
    global lines
    if "arraycoref" not in frame.f_code.co_filename and "json" not in frame.f_code.co_filename:
        return None
    def count(frame, event, argument):
        global lines
        lines += event == "line"
        return count
    return count

for suffix, name, mode in hostile.every():
    if mode == "lenient":  # as in "score"
        continue
    counted = []
    for size in (100, *sizes):  # the first imports
        path = folder / f"file.{suffix}"
        path.write_bytes(hostile.FAMILIES[suffix][name](size))
        lines = 0
        sys.settrace(trace)
        try:
            hostile.read(suffix, mode, path)
        finally:
            sys.settrace(None)
        counted.append((lines, path.stat().st_size))
    found[f"{suffix} {mode} {name}"] = counted[1:]
print(json.dumps(found))
"""
BOUNDED = ("other features",)
"""Families whose cost is a square, but of no more than a constant."""
EVERY = [row for row in hostile.every() if row[2] != "score"]


def peak(path: Path, suffix: str, mode: str) -> int:
    tracemalloc.start()
    hostile.read(suffix, mode, path)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


@pytest.mark.parametrize(("suffix", "mode"), sorted({(suffix, mode) for suffix, _, mode in EVERY}))
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("usual_garbage")
def test_memory_is_linear(tmp_path, suffix, mode):
    """4 times the file, at most 8 times the memory: arrays that double may be half empty. A square would be 16."""
    path = tmp_path / f"file.{suffix}"
    for name, make in hostile.FAMILIES[suffix].items():
        peaks = []
        for size in (SMALL // 5, SMALL, LARGE):  # the first imports and compiles
            path.write_bytes(make(size))
            assert 0.2 * size < path.stat().st_size < 2 * size + 5000, name
            peaks.append(peak(path, suffix, mode))
        assert peaks[2] < 8 * peaks[1] + ONCE or name in BOUNDED, name
        assert peaks[2] < 300 * LARGE, name


@slow
def test_work_is_linear(tmp_path):
    """Lines a byte stay what they are: a square would make them four times as many."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(hostile.__file__).parent)}
    command = [sys.executable, "-c", LINES, str(tmp_path)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    counted = json.loads(run.stdout)
    assert len(counted) == len([mode for _, _, mode in hostile.every() if mode != "lenient"])
    more = {}
    for name, ((few, small), (many, large)) in counted.items():
        if not name.endswith(BOUNDED) and many > 2 * few * large / small + 1000:
            more[name] = few, many
    assert more == {}
