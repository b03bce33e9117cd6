"""Count the cells of the contingency matrices of key and response entities.

The second of three records that scoring makes: labels (`clusterings`), cells (`cells`), sums (`counts`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.scoring.clusterings import GIANT, Clusterings, Factorized
from arraycoref.scoring.labels import as_kernel_array

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

LARGE = 1 << 17
"""Number of mentions from which a document is large: its cells are counted apart from those of other documents, in a
table if it has few entities."""

ROOMY, SAMPLED = 4, 4_096
"""Such a table has at most `ROOMY` places for each mention: up to this size, it takes less time than sorting.
`SAMPLED` is the number of mentions whose labels are read to estimate the largest label."""

BUCKETS = 1024
"""Most ranges of key labels into which the mentions of a giant document are dealt."""


class Totals(NamedTuple):
    """Sums over the entities and cells of each document, int64 (D,) each: most metrics need nothing else.

    L(n) = n(n-1)/2 is the number of links among n mentions. Key entity i has k_i mentions, of which the response has
    a_i; response entity j has r_j mentions, of which the key has b_j. The two entities share n_ij mentions.

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
    """

    key_mentions: Integers
    response_mentions: Integers
    shared_mentions: Integers
    key_links: Integers
    response_links: Integers
    shared_key_links: Integers
    shared_response_links: Integers
    shared_links: Integers
    shared_singletons: Integers
    key_entities: Integers
    response_entities: Integers
    cells: Integers


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

    shared: Integers
    key: Integers
    response: Integers
    key_size: Integers
    response_size: Integers
    offsets: Integers
    key_start: Integers
    key_offsets: Integers
    response_offsets: Integers
    totals: Totals

    @cached_property
    def sizes(self) -> Floats:
        """The sizes k_i and r_j of each cell's entities, float64 (2, C)."""
        from arraycoref.kernels.by_cell import look_up_sizes

        sizes = np.empty((2, self.shared.size))
        look_up_sizes(self.key, self.response, self.key_size, self.response_size, sizes)
        return sizes

    def sums(self, write: Callable[[Integers, Floats, Floats], None]) -> Floats:
        """Sum two values that ``write`` computes for each cell over the cells of each document: float64 (2, D).

        Args:
            write: gets n_ij and `sizes`, and an array float64 (2, C) that receives two values for each cell.
        """
        from arraycoref.kernels.by_cell import sum_cells

        found, sums = np.empty_like(self.sizes), np.zeros((2, self.offsets.size - 1))
        write(self.shared, self.sizes, found)
        sum_cells(found, self.offsets, sums)
        return sums

    def document(self, d: int) -> Cells:
        """Return the cells of one document."""
        c, k, r = (slice(*bounds[d : d + 2]) for bounds in (self.offsets, self.key_offsets, self.response_offsets))
        key, response = self.key[c] - k.start, self.response[c] - r.start
        key_start = self.key_start[k.start : k.stop + 1] - c.start
        totals = Totals(*[total[d : d + 1] for total in self.totals])
        return _alone(self.shared[c], key, response, self.key_size[k], self.response_size[r], key_start, totals)


def sum_segments(values: NDArray[np.generic], offsets: Integers) -> Floats:
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


def cells_of(clusterings: Clusterings, first: int = 0, last: int | None = None) -> Cells:
    """Build the contingency cells of the documents ``first:last``; entities are in the order of their first mentions.

    The entities of a giant document may be in another order.

    Args:
        clusterings: labels of D documents, or of S * D documents for S responses to one key.
        first: first document.
        last: end of the range; None for all that follow.

    Raises:
        InputError: a label below -1, or a document of 2^31 mentions or more.
    """
    bounds = clusterings.bounds
    last = bounds.size - 1 if last is None else last
    n_documents, n_mentions = last - first, int(bounds[last] - bounds[first])
    if n_documents == 1 and n_mentions >= LARGE:
        return _large_cells(clusterings, first, n_mentions)
    return _ordinary_cells(clusterings, first, last, n_mentions)


def _ordinary_cells(clusterings: Clusterings, first: int, last: int, n_mentions: int) -> Cells:
    """Build the cells of documents by `arraycoref.kernels.cells`."""
    from arraycoref.kernels.cells import contingency_batch

    n_documents = last - first
    cells, sizes = np.empty((3, n_mentions + 1), np.int64), np.empty((2, n_mentions + 1), np.int64)
    key_start, offsets = np.empty(n_mentions + 2, np.int64), np.empty((3, n_documents + 1), np.int64)
    totals = np.empty((12, n_documents), np.int64)
    found = cells, sizes, key_start, offsets, totals
    key, response = as_kernel_array(clusterings.key), as_kernel_array(clusterings.response)
    if contingency_batch(key, response, clusterings.offsets, first, last, *found) < last:
        dense = clusterings.factorize(first, last)
        contingency_batch(
            as_kernel_array(dense.key), as_kernel_array(dense.response), dense.offsets, 0, n_documents, *found
        )
    n, n_key, n_response = offsets[:, -1].tolist()
    return Cells(
        cells[0, :n],
        cells[1, :n],
        cells[2, :n],
        sizes[0, :n_key],
        sizes[1, :n_response],
        offsets[0],
        key_start[: n_key + 1],
        offsets[1],
        offsets[2],
        Totals(*totals),
    )


def _large_cells(clusterings: Clusterings, d: int, n_mentions: int) -> Cells:
    """Build the cells of one large document, in a table if its labels are small.

    Below `GIANT` mentions, a document of few entities has its cells in the order of that table, also if its labels are
    large.
    """
    begin, end = clusterings.bounds[d : d + 2].tolist()
    first = int(clusterings.offsets[d % (clusterings.offsets.size - 1)])
    key, response = clusterings.key[first : first + n_mentions], clusterings.response[begin:end]
    step = max(-(-n_mentions // SAMPLED), 1)
    found = _tabled_cells(key, response, *(int(labels[::step].max(initial=-1)) + 1 for labels in (key, response)))
    if found is not None or n_mentions >= GIANT:
        return found or _giant_cells(clusterings.giant(d))
    found = _ordinary_cells(clusterings, d, d + 1, n_mentions)
    n_key, n_response = found.key_size.size, found.response_size.size
    if _table_size(n_key, n_response) > ROOMY * n_mentions:
        return found
    order = np.lexsort((found.response, found.key))  # some labels are too large for a table, which has this order
    return replace(found, shared=found.shared[order], response=found.response[order])


def _table_size(n_key: int, n_response: int) -> int:
    """Return the number of places of a table that has a power of two of rows and of columns, also for the label -1."""
    return 1 << n_key.bit_length() + n_response.bit_length()


def _tabled_cells(key: NDArray[Any], response: NDArray[Any], n_key: int, n_response: int) -> Cells | None:
    """Build the cells of one document in a table.

    Returns:
        None if the table would be too large, or if a label does not fit a table of ``n_key`` and ``n_response`` labels.
    """
    from arraycoref.kernels import histogram

    n_places = _table_size(n_key, n_response)
    if n_places > ROOMY * key.size:
        return None
    key, response = as_kernel_array(key, key.dtype.type), as_kernel_array(response, response.dtype.type)
    shift, counts = n_response.bit_length(), np.zeros(n_places, np.uint32)
    if not histogram.count_pairs(key, response, shift, counts):
        return None
    most = 1 << max(n_key, n_response).bit_length()
    cells, sizes = np.empty((3, np.count_nonzero(counts) + 1), np.int64), np.empty((2, most), np.int64)
    key_start, totals = np.empty(most + 1, np.int64), np.empty(12, np.int64)
    histogram.list_cells(key, response, shift, counts, cells, sizes, key_start, totals)
    rows, columns, n = totals[9:].tolist()
    shared, of_key, of_response = cells[:, :n]
    key_size, response_size, key_start = sizes[0, :rows], sizes[1, :columns], key_start[: rows + 1]
    return _alone(shared, of_key, of_response, key_size, response_size, key_start, Totals(*totals[:, np.newaxis]))


def _giant_cells(document: Factorized) -> Cells:
    """Build the cells of one giant document, whose labels may have gaps."""
    from arraycoref.kernels import giants as kernels

    key, response = document.key, document.response
    n_key_labels, n_response_labels = int(document.key_offsets[1]), int(document.response_offsets[1])
    shift = max(0, n_key_labels.bit_length() - BUCKETS.bit_length() + 1)
    bucket_end = np.zeros((n_key_labels >> shift) + 1, np.int64)
    response_count = np.zeros((n_response_labels, 2), np.int32)
    totals = np.empty(9, np.int64)
    kernels.count_labels(key, response, shift, bucket_end, response_count, totals)
    response_size = np.empty(n_response_labels + 1, np.int64)
    n_response = kernels.number_entities(response_count, response_size)
    pairs = np.empty((totals[0], 2), np.int32)
    kernels.deal(key, response, shift, bucket_end, pairs)
    cell_key, cell_response, shared = np.empty((3, totals[2]), np.int64)
    key_size, key_start = np.empty(n_key_labels, np.int64), np.empty(n_key_labels + 1, np.int64)
    n_key, n = kernels.fill_buckets(
        pairs,
        shift,
        bucket_end,
        response_count,
        np.zeros(n_response_labels, np.int32),
        np.empty(n_response_labels, np.int64),
        cell_key,
        cell_response,
        shared,
        key_size,
        key_start,
        totals,
    )
    cells = shared[:n], cell_key[:n], cell_response[:n]
    key_size, response_size, key_start = key_size[:n_key], response_size[:n_response], key_start[: n_key + 1]
    all_totals = np.append(totals, (n_key, n_response, n))[:, np.newaxis]
    return _alone(*cells, key_size, response_size, key_start, Totals(*all_totals))


def one_document(
    key: Integers, response: Integers, shared: Integers, key_size: Integers, response_size: Integers
) -> Cells:
    """Make the cells of one document.

    Args:
        key: int64 (C,) key entity of each cell, ascending.
        response: int64 (C,) response entity of each cell; no pair of entities is there twice.
        shared: int64 (C,) number of mentions that the two entities share.
        key_size: int64 (A,) number of mentions of each key entity.
        response_size: int64 (B,) number of mentions of each response entity.
    """

    def one(value: int | np.integer) -> Integers:
        return np.array([value], np.int64)

    def links(n: Integers) -> Integers:
        return one((n * (n - 1) // 2).sum())

    of_key = np.bincount(key, shared, key_size.size).astype(np.int64)
    of_response = np.bincount(response, shared, response_size.size).astype(np.int64)
    totals = Totals(
        key_mentions=one(key_size.sum()),
        response_mentions=one(response_size.sum()),
        shared_mentions=one(shared.sum()),
        key_links=links(key_size),
        response_links=links(response_size),
        shared_key_links=links(of_key),
        shared_response_links=links(of_response),
        shared_links=links(shared),
        shared_singletons=one(((key_size[key] == 1) & (response_size[response] == 1)).sum()),
        key_entities=one(key_size.size),
        response_entities=one(response_size.size),
        cells=one(key.size),
    )
    key_start = segment_bounds(np.bincount(key, minlength=key_size.size))
    return _alone(shared, key, response, key_size, response_size, key_start, totals)


def _alone(
    shared: Integers,
    key: Integers,
    response: Integers,
    key_size: Integers,
    response_size: Integers,
    key_start: Integers,
    totals: Totals,
) -> Cells:
    """Make `Cells` of a single document."""
    offsets, key_offsets, response_offsets = (np.array([0, each.size]) for each in (key, key_size, response_size))
    return Cells(
        shared, key, response, key_size, response_size, offsets, key_start, key_offsets, response_offsets, totals
    )


def segment_bounds(sizes: Integers) -> Integers:
    """Return the bounds (D+1,), from 0, of consecutive segments of the given sizes (D,)."""
    bounds = np.zeros(sizes.size + 1, np.int64)
    sizes.cumsum(out=bounds[1:])
    return bounds
