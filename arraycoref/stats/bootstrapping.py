"""Find bootstrap confidence intervals of scores and of differences, for all metrics from the same resamples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

import numpy as np

from arraycoref.metrics.base import RATIOS
from arraycoref.metrics.score import Floats
from arraycoref.options import takes
from arraycoref.results import BatchScores
from arraycoref.stats.comparable import document_notes
from arraycoref.stats.intervals import Interval, Intervals, ScoreInterval, interval
from arraycoref.stats.options import STATISTICS, BootstrapOptions, Settings
from arraycoref.stats.resampling import multiplicities, over_blocks
from arraycoref.stats.systems import Systems


@takes(BootstrapOptions, known=STATISTICS)
def bootstrap(b: BatchScores, other: BatchScores | None = None, **options: Unpack[BootstrapOptions]) -> Intervals:
    """Find confidence intervals of scores, or of the difference between two systems, by resampling documents.

        >>> import arraycoref as ac
        >>> key, response = [0, 0, 1, 1] * 5, [0, 0, 1, 1] * 2 + [0, 1, 1, 1] * 3  # two documents of five are right
        >>> b = ac.score_labels_batch(key, response, range(0, 21, 4))
        >>> recall = ac.bootstrap(b, method="percentile")["bcub"].recall
        >>> recall.low, recall.estimate, recall.high
        (0.75, 0.85, 0.95)

    Args:
        b: scores of D documents.
        other: scores of another system on the same documents; the intervals are then those of ``b`` minus ``other``.
        **options: see `arraycoref.stats.options`.

    Raises:
        InputError: no documents, an option out of range, systems scored under different conventions.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored, a method or average that does not exist.

    Source: Efron and Tibshirani (1993); resampling documents: Berg-Kirkpatrick et al. (2012).
    """
    settings = Settings.of(options, BootstrapOptions)
    runs = {"b": b} if other is None else {"b": b, "other": other}
    systems = Systems.of(runs, settings.metrics, settings.average)
    found = iter(intervals_of(systems, settings, lambda values: contrast(values).reshape(*values.shape[:-3], -1)))
    by_metric = {metric: ScoreInterval(*(next(found) for _ in RATIOS)) for metric in systems.metrics}
    written = b.signature.profile if other is None else "paper"  # which rounds, as of any difference
    return settings.result(
        Intervals, items_by_metric=by_metric, n_documents=len(b), notes=document_notes(b), profile=written
    )


def intervals_of(systems: Systems, settings: Settings, pick: Callable[[Floats], Floats]) -> list[Interval]:
    """Find an interval of each of N statistics, from the same resamples for all.

    Args:
        systems: the systems.
        settings: method, confidence and resamples.
        pick: takes the statistics from scores, float64 (..., S, K, 3) -> (..., N).
    """
    drawn = replicates(systems, settings.n_resamples, settings.seed, threads=settings.threads, batch=settings.batch)
    estimate, centre = pick(systems.estimates()), pick(systems.scores(systems.totals, systems.n_documents))
    without = pick(leave_one_out(systems)) if settings.method == "bca" else None
    found = []
    for n, values in enumerate(np.ascontiguousarray(pick(drawn).T)):
        rest = None if without is None else without[:, n]
        low, high = interval(values, float(centre[n]), rest, settings.method, settings.confidence)
        error = float(values.std(ddof=1)) if values.size > 1 else float("nan")
        found.append(Interval(float(estimate[n]), low, high, error))
    return found


def replicates(
    systems: Systems,
    n_resamples: int,
    seed: int,
    *,
    n_draws: int | None = None,
    threads: int = 1,
    batch: int | None = None,
) -> Floats:
    """Score resamples of ``n_draws`` documents, D unless given: float64 (R, S, K, 3), nan if there is one document."""
    n = systems.n_documents if n_draws is None else n_draws
    weights = multiplicities(seed, systems.n_documents, n)
    draws = min(n, 8 * systems.n_documents)

    def score(drawn: Floats) -> Floats:
        return systems.scores(systems.sums(drawn), n)

    values = np.concatenate(list(over_blocks(score, weights, n_resamples, draws, threads=threads, batch=batch)))
    if systems.n_documents == 1:
        values[...] = np.nan  # every resample is that document
    return values


def leave_one_out(systems: Systems) -> Floats:
    """Score all documents but one, for each one: float64 (D, S, K, 3)."""
    rest = systems.totals - systems.parts.array.transpose(1, 0, 2)
    return systems.scores(rest, max(1, systems.n_documents - 1))


def contrast(values: Floats) -> Floats:
    """Take the only system's values, or the first's minus the second's: float64 (..., S, K, 3) -> (..., K, 3)."""
    return values[..., 0, :, :] if values.shape[-3] == 1 else values[..., 0, :, :] - values[..., 1, :, :]
