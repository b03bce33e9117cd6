"""Count the default metrics of many documents in one compiled call, block by block, so that cells stay in the cache.

Every formula is on its metric's page. What this does with a block, `contingency.cells_of` and the pages' functions do
one after the other, with any cells, and to the bit alike.
"""

from __future__ import annotations

import numpy as np

from arraycoref.contingency import Totals
from arraycoref.kernels.alignment import align_under
from arraycoref.kernels.by_cell import add_up, look_up_sizes
from arraycoref.kernels.contingency import clear_table, fill_cells, make_buffers
from arraycoref.kernels.jit import Floats, Ints, U, helper, inlined, inside, kernel, maker
from arraycoref.kernels.survey import WIDEST, survey
from arraycoref.metrics import bcub, blanc, ceaf, lea, mentions, muc, pairwise

NAMES = ("mentions", "muc", "pairwise", "blanc", "bcub", "lea", "ceafm", "ceafe")
"""Metrics that `count_blocks` counts, in the order of its ``places``."""

BLOCK = 4_096
"""Mentions after which a block ends: cells and all that is made of them stay in the cache."""


_squares, _links = inside(bcub.write_squares), inside(lea.write_links)
_look_up = inside(look_up_sizes)
_phi3, _phi4 = inside(ceaf.phi3), inside(ceaf.phi4)


@kernel
def count_blocks(
    key: Ints, response: Ints, offsets: Ints, first: int, last: int, at: int, patience: int, places: Ints, sums: Floats
) -> tuple[np.int64, bool]:
    """Count the documents ``first:last``.

    Args:
        key: int64 (M,) labels, -1 where the key lacks the mention.
        response: int64 (S * M,) likewise, of S responses, whose documents follow each other.
        offsets: int64 (D+1,) document bounds in ``key``; not checked.
        first: first document, of S * D.
        last: end of the range.
        at: document of ``sums`` that receives the first one's.
        patience: visits per cell that the searches for a document's alignment may take.
        places: int64 (8,) group of ``sums`` at which each metric of `NAMES` begins, -1 if it is not wanted.
        sums: float64 (K, N, 4) receives the sums.

    Returns:
        ``last``, or the document before which `contingency_batch` stopped; and whether all alignments were found. For
        which the searches ran long, nan is the total.
    """
    n_documents = offsets.size - 1
    n = last - first if last - first < BLOCK else BLOCK
    plan = np.empty((n, 6), np.int64)
    longest = room = widest = reserved = cleared = np.int64(0)
    buffers, space = make_buffers(longest, widest, reserved), _make_space(room)
    bounds, totals, parts = np.empty((3, n + 1), np.int64), np.empty((12, n), np.int64), np.empty((6, n))
    aligned = True
    end = first
    while end < last:
        begin = end
        n_mentions = 0
        while end < last and n_mentions < BLOCK and end - begin < BLOCK:
            n_mentions += offsets[end % n_documents + 1] - offsets[end % n_documents]
            end += 1
        n = end - begin
        whole = filled = False
        while not filled:
            reached, long, total, wide, large = survey(key, response, offsets, begin, end, whole, plan)
            if reached < end:
                return np.int64(reached), True
            more = 1 if end == last else 2  # so that blocks that need a little more than those before find it
            if long > longest or wide > widest or large > reserved:
                longest, widest, cleared = _grown(longest, long, more), _grown(widest, wide, more), np.int64(0)
                reserved = large if end == last else np.int64(WIDEST)
                buffers = make_buffers(longest, widest, reserved)
            if total > room:
                room = more * total
                space = _make_space(room)
            cells, sizes, key_start, floats, ints = space
            cleared = clear_table(buffers, cleared, large)
            filled = fill_cells(
                key, response, offsets, begin, end, plan, buffers, cells, sizes, key_start, bounds, totals
            )
            whole = True
        n_cells = bounds[0, n]
        shared, ours, theirs = cells[0][:n_cells], cells[1][:n_cells], cells[2][:n_cells]
        _clear(n, parts)
        _compute_by_cell(places, shared, ours, theirs, sizes, bounds[0][: n + 1], floats, parts)
        wanted = places[6] >= 0, places[7] >= 0
        if wanted[0] or wanted[1]:
            matrix, weights = (key_start, ours, theirs), (floats[2], floats[3])
            scratch, entities = (floats[4:], ints), bounds[1][: n + 1]
            aligned &= align_under(
                wanted, matrix, shared, floats[0:2], weights, patience, bounds[2, n], scratch, entities, parts[4:6]
            )
        for d in range(n):
            _write(places, totals, parts, U(d), sums, U(at + begin - first + d))
    return np.int64(last), aligned


@maker
def _make_space(n):
    """Make arrays for cells, entities, and what is computed of them, where there are no more than n of each.

    Integers have 32 bits, so that more of them stay in the cache: no document that is counted here has 2^31 mentions.
    """
    cells, sizes, key_start = np.empty((3, n + 1), np.int32), np.empty((2, n + 1), np.int32), np.empty(n + 2, np.int32)
    return cells, sizes, key_start, np.empty((8, n + 1)), np.empty((10, n + 1), np.int32)


@inlined
def _grown(size, needed, more):
    return size if size >= needed else more * needed


@inlined
def _clear(n, parts):
    for part in range(6):
        for d in range(n):
            parts[part, d] = 0.0


@helper
def _compute_by_cell(places, shared, key, response, sizes, offsets, floats, parts):
    """Count the numerators of B-cubed and LEA, and write the similarities for CEAF, each where it is wanted.

    The rows of ``floats`` receive the sizes of each cell's entities, and then the two similarities.
    """
    of_cells, shares, resolved, squares, links = floats[0:2], floats[2:4], floats[4:6], parts[0:2], parts[2:4]
    if places[4] >= 0 or places[5] >= 0 or places[6] >= 0 or places[7] >= 0:
        _look_up(key, response, sizes[0], sizes[1], of_cells)
    if places[4] >= 0:
        _squares(shared, of_cells, shares)
    else:
        shares, squares = resolved, links
    if places[5] >= 0:
        _links(shared, of_cells, resolved)
    else:
        resolved, links = shares, squares
    if places[4] >= 0 or places[5] >= 0:
        add_up((shares[0], shares[1], resolved[0], resolved[1]), offsets, (squares[0], squares[1], links[0], links[1]))
    if places[6] >= 0:
        _phi3(shared, floats[2])
    if places[7] >= 0:
        _phi4(shared, of_cells, floats[3])


@inlined
def _write(places, totals, parts, d, sums, at):
    """Write the sums of each metric of one document."""
    n = Totals(
        totals[0, d],
        totals[1, d],
        totals[2, d],
        totals[3, d],
        totals[4, d],
        totals[5, d],
        totals[6, d],
        totals[7, d],
        totals[8, d],
        totals[9, d],
        totals[10, d],
        totals[11, d],
    )
    _put(mentions.sums(n), places[0], sums, at)
    _put(muc.sums(n), places[1], sums, at)
    _put(pairwise.sums(n), places[2], sums, at)
    for group, found in enumerate(blanc.sums(n)):
        _put(found, places[3] + group if places[3] >= 0 else np.int64(-1), sums, at)
    _put(bcub.sums(n, parts[0, d], parts[1, d]), places[4], sums, at)
    _put(lea.sums(n, parts[2, d], parts[3, d]), places[5], sums, at)
    _put(ceaf.by_mentions(n, parts[4, d]), places[6], sums, at)
    _put(ceaf.by_entities(n, parts[5, d]), places[7], sums, at)


@inlined
def _put(found, place, sums, at):
    """Write four sums to their place, if there is one."""
    if place >= 0:
        group = U(place)
        sums[group, at, 0], sums[group, at, 1], sums[group, at, 2], sums[group, at, 3] = found
