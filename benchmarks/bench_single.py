"""Measure the time to score one document of 60 mentions, after the first call, which compiles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import arraycoref as ac
from benchmarks.data import as_sets, documents
from benchmarks.timing import in_turn


def rows() -> Iterator[str]:
    """Yield a row for labels and one for clusters: the time to score, and the time to score and read every F1."""
    batch = documents(1, 60, seed=1)
    ((key, response),) = as_sets(batch)
    clusters = [[[(m, m + 1) for m in entity] for entity in side] for side in (key, response)]
    for name, call in (
        ("from labels", lambda: ac.score_labels(batch.key, batch.response)),
        ("from lists of clusters", lambda: ac.score(*clusters)),
    ):
        both = (call, lambda call=call: [score.f1 for score in call().values()])
        counted, read = np.median(in_turn(both, rounds=20, seconds=0.025), axis=0)
        yield f"| {name} | {1e6 * counted:.0f} µs | {1e6 * read:.0f} µs |"
