"""From cells and their weights to the exact maximum-weight alignment of key and response entities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.assignment.auction import MOST, align_by_auction
from arraycoref.assignment.levels import align_by_levels
from arraycoref.contingency import Cells, sum_segments
from arraycoref.deadline import check_time

PATIENCE = 4
"""Visits a cell, on average, that searches by shortest paths may take before an auction takes over: less than 1 is
usual on system output; on a random matrix of a million mentions the searches would need 400."""

FEW = 0.05
"""Share of the key entities that may still wait after a piece of the searches for these to go on. Where half of a large
document's mentions are in random entities, none wait after two visits a cell."""

PIECE = 1 << 22
"""Bids between two looks at the clock and at the keyboard; single searches visit each cell, or a sixteenth of this."""

LEVELS = 8
"""Largest weight, in units, for which whole levels of weight are searched at once where single searches grow long: on
random matrices that is faster than an auction by a factor of two at 10^5 cells of weight 1, and of ten at 10^6."""


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

    Exact, on the sparse cells: shortest augmenting paths, one search a key entity; where these would grow long, many
    searches at once for small whole weights, and an auction for others. Among alignments of equal weight any may be
    returned.

    Args:
        cells: contingency cells of D documents.
        weights: float64 (C,) a weight a cell, none negative; pairs of entities without a cell weigh nothing.
        unit: number of which all weights are multiples, 0 if there is none.
        patience: visits a cell, on average, of single searches; below 0 for none.
    """
    from arraycoref.kernels import alignment

    n_rows, n_columns = cells.key_size.size, cells.response_size.size
    u, v = np.empty(n_rows), np.empty(n_columns)
    cell, row = np.empty(n_rows, np.int64), np.empty(n_columns, np.int64)
    totals = np.empty(len(cells))
    left, piece, resumed = patience * weights.size, max(weights.size, PIECE // 16), False
    if weights.size >= MOST:
        left = np.iinfo(np.int64).max  # nothing takes over
    while not alignment.align(
        cells.key_start,
        cells.key,
        cells.response,
        weights,
        min(left, piece),
        resumed,
        u,
        v,
        cell,
        row,
        cells.key_offsets,
        totals,
    ):
        check_time()
        left, resumed = left - piece, True
        if weights.size < MOST and (left <= 0 or np.count_nonzero((cell < 0) & (u > 0)) > FEW * n_rows):
            if unit > 0 and weights.max() <= LEVELS * unit and weights.size <= np.iinfo(np.int32).max:
                cell = align_by_levels(cells, np.rint(weights / unit).astype(np.int32))
            else:
                cell = align_by_auction(cells, weights, unit, PIECE)
            totals = sum_segments(np.append(weights, 0.0)[cell], cells.key_offsets)
            break
    return Alignment(cell, totals)
