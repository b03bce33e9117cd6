"""What comparing many systems returns: rows of a ranked table, and the tests between all pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.options import Signature
from arraycoref.stats.intervals import Interval

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankedSystem:
    """A row of the ranked table.

    Attributes:
        rank: 1 for the best; equal scores share one.
        name: of the system.
        score: its score with its interval.
        difference: its score minus the reference's, nan for the reference itself.
        pvalue: of that difference, nan likewise.
        adjusted: that p-value, corrected for the number of tests.
        mark: against a baseline ``*`` where ``adjusted`` is at most alpha; else letters: systems that share one
            cannot be told apart.
    """

    rank: int
    name: str
    score: Interval
    difference: float
    pvalue: float
    adjusted: float
    mark: str


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems in the order of their rank, and the tests between them.

    Attributes:
        systems: (S,) rows of the table.
        reference: the system that ``difference`` and ``pvalue`` of a row refer to: the baseline, or the best.
        baseline: whether the user named the reference; otherwise all pairs were tested.
        differences: float64 (S, S) score of the row's system minus that of the column's.
        pvalues: float64 (S, S), nan for pairs that were not or could not be tested.
        adjusted: float64 (S, S), corrected for all the tests that were made.
        metric: what was compared, with ``field``, ``average``.
        field: as above.
        average: as above.
        test: ``randomisation`` or ``bootstrap``.
        exact: whether all outcomes were listed in every test made.
        correction: ``holm``, ``bh`` or ``none``.
        alpha: level of the marks.
        method: of the intervals.
        confidence: of the intervals.
        n_resamples: of intervals and tests.
        n_documents: D.
        n_tests: pairs tested.
        seed: repeats the numbers.
        signature: of the scores.
        notes: what a reader should know before trusting them.
    """

    systems: tuple[RankedSystem, ...]
    reference: str
    baseline: bool
    differences: Floats
    pvalues: Floats
    adjusted: Floats
    metric: str
    field: str
    average: str
    test: str
    exact: bool
    correction: str
    alpha: float
    method: str
    confidence: float
    n_resamples: int
    n_documents: int
    n_tests: int
    seed: int
    signature: Signature
    notes: tuple[str, ...] = ()

    def render(self, format: str = "table", *, digits: int = 2) -> str:
        """Write the ranked table as ``table``, ``json``, ``csv``, ``markdown`` or ``latex`` (booktabs).

        Args:
            format: its name.
            digits: decimals of percentages; json and csv tell fractions at full precision.

        Raises:
            UnknownNameError: there is no such format.
        """
        from arraycoref.report.ranking_formats import render_ranking

        return render_ranking(self, format, digits=digits)

    def __str__(self) -> str:
        return self.render().rstrip("\n")
