"""Rank systems on the same documents, with intervals, and test them against each other or against a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement
from string import ascii_letters
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import UnknownNameError
from arraycoref.report.formats import Report, plain
from arraycoref.report.tables import TextTable, in_latex, number_of, pvalue_text
from arraycoref.scoring.metrics.registry import check_field, direction
from arraycoref.scoring.metrics.score import Floats, rounded_for_ties
from arraycoref.scoring.rows import latex_title, score_name, unit
from arraycoref.scoring.runs import Runs
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.settings import as_setting, text_of
from arraycoref.stats.intervals import Bounds, Interval, document_notes
from arraycoref.stats.resampling import CORRECTIONS, TESTS, CompareOptions, OneScore, Sample, Tested, settings_of
from arraycoref.stats.tests import Family, differing_notes, floor_notes

NOTHING = Interval(math.nan, math.nan, math.nan, math.nan)
"""The difference of a system from itself."""

SETTINGS = (
    *("metric", "field", "average", "test", "correction", "alpha", "method", "confidence"),
    *("resamples", "n_documents", "n_tests", "seed", "reference", "baseline", "notes"),
)
"""Attributes of a comparison that its JSON holds in addition to the systems and pairs."""


@dataclass(frozen=True, eq=False)
class RankedSystem:
    """A row of the ranked table.

    Attributes:
        rank: 1 for the best; systems with equal scores share a rank.
        name: name of the system.
        score: score of the system with its interval.
        difference: score of the system minus that of the reference, with its interval; nan for the reference itself.
        pvalue: p-value of the difference; nan likewise.
        adjusted: the same p-value, corrected for the number of tests.
        mark: with a baseline, ``*`` if ``adjusted`` is at most alpha; without one, letters: systems that share a letter
            do not differ significantly.
        notes: what happened in the system's run.
    """

    rank: int
    name: str
    score: Interval
    difference: Interval
    pvalue: float
    adjusted: float
    mark: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain Python values, fractions 0-1, None in place of nan."""
        apart = self.difference
        differences = {"difference": apart.estimate, "difference_low": apart.low, "difference_high": apart.high}
        tests = {"pvalue": self.pvalue, "adjusted": self.adjusted, "mark": self.mark}
        values = {"rank": self.rank, "system": self.name, **vars(self.score), **differences, **tests}
        return {key: plain(value) for key, value in values.items()} | {"notes": list(self.notes)}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Comparison(OneScore, Tested):
    """Systems in the order of their rank, and the tests between them.

    Attributes:
        systems: (S,) rows of the table.
        reference: name of the system that each row's ``difference`` and ``pvalue`` refer to: the baseline, or the best.
        baseline: whether the reference is a baseline that the user named; otherwise all pairs were tested.
        differences: float64 (S, S) score of the row's system minus that of the column's.
        pvalues: float64 (S, S), nan for pairs that were not or could not be tested.
        adjusted: float64 (S, S) the same p-values, corrected for the number of tests.
        n_documents: number of documents.
        n_tests: number of pairs tested.
    """

    systems: tuple[RankedSystem, ...]
    reference: str
    baseline: bool
    differences: Floats
    pvalues: Floats
    adjusted: Floats
    n_documents: int
    n_tests: int

    def tables(self, digits: int) -> list[TextTable]:
        """Lay the systems out as a ranked table; p-values are fractions."""
        interval, group = f"{100 * self.confidence:g}% interval", "" if self.baseline else "group"
        title, printed = (score_name(self.metric, self.field, self.signature.beta, title=t) for t in (False, True))
        score = in_latex(title, latex_title(printed))
        headers = ["rank", "system", score, interval, "difference", interval, "p", "p adjusted", group]
        rows = [
            [
                *(str(s.rank), s.name),
                *s.score.cells(self.metric, digits, profile=self.signature.profile),
                *s.difference.cells(self.metric, digits, sign="+"),
                *(pvalue_text(s.pvalue), pvalue_text(s.adjusted), s.mark),
            ]
            for s in self.systems
        ]
        return [TextTable(headers, rows, "rlrrrrrrl")]

    def caption(self, digits: int) -> list[str]:
        """Describe what the table shows, with all settings that a reader needs to repeat it."""
        resampled = f"{self.resamples} resamples"
        intervals = f"; {self.method} bootstrap intervals, {resampled}, seed {self.seed}"
        pairs = number_of(self.n_tests, "pair")
        correction = f", {CORRECTIONS[self.correction]}" if self.n_tests > 1 else ""
        tests = f"{TESTS[self.test]}, two-sided, {resampled}, {pairs}{correction}"
        mark = "*: significant" if self.baseline else "systems that share a letter are not significantly different"
        documents = number_of(self.n_documents, getattr(self.signature, "unit", "document"))
        return [
            f"{documents}, {self.average} average, {unit(self.metric)}" + (intervals if self.n_documents != 1 else ""),
            *([tests] if np.isfinite(self.pvalues).any() else []),
            f"differences: from {'the baseline' if self.baseline else 'the best'}, {self.reference}"
            + (", each interval by itself" if len(self.systems) > 2 and self.n_documents != 1 else ""),
            *([f"{mark} (alpha {self.alpha:g})"] if any(s.mark for s in self.systems) else []),
            *(f"note: {note}" for note in self.notes),
            str(self.signature),
        ]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a header, then a row for each system, with fractions 0-1."""
        rows = [s.to_dict() | {"notes": "; ".join(s.notes)} for s in self.systems]
        yield tuple(rows[0])
        yield from (tuple(row.values()) for row in rows)

    def nested(self) -> dict[str, Any]:
        """Return everything as plain Python values, fractions 0-1, None in place of nan."""
        tests = {"difference": self.differences, "pvalue": self.pvalues, "adjusted": self.adjusted}
        pairs = [
            {"a": a.name, "b": b.name} | {name: plain(m[i, j]) for name, m in tests.items()}
            for (i, a), (j, b) in combinations(enumerate(self.systems), 2)
            if not self.baseline or self.reference in (a.name, b.name)
        ]
        return {
            "signature": self.signature.as_dict(),
            **{name: getattr(self, name) for name in SETTINGS},
            "systems": [s.to_dict() for s in self.systems],
            "pairs": pairs,
        }


@dataclass(frozen=True)
class GroupedComparison(Report):
    """Comparisons of the same systems on groups of documents, and on all.

    Attributes:
        total: the comparison on all documents.
        groups: that on the documents of each group, by its name.
    """

    total: Comparison
    groups: Mapping[str, Comparison]

    def _named(self) -> Iterator[tuple[str, Comparison]]:
        yield from (*self.groups.items(), ("total", self.total))

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out a ranked table for each group, and one for all documents."""
        found = []
        for name, c in self._named():
            (ranked,) = c.tables(digits)
            rank, _, *others = ranked.headers
            found.append(replace(ranked, headers=[rank, name, *others]))
        return found

    def caption(self, digits: int) -> list[str]:
        """Describe the tables as that of all documents; p-values are corrected within each of them."""
        return ["each group by itself: tests, and the correction of p-values", *self.total.caption(digits)]

    def records(self) -> Iterator[Sequence[object]]:
        """Yield a header, then a row for each group and system."""
        yield ("group", *next(iter(self.total.records())))
        for name, c in self._named():
            yield from ((name, *row) for row in list(c.records())[1:])

    def nested(self) -> dict[str, Any]:
        """Return the comparisons by the names of the groups, and ``total``."""
        return {"groups": {name: c.nested() for name, c in self.groups.items()}, "total": self.total.nested()}


def compare(
    runs: Runs | Mapping[str, BatchScores], *, baseline: str | None = None, **options: Unpack[CompareOptions]
) -> Comparison:
    """Rank systems by a score, the best first, with confidence intervals and two-sided paired tests.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1] * 5, range(0, 21, 4)
        >>> good = ac.score_labels_batch(key, key, offsets)
        >>> poor = ac.score_labels_batch(key, [0, 1, 1, 1] * 5, offsets)
        >>> ranked = ac.compare({"poor": poor, "good": good}, metric="bcub", field="recall")
        >>> [(system.rank, system.name, system.score.estimate) for system in ranked.systems]
        [(1, 'good', 1.0), (2, 'poor', 0.75)]
        >>> round(ranked.systems[1].pvalue, 2)  # 2 of the 2^5 ways to exchange documents are as extreme
        0.06

    Args:
        runs: scores of each system on the same D documents, by the systems' names.
        baseline: name of the system that all others are tested against. None tests all pairs, because which system is
            the best is known only from the data.
        **options: see `arraycoref.options`.

    Raises:
        InputError: no system, no documents, an option out of range, different conventions.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored, a baseline or another name that does not exist.
    """
    asked, draws = settings_of(options, CompareOptions)
    metric, average = asked["metric"], asked["average"]
    place = check_field(asked["field"], metric)
    given = Runs.of(runs, (metric,))
    level = rounded_for_ties(direction(metric) * Sample.of(given, average).estimates()[0, place])
    given = given.select(sorted(range(len(given)), key=lambda s: (-level[s], given.names[s])))  # the best first
    sample, names, n = Sample.of(given, average), given.names, len(given)
    reference = 0 if baseline is None else position_of(baseline, names)
    others = [(s, reference) for s in range(n) if s != reference]
    pairs = list(combinations(range(n), 2)) if baseline is None else others
    family = Family(sample, pairs, place, asked["test"], draws)
    tested = family.corrected(asked["correction"])
    pvalues, adjusted = matrices = np.full((2, n, n), np.nan)
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T
    matrices[:, i, j] = matrices[:, j, i] = tested
    bounds = Bounds.of(sample, draws, asked["method"], asked["confidence"])
    scores, apart = bounds.estimates[0, place], bounds.minus(reference)
    level = rounded_for_ties(direction(metric) * scores)
    significant = np.nan_to_num(adjusted, nan=1.0) <= asked["alpha"]
    if baseline is not None:
        marks = ["*" if mark else "" for mark in significant[reference]]
    else:
        marks = compact_letters(significant) if np.isfinite(tested[0]).all() else [""] * n
    rows = [
        RankedSystem(
            rank=1 + int((level > level[s]).sum()),
            name=name,
            score=bounds.interval(0, place, s),
            difference=NOTHING if s == reference else apart.interval(0, place, s),
            pvalue=float(pvalues[s, reference]),
            adjusted=float(adjusted[s, reference]),
            mark=marks[s],
            notes=given.notes_of(s),
        )
        for s, name in enumerate(names)
    ]
    notes = document_notes(given, average)
    if sample.n_documents > 1 and pairs:
        notes += family.notes
        notes += floor_notes(asked["correction"], asked["resamples"], len(pairs), asked["alpha"])
        notes += differing_notes(sample, names, pairs, asked["test"], asked["alpha"])
    return Comparison(
        systems=tuple(rows),
        reference=names[reference],
        baseline=baseline is not None,
        differences=np.subtract.outer(scores, scores),
        pvalues=pvalues,
        adjusted=adjusted,
        n_documents=sample.n_documents,
        n_tests=len(pairs),
        signature=sample.signature,
        notes=notes,
        **asked,
    )


def position_of(baseline: object, names: Sequence[str]) -> int:
    """Return the position of the baseline among the systems.

    Raises:
        UnknownNameError: no system has the name of the baseline.
    """
    text = text_of(as_setting(baseline))
    if text not in names:
        raise UnknownNameError("baseline", baseline, names)
    return names.index(text)


def compact_letters(different: NDArray[np.bool_]) -> list[str]:
    """Assign letters to systems, so that two systems share a letter if and only if they do not differ significantly.

    For each pair of systems that does not differ and shares no letter yet, a new letter is made. It is then given to
    further systems, as long as one is left that differs from no system with the letter; first to the system that shares
    a letter with the fewest of those that have the new one. So there is at most one letter for each pair, whereas the
    groups that cannot be extended may be exponentially many.

    Args:
        different: bool (S, S), symmetric: whether two systems differ; systems in the order of their rank.

    Returns:
        (S,) strings of letters, ``a`` for the best system's group; from the 53rd group on, letters have numbers.

    Source: Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons; as the covering
    of a graph with cliques: Gramm et al. (2007), Algorithms for Compact Letter Displays.
    """
    n = len(different)
    groups, settled = list[list[int]](), different.copy()
    for i, j in combinations_with_replacement(range(n), 2):
        if settled[i, j]:  # they differ, or share a letter already
            continue
        group = [i, j]
        while not (barred := different[group].any(axis=0) | np.isin(range(n), group)).all():
            open_pairs = (~settled[group]).sum(axis=0)
            group.append(int(np.where(barred, -1, open_pairs).argmax()))
        settled[np.ix_(group, group)] = True
        groups.append(sorted(set(group)))
    groups.sort()
    turns = ("", *map(str, range(1, len(groups))))
    letters = [letter + turn for turn in turns for letter in ascii_letters]
    return ["".join(letters[g] for g, group in enumerate(groups) if s in group) for s in range(n)]
