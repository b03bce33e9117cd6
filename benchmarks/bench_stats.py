"""Measure the statistics on one core, beside scipy's: ``taskset -c 0 python -m benchmarks.bench_stats``."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import arraycoref as ac
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats import bootstrap, compare, paired_test, power
from benchmarks.data import documents
from benchmarks.timing import median_seconds, once


def scored(seed: int, n_documents: int = 1000) -> BatchScores:
    """Score a system on 1,000 documents of 60 mentions, by every default metric; its errors depend on the seed."""
    batch = documents(n_documents, 60, seed=0)
    moved = np.random.default_rng(seed)
    other = np.where(moved.random(batch.n_mentions) < 0.1, moved.integers(0, 20, batch.n_mentions), batch.response)
    return ac.score_labels_batch(batch.key, other, batch.offsets)


def scipy_bootstrap(b: BatchScores, n_resamples: int, method: str = "BCa") -> Any:
    """Compute scipy's bootstrap interval of MUC F1 from the same documents."""
    from scipy import stats

    rows = b.counts["muc"]

    def f1(index: np.ndarray, axis: int) -> np.ndarray:
        sums = rows[index].sum(axis=axis - 1 if axis < 0 else axis)
        recall, precision = sums[..., 0] / sums[..., 1], sums[..., 2] / sums[..., 3]
        return 2 * recall * precision / (recall + precision)

    documents = (np.arange(len(b)),)
    return stats.bootstrap(documents, f1, vectorized=True, batch=100, n_resamples=n_resamples, method=method, rng=0)


def main() -> None:
    """Print the median time of each statistic, and intervals of this package and of scipy side by side."""
    a, b = scored(1), scored(2)
    runs = {str(s): scored(s) for s in range(1, 11)}
    cores = len(os.sched_getaffinity(0))
    print(f"1,000 documents, 10,000 resamples, {cores} core(s); medians\n")
    cases = {
        f"bootstrap, BCa, R P F of all {len(a.metrics)} metrics": lambda: bootstrap(a),
        "bootstrap, percentile, the same": lambda: bootstrap(a, method="percentile"),
        "bootstrap of the difference, BCa, the same": lambda: bootstrap(a, b),
        "bootstrap, macro, BCa, the same": lambda: bootstrap(a, average="macro"),
        "paired test, approximate randomization, CoNLL F1": lambda: paired_test(a, b),
        "paired test, bootstrap, CoNLL F1": lambda: paired_test(a, b, test="bootstrap"),
        "compare ten systems, 45 pairs, intervals": lambda: compare(runs),
        "power, search, 2,000 resamples": lambda: power(a, b),
    }
    for name, call in cases.items():
        print(f"{median_seconds(call) * 1e3:8.0f} ms  {name}")
    print(f"{once(lambda: scipy_bootstrap(a, 10_000)) * 1e3:8.0f} ms  scipy.stats.bootstrap, BCa, MUC F1 alone, once")
    print("\nMUC F1, 95 % interval, ours and scipy's")
    for method in ("percentile", "BCa"):
        ours = bootstrap(a, metrics="muc", method=method.lower())["muc"].f1
        low, high = scipy_bootstrap(a, 10_000, method).confidence_interval
        print(f"{method:10}  {ours.low:.6f} to {ours.high:.6f}   {low:.6f} to {high:.6f}")


if __name__ == "__main__":
    main()
