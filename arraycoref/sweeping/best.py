"""The best setting of a sweep, and the settings that cannot be told from it; the resampling is `arraycoref.stats`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arraycoref.errors import InputError
from arraycoref.sweeping.settings import Setting, text_of
from arraycoref.sweeping.subsets import check_shared_documents
from arraycoref.sweeping.sums import Floats

if TYPE_CHECKING:
    from arraycoref.stats import Interval
    from arraycoref.sweeping.result import Sweep

SETTINGS_AT_ONCE = 64
TOLERANCE = 1e-12  # sums of fractions such as 1/3 tie only up to rounding


@dataclass(frozen=True, eq=False)
class Best:
    """The best of S settings by one score.

    Attributes:
        setting: the best setting, the earliest of equals.
        position: where it stands in the sweep.
        score: its score with its confidence interval, fractions. The best of many scores is too high an estimate of
            what its setting gives on other documents, the more so the more settings; the interval does not know that.
        pvalues: float64 (S,) of each setting being as good as any; NaN where there is one document only.
        confidence: of the interval; the truly best setting is among the `rivals` at least this often.
        positions: int64 (R + 1,) the best setting and its rivals, from the best to the worst.
        settings: (R + 1,) the same as settings.
        metric: what was compared, with ``measure``.
        measure: as above.
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
        """Settings that cannot be told from the best, from the best to the worst of them, without the best."""
        return self.settings[1:]

    def __str__(self) -> str:
        s = self.score
        head = f"{text_of(self.setting)}: {self.metric} {self.measure} {100 * s.estimate:.2f}"
        if math.isnan(s.low):
            return f"{head}, without an interval: there is one document only"
        return (
            f"{head} [{100 * s.low:.2f}, {100 * s.high:.2f}], "
            f"not significantly different from {len(self.rivals)} of {self.pvalues.size - 1} others"
        )


def find_best(
    sweep: Sweep,
    metric: str,
    measure: str,
    *,
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
        sweep: S settings.
        metric: that was scored.
        measure: ``recall``, ``precision`` or ``f1``.
        confidence: 1 minus the level of the tests.
        resamples: of the documents.
        seed: of the resamples.
        threads: threads over blocks of resamples; no number depends on it.

    Raises:
        InputError: no settings or no documents, or a confidence outside 0-1.
        DocumentMismatchError: settings that were scored on different documents.

    Source: White (2000), section 2, for every setting in the place of the benchmark; Hansen et al. (2011).
    """
    from arraycoref.stats import bootstrap

    if not len(sweep) or not sweep.n_documents:
        raise InputError(f"the sweep has {len(sweep)} settings and {sweep.n_documents} documents; expected some")
    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence is {confidence}; expected a fraction between 0 and 1, such as 0.95")
    check_shared_documents(sweep)
    order = sweep.order(metric, measure)
    best = int(order[0])
    intervals = bootstrap(
        sweep[best], metrics=(metric,), confidence=confidence, n_resamples=resamples, seed=seed, threads=threads
    )
    scores = sweep.score(metric, measure)
    noise = resampled(sweep, metric, measure, resamples, seed, threads) - scores
    reach = noise.max(axis=1)
    gaps = scores[best] - scores - TOLERANCE
    pvalues = np.array(
        [1.0 + np.count_nonzero(reach - column >= gap) for column, gap in zip(noise.T, gaps, strict=True)]
    )
    pvalues = np.where(np.isnan(reach).any(), np.nan, pvalues / (1.0 + resamples))
    rivals = order[~(pvalues[order] < 1.0 - confidence)]
    rivals = np.concatenate(([best], rivals[rivals != best]))
    return Best(
        sweep.settings[best],
        best,
        getattr(intervals[metric], measure),
        pvalues,
        confidence,
        rivals,
        tuple(sweep.settings[position] for position in rivals),
        metric,
        measure,
        resamples,
        seed,
        intervals.notes,
    )


def resampled(sweep: Sweep, metric: str, measure: str, resamples: int, seed: int, threads: int = 1) -> Floats:
    """Score resamples of the documents, the same for all settings, float64 (R, S); NaN if there is one document.

    Raises:
        DocumentMismatchError: settings that were scored on different documents.
    """
    from arraycoref.stats.bootstrapping import replicates
    from arraycoref.stats.comparable import check_field
    from arraycoref.stats.systems import Systems

    field = check_field(measure, metric)
    check_shared_documents(sweep)
    values = np.empty((resamples, len(sweep)))
    for first in range(0, len(sweep), SETTINGS_AT_ONCE):
        some = range(first, min(first + SETTINGS_AT_ONCE, len(sweep)))
        systems = Systems.of({str(position): sweep.batch(position) for position in some}, (metric,), "micro")
        values[:, some.start : some.stop] = replicates(systems, resamples, seed, threads=threads)[:, :, 0, field]
    return values


def bands(
    sweep: Sweep, metric: str, measure: str, confidence: float, resamples: int, seed: int
) -> tuple[Floats, Floats]:
    """Return the lower and upper ends (S,) of every setting's percentile interval; NaN if there is one document."""
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(resampled(sweep, metric, measure, resamples, seed), [tail, 1.0 - tail], axis=0)
    return low, high
