"""Find intervals of one clustering where few of its units have an error, or one unit has most of them.

Student's t on the scale of logits needs some ten units with errors. With fewer, these intervals take over, step by
step. For units of equal weight that are right or wrong they are those of Clopper and Pearson, which need no errors at
all; units of unequal weight get the binomial distribution that has their variance. A number of errors gets the Poisson
distribution instead.

Source: Clopper and Pearson (1934); Korn and Graubard (1998) for unequal weights; Fay and Feuer (1997) for numbers.
The loss of one more unit and the weights between the two kinds of intervals were chosen by simulation
(docs/simulations.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from arraycoref.ragged import Bools, Floats
from arraycoref.scoring.contributions import CONTRIBUTIONS, places
from arraycoref.scoring.format import is_count
from arraycoref.scoring.metrics.registry import RATIOS, find_metric
from arraycoref.stats.one_clustering import Spread, inner
from arraycoref.stats.sample import Sample

FEW, ENOUGH = 10.0, 30.0
"""Effective number of errors up to which these intervals are taken alone, and from which they are not taken at all."""

PER_EFFECTIVE = 5.0
"""An effective unit counts at most as so many effective errors."""


F1 = RATIOS.index("f1")


class Ends(NamedTuple):
    """Ends of an interval.

    Attributes:
        low: lower end; nan if undefined.
        high: upper end, the same.
        errors: effective number of errors that the interval rests on; infinite if it does not depend on that.
        n_units: number of units that have a part in the denominators.
        largest: the largest fraction of the denominators that one unit holds; nan if one of these is 0.
        spread: the spread of the score or difference.
        exchanged: of a difference, its root mean square if systems exchange units, to first order; nan for a score.
        is_perfect: whether it is a score without errors.
    """

    low: float = math.nan
    high: float = math.nan
    errors: float = math.inf
    n_units: int = 0
    largest: float = 0.0
    spread: Spread = Spread(1.0, math.nan, math.nan)
    exchanged: float = math.nan
    is_perfect: bool = False


def unit_ends(sample: Sample, k: int, f: int, i: int, j: int | None, confidence: float) -> Ends:
    """Find the ends of the interval of a score of system i, or of its difference from that of j, on one clustering.

    Args:
        sample: units of one clustering.
        k: position of the metric.
        f: position of recall, precision or F.
        i: position of a system.
        j: position of the system whose score is subtracted; None for a score.
        confidence: level of the interval.
    """
    metric, alpha, n = sample.metrics[k], 1.0 - confidence, sample.n_units
    systems, spread = [s for s in (i, j) if s is not None], sample.spread(k, f, i, j)
    if n < 2 or not sample.has_rows(k):
        return Ends(spread=spread)
    scores, influences = zip(*((sample.estimates[k, f, s], sample.influences(k, f, s)) for s in systems), strict=True)
    if is_count(metric):
        counts = [x + score / n for x, score in zip(influences, scores, strict=True)]
        if j is None:
            return count_ends(counts[0], spread, alpha)._replace(n_units=n, spread=spread, is_perfect=scores[0] == 0.0)
        ends = count_difference_ends(counts[0] - counts[1], spread, alpha)
        return ends._replace(n_units=n, spread=spread, exchanged=float(np.linalg.norm(counts[0] - counts[1])))
    holdings = [sample.recent("held", (k, f, s), partial(_held, sample, metric, f, s)) for s in systems]
    held = [h for h, _ in holdings]
    parts = list(zip(*(of_parts for _, of_parts in holdings), strict=True))  # of each metric, those of the systems
    n_of_part = [int(np.logical_or.reduce([part.holds for part in of_systems]).sum()) for of_systems in parts]
    n_units, weights = max(n_of_part), [sum(part.weight for part in of_systems) for of_systems in parts]
    largest = float(np.max(held))
    if n_units < 2 or math.isnan(largest) or np.isnan(scores).any():
        return Ends(n_units=n_units, largest=largest, spread=spread)
    weighed = zip(weights, parts, n_of_part, strict=True)
    more = sum(w * of_systems[0].loss / max(n_part, 1) for w, of_systems, n_part in weighed) / sum(weights)
    losses = [h * (1.0 - score) - x for h, score, x in zip(held, scores, influences, strict=True)]
    exchanged = math.nan if j is None else float(np.linalg.norm(losses[1] - losses[0]))
    if min(scores) < 0.0:  # ARI
        half = _quantile_of_t(spread, alpha)
        estimate = scores[0] - sum(scores[1:])
        ends = Ends(estimate - half, estimate + half)
    elif j is None:
        ends = score_ends(scores[0], influences[0], held[0], more, spread, alpha)
    else:
        ends = difference_ends(losses[1] - losses[0], more, spread, alpha)
    is_perfect = j is None and bool(scores[0] == 1.0)
    return ends._replace(n_units=n_units, largest=largest, spread=spread, exchanged=exchanged, is_perfect=is_perfect)


class Holding(NamedTuple):
    """What units hold of the denominators of a metric.

    Attributes:
        holds: bool (U,) whether a unit holds any.
        loss: by how much of its weight a unit lowers the score if it is wrong.
        weight: weight of the metric in one that is made of it.
    """

    holds: Bools
    loss: float
    weight: float


def _held(sample: Sample, metric: str, f: int, s: int) -> tuple[Floats, list[Holding]]:
    """Return which fraction of the denominators of a score each unit holds, float64 (U,), in all 1.

    A metric made of others has their means, weighted by F.
    """
    made_of = find_metric(metric).made_of
    if len(made_of) == 1:
        held, loss = _held_in(sample, made_of[0], f, s)
        return held, [Holding(held > 0.0, loss, 1.0)]
    weights = np.maximum([sample.f1(name, s) for name in made_of], 1e-300)
    mean, holdings = np.zeros(sample.n_units), []
    for name, weight in zip(made_of, weights.tolist(), strict=True):
        held, loss = _held_in(sample, name, F1, s)
        mean += weight / weights.sum() * held
        holdings.append(Holding(held > 0.0, loss, weight))
    return mean, holdings


def _held_in(sample: Sample, name: str, f: int, s: int) -> tuple[Floats, float]:
    """Find the same for a metric that is not made of others, and what a unit loses if it is wrong."""
    columns, rule = sample.rows_of(s).T[places(sample.counted)[name]], CONTRIBUTIONS[name]
    beta = sample.signature.beta**2
    totals = columns.sum(axis=1)
    right, of_key, right_too, of_response = totals[list(rule.weights)]
    with np.errstate(invalid="ignore", divide="ignore"):  # nan without denominators
        recall, precision = right / of_key, right_too / of_response
        held = columns[list(rule.weights[1::2])] / np.array([[of_key], [of_response]])
        if f == F1:
            weights = [beta * precision, recall] if right else [beta, 1.0]
            return np.asarray((weights[0] * held[0] + weights[1] * held[1]) / sum(weights)), rule.loss(totals)
    return held[f], rule.loss(totals)


def score_ends(score: float, influences: Floats, held: Floats, more: float, spread: Spread, alpha: float) -> Ends:
    """Find the ends of the interval of a score between 0 and 1.

    Args:
        score: the score.
        influences: float64 (U,) how much it changes with the weight of each unit; they add up to 0.
        held: float64 (U,) fraction of the denominators that each unit holds; they add up to 1.
        more: what the score loses by one more unit that is all wrong.
        spread: the spread of the score.
        alpha: share of the interval's complement, on both sides together.
    """
    loss = held * (1.0 - score) - influences
    gain = held - loss
    variance = max(spread.error**2, score * spread.design_effect * inner(loss * spread.free, loss))
    few = _binomial(score, variance, more, alpha)
    if math.isnan(spread.effective):  # no unit has an influence
        return Ends(*few, 0.0)
    squares = (1.0 - score, loss), (score, gain)
    errors = min(*(total**2 / max(inner(x, x), 1e-300) for total, x in squares), PER_EFFECTIVE * spread.effective)
    weight = _weight(errors)
    if weight == 0.0 or not 0.0 < score < 1.0:
        return Ends(*few, errors)
    half = _quantile_of_t(spread, alpha) / (score * (1.0 - score))
    both = zip(few, (_logit(score) - half, _logit(score) + half), strict=True)
    logits = [(1.0 - weight) * _logit(end) + weight * end_of_t for end, end_of_t in both]
    low, high = (1.0 / (1.0 + math.exp(min(-logit, 700.0))) for logit in logits)
    return Ends(low, high, errors)


def difference_ends(losses: Floats, more: float, spread: Spread, alpha: float) -> Ends:
    """Find the ends of the interval of a difference of two scores.

    Args:
        losses: float64 (U,) how much less each unit loses in the first score than in the second; they add up to the
            difference.
        more: what a score loses by one more unit that is all wrong.
        spread: the spread of the difference.
        alpha: share of the interval's complement, on both sides together.
    """

    def of_one_side(differing: Floats) -> tuple[float, float]:
        better = float(differing.sum())
        variance = (1.0 - better) * spread.design_effect * inner(differing * spread.free, differing)
        low, high = _binomial(1.0 - better, variance, more / 2.0, alpha)
        return 1.0 - high, 1.0 - low

    return _combined(losses, of_one_side, spread, alpha, 1.0)


def count_ends(counts: Floats, spread: Spread, alpha: float) -> Ends:
    """Find the ends of the interval of a number of errors, from the number of each unit, float64 (U,).

    >>> round(count_ends(np.zeros(50), Spread(1.0, np.nan, 0.0), 0.05).high, 2)  # 3.7 are compatible with none
    3.69
    """
    total, variance = float(counts.sum()), spread.error**2
    return Ends(*_poisson(total, variance, 1.0, alpha), math.inf if total else 0.0)


def count_difference_ends(differing: Floats, spread: Spread, alpha: float) -> Ends:
    """Find the ends of the interval of a difference of two numbers of errors, from those of each unit, float64 (U,)."""

    def of_one_side(more: Floats) -> tuple[float, float]:
        return _poisson(float(more.sum()), spread.design_effect * inner(more * spread.free, more), 0.5, alpha)

    return _combined(differing, of_one_side, spread, alpha, math.inf)._replace(errors=math.inf)


def _combined(
    differing: Floats, of_one_side: Callable[[Floats], tuple[float, float]], spread: Spread, alpha: float, most: float
) -> Ends:
    """Combine the intervals of what units gain and of what units lose; then, by the weight, that of Student's t."""
    gains, losses = np.maximum(differing, 0.0), np.maximum(-differing, 0.0)
    gain, loss, (gain_low, gain_high), (loss_low, loss_high) = (
        gains.sum(),
        losses.sum(),
        *map(of_one_side, (gains, losses)),
    )
    difference = float(gain - loss)
    low = difference - math.hypot(gain - gain_low, loss_high - loss)
    high = difference + math.hypot(gain_high - gain, loss - loss_low)
    squares = inner(differing, differing)
    if math.isinf(most) or not squares or math.isnan(spread.effective):
        return Ends(low, high, 0.0)
    errors = min(float(gain + loss) ** 2 / squares, PER_EFFECTIVE * spread.effective)
    weight, half = _weight(errors), _quantile_of_t(spread, alpha)
    low = (1.0 - weight) * low + weight * (difference - half)
    high = (1.0 - weight) * high + weight * (difference + half)
    return Ends(max(low, -most), min(high, most), errors)


def _weight(errors: float) -> float:
    """Return the weight of the interval of Student's t."""
    return min(max((errors - FEW) / (ENOUGH - FEW), 0.0), 1.0)


def _quantile_of_t(spread: Spread, alpha: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(spread.effective, 1.0 - alpha / 2.0)) * spread.error


def _binomial(score: float, variance: float, more: float, alpha: float) -> tuple[float, float]:
    """Find the ends that the binomial distribution gives for a score with a variance."""
    from scipy.special import betaincinv

    loss = 1.0 - score
    if loss <= 0.0:
        return (alpha / 2.0) ** more, 1.0
    if score <= 0.0:
        return 0.0, 1.0 - (alpha / 2.0) ** more
    scale = (variance / score + more**2) / (loss + more)
    low = float(betaincinv(score / scale, (loss + more) / scale, alpha / 2.0))
    scale = (variance / loss + more**2) / (score + more)
    return low, float(betaincinv((score + more) / scale, loss / scale, 1.0 - alpha / 2.0))


def _poisson(total: float, variance: float, more: float, alpha: float) -> tuple[float, float]:
    """Find the ends that the Poisson distribution gives for a number of errors with a variance."""
    from scipy.special import gammaincinv

    low = 0.0
    if total > 0.0 and variance > 0.0:
        low = variance / total * float(gammaincinv(total**2 / variance, alpha / 2.0))
    total, variance = total + more, variance + more**2
    return low, variance / total * float(gammaincinv(total**2 / variance, 1.0 - alpha / 2.0))


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share)) if 0.0 < share < 1.0 else math.copysign(700.0, share - 0.5)
