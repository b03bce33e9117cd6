"""LEA: the links of each entity that are resolved, weighed by the entity's size."""

from __future__ import annotations

import numpy as np

from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats, four_sums


def count(cells: Cells) -> Floats:
    """Count LEA's importance-weighted resolved links: float64 (D, 4).

    Entity i contributes k_i times its resolved share, sum_j L(n_ij) / L(k_i), that is
    sum_j n_ij (n_ij - 1) / (k_i - 1). A singleton has one link, to itself, resolved where it is a singleton on both
    sides.

    Source: Moosavi and Strube (2016), section 4.
    """
    links = cells.shared * (cells.shared - 1)
    twins = (cells.cell_key_size == 1) & (cells.cell_response_size == 1)
    # k_i = 1 allows n_ij = 1 only, so that links are 0 there and any divisor will do
    recall = links / np.maximum(cells.cell_key_size - 1, 1) + twins
    precision = links / np.maximum(cells.cell_response_size - 1, 1) + twins
    return four_sums(
        recall_num=cells.per_document(recall),
        recall_den=cells.n_key_mentions,
        precision_num=cells.per_document(precision),
        precision_den=cells.n_response_mentions,
    )
