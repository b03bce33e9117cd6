"""Fractions as percentages and sums as counts, the way that text tables show them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from arraycoref.report import reference
from arraycoref.report.rows import Row

if TYPE_CHECKING:
    from arraycoref.options import Signature


def formatter(signature: Signature, digits: int) -> Callable[[float], str]:
    """Return the function that writes a fraction as a percentage: rounded, or truncated for profile ``conll``.

    Args:
        signature: tells the profile.
        digits: decimals of the percentage.
    """
    truncated = signature.profile == "conll"

    def percent(fraction: float) -> str:
        if math.isnan(fraction):
            return ""
        return f"{reference.truncate(fraction, digits) if truncated else 100 * fraction:.{digits}f}"

    return percent


def as_printed(rows: Sequence[Row], signature: Signature) -> list[Row]:
    """Return rows with the values to print: under profile ``conll``, computed as the reference scorer does."""
    return reference.recompute(rows) if signature.profile == "conll" and signature.beta == 1 else list(rows)


def f_name(beta: float) -> str:
    """Name F: ``F1``, ``F2``, ``F0.5``."""
    return f"F{beta:g}"


def count(value: float) -> str:
    """Write a sum: integers in full, fractions with two decimals, nothing for NaN."""
    if math.isnan(value):
        return ""
    return str(int(value)) if value == int(value) else f"{value:.2f}"


def counts(numerator: float, denominator: float) -> str:
    """Write a numerator over its denominator, or nothing where the metric has no sums."""
    return f"{count(numerator)} / {count(denominator)}" if not math.isnan(denominator) else ""
