"""Measure the time of each stage from labels to scores, if asked also in an older checkout of the package.

The time of a stage is that of a call for its metrics and those of all earlier stages, minus the time of a call for the
metrics of the earlier stages alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import numpy as np

import arraycoref as ac
from benchmarks.data import Batch, as_labels, documents, gum_files
from benchmarks.timing import number

STAGES = {
    "cells and their totals (mentions, MUC, pairwise, BLANC)": ("mentions", "muc", "pairwise", "blanc"),
    "ratios (B³, LEA)": ("bcub", "lea"),
    "CEAFm": ("ceafm",),
    "CEAFe": ("ceafe",),
}
"""By the name of a stage, the metrics that it adds to those of earlier stages."""

SHAPES = ("10,000 x 60", "GUM pair", "100 x 6,000", "90 % equal", "one document of 60")
ROUNDS = 3
"""Number of processes in which each version is measured; the versions take turns."""

START = (
    "import sys, arraycoref; sys.path.insert(0, sys.argv[1]); from benchmarks.bench_stages import child; "
    "child(sys.argv[2])"
)
"""Program of a child process: it imports the package from PYTHONPATH, but `child` from this checkout (the first
argument), and gives it the file of the batches (the second)."""


def shapes(folder: Path) -> dict[str, Batch]:
    """Make the batches that are measured, one for each of `SHAPES`, by its name."""
    short = documents(10_000, 60)
    rng = np.random.default_rng(90)
    equal = np.where(rng.random(short.n_mentions) < 0.9, short.key, short.response)
    every = (
        short,
        as_labels(*gum_files(folder)[:2]),
        documents(100, 6_000),
        short._replace(response=equal),
        documents(1, 60),
    )
    return dict(zip(SHAPES, every, strict=True))


def child(data: str) -> None:
    """Print the time of each stage for each shape, as JSON: nanoseconds per mention, microseconds for one document."""
    from benchmarks.timing import in_turn

    calls = [tuple(names) for names in accumulate(map(list, STAGES.values()))]
    arrays, found = np.load(data), []
    for shape in SHAPES:
        batch = Batch(*(arrays[f"{shape} {field}"] for field in Batch._fields))
        unit = 1e6 if len(batch.offsets) == 2 else 1e9 / batch.n_mentions
        counted = [lambda b=batch, m=m: ac.score_labels_batch(*b, metrics=m) for m in calls]
        times = np.median(in_turn(counted, rounds=8), axis=0).tolist()
        found.append([unit * seconds for seconds in [*np.diff([0, *times]), times[-1]]])
    print(json.dumps(found))


def measure(package: Path, data: Path) -> list[list[float]]:
    """Run `child` with the package in a folder; return its times, shapes x stages, with a last stage for the total."""
    here = Path(__file__).parents[1]
    command = [sys.executable, "-P", "-c", START, str(here), str(data)]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(package)}, check=True, capture_output=True, text=True
    )
    found: list[list[float]] = json.loads(done.stdout)
    return found


def rows(older: Path | None = None) -> Iterator[str]:
    """Yield a row per stage; with an older checkout, the times of that stand before an arrow."""
    packages = [*([older] if older else []), Path(ac.__file__).parents[1]]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "shapes.npz"
        named = shapes(Path(folder)).items()
        np.savez(data, **{f"{shape} {field}": each for shape, b in named for field, each in b._asdict().items()})
        found = [[measure(package, data) for package in packages] for _ in range(ROUNDS)]
    medians = np.median(found, axis=0)  # versions, shapes, stages
    for stage, name in enumerate([*STAGES, "all, in one call"]):
        values = [" → ".join(number(value) for value in medians[:, shape, stage]) for shape in range(len(SHAPES))]
        yield f"| {name} | " + " | ".join(values) + " |"


HEADER = f"| stage | {' | '.join(SHAPES)}, µs |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("older", nargs="?", type=Path, help="a checkout of an older commit, measured in turn")
    print(HEADER)
    print("|---" + "|--:" * len(SHAPES) + "|")
    for row in rows(parser.parse_args().older):
        print(row)
