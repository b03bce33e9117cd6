"""What the ranked table of ``arraycoref compare`` says, whatever its format."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from arraycoref.metrics import find_metric
from arraycoref.report.cells import Cells

if TYPE_CHECKING:
    from arraycoref.stats.comparison import Comparison, RankedSystem

CORRECTION_NAMES = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "no correction"}
TEST_NAMES = {"randomisation": "approximate randomisation", "bootstrap": "paired bootstrap"}


def ranking_cells(c: Comparison, digits: int = 2) -> Cells:
    """Lay a comparison out as text, a row a system; percent, but p-values are fractions.

    Args:
        c: the comparison.
        digits: decimals of the percentages.
    """
    headers = [
        "rank",
        "system",
        score_name(c),
        f"{100 * c.confidence:g}% interval",
        "difference",
        "p",
        "p adjusted",
        "" if c.baseline else "group",
    ]

    def row(s: RankedSystem) -> list[str]:
        low, high = (percent(end, digits) for end in (s.score.low, s.score.high))
        return [
            str(s.rank),
            s.name,
            percent(s.score.estimate, digits),
            f"{low} to {high}" if low else "",
            percent(s.difference, digits, "+"),
            pvalue_text(s.pvalue),
            pvalue_text(s.adjusted),
            s.mark,
        ]

    return Cells(headers, [row(s) for s in c.systems])


def caption_lines(c: Comparison) -> list[str]:
    """Tell in full sentences what a ranked table shows, so that a reader could repeat it."""
    documents = f"{c.n_documents} document" + ("" if c.n_documents == 1 else "s")
    pairs = f"{c.n_tests} pair" + ("" if c.n_tests == 1 else "s")
    how = "all outcomes" if c.exact and c.n_tests else f"{c.n_resamples} resamples"
    mark = "*: significant" if c.baseline else "systems that share a letter are not significantly different"
    intervals = f"{c.method} bootstrap intervals, {c.n_resamples} resamples, seed {c.seed}"
    tests = f"{TEST_NAMES[c.test]}, two-sided, {how}, {pairs}, {CORRECTION_NAMES[c.correction]}"
    return [
        f"{documents}, {c.average} average, percent" + ("" if c.n_documents == 1 else f"; {intervals}"),
        *([tests] if np.isfinite(c.pvalues).any() else []),
        f"differences: from {'the baseline' if c.baseline else 'the best'}, {c.reference}",
        *([f"{mark} (alpha {c.alpha:g})"] if any(s.mark for s in c.systems) else []),
        *(f"note: {note}" for note in c.notes),
        str(c.signature),
    ]


def score_name(c: Comparison) -> str:
    """Name the score compared: ``muc F1``, ``bcub recall``."""
    return f"{c.metric} F{c.signature.beta:g}" if c.field == "f1" else f"{c.metric} {c.field}"


def metric_title(metric: str) -> str:
    """Name a metric as figures and papers print it: ``B³``, ``CoNLL``."""
    return find_metric(metric).title


def percent(fraction: float, digits: int, sign: str = "") -> str:
    """Write a fraction as a rounded percentage, nothing for nan."""
    return "" if math.isnan(fraction) else f"{100 * fraction:{sign}.{digits}f}"


def pvalue_text(p: float) -> str:
    """Write a p-value with four decimals, nothing for nan."""
    return "" if math.isnan(p) else "<0.0001" if p < 0.00005 else f"{p:.4f}"


def ranking_dict(c: Comparison) -> dict[str, Any]:
    """Return a comparison as plain Python values, fractions 0-1, None in the place of nan."""

    def plain(value: Any) -> Any:
        return None if isinstance(value, float) and math.isnan(value) else value

    options = (
        "metric",
        "field",
        "average",
        "test",
        "exact",
        "correction",
        "alpha",
        "method",
        "confidence",
        "n_resamples",
        "n_documents",
        "n_tests",
        "seed",
    )
    names = [s.name for s in c.systems]
    return {
        "signature": c.signature.as_dict(),
        **{name: getattr(c, name) for name in options},
        "reference": c.reference,
        "baseline": c.baseline,
        "notes": list(c.notes),
        "systems": [{key: plain(value) for key, value in flat_row(s).items()} for s in c.systems],
        "pairs": [
            {
                "a": names[i],
                "b": names[j],
                "difference": float(c.differences[i, j]),
                "pvalue": plain(float(c.pvalues[i, j])),
                "adjusted": plain(float(c.adjusted[i, j])),
            }
            for i in range(len(names))
            for j in range(i + 1, len(names))
            if not c.baseline or c.reference in (names[i], names[j])
        ],
    }


def flat_row(s: RankedSystem) -> dict[str, Any]:
    """Return a row of the table as plain Python values, fractions 0-1."""
    return {
        "rank": s.rank,
        "system": s.name,
        **vars(s.score),
        "difference": s.difference,
        "pvalue": s.pvalue,
        "adjusted": s.adjusted,
        "mark": s.mark,
    }
