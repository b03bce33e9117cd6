"""Build the cells of the contingency matrices of key and response entities, and add up what metrics make of them.

The second and the third of four records that scoring makes: `Clusterings`, `Cells`, `Totals` and `Counts`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.ragged import SPREAD, Floats, Ints, bounds, narrow, number_by_appearance, owners, sum_by
from arraycoref.scoring.clusterings import Clusterings, number_entities
from arraycoref.twin import twin

BLOCK = 128
"""Number of cells whose values are added up before their sum is added to the total: rounding errors then do not pile
up over many cells. `arraycoref.kernels.fused` adds in the same order."""

DENSEST, MOST_PLACES = 32, 100_000_000
"""Cells are looked up in a table of all pairs of entities if it has at most so many places for each mention, and in
all; otherwise in a table of hashes."""


class Totals(NamedTuple):
    """Sums over the entities and cells of each document, int64 (D,) each; or numbers, of one document.

    The sums of every usual metric are a formula of these.

    L(n) = n(n-1)/2 is the number of links among n mentions. Key entity i has k_i mentions, and the response has a_i of
    them; response entity j has r_j mentions, and the key has b_j of them. The two entities share n_ij mentions.

    Attributes:
        key_mentions: mentions of the key.
        response_mentions: mentions of the response.
        shared_mentions: mentions that both sides have.
        key_links: sum of L(k_i).
        response_links: sum of L(r_j).
        shared_key_links: sum of L(a_i).
        shared_response_links: sum of L(b_j).
        shared_links: sum of L(n_ij).
        shared_singletons: entities of one mention that both sides have.
        key_entities: number of key entities.
        response_entities: number of response entities.
        cells: number of cells.
        key_squares: sum over cells of n_ij^2 / k_i; this and the sums after it are float64, and None if nobody needs
            them.
        response_squares: sum over cells of n_ij^2 / r_j.
        key_resolved: sum over cells of the resolved links, `arraycoref.scoring.metrics.lea.resolved`, by key.
        response_resolved: the same by response.
        phi3: total similarity phi3 of the entities in their best alignment.
        phi4: the same for phi4.
    """

    key_mentions: Ints
    response_mentions: Ints
    shared_mentions: Ints
    key_links: Ints
    response_links: Ints
    shared_key_links: Ints
    shared_response_links: Ints
    shared_links: Ints
    shared_singletons: Ints
    key_entities: Ints
    response_entities: Ints
    cells: Ints
    key_squares: Any = None
    response_squares: Any = None
    key_resolved: Any = None
    response_resolved: Any = None
    phi3: Any = None
    phi4: Any = None


@dataclass(frozen=True, eq=False)
class Cells:
    """Non-zero cells n_ij of the contingency matrices of D documents; entities are numbered across all documents.

    Attributes:
        shared: int64 (C,) n_ij, mentions that key entity i and response entity j share.
        key: int64 (C,) i of each cell, ascending.
        response: int64 (C,) j of each cell.
        key_size: int64 (A,) k_i, which includes mentions that the response lacks.
        response_size: int64 (B,) r_j.
        offsets: int64 (D+1,) document d owns the cells ``offsets[d]:offsets[d + 1]``.
        key_start: int64 (A+1,) key entity i owns the cells ``key_start[i]:key_start[i + 1]``.
        key_offsets: int64 (D+1,) document bounds of the key entities.
        response_offsets: int64 (D+1,) document bounds of the response entities.
        totals: sums of each document.
    """

    shared: Ints
    key: Ints
    response: Ints
    key_size: Ints
    response_size: Ints
    offsets: Ints
    key_start: Ints
    key_offsets: Ints
    response_offsets: Ints
    totals: Totals

    @cached_property
    def sizes(self) -> Floats:
        """The sizes k_i and r_j of each cell's entities, float64 (2, C)."""
        return np.array([self.key_size[self.key], self.response_size[self.response]], np.float64)

    def sums(self, share: Callable[[Any, Any], Any]) -> Floats:
        """Sum a value of each cell over the cells of each document, once by key and once by response: float64 (2, D).

        Args:
            share: the value, from n_ij and the size k_i or r_j, float64 (C,) both.
        """
        shared, n_cells, document = self.shared.astype(np.float64), np.diff(self.offsets), owners(self.offsets)
        values = [share(shared, size) for size in self.sizes]
        if n_cells.max(initial=0) > BLOCK:  # add up blocks of cells first
            blocks = bounds(-(-n_cells // BLOCK))
            block = blocks[document] + (np.arange(document.size) - self.offsets[document]) // BLOCK
            values, document = [np.bincount(block, of_side, blocks[-1]) for of_side in values], owners(blocks)
        return np.array([np.bincount(document, of_side, n_cells.size) for of_side in values], np.float64)

    def document(self, d: int) -> Cells:
        """Return the cells of one document."""
        c, k, r = (slice(*of[d : d + 2]) for of in (self.offsets, self.key_offsets, self.response_offsets))
        key, response = self.key[c] - k.start, self.response[c] - r.start
        key_start = self.key_start[k.start : k.stop + 1] - c.start
        sums: list[Any] = [None if total is None else total[d : d + 1] for total in self.totals]
        offsets, *bounds = (np.array([0, rows.stop - rows.start]) for rows in (c, k, r))
        parts = self.shared[c], key, response, self.key_size[k], self.response_size[r]
        return Cells(*parts, offsets, key_start, bounds[0], bounds[1], Totals(*sums))


@twin(
    "cells.cells_of", each=1e-7, compiling=4.0, size=lambda clusterings, first=0, last=None: clusterings.response.size
)
def cells_of(clusterings: Clusterings, first: int = 0, last: int | None = None) -> Cells:
    """Build the contingency cells of the documents ``first:last``; entities are in the order of their first mentions.

    Args:
        clusterings: labels of D documents, or of S * D documents for S responses to one key.
        first: first document.
        last: end of the range; None for all that follow.

    Raises:
        InputError: a label below -1.
    """
    last = len(clusterings) if last is None else last
    key, response = labels_of(clusterings, first, last)
    offsets = clusterings.response_bounds[first : last + 1] - clusterings.response_bounds[first]
    names = clusterings.names[first:last] if clusterings.names else range(first, last)
    of_key, key_offsets = number_entities(key, "key", offsets, names)
    of_response, response_offsets = number_entities(response, "response", offsets, names)
    n_key, n_response = int(key_offsets[-1]), int(response_offsets[-1])
    both = np.flatnonzero((of_key >= 0) & (of_response >= 0))
    i, j, document = of_key[both], of_response[both], owners(offsets)[both]
    width = np.diff(response_offsets)
    rows = np.diff(key_offsets) * width
    if rows.sum(dtype=np.float64) <= min(DENSEST * key.size, MOST_PLACES):
        pair = (i - key_offsets[document]) * width[document] + (j - response_offsets[document])
        pair, n_pairs = pair + (np.cumsum(rows) - rows)[document], int(rows.sum())
    else:
        pair, n_pairs = narrow(i * n_response + j), SPREAD * both.size
    cell, at = number_by_appearance(pair, n_pairs)
    order = np.sort((i[at] << 32) | np.arange(at.size)) & 0xFFFFFFFF  # by key entity, then by first mention
    shared, i, j = np.bincount(cell, minlength=at.size)[order], i[at][order], j[at][order]
    key_size = np.bincount(of_key[of_key >= 0], minlength=n_key)
    response_size = np.bincount(of_response[of_response >= 0], minlength=n_response)
    return make_cells(shared, i, j, key_size, response_size, key_offsets, response_offsets)


def labels_of(clusterings: Clusterings, first: int, last: int) -> tuple[Ints, Ints]:
    """Return the labels of key and response of the documents ``first:last``."""
    lo, hi = clusterings.response_bounds[[first, last]].tolist()
    if clusterings.n_responses == 1:
        key = clusterings.key[lo:hi]
    elif last - first == 1:
        start = int(clusterings.offsets[first % (clusterings.offsets.size - 1)])
        key = clusterings.key[start : start + hi - lo]
    else:
        key = clusterings.key.take(np.arange(lo, hi), mode="wrap")
    return key, clusterings.response[lo:hi]


def sum_segments(values: NDArray[np.generic], offsets: Ints) -> Floats:
    """Sum ``values[offsets[d]:offsets[d + 1]]`` for each d: float64 (D,), 0 for an empty segment."""
    sums = np.zeros(offsets.size - 1)
    starts = offsets[:-1]
    if values.size == 0:
        return sums
    filled = starts < offsets[1:]
    if filled.all():
        np.add.reduceat(values, starts, out=sums, dtype=np.float64)
    else:
        sums[filled] = np.add.reduceat(values, starts[filled], dtype=np.float64)
    return sums


def make_cells(
    shared: Ints,
    key: Ints,
    response: Ints,
    key_size: Ints,
    response_size: Ints,
    key_offsets: Ints,
    response_offsets: Ints,
) -> Cells:
    """Make the cells of D documents, with their totals; the arguments are attributes of `Cells`."""
    key_start = bounds(np.bincount(key, minlength=key_size.size))
    offsets = key_start[key_offsets]
    of_key = sum_by(shared, key_start)
    of_response = np.bincount(response, shared, response_size.size).astype(np.int64)
    totals = Totals(
        key_mentions=sum_by(key_size, key_offsets),
        response_mentions=sum_by(response_size, response_offsets),
        shared_mentions=sum_by(shared, offsets),
        key_links=sum_by(links(key_size), key_offsets),
        response_links=sum_by(links(response_size), response_offsets),
        shared_key_links=sum_by(links(of_key), key_offsets),
        shared_response_links=sum_by(links(of_response), response_offsets),
        shared_links=sum_by(links(shared), offsets),
        shared_singletons=sum_by((key_size[key] == 1) & (response_size[response] == 1), offsets),
        key_entities=np.diff(key_offsets),
        response_entities=np.diff(response_offsets),
        cells=np.diff(offsets),
    )
    places = offsets, key_start, key_offsets, response_offsets
    return Cells(shared, key, response, key_size, response_size, *places, totals)


def links(n: Any) -> Any:
    """Return the number of links among n mentions, n(n-1)/2, int64 (N,); of other numbers than integers, their type."""
    twice = n * (n - 1)
    return twice >> 1 if isinstance(twice, int) or twice.dtype.kind == "i" else twice / 2
