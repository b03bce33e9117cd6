"""How numbers appear in text: ratios in percent, counts in full, and both as the reference scorer prints them."""

from __future__ import annotations

import math

from arraycoref.metrics import find_metric
from arraycoref.metrics.score import DIGITS


def fields_of(metric: str) -> tuple[str, ...]:
    """Name the fields that a metric has: the CoNLL average is a mean of F alone."""
    return find_metric(metric).fields


def is_count(metric: str) -> bool:
    """Whether a metric is a plain number, not a ratio that is shown in percent."""
    return find_metric(metric).unit == "count"


def shown(value: float | None, metric: str, digits: int = 2, *, profile: str = "paper", sign: str = "") -> str:
    """Write a value of a metric: a ratio in percent, a count in full; nothing for None and NaN.

    Args:
        value: a fraction, or a count.
        metric: its name.
        digits: decimals of a percentage.
        profile: ``conll`` to cut percentages off after their decimals, as the reference scorer does, and not to round.
        sign: ``+`` to write the sign of positive values too.
    """
    if value is None or math.isnan(value):
        return ""
    if sign:
        value = round(value, DIGITS) + 0.0  # no -0.00 of two that are equal up to rounding
    if find_metric(metric).unit == "count":
        return counts(value, sign=sign)
    return f"{truncate(value, digits) if profile == 'conll' else 100 * value:{sign}.{digits}f}"


def unit(*metrics: str) -> str:
    """Say for a caption what `shown` wrote of these metrics."""
    kinds = set(map(is_count, metrics))
    return " and ".join(name for name, counted in (("percent", False), ("counts", True)) if counted in kinds)


def counts(*sums: float, sign: str = "") -> str:
    """Write a sum, or one over another: integers in full, fractions with two decimals, nothing where there is none.

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
    """Name F: ``F1``, ``F2``, ``F0.5``."""
    return f"F{beta:g}"


def field_name(field: str, beta: float = 1.0) -> str:
    """Name recall, precision or F."""
    return f_name(beta) if field == "f1" else field


def metric_title(metric: str) -> str:
    """Name a metric as figures and papers print it: ``B³``, ``CoNLL``."""
    return find_metric(metric).title


def score_name(metric: str, field: str, beta: float = 1.0, *, title: bool = False) -> str:
    """Name a score, ``muc F1`` or ``bcub recall``, with ``title`` ``MUC F1``; one that counts by its metric alone."""
    name = metric_title(metric) if title else metric
    if is_count(metric) and field == "f1":
        return name
    return f"{name} {field_name(field, beta)}"


def truncate(fraction: float, digits: int = 2) -> float:
    """Return a fraction as a percentage cut off after some decimals: 0.7499999999999999 gives 74.99.

    So the reference scorer prints, and its last digit depends on the order of its floating point operations: recall 0.6
    and precision 1 give the F1 above. `arraycoref.metrics.score` divides in that order. What is left to differ are
    sums of fractions over documents, whose order of addition is that of a Perl hash there.
    """
    scale = 10.0**digits
    return int(fraction * (100 * scale)) / scale


def number(value: float) -> str:
    """Write a number as Perl does: integers in full, others with 15 significant digits and no trailing zeros."""
    if value == int(value) and abs(value) < 2**63:
        return str(int(value))
    return f"{value:.15g}"
