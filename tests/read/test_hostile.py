"""Hostile files take memory in proportion to their size; ``benchmarks/bench_hostile.py`` measures the time."""

import tracemalloc
from pathlib import Path

import pytest

import hostile

SMALL, LARGE = 1_000, 4_000
ONCE = 300_000  # bytes of tables that do not depend on the file
BOUNDED = ("other features",)
"""Families whose cost is a square, but of no more than a constant."""


def peak(path: Path, suffix: str, mode: str) -> int:
    tracemalloc.start()
    hostile.read(suffix, mode, path)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


@pytest.mark.parametrize(
    ("suffix", "mode"), sorted({(suffix, mode) for suffix, _, mode in hostile.every() if mode != "score"})
)
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
