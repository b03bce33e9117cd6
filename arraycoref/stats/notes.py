"""What a reader should know before trusting an interval or a test."""

from __future__ import annotations

import numpy as np

from arraycoref.results import BatchScores

FEW_DOCUMENTS = 30  # see docs/statistics.md: 95 % intervals from 20 documents cover in 90 % of samples
LARGE_SHARE = 0.5


def document_notes(b: BatchScores) -> tuple[str, ...]:
    """Tell whether documents are too few, or one of them too large, for resampling to mean much."""
    n = len(b)
    if n == 1:
        return (
            "one document: resampling documents says nothing about it, so intervals are undefined and no paired "
            "test can find a difference",
        )
    notes = []
    if n < FEW_DOCUMENTS:
        notes.append(
            f"only {n} documents: bootstrap intervals from so few are too narrow, and the bootstrap test finds too much"
        )
    metric = next((name for name in ("mentions", "bcub", "ceafm") if name in b.counts), next(iter(b.counts)))
    weight = b.counts[metric][:, 1]
    if weight.sum() > 0 and weight.max() > LARGE_SHARE * weight.sum():
        largest = int(np.argmax(weight))
        notes.append(
            f"document {b.names[largest]!r} holds {weight[largest] / weight.sum():.0%} of the key: corpus scores are "
            "mostly its own, and so are their intervals and tests; macro averages weigh documents alike"
        )
    return tuple(notes)


def differing_note(n_differing: int, alpha: float = 0.05) -> str | None:
    """Tell that too few documents tell two systems apart for approximate randomisation to reach ``alpha``."""
    if n_differing == 0:
        return "the systems have the same counts in every document"
    smallest = 2.0 ** (1 - n_differing)
    if smallest <= alpha:
        return None
    one = n_differing == 1
    return (
        f"the systems differ in {n_differing} document{'' if one else 's'} only: approximate randomisation cannot give "
        f"a two-sided p below {smallest:g}"
    )
