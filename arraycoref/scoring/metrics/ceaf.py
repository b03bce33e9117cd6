"""CEAF: the best one-to-one alignment of key and response entities, under four similarities of entities.

A similarity phi4 is rounded to a multiple of 2^-40, and these are added as integers: every best alignment, in whatever
order, then has the same total.

The total similarity of the aligned entities is divided by that of each side aligned with itself: its mentions for phi3,
its entities for the others.

    >>> import arraycoref as ac
    >>> s = ac.score([list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")])
    >>> s["ceafm"].recall_num, s["ceafm"].recall_den, round(s["ceafe"].recall_num, 9), s["ceafe"].precision_den
    (4.0, 7.0, 1.3, 3.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arraycoref.scoring.alignment import align
from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.metrics.score import Floats, Sums

UNITS = 2.0**40
"""A similarity phi4 is a whole number of units, and so many units are 1."""


def count_mention(cells: Cells) -> Floats:
    """Count CEAFm, similarity phi3 = n_ij, against the mentions: float64 (D, 4).

    Source: Luo (2005), phi 3; Pradhan et al. (2014), section 4.3.
    """
    return np.array(by_mentions(cells.totals, align(cells, cells.shared).total), np.float64).T


def count_entity(cells: Cells) -> Floats:
    """Count CEAFe, similarity phi4 = 2 n_ij / (k_i + r_j), against the entities: float64 (D, 4).

    Source: Luo (2005), phi 4; Pradhan et al. (2014), section 4.3.
    """
    return np.array(by_entities(cells.totals, align(cells, similarity(cells)).total / UNITS), np.float64).T


def count_phi1(cells: Cells) -> Floats:
    """Count CEAF with similarity phi1, 1 where the entities are equal: float64 (D, 4).

    Source: Luo (2005), phi 1.
    """
    equal = similarity(cells) == UNITS
    return np.array(by_entities(cells.totals, align(cells, equal).total), np.float64).T


def count_phi2(cells: Cells) -> Floats:
    """Count CEAF with similarity phi2, 1 where the entities share a mention: float64 (D, 4).

    Source: Luo (2005), phi 2.
    """
    return np.array(by_entities(cells.totals, align(cells, np.ones_like(cells.shared)).total), np.float64).T


def similarity(cells: Cells) -> Floats:
    """Return the similarity phi4 of each cell's entities in units, float64 (C,)."""
    found: Floats = phi4(cells.shared.astype(np.float64), *cells.sizes)
    return found


def phi4(n: Any, key_size: Any, response_size: Any) -> Any:
    """Return 2 n_ij / (k_i + r_j) of cells, or of one cell, in `UNITS`."""
    return np.rint(2.0 * n / (key_size + response_size) * UNITS)


def by_mentions(n: Totals, total: Any) -> Sums:
    """Return the four sums of documents, or of one document, from their totals and the weight of the alignment."""
    return total, n.key_mentions, total, n.response_mentions


def by_entities(n: Totals, total: Any) -> Sums:
    """Return the same against the entities."""
    return total, n.key_entities, total, n.response_entities
