"""Find the best setting of a sweep, and the settings that may be as good; the resampling is `arraycoref.stats`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import DocumentMismatchError, InputError
from arraycoref.metrics import direction
from arraycoref.metrics.score import Floats
from arraycoref.records import Record
from arraycoref.report.notebook import Shown
from arraycoref.report.values import shown
from arraycoref.results import BatchScores
from arraycoref.sweeps import tables
from arraycoref.sweeps.settings import Setting, parameters_of, text_of

if TYPE_CHECKING:
    from arraycoref.report.table import TextTable
    from arraycoref.stats import Interval

SETTINGS_AT_ONCE = 64
TOLERANCE = 1e-12  # sums of fractions such as 1/3 tie only up to rounding


@dataclass(frozen=True, eq=False)
class Best(Record, Shown):
    """The best of S settings by one score.

    Attributes:
        setting: the best setting, the earliest of equals.
        position: its position in the sweep.
        score: its score with its confidence interval, fractions. The best of many scores is too high an estimate of
            what its setting gives on other documents, the more so the more settings; the interval does not know that.
        pvalues: float64 (S,) of each setting being as good as any; NaN where there is one document only.
        confidence: of the interval; the truly best setting is among the `rivals` at least this often.
        positions: int64 (R + 1,) the best setting and its rivals, from the best to the worst.
        settings: (R + 1,) the same as settings.
        metric: name of the metric that was compared.
        measure: ``recall``, ``precision`` or ``f1``, which was compared.
        n_resamples: behind interval and tests.
        seed: repeats the numbers.
        notes: what a reader should know before trusting them.
    """

    setting: Setting
    position: int
    score: Interval
    pvalues: Floats
    confidence: float
    positions: np.ndarray[tuple[int], np.dtype[np.int64]]
    settings: tuple[Setting, ...]
    metric: str
    measure: str
    n_resamples: int
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def rivals(self) -> tuple[Setting, ...]:
        """Settings that may be as good as the best, from the best to the worst of them, without the best."""
        return self.settings[1:]

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the best setting and its rivals."""
        return [tables.best_table(self)]

    def caption(self, digits: int) -> list[str]:
        """Say how good the best setting is."""
        return [str(self), *self.notes]

    def columns(self) -> dict[str, Any]:
        """Return a row for the best setting and each rival: its parameters, and the p-value of being as good as any."""
        return parameters_of(self.settings) | {"pvalue": self.pvalues[self.positions]}

    def __str__(self) -> str:
        s = self.score
        estimate, low, high = (shown(value, self.metric) for value in (s.estimate, s.low, s.high))
        head = f"{text_of(self.setting)}: {self.metric} {self.measure} {estimate}"
        if math.isnan(s.low):
            return f"{head}, without an interval: there is one document only"
        return (
            f"{head} [{low}, {high}], "
            f"not significantly different from {len(self.rivals)} of {self.pvalues.size - 1} others"
        )


def find_best(
    settings: Sequence[Setting],
    runs: Sequence[BatchScores],
    scores: Floats,
    metric: str,
    measure: str,
    confidence: float,
    resamples: int,
    seed: int,
    threads: int = 1,
) -> Best:
    """Find the best setting, its interval, and its rivals.

    A setting stays a rival unless a bootstrap of the documents rejects that it is as good as the best: with c the score
    of a resample minus the score of all documents, the p-value of setting s is how often max(c) - c_s is at least
    max(score) - score_s. As the maximum is taken anew in each resample, it is accounted for that the best was
    picked after looking, and no further correction for the number of settings is needed.

    Args:
        settings: (S,) their names.
        runs: (S,) their scores, all on the same documents.
        scores: float64 (S,) the corpus scores that are compared.
        metric: that was scored.
        measure: ``recall``, ``precision`` or ``f1``.
        confidence: 1 minus the level of the tests.
        resamples: of the documents.
        seed: of the resamples.
        threads: threads over blocks of resamples; no number depends on it.

    Raises:
        InputError: no settings or no documents, or a confidence outside 0-1.

    Source: White (2000), section 2, with every setting as the benchmark; Hansen et al. (2011).
    """
    from arraycoref.stats import bootstrap

    n_documents = len(runs[0]) if runs else 0
    if not n_documents:
        raise InputError(f"the sweep has {len(runs)} settings and {n_documents} documents; expected some")
    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence is {confidence}; expected a fraction between 0 and 1, such as 0.95")
    order = ranked(scores, metric)
    best = int(order[0])
    intervals = bootstrap(
        runs[best], metrics=(metric,), confidence=confidence, n_resamples=resamples, seed=seed, threads=threads
    )
    score: Interval = getattr(intervals[metric], measure)
    scores = direction(metric) * scores
    noise = direction(metric) * resampled(runs, metric, measure, resamples, seed, threads) - scores
    reach = noise.max(axis=1)
    gaps = scores[best] - scores - TOLERANCE
    pvalues = np.array(
        [1.0 + np.count_nonzero(reach - column >= gap) for column, gap in zip(noise.T, gaps, strict=True)]
    )
    pvalues = np.where(np.isnan(reach).any(), np.nan, pvalues / (1.0 + resamples))
    rivals = order[~(pvalues[order] < 1.0 - confidence)]
    rivals = np.concatenate(([best], rivals[rivals != best]))
    chosen = tuple(settings[position] for position in rivals)
    return Best(
        chosen[0], best, score, pvalues, confidence, rivals, chosen, metric, measure, resamples, seed, intervals.notes
    )


def ranked(scores: Floats, metric: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return positions from the best score of a metric to the worst, int64 (S,); the earlier first of equals."""
    return np.argsort(-direction(metric) * scores, kind="stable")


def resampled(
    runs: Sequence[BatchScores], metric: str, measure: str, resamples: int, seed: int, threads: int = 1
) -> Floats:
    """Score resamples of the documents, the same for all settings, float64 (R, S); NaN if there is one document."""
    from arraycoref.stats.bootstrapping import replicates
    from arraycoref.stats.comparable import check_field
    from arraycoref.stats.systems import Systems

    field = check_field(measure, metric)
    values = np.empty((resamples, len(runs)))
    for first in range(0, len(runs), SETTINGS_AT_ONCE):
        some = runs[first : first + SETTINGS_AT_ONCE]
        systems = Systems.of({str(position): run for position, run in enumerate(some)}, (metric,), "micro")
        values[:, first : first + len(some)] = replicates(systems, resamples, seed, threads=threads)[:, :, 0, field]
    return values


def require_shared_documents(
    scored: NDArray[np.bool_], settings: Sequence[str], documents: Sequence[str] | None
) -> None:
    """Refuse settings that were scored on different documents: resampling documents does not compare them.

    Args:
        scored: bool (S, D) which documents each setting was scored on.
        settings: (S,) as text.
        documents: (D,) names, or None.

    Raises:
        DocumentMismatchError: they were.
    """
    differing = (scored != scored[:1]).any(axis=1)
    if differing.any():
        s = int(differing.argmax())
        d = int((scored[s] != scored[0]).argmax())
        has, lacks = (0, s) if scored[0, d] else (s, 0)
        raise DocumentMismatchError(
            f"document {(documents[d] if documents else d)!r} was scored for setting {settings[has]} but skipped for "
            f"{settings[lacks]}, so that their scores cannot be compared; Sweep.on_shared_documents() keeps the "
            "documents that all have"
        )


def bands(
    runs: Sequence[BatchScores], metric: str, measure: str, confidence: float, resamples: int, seed: int
) -> Floats:
    """Return lower and upper ends of the percentile interval of every setting, (2, S); NaN if there is one document."""
    tail = (1.0 - confidence) / 2.0
    return np.quantile(resampled(runs, metric, measure, resamples, seed), [tail, 1.0 - tail], axis=0)
