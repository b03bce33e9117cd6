"""Purity and inverse purity: mentions in the one key entity that most of each response entity is from, and the reverse.

Purity is the sum over response entities of the largest n_ij, over the mentions of the response; inverse purity is the
sum over key entities of the largest n_ij, over the mentions of the key. Unlike CEAF, several entities may have the same
partner. A corpus is the ratio of the sums over documents.

    >>> import arraycoref as ac
    >>> s = ac.score_labels([0, 0, 0, 1, 1], [0, 0, 1, 1, 1], metrics="purity,inverse-purity")
    >>> s["purity"].f1, s["inverse-purity"].f1
    (0.8, 0.8)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arraycoref.ragged import Ints, sum_by
from arraycoref.scoring.cells import Cells
from arraycoref.scoring.metrics.score import Score, Sums, V, ratio, single_value


def count(cells: Cells) -> Sums:
    """Count mentions of the most frequent key entity of each response entity, against the response's mentions; twice.

    Source: Zhao and Karypis (2001), section 3.2.
    """
    largest, n = _largest(cells.shared, cells.response, cells.response_offsets), cells.totals.response_mentions
    return largest, n, largest, n


def count_inverse(cells: Cells) -> Sums:
    """Count mentions of the most frequent response entity of each key entity, against the key's mentions; twice.

    Source: Amigó et al. (2009), section 2.
    """
    largest, n = _largest(cells.shared, cells.key, cells.key_offsets), cells.totals.key_mentions
    return largest, n, largest, n


def _largest(shared: Ints, entity: Ints, offsets: Ints) -> Ints:
    """Add up the largest cell of each entity, by document: int64 (D,)."""
    largest = np.zeros(int(offsets[-1]), np.int64)
    np.maximum.at(largest, entity, shared)
    return sum_by(largest, offsets)


def score(sums: Sequence[V], _profile: str = "paper", _beta: float = 1.0) -> Score[V]:
    """Divide."""
    return single_value(ratio(sums[0], sums[1]))
