"""Hold tagger scores: those of `arraycoref.scoring.scores`, and weak and strong correctness and accuracy besides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import check_name
from arraycoref.options import Signature, signature
from arraycoref.scoring.metrics.score import ratio
from arraycoref.scoring.rows import to_dict
from arraycoref.scoring.scores import BatchScores
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.measures import SEGMENTS, WORDS, correctness_of
from arraycoref.tagging.weights import Weights


@dataclass(frozen=True)
class TagSignature(Signature):
    """What tagger scores depend on besides the two texts.

    Attributes:
        tagset: name of the tagset; ``none`` if tags are compared as they are written.
        weights: where the weights come from, with a hash of them; ``none`` if there are no weights.
        unit: ``document`` or ``sentence``, the units that have scores of their own.
    """

    tagset: str = "none"
    weights: str = "none"
    unit: str = "document"

    @classmethod
    def of(cls, comparison: TagComparison, weights: Weights | None, beta: float) -> TagSignature:
        """Make the signature of a comparison's scores; policies that only coreference has keep their defaults.

        Args:
            comparison: what is scored.
            weights: the weights of the measures, or None.
            beta: weight of recall against precision in F.
        """
        policies = vars(signature(replace(comparison.policies, beta=beta)))
        tagset = "none" if comparison.table is None else comparison.table.tagset.name
        label = "none" if weights is None else weights.label
        return cls(**policies, tagset=tagset, weights=label, unit=comparison.unit_kind)

    def __str__(self) -> str:
        return (
            f"arraycoref|v:{self.version}|task:tags|tagset:{self.tagset}|weights:{self.weights}|unit:{self.unit}"
            f"|missing:{self.missing_documents}|extra:{self.extra_documents}|beta:{self.beta:g}"
        )

    def as_dict(self) -> dict[str, str | float]:
        """Return the fields by name, as JSON shows them."""
        names = ("tagset", "weights", "unit", "missing_documents", "extra_documents", "beta")
        return {"version": self.version, "task": "tags", **{name: vars(self)[name] for name in names}}


class Correctness(NamedTuple):
    """Correctness and accuracy of one measure, as fractions 0-1.

    The score of a tag is its best score with a tag of the other side, 0 where the other side has none.

    Attributes:
        weak: weak correctness, the mean over segments of the score of the best assigned tag.
        strong: strong correctness, the mean over segments of the score of the worst tag of either side.
        aligned_accuracy: mean score of the aligned words if all of them have one tag on both sides; otherwise, and for
            the measure ``Words``, None.
    """

    weak: float
    strong: float
    aligned_accuracy: float | None


class TagScores(BatchScores):
    """Scores of D units: ``scores["pa"].f1`` as in `BatchScores`, and ``scores.correctness("pa").strong``.

        >>> from arraycoref.tagging import score_tag_ids
        >>> scores = score_tag_ids([0, 1, 2], [0, 1, 1], documents=[0, 2, 3])
        >>> scores["exact"].recall, scores.correctness("exact").weak, scores.segments.tolist()
        (0.6666666666666666, 0.6666666666666666, [2, 1])

    ``counts`` has more groups than the measures; see `arraycoref.tagging.measures.count_measures`. The files of
    ``save`` are for other programs: `arraycoref.load_scores` reads scores of coreference only.
    """

    @property
    def correct(self) -> dict[str, NDArray[np.float64]]:
        """float64 (D, 2) per measure, the sums of weak and of strong correctness."""
        return {measure: self.counts[correctness_of(measure)][:, ::2] for measure in self.metrics}

    @property
    def segments(self) -> NDArray[np.int64]:
        """int64 (D,) words of both sides, two aligned words being one: `correct` divided by this is correctness."""
        return self.counts[SEGMENTS][:, 3].astype(np.int64)

    @property
    def aligned(self) -> NDArray[np.int64]:
        """int64 (D,) aligned words."""
        return self.counts[SEGMENTS][:, 1].astype(np.int64)

    @property
    def plain(self) -> NDArray[np.int64]:
        """int64 (D,) aligned words with one tag on both sides."""
        return self.counts[SEGMENTS][:, 0].astype(np.int64)

    def correctness(self, measure: str) -> Correctness:
        """Return weak and strong correctness and aligned accuracy over all units.

        Raises:
            UnknownNameError: the measure was not computed.
        """
        check_name("measure", measure, self.metrics)
        totals = self.corpus.counts
        weak, n_segments, strong, _ = totals[correctness_of(measure)].tolist()
        n_plain, n_aligned, *_ = totals[SEGMENTS].tolist()
        accuracy = weak / n_aligned if n_aligned and n_aligned == n_plain and measure != WORDS else None
        return Correctness(ratio(weak, n_segments), ratio(strong, n_segments), accuracy)

    def to_dict(self) -> dict[str, Any]:
        """Return signature, number of units and scores, as ``--format json`` writes them."""
        return tags_dict(self)


def tags_dict(scores: TagScores, *, per_document: bool = False, macro: bool = False) -> dict[str, Any]:
    """Return scores as the dictionary of `arraycoref.scoring.rows.to_dict`, with `Correctness` added to each score."""
    found = to_dict(scores, per_document=per_document, macro=macro)
    for measure, values in found["scores"].items():
        values.update(scores.correctness(measure)._asdict())
    return found
