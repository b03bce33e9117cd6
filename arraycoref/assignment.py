"""From cells and their weights to the exact maximum-weight alignment of key and response entities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells, sum_segments

PATIENCE = 4
"""Visits a cell, on average, that searches by shortest paths may take before an auction takes over: 2 are usual on
system output; on a random matrix of a million mentions the searches would need 400."""


class Alignment(NamedTuple):
    """A one-to-one alignment of the largest total weight.

    Attributes:
        cell: int64 (A,) the cell that each key entity is aligned by, -1 where it is unaligned.
        total: float64 (D,) the summed weight a document.
    """

    cell: NDArray[np.int64]
    total: NDArray[np.float64]


def align(cells: Cells, weights: NDArray[np.float64], unit: float = 0.0, patience: int = PATIENCE) -> Alignment:
    """Align the entities of each document one to one so that the weights of the aligned cells sum to the most.

    Exact, on the sparse cells: shortest augmenting paths, and an auction where these would grow long. Among alignments
    of equal weight any may be returned.

    Args:
        cells: contingency cells of D documents.
        weights: float64 (C,) a weight a cell, none negative; pairs of entities without a cell weigh nothing.
        unit: number of which all weights are multiples, 0 if there is none.
        patience: visits a cell, on average, before the auction; below 0 for no search at all.
    """
    from arraycoref.kernels import alignment

    n_rows, n_columns = cells.key_size.size, cells.response_size.size
    matrix = cells.key_start, cells.key, cells.response, weights
    u, v = np.empty(n_rows), np.empty(n_columns)
    cell, row = np.empty(n_rows, np.int64), np.empty(n_columns, np.int64)
    gain = np.empty(n_rows)
    if not alignment.align(*matrix, patience * weights.size, u, v, cell, row, gain):
        from arraycoref.kernels import auction

        auction.align_by_auction(*matrix, unit, u, v, cell, row)
        gain = np.append(weights, 0.0)[cell]
    return Alignment(cell, sum_segments(gain, cells.key_offsets))
