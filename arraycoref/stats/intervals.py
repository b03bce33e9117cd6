"""Find bootstrap confidence intervals of scores and of differences, for all metrics from the same resamples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, ClassVar, Unpack

import numpy as np

from arraycoref.options import Metrics
from arraycoref.ragged import Floats
from arraycoref.report.formats import Report
from arraycoref.report.tables import TextTable, number_of
from arraycoref.scoring.counts import undefined
from arraycoref.scoring.format import fields_of, unit
from arraycoref.scoring.metrics.registry import RATIOS, known_metric, with_own_field
from arraycoref.scoring.metrics.score import DIGITS
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.few_errors import ENOUGH, unit_ends
from arraycoref.stats.notes import certain_notes, few_notes, range_text, sample_notes
from arraycoref.stats.resampling import Draws, IntervalOptions, settings_of
from arraycoref.stats.results import LINEARISED, Interval, Resampled, interval_texts
from arraycoref.stats.runs import Runs
from arraycoref.stats.sample import Sample, sample_of


@dataclass(frozen=True, eq=False)
class ScoreInterval:
    """The intervals of one metric; those of recall and precision are nan for the CoNLL average, which has neither."""

    recall: Interval
    precision: Interval
    f1: Interval


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Intervals(Resampled, Report, Mapping[str, ScoreInterval]):
    """Confidence intervals by metric, all from the same resamples: ``intervals["muc"].f1.low``.

    Attributes:
        items_by_metric: the intervals of each metric.
        method: ``percentile``, ``bca`` or ``linearised``.
        confidence: level of each interval by itself, not of all together.
        n_documents: number of documents.
        profile: profile of the scores; ``conll`` cuts percentages off after their decimals, others round them.
    """

    items_by_metric: Mapping[str, ScoreInterval]
    method: str
    confidence: float
    n_documents: int
    profile: str
    key_columns: ClassVar[tuple[str, ...]] = ("metric", "field")

    def __getitem__(self, metric: str) -> ScoreInterval:
        return with_own_field(self.items_by_metric[known_metric(metric, self.items_by_metric)], metric)

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_by_metric)

    def __len__(self) -> int:
        return len(self.items_by_metric)

    def facts(self) -> dict[str, Any]:
        """Return how the intervals were made."""
        return {name: getattr(self, name) for name in ("method", "confidence", "resamples", "resample_by", "seed")}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each metric and field: estimate, low, high, standard error."""
        for metric, score in self.items():
            yield from ({"metric": metric, "field": f, **vars(getattr(score, f))} for f in fields_of(metric))

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
        found = [i.errors for score in self.values() for i in vars(score).values() if i.errors is not None]
        few = f"; few errors: {range_text(found, 1)} effective" if found else ""
        how, seed = interval_texts(self.confidence, self.method, self.resamples, self.seed, few)
        documents = number_of(self.n_documents, "document")
        about = f"{how}, {documents}, {self.average} average, {unit(*self)}{seed}"
        return [about, *self.notes, str(self.signature)]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


def bootstrap(
    b: BatchScores, other: BatchScores | None = None, *, metrics: Metrics = None, **options: Unpack[IntervalOptions]
) -> Intervals:
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
        metrics: names of metrics; None for all that were scored.
        **options: see `arraycoref.options`.

    Raises:
        InputError: no documents, an option out of range, systems scored under different conventions.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored, a method or average that does not exist.

    Source: Efron and Tibshirani (1993); resampling documents: Berg-Kirkpatrick et al. (2012).
    """
    asked, draws = settings_of(options, IntervalOptions)
    runs = Runs.of({"b": b} if other is None else {"b": b, "other": other}, metrics)
    sample = sample_of(runs, asked)
    bounds = Bounds.of(sample, draws, asked["method"], asked["confidence"])
    bounds = bounds if other is None else bounds.minus(1)
    found = {}
    for k, metric in enumerate(sample.metrics):
        lost: Any = undefined(runs.counts, metric, sample.signature).all(axis=-1).any(axis=-1)  # in all documents
        intervals = [bounds.interval(k, f, 0) for f in range(len(RATIOS))]
        intervals = [Interval(i.estimate, *3 * [math.nan]) if no else i for i, no in zip(intervals, lost, strict=True)]
        found[metric] = ScoreInterval(*intervals)
    return Intervals(
        items_by_metric=found,
        n_documents=runs.n_documents,
        profile=b.signature.profile if other is None else "paper",  # differences are always rounded
        notes=(
            *sample_notes(runs, sample, None if other is None else [(0, 1)], asked=asked),
            *few_notes(asked),
            *(certain_notes(sample, asked["confidence"]) if other is None else ()),
        ),
        signature=sample.signature,
        **asked,
    )


@dataclass(frozen=True, eq=False)
class Bounds:
    """Scores of S systems and of their resamples, from which intervals are found; the first axes are metric and field.

    Attributes:
        estimates: float64 (..., S) scores on all documents.
        drawn: float64 (..., S, R) scores on R resamples; None for ``linearised``.
        without: float64 (..., S, D) scores without each document, for ``bca``; None for others.
        confidence: confidence level of the intervals.
        sample: the units that were resampled; None for independent ones.
        reference: position of the system whose scores were subtracted; None for scores.
        place: metric and field, if the arrays have no axes for these.
    """

    estimates: Floats
    drawn: Any
    without: Floats | None
    confidence: float
    sample: Sample | None = None
    reference: int | None = None
    place: tuple[int, ...] = ()

    @classmethod
    def of(cls, sample: Sample, draws: Draws, method: str, confidence: float) -> Bounds:
        """Resample the units of a sample, or take their influences."""
        drawn = None if method == LINEARISED else draws.replicates(sample)
        without = sample.leave_one_out() if method == "bca" else None
        return cls(sample.estimates(), drawn, without, confidence, sample)

    def minus(self, reference: int, place: tuple[int, ...] = ()) -> Bounds:
        """Return the differences of all systems from one of them; in one metric and field, if ``place`` has these."""
        estimates = self.estimates[place]
        drawn, without = (None if scores is None else scores[place] for scores in (self.drawn, self.without))
        return replace(
            self,
            estimates=estimates - estimates[..., [reference]],
            drawn=None if drawn is None else drawn - drawn[..., [reference], :],
            without=None if without is None else without - without[..., [reference], :],
            reference=reference,
            place=place,
        )

    def interval(self, *place: int) -> Interval:
        """Find the interval of a metric, a field and a system; of a system alone, if these are those of one score."""
        estimate = float(self.estimates[place])
        *score, system = *self.place, *place
        pair = (system,) if self.reference is None else (system, self.reference)
        if self.drawn is None and self.sample is not None:
            ends = unit_ends(self.sample, score[0], score[1], system, self.reference, self.confidence)
            few = ends.errors if ends.errors < ENOUGH else None
            return Interval(estimate, ends.low, ends.high, self.sample.spread(*score, *pair).error, few)
        drawn = self.drawn[place]
        if self.sample is not None and self.sample.units.meetings:
            drawn = estimate + (drawn - estimate) * self.sample.stretch(*score, *pair)
        without = None if self.without is None else self.without[place]
        error = float(drawn.std(ddof=1)) if drawn.size > 1 else math.nan
        return Interval(estimate, *ends_of(drawn, estimate, without, self.confidence), error)

    def ends(self) -> Floats:
        """Find the lower and the upper ends of all intervals, float64 (2, ..., S)."""
        found = [self.interval(*place) for place in np.ndindex(self.estimates.shape)]
        return np.array([[i.low for i in found], [i.high for i in found]]).reshape(2, *self.estimates.shape)


def ends_of(drawn: Floats, centre: float, without: Floats | None, confidence: float) -> tuple[float, float]:
    """Find the ends of a confidence interval; both are nan if any replicate is nan.

    Args:
        drawn: float64 (R,) the statistic on each resample.
        centre: the statistic on all documents.
        without: float64 (D,) the statistic without each document, for ``bca``; None for ``percentile``.
        confidence: between 0 and 1.

    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, equations 13.4, 14.10, 14.14 and 14.15.
    """
    if np.isnan(drawn).any():
        return math.nan, math.nan
    alpha = (1.0 - confidence) / 2.0
    levels = (alpha, 1.0 - alpha) if without is None else _bca_levels(drawn, centre, without, alpha)
    low, high = _quantiles(drawn, levels)
    return low, high


def _quantiles(values: Floats, levels: Sequence[float]) -> list[float]:
    """Return what ``np.quantile(values, levels)`` does, to the bit, in a third of the time."""
    last = values.size - 1
    places = [level * last for level in levels]
    lower = [int(place) for place in places]
    ordered = np.partition(values, sorted({min(n + k, last) for n in lower for k in (0, 1)}))
    quantiles = []
    for place, n in zip(places, lower, strict=True):
        low, high, share = float(ordered[n]), float(ordered[min(n + 1, last)]), place - n
        apart = high - low
        quantiles.append(low + apart * share if share < 0.5 else high - apart * (1.0 - share))
    return quantiles


def _bca_levels(replicates: Floats, centre: float, leave_one_out: Floats, alpha: float) -> tuple[float, float]:
    """Shift the quantile levels ``alpha`` and ``1 - alpha`` by the bias and skewness of the statistic.

    Args:
        replicates: float64 (R,) the statistic on each resample; those equal to ``centre`` but for rounding count half.
        centre: the statistic on all documents.
        leave_one_out: float64 (D,) the statistic without each document.
        alpha: share of the replicates below the lower end.
    """
    normal, rounding = NormalDist(), 10.0**-DIGITS
    less, most = np.count_nonzero(replicates < centre - rounding), np.count_nonzero(replicates <= centre + rounding)
    below, least = (less + most) / (2.0 * replicates.size), 0.5 / replicates.size
    bias = normal.inv_cdf(min(max(below, least), 1.0 - least))
    influence = leave_one_out.mean() - leave_one_out
    spread = float((influence**2).sum())
    skew = float((influence**3).sum()) / (6.0 * spread**1.5) if spread**1.5 > 0.0 else 0.0

    def shifted(quantile: float) -> float:
        z = bias + quantile
        return normal.cdf(bias + z / (1.0 - skew * z)) if skew * z < 1.0 else float(z > 0.0)  # limit on the side of z

    tail = normal.inv_cdf(alpha)
    return shifted(tail), shifted(-tail)
