"""Measure false positives and power of the paired tests: ``python -m benchmarks.simulate_tests [DRAWS]``."""

from __future__ import annotations

import sys

import numpy as np

from arraycoref.stats import paired_test, power
from arraycoref.stats.how import TESTS
from benchmarks.simulate_data import Population, exchanged, markdown, take

RESAMPLES = 1000
SIZES = (6, 12, 30, 100)
LEVELS = (0.05, 0.01)


def main(draws: int = 2000) -> None:
    """Count false positives on systems that are truly equal; on systems that differ, compare power and its estimate."""
    population = Population()
    a = population.system(1)
    null(population, a, draws)
    powers(population, a, draws // 2)


def null(population: Population, a, draws: int) -> None:
    """Count how often the tests reject that two equal systems are equal.

    Two kinds of pairs are tested: systems that are exchangeable, and systems of equal score whose errors are spread
    over documents in different ways.
    """
    same, unlike = population.system(2), population.equal_but_unlike(3, a)
    rows = []
    for n in SIZES:
        for test in TESTS:
            rejected = np.zeros((2, len(LEVELS)))
            for draw in range(draws):
                rng = np.random.default_rng([n, draw])
                documents = rng.integers(len(a), size=n)
                x = take(a, documents)
                pairs = (exchanged(x, take(same, documents), rng.random(n) < 0.5), (x, take(unlike, documents)))
                for kind, pair in enumerate(pairs):
                    found = paired_test(*pair, test=test, resamples=RESAMPLES, seed=draw)
                    rejected[kind] += [found.pvalue <= level for level in LEVELS]
            rows.append((n, test, *(f"{100 * r / draws:.1f}" for r in rejected.ravel())))
    print(f"Percent of {draws} draws that are rejected though the systems are equal, CoNLL F1.\n")
    print(markdown(("documents", "test", "exchangeable, 5 %", "1 %", "unlike errors, 5 %", "1 %"), rows))


def powers(population: Population, a, draws: int) -> None:
    """Compare the power estimated from a pilot sample with how often the test finds the difference in new samples."""
    rows = []
    pilot = np.random.default_rng(5).integers(len(a), size=200)
    for noise in (0.01, 0.02, 0.04):
        b = population.system(4, noise=noise)
        truth = a.conll - b.conll
        for n in (30, 100, 300):
            estimated = power(take(a, pilot), take(b, pilot), difference=truth, sizes=[n]).power[0]
            found = 0
            for draw in range(draws):
                documents = np.random.default_rng([n, draw, 2]).integers(len(a), size=n)
                test = paired_test(take(a, documents), take(b, documents), resamples=RESAMPLES, seed=draw)
                found += test.pvalue <= 0.05
            rows.append((f"{100 * truth:.2f}", n, f"{100 * estimated:.1f}", f"{100 * found / draws:.1f}"))
    print(f"\nPower in percent: estimated from a pilot of 200 documents, and found in {draws} draws of fresh ones.\n")
    print(markdown(("difference, points", "documents", "estimated", "found"), rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
