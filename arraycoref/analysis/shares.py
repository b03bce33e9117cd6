"""Share out the sums of each metric among mentions, so that the shares of a class of mentions add up to its part.

Each mention has four numbers for a metric, as a document has; numbers of a side that lacks the mention are 0. Classes
add up to the metric's own sums, document by document. Mention m is in a cell of n shared mentions, of a key entity of
size k and a response entity of size r; "before" is in the order of the text.

| metric | recall numerator | recall denominator |
|---|---|---|
| mentions | 1 if both sides have m | 1 |
| muc | 1 if m is not the first of its cell | 1 if m is not the first of its entity |
| bcub | n / k | 1 |
| lea | (n - 1) / (k - 1); of a singleton, 1 if it is one on both sides | 1 |
| pairwise | shared mentions of the cell before m | mentions of the entity before m |
| blanc | the same; and pairs of m and a mention before it that are of two entities | likewise |
| ceafm | 1 if the cell is aligned | 1 |
| ceafe | 2 / (k + r) if the cell is aligned | 1 / k |

Precision has r in place of k. So links count for their later mention, the anaphor. Where several alignments are
equally good, the shares of CEAF depend on which was found, but not their sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from arraycoref.analysis.index import KEY
from arraycoref.analysis.pair import Pair, stable_order
from arraycoref.ragged import Bools, Floats, Ints, bounds
from arraycoref.scoring.alignment import align
from arraycoref.scoring.cells import Cells, make_cells
from arraycoref.scoring.metrics import ceaf

Columns = Sequence[Floats | Bools | Ints]
"""Four numbers of each mention (M,): recall numerator and denominator, precision numerator and denominator."""


class Shares:
    """The shares of each mention in the sums of metrics.

    Args:
        pair: a key and a response; mentions whose span alone is wrong count as absent.
    """

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.in_key, self.in_response = (labels >= 0 for labels in pair.labels)
        self.is_shared = self.in_key & self.in_response

    @cached_property
    def cells(self) -> Cells:
        """The cells, in the order of `Pair.by_cell`."""
        pair = self.pair
        of_documents = pair.index.entity_bounds[[KEY, pair.side]]
        return make_cells(pair.cell_size, *pair.cell_entities, *pair.sizes, *of_documents)

    def of_cells(self, values: Floats | Bools) -> Floats:
        """Return a value of each mention's cell, float64 (M,), 0 for mentions that a side lacks."""
        result = np.zeros(len(self.pair.index))
        result[self.pair.shared] = values[self.pair.cell]
        return result

    def of_entities(self, values: Sequence[Floats | Ints]) -> tuple[Floats, Floats]:
        """Return a value of each mention's entity on both sides, float64 (M,), 0 where the side lacks the mention."""
        both = zip(values, self.pair.labels, strict=True)
        key, response = (np.append(value, 0.0)[labels] for value, labels in both)
        return key, response

    def is_aligned(self, weights: Floats) -> Bools:
        """Return which cells are aligned in the best alignment by their weights, bool (C,)."""
        cell = align(self.cells, weights)
        result = np.zeros(weights.size, np.bool_)
        result[cell[cell >= 0]] = True
        return result

    @cached_property
    def later(self) -> tuple[Ints, Ints, Ints]:
        """How many mentions of its cell, of its key entity and of its response entity are before each mention."""
        pair = self.pair
        in_cell = np.zeros(len(pair.index), np.int64)
        in_cell[pair.shared] = places_in_groups(pair.cell)
        key, response = (_before(labels) for labels in pair.labels)
        return in_cell, key, response

    def _mentions(self) -> Columns:
        return self.is_shared, self.in_key, self.is_shared, self.in_response

    def _muc(self) -> Columns:
        pair, m = self.pair, len(self.pair.index)
        linked, links = np.zeros(m, np.bool_), []
        linked[pair.shared] = True
        linked[pair.by_cell[pair.cell_bounds[:-1]]] = False
        for labels, n in zip(pair.labels, pair.n_entities, strict=True):
            is_later = labels >= 0
            first = np.full(n, -1)
            present = np.flatnonzero(is_later)[::-1]
            first[labels[present]] = present  # of repeated indices, NumPy keeps the last
            is_later[first[first >= 0]] = False
            links.append(is_later)
        return linked, links[0], linked, links[1]

    def _bcub(self) -> Columns:
        cells = self.cells
        key, response = (self.of_cells(cells.shared / size) for size in cells.sizes)
        return key, self.in_key, response, self.in_response

    def _lea(self) -> Columns:
        cells = self.cells
        is_twin = (cells.sizes == 1.0).all(axis=0)
        key, response = (
            self.of_cells(np.where(is_twin, 1.0, (cells.shared - 1.0) / np.maximum(size - 1.0, 1.0)))
            for size in cells.sizes
        )
        return key, self.in_key, response, self.in_response

    def _pairwise(self) -> Columns:
        shared, key, response = self.later
        return shared, key, shared, response

    def _others(self) -> Columns:
        """Count non-coreference links: of the pairs before, those in no entity of the side."""
        shared, key, response = self.later
        offsets = self.pair.index.offsets
        of_key, of_response, both = (
            np.where(which, _running(which, offsets), 0) for which in (self.in_key, self.in_response, self.is_shared)
        )
        among_shared = (_before(np.where(self.is_shared, labels, -1)) for labels in self.pair.labels)
        in_key, in_response = among_shared
        right = np.where(self.is_shared, both - in_key - in_response + shared, 0)
        return right, of_key - key, right, of_response - response

    def _ceafm(self) -> Columns:
        aligned = self.of_cells(self.is_aligned(self.cells.shared.astype(np.float64)))
        return aligned, self.in_key, aligned, self.in_response

    def _ceafe(self) -> Columns:
        cells = self.cells
        weights = ceaf.similarity(cells)
        aligned = self.of_cells(self.is_aligned(weights) * 2.0 / cells.sizes.sum(axis=0))
        key, response = self.of_entities([1.0 / np.maximum(sizes, 1) for sizes in self.pair.sizes])
        return aligned, key, aligned, response


GROUPS: Mapping[str, Sequence[Callable[[Shares], Columns]]] = {
    "mentions": (Shares._mentions,),
    "muc": (Shares._muc,),
    "bcub": (Shares._bcub,),
    "ceafm": (Shares._ceafm,),
    "ceafe": (Shares._ceafe,),
    "blanc": (Shares._pairwise, Shares._others, Shares._mentions),
    "lea": (Shares._lea,),
    "pairwise": (Shares._pairwise,),
}
"""The metrics that are shared out, and what computes the four numbers of each of their groups."""


def add_up(shares: Shares, metrics: Sequence[str], classes: tuple[Ints, Ints], n_classes: int) -> Floats:
    """Add up the shares of the mentions of each class, document by document.

    Args:
        shares: of the mentions of a key and a response.
        metrics: names of metrics that have counts.
        classes: int64 (M,) the class of each mention as a mention of the key, and of the response; -1 for none.
        n_classes: C.

    Returns:
        float64 (D, C, K, 4) for the K groups of the metrics.
    """
    n_documents, document = len(shares.pair.index.names), shares.pair.index.document
    codes = []
    for side_classes, present in zip(classes, (shares.in_key, shares.in_response), strict=True):
        mentions = np.flatnonzero(present & (side_classes >= 0))
        codes.append((mentions, document[mentions] * n_classes + side_classes[mentions]))
    groups = []
    for metric in metrics:
        for columns_of in GROUPS[metric]:
            columns = columns_of(shares)
            sums = [
                np.bincount(codes[k // 2][1], column[codes[k // 2][0]], n_documents * n_classes)
                for k, column in enumerate(columns)
            ]
            groups.append(np.stack(sums, axis=-1))
    rows: Floats = np.stack(groups, axis=1).reshape(n_documents, n_classes, len(groups), 4).astype(np.float64)
    return rows


def places_in_groups(group: Ints) -> Ints:
    """Return how many earlier elements have the group of each, int64 (N,); groups are numbered from 0."""
    order = stable_order(group)
    starts = bounds(np.bincount(group, minlength=1))
    place = np.empty_like(order)
    place[order] = np.arange(order.size) - starts[group[order]]
    return place


def _before(labels: Ints) -> Ints:
    """Return how many mentions of its entity are before each mention, int64 (M,), 0 for absent mentions."""
    present = np.flatnonzero(labels >= 0)
    result = np.zeros_like(labels)
    result[present] = places_in_groups(labels[present])
    return result


def _running(which: Bools, offsets: Ints) -> Ints:
    """Return how many of the marked mentions of its document are before each mention, int64 (M,)."""
    before = bounds(which)
    running: Ints = before[:-1] - before[offsets[:-1]].repeat(np.diff(offsets))
    return running
