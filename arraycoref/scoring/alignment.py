"""Align key and response entities one to one with the exact maximum total weight, from cells and their weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.engine import in_numpy, kernels_for
from arraycoref.scoring.auction import align_compiled
from arraycoref.scoring.cells import Cells, sum_integers
from arraycoref.scoring.search import Search, align_by_scipy

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

KERNEL = "arraycoref.kernels.alignment.align"
CHOOSING, VISITING = 5e-8, 1e-7
"""Seconds that NumPy takes for the first choice of a cell, and Python for a visit of a cell in a search."""

COMPILING = 4.0
"""Seconds that compiling the kernel takes."""

BUDGET, LEAST_BUDGET = 30, 100_000
"""Searches in Python give a document up after so many visits per cell, and at least so many visits. Scipy, which takes
long to import, then aligns the document."""


class Alignment(NamedTuple):
    """A one-to-one alignment of the largest total weight.

    Attributes:
        cell: int64 (A,) cell of each key entity and the response entity it is aligned with, -1 where it is unaligned.
        total: int64 (D,) the summed weight per document.
    """

    cell: Integers
    total: Integers


def align(cells: Cells, weights: NDArray[Any]) -> Alignment:
    """Align the entities of each document one to one so that the sum of the weights of the aligned cells is largest.

    The result is exact; only the non-zero cells are used. Among alignments of equal weight, any one may be returned.

    Args:
        cells: contingency cells of D documents.
        weights: (C,) a weight per cell: whole numbers from 0 to 2^40, of any dtype. Pairs of entities without a cell
            weigh nothing.
    """
    values = weights.astype(np.float64)
    if kernels_for(KERNEL, CHOOSING * values.size, cells.engine, compiling=COMPILING) is not None:
        cell = align_compiled(cells, values)
    else:
        with in_numpy(KERNEL):
            found = _align_in_numpy(cells, values)
        cell = align_compiled(cells, values) if found is None else found
    aligned = np.append(values, 0.0)[cell].astype(np.int64)
    return Alignment(cell, sum_integers(aligned, cells.key_offsets))


def _align_in_numpy(cells: Cells, weights: Floats) -> Integers | None:
    """Align the entities; None if the searches would take so long that compiled ones should do it."""
    u, v, cell, waiting = _first_choices(cells, weights)
    if not waiting.size:
        return cell
    row = np.full(v.size, -1)
    aligned = np.flatnonzero(cell >= 0)
    row[cells.response[cell[aligned]]] = aligned
    search = Search(cells, weights, u, v, cell, row)
    document = cells.key_offsets.searchsorted(waiting, side="right") - 1
    by_scipy = []
    for d in dict.fromkeys(document.tolist()):
        here, before = waiting[slice(*document.searchsorted([d, d + 1]))].tolist(), search.visits
        most = max(BUDGET * int(cells.offsets[d + 1] - cells.offsets[d]), LEAST_BUDGET)
        for n_done, each in enumerate(here):
            if search.visits - before > most:
                seconds = VISITING * (search.visits - before) * len(here) / n_done
                if kernels_for(KERNEL, seconds, cells.engine, compiling=COMPILING) is not None:
                    return None
                by_scipy.append(d)
                break
            search.align(each)
    for d in by_scipy:
        rows, places = slice(*cells.key_offsets[d : d + 2]), slice(*cells.offsets[d : d + 2])
        alone = align_by_scipy(cells.document(d), weights[places])
        cell[rows] = np.where(alone < 0, -1, alone + places.start)
    return cell


def _first_choices(cells: Cells, weights: Floats) -> tuple[Floats, Floats, Integers, Integers]:
    """Align each row with the column of its heaviest cell, or of several that want it, the row that would lose most.

    The column's price becomes the largest loss among the other rows, so that none of them prefers the column to its
    second choice.

    Returns:
        Potentials, float64 (A,) and (B,); int64 (A,) the aligned cells; and the rows with another choice, which wait.
    """
    n_rows = cells.key_size.size
    u, v, cell = np.zeros(n_rows), np.zeros(cells.response_size.size), np.full(n_rows, -1)
    rows = np.flatnonzero(np.diff(cells.key_start))
    if not rows.size:
        return u, v, cell, rows
    starts = cells.key_start[rows]
    # Of cells of equal weight, the one of the most similar entities: fewer rows then want the same column.
    rank = weights + cells.shared / (cells.sizes[0] + cells.sizes[1])
    is_best = rank == np.maximum.reduceat(rank, starts).repeat(np.diff(np.append(starts, rank.size)))
    best = np.flatnonzero(is_best)[::-1]
    cell[cells.key[best]] = best  # of several, the first
    others = weights.copy()
    others[cell[rows]] = 0.0
    second = np.zeros(n_rows)
    second[rows] = np.maximum.reduceat(others, starts)
    u[rows] = weights[cell[rows]]
    cell[u == 0.0] = -1
    rows = np.flatnonzero(cell >= 0)
    column = cells.response[cell[rows]]
    contested = np.bincount(column, minlength=v.size)[column] > 1
    rows, column = rows[contested], column[contested]
    loss = u[rows] - second[rows]
    order = np.lexsort((-loss, column))
    rows, column, loss = rows[order], column[order], loss[order]
    is_first = np.append(True, column[1:] != column[:-1])[: rows.size]
    winner, losers = np.flatnonzero(is_first), rows[~is_first]
    v[column[winner]] = loss[winner + 1]
    u[rows[winner]] -= loss[winner + 1]
    u[losers], cell[losers] = second[losers], -1
    return u, v, cell, np.sort(losers[second[losers] > 0.0])
