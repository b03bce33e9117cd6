"""Hold and print a comparison of systems: a ranked table in every format, and the tests between all pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from arraycoref.metrics.score import Floats
from arraycoref.options import Signature
from arraycoref.records import Record
from arraycoref.report.escapes import Markup, latex_title
from arraycoref.report.formats import Report, plain
from arraycoref.report.table import TextTable
from arraycoref.report.values import number_of, pvalue_text, score_name, unit
from arraycoref.stats.intervals import Interval
from arraycoref.stats.options import CORRECTIONS, TESTS, OneScore

SETTINGS = (
    *("metric", "field", "average", "test", "exact", "correction", "alpha", "method", "confidence"),
    *("n_resamples", "n_documents", "n_tests", "seed", "reference", "baseline", "notes"),
)
"""Attributes of a comparison that JSON holds besides its systems and pairs."""


@dataclass(frozen=True, eq=False)
class RankedSystem(Record):
    """A row of the ranked table.

    Attributes:
        rank: 1 for the best; equal scores share one.
        name: of the system.
        score: its score with its interval.
        difference: its score minus the reference's, nan for the reference itself.
        difference_low: lower end of the confidence interval of that difference, nan likewise.
        difference_high: upper end.
        pvalue: of that difference, nan likewise.
        adjusted: that p-value, corrected for the number of tests.
        mark: against a baseline ``*`` where ``adjusted`` is at most alpha; else letters: systems that share one
            do not differ significantly.
    """

    rank: int
    name: str
    score: Interval
    difference: float
    difference_low: float
    difference_high: float
    pvalue: float
    adjusted: float
    mark: str

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain Python values, fractions 0-1, None in place of nan."""
        values = {"rank": self.rank, "system": self.name, **vars(self.score), **vars(self)}
        return {key: plain(value) for key, value in values.items() if key not in ("name", "score")}


@dataclass(frozen=True, eq=False, kw_only=True)
class Comparison(OneScore, Report):
    """Systems in the order of their rank, and the tests between them.

    `render` writes the ranked table in a format; `print` shows it as text, and a notebook as HTML.

    Attributes:
        systems: (S,) rows of the table.
        reference: the system that ``difference`` and ``pvalue`` of a row refer to: the baseline, or the best.
        baseline: whether the user named the reference; otherwise all pairs were tested.
        differences: float64 (S, S) score of the row's system minus that of the column's.
        pvalues: float64 (S, S), nan for pairs that were not or could not be tested.
        adjusted: float64 (S, S), corrected for all the tests that were made.
        test: ``randomisation`` or ``bootstrap``.
        exact: whether all outcomes were listed in every test made.
        correction: ``maxt``, ``holm``, ``bh`` or ``none``.
        alpha: level of the marks.
        method: of the intervals.
        confidence: of the intervals.
        n_documents: D.
        n_tests: pairs tested.
        signature: of the scores.
    """

    systems: tuple[RankedSystem, ...]
    reference: str
    baseline: bool
    differences: Floats
    pvalues: Floats
    adjusted: Floats
    test: str
    exact: bool
    correction: str
    alpha: float
    method: str
    confidence: float
    n_documents: int
    n_tests: int
    signature: Signature

    def __str__(self) -> str:
        return self.render().rstrip("\n")

    def tables(self, digits: int) -> list[TextTable]:
        """Lay the systems out as a ranked table; p-values are fractions."""
        interval, group = f"{100 * self.confidence:g}% interval", "" if self.baseline else "group"
        title = score_name(self.metric, self.field, self.signature.beta)
        headers = ["rank", "system", title, interval, "difference", interval, "p", "p adjusted", group]
        rows = [
            [str(s.rank), str(s.name), *self._shown(s, digits), pvalue_text(s.pvalue), pvalue_text(s.adjusted), s.mark]
            for s in self.systems
        ]
        return [TextTable(headers, rows, "rlrrrrrrl")]

    def paper_tables(self, digits: int) -> list[TextTable]:
        """Lay them out for LaTeX: the interval in brackets, one p-value, marks and letters as superscripts."""
        title = latex_title(score_name(self.metric, self.field, self.signature.beta, title=True))
        corrected = self.correction != "none" and self.n_tests > 1
        p_name = f"$p$ ({CORRECTIONS[self.correction]})" if corrected else "$p$"
        interval = f"{100 * self.confidence:g}% interval"
        headers = ["", "System", Markup(title), interval, "Difference", interval, Markup(p_name)]
        rows = []
        for s in self.systems:
            mark = f"$^{{{s.mark}}}$" if s.mark == "*" else rf"\textsuperscript{{{s.mark}}}" if s.mark else ""
            score, *others = self._shown(s, digits)
            ends, difference, apart = (f"[{text.replace(' to ', ', ')}]" if " to " in text else text for text in others)
            signed = (Markup(f"${text}$" if text else "--") for text in (difference, apart, pvalue_text(s.adjusted)))
            rows.append([str(s.rank), str(s.name), Markup(score + mark), Markup(ends or "--"), *signed])
        return [TextTable(headers, rows, "rlrrrrr")]

    def caption(self, digits: int) -> list[str]:
        """Say in full sentences what the table shows, so that a reader could repeat it."""
        resampled = f"{self.n_resamples} resamples"
        intervals = f"; {self.method} bootstrap intervals, {resampled}, seed {self.seed}"
        how = "all outcomes" if self.exact and self.n_tests else resampled
        pairs = number_of(self.n_tests, "pair")
        correction = f", {CORRECTIONS[self.correction]}" if self.n_tests > 1 else ""
        tests = f"{TESTS[self.test]}, two-sided, {how}, {pairs}{correction}"
        mark = "*: significant" if self.baseline else "systems that share a letter are not significantly different"
        return [
            f"{number_of(self.n_documents, 'document')}, {self.average} average, {unit(self.metric)}"
            + (intervals if self.n_documents != 1 else ""),
            *([tests] if np.isfinite(self.pvalues).any() else []),
            f"differences: from {'the baseline' if self.baseline else 'the best'}, {self.reference}"
            + (", each interval by itself" if len(self.systems) > 2 and self.n_documents != 1 else ""),
            *([f"{mark} (alpha {self.alpha:g})"] if any(s.mark for s in self.systems) else []),
            *(f"note: {note}" for note in self.notes),
            str(self.signature),
        ]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a row for each system, in fractions 0-1."""
        rows = [s.to_dict() for s in self.systems]
        yield tuple(rows[0])
        yield from (tuple(row.values()) for row in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, fractions 0-1, None in place of nan."""
        tests = {"difference": self.differences, "pvalue": self.pvalues, "adjusted": self.adjusted}
        pairs = [
            {"a": plain(a.name), "b": plain(b.name), **{name: plain(matrix[i, j]) for name, matrix in tests.items()}}
            for (i, a), (j, b) in combinations(enumerate(self.systems), 2)
            if not self.baseline or self.reference in (a.name, b.name)
        ]
        return {
            "signature": self.signature.as_dict(),
            **{name: getattr(self, name) for name in SETTINGS},
            "reference": plain(self.reference),
            "systems": [s.to_dict() for s in self.systems],
            "pairs": pairs,
        }

    def _shown(self, system: RankedSystem, digits: int) -> tuple[str, str, str, str]:
        """Write a system's score, its interval, its difference, and that one's, nothing where they are undefined."""
        difference = Interval(system.difference, system.difference_low, system.difference_high, math.nan)
        return (
            *system.score.cells(self.metric, digits, profile=self.signature.profile),
            *difference.cells(self.metric, digits, sign="+"),
        )
