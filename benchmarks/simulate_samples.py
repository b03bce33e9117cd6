"""Measure scores and intervals from samples of entities: ``python -m benchmarks.simulate_samples [DRAWS]``.

A population of 3,000 entities, of which the response splits, merges and detaches some, is known whole. From each sample
of its entities, scores and 95 % intervals are estimated, and compared with the scores of the population.
"""

from __future__ import annotations

import sys

import numpy as np

import arraycoref as ac
from benchmarks.simulate_data import markdown
from benchmarks.simulate_units import Ints, pareto, zipf

METRICS = ("pairwise", "bcub", "cluster")
SIZES = {"light": zipf(1.5, 10), "heavy": pareto(1.3, 300)}
ENTITIES = 3000
SETTINGS = [(kind, design, n) for kind in SIZES for design in ("entities", "entities:size") for n in (100, 1000)]


def population(kind: str, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return labels of key and response: a fifth of the entities is split, 15 % are merged, 3 % of records detached."""
    key = np.arange(ENTITIES).repeat(1 + rng.choice(SIZES[kind].size, ENTITIES, p=SIZES[kind]))
    into = np.maximum(np.arange(ENTITIES) - (rng.random(ENTITIES) < 0.15), 0)
    response, n = into[key], key.size
    is_split = (rng.random(ENTITIES) < 0.2)[key] & (rng.random(n) < 0.5)
    response = np.where(is_split, ENTITIES + key, response)
    return key, np.where(rng.random(n) < 0.03, 2 * ENTITIES + np.arange(n), response)


def known(key: Ints, design: str, n: int, rng: np.random.Generator) -> Ints:
    """Return the key with the entities of a sample only: n entities, or those of records drawn until there are n."""
    if design == "entities":
        return np.where(np.isin(key, rng.choice(ENTITIES, n, replace=False)), key, -1)
    drawn = key[rng.permutation(key.size)]
    _, first = np.unique(drawn, return_index=True)
    return np.where(np.isin(key, drawn[np.sort(first)[:n]]), key, -1)


def main(draws: int = 300) -> None:
    """Print a row for each population, design and number of entities."""
    rows = []
    for kind, design, n in SETTINGS:
        key, response = population(kind, np.random.default_rng(0))
        truth = ac.score_labels(key, response, metrics=METRICS)
        errors, covers, others = [], [], []
        for draw in range(draws):
            sample = known(key, design, n, np.random.default_rng([draw, n]))
            found = ac.bootstrap(ac.score_labels(sample, response, metrics=METRICS, truth_sample=design))
            pairs = [
                (getattr(found[metric], field), getattr(truth[metric], field))
                for metric in METRICS
                for field in ("precision", "recall")
            ]
            errors.append([100 * (interval.estimate - score) for interval, score in pairs])
            covers.append([100.0 * (interval.low <= score <= interval.high) for interval, score in pairs])
            restricted = [ac.score_labels(sample, response, metrics=METRICS, restrict=r) for r in ("none", "key")]
            others.append([[100 * (s[m].precision - truth[m].precision) for m in METRICS] for s in restricted])
        for k, metric in enumerate(METRICS):
            cells = [f"{100 * truth[metric].precision:.1f}"]
            cells += [f"{values[2 * k]:+.1f} / {values[2 * k + 1]:+.1f}" for values in [np.mean(errors, axis=0)]]
            cells += [f"{values[2 * k]:.1f}" for values in [np.std(errors, axis=0)]]
            cells += [f"{values[2 * k]:.0f} / {values[2 * k + 1]:.0f}" for values in [np.mean(covers, axis=0)]]
            cells += [f"{value:+.0f}" for value in np.mean(others, axis=0)[:, k]]
            rows.append([f"{kind}, `{design}`", f"{n:,}", metric, *cells])
    header = ["sizes, design", "entities", "metric", "true P", "bias of P / R", "sd of P", "covers P / R"]
    print(markdown([*header, '`"none"`: bias of P', '`"key"`'], rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
