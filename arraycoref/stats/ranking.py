"""Many systems on the same documents: ranked, with intervals, and tested against each other or against a baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.results import BatchScores
from arraycoref.stats.adjustment import CORRECTIONS, adjust_pvalues
from arraycoref.stats.bootstrapping import estimates, leave_one_out, replicates, summarise
from arraycoref.stats.comparable import check_field
from arraycoref.stats.comparison import Comparison, RankedSystem
from arraycoref.stats.intervals import Interval, check_method
from arraycoref.stats.letters import compact_letters
from arraycoref.stats.notes import differing_note, document_notes
from arraycoref.stats.pairs import pvalues_of
from arraycoref.stats.plan import Plan
from arraycoref.stats.resampling import Seed, entropy
from arraycoref.stats.systems import Systems

Floats = NDArray[np.float64]


def compare(
    runs: Mapping[str, BatchScores],
    *,
    metric: str = "conll",
    field: str = "f1",
    average: str = "micro",
    baseline: str | None = None,
    test: str = "randomisation",
    correction: str = "holm",
    alpha: float = 0.05,
    method: str = "bca",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: Seed = 0,
    threads: int = 1,
    batch: int | None = None,
) -> Comparison:
    """Rank systems by a score, with confidence intervals and paired tests corrected for their number.

    Args:
        runs: scores of each system on the same D documents, by the systems' names.
        metric: and the options to ``average``: see `paired_test`.
        field: as above.
        average: as above.
        baseline: name of the system that all others are tested against. None tests all pairs, for the best one is
            known only after looking.
        test: ``randomisation`` or ``bootstrap``; two-sided.
        correction: ``holm``, ``bh`` or ``none``, see `adjust_pvalues`.
        alpha: level at which differences are marked.
        method: of the intervals, see `bootstrap`.
        confidence: of the intervals.
        n_resamples: of intervals and tests.
        seed: an integer, a numpy Generator, or None. A system's numbers do not depend on the other systems.
        threads: threads over blocks of resamples; no number depends on it.
        batch: resamples held at a time; no number depends on it.

    Raises:
        InputError: no system, no documents, an option out of range, different conventions.
        DocumentMismatchError: systems scored on different documents.
        UnknownNameError: a metric that was not scored, a baseline or another name that does not exist.
    """
    check_method(method, confidence)
    plan = Plan(test, "two-sided", check_field(field, metric), n_resamples, None, entropy(seed), threads, batch)
    if correction not in CORRECTIONS:
        raise UnknownNameError("correction", correction, CORRECTIONS)
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha is {alpha}; expected a level between 0 and 1, such as 0.05")
    if baseline is not None and baseline not in runs:
        raise UnknownNameError("baseline", baseline, runs)

    found = estimates(dict(runs), Systems.of(runs, (metric,), average))[:, 0, plan.field]
    runs = {name: runs[name] for _, name in sorted(zip(-found, runs, strict=True))}
    systems = Systems.of(runs, (metric,), average)
    names, n = list(runs), len(runs)
    reference = 0 if baseline is None else names.index(baseline)
    pairs = (
        list(combinations(range(n), 2)) if baseline is None else [(s, reference) for s in range(n) if s != reference]
    )
    pvalues, exact = pvalues_of(systems, pairs, plan)
    matrix, adjusted = _square(n, pairs, pvalues), _square(n, pairs, adjust_pvalues(pvalues, correction))
    scores = _intervals(runs, systems, plan, method, confidence)
    estimate = np.array([score.estimate for score in scores])
    differences = estimate[:, np.newaxis] - estimate
    significant = np.nan_to_num(adjusted, nan=1.0) <= alpha
    if baseline is not None:
        marks = ["*" if mark else "" for mark in significant[reference]]
    else:
        marks = compact_letters(significant) if np.isfinite(pvalues).all() else [""] * n
    rows = [
        RankedSystem(
            1 + int((estimate > estimate[s]).sum()),
            name,
            scores[s],
            math.nan if s == reference else float(differences[s, reference]),
            float(matrix[s, reference]),
            float(adjusted[s, reference]),
            marks[s],
        )
        for s, name in enumerate(names)
    ]
    first = next(iter(runs.values()))
    return Comparison(
        tuple(rows),
        names[reference],
        baseline is not None,
        differences,
        matrix,
        adjusted,
        metric,
        field,
        average,
        test,
        bool(exact.all()),
        correction,
        alpha,
        method,
        confidence,
        n_resamples,
        len(first),
        len(pairs),
        plan.seed,
        first.signature,
        document_notes(first) + _pair_notes(systems, pairs, test, alpha),
    )


def _intervals(
    runs: dict[str, BatchScores], systems: Systems, plan: Plan, method: str, confidence: float
) -> list[Interval]:
    """Find each system's interval, from the same resamples for all."""
    field = slice(plan.field, plan.field + 1)
    values = replicates(systems, plan.n_resamples, plan.seed, threads=plan.threads, batch=plan.batch)
    without = leave_one_out(systems)[:, :, 0, field] if method == "bca" else None
    centre = systems.scores(systems.totals, systems.n_documents)
    rows = summarise(
        estimates(runs, systems)[:, 0, field], values[:, :, 0, field], centre[:, 0, field], without, method, confidence
    )
    return [row[0] for row in rows]


def _square(n: int, pairs: list[tuple[int, int]], values: Floats) -> Floats:
    """Lay values of pairs out as a symmetric matrix, nan elsewhere."""
    matrix = np.full((n, n), np.nan)
    for (i, j), value in zip(pairs, values, strict=True):
        matrix[i, j] = matrix[j, i] = value
    return matrix


def _pair_notes(systems: Systems, pairs: list[tuple[int, int]], test: str, alpha: float) -> tuple[str, ...]:
    if test != "randomisation" or systems.n_documents == 1:
        return ()
    rows = systems.parts.array
    notes = []
    for i, j in pairs:
        note = differing_note(int((rows[i] != rows[j]).any(axis=1).sum()), alpha)
        if note:
            notes.append(f"{systems.names[i]} and {systems.names[j]}: {note}")
    return tuple(notes) if len(notes) <= 3 else (*notes[:3], f"and so for {len(notes) - 3} more pairs")
