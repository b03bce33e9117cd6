"""Count the default metrics of many documents in one compiled call, block by block, so that cells stay in the cache.

Every formula is on its metric's page. `arraycoref.scoring.cells` and the pages' functions compute the same sums in
separate steps, equal to the last bit.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.alignment import align_under
from arraycoref.kernels.by_cell import add_up, look_up_sizes
from arraycoref.kernels.cells import fill_cells
from arraycoref.kernels.first_choices import find_choices, find_choices_by_row
from arraycoref.kernels.jit import Floats, Ints, Ints32, U, helper, inlined, inside, kernel
from arraycoref.kernels.survey import LEAST_SPREAD, SPREAD, WIDEST, survey
from arraycoref.scoring.cells import Totals
from arraycoref.scoring.metrics import bcub, blanc, ceaf, lea, mentions, muc, pairwise

NAMES = ("mentions", "muc", "pairwise", "blanc", "bcub", "lea", "ceafm", "ceafe")
"""Metrics that `count_blocks` counts, in the order of its argument ``wanted``."""

ALIGNED = NAMES[6:]
"""Those that search for an alignment, which may take long."""

BLOCK = 4_096
"""A block of documents ends when it has so many mentions, so that its cells and their values stay in the cache."""

PIECE = 1 << 13
"""Cells of a single document that are processed at once: a multiple of `arraycoref.kernels.by_cell.BLOCK`, so that
values are added in the same order as without pieces."""

DENSE = 8
"""Cells per key entity of a single document above which each key entity's row is processed alone."""

APART = 80
"""Unused numbers at the end of each row of a scratch array. Without them, all rows would begin at the same place of the
cache and displace each other."""

KEPT = 1 << 15
"""A thread keeps its scratch arrays if they are for documents of at most so many mentions; they take 10 MB."""


_squares, _links = inside(bcub.write_squares), inside(lea.write_links)
_look_up = inside(look_up_sizes)
_phi3, _phi4 = inside(ceaf.phi3), inside(ceaf.phi4)


class Scratch(NamedTuple):
    """Scratch arrays of `count_blocks`, for documents of at most N mentions each.

    A block of M mentions has at most M cells and M entities of each side. Their numbers have 32 bits, so that more of
    them fit the cache; this suffices, because no document that is counted here has 2^31 mentions.

    Attributes:
        places: uint64 (2, P), argument of `fill_cells`; P is the largest number of places of N mentions.
        lists: uint64 (4, N + `APART`), argument of `fill_cells`.
        table: uint32 (`WIDEST`,), argument of `fill_cells`; all zeros before and after each call.
        entities: int32 (16, at least M + 2) cells, sizes of entities, and the arrays of the alignment.
        numbers: int64 (20, at least `BLOCK` + 1), for each document: the plan of `survey`, bounds, and totals.
        floats: float64 (8, at least M + 1), for each cell or entity.
        bits: int64, a view of ``floats``; it is an argument because numba takes long to compile a view.
        parts: float64 (6, at least `BLOCK`) for each document, four sums over its cells and two weights of alignments.
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
    longest = max(longest, BLOCK)
    room = BLOCK + longest + APART
    floats = np.empty((8, room))
    scratch = Scratch(
        places=np.empty((2, SPREAD * longest + LEAST_SPREAD + 2), np.uint64),
        lists=np.empty((4, longest + APART), np.uint64),
        table=np.zeros(WIDEST, np.uint32),
        entities=np.empty((16, room), np.int32),
        numbers=np.empty((20, BLOCK + APART), np.int64),
        floats=floats,
        bits=floats.view(np.int64),
        parts=np.empty((6, BLOCK + APART)),
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
    at: int,
    patience: int,
    wanted: Ints,
    sums: Floats,
    places: NDArray[np.uint64],
    lists: NDArray[np.uint64],
    table: NDArray[np.uint32],
    entities: Ints32,
    numbers: Ints,
    floats: Floats,
    bits: Ints,
    parts: Floats,
) -> tuple[np.int64, bool]:
    """Count the documents ``first:last``.

    Args:
        key: int64 (M,) labels, -1 where the key lacks the mention.
        response: int64 (S * M,) the same for S responses, one behind the other.
        offsets: int64 (D+1,) document bounds in ``key``; not checked.
        first: first document, of S * D.
        last: end of the range.
        at: the document of ``sums`` that receives the sums of ``first``.
        patience: number of visits per cell after which the searches for a document's alignment give up.
        wanted: int64 (8,) the first group of ``sums`` of each metric in `NAMES`, -1 for a metric that is not counted.
        sums: float64 (K, N, 4) receives the sums.
        places: see `Scratch`.
        lists: see `Scratch`.
        table: see `Scratch`.
        entities: see `Scratch`.
        numbers: see `Scratch`.
        floats: see `Scratch`.
        bits: see `Scratch`.
        parts: see `Scratch`.

    Returns:
        ``last``, or the document before which `contingency_batch` would stop; and whether all alignments were found.
        Where the searches gave up, the sum of the alignment is nan.
    """
    n_documents = offsets.size - 1
    plan, bounds, totals = numbers[:5], numbers[5:8], numbers[8:]
    cells, sizes, key_start = entities[:3], entities[3:5], entities[5]
    aligned = True
    end = first
    while end < last:
        begin = end
        n_mentions = 0
        while end < last and n_mentions < BLOCK and end - begin < BLOCK:
            n_mentions += offsets[end % n_documents + 1] - offsets[end % n_documents]
            end += 1
        n = end - begin
        reached, _ = survey(key, response, offsets, begin, end, plan)
        if reached < end:
            return np.int64(reached), True
        fill_cells(
            *(key, response, offsets, begin, end, plan, places, lists, table),
            *(cells, sizes, key_start, bounds, totals),
        )
        n_cells = bounds[0, n]
        found = cells[0, :n_cells], cells[1, :n_cells], cells[2, :n_cells]
        _compute_by_cell(wanted, n, found, sizes, bounds[0], plan[0], floats, parts)
        by_weight = wanted[6] >= 0, wanted[7] >= 0
        if by_weight[0] or by_weight[1]:
            matrix, key_bounds = (key_start, found[1], found[2]), bounds[1][: n + 1]
            ints, n_columns = entities[6:], bounds[2, n]
            n_chosen = find_choices(key_start, found[1], bounds[1, n], floats, bits, ints)
            aligned &= align_under(
                by_weight, n_chosen, matrix, floats, bits, patience, n_columns, ints, key_bounds, parts[4:]
            )
        for d in range(n):
            _write(wanted, totals, parts, U(d), sums, U(at + begin - first + d))
    return np.int64(last), aligned


@kernel
def count_cells(
    shared: Ints,
    key: Ints,
    response: Ints,
    key_size: Ints,
    response_size: Ints,
    offsets: Ints,
    key_start: Ints,
    key_offsets: Ints,
    totals: Ints,
    at: int,
    patience: int,
    wanted: Ints,
    sums: Floats,
    ints: Ints32,
    floats: Floats,
    bits: Ints,
    parts: Floats,
) -> bool:
    """Count documents whose cells are known. The first nine arguments are attributes of `Cells`.

    Args:
        shared: int64 (C,).
        key: int64 (C,).
        response: int64 (C,).
        key_size: int64 (A,).
        response_size: int64 (B,).
        offsets: int64 (D+1,).
        key_start: int64 (A+1,).
        key_offsets: int64 (D+1,).
        totals: int64 (12, D).
        at: see `count_blocks`.
        patience: see `count_blocks`.
        wanted: see `count_blocks`.
        sums: see `count_blocks`.
        ints: int32 (10, N) scratch; N is larger than A, B and C.
        floats: float64 (8, N) scratch.
        bits: int64 (8, N), a view of ``floats``.
        parts: float64 (6, D) scratch.

    Returns:
        Whether all alignments were found; see `count_blocks`.
    """
    n, found, aligned = offsets.size - 1, (shared, key, response), True
    _compute_by_cell(wanted, n, found, (key_size, response_size), offsets, np.empty(n + 1, np.int64), floats, parts)
    by_weight = wanted[6] >= 0, wanted[7] >= 0
    if by_weight[0] or by_weight[1]:
        matrix = key_start, key, response
        if shared.size > DENSE * key_size.size:
            n_chosen = find_choices_by_row(key_start, key_size.size, bits, ints)
        else:
            n_chosen = find_choices(key_start, key, key_size.size, floats, bits, ints)
        aligned = align_under(
            by_weight, n_chosen, matrix, floats, bits, patience, response_size.size, ints, key_offsets, parts[4:]
        )
    for d in range(n):
        _write(wanted, totals, parts, U(d), sums, U(at + d))
    return aligned


@helper
def _compute_by_cell(wanted, n_documents, cells, sizes, offsets, piece, floats, parts):
    """Sum the numerators of B-cubed and LEA if either is wanted; write the similarities of CEAF if either is wanted.

    The cells of a single document are processed in pieces, whose values stay in the cache. Rows 2 and 3 of ``floats``
    receive the similarities phi3 and phi4. ``piece`` is scratch for the bounds of documents within a piece.
    """
    by_size, by_weight = wanted[4] >= 0 or wanted[5] >= 0, wanted[6] >= 0 or wanted[7] >= 0
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
        of_cells, resolved = (floats[0], floats[1]), (floats[4], floats[5])
        shares = floats[2, first:last], floats[3, first:last]
        if is_one:
            piece[1] = last - first
        if by_size or by_weight:
            _look_up(key, response, sizes[0], sizes[1], of_cells)
        if by_size:
            _squares(shared, of_cells, shares)
            _links(shared, of_cells, resolved)
            add_up((*shares, *resolved), piece[: n_documents + 1], (parts[0], parts[1], parts[2], parts[3]))
        if by_weight:
            _phi3(shared, shares[0])
            _phi4(shared, of_cells, shares[1])


@inlined
def _write(wanted, totals, parts, d, sums, at):
    """Write one document's sums of each metric."""
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
    _put(mentions.sums(n), wanted[0], sums, at)
    _put(muc.sums(n), wanted[1], sums, at)
    _put(pairwise.sums(n), wanted[2], sums, at)
    for group, found in enumerate(blanc.sums(n)):
        _put(found, wanted[3] + group if wanted[3] >= 0 else np.int64(-1), sums, at)
    _put(bcub.sums(n, parts[0, d], parts[1, d]), wanted[4], sums, at)
    _put(lea.sums(n, parts[2, d], parts[3, d]), wanted[5], sums, at)
    _put(ceaf.by_mentions(n, parts[4, d]), wanted[6], sums, at)
    _put(ceaf.by_entities(n, parts[5, d]), wanted[7], sums, at)


@inlined
def _put(found, place, sums, at):
    """Write the four sums of a group, unless its place is negative."""
    if place >= 0:
        group = U(place)
        sums[group, at, 0], sums[group, at, 1], sums[group, at, 2], sums[group, at, 3] = found
