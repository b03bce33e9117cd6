"""Build the cells of documents: the fast twins of `arraycoref.scoring.contingency`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arraycoref.kernels.cells import contingency_batch
from arraycoref.kernels.dense_cells import count_pairs, list_cells
from arraycoref.kernels.jit import contiguous, runs
from arraycoref.ragged import Ints
from arraycoref.scoring.cells import Cells, Totals, one_document
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.contingency import labels_of, table_bits


@runs(contingency_batch)
def ordinary_cells(clusterings: Clusterings, first: int, last: int) -> Cells:
    """Build the cells of documents."""
    n_documents, n_mentions = last - first, int(clusterings.response_bounds[last] - clusterings.response_bounds[first])
    cells, sizes = np.empty((3, n_mentions + 1), np.int64), np.empty((2, n_mentions + 1), np.int64)
    key_start, offsets = np.empty(n_mentions + 2, np.int64), np.empty((3, n_documents + 1), np.int64)
    totals = np.empty((12, n_documents), np.int64)
    results = cells, sizes, key_start, offsets, totals
    labels = contiguous(clusterings.key), contiguous(clusterings.response), contiguous(clusterings.offsets)
    if contingency_batch(*labels, first, last, *results) < last:
        dense = clusterings.factorize(first, last)
        labels = contiguous(dense.key), contiguous(dense.response), contiguous(dense.offsets)
        contingency_batch(*labels, 0, n_documents, *results)
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


@runs(count_pairs, list_cells)
def large_cells(clusterings: Clusterings, d: int) -> Cells:
    """Build the cells of one large document: in a table if it has few entities."""
    bits = table_bits(clusterings, d)
    cells = _tabled_cells(*labels_of(clusterings, d, d + 1), *bits) if bits else None
    return replace(cells or ordinary_cells(clusterings, d, d + 1), is_large=True)


def _tabled_cells(key: Ints, response: Ints, rows: int, columns: int) -> Cells | None:
    """Build the cells of one document in a table, whose size `table_bits` returned; None if a label does not fit it."""
    key, response, counts = contiguous(key), contiguous(response), np.zeros(1 << rows + columns, np.uint32)
    if not count_pairs(key, response, columns, counts):
        return None
    most = 1 << max(rows, columns)
    cells, sizes = np.empty((3, np.count_nonzero(counts) + 1), np.int64), np.empty((2, most), np.int64)
    key_start, totals = np.empty(most + 1, np.int64), np.empty(12, np.int64)
    list_cells(key, response, columns, counts, cells, sizes, key_start, totals)
    n_key, n_response, n = totals[9:].tolist()
    shared, of_key, of_response = cells[:, :n]
    key_size, response_size, key_start = sizes[0, :n_key], sizes[1, :n_response], key_start[: n_key + 1]
    return one_document(shared, of_key, of_response, key_size, response_size, key_start, Totals(*totals[:, np.newaxis]))
