"""CEAF: the best one-to-one alignment of key and response entities, under four similarities of entities.

The total similarity of the aligned entities is divided by that of each side aligned with itself: its mentions for phi3,
its entities for the others.

Entities are aligned by their similarities phi4 in whole numbers of 2^-40, which add up without rounding. The total is
that of the exact fractions, added in two parts whose rounding errors are far below the last bit. Alignments that are
equally good in whole numbers usually have the same fractions, in another order; otherwise their totals may differ by
less than these numbers show, 10^-12 or so.

    >>> import arraycoref as ac
    >>> s = ac.score([list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")])
    >>> s["ceafm"].recall_num, s["ceafm"].recall_den, s["ceafe"].recall_num, s["ceafe"].precision_den
    (4.0, 7.0, 1.3, 3.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arraycoref.ragged import Floats, Ints, owners
from arraycoref.scoring.alignment import align, best_total
from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.metrics.score import Sums

UNITS = 2.0**40
"""In alignments, a similarity phi4 is a whole number of units, and so many units are 1."""

COARSE = 2.0**20
"""Multiples of 1 / `COARSE` that are similarities can be added, and multiplied by sizes, without rounding."""


def sums_of_mentions(n: Totals) -> Sums:
    """Return CEAFm, similarity phi3 = n_ij, against the mentions.

    Source: Luo (2005), phi 3; Pradhan et al. (2014), section 4.3.
    """
    return n.phi3, n.key_mentions, n.phi3, n.response_mentions


def sums_of_entities(n: Totals) -> Sums:
    """Return CEAFe, similarity phi4 = 2 n_ij / (k_i + r_j), against the entities.

    Source: Luo (2005), phi 4; Pradhan et al. (2014), section 4.3.
    """
    return n.phi4, n.key_entities, n.phi4, n.response_entities


def count_phi1(cells: Cells) -> Sums:
    """Count CEAF with similarity phi1, 1 where the entities are equal.

    Source: Luo (2005), phi 1.
    """
    return _of_entities(cells, best_total(cells, similarity(cells) == UNITS))


def count_phi2(cells: Cells) -> Sums:
    """Count CEAF with similarity phi2, 1 where the entities share a mention.

    Source: Luo (2005), phi 2.
    """
    return _of_entities(cells, best_total(cells, np.ones_like(cells.shared)))


def _of_entities(cells: Cells, total: Floats) -> Sums:
    """Return a total similarity against the entities."""
    return total, cells.totals.key_entities, total, cells.totals.response_entities


def best_phi4(cells: Cells) -> Floats:
    """Return the total similarity phi4 of each document's best alignment, float64 (D,)."""
    return sum_aligned(cells, align(cells, similarity(cells)), owners(cells.key_offsets), cells.offsets.size - 1)


def similarity(cells: Cells) -> Floats:
    """Return the similarity phi4 of each cell's entities in units, float64 (C,)."""
    units: Floats = in_units(cells.shared.astype(np.float64), cells.sizes.sum(axis=0))
    return units


def in_units(n: Any, size: Any) -> Any:
    """Return 2 n_ij / (k_i + r_j) of cells, or of one cell, as a whole number of `UNITS`; ``size`` is k_i + r_j."""
    return np.rint(2.0 * n / size * UNITS)


def halves(n: Any, size: Any, units: Any) -> tuple[Any, Any]:
    """Return a multiple of 1 / `COARSE` near to 2 n_ij / (k_i + r_j), and the rest, which has 74 binary places.

    ``units`` is what `in_units` returns.
    """
    coarse = np.rint(units * (COARSE / UNITS)) / COARSE
    return coarse, (2.0 * n - coarse * size) / size


def sum_aligned(cells: Cells, cell: Ints, document: Ints, n_documents: int) -> Floats:
    """Sum the similarities phi4 of aligned entities: float64 (D,).

    Args:
        cells: contingency cells.
        cell: int64 (A,) the cell of each key entity's alignment, -1 where it is unaligned.
        document: int64 (A,) the document of each key entity.
        n_documents: D.
    """
    rows = np.flatnonzero(cell >= 0)
    n, size = cells.shared[cell[rows]].astype(np.float64), cells.sizes[:, cell[rows]].sum(axis=0)
    parts = halves(n, size, in_units(n, size))
    coarse, fine = (np.bincount(document[rows], part, n_documents) for part in parts)
    return (coarse + fine).astype(np.float64, copy=False)
