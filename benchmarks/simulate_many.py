"""Measure the tests of many systems: ``python -m benchmarks.simulate_many [DRAWS]``.

It prints how many false positives corrected pairwise tests give and how many true differences they find; then, how
often the set of settings that may be the best contains the truly best one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from arraycoref.scoring.counts import Counts
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats import adjust_pvalues
from arraycoref.stats.draws import Draws
from arraycoref.stats.sample import Sample, Units
from arraycoref.stats.tests import Family, best_pvalues
from benchmarks.simulate_data import Population, markdown

METRIC = "bcub"
ALPHA = 0.05
F1 = 2
N_SYSTEMS = (2, 10, 50)
SIZES = (20, 30, 100, 300)
FULL_SIZE = 100
"""Number of documents at which the pairs of fifty systems are tested in all draws. At other numbers of documents, an
eighth of the draws is made, to save time."""

SPREAD = 0.055
"""How many more of the mentions, as a share, the worst system moves than the best one: five points of B-cubed F1."""


class Drawn:
    """Systems scored on a population, from the best to the worst, from which documents are drawn.

    Args:
        population: the documents.
        noise: for each system, what is added to the share of mentions that it moves.
    """

    def __init__(self, population: Population, noise: NDArray[np.float64]) -> None:
        runs = [population.system(100 + s, share, metrics=METRIC) for s, share in enumerate(noise.tolist())]
        self.rows = np.stack([b.counts.rows for b in runs])
        self.f1 = np.array([b[METRIC].f1 for b in (run.corpus for run in runs)])
        self.one = runs[0]

    def draw(self, systems: Sequence[int], n: int, seed: Sequence[int], *, equal: bool = False) -> list[BatchScores]:
        """Draw n documents of some systems; with ``equal``, shuffle each document's results, so that none is better."""
        rng = np.random.default_rng(seed)
        rows = self.rows[systems][:, rng.integers(self.rows.shape[1], size=n)]
        if equal:
            order = rng.random((len(systems), n)).argsort(axis=0)
            rows = np.take_along_axis(rows, order[:, :, np.newaxis, np.newaxis], axis=0)
        return [
            BatchScores(self.one.metrics, Counts(None, self.one.counts.metrics, r), self.one.signature) for r in rows
        ]


def corrected(runs: Sequence[BatchScores], seed: int) -> dict[str, NDArray[np.float64]]:
    """Return the p-values of all pairs, adjusted by Holm's method and by the step-down maximum (maxT)."""
    pairs = list(combinations(range(len(runs)), 2))
    pvalues, adjusted = Family(sample_of(runs), pairs, F1, "randomization", Draws(1000, seed)).corrected("maxt")
    return {"Holm": adjust_pvalues(pvalues, "holm"), "maxt": adjusted}


def sample_of(runs: Sequence[BatchScores]) -> Sample:
    """Gather the counts of runs, whose documents need no check."""
    rows = np.stack([run.counts.flat for run in runs])
    return Sample((METRIC,), runs[0].counts.metrics, "micro", runs[0].signature, Units(), rows)


def families(equal: Drawn, spread: Drawn, draws: int) -> None:
    """Count draws with a false positive among equal systems, and pairs found to differ among systems that do."""
    rows = []
    for n_systems, n in product(N_SYSTEMS, SIZES):
        rows.append(family(equal, spread, n_systems, n, draws if n_systems < 50 or n == FULL_SIZE else draws // 8))
    print(
        "Percent of draws with any false positive among equal systems, and of pairs found in a fifth as many draws.\n"
    )
    print(markdown(("systems", "documents", "draws", "false: Holm", "maxt", "found: Holm", "maxt"), rows))


def family(equal: Drawn, spread: Drawn, n_systems: int, n: int, draws: int) -> list[object]:
    """Return the row of the table of `families` for one number of systems and one of documents."""
    false, found = dict.fromkeys(("Holm", "maxt"), 0.0), dict.fromkeys(("Holm", "maxt"), 0.0)
    for draw in range(draws):
        null = equal.draw(range(n_systems), n, (n_systems, n, draw), equal=True)
        for name, adjusted in corrected(null, draw).items():
            false[name] += (adjusted <= ALPHA).any()
    for draw in range(draws // 5):
        apart = spread.draw(evenly(spread, n_systems), n, (n_systems, n, draw, 1))
        for name, adjusted in corrected(apart, draw).items():
            found[name] += (adjusted <= ALPHA).mean()
    return [n_systems, n, draws, *percent(false.values(), draws), *percent(found.values(), draws // 5)]


def evenly(spread: Drawn, n_systems: int) -> list[int]:
    """Choose systems at even steps from the best to the worst."""
    chosen: list[int] = np.linspace(0, len(spread.f1) - 1, n_systems).astype(int).tolist()
    return chosen


def percent(counted: Iterable[float], draws: int) -> list[str]:
    """Write counts as percentages of draws."""
    return [f"{100 * count / draws:.1f}" for count in counted]


def sets(equal: Drawn, spread: Drawn, draws: int) -> None:
    """Count draws in which the set of possibly best settings contains the truly best one, and the size of the set."""
    rows = []
    for n_systems, n in product(N_SYSTEMS, SIZES):
        rows.append(best_set(equal, spread, n_systems, n, draws if n_systems < 50 else draws // 4))
    print("\nPercent of draws whose set holds the best, and settings in the set.\n")
    print(markdown(("settings", "documents", "draws", "equal: holds", "size", "apart: holds", "size"), rows))


def best_set(equal: Drawn, spread: Drawn, n_systems: int, n: int, draws: int) -> list[object]:
    """Return the row of the table of `sets` for one number of settings and one of documents."""
    row: list[object] = [n_systems, n, draws]
    for systems, which in ((equal, range(n_systems)), (spread, evenly(spread, n_systems))):
        held = marks = 0
        for draw in range(draws):
            kept = may_be_best(systems.draw(which, n, (n_systems, n, draw, 2), equal=systems is equal), draw)
            held, marks = held + int(kept[0]), marks + int(kept.sum())
        row += [*percent([held], draws), f"{marks / draws:.1f}"]
    return row


def may_be_best(runs: Sequence[BatchScores], seed: int) -> NDArray[np.bool_]:
    """Return which settings may be the best, as the tests of a sweep find them."""
    scores = [run.corpus[METRIC].f1 for run in runs]
    return best_pvalues(sample_of(runs), F1, int(np.argmax(scores)), ALPHA, Draws(2000, seed)).pvalues > ALPHA


def hopeless(population: Population, spread: Drawn, draws: int = 60) -> None:
    """Count sweeps of ten good settings whose marks change when ten settings, about ten points worse, are added."""
    chosen = evenly(spread, 10)
    worse = Drawn(population, np.full(10, 0.175))
    changed = 0
    for draw in range(draws):
        seed = (100, draw, 3)
        good, bad = spread.draw(chosen, 100, seed), worse.draw(range(10), 100, seed)
        changed += (may_be_best(good, draw) != may_be_best([*good, *bad], draw)[:10]).any()
    print(
        f"\nMarks of ten settings changed in {changed} of {draws} sweeps of 100 documents when ten were added that are"
    )
    print(f"{100 * (spread.f1[chosen].mean() - worse.f1.mean()):.1f} points worse on average.")


def main(draws: int = 2000) -> None:
    """Print all results."""
    population = Population()
    most = max(N_SYSTEMS)
    equal, spread = Drawn(population, np.zeros(most)), Drawn(population, np.linspace(0.0, SPREAD, most))
    print(f"The settings and systems that differ are {100 * np.ptp(spread.f1):.1f} points apart in all, {METRIC} F1.\n")
    families(equal, spread, draws)
    sets(equal, spread, draws // 2)
    hopeless(population, spread)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
