"""Write numbers as text: ratios in percent, counts in full, and both in the way of the reference scorer."""

from __future__ import annotations

import math

from arraycoref.scoring.metrics.registry import find_metric
from arraycoref.scoring.metrics.score import DIGITS


def fields_of(metric: str) -> tuple[str, ...]:
    """Return the fields that a metric has; the CoNLL average has F only."""
    return find_metric(metric).fields


def is_count(metric: str) -> bool:
    """Return whether a metric is a count, not a ratio that is shown in percent."""
    return find_metric(metric).unit == "count"


def shown(value: float | None, metric: str, digits: int = 2, *, profile: str = "paper", sign: str = "") -> str:
    """Write a value of a metric: a ratio in percent, a count in full; nothing for None and NaN.

    Args:
        value: a fraction, or a count.
        metric: its name.
        digits: decimals of a percentage.
        profile: ``conll`` to cut percentages off after their decimals, as the reference scorer does; else round them.
        sign: ``+`` to write the sign of positive values too.
    """
    if value is None or math.isnan(value):
        return ""
    if sign:
        value = round(value, DIGITS) + 0.0  # two scores that are equal up to rounding differ by +0.00, not -0.00
    if find_metric(metric).unit == "count":
        return counts(value, sign=sign)
    return f"{truncate(value, digits) if profile == 'conll' else 100 * value:{sign}.{digits}f}"


def unit(*metrics: str) -> str:
    """Return the unit in which `shown` writes these metrics, for captions: percent, counts, or both."""
    kinds = set(map(is_count, metrics))
    return " and ".join(name for name, counted in (("percent", False), ("counts", True)) if counted in kinds)


def counts(*sums: float, sign: str = "") -> str:
    """Write sums with " / " between them: integers in full, fractions with two decimals; NaN is left out.

    >>> counts(3.0, 4.5), counts(2.0, sign="+"), counts(math.nan, math.nan)
    ('3 / 4.50', '+2', '')
    """
    return " / ".join(f"{value:{sign}.{0 if value == int(value) else 2}f}" for value in sums if not math.isnan(value))


def number_of(n: int, noun: str) -> str:
    """Write a number before its noun: ``1 document``, ``2 documents``."""
    return f"{n} {noun}{'' if n == 1 else 's'}"


def pvalue_text(p: float) -> str:
    """Write a p-value with four decimals, nothing for nan."""
    return "" if math.isnan(p) else "<0.0001" if p < 0.00005 else f"{p:.4f}"


def f_name(beta: float) -> str:
    """Return the name of F for a beta: ``F1``, ``F2``, ``F0.5``."""
    return f"F{beta:g}"


def field_name(field: str, beta: float = 1.0) -> str:
    """Return the name of recall, precision or F."""
    return f_name(beta) if field == "f1" else field


def metric_title(metric: str) -> str:
    """Return the name of a metric as figures and papers print it: ``B³``, ``CoNLL``."""
    return find_metric(metric).title


def score_name(metric: str, field: str, beta: float = 1.0, *, title: bool = False) -> str:
    """Return the name of a score: ``muc F1``, or with ``title`` ``MUC F1``; F of a metric that counts has no ``F1``."""
    name = metric_title(metric) if title else metric
    if is_count(metric) and field == "f1":
        return name
    return f"{name} {field_name(field, beta)}"


def truncate(fraction: float, digits: int = 2) -> float:
    """Return a fraction as a percentage cut off after some decimals: 0.7499999999999999 gives 74.99.

    The reference scorer prints percentages in this way. Its last digit depends on the order of its floating-point
    operations: recall 0.6 and precision 1 give the F1 above. `arraycoref.scoring.metrics.score` uses the same order.
    Only sums
    of fractions over documents may still differ, since the reference scorer adds documents in the order of a Perl hash.
    """
    scale = 10.0**digits
    return int(fraction * (100 * scale)) / scale


def number(value: float) -> str:
    """Write a number as Perl does: integers in full, others with 15 significant digits and no trailing zeros."""
    if value == int(value) and abs(value) < 2**63:
        return str(int(value))
    return f"{value:.15g}"
