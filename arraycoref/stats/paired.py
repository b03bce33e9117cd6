"""Test the difference between two systems on the same documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

from arraycoref.options import takes
from arraycoref.results import BatchScores
from arraycoref.stats.comparable import differing_note, document_notes
from arraycoref.stats.options import STATISTICS, OneScore, PairedOptions, Settings
from arraycoref.stats.pairs import pvalues_of
from arraycoref.stats.systems import Systems


@dataclass(frozen=True, kw_only=True)
class PairedTest(OneScore):
    """Outcome of a paired test.

    Attributes:
        difference: score of the first system minus that of the second, a fraction; of a metric that counts, a number.
        pvalue: nan on one document, where no test means anything.
        test: ``randomisation`` or ``bootstrap``.
        alternative: ``two-sided``, ``greater`` or ``less``.
        exact: whether every outcome was listed; otherwise ``n_resamples`` of them were drawn.
        n_documents: D.
        n_differing: documents in which the systems' counts differ.
    """

    difference: float
    pvalue: float
    test: str
    alternative: str
    exact: bool
    n_documents: int
    n_differing: int


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
