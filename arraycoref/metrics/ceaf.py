"""CEAF: the best one-to-one alignment of key and response entities, under four similarities of entities."""

from __future__ import annotations

import numpy as np

from arraycoref.assignment import align
from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats, four_sums


def count_mention(cells: Cells) -> Floats:
    """Count CEAFm, similarity phi3 = n_ij, against the mentions: float64 (D, 4).

    Source: Luo (2005), phi 3; Pradhan et al. (2014), section 4.3.
    """
    total = align(cells, cells.ratios.phi3, unit=1.0).total
    return four_sums(total, cells.n_key_mentions, total, cells.n_response_mentions)


def count_entity(cells: Cells) -> Floats:
    """Count CEAFe, similarity phi4 = 2 n_ij / (k_i + r_j), against the entities: float64 (D, 4).

    Source: Luo (2005), phi 4; Pradhan et al. (2014), section 4.3.
    """
    return _against_entities(cells, cells.ratios.phi4)


def count_phi1(cells: Cells) -> Floats:
    """Count CEAF with similarity phi1, 1 where the entities are equal: float64 (D, 4).

    Source: Luo (2005), phi 1.
    """
    equal = cells.ratios.phi4 == 1.0
    return _against_entities(cells, equal.astype(np.float64), unit=1.0)


def count_phi2(cells: Cells) -> Floats:
    """Count CEAF with similarity phi2, 1 where the entities share a mention: float64 (D, 4).

    Source: Luo (2005), phi 2.
    """
    return _against_entities(cells, np.ones(cells.shared.size), unit=1.0)


def _against_entities(cells: Cells, weights: Floats, unit: float = 0.0) -> Floats:
    total = align(cells, weights, unit).total
    return four_sums(total, cells.n_key_entities, total, cells.n_response_entities)
