"""Rank systems or settings on the same documents, with intervals, and test them: all pairs, a baseline, or the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from string import ascii_letters
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.ragged import Floats
from arraycoref.scoring.format import fields_of
from arraycoref.scoring.metrics.registry import RATIOS, as_metric, check_field, direction, own_field
from arraycoref.scoring.metrics.score import best_first, rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats.comparison import BASELINE, BEST, PAIRS, Comparison, RankedSystem
from arraycoref.stats.intervals import Bounds, Found
from arraycoref.stats.notes import differing_notes, exact_notes, few_notes, floor_notes, sample_notes
from arraycoref.stats.paired_tests import Family
from arraycoref.stats.resampling import IntervalOptions, TestOptions, settings_of
from arraycoref.stats.results import RIVAL
from arraycoref.stats.rivals import LEAST_EFFECTIVE, best_pvalues
from arraycoref.stats.run_scores import RunScores
from arraycoref.stats.sample import DOCUMENT, Sample, sample_of
from arraycoref.stats.settings import as_setting, text_of

FEW_EFFECTIVE_UNITS = f"differences from the best that rest on fewer than {LEAST_EFFECTIVE} effective units"
"""Why systems are not tested, where one clustering was merged into few entities."""


def compare(
    runs: RunScores | Mapping[str, BatchScores],
    *,
    metric: str | None = None,
    field: str | None = None,
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
        field: likewise.
        **options: see `arraycoref.options`.

    Raises:
        InputError: no system, no documents, an option out of range, different conventions.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored, a baseline or another name that does not exist.
    """
    asked, draws = settings_of(options, TestOptions, metric=metric, field=field)
    chosen = RunScores.of(runs, (asked["metric"],))
    chosen = chosen.select(sorted(range(len(chosen)), key=chosen.names.__getitem__))  # the order of equal scores
    chosen, place = _in_order(chosen, asked)
    n, names, sample = len(chosen), chosen.names, sample_of(chosen, asked)
    reference = 0 if baseline is None else position_of(baseline, names)
    pairs = (
        list(combinations(range(n), 2)) if baseline is None else [(s, reference) for s in range(n) if s != reference]
    )
    family = Family(sample, pairs, place, asked["test"], draws)
    tested = np.array(family.corrected(asked["correction"])).reshape(2, -1)
    different = np.zeros((n, n), np.bool_)
    against = np.full((2, n), np.nan)
    for (i, j), pvalues in zip(pairs, tested.T, strict=True):
        different[i, j] = different[j, i] = pvalues[1] <= asked["alpha"]
        if reference in (i, j):
            against[:, i if j == reference else j] = pvalues
    if baseline is not None:
        marks = ["*" if mark else "" for mark in different[reference]]
    else:
        marks = compact_letters(different) if np.isfinite(tested).all() else [""] * n
    bounds = Bounds.from_sample(sample, draws, asked["method"], asked["confidence"])
    scores, apart = bounds.intervals((0, place, None), (0, place, reference))
    notes = sample_notes(chosen, sample, [[each.units for each in scores]], asked) + few_notes(asked)
    if sample.is_tested and pairs:
        notes += family.notes
        notes += floor_notes(asked["correction"], asked["resamples"], len(pairs), asked["alpha"])
        notes += differing_notes(sample, names, pairs, asked["test"], asked["alpha"])
    return Comparison(
        systems=_rows(chosen, asked["metric"], scores, apart, (against[0], against[1]), marks),
        tested=PAIRS if baseline is None else BASELINE,
        reference=names[reference],
        pairs=pairs,
        pair_pvalues=tested,
        scores={},
        n_documents=chosen.n_documents,
        signature=sample.signature,
        notes=notes,
        **asked,
    )


def best(
    runs: RunScores | Mapping[str, BatchScores],
    metric: str | None = None,
    field: str | None = None,
    **options: Unpack[IntervalOptions],
) -> Comparison:
    """Find the best system or setting, its confidence interval, and the others that may be as good.

    A setting is a rival unless the largest difference of another setting from it is larger than exchanges of documents
    would make it; clearly worse settings are left out before, see `arraycoref.stats.rivals.best_pvalues`. The largest
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
    asked, draws = settings_of(options, IntervalOptions, field=field or own)
    chosen = RunScores.of(runs, None if metric is None else (as_metric(metric),))
    if not len(chosen) or not chosen.n_documents:
        raise InputError(f"there are 0 {'documents' if len(chosen) else 'settings'}; expected some")
    asked["metric"] = chosen.first_metric if metric is None else as_metric(metric)
    chosen, place = _in_order(chosen, asked)
    sample, alpha = sample_of(RunScores.of(chosen, (asked["metric"],)), asked), 1.0 - asked["confidence"]
    bounds = Bounds.from_sample(sample, draws, asked["method"], asked["confidence"])
    scores, apart = bounds.intervals((0, place, None), (0, place, 0))
    rivals = best_pvalues(sample, place, 0, alpha, draws, [each.units for each in apart])
    pvalues, n_worse = rivals.pvalues, rivals.n_worse
    marks = ["", *(RIVAL if p > alpha else "" for p in pvalues[1:].tolist())]  # nan: not tested
    estimates = Sample.from_runs(chosen, asked["average"], DOCUMENT).estimates
    n_untested = int(np.isnan(pvalues).sum()) if sample.is_tested else 0
    worse = (
        f"{n_worse} of {len(chosen)} are worse without resamples: no resample is expected to reach their differences "
        "from the best, in standard errors"
    )
    untested = f"{n_untested} of {len(chosen)} not tested: {FEW_EFFECTIVE_UNITS}"
    return Comparison(
        systems=_rows(chosen, asked["metric"], scores, apart, (np.full(len(chosen), np.nan), pvalues), marks),
        tested=BEST,
        reference=chosen.names[0],
        pairs=(),
        pair_pvalues=np.empty((2, 0)),
        scores={
            f"{name}_{f}": estimates[k, RATIOS.index(f)]
            for k, name in enumerate(chosen.metrics)
            for f in fields_of(name)
        },
        n_documents=chosen.n_documents,
        test="randomisation",
        correction="maxt",
        alpha=round(alpha, 12),
        signature=sample.signature,
        notes=(
            *sample_notes(chosen, sample, [[each.units for each in scores]], asked),
            *few_notes(asked),
            *exact_notes(sample, rivals.n_exchanged, draws.resamples),
            *([worse] if n_worse else []),
            *([untested] if n_untested else []),
        ),
        **asked,
    )


def _in_order(runs: RunScores, asked: Mapping[str, Any]) -> tuple[RunScores, int]:
    """Put runs in the order of the score that is compared, the best first; return the position of its field, too."""
    metric, place = asked["metric"], check_field(asked["field"], asked["metric"])
    scores = Sample.from_runs(RunScores.of(runs, (metric,)), asked["average"], DOCUMENT).estimates[0, place]
    return runs.select(best_first(direction(metric) * scores)), place


def _rows(
    runs: RunScores,
    metric: str,
    scores: Sequence[Found],
    apart: Sequence[Found],
    tests: Sequence[Floats],
    marks: Sequence[str],
) -> tuple[RankedSystem, ...]:
    """Return the rows of the ranked table; ``tests`` are p-values and corrected p-values, float64 (S,) both."""
    level = rounded_for_ties(direction(metric) * np.array([each.interval.estimate for each in scores]))
    ranks = 1 + np.searchsorted(-level, -level)
    return tuple(
        RankedSystem(
            rank=int(ranks[s]),
            name=name,
            score=scores[s].interval,
            difference=apart[s].interval,
            pvalue=float(tests[0][s]),
            adjusted=float(tests[1][s]),
            mark=marks[s],
            notes=runs.notes_of(s),
            setting=runs.settings[s],
        )
        for s, name in enumerate(runs.names)
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
