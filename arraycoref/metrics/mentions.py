"""Mention detection: recall and precision of the mentions themselves."""

from __future__ import annotations

from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats, four_sums


def count(cells: Cells) -> Floats:
    """Count the mentions that key and response share: float64 (D, 4).

    Source: Pradhan et al. (2014), section 3 ("strictly correct identified mentions").
    """
    shared = cells.n_shared_mentions
    return four_sums(shared, cells.n_key_mentions, shared, cells.n_response_mentions)
