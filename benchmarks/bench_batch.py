"""Measure scoring label arrays by all metrics: throughput, gain of two threads, and time of other Python scorers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

import arraycoref as ac
from benchmarks.data import Batch, as_sets
from benchmarks.timing import arithmetic, in_turn, median_seconds, number, once

ROUNDS = 100

TWO_CORES = 1.5
"""Least speed-up of hashing by two threads for which a round of measurements counts as one with two free cores. On a
shared machine, two cores are often not free."""

SCORCH_METRICS = "MUC, B³, CEAFm, CEAFe, BLANC"


def score_all(batch: Batch, threads: int = 1) -> list[float]:
    """Score a batch, and read the corpus F1 of each metric."""
    scores = ac.score_labels_batch(batch.key, batch.response, batch.offsets, threads=threads)
    return [scores[metric].f1 for metric in scores.metrics]


def throughput(name: str, batch: Batch) -> Iterator[str]:
    """Yield a row: time on one core, and gain of two threads, in all rounds and in rounds with two free cores."""
    one = median_seconds(lambda: score_all(batch))
    alone, both = arithmetic(one)
    functions = [lambda: score_all(batch), alone, both, lambda: score_all(batch, threads=2), both]
    medians = in_turn(functions, rounds=ROUNDS, seconds=0.02)
    had_two = medians[:, 1] >= TWO_CORES * np.maximum(medians[:, 2], medians[:, 4])
    one, _, _, two, _ = np.median(medians, axis=0).tolist()
    ratio = "-"
    if had_two.any():
        of_these = np.median(medians[had_two], axis=0)
        ratio = f"{of_these[0] / of_these[3]:.2f} x"
    size = f"{len(batch.offsets) - 1:,} x {batch.n_mentions / (len(batch.offsets) - 1):.0f}"
    speed = f"{batch.n_mentions / one / 1e6:.1f} M/s"
    gain = f"{one / two:.2f} x | {ratio} in {had_two.sum()} of {ROUNDS} rounds"
    yield f"| {name} | {size} | {1e3 * one:.2f} ms | {speed} | {gain} |"


def against_peers(name: str, batch: Batch, share: int = 1) -> Iterator[str]:
    """Yield a row per other scorer: its time, and how many times faster arraycoref is.

    The other scorer scores only every ``share``-th document; its time is multiplied by ``share``.
    """
    ours = median_seconds(lambda: score_all(batch))
    sets = as_sets(batch)[::share]
    sets = [(key, response) for key, response in sets if key and response]  # peers divide by zero on empty sides
    for peer, what, run in peers():
        theirs = once(lambda run=run: [run(key, response) for key, response in sets]) * share
        yield f"| {name} | {peer} | {what} | {number(theirs)} s | {number(theirs / ours)} x |"
    yield from _pair_confusion(name, batch, share)


def peers() -> Iterator[tuple[str, str, Callable[..., object]]]:
    """Yield the other scorers that are installed: name, the metrics that they compute, and a function to score."""
    try:
        from scorch import scores as scorch
    except ImportError:
        pass
    else:
        functions = (scorch.muc, scorch.b_cubed, scorch.ceaf_m, scorch.ceaf_e, scorch.blanc)
        yield "scorch", SCORCH_METRICS, lambda key, response: [f(key, response) for f in functions]
    try:
        import metric4coref
    except ImportError:
        return

    def run(key: list[set[int]], response: list[set[int]]) -> list[object]:
        predicted, gold = [sorted(entity) for entity in response], [sorted(entity) for entity in key]
        results: list[object] = []
        for function in (metric4coref.muc, metric4coref.b_cubed, metric4coref.ceaf):
            try:
                results.append(function(predicted, gold))
            except ZeroDivisionError:  # no links, or no shared mention
                results.append(None)
        return results

    yield "metric4coref", "pairwise, B³ of shared mentions, CEAFm", run


def _pair_confusion(name: str, batch: Batch, share: int) -> Iterator[str]:
    """Yield a row that compares BLANC of arraycoref with scikit-learn's counts of links between shared mentions."""
    try:
        from sklearn.metrics.cluster import pair_confusion_matrix
    except ImportError:
        return
    shared = (batch.key >= 0) & (batch.response >= 0)
    bounds = [0, *shared.cumsum()[batch.offsets[1:] - 1].tolist()]
    key, response = batch.key[shared], batch.response[shared]
    ours = median_seconds(lambda: ac.score_labels_batch(key, response, bounds, metrics="blanc")["blanc"].f1)
    documents = [(key[lo:hi], response[lo:hi]) for lo, hi in pairwise(bounds) if hi > lo][::share]
    theirs = once(lambda: [pair_confusion_matrix(k, r) for k, r in documents]) * share
    peer, what = "scikit-learn `pair_confusion_matrix`", "links of shared mentions"
    yield f"| {name} | {peer} | {what} | {number(theirs)} s | {number(theirs / ours)} x |"
