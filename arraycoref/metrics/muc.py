"""MUC: links that a spanning tree of each entity needs."""

from __future__ import annotations

from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats


def count(cells: Cells) -> Floats:
    """Count MUC's common links, against the mentions less the entities of each side: float64 (D, 4).

    The response cuts key entity i into p_i parts: one for each response entity that it meets, one for each mention
    that the response lacks. Then k_i - p_i is a_i less the cells in row i, and their sum is the shared mentions less
    the cells; by columns the sum is the same.

    Source: Vilain et al. (1995); Pradhan et al. (2014), section 4.1.
    """
    return cells.link_counts.muc
