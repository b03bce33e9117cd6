"""Measure intervals and tests of one clustering, and of groups: ``python -m benchmarks.simulate_units [DRAWS]``.

Each neighborhood holds entities that a system may confuse; neighborhoods are independent of each other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import arraycoref as ac
from arraycoref.exceptions import InputError
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats import best, bootstrap, paired_test
from benchmarks.simulate_data import markdown, take

METRICS = ("bcub", "pairwise", "conll")
RESAMPLES = 500
POPULATION = 1_000_000

Ints = NDArray[np.int64]
Uniform = Callable[[int], NDArray[np.float64]]


def zipf(power: float, most: int) -> NDArray[np.float64]:
    """Return the probabilities of the sizes 1 to ``most``."""
    weights = np.arange(1, most + 1.0) ** -power
    return weights / weights.sum()


def pareto(power: float, most: int) -> NDArray[np.float64]:
    """Return the probabilities of the sizes 1 to ``most``, where those that are larger are ``most``."""
    above = np.append(np.arange(1, most + 1.0) ** -power, 0.0)
    return -np.diff(above)


SIZES = {"ER": (zipf(1.5, 10), 3), "AND": (pareto(1.3, 300), 6), "KG": (zipf(1.0, 40), 8), "book": (pareto(1.0, 30), 0)}
"""Of each source: probabilities of entities' sizes, and entities of a neighborhood; a book is one neighborhood."""


class Source:
    """A key of about n mentions; a book has a main character with a tenth of the mentions."""

    def __init__(self, kind: str, n: int, rng: np.random.Generator) -> None:
        chances, per = SIZES[kind]
        mean = float(chances @ np.arange(1, chances.size + 1))
        sizes = 1 + rng.choice(chances.size, size=max(per, round(n / mean / max(per, 1)) * max(per, 1)), p=chances)
        if kind == "book":
            sizes[:3] = n // 10, n // 20, n // 40
        self.key = np.arange(sizes.size).repeat(sizes)
        self.hood = np.arange(sizes.size) // per if per else np.zeros(sizes.size, np.int64)
        self.n_entities, self.n = sizes.size, self.key.size
        self.lacks = rng.random(self.n) < 0.04

    def respond(self, errors: str, uniform: Uniform, more: float = 1.0) -> tuple[Ints, Ints]:
        """Return labels of key and response, the errors multiplied by ``more``."""
        of_entity, hood, key = self.key.copy(), self.hood[self.key], self.key
        split, merge, moved, lost = {
            "split": (0.3, 0, 0, 0),
            "merge": (0, 0.15, 0, 0),
            "mixed": (0.12, 0.06, 0.05, 0.04),
            "links": (0, 0, 0, 0),
            "book": (0, 0, 0.15, 0),
            "blocks": (0.1, 0, 0, 0),
        }[errors]
        into = np.arange(self.n_entities)
        joins = (uniform(self.n_entities) < more * merge) & np.append(False, self.hood[1:] == self.hood[:-1])
        into[joins] -= 1
        while not np.array_equal(into[into], into):
            into = into[into]
        response = into[of_entity]
        is_split = uniform(self.n_entities) < more * split
        if errors == "blocks":  # everything in some neighborhoods
            is_split |= (uniform(int(self.hood.max()) + 1) < more * 0.08)[self.hood]
        response = np.where(is_split[key] & (uniform(self.n) < 0.5), self.n_entities + key, response)
        first, last = (np.searchsorted(self.hood, self.hood, side) for side in ("left", "right"))
        target = first[key] + (uniform(self.n) * (last - first)[key]).astype(np.int64)
        response = np.where(uniform(self.n) < more * moved, target, response)
        if errors == "links":
            response = self._linked(hood, uniform, more)
        key = np.where(self.lacks & (lost > 0), -1, key)  # then the response's mention is spurious
        response = np.where(uniform(self.n) < more * lost, -1, response)
        return key, response

    def _linked(self, hood: Ints, uniform: Uniform, more: float) -> Ints:
        """Link each mention to an earlier one of its entity, or not; some to any of the neighborhood; close."""
        place = np.arange(self.n)
        start = np.searchsorted(self.key, self.key)
        before = start + (uniform(self.n) * (place - start)).astype(np.int64)
        left, right = (np.searchsorted(hood, hood, side) for side in ("left", "right"))
        any_one = left + (uniform(self.n) * (right - left)).astype(np.int64)
        true, false = uniform(self.n) > more * 0.15, uniform(self.n) < more * 0.05
        ends = np.concatenate([before[true], any_one[false]])
        graph = coo_array((np.ones(ends.size), (np.concatenate([place[true], place[false]]), ends)), (self.n, self.n))
        return connected_components(graph, directed=False)[1].astype(np.int64)


SETTINGS = (
    ("ER", "split", 1000),
    ("ER", "merge", 1000),
    ("ER", "mixed", 1000),
    ("AND", "mixed", 1000),
    ("KG", "links", 200),
    ("KG", "links", 1000),
    ("book", "book", 1000),
    ("ER", "blocks", 1000),
)


COUNTED = ("bcub", "pairwise", "muc", "ceafe", "conll")
RATES = ("bcub", "pairwise", "conll", "purity", "fowlkes-mallows")


def scored(labels: tuple[Ints, Ints], metrics: tuple[str, ...] = COUNTED) -> BatchScores:
    """Score labels as one clustering."""
    return ac.score_labels_batch(*labels, [0, labels[0].size], metrics=metrics)


def by_entity(b: BatchScores) -> Ints:
    """Return the key entity of each mention, or itself: units without a design effect."""
    key = b.clusterings.key
    return np.where(key < 0, key.max() + 1 + np.arange(key.size), key)


def coverage(draws: int) -> None:
    """Print how often 95 % intervals of F1 cover it: by entities without and with the design effect, by components."""
    rows = []
    for kind, errors, n in SETTINGS:
        samples = []
        for draw in range(draws):
            rng = np.random.default_rng([draw, n])
            samples.append(scored(Source(kind, n, rng).respond(errors, rng.random)))
        rng = np.random.default_rng(1)
        truth = {metric: np.mean([b[metric].f1 for b in samples]) for metric in METRICS}
        if kind != "book":  # a book of another length is another book
            whole = scored(Source(kind, POPULATION, rng).respond(errors, rng.random))
            truth = {metric: whole[metric].f1 for metric in METRICS}
        covered, made = np.zeros((3, len(METRICS))), np.zeros(3)
        for b in samples:
            for way, by in enumerate((by_entity(b), "entity", "component")):
                try:
                    found = bootstrap(b, metrics=METRICS, resample_by=by)
                except InputError:  # one component holds too much
                    continue
                made[way] += 1
                covered[way] += [found[metric].f1.low <= truth[metric] <= found[metric].f1.high for metric in METRICS]
        texts = [
            "/".join(f"{100 * c / n:.0f}" for c in each) for each, n in zip(covered, np.maximum(made, 1), strict=True)
        ]
        refused = f" ({100 * (1 - made[2] / draws):.0f} % refused)" if made[2] < draws else ""
        components = texts[2] + refused if made[2] > draws / 20 else "refused"
        rows.append((f"{kind} {errors}", f"{n:,}", texts[0], f"**{texts[1]}**", components))
    print(f"Percent of {draws} draws whose 95 % interval covers the true B³ / pairwise / CoNLL F1.\n")
    print(markdown(("source, errors", "mentions", "key entities, d = 1", "`entity`", "`component`"), rows))


def few_errors(draws: int) -> None:
    """Print how often intervals cover where errors are few, or the book's main character has them; and their widths."""
    rows = []
    for kind, errors, n in (("ER", "split", 1000), ("AND", "merge", 1000), ("book", "book", 1000)):
        for more in (0.01, 0.03, 0.1, 0.3, 1.0):
            ends, values = np.empty((2, draws, len(RATES))), np.empty((draws, len(RATES)))
            for draw in range(draws):
                rng = np.random.default_rng([draw, n, 9])
                b = scored(Source(kind, n, rng).respond(errors, rng.random, more), RATES)
                found = bootstrap(b)
                values[draw] = [b[metric].f1 for metric in RATES]
                ends[:, draw] = np.transpose([(found[metric].f1.low, found[metric].f1.high) for metric in RATES])
            truth = values.mean(axis=0)
            if kind != "book":
                rng = np.random.default_rng(1)
                whole = scored(Source(kind, POPULATION, rng).respond(errors, rng.random, more), RATES)
                truth = np.array([whole[metric].f1 for metric in RATES])
            covered = (100 * ((ends[0] <= truth) & (truth <= ends[1])).mean(axis=0)).round().astype(int)
            widths = 100 * np.median(ends[1] - ends[0], axis=0)
            right = 100 * (values[:, 0] == 1.0).mean()
            texts = "/".join(map(str, covered)), "/".join(f"{width:.2g}" for width in widths)
            rows.append((f"{kind} {errors}", f"{100 * more:g} %", f"{right:.0f}", *texts))
    print(f"\n{draws} draws of 1,000 mentions: B³ / pairwise / CoNLL / purity / Fowlkes-Mallows.\n")
    print(markdown(("source, errors", "of the errors above", "without any", "covers", "median width"), rows))


def false_positives(draws: int) -> None:
    """Print how often equal systems, with half of their errors in common, differ; and systems with 40 % more errors."""
    rows = []
    for kind, errors, n in SETTINGS:
        found = np.zeros((3, len(METRICS)))
        for draw in range(draws):
            rng = np.random.default_rng([draw, n, 7])
            source = Source(kind, n, rng)
            seeds = rng.integers(2**60, size=4).tolist()
            systems = [
                scored(source.respond(errors, half_common(seeds[0], own), more))
                for own, more in ((seeds[1], 1.0), (seeds[2], 1.0), (seeds[3], 1.4))
            ]
            for way, (b, by) in enumerate(((1, by_entity(systems[0])), (1, "entity"), (2, "entity"))):
                for m, metric in enumerate(METRICS):
                    options = {"metric": metric, "resamples": RESAMPLES, "seed": draw, "resample_by": by}
                    found[way, m] += paired_test(systems[0], systems[b], **options).pvalue <= 0.05
        texts = ["/".join(f"{100 * f / draws:.0f}" for f in each) for each in found]
        rows.append((f"{kind} {errors}", f"{n:,}", texts[0], f"**{texts[1]}**", texts[2]))
    print(f"\nPercent of {draws} draws with p <= 0.05 in B³ / pairwise / CoNLL F1, by {RESAMPLES} exchanges.\n")
    headers = (
        "source, errors",
        "mentions",
        "equal: key entities, d = 1",
        "equal: `entity`",
        "40 % more errors: `entity`",
    )
    print(markdown(headers, rows))


def best_of_five(draws: int) -> None:
    """Print how often the first of five systems is not left out: equal systems, and others with ever more errors."""
    rows = []
    for kind, errors, n in SETTINGS:
        if errors in ("split", "blocks"):
            continue
        for metric in METRICS:
            found = np.zeros((2, 2))
            for draw in range(draws):
                rng = np.random.default_rng([draw, n, 11])
                source = Source(kind, n, rng)
                common, *seeds = rng.integers(2**60, size=6).tolist()
                for way, more in enumerate((0.0, 0.2)):
                    runs = {
                        f"s{s}": scored(source.respond(errors, half_common(common, own), 1.0 + more * s))
                        for s, own in enumerate(seeds)
                    }
                    ranked = best(runs, metric, resamples=RESAMPLES, seed=draw)
                    kept = {ranked.setting, *ranked.rivals}
                    found[way] += "s0" in kept, len(kept)
            texts = [f"{100 * held / draws:.1f}, {size / draws:.2f}" for held, size in found]
            rows.append((f"{kind} {errors}", f"{n:,}", metric, *texts))
    print(f"\nPercent of {draws} draws in which the first of five systems is kept, and how many are.\n")
    print(markdown(("source, errors", "mentions", "metric", "equal", "apart"), rows))


def half_common(common: int, own: int) -> Uniform:
    """Return uniform numbers, of which a random half is the same for all systems with the same ``common``."""
    shared, alone = np.random.default_rng(common), np.random.default_rng(own)

    def draw(n: int) -> NDArray[np.float64]:
        which, same, other = shared.random(n) < 0.5, shared.random(n), alone.random(n)
        return np.where(which, same, other)

    return draw


def groups(draws: int) -> None:
    """Print the same of documents in topics, of which some are harder for one system and others for the other."""
    topics, texts, mentions = 1000, 10, 30
    rng = np.random.default_rng(3)
    key = rng.integers(0, 6, topics * texts * mentions)
    systems = []
    for _ in range(2):
        share = np.clip(0.25 + rng.normal(0, 0.06, topics), 0.01, 0.9).repeat(texts * mentions)
        response = np.where(rng.random(key.size) < share, rng.integers(0, 6, key.size), key)
        systems.append(ac.score_labels_batch(key, response, np.arange(0, key.size + 1, mentions), metrics="bcub"))
    rows = []
    for n in (10, 20, 40):
        count, topic = np.zeros((2, 2)), np.arange(n).repeat(texts)
        for draw in range(draws):
            rng = np.random.default_rng([draw, n])
            drawn = rng.integers(topics, size=n)
            documents = (drawn[:, np.newaxis] * texts + np.arange(texts)).ravel()
            swap = (rng.random(n) < 0.5).repeat(texts)  # equally good on average
            pair = [
                np.where(swap, documents + topics * texts * s, documents + topics * texts * (1 - s)) for s in (0, 1)
            ]
            a, b = (joined(systems, places) for places in pair)
            for way, by in enumerate(("document", topic)):
                options = {"resample_by": by, "resamples": RESAMPLES, "seed": draw}
                interval = bootstrap(take(systems[0], documents), method="percentile", **options)["bcub"].f1
                count[0, way] += interval.low <= systems[0]["bcub"].f1 <= interval.high
                count[1, way] += paired_test(a, b, metric="bcub", **options).pvalue <= 0.05
        rows.append((n, n * texts, *(f"{100 * c / draws:.0f}" for c in count.ravel())))
    print(f"\nPercent of {draws} draws of topics of {texts} documents, B³ F1.\n")
    headers = ("topics", "documents", "covers: documents", "covers: topics", "false: documents", "false: topics")
    print(markdown(headers, rows))


def joined(systems: list[BatchScores], places: Ints) -> BatchScores:
    """Return the scores of documents of two systems, by their places in the one, then the other."""
    rows = np.concatenate([b.counts.rows for b in systems])[places]
    counts = ac.Counts(None, systems[0].counts.metrics, rows)
    return BatchScores(systems[0].metrics, counts, systems[0].signature)


def main(draws: int = 200) -> None:
    """Print all tables."""
    coverage(draws)
    few_errors(draws)
    false_positives(draws)
    best_of_five(draws)
    groups(draws)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
