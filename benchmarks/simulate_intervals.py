"""Measure the coverage of bootstrap intervals: ``python -m benchmarks.simulate_intervals [DRAWS]`` prints a table."""

from __future__ import annotations

import sys

import numpy as np

from arraycoref.stats import bootstrap
from benchmarks.simulate_data import METRICS, Population, markdown, take

RESAMPLES = 1000
METHODS = ("percentile", "bca")
SIZES = (20, 50, 200)


def main(draws: int = 1000) -> None:
    """Sample documents from a population, and count how often the 95 % interval of F1 covers the population's F1.

    The same is counted for the difference between two systems.
    """
    population = Population()
    a, b = population.system(1), population.system(2, noise=0.02)
    truth = {metric: (a[metric].f1, a[metric].f1 - b[metric].f1) for metric in METRICS}
    rows = []
    for n in SIZES:
        for method in METHODS:
            covered = np.zeros((2, len(METRICS)))
            for draw in range(draws):
                documents = np.random.default_rng([n, draw]).integers(len(a), size=n)
                x, y = take(a, documents), take(b, documents)
                for kind, found in enumerate(
                    bootstrap(x, other, method=method, resamples=RESAMPLES, seed=draw, metrics=METRICS)
                    for other in (None, y)
                ):
                    for k, metric in enumerate(METRICS):
                        f1 = found[metric].f1
                        covered[kind, k] += f1.low <= truth[metric][kind] <= f1.high
            for kind, what in enumerate(("F1", "difference")):
                rows.append((n, what, method, *(f"{100 * c / draws:.1f}" for c in covered[kind])))
    print(f"Percent of {draws} draws whose 95 % interval covers the true value; {RESAMPLES} resamples each.\n")
    print(markdown(("documents", "of", "method", *METRICS), rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
