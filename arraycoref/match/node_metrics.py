"""Count the metrics that look at words and empty nodes, not at entities alone: the mention overlap ratio, and zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arraycoref.ragged import Floats, Ints, join
from arraycoref.read.mentions import Mentions, nodes_of
from arraycoref.scoring.cells import make_cells
from arraycoref.scoring.metrics.registry import Metric
from arraycoref.scoring.metrics.zeros import Zeros
from arraycoref.scoring.totals import count_metric


@dataclass(frozen=True, eq=False)
class Matched:
    """The distinct mentions of both sides, and which of them match.

    Attributes:
        n_documents: D.
        distinct: mentions of the key, and R mentions of the response.
        numbers: int64 of each mention of each side, equal for equal mentions.
        entities: int64 of each mention of each side, its entity, numbered on through the documents.
        occurring: int64 rows of the mentions of each side, repeated for those that count in several entities.
        partner: int64 (R,) the row in the key of each response mention's partner, -1 for a mention without one.
    """

    n_documents: int
    distinct: Sequence[Mentions]
    numbers: Sequence[Ints]
    entities: Sequence[Ints]
    occurring: Sequence[Ints]
    partner: Ints

    @property
    def n_equal(self) -> int:
        """Number of response mentions whose partner is equal, not only alike."""
        partner = np.append(self.numbers[0], -1)[self.partner]
        return int(np.count_nonzero(partner == self.numbers[1]))

    def count(self, metric: Metric) -> Floats:
        """Count the sums of a metric that is counted from words or from zeros: float64 (D, 4)."""
        if metric.counted_from == "words":
            return self._count_words(metric)
        sides = zip(self.distinct, self.entities, strict=True)
        ours, theirs = ((side.document.astype(np.int64), entity, side.is_zero) for side, entity in sides)
        zeros = Zeros(self.n_documents, *ours, *theirs, self.partner)
        found: Floats = metric.count(zeros)
        return found

    def _count_words(self, metric: Metric) -> Floats:
        """Count the sums of an alignment of mentions by their words and empty nodes in common.

        Equal mentions are aligned with each other in some best alignment, so that they add their size to each sum. If
        k = r were aligned with r' and k' instead, the words in common would be |k & r'| + |k & k'| <= |k| + |k' & r'|.
        """
        k, r = (side.take(rows) for side, rows in zip(self.distinct, self.occurring, strict=True))
        i, j = join(*_numbers_of_copies(*(own[rows] for own, rows in zip(self.numbers, self.occurring, strict=True))))
        equal = np.bincount(k.document[i], k.size[i], self.n_documents)
        k, r = (side.take(np.delete(np.arange(len(side)), rows)) for side, rows in ((k, i), (r, j)))
        i, j = join(nodes_of(k.parts), nodes_of(r.parts))
        key, response = (np.arange(len(side)).repeat(side.size)[at] for side, at in ((k, i), (r, j)))
        pairs, shared = np.unique(key * max(len(r), 1) + response, return_counts=True)
        key, response = np.divmod(pairs, max(len(r), 1))
        bounds = [side.document.searchsorted(np.arange(self.n_documents + 1)) for side in (k, r)]
        cells = make_cells(shared, key, response, k.size, r.size, *bounds)
        found: Floats = count_metric(metric, cells) + equal[:, None]
        return found


def _numbers_of_copies(ours: Ints, theirs: Ints) -> list[Ints]:
    """Return other numbers of mentions, int64 of each side: the first copies of equal mentions have one, and so on.

    >>> _numbers_of_copies(np.array([5, 5]), np.array([4, 5]))
    [array([10, 11]), array([ 8, 10])]
    """
    copies = []
    for number in (ours, theirs):
        order = number.argsort(kind="stable")
        copy = np.empty_like(order)
        copy[order] = np.arange(order.size) - number[order].searchsorted(number[order])
        copies.append(copy)
    width = max(copy.max(initial=0) for copy in copies) + 1
    return [number * width + copy for number, copy in zip((ours, theirs), copies, strict=True)]
