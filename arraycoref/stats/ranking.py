"""Rank systems on the same documents, with intervals, and test them against each other or against a baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Unpack

import numpy as np

from arraycoref.errors import UnknownNameError
from arraycoref.metrics import direction
from arraycoref.metrics.score import Floats, levelled
from arraycoref.options import takes
from arraycoref.results import BatchScores
from arraycoref.stats.bootstrapping import intervals_of
from arraycoref.stats.comparable import differing_note, document_notes, smallest_pvalue
from arraycoref.stats.comparison import Comparison, RankedSystem
from arraycoref.stats.multiple_tests import compact_letters, floor_note
from arraycoref.stats.options import STATISTICS, CompareOptions, Settings
from arraycoref.stats.paired import Tests, tests_of
from arraycoref.stats.systems import Systems


@takes(CompareOptions, known=STATISTICS)
def compare(
    runs: Mapping[str, BatchScores], *, baseline: str | None = None, **options: Unpack[CompareOptions]
) -> Comparison:
    """Rank systems by a score, the best first, with confidence intervals and two-sided paired tests.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1] * 5, range(0, 21, 4)
        >>> good = ac.score_labels_batch(key, key, offsets)
        >>> poor = ac.score_labels_batch(key, [0, 1, 1, 1] * 5, offsets)
        >>> ranked = ac.compare({"poor": poor, "good": good}, metric="bcub", field="recall")
        >>> [(system.rank, system.name, system.score.estimate) for system in ranked.systems]
        [(1, 'good', 1.0), (2, 'poor', 0.75)]
        >>> ranked.systems[1].pvalue  # 2 of the 2^5 ways to exchange documents are as extreme
        0.0625

    Args:
        runs: scores of each system on the same D documents, by the systems' names.
        baseline: name of the system that all others are tested against. None tests all pairs, for the best one is
            known only after looking.
        **options: see `arraycoref.stats.options`.

    Raises:
        InputError: no system, no documents, an option out of range, different conventions.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored, a baseline or another name that does not exist.
    """
    settings = Settings.of(options, CompareOptions)
    systems, sign = _best_first(runs, settings), direction(settings.metric)
    names, n = list(systems.runs), len(runs)
    if baseline is not None and baseline not in names:
        raise UnknownNameError("baseline", baseline, names)
    reference = 0 if baseline is None else names.index(baseline)
    others = [(s, reference) for s in range(n) if s != reference]
    pairs = list(combinations(range(n), 2)) if baseline is None else others
    tests = tests_of(systems, pairs, settings)
    matrix, adjusted = (_square(n, pairs, values) for values in (tests.pvalues, tests.adjusted))

    def scores_and_differences(values: Floats) -> Floats:
        scored = values[..., 0, settings.place]
        return np.concatenate((scored, scored - scored[..., reference, np.newaxis]), axis=-1)

    found = intervals_of(systems, settings, scores_and_differences)
    scores, from_reference = found[:n], found[n:]
    estimate = np.array([score.estimate for score in scores])
    differences, level = estimate[:, np.newaxis] - estimate, levelled(sign * estimate)
    significant = np.nan_to_num(adjusted, nan=1.0) <= settings.alpha
    if baseline is not None:
        marks = ["*" if mark else "" for mark in significant[reference]]
    else:
        marks = compact_letters(significant) if np.isfinite(tests.pvalues).all() else [""] * n
    rows = [
        RankedSystem(
            rank=1 + int((level > level[s]).sum()),
            name=name,
            score=scores[s],
            difference=math.nan if s == reference else float(differences[s, reference]),
            difference_low=math.nan if s == reference else from_reference[s].low,
            difference_high=math.nan if s == reference else from_reference[s].high,
            pvalue=float(matrix[s, reference]),
            adjusted=float(adjusted[s, reference]),
            mark=marks[s],
        )
        for s, name in enumerate(names)
    ]
    first = next(iter(runs.values()))
    return settings.result(
        Comparison,
        systems=tuple(rows),
        reference=names[reference],
        baseline=baseline is not None,
        differences=differences,
        pvalues=matrix,
        adjusted=adjusted,
        exact=bool(tests.exact.all()),
        n_documents=len(first),
        n_tests=len(pairs),
        signature=first.signature,
        notes=document_notes(first) + _test_notes(systems, pairs, tests, settings),
    )


def _best_first(runs: Mapping[str, BatchScores], settings: Settings) -> Systems:
    """Gather systems in the order of their scores; equal ones in the order of their names."""
    metrics = (settings.metric,)
    scores = Systems.of(runs, metrics, settings.average).estimates()[:, 0, settings.place]
    order = sorted(
        zip(levelled(-direction(settings.metric) * scores), runs, strict=True), key=lambda pair: (pair[0], str(pair[1]))
    )
    return Systems.of({name: runs[name] for _, name in order}, metrics, settings.average)


def _square(n: int, pairs: list[tuple[int, int]], values: Floats) -> Floats:
    """Lay values of pairs out as a symmetric matrix, nan elsewhere."""
    matrix = np.full((n, n), np.nan)
    for (i, j), value in zip(pairs, values, strict=True):
        matrix[i, j] = matrix[j, i] = value
    return matrix


def _test_notes(systems: Systems, pairs: list[tuple[int, int]], tests: Tests, settings: Settings) -> tuple[str, ...]:
    """Say where too few documents differ, or too few resamples are drawn, for p-values to reach alpha."""
    if systems.n_documents == 1 or not pairs:
        return ()
    n_differing, smallest = [systems.differing(i, j).size for i, j in pairs], 1.0 / (1.0 + settings.n_resamples)
    if tests.exact.all():
        smallest = smallest_pvalue(max(n_differing)) if settings.test == "randomisation" else 0.0
    floor = floor_note(settings.correction, smallest, len(pairs), settings.alpha)
    few = () if floor is None else (floor,)
    if settings.test != "randomisation":
        return few
    names = list(systems.runs)
    found = [differing_note(n, settings.alpha) for n in n_differing]
    notes = [f"{names[i]} and {names[j]}: {note}" for (i, j), note in zip(pairs, found, strict=True) if note]
    return (*few, *notes) if len(notes) <= 3 else (*few, *notes[:3], f"and so for {len(notes) - 3} more pairs")
