"""CEAF: the best one-to-one alignment of key and response entities, under four similarities of entities.

The total similarity of the aligned entities is divided by that of each side aligned with itself: its mentions for phi3,
its entities for the others.

    >>> import arraycoref as ac
    >>> s = ac.score([list("abc"), list("defg")], [list("ab"), list("cd"), list("fghi")])
    >>> s["ceafm"].recall_num, s["ceafm"].recall_den, s["ceafe"].recall_num, s["ceafe"].precision_den
    (4.0, 7.0, 1.3, 3.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arraycoref.kernels.jit import Ints, U, helper, kernel
from arraycoref.scoring.alignment import align
from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.metrics.score import Floats, Sums


def count_mention(cells: Cells) -> Floats:
    """Count CEAFm, similarity phi3 = n_ij, against the mentions: float64 (D, 4).

    Source: Luo (2005), phi 3; Pradhan et al. (2014), section 4.3.
    """
    total = align(cells, cells.shared.astype(np.float64), unit=1.0).total
    return np.array(by_mentions(cells.totals, total), np.float64).T


def count_entity(cells: Cells) -> Floats:
    """Count CEAFe, similarity phi4 = 2 n_ij / (k_i + r_j), against the entities: float64 (D, 4).

    Source: Luo (2005), phi 4; Pradhan et al. (2014), section 4.3.
    """
    return np.array(by_entities(cells.totals, align(cells, similarity(cells)).total), np.float64).T


def count_phi1(cells: Cells) -> Floats:
    """Count CEAF with similarity phi1, 1 where the entities are equal: float64 (D, 4).

    Source: Luo (2005), phi 1.
    """
    equal = similarity(cells) == 1.0
    total = align(cells, equal.astype(np.float64), unit=1.0).total
    return np.array(by_entities(cells.totals, total), np.float64).T


def count_phi2(cells: Cells) -> Floats:
    """Count CEAF with similarity phi2, 1 where the entities share a mention: float64 (D, 4).

    Source: Luo (2005), phi 2.
    """
    total = align(cells, np.ones(cells.shared.size), unit=1.0).total
    return np.array(by_entities(cells.totals, total), np.float64).T


def similarity(cells: Cells) -> Floats:
    """Return the similarity phi4 of each cell's entities, float64 (C,)."""
    found = np.empty(cells.shared.size)
    phi4(cells.shared, cells.sizes, found)
    return found


@helper
def by_mentions(n: Totals, total: Any) -> Sums:
    """Return the four sums of documents, or of one document, from their totals and the weight of the alignment."""
    return total, n.key_mentions, total, n.response_mentions


@helper
def by_entities(n: Totals, total: Any) -> Sums:
    """Return the same against the entities."""
    return total, n.key_entities, total, n.response_entities


@kernel
def phi3(shared: Ints, similarity: Floats) -> None:
    """Write the similarity n_ij of each cell's entities, float64 (at least C,)."""
    for c in range(U(shared.size)):
        similarity[c] = shared[c]


@kernel
def phi4(shared: Ints, sizes: Floats, similarity: Floats) -> None:
    """Write the similarity 2 n_ij / (k_i + r_j) of each cell's entities, float64 (at least C,)."""
    key_size, response_size = sizes[0], sizes[1]
    for c in range(U(shared.size)):
        similarity[c] = 2.0 * np.float64(shared[c]) / (key_size[c] + response_size[c])
