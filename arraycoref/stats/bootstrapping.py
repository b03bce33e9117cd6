"""Find bootstrap confidence intervals of scores and of differences, for all metrics from the same resamples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Unpack

import numpy as np

from arraycoref.deadline import within_time
from arraycoref.errors import check_name
from arraycoref.records import Record
from arraycoref.report.formats import Displayable, plain
from arraycoref.report.tables import TextTable, number_of
from arraycoref.scoring.metrics.registry import RATIOS
from arraycoref.scoring.metrics.score import Floats
from arraycoref.scoring.rows import fields_of, format_score, unit
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.comparable import document_notes
from arraycoref.stats.options import BootstrapOptions, Resampled, Settings
from arraycoref.stats.resampling import multiplicities, over_blocks
from arraycoref.stats.systems import Systems


@dataclass(frozen=True, eq=False)
class Interval(Record):
    """A score, or a difference of scores, with its confidence interval: fractions, or numbers if the metric is a count.

    Attributes:
        estimate: the value on all documents.
        low: lower end; nan if there is one document, or if the value is undefined in a resample.
        high: upper end, likewise.
        standard_error: standard deviation of the values in the resamples.
    """

    estimate: float
    low: float
    high: float
    standard_error: float

    def cells(self, metric: str, digits: int = 2, *, profile: str = "paper", sign: str = "") -> tuple[str, str]:
        """Write the estimate and the interval, both empty where undefined; arguments as of `format_score`."""
        estimate, low, high = (
            format_score(value, metric, digits, profile=profile, sign=sign)
            for value in (self.estimate, self.low, self.high)
        )
        return estimate, f"{low} to {high}" if low and high else ""

    def in_brackets(self, metric: str, digits: int = 2, *, profile: str = "paper") -> str:
        """Write the estimate, followed by the interval in brackets if that is defined."""
        estimate, ends = self.cells(metric, digits, profile=profile)
        return f"{estimate} [{ends.replace(' to ', ', ')}]" if ends else estimate


@dataclass(frozen=True, eq=False)
class ScoreInterval(Record):
    """The intervals of one metric; those of recall and precision are nan for the CoNLL average, which has neither."""

    recall: Interval
    precision: Interval
    f1: Interval


@dataclass(frozen=True, eq=False, kw_only=True)
class Intervals(Resampled, Displayable, Mapping[str, ScoreInterval]):
    """Confidence intervals by metric, all from the same resamples: ``intervals["muc"].f1.low``.

    Attributes:
        items_by_metric: the intervals of each metric.
        method: ``percentile``, ``basic`` or ``bca``.
        confidence: level of each interval by itself, not of all together.
        n_documents: number of documents that were resampled.
        profile: profile of the scores; ``conll`` cuts percentages off after their decimals, others round them.
    """

    items_by_metric: Mapping[str, ScoreInterval]
    method: str
    confidence: float
    n_documents: int
    profile: str = "paper"

    def __getitem__(self, metric: str) -> ScoreInterval:
        check_name("metric", metric, self.items_by_metric)
        return self.items_by_metric[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_by_metric)

    def __len__(self) -> int:
        return len(self.items_by_metric)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of metrics, of fields, of the plain numbers of an `Interval`; None in place of nan."""

        def numbers(interval: Interval) -> dict[str, float | None]:
            return {key: plain(value) for key, value in vars(interval).items()}

        return {metric: {f: numbers(i) for f, i in vars(score).items()} for metric, score in self.items()}

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out recall, precision and F of each metric, each with its interval."""
        headers = ["", *(head for field in ("recall", "precision", "F") for head in (field, "interval"))]
        rows = [
            [metric, *(cell for i in vars(score).values() for cell in i.cells(metric, digits, profile=self.profile))]
            for metric, score in self.items()
        ]
        return [TextTable(headers, rows)]

    def caption(self, digits: int) -> list[str]:
        """Describe how the intervals were made, and from how many documents."""
        how = f"{100 * self.confidence:g}% intervals ({self.method} bootstrap, {self.resamples} resamples)"
        documents = number_of(self.n_documents, "document")
        return [f"{how}, {documents}, {self.average} average, {unit(*self)}, seed {self.seed}", *self.notes]

    def columns(self) -> dict[str, Any]:
        """Return a row for each metric and field: estimate, low, high, standard error."""
        rows = [
            {"metric": metric, "field": field, **vars(getattr(score, field))}
            for metric, score in self.items()
            for field in fields_of(metric)
        ]
        names = ("metric", "field", *Interval.__annotations__)
        return {name: [row[name] for row in rows] for name in names}

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


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
    return settings.result(
        Intervals,
        items_by_metric=by_metric,
        n_documents=len(b),
        notes=document_notes(runs, settings.average),
        profile=b.signature.profile if other is None else "paper",  # differences are always rounded
    )


def intervals_of(systems: Systems, settings: Settings, pick: Callable[[Floats], Floats]) -> list[Interval]:
    """Find the interval of each of N statistics, from the same resamples for all.

    Args:
        systems: the systems.
        settings: method, confidence and resamples.
        pick: function that computes the statistics from scores, float64 (..., S, K, 3) -> (..., N).
    """
    drawn = replicates(systems, settings.resamples, settings.seed, threads=settings.threads, batch=settings.batch)
    estimate, centre = pick(systems.estimates()), pick(systems.scores(systems.totals, systems.n_documents))
    without = pick(leave_one_out(systems)) if settings.method == "bca" else None
    found = []
    for n, values in enumerate(within_time(np.ascontiguousarray(pick(drawn).T))):
        rest = None if without is None else without[:, n]
        low, high = interval(values, float(centre[n]), rest, settings.method, settings.confidence)
        error = float(values.std(ddof=1)) if values.size > 1 else float("nan")
        found.append(Interval(float(estimate[n]), low, high, error))
    return found


def replicates(
    systems: Systems,
    resamples: int,
    seed: int,
    *,
    n_draws: int | None = None,
    threads: int = 1,
    batch: int | None = None,
) -> Floats:
    """Score resamples of ``n_draws`` documents each (default: D), float64 (R, S, K, 3); all are nan if D is 1."""
    n = systems.n_documents if n_draws is None else n_draws
    weights = multiplicities(seed, systems.n_documents, n)
    draws = min(n, 8 * systems.n_documents)

    def score(drawn: Floats) -> Floats:
        return systems.scores(systems.sums(drawn), n)

    values = np.concatenate(list(over_blocks(score, weights, resamples, draws, threads=threads, batch=batch)))
    if systems.n_documents == 1:
        values[...] = np.nan  # every resample is that document
    return values


def leave_one_out(systems: Systems) -> Floats:
    """Score all documents but one, for each document left out: float64 (D, S, K, 3)."""
    rest = systems.totals - systems.parts.array.transpose(1, 0, 2)
    return systems.scores(rest, max(1, systems.n_documents - 1))


def contrast(values: Floats) -> Floats:
    """Return the values of an only system, or the first's minus the second's: float64 (..., S, K, 3) -> (..., K, 3)."""
    return values[..., 0, :, :] if values.shape[-3] == 1 else values[..., 0, :, :] - values[..., 1, :, :]


def interval(
    replicates: Floats, centre: float, leave_one_out: Floats | None, method: str, confidence: float
) -> tuple[float, float]:
    """Find the ends of a confidence interval.

    Args:
        replicates: float64 (R,) the statistic on each resample.
        centre: the statistic on all documents, computed by the same arithmetic as the replicates.
        leave_one_out: float64 (D,) the statistic without each document; for ``bca``.
        method: ``percentile``, ``basic`` or ``bca``.
        confidence: between 0 and 1.

    Returns:
        The lower and the upper end; both are nan if any replicate is nan.

    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, equations 13.4, 14.10, 14.14 and 14.15.
    """
    if np.isnan(replicates).any():
        return math.nan, math.nan
    alpha = (1.0 - confidence) / 2.0
    levels = (alpha, 1.0 - alpha)
    if method == "bca" and leave_one_out is not None:
        levels = _bca_levels(replicates, centre, leave_one_out, alpha)
    low, high = np.quantile(replicates, levels).tolist()
    return (2.0 * centre - high, 2.0 * centre - low) if method == "basic" else (low, high)


def _bca_levels(replicates: Floats, centre: float, leave_one_out: Floats, alpha: float) -> tuple[float, float]:
    """Shift the quantile levels ``alpha`` and ``1 - alpha`` by the bias and skewness of the statistic."""
    normal = NormalDist()
    below = (np.count_nonzero(replicates < centre) + np.count_nonzero(replicates <= centre)) / (2.0 * replicates.size)
    bias = normal.inv_cdf(min(max(below, 0.5 / replicates.size), 1.0 - 0.5 / replicates.size))
    influence = leave_one_out.mean() - leave_one_out
    spread = float((influence**2).sum())
    skew = float((influence**3).sum()) / (6.0 * spread**1.5) if spread**1.5 > 0.0 else 0.0

    def shifted(quantile: float) -> float:
        z = bias + quantile
        return normal.cdf(bias + z / (1.0 - skew * z)) if skew * z < 1.0 else float(z > 0.0)  # limit on the side of z

    tail = normal.inv_cdf(alpha)
    return shifted(tail), shifted(-tail)
