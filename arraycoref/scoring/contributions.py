"""Divide the sums of one clustering among its mentions, without their order, and add the contributions up by unit.

A clustering without documents, such as that of records, is resampled by its key entities. So each metric is a sum over
mentions. A mention is in a cell of n shared mentions, of a key entity of size k and a response entity of size r; terms
are 0 where a side lacks the mention.

| metric | recall numerator, denominator | precision numerator, denominator |
|---|---|---|
| mentions | shared, 1 | shared, 1 |
| muc | 1 - 1/n, 1 - 1/k | 1 - 1/n, 1 - 1/r |
| bcub | n/k, 1 | n/r, 1 |
| lea | (n-1)/(k-1), 1; singletons: equal on both sides, 1 | (n-1)/(r-1), 1; the same |
| pairwise | (n-1)/2, (k-1)/2 | (n-1)/2, (r-1)/2 |
| ceafm | aligned, 1 | aligned, 1 |
| ceafe | aligned 2/(k+r), 1/k | aligned 2/(k+r), 1/r |
| cluster | equal 1/k, 1/k | equal 1/k, 1/r |
| fowlkes-mallows | as pairwise | as pairwise |
| purity | in the largest cell of its response entity, 1 | the same two |
| inverse-purity | in the largest cell of its key entity, 1 | the same two |
| merge-distance | 1/n or 1 (key only), minus 1/k | 1/n or 1 (response only), minus 1/r |

A link is divided between its two mentions, one of an entity's k - 1 MUC links by all of its mentions. CEAF keeps the
alignment of the whole clustering. BLANC, Rand and ARI are not sums over mentions but functions of such sums, of their
*parts*; so is V-measure. Non-coreference links are never divided: their number grows with the square of the
mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from arraycoref.ragged import Bools, Floats, Ints
from arraycoref.scoring.alignment import align
from arraycoref.scoring.cells import Cells, Totals, cells_of, make_cells
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.metrics import ceaf, vmeasure
from arraycoref.scoring.metrics.registry import find_metric


@dataclass(frozen=True, eq=False)
class UnitCells:
    """The mentions of one key and response in P unit cells: those of one unit, one key entity and one response entity.

    Attributes:
        unit: int64 (P,) unit of each unit cell.
        size: int64 (P,) its number of mentions.
        place: int64 (P,) the pair of entities that the unit cell is a part of.
        key, response: int64 (Q,) entities of each pair, -1 for mentions that the side lacks.
        cells: the contingency cells, which are the pairs with both.
    """

    unit: Ints
    size: Ints
    place: Ints
    key: Ints
    response: Ints
    cells: Cells

    @classmethod
    def from_labels(cls, key: Ints, response: Ints, unit: Ints) -> UnitCells:
        """Cut a clustering into unit cells.

        Args:
            key: int64 (M,) entity of each mention, numbered from 0 without gaps; -1 where the key lacks it.
            response: int64 (M,) the same.
            unit: int64 (M,) unit of each mention, from 0; not read for mentions that both sides lack.
        """
        present = np.flatnonzero((key >= 0) | (response >= 0))
        width = int(response.max(initial=-1)) + 2
        pairs, place = np.unique((key[present] + 1) * width + response[present] + 1, return_inverse=True)
        of_key, of_response = pairs // width - 1, pairs % width - 1
        size, both = np.bincount(place, minlength=pairs.size), (of_key >= 0) & (of_response >= 0)
        sizes = [np.bincount(entity[entity >= 0]) for entity in (key, response)]
        bounds = (np.array([0, each.size]) for each in sizes)
        cells = make_cells(size[both], of_key[both], of_response[both], *sizes, *bounds)
        codes, counts = np.unique(unit[present] * max(pairs.size, 1) + place, return_counts=True)
        unit, place = np.divmod(codes, max(pairs.size, 1))
        return cls(unit, counts, place, of_key, of_response, cells)

    @classmethod
    def from_entities(cls, key: Ints, response: Ints, unit: Ints) -> UnitCells:
        """Cut a clustering whose units are key entities, and mentions that the key lacks: cells are unit cells then.

        Args:
            key: int64 (M,) entity of each mention, numbered by first appearance; -1 where the key lacks it.
            response: int64 (M,) the same.
            unit: int64 (M,) unit of each mention; read for mentions that the key lacks.
        """
        cells = cells_of(Clusterings(key, response, np.array([0, key.size])))
        missing = cells.key_size - np.bincount(cells.key, cells.shared, cells.key_size.size).astype(np.int64)
        missed, extra = np.flatnonzero(missing), np.flatnonzero((key < 0) & (response >= 0))
        units = np.concatenate([cells.key, missed, unit[extra]])
        size = np.concatenate([cells.shared, missing[missed], np.ones_like(extra)])
        of_key = np.concatenate([cells.key, missed, np.full(extra.size, -1)])
        of_response = np.concatenate([cells.response, np.full(missed.size, -1), response[extra]])
        return cls(units, size, np.arange(size.size), of_key, of_response, cells)

    def _of_pairs(self, of_key: Ints, of_response: Ints) -> tuple[Floats, Floats]:
        """Return numbers of each unit cell's key entity and response entity, float64 (P,); 0 where there is none."""
        sides = (of_key, self.key), (of_response, self.response)
        key, response = (np.append(numbers, 0).astype(np.float64)[entity][self.place] for numbers, entity in sides)
        return key, response

    @cached_property
    def sizes(self) -> tuple[Floats, Floats]:
        """The sizes k and r of the entities of each unit cell, float64 (P,), 0 where a side lacks it."""
        return self._of_pairs(self.cells.key_size, self.cells.response_size)

    @cached_property
    def shared_sizes(self) -> tuple[Floats, Floats]:
        """The same of the mentions that both sides have; 0 for unit cells that one side lacks."""
        n = self.cells
        sides = (n.key, n.key_size), (n.response, n.response_size)
        key, response = (np.bincount(entity, n.shared, size.size).astype(np.int64) for entity, size in sides)
        a, b = self._of_pairs(key, response)
        return a * (self.n > 0), b * (self.n > 0)

    @cached_property
    def n(self) -> Floats:
        """Number of mentions in the contingency cell around each unit cell, float64 (P,); 0 if one side lacks them."""
        shared = np.zeros(self.key.size)
        shared[self.is_cell] = self.cells.shared
        return shared[self.place]

    @property
    def is_cell(self) -> Bools:
        """Which pairs are cells, bool (Q,); these are in the order of the cells."""
        return np.asarray((self.key >= 0) & (self.response >= 0))

    def aligned(self, weights: Floats) -> Floats:
        """Return how many mentions of each unit cell are in aligned cells of positive weight, float64 (P,)."""
        cell = align(self.cells, weights)
        aligned = cell[cell >= 0]
        return self._in_cells(aligned[weights[aligned] > 0])

    def in_largest(self, entity: Ints) -> Floats:
        """Return how many mentions of each unit cell are in the largest cell of an entity, float64 (P,).

        Args:
            entity: the entity of each cell, of one side. Of cells of equal size, the first is taken.
        """
        order = np.lexsort((-self.cells.shared, entity))
        return self._in_cells(order[np.unique(entity[order], return_index=True)[1]])

    def _in_cells(self, cells: Ints) -> Floats:
        """Return how many mentions of each unit cell are in some cells, float64 (P,)."""
        chosen = np.flatnonzero(self.is_cell)[cells]
        return np.asarray(self.size * np.isin(self.place, chosen), np.float64)


Columns = Sequence[Any]
"""Sums, or parts, of each unit cell: float64 (P,) each."""


def _over(count: Any, size: Floats) -> Floats:
    """Divide by a size; 0 where there is none."""
    ratios: Floats = np.divide(count, size, out=np.zeros_like(size), where=size > 0)
    return ratios


def _mentions(p: UnitCells) -> Columns:
    key, response = (p.size * (size > 0.0) for size in p.sizes)
    shared = p.size * (p.n > 0.0)
    return shared, key, shared, response


def _muc(p: UnitCells) -> Columns:
    resolved, *links = (p.size * (size > 0.0) - _over(p.size, size) for size in (p.n, *p.sizes))
    return resolved, links[0], resolved, links[1]


def _bcub(p: UnitCells) -> Columns:
    _, key, _, response = _mentions(p)
    return _over(p.size * p.n, p.sizes[0]), key, _over(p.size * p.n, p.sizes[1]), response


def _lea(p: UnitCells) -> Columns:
    _, key, _, response = _mentions(p)
    twins = p.size * ((p.sizes[0] == 1.0) & (p.sizes[1] == 1.0))
    resolved = [_over(p.size * np.maximum(p.n - 1.0, 0.0), np.maximum(size - 1.0, 0.0)) + twins for size in p.sizes]
    return resolved[0], key, resolved[1], response


def _pairwise(p: UnitCells) -> Columns:
    shared, key, response = (p.size * np.maximum(size - 1.0, 0.0) / 2.0 for size in (p.n, *p.sizes))
    return shared, key, shared, response


def _ceafm(p: UnitCells) -> Columns:
    _, key, _, response = _mentions(p)
    aligned = p.aligned(p.cells.shared.astype(np.float64))
    return aligned, key, aligned, response


def _ceafe(p: UnitCells) -> Columns:
    key, response = (_over(p.size, size) for size in p.sizes)
    aligned = _over(2.0 * p.aligned(ceaf.similarity(p.cells)), p.sizes[0] + p.sizes[1])
    return aligned, key, aligned, response


def _cluster(p: UnitCells) -> Columns:
    key, response = (_over(p.size, size) for size in p.sizes)
    equal = key * ((p.n == p.sizes[0]) & (p.n == p.sizes[1]))
    return equal, key, equal, response


def _purity(p: UnitCells) -> Columns:
    _, _, _, response = _mentions(p)
    largest = p.in_largest(p.cells.response)
    return largest, response, largest, response


def _inverse_purity(p: UnitCells) -> Columns:
    _, key, _, _ = _mentions(p)
    largest = p.in_largest(p.cells.key)
    return largest, key, largest, key


def _merge_distance(p: UnitCells) -> Columns:
    parts, documents = _over(p.size, p.n), p.size / max(int(p.size.sum()), 1)  # the one document, shared by all
    merges, splits = (parts + p.size * ((size > 0.0) & (p.n == 0.0)) - _over(p.size, size) for size in p.sizes)
    return merges, documents, splits, documents


def _link_parts(p: UnitCells) -> Columns:
    shared, key, _, response = _mentions(p)
    of_shared = (p.size * np.maximum(size - 1.0, 0.0) / 2.0 for size in p.shared_sizes)
    linked, in_key, _, in_response = _pairwise(p)
    return shared, key, response, linked, in_key, in_response, *of_shared


def _information_parts(p: UnitCells) -> Columns:
    shared = _mentions(p)[0]
    return shared, *(p.size * np.log(np.maximum(size, 1.0)) for size in (p.n, *p.shared_sizes))


def _of_links(metric: str, parts: Sequence[Any]) -> Any:
    """Compute the sums of a metric that is a formula of mentions and links."""
    shared, key, response, linked, in_key, in_response, of_key, of_response = parts
    links = {"key_links": in_key, "response_links": in_response, "shared_links": linked}
    of_shared = {"shared_mentions": shared, "shared_key_links": of_key, "shared_response_links": of_response}
    none = dict.fromkeys(("shared_singletons", "key_entities", "response_entities", "cells"), 0 * shared)
    totals = Totals(key_mentions=key, response_mentions=response, **links, **of_shared, **none)
    return find_metric(metric).count(totals)


def _of_information(_metric: str, parts: Sequence[Any]) -> Any:
    shared, of_cells, of_key, of_response = parts
    whole = shared * np.log(np.where(shared == 0, 1, shared))
    close = 1e-12 * np.abs(whole)  # entropies that are 0 but for rounding
    sides = [np.where(np.abs(whole - part) <= close, whole, part) for part in (of_key, of_response)]
    return vmeasure.sums(whole, sides[0], sides[1], of_cells)


@dataclass(frozen=True)
class ContributionRule:
    """How a metric is divided among mentions.

    Attributes:
        columns: the sums of each unit cell, or the parts that sums are computed from.
        width: number of columns.
        sums: function of the metric and of parts (width, ...) that computes groups of sums; None for sums.
        weights: columns of recall's and precision's numerators and denominators, by which units weigh.
        loss: function of the totals of the columns: by how much of its weight a unit lowers the score if it is wrong.
    """

    columns: Callable[[UnitCells], Columns]
    width: int = 4
    sums: Callable[[str, Sequence[Any]], Any] | None = None
    weights: tuple[int, int, int, int] = (0, 1, 2, 3)
    loss: Callable[[Any], float] = lambda _: 1.0


def _lone_links(n: Any) -> float:
    """Return what Rand loses if all mentions are alone."""
    return float(2.0 * n[4] / (n[0] * (n[0] - 1.0)))


def _lone_information(n: Any) -> float:
    """Return what V-measure loses if all mentions are alone."""
    return float(n[2] / (2.0 * n[0] * np.log(n[0]) - n[2]))


CONTRIBUTIONS: Mapping[str, ContributionRule] = {
    "mentions": ContributionRule(_mentions),
    "muc": ContributionRule(_muc),
    "bcub": ContributionRule(_bcub),
    "lea": ContributionRule(_lea),
    "pairwise": ContributionRule(_pairwise),
    "ceafm": ContributionRule(_ceafm),
    "ceafe": ContributionRule(_ceafe),
    "cluster": ContributionRule(_cluster, loss=lambda _: 2.0),  # a merge spoils two
    "fowlkes-mallows": ContributionRule(_pairwise),
    "purity": ContributionRule(_purity),
    "inverse-purity": ContributionRule(_inverse_purity),
    "merge-distance": ContributionRule(_merge_distance),
    **dict.fromkeys(("blanc", "blanc-gold"), ContributionRule(_link_parts, 8, _of_links, (3, 4, 3, 5), lambda _: 0.5)),
    "ari": ContributionRule(_link_parts, 8, _of_links, (3, 4, 3, 5)),
    "rand": ContributionRule(_link_parts, 8, _of_links, (0, 1, 0, 2), _lone_links),
    "vmeasure": ContributionRule(_information_parts, 4, _of_information, (0, 0, 0, 0), _lone_information),
}
"""The metrics to which mentions contribute, and how."""


OF_THIS_SIZE = ("blanc", "blanc-gold", "rand", "ari", "vmeasure", "merge-distance")
"""Metrics whose scores depend on how many mentions there are: they are scores of clusterings of this size."""


@lru_cache
def places(metrics: tuple[str, ...]) -> Mapping[str, slice]:
    """Return the columns of each metric in the rows of units; others have those of their sums."""
    found, first = {}, 0
    for name in metrics:
        last = first + (CONTRIBUTIONS[name].width if name in CONTRIBUTIONS else 4 * len(find_metric(name).groups))
        found[name] = slice(first, last)
        first = last
    return found


def unit_rows(unit_cells: UnitCells, metrics: tuple[str, ...], n_units: int) -> Floats:
    """Add up what the mentions of each unit contribute: float64 (U, w), see `places`; nan for metrics without rule.

        >>> unit_cells = UnitCells.from_labels(np.array([0, 0, 1]), np.array([0, 0, 0]), unit=np.array([0, 0, 1]))
        >>> unit_rows(unit_cells, ("muc",), 2)
        array([[1.        , 1.        , 1.        , 1.33333333],
               [0.        , 0.        , 0.        , 0.66666667]])

    Args:
        unit_cells: the mentions.
        metrics: names of metrics that have counts.
        n_units: U; units without mentions have rows of 0.
    """
    layout = places(metrics)
    columns = np.full((max((place.stop for place in layout.values()), default=0), n_units), np.nan)
    for name, place in layout.items():
        if name in CONTRIBUTIONS:
            own = CONTRIBUTIONS[name].columns(unit_cells)
            columns[place] = [np.bincount(unit_cells.unit, column, n_units) for column in own]
    return columns.T


def sums_of(metrics: tuple[str, ...], rows: Floats) -> Floats:
    """Compute the sums of K groups from sums of rows of units: (w, ...) -> (4K, ...), as `Counts` has them."""
    found = []
    for name, place in places(metrics).items():
        parts = rows[place]
        if name in CONTRIBUTIONS and (sums := CONTRIBUTIONS[name].sums) is not None:
            parts = np.array(sums(name, list(parts))).reshape(-1, *rows.shape[1:])
        found.append(parts)
    return np.concatenate(found)
