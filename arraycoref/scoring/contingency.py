"""Build the cells of documents: in NumPy, or by the kernel that suits their sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.engine import in_numpy, kernels_for
from arraycoref.scoring.cells import Cells, Totals, make_cells, one_document
from arraycoref.scoring.clusterings import (
    GIANT,
    Clusterings,
    Factorized,
    number_by_appearance,
    number_entities,
    refuse_below,
)
from arraycoref.scoring.labels import as_kernel_array

LARGE = 1 << 17
"""Number of mentions from which a document is large: its cells are counted apart from those of other documents, in a
table if it has few entities."""

ROOMY, SAMPLED = 4, 4_096
"""Such a table has at most `ROOMY` places for each mention: up to this size, it takes less time than sorting.
`SAMPLED` is the number of mentions whose labels are read to estimate the largest label."""

BUCKETS = 1024
"""Most ranges of key labels into which the mentions of a giant document are dealt."""

KERNEL, TABLE, GIANTS = (
    f"arraycoref.kernels.{name}" for name in ("cells.contingency_batch", "histogram.list_cells", "giants.fill_buckets")
)
COUNTING = 1e-7
"""Seconds that NumPy takes for the cells of a mention."""

DENSEST = 32
"""In NumPy, cells are looked up in a table of all pairs of entities if it has at most so many places for each mention;
otherwise pairs are sorted."""


def cells_of(clusterings: Clusterings, first: int = 0, last: int | None = None, engine: str | None = None) -> Cells:
    """Build the contingency cells of the documents ``first:last``; entities are in the order of their first mentions.

    The entities and the cells of a large document may be in another order.

    Args:
        clusterings: labels of D documents, or of S * D documents for S responses to one key.
        first: first document.
        last: end of the range; None for all that follow.
        engine: see `arraycoref.kernels.engine`.

    Raises:
        InputError: a label below -1, or a document of 2^31 mentions or more.
    """
    bounds = clusterings.bounds
    last = bounds.size - 1 if last is None else last
    n_documents, n_mentions = last - first, int(bounds[last] - bounds[first])
    is_large = n_documents == 1 and n_mentions >= LARGE
    kernel = GIANTS if is_large and n_mentions >= GIANT else TABLE if is_large else KERNEL
    if kernels_for(kernel, COUNTING * n_mentions, engine, compiling=4.0) is None:
        with in_numpy(kernel):
            return _cells_in_numpy(clusterings, first, last, engine)
    found = _large_cells(clusterings, first, n_mentions) if is_large else None
    return replace(found or _ordinary_cells(clusterings, first, last, n_mentions), is_large=is_large, engine=engine)


def _cells_in_numpy(clusterings: Clusterings, first: int, last: int, engine: str | None) -> Cells:
    """Build the cells of documents with NumPy alone, as `cells_of` does."""
    bounds, names = clusterings.bounds, clusterings.names
    lo, hi = int(bounds[first]), int(bounds[last])
    offsets, n = bounds[first : last + 1] - lo, last - first
    is_whole = clusterings.n_responses == 1
    key = clusterings.key[lo:hi] if is_whole else clusterings.key.take(np.arange(lo, hi), mode="wrap")
    response = clusterings.response[lo:hi]
    shown = names[first:last] if names else range(first, last)
    for what, labels in (("key", key), ("response", response)):
        refuse_below(labels, what, offsets, shown)
    of_key, key_offsets = number_entities(key, offsets)
    of_response, response_offsets = number_entities(response, offsets)
    n_key, n_response = int(key_offsets[-1]), int(response_offsets[-1])
    document = np.arange(n).repeat(np.diff(offsets))
    both = np.flatnonzero((of_key >= 0) & (of_response >= 0))
    i, j, of_both = of_key[both], of_response[both], document[both]
    width = np.diff(response_offsets)
    rows = np.diff(key_offsets) * width
    if rows.sum(dtype=np.float64) <= DENSEST * key.size:
        pair = (i - key_offsets[of_both]) * width[of_both] + (j - response_offsets[of_both])
        pair, n_pairs = pair + (np.cumsum(rows) - rows)[of_both], int(rows.sum())
    else:
        pairs, pair = np.unique(i * n_response + j, return_inverse=True)
        n_pairs = pairs.size
    cell, at = number_by_appearance(pair, n_pairs)
    order = np.sort((i[at] << 32) | np.arange(at.size)) & 0xFFFFFFFF  # by key entity, then by first mention
    shared, i, j = np.bincount(cell, minlength=at.size)[order], i[at][order], j[at][order]
    key_size = np.bincount(of_key[of_key >= 0], minlength=n_key)
    response_size = np.bincount(of_response[of_response >= 0], minlength=n_response)
    is_large = n == 1 and hi - lo >= LARGE
    of_documents = key_offsets, response_offsets
    return make_cells(shared, i, j, key_size, response_size, *of_documents, is_large=is_large, engine=engine)


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


def _large_cells(clusterings: Clusterings, d: int, n_mentions: int) -> Cells | None:
    """Build the cells of one large document: in a table if its labels are small, by parts if it is a giant."""
    begin, end = clusterings.bounds[d : d + 2].tolist()
    first = int(clusterings.offsets[d % (clusterings.offsets.size - 1)])
    key, response = clusterings.key[first : first + n_mentions], clusterings.response[begin:end]
    step = max(-(-n_mentions // SAMPLED), 1)
    found = _tabled_cells(key, response, *(int(labels[::step].max(initial=-1)) + 1 for labels in (key, response)))
    return _giant_cells(clusterings.giant(d)) if found is None and n_mentions >= GIANT else found


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
    return one_document(shared, of_key, of_response, key_size, response_size, key_start, Totals(*totals[:, np.newaxis]))


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
    return one_document(*cells, key_size, response_size, key_start, Totals(*all_totals))
