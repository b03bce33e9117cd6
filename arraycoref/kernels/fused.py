"""Compute the totals of many documents in one compiled call, block by block, so that cells stay in the cache.

The formulas of a cell are on the pages of metrics, and compiled into the kernel. `arraycoref.scoring.totals` computes
the same sums in separate steps, equal to the last bit.
"""

from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.cells import call_with_labels, fill_cells
from arraycoref.kernels.greedy_start import choose_first, find_choices
from arraycoref.kernels.intrinsics import prefetch
from arraycoref.kernels.jit import U, helper, inlined, kernel, runs
from arraycoref.kernels.label_ranges import BITS, LEAST_SPREAD, SPREAD, WIDEST, survey
from arraycoref.ragged import Floats, Ints, Ints32
from arraycoref.scoring import alignment
from arraycoref.scoring.alignment import best_total
from arraycoref.scoring.cells import Cells, Totals, cells_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.metrics import bcub, ceaf, lea
from arraycoref.scoring.totals import Needs

BLOCK_OF_DOCUMENTS = 4_096
"""A block of documents ends when it has so many mentions, so that its cells and their values stay in the cache."""

TOGETHER = 128
"""Number of cells whose values are added up before their sum is added to the total: `arraycoref.scoring.cells.BLOCK`,
so that the pages' functions add in the same order."""

PIECE = 1 << 13
"""Cells of a single document that are processed at once: a multiple of `TOGETHER`, for the same reason."""

ONE = U(1)

AHEAD = U(32)
"""How many cells ahead of its use the size of a response entity is prefetched."""

APART = 80
"""Unused numbers at the end of each row of a scratch array. Without them, all rows would begin at the same place of the
cache and displace each other."""

KEPT = 1 << 15
"""A thread keeps its scratch arrays if they are for documents of at most so many mentions; they take 10 MB."""


_square, _resolved = inlined(bcub.share), inlined(lea.resolved)
_in_units, _halves = inlined(ceaf.in_units), inlined(ceaf.halves)
_search = helper(alignment.search)


class Scratch(NamedTuple):
    """Scratch arrays of `count_blocks`, for documents of at most N mentions, or at most N pairs of entities, each.

    A block of M mentions has at most M cells and M entities of each side. Their numbers have 32 bits, so that more of
    them fit the cache; this suffices, because no document that is counted here has 2^31 mentions.

    Attributes:
        places: uint64 (2, P), argument of `fill_cells`; P is the largest number of places of N mentions.
        lists: uint64 (4, more than N), argument of `fill_cells`; a view of ``floats``, which is used after it.
        table: uint32 (`WIDEST`,), argument of `fill_cells`; all zeros before and after each call.
        entities: int32 (16, at least M + 2) cells, sizes of entities, and the arrays of the alignment.
        numbers: int64 (20, at least `BLOCK_OF_DOCUMENTS` + 1), for each document: the plan of `survey`, bounds,
            and totals.
        floats: float64 (8, at least M + 1), for each cell or entity, see below.
        bits: int64, a view of ``floats``; it is an argument because numba takes long to compile a view.
        parts: float64 (6, at least `BLOCK_OF_DOCUMENTS`) for each document, four sums over its cells and two weights of
            alignments.

    Each row of ``floats`` serves three steps, one after the other:

    === ========================== ============================ =================================
    row `fill_cells`               `_compute_by_cell`           alignments
    === ========================== ============================ =================================
    0   places of the key          k_i of each cell             potentials of rows, for phi3
    1   places of the response     r_j of each cell             potentials of columns
    2   pairs of places            B-cubed by key, then phi3    phi3 of each cell
    3   mentions                   B-cubed by response, phi4    phi4 of each cell
    4   -                          LEA by key                   second choices for phi3, scratch
    5   -                          LEA by response              scratch
    6   -                          -                            potentials of rows, for phi4
    7   -                          -                            second choices for phi4
    === ========================== ============================ =================================
    """

    places: NDArray[np.uint64]
    lists: NDArray[np.uint64]
    table: NDArray[np.uint32]
    entities: Ints32
    numbers: Ints
    floats: Floats
    bits: Ints
    parts: Floats


class _Kept(threading.local):
    """The scratch arrays that a thread keeps, and the number of mentions for which they suffice."""

    longest = -1
    scratch: Scratch


kept = _Kept()


def make_scratch(longest: int) -> Scratch:
    """Return scratch arrays for documents of at most ``longest`` mentions; keep small ones for later calls."""
    longest = max(longest, BLOCK_OF_DOCUMENTS)
    room = BLOCK_OF_DOCUMENTS + longest + APART
    floats = np.empty((8, room))
    scratch = Scratch(
        places=np.empty((2, SPREAD * longest + LEAST_SPREAD + 2), np.uint64),
        lists=floats[:4].view(np.uint64),
        table=np.zeros(WIDEST, np.uint32),
        entities=np.empty((16, room), np.int32),
        numbers=np.empty((20, BLOCK_OF_DOCUMENTS + APART), np.int64),
        floats=floats,
        bits=floats.view(np.int64),
        parts=np.empty((6, BLOCK_OF_DOCUMENTS + APART)),
    )
    if longest <= KEPT:
        kept.scratch, kept.longest = scratch, longest  # in this order: an interrupt may come between the two
    return scratch


@kernel
def count_blocks(
    key: Ints,
    response: Ints,
    offsets: Ints,
    first: int,
    last: int,
    wanted: tuple[bool, bool, bool, bool],
    found: Ints,
    sums: Floats,
    places: NDArray[np.uint64],
    lists: NDArray[np.uint64],
    table: NDArray[np.uint32],
    entities: Ints32,
    numbers: Ints,
    floats: Floats,
    bits: Ints,
    parts: Floats,
) -> np.int64:
    """Count the documents ``first:last``.

    Args:
        key: int64 (M,) labels, -1 where the key lacks the mention.
        response: int64 (S * M,) the same for S responses, one after the other.
        offsets: int64 (D+1,) document bounds in ``key``; not checked.
        first: first document, of S * D.
        last: end of the range.
        wanted: `Needs`.
        found: int64 (12, last - first) receives the first fields of `Totals`.
        sums: float64 (6, last - first) receives the other fields; anything where they are not wanted.
        places: see `Scratch`.
        lists: see `Scratch`.
        table: see `Scratch`.
        entities: see `Scratch`.
        numbers: see `Scratch`.
        floats: see `Scratch`.
        bits: see `Scratch`.
        parts: see `Scratch`.

    Returns:
        ``last``, or the document before which `contingency_batch` would stop. Where the search of an alignment gave up,
        its sum is nan.
    """
    n_documents = offsets.size - 1
    plan, bounds, totals = numbers[:5], numbers[5:8], numbers[8:]
    cells, sizes, key_start = entities[:3], entities[3:5], entities[5]
    by_size, by_weight = wanted[0] or wanted[1], (wanted[2], wanted[3])
    end = first
    while end < last:
        begin = end
        n_mentions = 0
        while end < last and n_mentions < BLOCK_OF_DOCUMENTS and end - begin < BLOCK_OF_DOCUMENTS:
            n_mentions += offsets[end % n_documents + 1] - offsets[end % n_documents]
            end += 1
        n = end - begin
        reached, _ = survey(key, response, offsets, begin, end, plan)
        if reached < end:
            return np.int64(reached)
        fill_cells(
            *(key, response, offsets, begin, end, plan, places, lists, table),
            *(cells, sizes, key_start, bounds, totals),
        )
        n_cells = bounds[0, n]
        of_block = cells[0, :n_cells], cells[1, :n_cells], cells[2, :n_cells]
        _compute_by_cell(by_size, by_weight[0] or by_weight[1], n, of_block, sizes, bounds[0], plan[0], floats, parts)
        if by_weight[0] or by_weight[1]:
            ints, key_bounds = entities[6:], bounds[1][: n + 1]
            n_chosen = find_choices(key_start, of_block[1], bounds[1, n], floats, bits, ints)
            graph = key_start, of_block[1], of_block[2]
            _align(by_weight, n_chosen, graph, bounds[2, n], key_bounds, floats, bits, ints, parts[4:])
            _add_aligned(by_weight, cells, floats[3], sizes, n_cells, (ints[3], ints[4]), key_bounds, parts)
        for d in range(U(n)):
            at = U(begin - first) + d
            for row in range(U(12)):
                found[row, at] = totals[row, d]
            for row in range(U(6)):
                sums[row, at] = parts[row, d]
    return np.int64(last)


@helper
def _align(wanted, n_chosen, graph, n_columns, bounds, floats, bits, ints, totals):
    """Find the best alignments for each of two weights, if it is wanted.

    Args:
        wanted: for each of the two weights, which are whole numbers, whether its alignments are wanted.
        n_chosen: number of listed rows, which `find_choices` returned; it has filled ``floats``, ``bits``, ``ints``.
        graph: starts of the rows' cells; row and column of each cell.
        n_columns: number of columns.
        bounds: document bounds of the rows.
        floats: see `Scratch`.
        bits: a view of ``floats`` as integers.
        ints: ten rows, which are scratch, and what was filled. Rows 3 and 4 become the cells of the rows' alignments.
        totals: two rows; receive nan for each document that was given up.
    """
    start, owner, column = graph
    waiting, row, v = ints[0], ints[2], floats[1]
    u, second, own = (floats[0], floats[6]), (floats[4], floats[7]), ((bits[0], bits[4]), (bits[6], bits[7]))
    for w in range(2):
        if wanted[w]:
            matrix, state = (start, owner, column, floats[2 + w]), (u[w], v, ints[3 + w], row)
            for j in range(U(n_columns)):
                row[j], v[j], ints[6, j] = -1, 0.0, 0
            numbers = own[w][0], bits[1], own[w][1], bits[5]
            n = choose_first(n_chosen, matrix, state, (second[w], floats[5]), numbers, ints[5], ints[1], waiting)
            _search(matrix, state, bounds, waiting, n, (floats[4], ints[5], ints[6], ints[7]), totals[w])


@helper
def _compute_by_cell(by_size, by_weight, n_documents, cells, sizes, offsets, piece, floats, parts):
    """Sum the numerators of B-cubed and LEA if ``by_size``; write the similarities of CEAF if ``by_weight``.

    The cells of a single document are processed in pieces, whose values stay in the cache. Rows 2 and 3 of ``floats``
    receive the similarities phi3 and phi4. ``piece`` is scratch for the bounds of documents within a piece.
    """
    n_cells, is_one = cells[0].size, n_documents == 1
    step = PIECE if is_one else n_cells + 1
    piece[n_documents] = offsets[n_documents]
    for d in range(n_documents):
        piece[d] = offsets[d]
        for part in range(6):
            parts[part, d] = 0.0
    for first in range(0, n_cells, step):
        last = first + step if first + step < n_cells else n_cells
        shared, key, response = cells[0][first:last], cells[1][first:last], cells[2][first:last]
        k, r, lea_key, lea_response = floats[0], floats[1], floats[4], floats[5]
        phi3, phi4 = floats[2, first:last], floats[3, first:last]
        bcub_key, bcub_response = phi3, phi4  # added up before the similarities take their place
        if is_one:
            piece[1] = last - first
        if by_size or by_weight:
            _look_up(key, response, sizes[0], sizes[1], (k, r))
        if by_size:
            for c in range(U(shared.size)):
                n = np.float64(shared[c])
                bcub_key[c], bcub_response[c] = _square(n, k[c]), _square(n, r[c])
            for c in range(U(shared.size)):
                n = np.float64(shared[c])
                lea_key[c], lea_response[c] = _resolved(n, k[c]), _resolved(n, r[c])
            values = bcub_key, bcub_response, lea_key, lea_response
            _add_up(values, piece[: n_documents + 1], (parts[0], parts[1], parts[2], parts[3]))
        if by_weight:
            for c in range(U(shared.size)):
                phi3[c] = shared[c]
            for c in range(U(shared.size)):
                phi4[c] = _in_units(np.float64(shared[c]), k[c] + r[c])


@helper
def _look_up(key, response, key_size, response_size, sizes):
    """Write k_i and r_j of each cell's entities to two rows of ``sizes``, float64 (2, at least C)."""
    of_key, of_response = sizes[0], sizes[1]
    last = U(key.size - 1 if key.size else 0)
    for c in range(U(key.size)):
        prefetch(response_size, U(response[c + AHEAD if c + AHEAD < last else last]))
        of_key[c] = key_size[U(key[c])]
        of_response[c] = response_size[U(response[c])]


@helper
def _add_up(values, offsets, sums):
    """Add four values of each cell, or row, to four sums of each document, one block of cells after the other.

    Each addition to a sum waits for the one before, but not for other sums, so that four sums take no longer than one.
    """
    a, b, c, d = values
    of_a, of_b, of_c, of_d = sums
    for e in range(U(offsets.size - 1)):
        end = offsets[e + ONE]
        all_a, all_b, all_c, all_d = of_a[e], of_b[e], of_c[e], of_d[e]
        for block in range(offsets[e], end, TOGETHER):
            block_a = block_b = block_c = block_d = 0.0
            for cell in range(U(block), U(block + TOGETHER if block + TOGETHER < end else end)):
                block_a += a[cell]
                block_b += b[cell]
                block_c += c[cell]
                block_d += d[cell]
            all_a, all_b, all_c, all_d = all_a + block_a, all_b + block_b, all_c + block_c, all_d + block_d
        of_a[e], of_b[e], of_c[e], of_d[e] = all_a, all_b, all_c, all_d


@helper
def _add_aligned(by_weight, cells, units, sizes, n_cells, row_cells, row_offsets, parts):
    """Add the similarities of aligned entities, phi3 and phi4, to rows 4 and 5 of ``parts``.

    Unaligned rows add those of a cell without mentions after the last one: the processor could not predict a branch.
    """
    shared, column = cells[0], cells[2]
    last = U(n_cells)
    shared[last] = column[last] = 0
    units[last] = 0.0
    if n_cells == 0:
        sizes[1, 0] = 0  # there may be no response entity, and any number in its place, -1 for a row of size 1
    for d in range(U(row_offsets.size - 1)):
        phi3, coarse, fine = np.int64(0), 0.0, 0.0
        for row in range(U(row_offsets[d]), U(row_offsets[d + ONE])):
            cell_3, cell_4 = U(row_cells[0][row]), U(row_cells[1][row])
            cell_3, cell_4 = cell_3 if cell_3 < last else last, cell_4 if cell_4 < last else last
            size = np.float64(sizes[0, row] + sizes[1, U(column[cell_4])])
            phi3 += shared[cell_3] if by_weight[0] else 0
            upper, lower = _halves(np.float64(shared[cell_4] if by_weight[1] else 0), size, units[cell_4])
            coarse, fine = coarse + upper, fine + lower
        parts[4, d] += phi3
        parts[5, d] += coarse + fine


@runs(count_blocks)
def count_totals(clusterings: Clusterings, first: int, last: int, needs: Needs, cells: Cells | None = None) -> Totals:
    """Compute the totals of documents: the fast twin of `arraycoref.scoring.batch.count_totals`."""
    longest = clusterings.longest if clusterings.response.size > BLOCK_OF_DOCUMENTS else BLOCK_OF_DOCUMENTS
    if KEPT < longest < 1 << int(BITS) and len(clusterings) == 1:  # new memory takes longer than counting few entities
        n_pairs = math.prod(int(labels.max()) + 2 for labels in (clusterings.key, clusterings.response))
        longest = n_pairs if n_pairs <= KEPT else longest
    scratch = kept.scratch if longest <= kept.longest else make_scratch(longest)
    totals, parts = np.empty((12, last - first), np.int64), np.empty((6, last - first))
    call_with_labels(count_blocks, clusterings, first, last, tuple(needs), totals, parts, *scratch)
    is_one = last - first == 1
    if not is_one or math.isnan(parts.item(4) + parts.item(5)):  # NumPy takes 2 us to look at the rows of one document
        for row, d in np.argwhere(np.isnan(parts[4:])).tolist():
            one = cells_of(clusterings, first + d, first + d + 1)
            parts[4 + row, d] = (ceaf.best_phi4(one) if row else best_total(one, one.shared))[0]
    columns = totals.ravel().tolist() + parts.ravel().tolist() if is_one else [*totals, *parts]
    if not all(needs):
        squares, resolved, phi3, phi4 = needs
        asked = squares, squares, resolved, resolved, phi3, phi4
        columns[12:] = [value if need else None for value, need in zip(columns[12:], asked, strict=True)]
    return Totals._make(columns)
