"""From cells and their weights to the exact maximum-weight alignment of key and response entities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells, sum_segments


class Alignment(NamedTuple):
    """A one-to-one alignment of the largest total weight.

    Attributes:
        cell: int64 (A,) the cell that each key entity is aligned by, -1 where it is unaligned.
        total: float64 (D,) the summed weight a document.
    """

    cell: NDArray[np.int64]
    total: NDArray[np.float64]


def align(cells: Cells, weights: NDArray[np.float64]) -> Alignment:
    """Align the entities of each document one to one so that the weights of the aligned cells sum to the most.

    Exact: shortest augmenting paths on the sparse cells, no dense matrix. Among alignments of equal weight any may be
    returned.

    Args:
        cells: contingency cells of D documents.
        weights: float64 (C,) a positive weight a cell; pairs of entities without a cell weigh nothing.
    """
    from arraycoref.kernels import alignment

    cell = np.empty(cells.key_size.size, np.int64)
    gain = np.empty(cells.key_size.size)
    alignment.align(cells.key_start, cells.key, cells.response, weights, cells.response_size.size, cell, gain)
    return Alignment(cell, sum_segments(gain, cells.key_offsets))
