"""Count the metrics that look at words and empty nodes, not at entities alone: the mention overlap ratio, and zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arraycoref.match.pair_table import PairTable
from arraycoref.ragged import Floats, Ints, join, join_ranges, owners
from arraycoref.read.mentions import BITS, EMPTY, Mentions
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
        occurring: int64 rows of the mentions of each side, repeated for those that count in several entities.
        entities: int64 the entity of each of these rows of the key, and of each mention of the response the last one,
            numbered on through the documents.
        partner: int64 (R,) the row in the key of each response mention's partner, -1 for a mention without one.
        table: the pairs as the profile ``crac`` has them, None for others.
    """

    n_documents: int
    distinct: Sequence[Mentions]
    numbers: Sequence[Ints]
    occurring: Sequence[Ints]
    entities: Sequence[Ints]
    partner: Ints
    table: PairTable | None = None

    @property
    def n_equal(self) -> int:
        """Number of response mentions whose partner is equal, not only alike."""
        partner = np.append(self.numbers[0], -1)[self.partner]
        return int(np.count_nonzero(partner == self.numbers[1]))

    def count(self, metric: Metric) -> Floats:
        """Count the sums of a metric that is counted from words or from zeros: float64 (D, 4)."""
        if metric.counted_from == "words":
            return self._count_words(metric)
        key, response = self.distinct
        rows = self.occurring[0]
        of_key = rows, key.document[rows].astype(np.int64), self.entities[0], key.is_zero[rows]
        of_response = response.document.astype(np.int64), self.entities[1], response.is_zero
        paired = np.flatnonzero(self.partner >= 0)
        pairs = (self.partner[paired], paired) if self.table is None else self.table.pairs
        sums: Floats = metric.count(Zeros(self.n_documents, *of_key, *of_response, *pairs))
        return sums

    def _count_words(self, metric: Metric) -> Floats:
        """Count the sums of an alignment of mentions by their words and empty nodes in common.

        Equal mentions are aligned with each other in some best alignment, so that they add their size to each sum. If
        k = r were aligned with r' and k' instead, the words in common would be |k & r'| + |k & k'| <= |k| + |k' & r'|.
        """
        k, r = (side.take(rows) for side, rows in zip(self.distinct, self.occurring, strict=True))
        i, j = join(*_numbers_of_copies(*(own[rows] for own, rows in zip(self.numbers, self.occurring, strict=True))))
        equal = np.bincount(k.document[i], k.size[i], self.n_documents)
        k, r = (side.take(np.delete(np.arange(len(side)), rows)) for side, rows in ((k, i), (r, j)))
        key_parts, response_parts = _on_a_line(k.parts), _on_a_line(r.parts)
        i, j = join_ranges(key_parts, response_parts)
        n_shared = np.minimum(key_parts[i, 1], response_parts[j, 1]) - np.maximum(key_parts[i, 0], response_parts[j, 0])
        codes = owners(k.part_bounds)[i] * max(len(r), 1) + owners(r.part_bounds)[j]
        pairs, pair = np.unique(codes, return_inverse=True)
        shared = np.bincount(pair, n_shared + 1, pairs.size).astype(np.int64)
        key, response = np.divmod(pairs, max(len(r), 1))
        bounds = [side.document.searchsorted(np.arange(self.n_documents + 1)) for side in (k, r)]
        cells = make_cells(shared, key, response, k.size, r.size, *bounds)
        sums: Floats = count_metric(metric, cells) + equal[:, None]
        return sums


def _on_a_line(parts: Ints) -> Ints:
    """Return ranges of numbers in place of the parts of mentions, int64 (P, 2): words from 1, empty nodes below 0."""
    return np.where(parts[:, :1] & EMPTY != 0, -parts[:, ::-1], parts >> BITS)


def _numbers_of_copies(key: Ints, response: Ints) -> list[Ints]:
    """Return other numbers of mentions, int64 of each side: the first copies of equal mentions have one, and so on.

    >>> _numbers_of_copies(np.array([5, 5]), np.array([4, 5]))
    [array([10, 11]), array([ 8, 10])]
    """
    copies = []
    for number in (key, response):
        order = number.argsort(kind="stable")
        copy = np.empty_like(order)
        copy[order] = np.arange(order.size) - number[order].searchsorted(number[order])
        copies.append(copy)
    width = max(copy.max(initial=0) for copy in copies) + 1
    return [number * width + copy for number, copy in zip((key, response), copies, strict=True)]
