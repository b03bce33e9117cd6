"""Find the best of many systems, and those that may be as good: from swaps of documents, or from redrawn scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from arraycoref.errors import InputError
from arraycoref.report.formats import Report, plain
from arraycoref.report.tables import TextTable, number_of
from arraycoref.scoring.metrics.registry import RATIOS, as_metric, check_field, direction
from arraycoref.scoring.metrics.score import Floats, rounded_for_ties
from arraycoref.scoring.rows import field_name, fields_of, format_score, unit
from arraycoref.scoring.runs import Runs
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.settings import Setting, beside, text_of
from arraycoref.stats.intervals import Bounds, Interval, document_notes
from arraycoref.stats.resampling import BestOptions, Draws, Ints, OneScore, Sample, settings_of, swaps
from arraycoref.stats.tests import TOLERANCE, swapped

CLEARLY = 0.1
"""Share of alpha that is spent on leaving out clearly worse systems; the rest is for testing those that remain."""

SYSTEMS_AT_ONCE = 64
"""Number of systems above which those far below the best are left out before all pairs are compared.

It is also the number of systems that are compared with the best together.
"""

TAIL = 3.18
"""A bound: numbers with random signs add up to more than x standard deviations at most 3.18 times as often as a normal
variable exceeds x."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Best(OneScore, Report):
    """The best of S systems or settings by one score, and how far each of the others is from it.

    As a report, it lists them from the best to the worst: ``*`` marks the best, ``=`` its rivals.

    Attributes:
        runs: the scores of all.
        scores: float64 (S,) recall, precision and F by metric and field, of the average that was asked for.
        order: int64 (S,) their positions from the best to the worst; of equally good ones, the earliest is the best.
        positions: int64 (R + 1,) positions of the best and of its R rivals, from the best to the worst.
        score: the best one's score with its confidence interval. As the best of many scores, it is too high an estimate
            of the setting's score on other documents, the more so the more settings there are; the interval does not
            correct for that.
        differences: (S,) score of each setting minus that of the best, each with its confidence interval by itself.
        pvalues: float64 (S,) p-value of each setting for being as good as any other, see `best_pvalues`; nan if there
            is one document only.
        confidence: level of the intervals; the truly best setting is the best one or a rival about this often.
        top: how many to list; None for all.
    """

    runs: Runs
    scores: Mapping[str, Mapping[str, Floats]]
    order: Ints
    positions: Ints
    score: Interval
    differences: tuple[Interval, ...]
    pvalues: Floats
    confidence: float
    top: int | None = None

    @property
    def position(self) -> int:
        """The position of the best setting."""
        return int(self.positions[0])

    @property
    def setting(self) -> Setting:
        """The best setting."""
        return self.runs.settings[self.position]

    @property
    def rivals(self) -> tuple[Setting, ...]:
        """Settings that may be as good as the best, from the best to the worst of them, without the best."""
        return tuple(self.runs.settings[position] for position in self.positions[1:])

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out for each setting its parameters, score in every metric, difference from the best, and mark."""
        runs, listed = self.runs, self.order[: self.top].tolist()
        first, *others = [*runs.parameters, *runs.metrics, "difference", f"{100 * self.confidence:g}% interval", ""]

        def tested(position: int) -> tuple[str, ...]:
            if position == self.position:
                return "", "", "*"
            mark = "=" if position in self.positions else ""
            return *self.differences[position].cells(self.metric, digits, sign="+"), mark

        parameters, profile = runs.parameters.values(), self.signature.profile
        columns = {name: each[self.field].tolist() for name, each in self.scores.items()}
        rows = [
            [
                *(str(values[s]) for values in parameters),
                *(format_score(values[s], name, digits, profile=profile) for name, values in columns.items()),
                *tested(s),
            ]
            for s in listed
        ]
        return [TextTable([f"{first} ({field_name(self.field, runs.signature.beta)})", *others], rows)]

    def caption(self, digits: int) -> list[str]:
        """Name the score that ranks, its best value, and the number of settings that may be as good."""
        runs = self.runs
        sizes = f"{number_of(len(runs), 'setting')}, {number_of(runs.n_documents, 'document')}"
        score = self.score.in_brackets(self.metric, digits, profile=runs.signature.profile)
        found = f"* best by {self.metric} {self.field}: {score}"
        rivals = f"= not significantly different from it: {len(self.rivals)}"
        lines = [f"{sizes}, in {unit(*runs.metrics)}", f"{found}, {rivals}", *self.notes]
        return ["; ".join(lines), str(self.signature)]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a header, then a row for each setting: parameters, scores, difference (fractions 0-1), p-value, rival.

        Raises:
            InputError: a parameter has the name of another column.
        """
        rows = [beside(setting, scores | tested) for setting, scores, tested in self._rows()]
        yield tuple(rows[0])
        yield from (tuple(row.values()) for row in rows)

    def _rows(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the parameters of each setting (infinite ones as strings), its scores, and the results of its test."""
        ends = {"": "estimate", "_low": "low", "_high": "high"}
        tested: dict[str, Any] = {
            f"difference{e}": [vars(d)[name] for d in self.differences] for e, name in ends.items()
        }
        tested |= {"pvalue": self.pvalues, "rival": [int(s in self.positions) for s in range(len(self.runs))]}
        scores = {f"{name}_{f}": each[f] for name, each in self.scores.items() for f in fields_of(name)}
        parts: list[dict[str, Any]] = [self.runs.parameters, scores, tested]
        for s in self.order[: self.top].tolist():
            found = [{name: plain(column[s]) for name, column in part.items()} for part in parts]
            found[-1]["notes"] = "; ".join(self.runs.notes_of(s))
            yield found

    def nested(self) -> dict[str, Any]:
        """Return the best setting, and all settings listed, as plain values: fractions 0-1, None in place of nan."""
        settings: list[dict[str, Any]] = [
            {"setting": setting, "scores": scores, **tested, "rival": bool(tested["rival"])}
            for setting, scores, tested in self._rows()
        ]
        score = {name: plain(getattr(self.score, name)) for name in ("estimate", "low", "high")}
        options = {name: getattr(self, name) for name in ("metric", "field", "confidence", "seed", "resamples")}
        return {
            "signature": self.signature.as_dict(),
            "n_settings": len(self.runs),
            "n_documents": self.runs.n_documents,
            "best": {**options, "score": score, "setting": settings[0]["setting"], "notes": list(self.notes)},
            "settings": settings,
        }

    def __str__(self) -> str:
        score = self.score.in_brackets(self.metric, profile=self.runs.signature.profile)
        found = f"{text_of(self.setting)}: {self.metric} {self.field} {score}"
        if math.isnan(self.score.low):
            return f"{found}, without an interval: there is one document only"
        return f"{found}, not significantly different from {len(self.rivals)} of {self.pvalues.size - 1} others"


def best(
    runs: Runs | Mapping[str, BatchScores],
    metric: str | None = None,
    field: str = "f1",
    **options: Unpack[BestOptions],
) -> Best:
    """Find the best system or setting, its confidence interval, and the others that may be as good.

    A setting is a rival unless the largest difference of another setting from it is larger than exchanges of documents
    would make it; clearly worse settings are left out before, see `best_pvalues`. The largest difference is found anew
    for each exchange. So the test accounts for the choice of the best setting from the scores, and no further
    correction for the number of settings is needed.

        >>> import arraycoref as ac
        >>> key, responses = [0, 0, 1, 1] * 9, {"right": [0, 0, 1, 1] * 9, "wrong": [0, 1, 1, 1] * 9}
        >>> runs = {name: ac.score_labels_batch(key, labels, range(0, 37, 4)) for name, labels in responses.items()}
        >>> found = ac.stats.best(runs, "muc", "recall")
        >>> found.setting, found.rivals, found.differences[1].estimate
        ('right', (), -0.5)

    Args:
        runs: scores of S settings on the same documents.
        metric: name of a metric; None for the CoNLL average if it was asked for, or else the first metric.
        field: ``recall``, ``precision`` or ``f1`` of the metric.
        **options: see `arraycoref.options`; 2,000 resamples, unless others are asked for. ``confidence`` is that of the
            intervals, and of the tests against the best.

    Raises:
        InputError: no settings or no documents, or an option out of range.
        UnknownNameError: no such metric or field.
        DocumentMismatchError: settings that were scored on different documents.

    Source: Romano, Shaikh and Wolf (2014).
    """
    asked, draws = settings_of(options, BestOptions, resamples=2_000)
    average, confidence = asked["average"], asked["confidence"]
    metric = as_metric(metric)
    given = Runs.of(runs, None if metric is None else (metric,))
    if not len(given) or not given.n_documents:
        raise InputError(f"there are 0 {'documents' if len(given) else 'settings'}; expected some")
    metric = given.first_metric if metric is None else metric
    place, sample = check_field(field, metric), Sample.of(Runs.of(given, (metric,)), average)
    scores = Bounds.of(sample, draws, "bca", confidence)
    order = np.argsort(rounded_for_ties(-direction(metric) * scores.estimates[0, place]), kind="stable")
    first = int(order[0])
    apart, every = scores.minus(first), Sample.of(given, average).estimates()
    pvalues = best_pvalues(sample, place, first, 1.0 - confidence, draws)
    rivals = order[~(pvalues[order] <= 1.0 - confidence)]
    positions = np.concatenate(([first], rivals[rivals != first]))
    return Best(
        runs=given,
        scores={name: dict(zip(RATIOS, each, strict=True)) for name, each in zip(given.metrics, every, strict=True)},
        order=order,
        positions=positions,
        score=scores.interval(0, place, first),
        differences=tuple(apart.interval(0, place, s) for s in range(len(given))),
        pvalues=pvalues,
        metric=metric,
        field=field,
        notes=document_notes(given, average),
        signature=sample.signature,
        **asked,
    )


def best_pvalues(sample: Sample, place: int, best: int, alpha: float, draws: Draws) -> Floats:
    """Test for each system whether it may be the best.

    The statistic of a system s is the largest (F_j - F_s) / sd over all competitors j. Here F is the score, and sd is
    the root mean square of that difference over the swaps, in which s and j exchange documents. The distribution of the
    statistic is that of the same maximum over the swaps, where all pairs exchange the same documents. First come rounds
    at a tenth of alpha, until one leaves out no system: each leaves out the systems that are clearly worse, as these
    would only widen the distribution for the other systems. Then those that remain are tested once, at the rest of
    alpha.

    Args:
        sample: S systems on D documents; the first metric is compared.
        place: position of recall, precision or F.
        best: position of the system with the best score.
        alpha: level of significance.
        draws: how swaps are drawn.

    Returns:
        float64 (S,) corrected p-values: a system may be the best if its p-value is above alpha. A system that was left
        out in a round has ten times its p-value of that round; a system that remained has 1/0.9 times its p-value of
        the last round. All are nan if there is one document.

    Source: Romano, Shaikh and Wolf (2014), a test in two steps, the first of which leaves out systems at a small level.
    The bound for many systems: Bentkus and Dzindzalieta (2015), theorem 1.1.
    """
    n_systems = len(sample.rows)
    if sample.n_documents == 1:
        return np.full(n_systems, np.nan)
    pvalues, remaining = np.ones(n_systems), np.arange(n_systems)
    if n_systems > SYSTEMS_AT_ONCE:
        pvalues = _far_below(sample, place, best, alpha, draws)
        remaining = np.flatnonzero(pvalues > alpha)
    pvalues[remaining] = _in_rounds(_swaps(sample.take(remaining), place, draws), remaining.size, alpha)
    return pvalues


def best_of_redraws(drawn: Floats, observed: Floats, alpha: float) -> Floats:
    """Test for each system whether it may be the best, as `best_pvalues`, but from scores of redrawn documents or runs.

    The test uses the deviations of the redrawn scores from the observed score, and assumes that deviations of a
    difference upwards are as likely as deviations downwards.

    Args:
        drawn: float64 (S, R) redrawn scores, the higher the better.
        observed: float64 (S,) observed scores, the higher the better.
        alpha: level of significance.

    Returns:
        float64 (S,) p-values as those of `best_pvalues`; all are nan if any redrawn score is undefined.
    """
    strays = drawn - observed[:, np.newaxis]
    if np.isnan(strays).any():
        return np.full(len(observed), np.nan)

    def differences(s: int, others: Ints) -> tuple[Floats, Floats]:
        return strays[others] - strays[s], observed[others] - observed[s]

    return _in_rounds(_Outcomes(differences, strays.shape[1]), len(observed), alpha)


def _in_rounds(outcomes: _Outcomes, n_systems: int, alpha: float) -> Floats:
    """Leave out clearly worse systems in rounds, then test those that remain; see `best_pvalues`."""
    pvalues, remaining = np.ones(n_systems), np.arange(n_systems)
    while True:
        found = outcomes.test(remaining)
        stays = found > CLEARLY * alpha
        if stays.all():
            pvalues[remaining] = np.minimum(1.0, found / (1.0 - CLEARLY))
            return pvalues
        pvalues[remaining[~stays]] = found[~stays] / CLEARLY
        remaining = remaining[stays]


def _far_below(sample: Sample, place: int, best: int, alpha: float, draws: Draws) -> Floats:
    """Return p-values of the systems whose difference from the best alone shows them far below it; 1 for all others.

    The largest of n statistics exceeds x at most n times as often as one of them does, and `TAIL` bounds how often.
    """
    below = np.empty(len(sample.rows))
    for first in range(0, below.size, SYSTEMS_AT_ONCE):
        some = np.arange(first, min(first + SYSTEMS_AT_ONCE, below.size))
        swapped_some = _swaps(sample.take([best, *some.tolist()]), place, draws)
        below[some] = -swapped_some.better(0, np.arange(1, 1 + some.size))[1]
    tail = TAIL * np.array([math.erfc(t / math.sqrt(2.0)) / 2.0 for t in below])
    pvalues = np.ones(below.size)
    while True:
        remaining = pvalues > alpha
        bound = np.maximum((np.count_nonzero(remaining) - 1) * tail, 1.0 / swapped_some.total)
        far = remaining & (bound <= CLEARLY * alpha)
        if not far.any():
            return pvalues
        pvalues[far] = bound[far] / CLEARLY


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """Differences between systems in half of R outcomes of a test; the other half has the same with opposite signs.

    Attributes:
        differences: function of one system and of P others; it returns how much better than the one each of the P is:
            float64 (P, R/2) in the outcomes, and float64 (P,) as observed.
        half: R/2; the observed outcome counts in addition to the R.
    """

    differences: Callable[[int, Ints], tuple[Floats, Floats]]
    half: int

    @property
    def total(self) -> float:
        """Number of outcomes: R, and the observed one."""
        return 1.0 + 2.0 * self.half

    def test(self, systems: Ints) -> Floats:
        """Return the p-value of each of S systems for being the best of these, float64 (S,)."""
        n, half = systems.size, self.half
        largest, least = np.zeros((n, 2 * half)), np.zeros(n)
        for s in range(n - 1):
            rest = slice(s + 1, n)
            values, observed, slack = self.better(int(systems[s]), systems[rest])
            least[s] = max(least[s], float((observed - slack).max()))
            np.maximum(least[rest], -observed - slack, out=least[rest])
            highest, lowest = values.max(axis=0), values.min(axis=0)
            np.maximum(largest[s], np.concatenate((highest, -lowest)), out=largest[s])
            np.maximum(largest[rest, :half], -values, out=largest[rest, :half])
            np.maximum(largest[rest, half:], values, out=largest[rest, half:])
        return np.asarray((1.0 + (largest >= least[:, np.newaxis]).sum(axis=1)) / self.total)

    def better(self, s: int, others: Ints) -> tuple[Floats, Floats, Floats]:
        """Divide the differences of P other systems from a system, each by its root mean square over the outcomes.

        Returns:
            float64 (P, R/2) quotients in the outcomes, float64 (P,) as observed, and float64 (P,) the rounding error up
            to which two quotients of a system are equal.
        """
        values, observed = self.differences(s, others)
        scale = np.sqrt((observed**2 + 2.0 * np.einsum("pr,pr->p", values, values)) / self.total)
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > TOLERANCE)
        values *= inverse[:, np.newaxis]
        return values, observed * inverse, TOLERANCE * inverse


def _swaps(sample: Sample, place: int, draws: Draws) -> _Outcomes:
    """Return the differences between systems after they exchanged documents, for R/2 choices of the documents.

    In the other R/2 outcomes they exchange all documents but these, which reverses the sign of every difference.
    """
    half, n = replace(draws, resamples=(draws.resamples + 1) // 2), sample.n_documents
    exchanged = np.concatenate(list(half.over_blocks(sample.sums, swaps(draws.seed, n), n)), axis=2)
    totals, sign = sample.totals[..., np.newaxis], direction(sample.metrics[0])

    def differences(s: int, others: Ints) -> tuple[Floats, Floats]:
        in_outcomes, observed = (
            sign * swapped(sample, sums, totals, others, np.array([s]), place)
            for sums in (exchanged, np.zeros_like(totals))
        )
        return in_outcomes, observed[:, 0]

    return _Outcomes(differences, half.resamples)
