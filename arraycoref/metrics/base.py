"""What a metric is: a name, a function from cells to counts, and the kind of score that the counts make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """An entry of the registry.

    Attributes:
        name: as users write it.
        title: as tables print it.
        count: from cells of D documents to float64 (D, ``width``), rows that may be summed over documents.
        width: 4 for a plain ratio (recall numerator, recall denominator, precision numerator, precision denominator);
            12 for BLANC (the four of coreference links, of non-coreference links, of mentions).
        default: whether it is computed when the user names no metrics.
        gold_mentions: whether it is defined only where key and response hold the same mentions.
        source: paper and section.
    """

    name: str
    title: str
    count: Callable[[Cells], Floats]
    source: str
    width: Literal[4, 12] = 4
    default: bool = True
    gold_mentions: bool = False


def four_sums(
    recall_num: NDArray[np.generic],
    recall_den: NDArray[np.generic],
    precision_num: NDArray[np.generic],
    precision_den: NDArray[np.generic],
) -> Floats:
    """Lay numerators and denominators, each (D,), side by side: float64 (D, 4)."""
    sums = np.empty((len(recall_num), 4))
    sums[:, 0] = recall_num
    sums[:, 1] = recall_den
    sums[:, 2] = precision_num
    sums[:, 3] = precision_den
    return sums
