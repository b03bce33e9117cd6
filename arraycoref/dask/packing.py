"""Counts on their way from one process to another: many columns are the same, and most are small whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Packed(Mapping[str, Floats]):
    """Counts of D documents, without loss: float64 (D, width) a metric, by its name, made when they are asked for.

    Attributes:
        columns: (D,) each, the columns that differ, in the smallest dtype that holds them.
        places: which of them the columns of each metric are, by the metric's name.
    """

    columns: tuple[NDArray[Any], ...]
    places: dict[str, tuple[int, ...]]

    @classmethod
    def of(cls, counts: Mapping[str, Floats]) -> Packed:
        """Pack counts, float64 (D, width) a metric."""
        columns: list[Floats] = []
        places = {}
        for metric, rows in counts.items():
            found = []
            for column in rows.T:
                same = (c for c, other in enumerate(columns) if np.array_equal(other[:9], column[:9]))
                place = next((c for c in same if np.array_equal(columns[c], column)), len(columns))
                if place == len(columns):
                    columns.append(np.ascontiguousarray(column))
                found.append(place)
            places[metric] = tuple(found)
        return cls(tuple(map(_smallest, columns)), places)

    def __getitem__(self, metric: str) -> Floats:
        return np.stack([self.columns[c] for c in self.places[metric]], axis=1, dtype=np.float64)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def _smallest(column: Floats) -> NDArray[Any]:
    """The column in the smallest of some dtypes that holds every value."""
    if column.size and column.min() >= 0 and (column == np.rint(column)).all():
        for dtype in (np.uint8, np.uint16, np.uint32):
            if column.max() <= np.iinfo(dtype).max:
                return column.astype(dtype)
    return column
