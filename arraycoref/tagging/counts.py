"""Counts a unit: the sums of each measure over the segments of each document or sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from arraycoref.tagging.comparison import TagComparison
from arraycoref.tagging.measures import WORDS, pair_scores
from arraycoref.tagging.weights import Weights

Floats = NDArray[np.float64]
T = TypeVar("T", np.float64, np.int64)


@dataclass(frozen=True, eq=False)
class TagCounts:
    """Sums over the segments of D units.

    Attributes:
        counts: float64 (D, 4) a measure: recall numerator, recall denominator (gold tags), precision numerator,
            precision denominator (assigned tags).
        correct: float64 (D, 2) a measure: the sums of weak and of strong correctness, over ``segments``.
        segments: int64 (D,) words of either side, aligned words counting once.
        aligned: int64 (D,) words that both sides have.
        plain: int64 (D,) aligned words with one tag on both sides.
    """

    counts: Mapping[str, Floats]
    correct: Mapping[str, Floats]
    segments: NDArray[np.int64]
    aligned: NDArray[np.int64]
    plain: NDArray[np.int64]

    def only(self, units: list[int]) -> TagCounts:
        """Add up some units, as one."""

        def total(sums: NDArray[T]) -> NDArray[T]:
            added: NDArray[T] = sums[units].sum(axis=0, keepdims=True)
            return added

        return TagCounts(
            {name: total(sums) for name, sums in self.counts.items()},
            {name: total(sums) for name, sums in self.correct.items()},
            total(self.segments),
            total(self.aligned),
            total(self.plain),
        )


def count_measures(
    comparison: TagComparison,
    measures: Sequence[str],
    weights: Weights | None = None,
    unit: NDArray[np.int64] | None = None,
    n_units: int | None = None,
) -> TagCounts:
    """Count measures, unit by unit.

    A word that the other side lacks is a segment with no tags there: its tags score 0, so that it counts as an error
    on its own side, in precision or in recall, and in weak and strong correctness.

    Args:
        comparison: N segments.
        measures: names, as `resolve_measures` returns them.
        weights: for ``wpa`` and ``cwpa``.
        unit: int64 (N,) another division of the segments than the comparison's.
        n_units: number of units in ``unit``.

    Returns:
        The sums.

    Source: Acedański and Przepiórkowski (2010), section 3.1.
    """
    from arraycoref.kernels.tags import count_segments, sum_scores

    if unit is None or n_units is None:
        unit, n_units = comparison.unit, len(comparison.unit_names)
    gold, system = comparison.gold, comparison.system
    words = (gold.word, system.word, unit, gold.offsets, system.offsets)
    shared = count_segments(*words, n_units)
    scored = [name for name in measures if name != WORDS]
    scores = np.empty((len(comparison.pairs[0]), len(scored)))
    for k, name in enumerate(scored):
        scores[:, k] = pair_scores(name, comparison, weights)
    sums = sum_scores(*words, comparison.cells, scores, n_units)
    counts: dict[str, Floats] = {}
    correct: dict[str, Floats] = {}
    for name in measures:
        if name == WORDS:
            n_gold, n_system = (np.bincount(unit[side.word >= 0], minlength=n_units) for side in (gold, system))
            counts[name] = np.column_stack((shared[:, 3], n_gold, shared[:, 3], n_system)).astype(np.float64)
            correct[name] = np.column_stack((shared[:, 3], shared[:, 3])).astype(np.float64)
        else:
            mine = sums[:, scored.index(name)]
            counts[name] = np.column_stack((mine[:, 0], shared[:, 0], mine[:, 1], shared[:, 1]))
            correct[name] = mine[:, 2:].copy()
    return TagCounts(counts, correct, shared[:, 2].copy(), shared[:, 3].copy(), shared[:, 4].copy())
