"""Lead the searches for small whole weights through their levels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells
from arraycoref.deadline import check_time

Small = NDArray[np.int32]

MANY = 16
"""A phase that aligns one of so many rows, or more, leaves many short paths, and searches from both ends follow it."""

ROUNDS = 2
"""Rows and columns that these may reach, in those there are; what they leave over is for the phases."""


def align_by_levels(cells: Cells, weights: Small) -> NDArray[np.int64]:
    """Find the alignment by `arraycoref.kernels.levels` and `meeting`; return the cell of each key entity.

    Args:
        cells: contingency cells, fewer than 2^31.
        weights: int32 (C,) a weight a cell, none negative.
    """
    from arraycoref.kernels import levels

    n_rows, level = cells.key_size.size, int(weights.max())
    by_cell, rows = np.empty((weights.size, 2), np.int32), np.empty((n_rows + 1, 4), np.int32)
    columns, queue = np.empty((cells.response_size.size, 4), np.int32), np.empty((n_rows, 2), np.int32)
    levels.lay_out(cells.key_start, cells.response, weights, level, by_cell, rows, columns)
    ends: _BothEnds | None = None
    phase = 0
    while level:
        grown = levels.grow_or_fall(phase, by_cell, rows, columns, queue)
        phase += 1
        check_time()
        if grown < 0:
            level -= 1
        elif grown * MANY >= n_rows:
            ends = ends or _BothEnds(cells, weights)
            phase = ends.meet(phase, by_cell, rows, columns, queue)
    return rows[:-1, 2].astype(np.int64)


class _BothEnds:
    """The cells by column, in which searches go from the columns."""

    def __init__(self, cells: Cells, weights: Small) -> None:
        from arraycoref.kernels import meeting

        n_columns = cells.response_size.size
        self._start, self._cells = np.zeros(n_columns + 1, np.int32), np.empty((weights.size, 2), np.int32)
        self._queue = np.empty((n_columns, 2), np.int32)
        meeting.lay_out_columns(cells.key_start, cells.response, weights, self._start, self._cells)

    def meet(self, phase: int, by_cell: Small, rows: Small, columns: Small, queue: Small) -> int:
        """Do rounds for as long as they find paths and are worth it; return a number for the next phase."""
        from arraycoref.kernels import meeting

        taken, left = 1, ROUNDS * (len(queue) + len(columns))
        while taken and left > 0:
            taken, reached = meeting.meet(phase, by_cell, rows, columns, self._start, self._cells, queue, self._queue)
            phase, left = phase + 2, left - reached
            check_time()
        return phase
