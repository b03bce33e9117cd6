"""Counts on their way from one process to another: many columns are the same, and most are small whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.counts import Counts, Floats


@dataclass(frozen=True, eq=False)
class Packed:
    """Counts of D documents, without loss.

    Attributes:
        metrics: names of the metrics.
        columns: (D,) each, the columns that differ, in the smallest dtype that holds them.
        places: int64 (K, 4), which of them the columns of the counts are.
    """

    metrics: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Counts) -> Packed:
        """Pack counts."""
        columns: list[Floats] = []
        places = []
        for column in counts.flat.T:
            same = (c for c, other in enumerate(columns) if np.array_equal(other[:9], column[:9]))
            place = next((c for c in same if np.array_equal(columns[c], column)), len(columns))
            if place == len(columns):
                columns.append(np.ascontiguousarray(column))
            places.append(place)
        return cls(counts.metrics, tuple(map(_smallest, columns)), np.array(places).reshape(-1, 4))

    @property
    def rows(self) -> Floats:
        """The sums, float64 (D, K, 4), made when they are asked for."""
        rows = np.empty((self.columns[0].size, *self.places.shape))
        for place, column in np.ndenumerate(self.places):
            rows[:, *place] = self.columns[column]
        return rows


def _smallest(column: Floats) -> NDArray[Any]:
    """The column in the smallest of some dtypes that holds every value."""
    if column.size and column.min() >= 0 and (column == np.rint(column)).all():
        for dtype in (np.uint8, np.uint16, np.uint32):
            if column.max() <= np.iinfo(dtype).max:
                return column.astype(dtype)
    return column
