"""Measure nanoseconds per mention for documents of several sizes and shapes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import arraycoref as ac
from benchmarks.data import Batch, documents
from benchmarks.timing import median_seconds, number, once

GATHER = "for comparison: `values[places]` of NumPy, a random place per mention"


def shapes(n: int) -> dict[str, Batch]:
    """Make one document of n mentions for each shape, by the name of the shape."""
    rng = np.random.default_rng(n)
    bounds = np.array([0, n])
    mentions = np.arange(n)
    random_key, random_response = rng.integers(0, n // 4, (2, n))
    return {
        "like a system's output": documents(1, n, seed=7),
        "one giant entity": Batch(np.zeros(n, np.int64), np.zeros(n, np.int64), bounds),
        "giant entity against singletons": Batch(np.zeros(n, np.int64), mentions, bounds),
        "all singletons": Batch(mentions, rng.permutation(n), bounds),
        "one connected component, a chain": Batch(mentions // 2, (mentions + 1) // 2, bounds),
        "one connected component, random": Batch(random_key, random_response, bounds),
        "64-bit random ids": Batch(random_key * 0x5DEECE66D + 11, random_key * 0x2545F4914F, bounds),
    }


def rows(sizes: tuple[int, ...] = (10**3, 10**5, 10**7)) -> Iterator[str]:
    """Yield a row per shape: nanoseconds per mention at each size. The last row is NumPy reading random places."""
    names = list(shapes(sizes[0]))
    table: dict[str, list[float]] = {name: [] for name in names}
    for n in sizes:
        for name, batch in shapes(n).items():
            run = lambda batch=batch: ac.score_labels(batch.key, batch.response)  # noqa: E731
            seconds = once(run) if n >= 10**7 else 0.0
            if seconds < 60:
                seconds = median_seconds(run, least=3, seconds=0.3)
            table[name].append(1e9 * seconds / n)
        values, places = np.arange(n), np.random.default_rng(n).permutation(n)
        seconds = median_seconds(lambda values=values, places=places: values[places], seconds=0.3)
        table.setdefault(GATHER, []).append(1e9 * seconds / n)
    for name, values in table.items():
        yield f"| {name} | " + " | ".join(number(value) for value in values) + " |"
