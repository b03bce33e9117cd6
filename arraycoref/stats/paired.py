"""Test the differences between systems on the same documents, pair by pair.

All pairs of a family share their random numbers, so that the p-value of two systems does not depend on which others
are tested beside them, nor on their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.metrics import direction
from arraycoref.options import takes
from arraycoref.records import field_values
from arraycoref.report.notebook import Shown
from arraycoref.report.table import TextTable
from arraycoref.report.values import number_of, pvalue_text, shown
from arraycoref.results import BatchScores
from arraycoref.stats import resampling
from arraycoref.stats.comparable import differing_note, document_notes
from arraycoref.stats.options import STATISTICS, TESTS, OneScore, PairedOptions, Settings
from arraycoref.stats.systems import Systems

Floats = NDArray[np.float64]
Pair = tuple[int, int]

TOLERANCE = 1e-12
"""Differences of scores closer than this count as equal: sums of fractions such as 1/3 tie only up to rounding."""

_ROWS = 2**14  # resamples times pairs scored at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedTest(OneScore, Shown):
    """Outcome of a paired test.

    Attributes:
        difference: score of the first system minus that of the second, a fraction; of a metric that counts, a number.
        pvalue: nan on one document, where no test means anything.
        test: ``randomisation`` or ``bootstrap``.
        alternative: ``two-sided``, ``greater`` or ``less``.
        exact: whether every outcome was listed; otherwise ``n_resamples`` of them were drawn.
        n_documents: D.
        n_differing: documents in which the systems' counts differ; of macro averages, the documents' scores.
    """

    difference: float
    pvalue: float
    test: str
    alternative: str
    exact: bool
    n_documents: int
    n_differing: int

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out the difference and its p-value."""
        difference = shown(self.difference, self.metric, digits, sign="+")
        row = [f"{self.metric} {self.field}", difference, pvalue_text(self.pvalue)]
        return [TextTable(["", "difference", "p"], [row])]

    def caption(self, digits: int) -> list[str]:
        """Say which test it was."""
        how = "all outcomes" if self.exact else f"{self.n_resamples} resamples, seed {self.seed}"
        documents = f"{number_of(self.n_documents, 'document')}, {self.n_differing} of them differing"
        return [f"{TESTS[self.test]}, {self.alternative}, {how}; {documents}, {self.average} average", *self.notes]

    def columns(self) -> dict[str, Any]:
        """Return one row with all attributes but the notes."""
        return {name: [value] for name, value in field_values(self).items() if name != "notes"}


@takes(PairedOptions, known=STATISTICS)
def paired_test(a: BatchScores, b: BatchScores, **options: Unpack[PairedOptions]) -> PairedTest:
    """Test whether two systems' scores differ by more than chance would make them.

    Approximate randomisation exchanges the two systems' counts in documents picked by coin flips, and asks how often
    their difference then is as large as the one observed: (1 + as large) / (1 + resamples). The paired bootstrap draws
    documents with replacement, and asks how often the difference strays from the observed one as far as that is
    from zero.

        >>> import arraycoref as ac
        >>> key, offsets = [0, 0, 1, 1] * 5, range(0, 21, 4)
        >>> good = ac.score_labels_batch(key, key, offsets)
        >>> poor = ac.score_labels_batch(key, [0, 1, 1, 1] * 5, offsets)
        >>> test = ac.paired_test(good, poor, metric="bcub", field="recall")
        >>> test.difference, test.pvalue, test.exact  # 2 of the 2^5 ways to exchange documents are as extreme
        (0.25, 0.0625, True)

    Args:
        a: scores of one system on D documents.
        b: scores of another on the same.
        **options: see `arraycoref.stats.options`.

    Raises:
        InputError: no documents, an option out of range, different conventions, too many outcomes for ``exact``.
        DocumentMismatchError: systems scored on different documents.
        UnknownNameError: a metric that was not scored, another name that does not exist.

    Source: Noreen (1989), section 2; Koehn (2004) and Berg-Kirkpatrick et al. (2012), with the bootstrap's
    distribution moved to the null hypothesis.
    """
    settings = Settings.of(options, PairedOptions)
    systems = Systems.of({"a": a, "b": b}, (settings.metric,), settings.average)
    pvalues, listed = pvalues_of(systems, [(0, 1)], settings)
    first, second = systems.estimates()[:, 0, settings.place].tolist()
    n_differing = systems.differing(0, 1).size
    few = differing_note(n_differing)
    return settings.result(
        PairedTest,
        difference=first - second,
        pvalue=float(pvalues[0]),
        exact=bool(listed[0]),
        n_documents=len(a),
        n_differing=n_differing,
        notes=document_notes(a) + ((few,) if few else ()),
    )


def pvalues_of(systems: Systems, pairs: Sequence[Pair], settings: Settings) -> tuple[Floats, NDArray[np.bool_]]:
    """Test the difference of each pair of systems, the first's score minus the second's, in the only metric.

    Returns:
        float64 (P,) p-values, and bool (P,) which were computed from all outcomes. On one document no test means
        anything: nan.
    """
    if systems.n_documents == 1 or not pairs:
        return np.full(len(pairs), np.nan), np.ones(len(pairs), bool)
    if settings.test == "bootstrap":
        return _bootstrap(systems, pairs, settings)
    differing = [systems.differing(i, j) for i, j in pairs]
    exact = np.array([_lists(settings, resampling.count_swaps(documents.size)) for documents in differing], bool)
    pvalues = np.full(len(pairs), np.nan)
    for p in np.flatnonzero(exact).tolist():
        pvalues[p] = _exact_swaps(systems, pairs[p], differing[p], settings)
    if not exact.all():
        pvalues[~exact] = _random_swaps(systems, [pairs[p] for p in np.flatnonzero(~exact).tolist()], settings)
    return pvalues, exact


def _lists(settings: Settings, n_outcomes: float) -> bool:
    """Whether a test of so many outcomes lists them all."""
    if settings.exact and n_outcomes > resampling.MOST:
        raise InputError(
            f"an exact test would list {n_outcomes:g} outcomes; expected {resampling.MOST} at most: "
            "leave exact out for a random sample of them"
        )
    return n_outcomes <= settings.n_resamples if settings.exact is None else settings.exact


def _extreme(values: Floats, observed: Floats, settings: Settings) -> NDArray[np.bool_]:
    """Find values as extreme as the observed difference, or more; ``greater`` is better, whatever the metric."""
    if settings.alternative == "two-sided":
        return np.abs(values) >= np.abs(observed) - TOLERANCE
    sign = direction(settings.metric) * (1 if settings.alternative == "greater" else -1)
    return sign * values >= sign * observed - TOLERANCE


def _difference(systems: Systems, first: Floats, second: Floats, settings: Settings) -> Floats:
    """Score sums (..., p) of two systems and subtract."""
    n, place = systems.n_documents, settings.place
    return systems.scores(first, n)[..., 0, place] - systems.scores(second, n)[..., 0, place]


def _exact_swaps(systems: Systems, pair: Pair, documents: NDArray[np.int64], settings: Settings) -> float:
    rows, totals = systems.parts.array[:, documents], systems.totals
    i, j = pair
    observed = _difference(systems, totals[i], totals[j], settings)
    pvalue = 0.0
    for weights, probability in resampling.all_swaps(documents.size):
        moved = weights @ (rows[j] - rows[i])
        values = _difference(systems, totals[i] + moved, totals[j] - moved, settings)
        pvalue += float(probability[_extreme(values, observed, settings)].sum())
    return min(pvalue, 1.0)


def _random_swaps(systems: Systems, pairs: Sequence[Pair], settings: Settings) -> Floats:
    totals = systems.totals
    i, j = np.array(pairs).T
    observed = _difference(systems, totals[i], totals[j], settings)

    def count(weights: Floats) -> NDArray[np.int64]:
        sums = systems.sums(weights)
        found = np.empty(len(pairs), np.int64)
        step = max(1, _ROWS // len(weights))
        for first in range(0, len(pairs), step):
            some = slice(first, first + step)
            moved = sums[:, j[some]] - sums[:, i[some]]
            values = _difference(systems, totals[i[some]] + moved, totals[j[some]] - moved, settings)
            found[some] = _extreme(values, observed[some], settings).sum(axis=0)
        return found

    return _share(count, resampling.swaps(settings.seed, systems.n_documents), systems, settings)


def _bootstrap(systems: Systems, pairs: Sequence[Pair], settings: Settings) -> tuple[Floats, NDArray[np.bool_]]:
    n = systems.n_documents
    exact = _lists(settings, resampling.count_resamples(n))
    i, j = np.array(pairs).T
    totals = systems.totals
    observed = _difference(systems, totals[i], totals[j], settings)

    def extreme(weights: Floats) -> NDArray[np.bool_]:
        scores = systems.scores(systems.sums(weights), n)[..., 0, settings.place]
        return _extreme(scores[:, i] - scores[:, j] - observed, observed, settings)

    def count(weights: Floats) -> NDArray[np.int64]:
        counted: NDArray[np.int64] = extreme(weights).sum(axis=0)
        return counted

    if exact:
        listed = resampling.all_resamples(n)
        pvalues = sum((probability @ extreme(weights) for weights, probability in listed), np.zeros(len(pairs)))
    else:
        pvalues = _share(count, resampling.multiplicities(settings.seed, n), systems, settings)
    return np.minimum(pvalues, 1.0), np.full(len(pairs), exact)


def _share(
    count: Callable[[Floats], NDArray[np.int64]], weights: resampling.Weights, systems: Systems, settings: Settings
) -> Floats:
    """Return p-values (P,): the share of resamples that ``count`` finds extreme, with the one observed among them."""
    n, draws = settings.n_resamples, systems.n_documents
    blocks = resampling.over_blocks(count, weights, n, draws, threads=settings.threads, batch=settings.batch)
    shares: Floats = (1.0 + np.sum(list(blocks), axis=0)) / (1.0 + n)
    return shares
