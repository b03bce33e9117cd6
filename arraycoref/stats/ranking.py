"""Rank systems or settings on the same documents, with intervals, and test them: all pairs, a baseline, or the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from string import ascii_letters
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.display.formats import Report, plain
from arraycoref.display.tables import TextTable, as_best, in_latex, latex_text, plural, pvalue_text
from arraycoref.exceptions import InputError, check_name
from arraycoref.ragged import Floats
from arraycoref.scoring.format import fields_of, format_score, latex_title, score_name, unit
from arraycoref.scoring.metrics.registry import RATIOS, as_metric, check_field, direction, own_field
from arraycoref.scoring.metrics.score import best_first, rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature
from arraycoref.stats.draws import Draws, IntervalOptions, TestOptions, how_of
from arraycoref.stats.how import CORRECTIONS, LINEARIZED, METHODS, RIVAL, TESTS, Field, How
from arraycoref.stats.intervals import Interval, Resamples
from arraycoref.stats.notes import differing_notes, exact_notes, few_notes, floor_notes, sample_notes
from arraycoref.stats.run_scores import RunScores, Setting, as_setting, beside, parameters_of, text_of
from arraycoref.stats.sample import DOCUMENT, Sample, sample_of
from arraycoref.stats.tests import LEAST_EFFECTIVE, Family, best_pvalues

FEW_EFFECTIVE_UNITS = f"fewer than {LEAST_EFFECTIVE} effective units differ from the best"
"""Why systems are not tested, where one clustering was merged into few entities."""

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
        pvalue: p-value of the difference; nan the same, and if the test was which systems may be the best.
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


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Comparison(Report):
    """Systems or settings in the order of their rank, and the tests between them.

    Attributes:
        systems: (S,) rows of the table.
        tested: what was tested: each against a ``baseline``, all ``pairs``, or which may be the ``best``.
        reference: name of the system that each row's ``difference`` and ``pvalue`` refer to: the baseline, or the best.
        pairs: (P,) positions of the two systems of each pair that was tested; empty if not pairs were.
        pair_pvalues: float64 (2, P) the pairs' p-values, and the same corrected for the number of tests.
        scores: float64 (S,) other scores of the systems, by columns such as ``muc_recall``.
        n_documents: number of documents.
        how: how documents were resampled, and systems tested.
        notes: what a reader should know before trusting the numbers, and what happened in the runs.
        signature: signature of the scores.
        top: how many systems to print; None for all.
        stages: what the stages of the best setting do, in sentences that come first; None for nothing.
    """

    systems: tuple[RankedSystem, ...]
    tested: str
    reference: str
    pairs: Sequence[tuple[int, int]]
    pair_pvalues: Floats
    scores: Mapping[str, Floats]
    n_documents: int
    how: How
    notes: tuple[str, ...]
    signature: Signature
    top: int | None = None
    stages: Report | None = None

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
        return np.asarray(pair_matrices(self.n_systems, self.pairs, self.pair_pvalues)[0])

    @cached_property
    def adjusted(self) -> Floats:
        """float64 (S, S) the same p-values, corrected for the number of tests."""
        return np.asarray(pair_matrices(self.n_systems, self.pairs, self.pair_pvalues)[1])

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
        how, interval, beta = self.how, f"{self.how.level} interval", self.signature.beta
        title, printed = (score_name(how.metric, how.field, beta, title=t) for t in (False, True))
        split = {column: column.rpartition("_")[::2] for column in self.scores}
        others = {name: self.scores[c].tolist() for c, (name, f) in split.items() if f == how.field}
        others.pop(how.metric, None)
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
                *s.difference.cells(how.metric, digits, sign="+"),
                *map(pvalue_text, [s.pvalue, s.adjusted][-len(tests) :]),
                in_latex(s.mark, latex_text(s.mark)),
            ]
            for n, s in enumerate(self.systems[: self.top])
            for estimate, ends in [s.score.cells(how.metric, digits, profile=profile)]
        ]
        names = "l" * len(self._parameters)
        align = f"r{names}{'r' * (len(headers) - 1 - len(names))}l"
        return [TextTable([*headers, "group" if self.tested == PAIRS else ""], rows, align)]

    def opening(self, digits: int) -> Sequence[str]:
        """Say what the stages of the best setting do."""
        return () if self.stages is None else self.stages.opening(digits)

    def caption(self, digits: int) -> list[str]:
        """Describe what the table shows, with all settings that a reader needs to repeat it."""
        how, one = self.how, self.how.n_units == 1
        intervals = f"; {how.drawn}" * (self.tested == BEST)
        if not one:
            intervals = f"; {METHODS[how.method]} intervals{';' if how.method == LINEARIZED else ','} {how.drawn}"
        documents = plural(self.n_documents, self.signature.unit)
        metrics = unit(how.metric, *(column.rpartition("_")[0] for column in self.scores))
        head = f"{documents}, {how.average} average, {metrics}{intervals}"
        correction = f", {CORRECTIONS[how.correction]}" if self.n_tests > 1 else ""
        tests = f"two-sided, {how.resamples} resamples, {plural(self.n_tests, 'pair')}{correction}"
        if self.tested == BEST:
            head = f"{plural(self.n_systems, 'setting')}, {head}"
            tests = f"{how.resamples} resamples, adjusted for the largest difference from any other setting"
        is_tested = np.isfinite([s.adjusted for s in self.systems]).any()
        return [
            head,
            *([f"{TESTS[how.test]}, {tests}"] if is_tested and self.n_tests else []),
            f"difference from {'the baseline' if self.baseline else 'the best'} ({self.reference})"
            + ("; intervals are not adjusted for the number of systems" if self.n_systems > 2 and not one else ""),
            *([f"{MEANINGS[self.tested]} (alpha {how.alpha:g})"] if any(s.mark for s in self.systems) else []),
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
            scores, apart = {name: plain(values[n]) for name, values in self.scores.items()}, s.difference
            columns = {"rank": s.rank, **scores, **vars(s.score)}
            columns |= {"difference": apart.estimate, "difference_low": apart.low, "difference_high": apart.high}
            columns |= {"pvalue": s.pvalue, "adjusted": s.adjusted, "mark": s.mark, "notes": "; ".join(s.notes)}
            yield {"rank": s.rank, **beside(parameters, columns)}

    def facts(self) -> dict[str, Any]:
        """Return the settings, and a row for each pair of systems that was tested."""
        pairs = [
            {"a": self.systems[i].name, "b": self.systems[j].name}
            | {"difference": plain(self.differences[i, j])}
            | {"pvalue": plain(self.pvalues[i, j]), "adjusted": plain(self.adjusted[i, j])}
            for i, j in sorted(map(sorted, self.pairs))
        ]
        made = "metric", "field", "average", "test", "correction", "alpha", "method", "confidence", "resamples"
        sizes = {"n_documents": self.n_documents, "n_units": self.how.n_units, "n_systems": self.n_systems}
        tests = {"n_tests": self.n_tests, "seed": self.how.seed, "reference": self.reference, "baseline": self.baseline}
        stages = {} if self.stages is None else {"stages": list(self.stages.rows())}
        return {**self.how.facts(*made, "resample_by"), **sizes, **tests, "pairs": pairs, **stages}


def compare(
    runs: RunScores | Mapping[str, BatchScores],
    *,
    metric: str | None = None,
    field: Field | None = None,
    baseline: str | None = None,
    **options: Unpack[TestOptions],
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
        metric: see `arraycoref.options`; None for its default there.
        field: the same.
        **options: see `arraycoref.options`.

    Raises:
        InputError: no system, no documents, an option out of range, different conventions.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored, a baseline or another name that does not exist.
    """
    how, draws = how_of(options, TestOptions, metric=metric, field=field)
    chosen = RunScores.from_scores(runs, (how.metric,))
    chosen = chosen.select(sorted(range(len(chosen)), key=chosen.names.__getitem__))  # the order of equal scores
    return _ranked(chosen, how, draws, PAIRS if baseline is None else BASELINE, baseline)


def best(
    runs: RunScores | Mapping[str, BatchScores],
    metric: str | None = None,
    field: Field | None = None,
    **options: Unpack[IntervalOptions],
) -> Comparison:
    """Find the best system or setting, its confidence interval, and the others that may be as good.

    A setting is a rival unless the largest difference of another setting from it is larger than exchanges of documents
    would make it; clearly worse settings are left out before, see `arraycoref.stats.tests.best_pvalues`. The largest
    difference is found anew for each exchange. So the test accounts for the choice of the best setting from the scores,
    and no further correction for the number of settings is needed. Of equally good settings, the earliest is the best.

        >>> import arraycoref as ac
        >>> key, responses = [0, 0, 1, 1] * 9, {"right": [0, 0, 1, 1] * 9, "wrong": [0, 1, 1, 1] * 9}
        >>> runs = {name: ac.score_labels_batch(key, labels, range(0, 37, 4)) for name, labels in responses.items()}
        >>> ranked = ac.stats.best(runs, "muc", "recall")
        >>> ranked.setting, ranked.rivals, ranked.systems[1].difference.estimate
        ('right', (), -0.5)

    Args:
        runs: scores of S settings on the same documents.
        metric: name of a metric; None for the CoNLL average if it was asked for, or else the first metric.
        field: ``recall``, ``precision`` or ``f1`` of the metric; None for the default.
        **options: see `arraycoref.options`. ``confidence`` is that of the intervals, and of the tests against the best:
            the truly best setting is the best one or a rival about this often.

    Raises:
        InputError: no settings or no documents, or an option out of range.
        UnknownNameError: no such metric or field.
        DocumentMismatchError: settings that were scored on different documents.

    Source: Romano, Shaikh and Wolf (2014).
    """
    own = None if metric is None else own_field(metric)
    how, draws = how_of(options, IntervalOptions, field=field or own)
    chosen = RunScores.from_scores(runs, None if metric is None else (as_metric(metric),))
    if not len(chosen) or not chosen.n_documents:
        raise InputError(f"there are 0 {'documents' if len(chosen) else 'settings'}; expected some")
    metric, alpha = chosen.first_metric if metric is None else as_metric(metric), round(1.0 - how.confidence, 12)
    how = replace(how, metric=metric, test="randomization", correction="maxt", alpha=alpha)
    return _ranked(chosen, how, draws, BEST)


def _ranked(runs: RunScores, how: How, draws: Draws, tested: str, baseline: str | None = None) -> Comparison:
    """Put runs in the order of the score that is compared, the best first; find intervals, and test them."""
    place, n, is_best = check_field(how.field, how.metric), len(runs), tested == BEST
    estimates = Sample.from_runs(runs, how.average, DOCUMENT).estimates
    order = best_first(direction(how.metric) * estimates[runs.metrics.index(how.metric), place])
    runs, estimates = runs.select(order), estimates[..., order]
    sample, how = sample_of(RunScores.from_scores(runs, (how.metric,)), how)
    reference = 0 if baseline is None else position_of(baseline, runs.names)
    resampled = Resamples.from_sample(sample, draws, how.method, how.confidence)
    scores, apart = resampled.intervals((0, place, None), (0, place, reference))
    notes = [*sample_notes(runs, sample, [[each.units for each in scores]], how), *few_notes(how)]
    pairs, tests, of_systems = list[tuple[int, int]](), np.empty((2, 0)), np.full((2, n), np.nan)
    if is_best:
        alpha = 1.0 - how.confidence
        rivals = best_pvalues(sample, place, 0, alpha, draws, [each.units for each in apart])
        of_systems[1] = rivals.pvalues
        marks = ["", *(RIVAL if p > alpha else "" for p in rivals.pvalues[1:].tolist())]  # nan: not tested
        notes += exact_notes(sample, rivals.n_exchanged, draws.resamples)
        if rivals.n_worse:
            reach = "no resample is expected to reach their differences from the best, in standard errors"
            notes.append(f"{rivals.n_worse} of {n} are worse without resamples: {reach}")
        if sample.is_tested and (n_untested := np.count_nonzero(np.isnan(rivals.pvalues))):
            notes.append(f"{n_untested} of {n} not tested: {FEW_EFFECTIVE_UNITS}")
    else:
        others = [(s, reference) for s in range(n) if s != reference]
        pairs = list(combinations(range(n), 2)) if baseline is None else others
        family = Family(sample, pairs, place, how.test, draws)
        tests = np.array(family.corrected(how.correction)).reshape(2, -1)
        by_pair = pair_matrices(n, pairs, tests)
        of_systems, different = by_pair[:, reference], by_pair[1] <= how.alpha
        marks = ["*" if mark else "" for mark in different[reference]]
        if baseline is None:
            marks = compact_letters(different) if np.isfinite(tests).all() else [""] * n
        if sample.is_tested and pairs:
            notes += family.notes
            notes += floor_notes(how.correction, how.resamples, len(pairs), how.alpha)
            notes += differing_notes(sample, runs.names, pairs, how.test, how.alpha)
    places = [(k, f) for k, name in enumerate(runs.metrics) for f in fields_of(name) if is_best]
    level = rounded_for_ties(direction(how.metric) * np.array([each.interval.estimate for each in scores]))
    ranks = 1 + np.searchsorted(-level, -level)
    columns = zip(ranks.tolist(), runs.names, scores, apart, *of_systems.tolist(), marks, strict=True)
    systems = []
    for s, (rank, name, score, other, p, adjusted, mark) in enumerate(columns):
        about = mark, runs.notes_of(s), runs.settings[s]
        systems.append(RankedSystem(rank, name, score.interval, other.interval, p, adjusted, *about))
    return Comparison(
        systems=tuple(systems),
        tested=tested,
        reference=runs.names[reference],
        pairs=pairs,
        pair_pvalues=tests,
        scores={f"{runs.metrics[k]}_{f}": estimates[k, RATIOS.index(f)] for k, f in places},
        n_documents=runs.n_documents,
        how=how,
        notes=tuple(notes),
        signature=sample.signature,
    )


def pair_matrices(n: int, pairs: Sequence[tuple[int, int]], values: Floats) -> Floats:
    """Return values of P pairs of n systems, float64 (K, P), as symmetric matrices (K, n, n), nan for other pairs."""
    matrices = np.full((len(values), n, n), np.nan)
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T
    matrices[:, i, j] = matrices[:, j, i] = values
    return matrices


def position_of(baseline: object, names: Sequence[str]) -> int:
    """Return the position of the baseline among the systems.

    Raises:
        UnknownNameError: no system has the name of the baseline.
    """
    text = text_of(as_setting(baseline))
    check_name("baseline", text, names)
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
