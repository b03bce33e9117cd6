"""Measure intervals and marks of systems with several runs: ``python -m benchmarks.simulate_runs [DRAWS]``.

The runs of a system differ at random in how many mentions they move. Documents and runs are drawn from a population.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

import arraycoref as ac
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.draws import Draws
from arraycoref.stats.sample import Sample
from arraycoref.stats.score_table import Block
from arraycoref.stats.tests import best_pvalues
from benchmarks.simulate_data import Population, markdown
from benchmarks.simulate_many import ALPHA, METRIC, Drawn

POOL = 40
"""Number of runs in the population. The runs of every system are drawn from these, so all systems are equally good."""

N_SYSTEMS = 4
N_RUNS = (2, 3, 5)
SIZES = (30, 100)
SPREADS = (0.0, 0.01, 0.03)
"""Standard deviation, over runs, of the share of mentions that a run moves."""


def row(pool: Drawn, n_runs: int, n: int, draws: int) -> list[object]:
    """Return the row of the table for one number of runs and one of documents.

    In each draw, the first system is looked at: whether its interval covers the true score, and whether the marks say
    that it is not among the best, which is false, with redrawn runs and with fixed runs.
    """
    covers = redrawn = fixed = 0
    truth = pool.f1.mean()
    for draw in range(draws):
        seed = (n_runs, n, draw)
        chosen = np.random.default_rng((*seed, 1)).integers(POOL, size=N_SYSTEMS * n_runs).tolist()
        runs = pool.draw(chosen, n, seed)
        systems = {str(s): tuple(runs[s * n_runs : (s + 1) * n_runs]) for s in range(N_SYSTEMS)}
        low, high, may_be_best, with_these = tested(systems, draw)
        covers, redrawn, fixed = (
            covers + int(low <= truth <= high),
            redrawn + int(not may_be_best),
            fixed + int(not with_these),
        )
    sd = f"{100 * pool.f1.std(ddof=1):.2f}"
    return [sd, n_runs, n, draws, *(f"{100 * count / draws:.1f}" for count in (covers, redrawn, fixed))]


def tested(systems: dict[str, tuple[BatchScores, ...]], seed: int) -> tuple[float, float, bool, bool]:
    """Return the interval of the first system, and whether it may be the best, with redrawn and with fixed runs."""
    table = ac.table(
        systems, metrics=METRIC, fields="f1", intervals=True, marks=True, alpha=ALPHA, resamples=1000, seed=seed
    )
    part, place = Block.from_runs(systems, (METRIC,), None), (0, 0, 0, 2)
    sample = Sample.from_runs(part.runs, "micro").pooled(part.firsts)
    best = int(np.argmax(table.values[0, :, 0, 2]))
    fixed = best_pvalues(sample, 2, best, ALPHA, Draws(1000, seed)).pvalues
    may_be_best = bool(table.best[place] or table.rivals[place])
    return float(table.low[place]), float(table.high[place]), may_be_best, bool(fixed[0] > ALPHA)


def main(draws: int = 300) -> None:
    """Print the table."""
    population = Population()
    rows = []
    for spread in SPREADS:
        noise = np.abs(np.random.default_rng(7).normal(0.05, spread, POOL))
        pool = Drawn(population, noise)
        rows += [row(pool, n_runs, n, draws) for n_runs, n in product(N_RUNS, SIZES)]
    head = (
        "sd of runs, points",
        "runs",
        "documents",
        "draws",
        "interval covers",
        "told: runs redrawn",
        "told: runs as they are",
    )
    print(markdown(head, rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
