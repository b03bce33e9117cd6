"""B-cubed: the mean over mentions of how well each one's entity is recovered."""

from __future__ import annotations

import numpy as np

from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats, four_sums


def count(cells: Cells) -> Floats:
    """Count B-cubed's numerators and denominators: float64 (D, 4).

    Source: Bagga and Baldwin (1998); Pradhan et al. (2014), section 4.2.
    """
    square = np.square(cells.shared, dtype=np.float64)
    return four_sums(
        recall_num=cells.per_document(square / cells.cell_key_size),
        recall_den=cells.n_key_mentions,
        precision_num=cells.per_document(square / cells.cell_response_size),
        precision_den=cells.n_response_mentions,
    )
