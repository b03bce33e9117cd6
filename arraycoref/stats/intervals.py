"""Find bootstrap confidence intervals of scores and of differences, for all metrics from the same resamples."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple, Unpack
from unicodedata import normalize

import numpy as np

from arraycoref.display.formats import Report
from arraycoref.display.tables import Styled, TextTable, in_latex, plural
from arraycoref.options import Metrics
from arraycoref.ragged import Floats
from arraycoref.scoring.counts import undefined
from arraycoref.scoring.format import fields_of, format_score, metric_title, unit
from arraycoref.scoring.metrics.registry import RATIOS, find_metric, known_metric, with_own_field
from arraycoref.scoring.metrics.score import DIGITS
from arraycoref.scoring.reports import ScoresReport
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature
from arraycoref.stats.draws import Draws, IntervalOptions, how_of
from arraycoref.stats.few_errors import ENOUGH, Ends, unit_ends
from arraycoref.stats.how import LINEARIZED, How
from arraycoref.stats.notes import certain_notes, few_notes, range_text, sample_notes, undefined_notes
from arraycoref.stats.run_scores import RunScores
from arraycoref.stats.sample import Sample, sample_of


@dataclass(frozen=True, eq=False)
class Interval:
    """A score, or a difference of scores, with its confidence interval: fractions, or numbers if the metric is a count.

    Attributes:
        estimate: the value on all documents.
        low: lower end; nan if nothing can be resampled, or if the value is undefined in a resample.
        high: upper end, the same.
        standard_error: standard deviation of the values in the resamples, or of the linearized value.
        errors: effective number of errors in one clustering, if they are so few that the interval allows for one more;
            None for others.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    errors: float | None = None

    def cells(self, metric: str, digits: int = 2, *, profile: str = "paper", sign: str = "") -> tuple[Styled, Styled]:
        """Write the estimate and the interval, both empty where undefined; arguments as of `format_score`."""
        values = self.estimate, self.low, self.high
        estimate, low, high = (format_score(value, metric, digits, profile=profile, sign=sign) for value in values)
        maths = "$" if sign else ""
        ends = f"{low} to {high}" if low and high else ""
        return in_latex(estimate, f"{maths}{estimate}{maths}"), in_latex(ends, f"{maths}[{low}, {high}]{maths}")

    def in_brackets(self, metric: str, digits: int = 2, *, profile: str = "paper") -> str:
        """Write the estimate, followed by the interval in brackets if that is defined."""
        estimate, ends = self.cells(metric, digits, profile=profile)
        return f"{estimate} {ends.latex}" if ends else estimate


@dataclass(frozen=True, eq=False)
class ScoreInterval:
    """The intervals of one metric; those of recall and precision are nan for the CoNLL average, which has neither."""

    recall: Interval
    precision: Interval
    f1: Interval


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Intervals(Report, Mapping[str, ScoreInterval]):
    """Confidence intervals by metric, all from the same resamples: ``intervals["muc"].f1.low``.

    Attributes:
        items_by_metric: the intervals of each metric.
        n_documents: number of documents.
        profile: profile of the scores; ``conll`` cuts percentages off after their decimals, others round them.
        how: how documents were resampled.
        notes: what a reader should know before trusting the numbers, and what happened in the runs.
        signature: signature of the scores.
    """

    items_by_metric: Mapping[str, ScoreInterval]
    n_documents: int
    profile: str
    how: How
    notes: tuple[str, ...]
    signature: Signature
    key_columns: ClassVar[tuple[str, ...]] = ("metric", "field")

    def __getitem__(self, metric: str) -> ScoreInterval:
        return with_own_field(self.items_by_metric[known_metric(metric, self.items_by_metric)], metric)

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_by_metric)

    def __len__(self) -> int:
        return len(self.items_by_metric)

    def facts(self) -> dict[str, Any]:
        """Return how the intervals were made."""
        return self.how.facts("method", "confidence", "resamples", "resample_by", "seed")

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
        how, seed = ("no interval", "") if self.is_empty else self.how.intervals(few)
        documents = plural(self.n_documents, "document")
        about = f"{how}, {documents}, {self.how.average} average, {unit(*self)}{seed}"
        return [about, *self.notes, str(self.signature)]

    def cite(self, digits: int = 2) -> str:
        """Write a sentence for a paper, with F, intervals, version and profile, and BibTeX of the metrics' sources."""
        profile, sources = self.signature.profile, list[str]()
        for name in self:
            source = normalize("NFKD", find_metric(name).source).encode("ascii", "ignore").decode()
            sources.append("".join(re.findall(r"^\w+|(?<=\()\d{4}", source)).lower())
        text = files("arraycoref.scoring.metrics").joinpath("sources.bib").read_text("utf-8")
        scores = [f"{metric_title(m)} F1 {own.f1.in_brackets(m, digits, profile=profile)}" for m, own in self.items()]
        entries = [entry for entry in text.split("\n\n") if re.findall(r"{(\w+),", entry)[0] in sources]
        about = f"{', '.join(scores)}, with {self.caption(digits)[0]}; computed by arraycoref ({self.signature})."
        return "\n\n".join([about, *entries])

    @property
    def is_empty(self) -> bool:
        """Whether no interval is defined, as of one document."""
        return all(math.isnan(i.low) for score in self.values() for i in vars(score).values())

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
    how, draws = how_of(options, IntervalOptions)
    runs = RunScores.from_scores({"b": b} if other is None else {"b": b, "other": other}, metrics)
    sample, how = sample_of(runs, how)
    resampled = Resamples.from_sample(sample, draws, how.method, how.confidence)
    found, units, lost = dict[str, ScoreInterval](), [], dict[str, Any]()
    for k, metric in enumerate(sample.metrics):
        lost[metric] = undefined(runs.counts, metric, sample.signature).all(axis=-1).any(axis=-1)  # in all documents
        fields = [resampled.interval(k, f, 0, None if other is None else 1) for f in range(len(RATIOS))]
        both = zip(fields, lost[metric], strict=True)
        found[metric] = ScoreInterval(*(Interval(i.estimate, *3 * [math.nan]) if no else i for (i, _), no in both))
        units.append([fields[RATIOS.index(fields_of(metric)[-1])].units])
    certain = certain_notes(sample, lost, how.confidence) if other is None else ()
    notes = sample_notes(runs, sample, units, how, is_difference=other is not None)
    return Intervals(
        items_by_metric=found,
        n_documents=runs.n_documents,
        profile=b.signature.profile if other is None else "paper",  # differences are always rounded
        notes=(*notes, *few_notes(how), *undefined_notes(sample, lost), *certain),
        signature=sample.signature,
        how=how,
    )


class IntervalWithUnits(NamedTuple):
    """The interval of a score, or of a difference of scores.

    Attributes:
        interval: all nan for the difference of a system from itself.
        units: what units of one clustering say about it; the defaults for documents.
    """

    interval: Interval
    units: Ends


@dataclass(frozen=True, eq=False)
class Resamples:
    """Scores of S systems and of their resamples, from which intervals are found.

    Attributes:
        estimates: float64 (K, 3, S) scores on all documents.
        drawn: float64 (K, 3, S, R) scores on R resamples; None for ``linearized``.
        without: float64 (K, 3, S, D) scores without each document, for ``bca``; None for others.
        confidence: confidence level of the intervals.
        sample: the units that were resampled; None if runs were redrawn too.
    """

    estimates: Any
    drawn: Any
    without: Any
    confidence: float
    sample: Sample | None = None

    @classmethod
    def from_sample(cls, sample: Sample, draws: Draws, method: str, confidence: float) -> Resamples:
        """Resample the units of a sample, or take their influences."""
        drawn = None if method == LINEARIZED else draws.replicates(sample)
        without = sample.leave_one_out() if method == "bca" else None
        return cls(sample.estimates, drawn, without, confidence, sample)

    def interval(self, k: int, f: int, s: int, other: int | None = None) -> IntervalWithUnits:
        """Find the interval of a system in a metric and field, or that of its difference from another system."""
        if s == other:
            return IntervalWithUnits(Interval(*4 * [math.nan]), Ends())

        def scores(values: Any) -> Any:
            return values[k, f, s] - (0.0 if other is None else values[k, f, other])

        by_unit = None if self.sample is None or self.sample.clustering is None else self.sample
        units = Ends() if by_unit is None else unit_ends(by_unit, k, f, s, other, self.confidence)
        estimate = float(scores(self.estimates))
        if self.drawn is None:
            few = units.errors if units.errors < ENOUGH else None
            return IntervalWithUnits(Interval(estimate, units.low, units.high, units.spread.error, few), units)
        drawn, without = scores(self.drawn), None if self.without is None else scores(self.without)
        if by_unit is not None:
            drawn = estimate + (drawn - estimate) * units.spread.design_effect**0.5
        error = float(drawn.std(ddof=1)) if drawn.size > 1 else math.nan
        return IntervalWithUnits(Interval(estimate, *ends_of(drawn, estimate, without, self.confidence), error), units)

    def intervals(self, *columns: tuple[int, int, int | None]) -> list[tuple[IntervalWithUnits, ...]]:
        """Find the intervals of all systems in columns: a metric, a field, and a system to differ from or None.

        They are found system by system, as the rows of one clustering are kept for few systems.
        """
        found = [[self.interval(k, f, s, other) for k, f, other in columns] for s in range(self.estimates.shape[-1])]
        return list(zip(*found, strict=True))

    def ends(self) -> Floats:
        """Find the lower and the upper ends of all intervals, float64 (2, K, 3, S)."""
        found = self.intervals(*((k, f, None) for k, f in np.ndindex(self.estimates.shape[:2])))
        ends = [[(each.interval.low, each.interval.high) for each in column] for column in found]
        return np.moveaxis(np.array(ends), -1, 0).reshape(2, *self.estimates.shape)


def ends_of(drawn: Floats, center: float, without: Floats | None, confidence: float) -> tuple[float, float]:
    """Find the ends of a confidence interval; both are nan if any replicate is nan.

    Args:
        drawn: float64 (R,) the statistic on each resample.
        center: the statistic on all documents.
        without: float64 (D,) the statistic without each document, for ``bca``; None for ``percentile``.
        confidence: between 0 and 1.

    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, equations 13.4, 14.10, 14.14 and 14.15.
    """
    if np.isnan(drawn).any():
        return math.nan, math.nan
    alpha = (1.0 - confidence) / 2.0
    levels = (alpha, 1.0 - alpha) if without is None else _bca_levels(drawn, center, without, alpha)
    low, high = np.quantile(drawn, levels).tolist()
    return low, high


def _bca_levels(replicates: Floats, center: float, leave_one_out: Floats, alpha: float) -> tuple[float, float]:
    """Shift the quantile levels ``alpha`` and ``1 - alpha`` by the bias and skewness of the statistic.

    Args:
        replicates: float64 (R,) the statistic on each resample; those equal to ``center`` but for rounding count half.
        center: the statistic on all documents.
        leave_one_out: float64 (D,) the statistic without each document.
        alpha: share of the replicates below the lower end.
    """
    normal, rounding = NormalDist(), 10.0**-DIGITS
    less, most = np.count_nonzero(replicates < center - rounding), np.count_nonzero(replicates <= center + rounding)
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


@dataclass(frozen=True)
class ScoresWithIntervals(ScoresReport):
    """Scores of a batch and their intervals, as ``arraycoref score --intervals`` prints them; documents have none.

    Attributes:
        intervals: of the scores that are printed: of the corpus, or of means over documents.
    """

    intervals: Any = None

    @classmethod
    def from_batch(cls, b: BatchScores, *, macro: bool, **options: Any) -> ScoresWithIntervals:
        """Find the intervals of scores; the options are those of `arraycoref.bootstrap`."""
        return cls(b, macro=macro, intervals=bootstrap(b, average="macro" if macro else "micro", **options))

    @property
    def notes(self) -> Sequence[str]:
        """What happened in the run, and what a reader should know before trusting the intervals."""
        return tuple(dict.fromkeys((*super().notes, *self.intervals.notes)))

    def tables(self, digits: int) -> list[TextTable]:
        """Return the tables of the scores, with a column of intervals after F."""
        *documents, table = super().tables(digits)
        if self.intervals.is_empty:
            return [*documents, table]
        profile, ends = self.b.signature.profile, [f"{self.intervals.how.level} interval"]
        for row in self.in_table:
            score = None if row.link_class else self.intervals[row.metric].f1
            ends.append(score.cells(row.metric, digits, profile=profile)[1] if score else "")
        before = zip((table.headers, *table.rows), ends, strict=True)
        headers, *rows = ([*row[:4], end, *row[4:]] for row, end in before)
        return [*documents, replace(table, headers=headers, rows=rows)]

    def caption(self, digits: int) -> list[str]:
        """Describe the numbers and how the intervals were made."""
        about, *more = super().caption(digits)
        return [about, self.intervals.caption(digits)[0], *more]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the scores, with the ends of all intervals before the notes; documents have none."""
        for row in super().rows():
            found = None if self.per_document else self.intervals.get(row["metric"])
            fields = () if self.per_document else RATIOS
            ends = {
                f"{field}_{end}": None if found is None else getattr(getattr(found, field), end)
                for field in fields
                for end in ("low", "high")
            }
            yield {**row, **ends, "notes": row["notes"]}

    def nested(self) -> Any:
        """Return what the scores hold, and ``intervals``: how they were made, and a row for each metric and field."""
        made = {name: value for name, value in self.intervals.nested().items() if name not in ("signature", "notes")}
        return super().nested() | {"notes": list(self.notes), "intervals": made}
