"""Numbers as the reference scorer, version 8.01, computes and prints them.

Its percentages are truncated, not rounded, and depend on the order of its floating point operations: recall 0.6 and
precision 1 give an F1 of 0.7499999999999999, which prints as 74.99. The functions here keep that order. They start
from the sums over documents, whose own order of addition is not fixed (it is that of a Perl hash), so that a sum of
fractions may still differ in its last digit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from arraycoref.report.rows import Row


def ratio(numerator: float, denominator: float) -> float:
    """Divide, or return 0 where there is nothing to divide by."""
    return numerator / denominator if denominator else 0.0


def f1(recall: float, precision: float) -> float:
    """Return F1 of two fractions, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if recall + precision else 0.0


def truncate(fraction: float, digits: int = 2) -> float:
    """Return a fraction as a percentage cut off after some decimals: 0.7499999999999999 gives 74.99."""
    scale = 10.0**digits
    return int(fraction * (100 * scale)) / scale


def number(value: float) -> str:
    """Write a number as Perl does: integers in full, others with 15 significant digits and no trailing zeros."""
    if value == int(value) and abs(value) < 2**63:
        return str(int(value))
    return f"{value:.15g}"


def blanc(coreference: Row, non_coreference: Row) -> tuple[float, float, float]:
    """Return BLANC's recall, precision and F1 from its two link classes, leaving out a class that the key lacks.

    Source: observed; Luo et al. (2014), section 4.1, leaves a class out only where both sides lack it.
    """
    present = [row for row in (coreference, non_coreference) if row.recall_den]
    if not present:
        return 0.0, 0.0, 0.0
    if len(present) == 1:
        return present[0].recall, present[0].precision, present[0].f1
    a, b = present
    return (a.recall + b.recall) / 2, (a.precision + b.precision) / 2, (a.f1 + b.f1) / 2


def recompute(rows: Sequence[Row], *, classes: bool = True) -> list[Row]:
    """Compute recall, precision and F1 again from the sums, in the reference scorer's order of operations.

    Rows without sums, as means over documents, keep their values; BLANC's follow from its two link classes.

    Args:
        rows: of one document, or of a corpus.
        classes: let BLANC follow from its link classes as in the reference scorer, or keep its values.
    """
    done = [_recompute(row) for row in rows]
    parts = {row.link_class: row for row in done if row.metric == "blanc"}
    if classes and len(parts) == 3 and not math.isnan(parts["coreference"].recall_den):
        place = done.index(parts[""])
        recall, precision, f = blanc(parts["coreference"], parts["non_coreference"])
        done[place] = parts[""]._replace(recall=recall, precision=precision, f1=f)
    return done


def _recompute(row: Row) -> Row:
    if math.isnan(row.recall_den):
        return row
    recall, precision = ratio(row.recall_num, row.recall_den), ratio(row.precision_num, row.precision_den)
    return row._replace(recall=recall, precision=precision, f1=f1(recall, precision))
