"""Mention detection: recall and precision of the mentions themselves."""

from __future__ import annotations

from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats


def count(cells: Cells) -> Floats:
    """Count the mentions that key and response share, against those of each: float64 (D, 4).

    Source: Pradhan et al. (2014), section 3.
    """
    return cells.link_counts.mentions
