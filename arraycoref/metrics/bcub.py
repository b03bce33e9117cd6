"""B-cubed: the mean over mentions of how well each one's entity is recovered."""

from __future__ import annotations

from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats, four_sums


def count(cells: Cells) -> Floats:
    """Count B-cubed's numerators and denominators: float64 (D, 4).

    Each of the n_ij mentions that entities i and j share has recall n_ij / k_i and precision n_ij / r_j.

    Source: Bagga and Baldwin (1998); Pradhan et al. (2014), section 4.2.
    """
    return four_sums(
        recall_num=cells.ratio_sums.squares_of_key,
        recall_den=cells.n_key_mentions,
        precision_num=cells.ratio_sums.squares_of_response,
        precision_den=cells.n_response_mentions,
    )
