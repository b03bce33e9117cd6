"""Build the cells of documents: in NumPy, or by the kernel that suits their sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.engine import in_numpy, kernels_for
from arraycoref.scoring.cells import Cells, Totals, make_cells, one_document
from arraycoref.scoring.clusterings import SPREAD, Clusterings, number_by_appearance, number_entities, refuse_below
from arraycoref.scoring.labels import MOST_MENTIONS, as_kernel_array

LARGE = 1 << 17
"""Number of mentions from which a document is large: its cells are counted apart from those of other documents, in a
table if it has few entities."""

ROOMY, SAMPLED = 4, 4_096
"""Such a table has at most `ROOMY` places for each mention: up to this size, it takes less time than sorting.
`SAMPLED` is the number of mentions whose labels are read to estimate the largest label."""

KERNEL, TABLE = (f"arraycoref.kernels.{name}" for name in ("cells.contingency_batch", "histogram.list_cells"))
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
        InputError: a label below -1.
    """
    bounds = clusterings.bounds
    last = bounds.size - 1 if last is None else last
    n_documents, n_mentions = last - first, int(bounds[last] - bounds[first])
    is_large = n_documents == 1 and n_mentions >= LARGE
    bits = table_bits(clusterings, first) if is_large else None
    kernel = TABLE if bits else KERNEL
    if kernels_for(kernel, COUNTING * n_mentions, engine, compiling=4.0) is None:
        with in_numpy(kernel):
            if not is_large:
                return _cells_in_numpy(clusterings, first, last, engine)
            return _large_cells_in_numpy(clusterings, first, engine)
    found = _tabled_cells(*_labels_of(clusterings, first, last), *bits) if bits else None
    return replace(found or _ordinary_cells(clusterings, first, last, n_mentions), is_large=is_large, engine=engine)


def _cells_in_numpy(clusterings: Clusterings, first: int, last: int, engine: str | None) -> Cells:
    """Build the cells of documents with NumPy alone, as `cells_of` does."""
    key, response, offsets = _valid_labels(clusterings, first, last)
    n = last - first
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
    return make_cells(shared, i, j, key_size, response_size, key_offsets, response_offsets, engine=engine)


def _large_cells_in_numpy(clusterings: Clusterings, d: int, engine: str | None) -> Cells:
    """Build the cells of one large document with NumPy alone; entities and cells are in the order of their labels."""
    key, response, _ = _valid_labels(clusterings, d, d + 1)
    places, sizes, numbers = [], [], []  # place 0 is for absent mentions
    for labels in (key, response):
        if labels.max() > min(SPREAD * labels.size, MOST_MENTIONS):
            codes, place = np.unique(labels, return_inverse=True)
            place += codes[0] >= 0
        else:
            place = labels + 1
        size = np.bincount(place)
        size[0] = 0
        places.append(place)
        sizes.append(size[size > 0])
        numbers.append(np.cumsum(size > 0) - 1)
    width = numbers[1].size
    pair = places[0] * width
    pair += places[1]
    if numbers[0].size * width <= DENSEST * key.size:
        count = np.bincount(pair)
        pair = np.flatnonzero(count)
        count = count[pair]
    else:
        pair.sort()
        first = np.flatnonzero(np.append(True, pair[1:] != pair[:-1]))
        count, pair = np.diff(first, append=pair.size), pair[first]
    i, j = np.divmod(pair, width)
    both = np.flatnonzero((i > 0) & (j > 0))
    of_key, of_response = numbers[0][i[both]], numbers[1][j[both]]
    bounds = (np.array([0, size.size]) for size in sizes)
    return make_cells(count[both], of_key, of_response, *sizes, *bounds, is_large=True, engine=engine)


def _valid_labels(
    clusterings: Clusterings, first: int, last: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the labels of key and response of the documents ``first:last``, and their bounds.

    Raises:
        InputError: a label below -1.
    """
    key, response = _labels_of(clusterings, first, last)
    offsets, names = clusterings.bounds[first : last + 1], clusterings.names
    offsets, shown = offsets - offsets[0], names[first:last] if names else range(first, last)
    for what, labels in (("key", key), ("response", response)):
        refuse_below(labels, what, offsets, shown)
    return key, response, offsets


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


def table_bits(clusterings: Clusterings, d: int) -> tuple[int, int] | None:
    """Return the binary logarithms of rows and columns of a table for the cells of one large document.

    They are estimated from some of the labels. None if the table would be too large.
    """
    sides, n = _labels_of(clusterings, d, d + 1), int(clusterings.bounds[d + 1] - clusterings.bounds[d])
    step = max(-(-n // SAMPLED), 1)
    rows, columns = ((int(labels[::step].max(initial=-1)) + 1).bit_length() for labels in sides)
    return (rows, columns) if 1 << rows + columns <= ROOMY * n else None


def _labels_of(clusterings: Clusterings, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the labels of key and response of the documents ``first:last``."""
    lo, hi = clusterings.bounds[[first, last]].tolist()
    if clusterings.n_responses == 1:
        key = clusterings.key[lo:hi]
    elif last - first == 1:
        start = int(clusterings.offsets[first % (clusterings.offsets.size - 1)])
        key = clusterings.key[start : start + hi - lo]
    else:
        key = clusterings.key.take(np.arange(lo, hi), mode="wrap")
    return key, clusterings.response[lo:hi]


def _tabled_cells(key: NDArray[np.int64], response: NDArray[np.int64], rows: int, columns: int) -> Cells | None:
    """Build the cells of one document in a table, whose size `table_bits` returned; None if a label does not fit it."""
    from arraycoref.kernels import histogram

    key, response, counts = as_kernel_array(key), as_kernel_array(response), np.zeros(1 << rows + columns, np.uint32)
    if not histogram.count_pairs(key, response, columns, counts):
        return None
    most = 1 << max(rows, columns)
    cells, sizes = np.empty((3, np.count_nonzero(counts) + 1), np.int64), np.empty((2, most), np.int64)
    key_start, totals = np.empty(most + 1, np.int64), np.empty(12, np.int64)
    histogram.list_cells(key, response, columns, counts, cells, sizes, key_start, totals)
    n_key, n_response, n = totals[9:].tolist()
    shared, of_key, of_response = cells[:, :n]
    key_size, response_size, key_start = sizes[0, :n_key], sizes[1, :n_response], key_start[: n_key + 1]
    return one_document(shared, of_key, of_response, key_size, response_size, key_start, Totals(*totals[:, np.newaxis]))
