"""Align key and response entities one to one with the exact maximum total weight, from cells and their weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from arraycoref.ragged import Floats, Ints, run_starts, sum_by
from arraycoref.scoring.augmenting_paths import Search, align_by_scipy
from arraycoref.scoring.cells import Cells
from arraycoref.twin import hand_over, twin

VISITING = 1e-7
"""Seconds that a visit of a cell takes in a search in Python."""

BUDGET, LEAST_BUDGET = 30, 100_000
"""Searches in Python give a document up after so many visits per cell, and at least so many visits. Scipy, which takes
long to import, then aligns the document."""


@twin("best_alignment.align", each=5e-8, compiling=4.0, size=lambda cells, weights: weights.size)
def align(cells: Cells, weights: Floats) -> Ints:
    """Align the entities of each document one to one so that the sum of the weights of the aligned cells is largest.

    The result is exact; only the non-zero cells are used. Among alignments of equal weight, any one may be returned.

    Args:
        cells: contingency cells of D documents.
        weights: float64 (C,) a weight per cell: whole numbers from 0 to 2^40. Pairs of entities without a cell weigh
            nothing.

    Returns:
        int64 (A,) cell of each key entity and the response entity it is aligned with, -1 where it is unaligned.
    """
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
        for n_done, source in enumerate(here):
            if search.visits - before > most:
                hand_over(VISITING * (search.visits - before) * len(here) / n_done)
                by_scipy.append(d)
                break
            search.align(source)
    align_alone(align_by_scipy, cells, weights, by_scipy, cell)
    return cell


def align_alone(
    way: Callable[[Cells, Floats], Ints], cells: Cells, weights: Floats, documents: Iterable[int], cell: Ints
) -> None:
    """Align some documents, one by one, by a function for one document, and write their alignments into ``cell``."""
    for d in documents:
        rows, places = slice(*cells.key_offsets[d : d + 2]), slice(*cells.offsets[d : d + 2])
        alone = way(cells.document(d), weights[places])
        cell[rows] = np.where(alone < 0, -1, alone + places.start)


def best_total(cells: Cells, weights: Ints) -> Floats:
    """Return the summed weight of each document's best alignment, float64 (D,); for weights see `align`."""
    cell = align(cells, weights.astype(np.float64))
    return sum_by(np.append(weights, 0)[cell], cells.key_offsets).astype(np.float64)


def _first_choices(cells: Cells, weights: Floats) -> tuple[Floats, Floats, Ints, Ints]:
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
    winner = run_starts(column)
    losers = np.delete(rows, winner)
    v[column[winner]] = loss[winner + 1]
    u[rows[winner]] -= loss[winner + 1]
    u[losers], cell[losers] = second[losers], -1
    return u, v, cell, np.sort(losers[second[losers] > 0.0])
