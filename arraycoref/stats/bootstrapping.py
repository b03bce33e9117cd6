"""Bootstrap confidence intervals of scores and of differences, every metric from the same resamples of documents."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from arraycoref.results import BatchScores
from arraycoref.stats.comparable import FIELDS
from arraycoref.stats.intervals import Interval, Intervals, ScoreInterval, check_method, interval
from arraycoref.stats.notes import document_notes
from arraycoref.stats.resampling import Seed, entropy, multiplicities, over_blocks
from arraycoref.stats.systems import Systems

Floats = NDArray[np.float64]


def bootstrap(
    b: BatchScores,
    other: BatchScores | None = None,
    *,
    metrics: str | Iterable[str] | None = None,
    average: str = "micro",
    method: str = "bca",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: Seed = 0,
    threads: int = 1,
    batch: int | None = None,
) -> Intervals:
    """Find confidence intervals of scores, or of the difference between two systems, by resampling documents.

    Args:
        b: scores of D documents.
        other: scores of another system on the same documents; the intervals are then those of ``b`` minus ``other``.
        metrics: names; None for those that ``b`` holds.
        average: ``micro`` for corpus scores, ratios of sums over documents; ``macro`` for means of documents' scores.
        method: ``percentile``, ``basic`` or ``bca``.
        confidence: of each interval.
        n_resamples: resamples of D documents, with replacement.
        seed: an integer, a numpy Generator, or None for other numbers each time (the result tells the seed).
        threads: threads over blocks of resamples; 0 for one a core. No number depends on it.
        batch: resamples whose weights are held at a time; None for about 1 MB of them. No number depends on it.

    Raises:
        InputError: no documents, an option out of range, systems scored under different conventions.
        DocumentMismatchError: systems scored on different documents.
        UnknownNameError: a metric that was not scored, a method or average that does not exist.

    Source: Efron and Tibshirani (1993); resampling documents: Berg-Kirkpatrick et al. (2012).
    """
    check_method(method, confidence)
    runs = {"b": b} if other is None else {"b": b, "other": other}
    systems = Systems.of(runs, metrics, average)
    repeat = entropy(seed)
    values = replicates(systems, n_resamples, repeat, threads=threads, batch=batch)
    found = summarise(
        contrast(estimates(runs, systems)),
        contrast(values),
        contrast(systems.scores(systems.totals, len(b))),
        contrast(leave_one_out(systems)) if method == "bca" else None,
        method,
        confidence,
    )
    by_metric = {metric: ScoreInterval(*found[k]) for k, metric in enumerate(systems.metrics)}
    notes = document_notes(b)
    return Intervals(by_metric, method, confidence, average, n_resamples, len(b), repeat, notes)


def replicates(
    systems: Systems,
    n_resamples: int,
    seed: int,
    *,
    n_draws: int | None = None,
    threads: int = 1,
    batch: int | None = None,
) -> Floats:
    """Score resamples of ``n_draws`` documents, D unless told: float64 (R, S, K, 3), nan if there is one document."""
    n = systems.n_documents if n_draws is None else n_draws
    weights = multiplicities(seed, systems.n_documents, n)
    blocks = over_blocks(
        lambda drawn: systems.scores(systems.sums(drawn), n),
        weights,
        n_resamples,
        min(n, 8 * systems.n_documents),
        threads=threads,
        batch=batch,
    )
    values = np.concatenate(list(blocks))
    if systems.n_documents == 1:
        values[...] = np.nan  # every resample is that document
    return values


def leave_one_out(systems: Systems) -> Floats:
    """Score all documents but one, for each one: float64 (D, S, K, 3)."""
    rest = systems.totals - systems.parts.array.transpose(1, 0, 2)
    return systems.scores(rest, max(1, systems.n_documents - 1))


def estimates(runs: dict[str, BatchScores], systems: Systems) -> Floats:
    """Score all documents exactly as `BatchScores` does, float64 (S, K, 3)."""
    found = np.empty((len(runs), len(systems.metrics), len(FIELDS)))
    for s, b in enumerate(runs.values()):
        scored = BatchScores(systems.metrics, b.counts, b.signature)
        source = scored.corpus if systems.average == "micro" else scored.macro
        for k, metric in enumerate(systems.metrics):
            found[s, k] = [getattr(source[metric], field) for field in FIELDS]
    return found


def contrast(values: Floats) -> Floats:
    """Take the only system's values, or the first's minus the second's: float64 (..., S, K, 3) -> (..., K, 3)."""
    return values[..., 0, :, :] if values.shape[-3] == 1 else values[..., 0, :, :] - values[..., 1, :, :]


def summarise(
    estimate: Floats, values: Floats, centre: Floats, without: Floats | None, method: str, confidence: float
) -> list[list[Interval]]:
    """Make an interval of each of K x F statistics.

    Args:
        estimate: float64 (K, F) to report.
        values: float64 (R, K, F) replicates; nan where there is nothing to tell.
        centre: float64 (K, F) on all documents, by the replicates' arithmetic.
        without: float64 (D, K, F) without each document, for ``bca``.
        method: of `interval`.
        confidence: likewise.
    """

    def one(k: int, f: int) -> Interval:
        column = np.ascontiguousarray(values[:, k, f])
        rest = None if without is None else without[:, k, f]
        low, high = interval(column, float(centre[k, f]), rest, method, confidence)
        error = float(column.std(ddof=1)) if column.size > 1 else float("nan")
        return Interval(float(estimate[k, f]), low, high, error)

    return [[one(k, f) for f in range(estimate.shape[1])] for k in range(estimate.shape[0])]
