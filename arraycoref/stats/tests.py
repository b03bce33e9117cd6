"""Test the differences between systems on the same documents, pair by pair; and which of many may be the best.

Pairs that are tested together share their random numbers. So the uncorrected p-value of two systems depends neither on
which other systems are tested nor on the order of the systems.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable, plural, pvalue_text
from arraycoref.exceptions import InputError, check_name
from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.format import format_score
from arraycoref.scoring.metrics.registry import check_field, direction
from arraycoref.scoring.metrics.score import DIGITS
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature
from arraycoref.stats.draws import Draws, ResampleOptions, all_swaps, how_of, multiplicities, swaps
from arraycoref.stats.few_errors import Ends, unit_ends
from arraycoref.stats.how import CORRECTIONS, TESTS, Alternative, Field, How, Test
from arraycoref.stats.notes import differing_notes, exact_notes, floor_notes, sample_notes
from arraycoref.stats.run_scores import RunScores
from arraycoref.stats.sample import DOCUMENT, Sample, sample_of, weighted

Pair = tuple[int, int]

TOLERANCE = 10.0**-DIGITS
"""Differences of scores closer than this count as equal: sums of fractions such as 1/3 tie only up to rounding."""

AT_ONCE = 2**12
"""Number of differences computed at a time: few enough that their sums stay in the processor's cache."""

HELD = 2**23
"""The most differences that the first pass over the resamples keeps for the second; more are computed twice."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairedTest(Report):
    """Outcome of a paired test.

    Attributes:
        difference: score of the first system minus that of the second: a fraction, or a number if the metric counts.
        pvalue: nan on one unit, where no test means anything.
        n_documents: number of documents.
        n_differing: number of units in which the systems' counts differ; for macro averages, their scores.
        how: how documents were exchanged or resampled.
        notes: what a reader should know before trusting the numbers, and what happened in the runs.
        signature: signature of the scores.
    """

    difference: float
    pvalue: float
    n_documents: int
    n_differing: int
    how: How
    notes: tuple[str, ...]
    signature: Signature
    key_columns: ClassVar[tuple[str, ...]] = ("metric", "field")

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the difference and its p-value."""
        how = self.how
        difference = format_score(self.difference, how.metric, digits, sign="+")
        row = [f"{how.metric} {how.field}", difference, pvalue_text(self.pvalue)]
        return [TextTable(["", "difference", "p"], [row])]

    def caption(self, digits: int) -> list[str]:
        """Say which test it was."""
        how = self.how
        documents = f"{plural(self.n_documents, 'document')}, {self.n_differing} of them differing"
        if how.resample_by != DOCUMENT:
            documents = f"{plural(how.n_units, 'unit')}, {self.n_differing} of them differing"
        made = f"{TESTS[how.test]}, {how.alternative}, {how.drawn}"
        return [f"{made}; {documents}, {how.average} average", *self.notes, str(self.signature)]

    def columns(self) -> dict[str, Any]:
        """Return one row with all attributes but notes and signature."""
        units = self.how.facts("average", "resample_by", "n_units", "resamples", "seed", "metric", "field")
        numbers = {"difference": self.difference, "pvalue": self.pvalue, **self.how.facts("test", "alternative")}
        numbers |= {"n_documents": self.n_documents, "n_differing": self.n_differing}
        return {name: [value] for name, value in (units | numbers).items()}


def paired_test(
    a: BatchScores,
    b: BatchScores,
    *,
    metric: str | None = None,
    field: Field | None = None,
    test: Test | None = None,
    alternative: Alternative | None = None,
    **options: Unpack[ResampleOptions],
) -> PairedTest:
    """Test whether two systems' scores differ by more than chance would make them.

    Approximate randomization exchanges the two systems' counts in documents picked by coin flips, and asks how often
    their difference then is as large as the one observed: (1 + as large) / (1 + resamples). If there are no more ways
    to exchange the documents that differ than resamples, each is taken once, and the p-value is exact.

    The paired bootstrap draws documents with replacement, and asks how often the difference is as far from the observed
    one as the observed one is from zero.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1] * 5, range(0, 21, 4)
        >>> good = ac.score_labels_batch(key, key, offsets)
        >>> poor = ac.score_labels_batch(key, [0, 1, 1, 1] * 5, offsets)
        >>> test = ac.paired_test(good, poor, metric="bcub", field="recall")
        >>> test.difference, test.pvalue  # 2 of the 2^5 ways to exchange documents are as extreme
        (0.25, 0.0625)

    Args:
        a: scores of one system on D documents.
        b: scores of another system on the same documents.
        metric: see `arraycoref.options`; None for its default there.
        field: the same.
        test: the same.
        alternative: the same.
        **options: the same.

    Raises:
        InputError: no documents, an option out of range, different conventions.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored, another name that does not exist.

    Source: Noreen (1989), section 2; Koehn (2004) and Berg-Kirkpatrick et al. (2012). The observed difference is
    subtracted from the bootstrap's differences, so that these follow the null hypothesis.
    """
    named = {"metric": metric, "field": field, "test": test, "alternative": alternative}
    how, draws = how_of(options, ResampleOptions, **named)
    place, runs = check_field(how.field, how.metric), RunScores.from_scores({"a": a, "b": b}, (how.metric,))
    sample, how = sample_of(runs, how)
    family = Family(sample, [(0, 1)], place, how.test, draws)
    first, second = sample.estimates[0, place].tolist()
    notes = (*sample_notes(runs, sample, pair=place), *family.notes, *floor_notes("none", how.resamples, 1, 0.05))
    return PairedTest(
        difference=first - second,
        pvalue=float(family.pvalues(how.alternative)[0]),
        n_documents=runs.n_documents,
        n_differing=sample.differing((0, 1)).size,
        signature=sample.signature,
        notes=(*notes, *differing_notes(sample, runs.names, [(0, 1)], how.test, 0.05)),
        how=how,
    )


class Family:
    """P pairs of systems that are tested on the same outcomes: exchanges of documents, or resamples of them.

    A pair that differs in so few units that all ways to exchange these can be taken has an exact p-value with any
    other pairs. For entities of one clustering, the observed difference is divided by the square root of its design
    effect.

    Args:
        sample: the systems; the first metric is tested.
        pairs: positions of the systems of each pair; the difference is the first's score minus the second's.
        place: position of recall, precision or F.
        test: ``randomization`` or ``bootstrap``.
        draws: how outcomes are drawn. Exchanges of documents are not drawn, but all of them taken, if they are no more.

    Attributes:
        notes: whether the p-values are exact.
    """

    def __init__(self, sample: Sample, pairs: Sequence[Pair], place: int, test: str, draws: Draws) -> None:
        self._sample, self._place, self._draws = sample, place, draws
        self._i, self._j = np.array(pairs, np.int64).reshape(-1, 2).T
        self._totals = sample.totals[..., np.newaxis]
        self._swapped, n = test == "randomization", sample.n_units
        self._weights = (swaps if self._swapped else multiplicities)(draws.seed, n)
        differing = sample.differing(np.unique([self._i, self._j]).tolist())
        self.notes: tuple[str, ...] = ()
        if self._swapped and differing.size < draws.resamples.bit_length():
            self._weights = all_swaps(differing, n)
            self._draws = replace(draws, resamples=2**differing.size - 1)
            self.notes = exact_notes(sample, differing.size, draws.resamples)
        self._few = dict[int, Ints]()  # the units of each pair that has exact p-values among others that have not
        if self._swapped and not self.notes:
            units = (sample.differing(pair) for pair in pairs)
            self._few = {p: own for p, own in enumerate(units) if 0 < own.size < draws.resamples.bit_length()}
        self._observed = swapped(sample, np.zeros_like(self._totals), self._totals, self._i, self._j, place)
        stretch = np.array([[sample.stretch(0, place, i, j)] for i, j in pairs]).reshape(-1, 1)
        self._judged = self._observed / stretch

    def pvalues(self, alternative: str = "two-sided") -> Floats:
        """Return the p-value of each pair, float64 (P,); nan on one unit, where no test means anything."""
        return self._tested(self._outcomes(), alternative)[0]

    def corrected(self, correction: str) -> tuple[Floats, Floats]:
        """Return two-sided p-values, float64 (P,), and the same corrected for P tests; all are nan on one unit."""
        if correction != "maxt" or self._i.size < 2:
            pvalues = self.pvalues()
            return pvalues, adjust_pvalues(pvalues, "none" if correction == "maxt" else correction)
        outcomes: Callable[[], Iterable[Floats]] = self._outcomes
        if self._i.size * self._draws.resamples <= HELD:
            held = list(self._outcomes())
            outcomes = lambda: held  # noqa: E731
        pvalues, scale = self._tested(outcomes(), "two-sided")
        if np.isnan(pvalues).all():
            return pvalues, pvalues
        return pvalues, np.maximum(pvalues, step_down(self._judged[:, 0], scale, outcomes()))

    def _tested(self, outcomes: Iterable[Floats], alternative: str) -> tuple[Floats, Floats]:
        """Return p-values, and root mean squares of the differences over the outcomes and the observed one: (P,)."""
        if not self._sample.is_tested:
            return np.full(self._i.size, np.nan), np.abs(self._judged[:, 0])
        pvalues, scale = self._counted(outcomes, alternative, self._judged)
        for p, units in self._few.items():
            pvalues[p] = self._counted(self._exchanges(p, units), alternative, self._judged[[p]])[0][0]
        return pvalues, scale

    def _counted(self, outcomes: Iterable[Floats], alternative: str, judged: Floats) -> tuple[Floats, Floats]:
        """Return the same of some pairs, given their differences in the outcomes and as observed, float64 (P, 1)."""
        extreme, squares, total = np.ones(len(judged)), judged[:, 0] ** 2, 1.0
        sign = 1 if alternative == "greater" else -1
        sign *= direction(self._sample.metrics[0])  # "greater" means better, even if less is better
        for values in outcomes:
            if alternative == "two-sided":
                found = np.abs(values) >= np.abs(judged) - TOLERANCE
            else:
                found = sign * values >= sign * judged - TOLERANCE
            extreme += np.count_nonzero(found, axis=1)
            squares += np.einsum("pr,pr->p", values, values)
            total += values.shape[1]
        return extreme / total, np.sqrt(squares / total)

    def _exchanges(self, p: int, units: Ints) -> Iterable[Floats]:
        """Yield the differences of a pair, float64 (1, R), in all ways to exchange some of its n units."""
        sample, pair, n = self._sample, [self._i[p], self._j[p]], units.size
        columns, totals = np.stack([sample.rows_of(s)[units].T for s in pair], axis=1), self._totals[:, pair]

        def differences(weights: Floats) -> Floats:
            return swapped(sample, weighted(columns, weights), totals, np.array([0]), np.array([1]), self._place)

        return replace(self._draws, resamples=2**n - 1).over_blocks(differences, all_swaps(np.arange(n), n), n)

    def _outcomes(self) -> Iterable[Floats]:
        """Yield blocks of each pair's differences, float64 (P, R); in a bootstrap, minus the observed one."""
        return self._draws.over_blocks(self._differences, self._weights, self._sample.n_units)

    def _differences(self, weights: Floats) -> Floats:
        sums = self._sample.sums(weights)
        if self._swapped:
            return swapped(self._sample, sums, self._totals, self._i, self._j, self._place)
        scores = self._sample.score(sums, 0, self._place)
        return np.asarray(scores[self._i] - scores[self._j] - self._observed)


def swapped(sample: Sample, sums: Floats, totals: Floats, i: Ints, j: Ints, place: int) -> Floats:
    """Score pairs of systems after they exchanged documents, and subtract.

    Args:
        sample: S systems.
        sums: float64 (w, S, R) sums over the exchanged documents, in each of R outcomes.
        totals: float64 (w, S, 1) sums over all documents.
        i: int64 (P,) position of the first system of each pair.
        j: int64 (P,) position of the second system, or (1,) if it is the same in all pairs.
        place: position of the field among recall, precision and F.

    Returns:
        float64 (P, R) the first's score minus the second's.
    """
    values = np.empty((i.size, sums.shape[2]))
    step = max(1, AT_ONCE // sums.shape[2])
    for first in range(0, i.size, step):
        some = slice(first, first + step)
        a, b = i[some], j if j.size == 1 else j[some]
        moved = sums[:, b] - sums[:, a]
        values[some] = sample.score(totals[:, a] + moved, 0, place) - sample.score(totals[:, b] - moved, 0, place)
    return values


def adjust_pvalues(pvalues: ArrayLike, correction: str = "holm") -> NDArray[np.float64]:
    """Correct p-values for the number of tests; a test is significant if its corrected p-value is at most alpha.

        >>> from arraycoref.stats import adjust_pvalues
        >>> adjust_pvalues([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]

    Args:
        pvalues: (T,) between 0 and 1; nan for tests that could not be made, which are not counted.
        correction: ``holm`` keeps the probability of any false positive at most alpha, however the tests depend on each
            other; ``bh`` (Benjamini-Hochberg) keeps the expected share of false positives among the positives at most
            alpha; ``none`` returns the p-values as they are. The step-down maximum, ``maxt``, needs more than p-values;
            `compare` computes it.

    Returns:
        float64 (T,), nan where the input is nan.

    Raises:
        InputError: p-values outside 0-1.
        UnknownNameError: a correction that does not exist, or ``maxt``.

    Source: Holm (1979); Benjamini and Hochberg (1995).
    """
    check_name("correction of p-values alone", correction, CORRECTIONS.keys() - {"maxt"})
    p = np.asarray(pvalues, np.float64)
    for outside in p[(p < 0.0) | (p > 1.0)]:
        raise InputError(f"pvalues hold {outside:g}; expected p-values between 0 and 1")
    adjusted = p.copy()
    made = np.flatnonzero(~np.isnan(p))
    if correction == "none" or made.size == 0:
        return adjusted
    order = made[np.argsort(p[made], kind="stable")]
    rank = np.arange(1, made.size + 1)
    if correction == "holm":
        stepped = np.maximum.accumulate(p[order] * (made.size - rank + 1))
    else:
        stepped = np.minimum.accumulate((p[order] * made.size / rank)[::-1])[::-1]
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def step_down(observed: Floats, scale: Floats, outcomes: Iterable[Floats]) -> Floats:
    """Compute p-values corrected by the step-down maximum of the differences, each divided by its spread over outcomes.

    The largest observed difference is compared with the largest difference of all pairs in each outcome; the second
    largest with the largest of all pairs but the first; and so on. So the smallest possible p-value does not grow with
    the number of pairs, and pairs that vary together are corrected for as if they were few. The spread must not be
    estimated from the observed outcome, for instance as a standard error over its documents: swaps would change such an
    estimate, and the tests would find too many differences.

    Args:
        observed: float64 (P,) differences.
        scale: float64 (P,) root mean squares of the differences over the outcomes; a pair with 0 has a p-value of 1.
        outcomes: blocks of differences, float64 (P, R); the observed outcome counts in addition to them.

    Returns:
        float64 (P,) adjusted p-values.

    Source: Westfall and Young (1993), algorithm 4.1; Romano and Wolf (2005), section 4.
    """
    varies = scale > TOLERANCE
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=varies)
    statistic = np.abs(observed) * inverse
    order = np.argsort(statistic, kind="stable")  # smallest first: each maximum extends the one before
    least = (statistic - TOLERANCE * inverse)[order, np.newaxis]
    extreme, total = np.ones(observed.size), 1
    for values in outcomes:
        largest = np.abs(values[order])
        largest *= inverse[order, np.newaxis]
        np.maximum.accumulate(largest, axis=0, out=largest)
        extreme += np.count_nonzero(largest >= least, axis=1)
        total += values.shape[1]
    stepped = np.maximum.accumulate((extreme / total)[::-1])[::-1]
    adjusted = np.ones_like(observed)
    adjusted[order] = np.minimum(stepped, 1.0)
    adjusted[~varies] = 1.0
    return adjusted


def redrawn_pvalues(observed: Floats, strays: Floats, correction: str) -> Floats:
    """Compute corrected two-sided p-values, float64 (P,), from how far redraws deviate from the observed differences.

    Args:
        observed: float64 (P,) observed differences.
        strays: float64 (P, R) redrawn differences minus the observed ones; if any is nan, all p-values are.
        correction: correction for the number of tests.
    """
    if np.isnan(strays).any():
        return np.full(len(observed), np.nan)
    if correction == "maxt":
        return step_down(observed, np.sqrt((strays**2).mean(axis=1)), [strays])
    extreme = np.abs(strays) >= np.abs(observed)[:, np.newaxis] - TOLERANCE
    return adjust_pvalues((1.0 + extreme.sum(axis=1)) / (1.0 + strays.shape[1]), correction)


CLEARLY = 0.1
"""Share of alpha that is spent on leaving out clearly worse systems; the rest is for testing those that remain."""

MANY_SYSTEMS = 64
"""Number of systems above which those far below the best are left out before any are resampled."""

LEAST_EFFECTIVE = 3
"""Effective number of units of a difference below which a test has no power, even for large differences."""

TAIL = 3.18
"""A bound: numbers with random signs add up to more than x standard deviations at most 3.18 times as often as a normal
variable exceeds x."""


class Rivals(NamedTuple):
    """Which of S systems may be the best.

    Attributes:
        pvalues: float64 (S,) corrected p-values: a system may be the best if its p-value is above alpha.
        n_worse: number of systems that are worse without resamples.
        n_exchanged: number of units in which the others differ, which were exchanged.
    """

    pvalues: Floats
    n_worse: int = 0
    n_exchanged: int = 0


def best_pvalues(
    sample: Sample, place: int, best: int, alpha: float, draws: Draws, apart: Sequence[Ends] = ()
) -> Rivals:
    """Test for each system whether it may be the best.

    The statistic of a system s is the largest (F_j - F_s) / sd over all competitors j. Here F is the score, and sd is
    the root mean square of that difference over the swaps, in which s and j exchange documents. The distribution of the
    statistic is that of the same maximum over the swaps, where all pairs exchange the same documents. First come rounds
    at a tenth of alpha, until one leaves out no system: each leaves out the systems that are clearly worse, as these
    would only widen the distribution for the other systems. Then those that remain are tested once, at the rest of
    alpha. If there are no more ways to exchange the documents that differ than resamples, each is taken once.

    Of many systems, those are left out before whose statistic no resample is expected to reach: they are worse, without
    resamples. For one clustering, the observed differences of s are divided by the square root of the design effect of
    its difference from the best.

    Args:
        sample: S systems on D documents; the first metric is compared.
        place: position of recall, precision or F.
        best: position of the system with the best score.
        alpha: level of significance.
        draws: how swaps are drawn.
        apart: (S,) the differences from the best, of units of one clustering; found here if empty.

    Returns:
        The p-values and how they were found. A system that was left out in a round has ten times its p-value of that
        round; a system that remained has 1/0.9 times its p-value of the last round. A system that was left out before
        the rounds has ten times the smallest p-value of resamples. All are nan if there is one unit; that of a system
        whose difference from the best rests on fewer than `LEAST_EFFECTIVE` units of one clustering, as where a giant
        entity was merged, is nan too.

    Source: Romano, Shaikh and Wolf (2014), a test in two steps, the first of which leaves out systems at a small level.
    The bound for many systems: Bentkus and Dzindzalieta (2015), theorem 1.1.
    """
    n_systems = len(sample)
    if not sample.is_tested:
        return Rivals(np.full(n_systems, np.nan))
    by_unit = sample.clustering is not None
    if not apart:
        tested = [by_unit and s != best for s in range(n_systems)]
        apart = [unit_ends(sample, 0, place, s, best, 1.0 - alpha) if t else Ends() for s, t in enumerate(tested)]
    stretch = np.array([ends.spread.design_effect for ends in apart]) ** 0.5
    pvalues = np.ones(n_systems)
    if n_systems > MANY_SYSTEMS:
        errors = [ends.exchanged if by_unit else _exchanged(sample, place, s, best) for s, ends in enumerate(apart)]
        pvalues = _far_below(sample, place, best, alpha, draws, stretch * errors)
    remaining = np.flatnonzero(pvalues > alpha)
    outcomes, n_exchanged = _swaps(sample, place, best, remaining, draws)
    pvalues[remaining] = _in_rounds(outcomes, stretch[remaining], alpha)
    for s, ends in enumerate(apart):
        if ends.spread.effective < LEAST_EFFECTIVE:
            pvalues[s] = np.nan
    return Rivals(pvalues, n_systems - remaining.size, n_exchanged)


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

    return _in_rounds(_Outcomes(differences, strays.shape[1]), np.ones(len(observed)), alpha)


def _in_rounds(outcomes: _Outcomes, stretch: Floats, alpha: float) -> Floats:
    """Leave out clearly worse systems in rounds, then test those that remain; see `best_pvalues`."""
    pvalues, remaining = np.ones(stretch.size), np.arange(stretch.size)
    while True:
        found = outcomes.test(remaining, stretch[remaining])
        stays = found > CLEARLY * alpha
        if stays.all():
            pvalues[remaining] = np.minimum(1.0, found / (1.0 - CLEARLY))
            return pvalues
        pvalues[remaining[~stays]] = found[~stays] / CLEARLY
        remaining = remaining[stays]


def _far_below(sample: Sample, place: int, best: int, alpha: float, draws: Draws, errors: Floats) -> Floats:
    """Return p-values of systems so far below the best that no resample is expected to reach that; 1 for all others.

    How far a system is, is its difference from the best over the standard error of that under swaps, float64 (S,). The
    largest of n statistics exceeds x at most n times as often as one of them does, and `TAIL` bounds how often.
    """
    scores, smallest = direction(sample.metrics[0]) * sample.estimates[0, place], 1.0 / (1.0 + draws.resamples)
    varies = errors > TOLERANCE
    far = np.divide(scores[best] - scores, errors, out=np.zeros_like(errors), where=varies)
    expected = [(errors.size - 1) * TAIL * math.erfc(x / math.sqrt(2.0)) / 2.0 for x in far.tolist()]
    is_far = (np.array(expected) <= smallest) & (smallest <= CLEARLY * alpha)
    return np.where(is_far, smallest / CLEARLY, 1.0)


def _exchanged(sample: Sample, place: int, s: int, best: int) -> float:
    """Return the root mean square of a difference from the best over all ways to exchange units, to first order."""
    slopes = sample.slopes(0, place, s) + sample.slopes(0, place, best)
    return float(np.linalg.norm((sample.rows_of(s) - sample.rows_of(best)) @ slopes)) / 2.0


@dataclass(frozen=True, eq=False)
class _Outcomes:
    """Differences between systems in half of R outcomes of a test; the other half has the same with opposite signs.

    Attributes:
        differences: function of one system and of P others; it returns how much better than the one each of the P is:
            float64 (P, R/2) in the outcomes, and float64 (P,) as observed.
        half: R/2.
        observed: 1 if the observed outcome counts in addition to the R; 0 if they are all that there are.
    """

    differences: Callable[[int, Ints], tuple[Floats, Floats]]
    half: int
    observed: int = 1

    @property
    def total(self) -> float:
        """Number of outcomes."""
        return self.observed + 2.0 * self.half

    def test(self, systems: Ints, stretch: Floats) -> Floats:
        """Return the p-value of each of S systems for being the best of these, float64 (S,).

        The differences observed of each system are divided by its ``stretch``, float64 (S,).
        """
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
        return np.asarray((self.observed + (largest >= (least / stretch)[:, np.newaxis]).sum(axis=1)) / self.total)

    def better(self, s: int, others: Ints) -> tuple[Floats, Floats, Floats]:
        """Divide the differences of P other systems from a system, each by its root mean square over the outcomes.

        Returns:
            float64 (P, R/2) quotients in the outcomes, float64 (P,) as observed, and float64 (P,) the rounding error up
            to which two quotients of a system are equal.
        """
        values, observed = self.differences(s, others)
        scale = np.sqrt((self.observed * observed**2 + 2.0 * np.einsum("pr,pr->p", values, values)) / self.total)
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > TOLERANCE)
        values *= inverse[:, np.newaxis]
        return values, observed * inverse, TOLERANCE * inverse


def _swaps(sample: Sample, place: int, best: int, systems: Ints, draws: Draws) -> tuple[_Outcomes, int]:
    """Return the differences between some systems after they exchanged units, for R/2 choices of the units.

    In the other R/2 outcomes they exchange all units but these, which reverses the sign of every difference. If all
    choices of the units that differ are taken, the last of these is never exchanged in the first half. Rows are taken
    as they differ from those of the best. The number of units that differ is returned too.
    """
    moving = []
    for s in systems.tolist():
        rows = sample.rows_of(s) - sample.rows_of(best)
        units = np.flatnonzero(rows.any(axis=1))
        moving.append((units, rows[units].T))
    n, is_moved = sample.n_units, np.zeros(sample.n_units, np.bool_)
    for units, _ in moving:
        is_moved[units] = True
    moved, totals = np.flatnonzero(is_moved), np.stack([sample.totals_of(s) for s in systems], axis=1)[..., np.newaxis]
    columns = np.zeros((len(totals), systems.size, moved.size))
    for s, (units, rows) in enumerate(moving):
        columns[:, s, moved.searchsorted(units)] = rows
    is_exact, sign = 2**moved.size <= draws.resamples, direction(sample.metrics[0])
    if is_exact:
        half = replace(draws, resamples=2 ** moved[:-1].size - 1)
        weights = all_swaps(np.arange(moved.size - 1), moved.size)
    else:
        half, weights = replace(draws, resamples=(draws.resamples + 1) // 2), swaps(draws.seed, n, moved)
    width = moved.size if is_exact else n
    drawn = half.over_blocks(lambda some: weighted(columns, some), weights, width, moved.size)
    exchanged = np.concatenate([*[np.zeros_like(totals)] * is_exact, *drawn], axis=2)

    def differences(s: int, others: Ints) -> tuple[Floats, Floats]:
        sums_of = exchanged, np.zeros_like(totals)
        values, observed = (sign * swapped(sample, sums, totals, others, np.array([s]), place) for sums in sums_of)
        return values, observed[:, 0]

    return _Outcomes(differences, exchanged.shape[2], int(not is_exact)), moved.size
