"""What tagger evaluation returns: the scores of `arraycoref.results`, with weak and strong correctness and accuracy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import UnknownNameError
from arraycoref.report.rows import to_dict
from arraycoref.report.signature import Signature
from arraycoref.results import BatchScores
from arraycoref.scores import corpus_totals
from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.counts import TagCounts
from arraycoref.tagging.measures import WORDS
from arraycoref.tagging.weights import Weights
from arraycoref.version import __version__


@dataclass(frozen=True)
class TagSignature(Signature):
    """What tagger scores depend on besides the two texts.

    Attributes:
        tagset: name of the tagset, ``none`` where tags are compared as they are written.
        weights: where the weights come from, with a hash of them; ``none`` where there are none.
        unit: ``document`` or ``sentence``, what counts belong to.
    """

    tagset: str = "none"
    weights: str = "none"
    unit: str = "document"

    @classmethod
    def of(
        cls, comparison: TagComparison, weights: Weights | None, beta: float, unit: str | None = None
    ) -> TagSignature:
        """Make the signature of a comparison's scores; the other policies of coreference play no part in it.

        Args:
            comparison: what is scored.
            weights: by which weights.
            beta: weight of recall against precision in F.
            unit: what counts belong to, if not the comparison's units.
        """
        return cls(
            version=__version__,
            profile="paper",
            duplicates="",
            missing_documents=comparison.missing_documents,
            extra_documents=comparison.extra_documents,
            singletons="",
            beta=beta,
            tagset="none" if comparison.table is None else comparison.table.tagset,
            weights="none" if weights is None else weights.label,
            unit=unit or comparison.unit_kind,
        )

    def __str__(self) -> str:
        return (
            f"arraycoref|v:{self.version}|task:tags|tagset:{self.tagset}|weights:{self.weights}|unit:{self.unit}"
            f"|missing:{self.missing_documents}|extra:{self.extra_documents}|beta:{self.beta:g}"
        )

    def as_dict(self) -> dict[str, str | float]:
        """Return the fields by name, as JSON shows them."""
        return {
            "version": self.version,
            "task": "tags",
            "tagset": self.tagset,
            "weights": self.weights,
            "unit": self.unit,
            "missing_documents": self.missing_documents,
            "extra_documents": self.extra_documents,
            "beta": self.beta,
        }


class Correctness(NamedTuple):
    """Fractions 0-1 of one measure that are no recall or precision.

    Attributes:
        weak: weak correctness, the best assigned tag of each segment.
        strong: strong correctness, the worst tag of either side of each segment.
        aligned_accuracy: mean score of the aligned words where all have one tag on both sides, else None.
    """

    weak: float
    strong: float
    aligned_accuracy: float | None


@dataclass(frozen=True, eq=False, repr=False)
class TagScores(BatchScores):
    """Scores of D units: ``scores["pa"].f1`` as in `BatchScores`, and ``scores.correctness("pa").strong``.

    Attributes:
        correct: float64 (D, 2) a measure, sums of weak and of strong correctness.
        segments: int64 (D,) what those sums are divided by.
        aligned: int64 (D,) aligned words.
        plain: int64 (D,) aligned words with one tag on both sides.
    """

    correct: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    segments: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    aligned: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    plain: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def make(cls, counts: TagCounts, signature: TagSignature, names: tuple[str, ...]) -> TagScores:
        """Put counts, signature and the names of units together."""
        return cls(
            metrics=tuple(counts.counts),
            counts=counts.counts,
            signature=signature,
            document_names=names,
            correct=counts.correct,
            segments=counts.segments,
            aligned=counts.aligned,
            plain=counts.plain,
        )

    def _some(self, rows: slice) -> TagScores:
        correct = {measure: sums[rows] for measure, sums in self.correct.items()}
        return replace(
            super()._some(rows),
            correct=correct,
            segments=self.segments[rows],
            aligned=self.aligned[rows],
            plain=self.plain[rows],
        )

    def correctness(self, measure: str) -> Correctness:
        """Weak and strong correctness and aligned accuracy over all units.

        Raises:
            UnknownNameError: the measure was not computed.
        """
        if measure not in self.correct:
            raise UnknownNameError("measure", measure, self.metrics)
        weak, strong = corpus_totals(self.correct[measure]).tolist()
        n_segments, n_aligned, n_plain = int(self.segments.sum()), int(self.aligned.sum()), int(self.plain.sum())
        accuracy = weak / n_aligned if n_aligned and n_aligned == n_plain and measure != WORDS else None
        return Correctness(
            weak / n_segments if n_segments else 0.0, strong / n_segments if n_segments else 0.0, accuracy
        )

    def to_dict(self) -> dict[str, Any]:
        """Signature, number of units and scores, as ``--format json`` writes them."""
        return tags_dict(self)


def tags_dict(scores: TagScores, *, per_document: bool = False, macro: bool = False) -> dict[str, Any]:
    """Return scores as a dictionary; see `arraycoref.report.rows.to_dict`, to whose scores this adds `Correctness`."""
    found = to_dict(scores, per_document=per_document, macro=macro)
    for measure, values in found["scores"].items():
        values.update(scores.correctness(measure)._asdict())
    return found
