"""Generate the population of the simulations, many documents and systems whose scores are known, and draw samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import arraycoref as ac
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.scores import BatchScores

METRICS = ("muc", "bcub", "ceafe", "blanc", "lea", "conll")
N_DOCUMENTS = 20_000


class Population:
    """Documents of lognormal length (median 40 mentions), about three mentions per entity, some harder than others."""

    def __init__(self, seed: int = 0, n_documents: int = N_DOCUMENTS) -> None:
        rng = np.random.default_rng(seed)
        sizes = np.maximum(3, rng.lognormal(np.log(40), 0.7, n_documents)).astype(np.int64)
        self.offsets = np.concatenate(([0], np.cumsum(sizes)))
        self.document = np.repeat(np.arange(n_documents), sizes)
        self.entities = np.maximum(sizes // 3, 1)[self.document]
        self.key = (self.entities * rng.random(self.document.size) ** 1.5).astype(np.int64)
        self.key[rng.random(self.key.size) < 0.06] = -1
        self.hardness = rng.beta(2, 6, n_documents)

    def system(
        self, seed: int, noise: float = 0.0, spread: float = 1.0, metrics: str | Sequence[str] = METRICS
    ) -> BatchScores:
        """Score a system that moves mentions to wrong entities, more of them in hard documents, and loses some.

        Args:
            seed: seed of the random errors.
            noise: number that is added to the share of mentions that are moved; it may be negative.
            spread: how much the share depends on a document's hardness; 0 for the same share in all documents.
            metrics: metrics to score.
        """
        rng = np.random.default_rng([seed, 1])
        share = np.clip(0.25 + spread * (self.hardness - 0.25) + noise, 0, 1)[self.document]
        wrong = (self.entities * rng.random(self.key.size)).astype(np.int64)
        response = np.where(rng.random(self.key.size) < share, wrong, np.maximum(self.key, 0))
        response[rng.random(self.key.size) < 0.08] = -1
        return ac.score_labels_batch(self.key, response, self.offsets, metrics=metrics, threads=0)

    def equal_but_unlike(self, seed: int, other: BatchScores) -> BatchScores:
        """Score a system whose CoNLL score is about that of ``other``, but whose errors are spread otherwise.

        Its share of wrong mentions depends more on a document's hardness. ``noise`` is found by bisection.
        """
        low, high = -0.2, 0.2
        for _ in range(14):
            middle = (low + high) / 2
            b = self.system(seed, middle, spread=2.2)
            low, high = (middle, high) if b.conll > other.conll else (low, middle)
        return b


def take(b: BatchScores, documents: NDArray[np.int64]) -> BatchScores:
    """Return the scores of the documents at the given positions, which may repeat."""
    return BatchScores(b.metrics, Counts(None, b.counts.metrics, b.counts.rows[documents]), b.signature)


def exchanged(a: BatchScores, b: BatchScores, swap: NDArray[np.bool_]) -> tuple[BatchScores, BatchScores]:
    """Exchange the counts of the documents in ``swap`` between two systems."""

    def mixed(x: BatchScores, y: BatchScores) -> BatchScores:
        rows = np.where(swap[:, np.newaxis, np.newaxis], y.counts.rows, x.counts.rows)
        return BatchScores(x.metrics, Counts(None, x.counts.metrics, rows), x.signature)

    return mixed(a, b), mixed(b, a)


def markdown(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Lay out a table in Markdown."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
