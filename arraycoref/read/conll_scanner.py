"""Arrays that grow."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


def room_for(size: int, position: int, end: int) -> int:
    """Return the new size for arrays that are full before the whole text is read.

    Args:
        size: current size of the arrays.
        position: number of bytes of the text that are read.
        end: number of bytes of the text.
    """
    rest = int(1.05 * size * (end - position) / (position + 1))  # rows still to come if the text goes on alike
    return size + min(max(rest, size // 4), 4 * size)


def longer(array: NDArray[T], size: int) -> NDArray[T]:
    """Copy the rows of an array into a new one of more rows."""
    grown = np.empty((size, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
