"""B-cubed: the mean over mentions of how well each one's entity is recovered."""

from __future__ import annotations

from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats


def count(cells: Cells) -> Floats:
    """Count B-cubed's numerators and denominators: float64 (D, 4).

    Each of the n_ij mentions that entities i and j share has recall n_ij / k_i and precision n_ij / r_j: their sums
    are those of n_ij^2 / k_i and n_ij^2 / r_j over the cells, against the mentions of the key and of the response.

    Source: Bagga and Baldwin (1998); Pradhan et al. (2014), section 4.2.
    """
    return cells.ratios.bcub
