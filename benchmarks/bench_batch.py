"""Measure label arrays to all metrics: throughput, threads, and other Python scorers beside this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

import arraycoref as ac
from benchmarks.data import Batch, as_sets
from benchmarks.timing import arithmetic, in_turn, median_seconds, number, once

ROUNDS = 100

TWO_CORES = 1.5
"""Least gain of two threads on arithmetic in a round in which two cores were free. On a shared machine they often
are not."""

SCORCH_METRICS = "MUC, B³, CEAFm, CEAFe, BLANC"


def score_all(batch: Batch, threads: int = 1) -> list[float]:
    """Score a batch, and read the corpus F1 of each metric."""
    scores = ac.score_labels_batch(batch.key, batch.response, batch.offsets, threads=threads)
    return [scores[metric].f1 for metric in scores.metrics]


def throughput(name: str, batch: Batch) -> Iterator[str]:
    """Yield a row: one core; two threads, in all rounds and in those in which two cores were free."""
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
    """Yield a row per other scorer: how many times faster this one is; the other scores every ``share``-th document."""
    ours = median_seconds(lambda: score_all(batch))
    sets = as_sets(batch)[::share]
    sets = [(key, response) for key, response in sets if key and response]  # peers divide by zero on empty sides
    for peer, what, run in peers():
        theirs = once(lambda run=run: [run(key, response) for key, response in sets]) * share
        yield f"| {name} | {peer} | {what} | {number(theirs)} s | {number(theirs / ours)} x |"
    yield from _pair_confusion(name, batch, share)


def peers() -> Iterator[tuple[str, str, Callable[..., object]]]:
    """Yield other scorers that are installed: name, what they compute, and the function that computes it."""
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
    """Yield a row: BLANC beside the link counts of shared mentions by scikit-learn."""
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
