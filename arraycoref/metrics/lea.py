"""LEA: the links of each entity that are resolved, weighed by the entity's size."""

from __future__ import annotations

from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats


def count(cells: Cells) -> Floats:
    """Count LEA's importance-weighted resolved links: float64 (D, 4).

    Entity i contributes k_i times its resolved share, sum_j L(n_ij) / L(k_i), against the mentions of its side. A
    singleton has one link, to itself, resolved where it is a singleton on both sides.

    Source: Moosavi and Strube (2016).
    """
    return cells.ratios.lea
