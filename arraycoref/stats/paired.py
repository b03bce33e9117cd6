"""Test the differences between systems on the same documents, pair by pair.

Pairs that are tested together share their random numbers. So the uncorrected p-value of two systems depends neither on
which other systems are tested nor on the order of the systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.records import field_values
from arraycoref.report.formats import Displayable
from arraycoref.report.tables import TextTable, number_of, pvalue_text
from arraycoref.scoring.metrics.registry import direction
from arraycoref.scoring.metrics.score import Floats
from arraycoref.scoring.rows import format_score
from arraycoref.scoring.scores import BatchScores
from arraycoref.stats import resampling
from arraycoref.stats.comparable import differing_note, document_notes
from arraycoref.stats.multiple_tests import adjust_pvalues, step_down
from arraycoref.stats.options import TESTS, OneScore, PairedOptions, Settings
from arraycoref.stats.systems import Systems

Pair = tuple[int, int]

TOLERANCE = 1e-12
"""Differences of scores closer than this count as equal: sums of fractions such as 1/3 tie only up to rounding."""

Outcomes = tuple[Floats, Floats]
"""Differences of P pairs in R outcomes of a test, float64 (P, R), and the weight of each outcome, float64 (R,)."""

AT_ONCE = 2**12
"""Number of differences computed at a time: few enough that their sums stay in the processor's cache."""

_HELD = 2**23  # most differences that the first pass over the resamples keeps for the second; more are computed twice


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedTest(OneScore, Displayable):
    """Outcome of a paired test.

    Attributes:
        difference: score of the first system minus that of the second: a fraction, or a number if the metric counts.
        pvalue: nan on one document, where no test means anything.
        test: ``randomisation`` or ``bootstrap``.
        alternative: ``two-sided``, ``greater`` or ``less``.
        exact: whether every outcome was listed; otherwise ``resamples`` of them were drawn.
        n_documents: number of documents.
        n_differing: number of documents in which the systems' counts differ; for macro averages, their scores.
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
        difference = format_score(self.difference, self.metric, digits, sign="+")
        row = [f"{self.metric} {self.field}", difference, pvalue_text(self.pvalue)]
        return [TextTable(["", "difference", "p"], [row])]

    def caption(self, digits: int) -> list[str]:
        """Say which test it was."""
        how = "all outcomes" if self.exact else f"{self.resamples} resamples, seed {self.seed}"
        documents = f"{number_of(self.n_documents, 'document')}, {self.n_differing} of them differing"
        return [f"{TESTS[self.test]}, {self.alternative}, {how}; {documents}, {self.average} average", *self.notes]

    def columns(self) -> dict[str, Any]:
        """Return one row with all attributes but the notes."""
        return {name: [value] for name, value in field_values(self).items() if name != "notes"}


def paired_test(a: BatchScores, b: BatchScores, **options: Unpack[PairedOptions]) -> PairedTest:
    """Test whether two systems' scores differ by more than chance would make them.

    Approximate randomisation exchanges the two systems' counts in documents picked by coin flips, and asks how often
    their difference then is as large as the one observed: (1 + as large) / (1 + resamples). The paired bootstrap draws
    documents with replacement, and asks how often the difference is as far from the observed one as the observed one is
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
        b: scores of another system on the same documents.
        **options: see `arraycoref.stats.options`.

    Raises:
        InputError: no documents, an option out of range, different conventions, too many outcomes for ``exact``.
        DocumentMismatchError: systems scored on different documents, or against different keys.
        UnknownNameError: a metric that was not scored, another name that does not exist.

    Source: Noreen (1989), section 2; Koehn (2004) and Berg-Kirkpatrick et al. (2012). The observed difference is
    subtracted from the bootstrap's differences, so that these follow the null hypothesis.
    """
    settings = Settings.of(options, PairedOptions)
    systems = Systems.of({"a": a, "b": b}, (settings.metric,), settings.average)
    tests = tests_of(systems, [(0, 1)], settings)
    first, second = systems.estimates()[:, 0, settings.place].tolist()
    n_differing = systems.differing(0, 1).size
    few = differing_note(n_differing, of_swaps=settings.test == "randomisation")
    return settings.result(
        PairedTest,
        difference=first - second,
        pvalue=float(tests.pvalues[0]),
        exact=bool(tests.exact[0]),
        n_documents=len(a),
        n_differing=n_differing,
        notes=document_notes(systems.runs, settings.average) + ((few,) if few else ()),
    )


class Tests(NamedTuple):
    """Results of P tests, each (P,): p-values, corrected p-values, and whether all outcomes of the test were listed."""

    pvalues: Floats
    adjusted: Floats
    exact: NDArray[np.bool_]


def tests_of(systems: Systems, pairs: Sequence[Pair], settings: Settings) -> Tests:
    """Test the difference of each pair of systems, the first's score minus the second's, in the only metric.

    All outcomes are listed for all pairs together if there are few enough. Otherwise the tests use random outcomes, as
    does the step-down maximum over all pairs; but in the randomisation test, pairs that differ in few enough documents
    have p-values from all outcomes of these. On one document no test means anything: all p-values are nan.
    """
    if systems.n_documents == 1 or not pairs:
        undefined = np.full(len(pairs), np.nan)
        return Tests(undefined, undefined.copy(), np.ones(len(pairs), bool))
    differing = [systems.differing(i, j) for i, j in pairs]
    together = _Family(systems, pairs, settings, np.unique(np.concatenate(differing)))
    stepped = settings.correction == "maxt" and len(pairs) > 1
    pvalues, exact = np.full(len(pairs), np.nan), np.full(len(pairs), together.listed)
    if not together.listed and settings.test == "randomisation":
        for p, documents in enumerate(differing):
            if _lists(settings, resampling.count_swaps(documents.size)):
                pvalues[p], exact[p] = _Family(systems, [pairs[p]], settings, documents).test()[0][0], True
    if stepped:
        drawn, adjusted = together.test(stepped)
        pvalues = np.where(np.isnan(pvalues), drawn, pvalues)
        return Tests(pvalues, np.maximum(adjusted, pvalues), np.full(len(pairs), together.listed))
    if (others := np.flatnonzero(np.isnan(pvalues))).size:
        rest = [pairs[p] for p in others.tolist()]
        pvalues[others] = _Family(systems, rest, settings, together.documents).test()[0]
    correction = "none" if settings.correction == "maxt" else settings.correction
    return Tests(pvalues, adjust_pvalues(pvalues, correction), exact)


class _Family:
    """P pairs of systems that are tested on the same outcomes.

    Attributes:
        documents: int64 (d,) positions of documents, with all those in which any of the pairs differs.
        listed: whether every outcome is listed; otherwise ``resamples`` are drawn, and the observed one is added.
        observed: float64 (P, 1) observed differences.
    """

    def __init__(
        self, systems: Systems, pairs: Sequence[Pair], settings: Settings, documents: NDArray[np.int64]
    ) -> None:
        self._systems, self._settings, self.documents = systems, settings, documents
        self._i, self._j = np.array(pairs).T
        self._swapped = settings.test == "randomisation"
        n = systems.n_documents
        count = resampling.count_swaps(documents.size) if self._swapped else resampling.count_resamples(n)
        self.listed = _lists(settings, count)
        self._totals = systems.column_sums(np.ones((1, n)))
        none = np.zeros_like(self._totals)
        self.observed = swapped(systems, none, self._totals, self._i, self._j, settings.place)

    def test(self, stepped: bool = False) -> tuple[Floats, Floats]:
        """Return p-values (P,), and the same (P,) again; if ``stepped``, the second are of the step-down maximum."""
        outcomes: Iterable[Outcomes] = self._outcomes()
        if stepped and self.observed.size * self._settings.resamples <= _HELD:
            outcomes = list(outcomes)
        one = 0.0 if self.listed else 1.0
        extreme, squares, total = np.full(self.observed.size, one), one * self.observed[:, 0] ** 2, one
        for values, counts in outcomes:
            extreme += _extreme(values, self.observed, self._settings) @ counts
            squares += values**2 @ counts
            total += counts.sum()
        pvalues: Floats = np.minimum(extreme / total, 1.0)
        if not stepped:
            return pvalues, pvalues
        again = outcomes if isinstance(outcomes, list) else self._outcomes()
        return pvalues, step_down(self.observed[:, 0], np.sqrt(squares / total), again, one, TOLERANCE)

    def _outcomes(self) -> Iterator[Outcomes]:
        settings, n = self._settings, self._systems.n_documents
        if self.listed:
            every = resampling.all_swaps(self.documents.size) if self._swapped else resampling.all_resamples(n)
            yield from ((self._differences(weights), probability) for weights, probability in every)
            return
        weights = (resampling.swaps if self._swapped else resampling.multiplicities)(settings.seed, n)
        blocks = resampling.over_blocks(
            self._differences, weights, settings.resamples, n, threads=settings.threads, batch=settings.batch
        )
        yield from ((values, np.ones(values.shape[1])) for values in blocks)

    def _differences(self, weights: Floats) -> Floats:
        """Compute each pair's difference in each outcome, float64 (P, R); in a bootstrap, minus the observed one."""
        systems, settings = self._systems, self._settings
        if self._swapped:
            documents = self.documents if self.listed else slice(None)
            sums = systems.column_sums(weights, documents)
            return swapped(systems, sums, self._totals, self._i, self._j, settings.place)
        scores = systems.value(systems.column_sums(weights), settings.place)
        return np.asarray(scores[self._i] - scores[self._j] - self.observed)


def swapped(
    systems: Systems, sums: Floats, totals: Floats, i: NDArray[np.int64], j: NDArray[np.int64], place: int
) -> Floats:
    """Score pairs of systems after they exchanged documents, and subtract.

    Args:
        systems: S systems.
        sums: float64 (w, S, R) sums over the exchanged documents, in each of R outcomes.
        totals: float64 (w, S, 1) sums over all documents.
        i: int64 (P,) position of the first system of each pair.
        j: int64 (P,) position of the second system, or (1,) if it is the same in all pairs.
        place: position of the field among recall, precision and F.

    Returns:
        float64 (P, R) the first's score minus the second's.
    """
    values = np.empty((i.size, sums.shape[2]))
    step = max(1, AT_ONCE // sums.shape[2])
    for first in range(0, i.size, step):
        some = slice(first, first + step)
        a, b = i[some], j if j.size == 1 else j[some]
        moved = sums[:, b] - sums[:, a]
        values[some] = systems.value(totals[:, a] + moved, place) - systems.value(totals[:, b] - moved, place)
    return values


def _lists(settings: Settings, n_outcomes: float) -> bool:
    """Decide whether a test with so many outcomes lists all of them.

    Raises:
        InputError: the user asked for an exact test, and the outcomes are too many to list.
    """
    if settings.exact and n_outcomes > resampling.MOST:
        raise InputError(
            f"an exact test would list {n_outcomes:g} outcomes; expected {resampling.MOST} at most: "
            "leave exact out for a random sample of them"
        )
    return n_outcomes <= settings.resamples if settings.exact is None else settings.exact


def _extreme(values: Floats, observed: Floats, settings: Settings) -> NDArray[np.bool_]:
    """Find values at least as extreme as the observed difference; ``greater`` means better, even if less is better."""
    if settings.alternative == "two-sided":
        return np.abs(values) >= np.abs(observed) - TOLERANCE
    sign = direction(settings.metric) * (1 if settings.alternative == "greater" else -1)
    return sign * values >= sign * observed - TOLERANCE
