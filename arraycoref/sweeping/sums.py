"""The one array of a sweep: four sums for each setting, document and metric, and the metrics' views of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.counts import Counts
from arraycoref.metrics import group_names
from arraycoref.metrics.base import Metric

Floats = NDArray[np.float64]


def sum_names(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Names of the K groups of four sums: a metric has one, BLANC three."""
    return group_names(tuple(metric.name for metric in metrics))


def views(sums: Floats, metrics: Sequence[Metric]) -> Counts:
    """View sums (..., K, 4) by metric. Nothing is copied."""
    return Counts(None, tuple(metric.name for metric in metrics), sums)


class Store:
    """Where blocks of settings write their sums: one array, or pieces joined at the end if S is not known before.

    Args:
        n_documents: D.
        metrics: entries of the registry.
        n_settings: S, or None.
    """

    def __init__(self, n_documents: int, metrics: Sequence[Metric], n_settings: int | None) -> None:
        self.shape = (n_documents, len(sum_names(metrics)), 4)
        self.whole = None if n_settings is None else np.empty((n_settings, *self.shape))
        self.pieces: list[Floats] = []
        self.n = 0

    def take(self, n: int) -> Floats:
        """Return the place of the next ``n`` settings, float64 (n, D, K, 4)."""
        self.n += n
        if self.whole is not None:
            return self.whole[self.n - n : self.n]
        self.pieces.append(np.empty((n, *self.shape)))
        return self.pieces[-1]

    def first(self, n: int) -> Floats:
        """Copy the sums of the first ``n`` settings."""
        if self.whole is not None:
            return self.whole[:n].copy()
        return np.concatenate([np.empty((0, *self.shape)), *self.pieces])[:n]

    def finish(self) -> Floats:
        """Return all sums, float64 (S, D, K, 4); pieces are given up one by one, so that memory holds little more."""
        if self.whole is not None:
            return self.whole[: self.n]
        whole, n = np.empty((self.n, *self.shape)), 0
        self.pieces.reverse()
        while self.pieces:
            piece = self.pieces.pop()
            whole[n : n + len(piece)] = piece
            n += len(piece)
        return whole
