"""Measure where the time from labels to sums goes, stage by stage.

Each stage is measured with what the stages before it leave in the cache: documents in blocks of a size as in scoring.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import arraycoref as ac
from arraycoref.batch import document_ranges
from arraycoref.clusterings import Clusterings
from arraycoref.contingency import cells_of
from arraycoref.metrics import METRICS
from arraycoref.metrics.together import BLOCK
from benchmarks.data import Batch, as_labels, documents, gum_files
from benchmarks.timing import median_seconds, number

STAGES = {
    "cells from labels": (),
    "totals (mentions, MUC, pairwise, BLANC)": ("mentions", "muc", "pairwise", "blanc"),
    "ratios (B³, LEA)": ("bcub", "lea"),
    "CEAFm": ("ceafm",),
    "CEAFe": ("ceafe",),
}
"""Metrics whose pages each stage after the first runs through."""


def shapes(folder: Path) -> dict[str, Batch]:
    """Make the batches that are measured, by the name of their shape."""
    short = documents(10_000, 60)
    rng = np.random.default_rng(90)
    equal = np.where(rng.random(short.n_mentions) < 0.9, short.key, short.response)
    return {
        "10,000 x 60": short,
        "GUM pair": as_labels(*gum_files(folder)[:2]),
        "100 x 6,000": documents(100, 6_000),
        "90 % equal": short._replace(response=equal),
        "one document of 60": documents(1, 60),
    }


def stage_seconds(batch: Batch) -> list[float]:
    """Return the time of each stage, of all of them in one call, and of a call of `ac.score_labels_batch`."""
    clusterings = Clusterings.from_labels(*batch)
    ranges = list(document_ranges(batch.offsets, BLOCK))
    blocks = [cells_of(clusterings, *bounds) for bounds in ranges]
    seconds = [median_seconds(lambda: [cells_of(clusterings, *bounds) for bounds in ranges])]
    for names in STAGES.values():
        if names:
            pages = [METRICS[name].count for name in names]
            seconds.append(median_seconds(lambda pages=pages: [count(cells) for cells in blocks for count in pages]))
    seconds.append(median_seconds(lambda: ac.score_labels_batch(*batch)))
    return seconds


def rows() -> Iterator[str]:
    """Yield a row per stage, nanoseconds per mention of each shape, microseconds of one document."""
    with tempfile.TemporaryDirectory() as folder:
        columns = []
        for batch in shapes(Path(folder)).values():
            unit = 1e6 if len(batch.offsets) == 2 else 1e9 / batch.n_mentions
            columns.append([number(unit * seconds) for seconds in stage_seconds(batch)])
    for name, *values in zip([*STAGES, "all, in one call"], *columns, strict=True):
        yield f"| {name} | " + " | ".join(values) + " |"


if __name__ == "__main__":
    print("| stage | 10,000 x 60 | GUM pair | 100 x 6,000 | 90 % equal | one document of 60, µs |")
    print("|---|--:|--:|--:|--:|--:|")
    for row in rows():
        print(row)
