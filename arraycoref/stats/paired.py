"""Paired tests of the difference between two systems on the same documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arraycoref.results import BatchScores
from arraycoref.stats.bootstrapping import estimates
from arraycoref.stats.comparable import check_field
from arraycoref.stats.notes import differing_note, document_notes
from arraycoref.stats.pairs import pvalues_of
from arraycoref.stats.plan import Plan
from arraycoref.stats.resampling import Seed, entropy
from arraycoref.stats.systems import Systems


@dataclass(frozen=True)
class PairedTest:
    """Outcome of a paired test.

    Attributes:
        difference: score of the first system minus that of the second, a fraction.
        pvalue: nan on one document, where no test means anything.
        metric: what was compared.
        field: ``recall``, ``precision`` or ``f1``.
        average: ``micro`` or ``macro``.
        test: ``randomisation`` or ``bootstrap``.
        alternative: ``two-sided``, ``greater`` or ``less``.
        exact: whether every outcome was listed; otherwise ``n_resamples`` of them were drawn.
        n_resamples: as asked for.
        n_documents: D.
        n_differing: documents in which the systems' counts differ.
        seed: repeats the numbers.
        notes: what a reader should know before trusting them.
    """

    difference: float
    pvalue: float
    metric: str
    field: str
    average: str
    test: str
    alternative: str
    exact: bool
    n_resamples: int
    n_documents: int
    n_differing: int
    seed: int
    notes: tuple[str, ...] = ()


def paired_test(
    a: BatchScores,
    b: BatchScores,
    *,
    metric: str = "conll",
    field: str = "f1",
    average: str = "micro",
    test: str = "randomisation",
    alternative: str = "two-sided",
    exact: bool | None = None,
    n_resamples: int = 10_000,
    seed: Seed = 0,
    threads: int = 1,
    batch: int | None = None,
) -> PairedTest:
    """Test whether two systems' scores differ by more than chance would make them.

    Approximate randomisation exchanges the two systems' counts in documents picked by coin flips, and asks how often
    their difference then is as large as the one observed: (1 + as large) / (1 + resamples). The paired bootstrap draws
    documents with replacement, and asks how often the difference strays from the observed one as far as that is
    from zero.

    Args:
        a: scores of one system on D documents.
        b: scores of another on the same.
        metric: name of one metric.
        field: ``recall``, ``precision`` or ``f1``.
        average: ``micro`` or ``macro``, see `bootstrap`.
        test: ``randomisation`` or ``bootstrap``.
        alternative: ``two-sided``; ``greater``, that ``a`` is better; ``less``, that ``b`` is.
        exact: list every outcome; None to do so where there are no more of them than ``n_resamples``.
        n_resamples: outcomes drawn otherwise.
        seed: an integer, a numpy Generator, or None.
        threads: threads over blocks of resamples; no number depends on it.
        batch: resamples held at a time; no number depends on it.

    Raises:
        InputError: no documents, an option out of range, different conventions, too many outcomes for ``exact``.
        DocumentMismatchError: systems scored on different documents.
        UnknownNameError: a metric that was not scored, another name that does not exist.

    Source: Noreen (1989), section 2; Koehn (2004) and Berg-Kirkpatrick et al. (2012), with the bootstrap's
    distribution moved to the null hypothesis.
    """
    runs = {"a": a, "b": b}
    plan = Plan(test, alternative, check_field(field, metric), n_resamples, exact, entropy(seed), threads, batch)
    systems = Systems.of(runs, (metric,), average)
    pvalues, listed = pvalues_of(systems, [(0, 1)], plan)
    scores = estimates(runs, systems)[:, 0, plan.field]
    n_differing = int(np.count_nonzero((systems.parts.array[0] != systems.parts.array[1]).any(axis=1)))
    few = differing_note(n_differing)
    notes = document_notes(a) + ((few,) if few else ())
    return PairedTest(
        float(scores[0] - scores[1]),
        float(pvalues[0]),
        metric,
        field,
        average,
        test,
        alternative,
        bool(listed[0]),
        n_resamples,
        len(a),
        n_differing,
        plan.seed,
        notes,
    )
