"""Measure a million items in few clusters: all metrics in one call, and the adjusted Rand index of other libraries.

    python -m benchmarks.bench_clusters

`genieclust`, whose measures are written in C++, is measured too if it is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

import arraycoref as ac
from benchmarks.timing import in_turn

ITEMS = 1_000_000


def clusterings(n_clusters: int, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Make labels of two clusterings that agree on half of the items."""
    rng = np.random.default_rng(seed)
    key, response = rng.integers(0, n_clusters, (2, ITEMS))
    return key, np.where(rng.random(ITEMS) < 0.5, key, response)


def contenders(key: NDArray[np.int64], response: NDArray[np.int64]) -> dict[str, Callable[[], object]]:
    """Return the functions that are measured, by name."""
    from sklearn.metrics import adjusted_rand_score

    found: dict[str, Callable[[], object]] = {
        "all metrics": lambda: ac.score_labels(key, response),
        "`ari` alone": lambda: ac.score_labels(key, response, metrics="ari"),
        "scikit-learn": lambda: adjusted_rand_score(key, response),
    }
    if find_spec("genieclust"):
        from genieclust.compare_partitions import adjusted_rand_score as of_genieclust

        found["genieclust"] = lambda: of_genieclust(key, response)
    return found


if __name__ == "__main__":
    for n_clusters in (20, 100, 1_000):
        functions = contenders(*clusterings(n_clusters))
        medians = np.median(in_turn(list(functions.values()), rounds=7), axis=0)
        times = ", ".join(f"{name} {1e3 * seconds:.1f} ms" for name, seconds in zip(functions, medians, strict=True))
        print(f"{ITEMS:,} items, {n_clusters} x {n_clusters}: {times}")
