"""Measure scoring clusters of Python objects, beside merely writing them as bytes by the MessagePack encoder."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import ormsgpack

import arraycoref as ac
from benchmarks.bench_batch import SCORCH_METRICS, peers
from benchmarks.data import Batch, as_sets, documents
from benchmarks.timing import in_turn, once

HEADER = "| mentions | the encoder alone | to all metrics | mentions | times the encoder | scorch is slower |"


def _span(mention: int) -> tuple[int, int]:
    """Return the first and the last token of a mention, in a document of 300 tokens."""
    return 5 * mention, 5 * mention + mention % 4


SHAPES: dict[str, tuple[Callable[[list[Any]], Any], Callable[[int], Any]]] = {
    "lists of tuples": (list, _span),
    "lists of lists, as `json.load` makes them": (list, lambda mention: list(_span(mention))),
    "sets of tuples": (set, _span),
    "lists of strings": (list, "mention {}".format),
    "lists of integers": (list, int),
    "arrays of rows": (np.array, _span),
}
"""By name: the type of a cluster, and the function that makes a mention from its number."""


def rows(batch: Batch, share: int = 20) -> Iterator[str]:
    """Yield a row per shape; scorch gets the same mentions as sets, and scores every ``share``-th document only."""
    sets = as_sets(batch)
    scorch = next((run for name, what, run in peers() if what == SCORCH_METRICS), None)
    for name, (cluster, mention) in SHAPES.items():
        keys, responses = (
            [[cluster([mention(m) for m in sorted(entity)]) for entity in pair[side]] for pair in sets]
            for side in (0, 1)
        )

        def score(keys: Any = keys, responses: Any = responses) -> list[float]:
            scores = ac.score_batch(keys, responses)
            return [scores[metric].f1 for metric in scores.metrics]

        def encode(keys: Any = keys, responses: Any = responses) -> list[bytes]:
            return [
                ormsgpack.packb(side, default=list, option=ormsgpack.OPT_SERIALIZE_NUMPY) for side in (keys, responses)
            ]

        ours, encoder = np.median(in_turn((score, encode), rounds=15, seconds=0.1), axis=0)
        theirs = "-"
        if scorch is not None and cluster is not np.array and isinstance(mention(0), int | str | tuple):
            pairs = [([*map(set, key)], [*map(set, response)]) for key, response in zip(keys, responses, strict=True)]
            theirs = f"{share * once(lambda pairs=pairs[::share]: [scorch(*pair) for pair in pairs]) / ours:.0f} x"
        speed = f"{batch.n_mentions / ours / 1e6:.1f} M/s"
        yield f"| {name} | {1e3 * encoder:.0f} ms | {1e3 * ours:.0f} ms | {speed} | {ours / encoder:.2f} | {theirs} |"


def sharing(n_documents: int = 2_000, n_mentions: int = 60) -> Iterator[str]:
    """Yield a line for sides that share all spans, half or one in twenty, with the search for a reason."""
    for shared in (1.0, 0.5, 0.05):
        moved = [0 if m < shared * n_mentions else 3 for m in range(n_mentions)]
        keys, responses = (
            [[[(5 * m, 5 * m + shift * moved[m]) for m in range(first, n_mentions, 20)] for first in range(20)]]
            * n_documents
            for shift in (0, 1)
        )

        def score(keys: Any = keys, responses: Any = responses) -> float:
            with warnings.catch_warnings(action="ignore"):
                return ac.score_batch(keys, responses, metrics="conll").conll

        seconds = np.median(in_turn((score,), rounds=7), axis=0)[0]
        yield f"{n_documents:,} documents of {n_mentions} mentions, {shared:.0%} shared: {1e3 * seconds:.0f} ms"


if __name__ == "__main__":
    print(HEADER)
    print("|" + "---|" * (HEADER.count("|") - 1))
    for row in rows(documents(5_000, 60)):
        print(row)
    print(*sharing(), sep="\n")
