"""The result of a comparison: systems or settings in the order of their scores, with intervals and tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arraycoref.ragged import Floats
from arraycoref.report.formats import plain
from arraycoref.report.tables import TextTable, as_best, in_latex, latex_text, number_of, pvalue_text
from arraycoref.scoring.format import format_score, latex_title, score_name, unit
from arraycoref.stats.results import CORRECTIONS, LINEARISED, METHODS, RIVAL, TESTS, Interval, OneScore, Tested
from arraycoref.stats.settings import Setting, beside, parameters_of

SETTINGS = (
    *("metric", "field", "average", "test", "correction", "alpha", "method", "confidence", "resamples", "resample_by"),
    *("n_documents", "n_units", "n_systems", "n_tests", "seed", "reference", "baseline"),
)
"""Attributes of a comparison that its JSON holds in addition to rows and pairs."""

BASELINE, PAIRS, BEST = "baseline", "pairs", "best"
"""What was tested: each system against a baseline, all pairs of systems, or which systems may be the best."""

MEANINGS = {
    BASELINE: "*: significant",
    PAIRS: "systems that share a letter are not significantly different",
    BEST: f"{RIVAL}: not significantly different from the best",
}
"""What the marks mean."""


@dataclass(frozen=True, eq=False)
class RankedSystem:
    """A row of the ranked table.

    Attributes:
        rank: 1 for the best; systems with equal scores share a rank.
        name: name of the system.
        score: score of the system with its interval.
        difference: score of the system minus that of the reference, with its interval; nan for the reference itself.
        pvalue: p-value of the difference; nan likewise, and if the test was which systems may be the best.
        adjusted: the same p-value, corrected for the number of tests; or that of being as good as any other.
        mark: with a baseline, ``*`` if ``adjusted`` is at most alpha. If all pairs were tested, letters: systems that
            share a letter do not differ significantly. Otherwise ``=`` if the system may be as good as the best.
        notes: what happened in the system's run.
        setting: its name, or its parameters.
    """

    rank: int
    name: str
    score: Interval
    difference: Interval
    pvalue: float
    adjusted: float
    mark: str
    notes: tuple[str, ...] = ()
    setting: Setting = None

    def row(self) -> dict[str, Any]:
        """Return the row but for notes; values are fractions 0-1."""
        apart = self.difference
        differences = {"difference": apart.estimate, "difference_low": apart.low, "difference_high": apart.high}
        tests = {"pvalue": self.pvalue, "adjusted": self.adjusted, "mark": self.mark}
        return {**vars(self.score), **differences, **tests}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Comparison(OneScore, Tested):
    """Systems or settings in the order of their rank, and the tests between them.

    Attributes:
        systems: (S,) rows of the table.
        tested: what was tested: each against a ``baseline``, all ``pairs``, or which may be the ``best``.
        reference: name of the system that each row's ``difference`` and ``pvalue`` refer to: the baseline, or the best.
        pairs: (P,) positions of the two systems of each pair that was tested; empty if not pairs were.
        pair_pvalues: float64 (2, P) the pairs' p-values, and the same corrected for the number of tests.
        scores: float64 (S,) other scores of the systems, by columns such as ``muc_recall``.
        n_documents: number of documents.
        top: how many systems to print; None for all.
    """

    systems: tuple[RankedSystem, ...]
    tested: str
    reference: str
    pairs: Sequence[tuple[int, int]]
    pair_pvalues: Floats
    scores: Mapping[str, Floats]
    n_documents: int
    top: int | None = None

    @property
    def baseline(self) -> bool:
        """Whether the reference is a baseline that the user named."""
        return self.tested == BASELINE

    @property
    def n_systems(self) -> int:
        """Number of systems, S."""
        return len(self.systems)

    @property
    def n_tests(self) -> int:
        """Number of tests: of pairs, or of systems with the others."""
        return len(self.pairs) if self.tested != BEST else self.n_systems - 1

    @property
    def setting(self) -> Setting:
        """The best setting."""
        return self.systems[0].setting

    @property
    def score(self) -> Interval:
        """The best one's score with its confidence interval.

        As the best of many scores, it is too high an estimate of the setting's score on other documents, the more so
        the more settings there are; the interval does not correct for that.
        """
        return self.systems[0].score

    @property
    def rivals(self) -> tuple[Setting, ...]:
        """Settings that may be as good as the best, from the best to the worst of them, without the best."""
        return tuple(s.setting for s in self.systems if s.mark == RIVAL)

    @cached_property
    def differences(self) -> Floats:
        """float64 (S, S) score of the row's system minus that of the column's."""
        scores = np.array([s.score.estimate for s in self.systems])
        return np.asarray(np.subtract.outer(scores, scores))

    @cached_property
    def pvalues(self) -> Floats:
        """float64 (S, S) p-values, nan for pairs that were not or could not be tested."""
        return self._matrix(self.pair_pvalues[0])

    @cached_property
    def adjusted(self) -> Floats:
        """float64 (S, S) the same p-values, corrected for the number of tests."""
        return self._matrix(self.pair_pvalues[1])

    def _matrix(self, values: Floats) -> Floats:
        matrix = np.full((self.n_systems, self.n_systems), np.nan)
        i, j = np.array(self.pairs, np.int64).reshape(-1, 2).T
        matrix[i, j] = matrix[j, i] = values
        return matrix

    @cached_property
    def _parameters(self) -> dict[str, Sequence[object]]:
        """Columns of the systems' names, or of their parameters."""
        parameters = parameters_of([s.setting for s in self.systems])
        return {"system": [s.name for s in self.systems]} if "setting" in parameters else {**parameters}

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns of the systems' names, or of their parameters."""
        return tuple(self._parameters)

    def tables(self, digits: int) -> list[TextTable]:
        """Lay the systems out as a ranked table, with the scores in other metrics; p-values are fractions."""
        interval, beta = f"{100 * self.confidence:g}% interval", self.signature.beta
        title, printed = (score_name(self.metric, self.field, beta, title=t) for t in (False, True))
        others = {
            name: self.scores[f"{name}_{self.field}"].tolist()
            for name in dict.fromkeys(column.rpartition("_")[0] for column in self.scores)
            if name != self.metric and f"{name}_{self.field}" in self.scores
        }
        tests = ["p adjusted"] if self.tested == BEST else ["p", "p adjusted"]
        headers = ["rank", *self._parameters, *others]
        headers += [in_latex(title, latex_title(printed)), interval, "difference", interval, *tests]
        profile = self.signature.profile
        rows = [
            [
                *(str(s.rank), *(str(values[n]) for values in self._parameters.values())),
                *(format_score(values[n], name, digits, profile=profile) for name, values in others.items()),
                as_best(estimate) if s.rank == 1 and len(self.systems) > 1 else estimate,
                ends,
                *s.difference.cells(self.metric, digits, sign="+"),
                *map(pvalue_text, [s.pvalue, s.adjusted][-len(tests) :]),
                in_latex(s.mark, latex_text(s.mark)),
            ]
            for n, s in enumerate(self.systems[: self.top])
            for estimate, ends in [s.score.cells(self.metric, digits, profile=profile)]
        ]
        names = "l" * len(self._parameters)
        align = f"r{names}{'r' * (len(headers) - 1 - len(names))}l"
        return [TextTable([*headers, "group" if self.tested == PAIRS else ""], rows, align)]

    def caption(self, digits: int) -> list[str]:
        """Describe what the table shows, with all settings that a reader needs to repeat it."""
        resampled, one = f"{self.resamples} resamples", self.n_units == 1
        drawn = f"{resampled}, seed {self.seed}"
        intervals = f"; {drawn}" * (self.tested == BEST)
        if not one:
            intervals = f"; {METHODS[self.method]} intervals{';' if self.method == LINEARISED else ','} {drawn}"
        documents = number_of(self.n_documents, self.signature.unit)
        metrics = unit(self.metric, *(column.rpartition("_")[0] for column in self.scores))
        head = f"{documents}, {self.average} average, {metrics}{intervals}"
        correction = f", {CORRECTIONS[self.correction]}" if self.n_tests > 1 else ""
        tests = f"{TESTS[self.test]}, two-sided, {resampled}, {number_of(self.n_tests, 'pair')}{correction}"
        if self.tested == BEST:
            head = f"{number_of(self.n_systems, 'setting')}, {head}"
            tests = f"{TESTS[self.test]}, {resampled}, the largest difference from any other setting"
        is_tested = np.isfinite([s.adjusted for s in self.systems]).any()
        return [
            head,
            *([tests] if is_tested and self.n_tests else []),
            f"differences: from {'the baseline' if self.baseline else 'the best'}, {self.reference}"
            + (", each interval by itself" if self.n_systems > 2 and not one else ""),
            *([f"{MEANINGS[self.tested]} (alpha {self.alpha:g})"] if any(s.mark for s in self.systems) else []),
            *(f"note: {note}" for note in self.notes),
            str(self.signature),
        ]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each system, with fractions 0-1.

        Raises:
            InputError: a parameter has the name of another column.
        """
        for n, s in enumerate(self.systems[: self.top]):
            parameters = {name: plain(values[n]) for name, values in self._parameters.items()}
            scores = {name: plain(values[n]) for name, values in self.scores.items()}
            columns = {"rank": s.rank, **scores, **s.row(), "notes": "; ".join(s.notes)}
            yield {"rank": s.rank, **beside(parameters, columns)}

    def facts(self) -> dict[str, Any]:
        """Return the settings, and a row for each pair of systems that was tested."""
        pairs = [
            {"a": self.systems[i].name, "b": self.systems[j].name}
            | {"difference": plain(self.differences[i, j])}
            | {"pvalue": plain(self.pvalues[i, j]), "adjusted": plain(self.adjusted[i, j])}
            for i, j in sorted(map(sorted, self.pairs))
        ]
        return {**{name: getattr(self, name) for name in SETTINGS}, "pairs": pairs}
