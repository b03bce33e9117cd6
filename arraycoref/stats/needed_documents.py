"""Estimate how many documents a test needs to find a difference of a given size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable
from arraycoref.exceptions import InputError
from arraycoref.options import OPTIONS
from arraycoref.ragged import Floats, Ints
from arraycoref.scoring.format import format_score, is_count
from arraycoref.scoring.metrics.registry import check_field
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature
from arraycoref.stats.draws import ResampleOptions, how_of
from arraycoref.stats.how import Field, How
from arraycoref.stats.notes import differing_notes, sample_notes, smallest_pvalue
from arraycoref.stats.run_scores import RunScores
from arraycoref.stats.sample import NOUNS, sample_of


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Power(Report):
    """Power of a two-sided paired test for several numbers of documents.

    Attributes:
        difference: size of the difference to be found: a fraction, or a number if the metric is a count.
        n_documents: int64 (N,) numbers of documents, or of other units, for which the power was computed, increasing.
        power: float64 (N,) probability of finding the difference in each number of documents.
        needed: smallest number of documents whose power reaches ``target``; None if no number in ``n_documents`` does.
        target: the power wanted.
        n_pilot: number of units of the pilot, which were resampled.
        unit: what they are, such as ``document`` or ``key entity``.
        how: how the pilot was resampled, and the significance level of the test.
        notes: what a reader should know before trusting the numbers, and what happened in the runs.
        signature: signature of the scores.
    """

    difference: float
    n_documents: Ints
    power: Floats
    needed: int | None
    target: float
    n_pilot: int
    unit: str
    how: How
    notes: tuple[str, ...]
    signature: Signature

    @property
    def _several(self) -> str:
        return next(several for one, several in NOUNS.values() if one == self.unit)

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the power for each number of documents."""
        rows = [[str(n), f"{chance:.3f}"] for n, chance in zip(self.n_documents, self.power, strict=True)]
        return [TextTable([self._several, "power"], rows, "rr")]

    def caption(self, digits: int) -> list[str]:
        """Describe the difference to be found, and how many documents are needed to find it."""
        how = self.how
        sought = f"{how.metric} {how.field}, a difference of {format_score(self.difference, how.metric, digits)}"
        needed = "none of these reaches" if self.needed is None else f"{self.needed} {self._several} reach"
        pilot = f"pilot of {self.n_pilot}, {how.drawn}"
        found = f"{sought} at alpha {how.alpha:g}; {needed} a power of {self.target:g}; {pilot}"
        return [found, *self.notes, str(self.signature)]

    def columns(self) -> dict[str, Any]:
        """Return ``n_documents`` and ``power``."""
        return {"n_documents": self.n_documents, "power": self.power}


def power(
    a: BatchScores,
    b: BatchScores,
    *,
    difference: float | None = None,
    sizes: Iterable[int] | None = None,
    target: float = 0.8,
    max_documents: int = 100_000,
    metric: str | None = None,
    field: Field | None = None,
    alpha: float | None = None,
    **options: Unpack[ResampleOptions],
) -> Power:
    """Estimate how many documents a two-sided paired test needs to find a difference, from two systems on a pilot.

    For a number n of documents, n are drawn from the pilot with replacement, many times. How far the systems'
    difference deviates from its mean over the draws is the noise of n documents. In a draw, ``difference`` counts as
    found if the sum of it and the deviation is at least as large, in absolute value, as the 1 - alpha quantile of all
    absolute deviations. The power is the share of such draws. It is 0 for so few documents that approximate
    randomization cannot give a p-value of alpha or less, for instance five documents at 0.05. The estimate is right if
    the pilot is like the documents to come, and if the systems disagree about as much when their scores differ by
    ``difference``.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1] * 5, range(0, 21, 4)
        >>> good = ac.score_labels_batch(key, key, offsets)
        >>> poor = ac.score_labels_batch(key, [0, 0, 1, 1] * 2 + [0, 1, 1, 1] * 3, offsets)
        >>> ac.power(good, poor, metric="bcub", field="recall", sizes=[2, 50]).needed
        50

    Args:
        a: scores of one system on the pilot's documents.
        b: scores of another system on the same documents.
        difference: difference to be found: a fraction; or, if the metric is a count, a number in as many documents as
            the pilot has, which grows with the documents. None for the difference observed on the pilot.
        sizes: numbers of documents; None searches for the smallest number, to 2 %, that reaches ``target``.
        target: power wanted.
        max_documents: largest number of documents that the search tries, 2 or more.
        metric: see `arraycoref.options`; None for its default there.
        field: the same.
        alpha: the same.
        **options: the same; documents are resampled anew for each number of documents.

    Raises:
        InputError: fewer than two documents, a difference of 0, an option out of range.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored, another name that does not exist.
    """
    how, draws = how_of(options, ResampleOptions, metric=metric, field=field, alpha=alpha)
    metric, alpha, place = how.metric, how.alpha, check_field(how.field, how.metric)
    OPTIONS["alpha"].check("target", target)
    runs = RunScores.from_scores({"a": a, "b": b}, (metric,))
    sample, how = sample_of(runs, how)
    if not sample.is_tested:
        raise InputError("the pilot holds one document; expected two at least, better dozens")
    first, second = sample.estimates[0, place].tolist()
    size = abs(first - second if difference is None else difference)
    if not 0.0 < size <= (math.inf if is_count(metric) else 1.0):
        expected = "a number above 0, such as 10" if is_count(metric) else "a fraction above 0, such as 0.01"
        raise InputError(f"the difference to be found is {size}; expected {expected}")
    sign = -1.0 if first < second else 1.0  # as if the higher score came first
    seen: dict[int, float] = {}

    def power_of(n: int) -> float:
        if smallest_pvalue(n) > alpha:
            seen[n] = 0.0
        if n not in seen:
            ours, theirs = draws.replicates(sample, n)[0, place]
            deviation = sign * (ours - theirs - (ours - theirs).mean()) * sample.stretch(0, place, 0, 1)
            critical, sought = np.quantile(np.abs(deviation), 1.0 - alpha), size
            if is_count(metric) and sample.average == "micro":  # a sum over the documents
                sought *= n / sample.n_units
            seen[n] = float(np.mean(np.abs(sought + deviation) >= critical)) if critical > 0.0 else 1.0
        return seen[n]

    if sizes is None:
        needed = _search(power_of, target, max_documents)
    else:
        needed = min((n for n in sizes if power_of(n) >= target), default=None)
    same = differing_notes(sample, runs.names, [(0, 1)], "bootstrap", alpha)
    return Power(
        difference=size,
        n_documents=np.array(sorted(seen)),
        power=np.array([seen[n] for n in sorted(seen)]),
        needed=needed,
        target=target,
        unit=sample.units.noun,
        n_pilot=sample.n_units,
        signature=sample.signature,
        notes=(*sample_notes(runs, sample, pair=place), *same),
        how=how,
    )


def _search(power_of: Callable[[int], float], target: float, most: int) -> int | None:
    """Find the number of documents that reaches a power, to 2 % of itself (exactly below 100); None if above ``most``.

    The number is doubled until the power suffices; then the range between the last two numbers is halved repeatedly.
    """
    low, high = 1, 2  # no test finds a difference in one document
    while power_of(high) < target:
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= target else (middle, high)
    return high
