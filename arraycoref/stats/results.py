"""What results of statistics have in common: intervals, and how documents were resampled and systems tested."""

from __future__ import annotations

from dataclasses import dataclass

from arraycoref.report.formats import Report
from arraycoref.report.tables import Styled, in_latex
from arraycoref.scoring.format import format_score
from arraycoref.scoring.signature import Signature

TESTS = {"randomisation": "approximate randomisation", "bootstrap": "paired bootstrap"}
"""The tests, and their names in captions."""

LINEARISED = "linearised"
"""The method of intervals that come from influences of units, without resamples."""

METHODS = {"bca": "bca bootstrap", "percentile": "percentile bootstrap", LINEARISED: "linearised"}
"""The methods of intervals, and their names in captions."""


def interval_texts(confidence: float, method: str, resamples: int, seed: int, few: str = "") -> tuple[str, str]:
    """Say how intervals were made, and with which seed; nothing was drawn for linearised ones."""
    is_drawn = method != LINEARISED
    drawn = f", {resamples} resamples" * is_drawn
    return f"{100 * confidence:g}% intervals ({METHODS[method]}{drawn}{few})", f", seed {seed}" * is_drawn


CORRECTIONS = {"maxt": "step-down maxT", "holm": "Holm", "bh": "Benjamini-Hochberg", "none": "no correction"}
"""The corrections, and their names in captions."""

RIVAL = "="
"""The mark of a score that is not significantly different from the best, and may be as good."""


@dataclass(frozen=True, eq=False)
class Interval:
    """A score, or a difference of scores, with its confidence interval: fractions, or numbers if the metric is a count.

    Attributes:
        estimate: the value on all documents.
        low: lower end; nan if nothing can be resampled, or if the value is undefined in a resample.
        high: upper end, likewise.
        standard_error: standard deviation of the values in the resamples, or of the linearised value.
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
        estimate, low, high = (
            format_score(value, metric, digits, profile=profile, sign=sign)
            for value in (self.estimate, self.low, self.high)
        )
        maths = "$" if sign else ""
        ends = f"{low} to {high}" if low and high else ""
        return in_latex(estimate, f"{maths}{estimate}{maths}"), in_latex(ends, f"{maths}[{low}, {high}]{maths}")

    def in_brackets(self, metric: str, digits: int = 2, *, profile: str = "paper") -> str:
        """Write the estimate, followed by the interval in brackets if that is defined."""
        estimate, ends = self.cells(metric, digits, profile=profile)
        return f"{estimate} {ends.latex}" if ends else estimate


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Resampled:
    """What every result of resampling has beside its numbers.

    Attributes:
        average: ``micro`` or ``macro``.
        resample_by: what was resampled and exchanged: ``document``, ``entity``, ``component``, ``labels`` for those of
            the user, or the expression that names groups of documents.
        n_units: number of units that were resampled.
        resamples: number of resamples.
        seed: integer that repeats the numbers.
        notes: what a reader should know before trusting the numbers, and what happened in the runs.
        signature: signature of the scores.
    """

    average: str
    resample_by: str
    n_units: int
    resamples: int
    seed: int
    notes: tuple[str, ...]
    signature: Signature


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OneScore(Resampled):
    """What results about one score have in addition.

    Attributes:
        metric: name of the metric that was compared.
        field: ``recall``, ``precision`` or ``f1`` of the metric.
    """

    metric: str
    field: str


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Tested(Resampled, Report):
    """What reports of systems that were tested against each other have in addition.

    Attributes:
        test: ``randomisation`` or ``bootstrap``.
        correction: ``maxt``, ``holm``, ``bh`` or ``none``.
        alpha: significance level of the marks.
        method: kind of the intervals: ``percentile``, ``bca`` or ``linearised``.
        confidence: confidence level of each interval.
    """

    test: str
    correction: str
    alpha: float
    method: str
    confidence: float
