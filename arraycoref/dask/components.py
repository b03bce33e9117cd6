"""The cells of one document, and their connected components, which CEAF aligns each by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.contingency import Cells, one_document, segment_bounds
from arraycoref.metrics.base import Metric

Integers = NDArray[np.int64]

ALIGNING = (
    "ceafm",
    "ceafe",
    "ceaf-phi1",
    "ceaf-phi2",
    "ceafm-rn",
    "ceafe-rn",
    "ceafm-sys",
    "ceafe-sys",
)
"""Metrics whose counts are sums over connected components."""


def is_alignment(metric: Metric) -> bool:
    """Whether a metric aligns entities."""
    return metric.name in ALIGNING


def component_parts(cells: Cells, n_parts: int) -> list[Cells | None]:
    """Part the cells of one document into sets of connected components with about as many cells each.

    Args:
        cells: of one document.
        n_parts: at most 256.

    Returns:
        ``n_parts`` sets, None for one without entities; entities and cells keep their order within each.
    """
    from arraycoref.kernels.components import component_labels

    n_keys, n_nodes = cells.key_size.size, cells.key_size.size + cells.response_size.size
    component = np.empty(n_nodes, np.int64)
    component_labels(cells.key, cells.response + n_keys, component)
    weight = np.bincount(component[cells.key], minlength=n_nodes)
    before = np.cumsum(weight) - weight
    part = (before * n_parts // max(cells.key.size, 1)).clip(max=n_parts - 1).astype(np.uint8)[component]
    key_order, key_bounds, key_number = _sorted(part[:n_keys], n_parts)
    response_order, response_bounds, response_number = _sorted(part[n_keys:], n_parts)
    cell_order, cell_bounds, _ = _sorted(part[cells.key], n_parts)
    parts: list[Cells | None] = []
    for p in range(n_parts):
        k, r, c = (bounds[p : p + 2] for bounds in (key_bounds, response_bounds, cell_bounds))
        if k[0] == k[1] and r[0] == r[1]:
            parts.append(None)
            continue
        here = cell_order[c[0] : c[1]]
        parts.append(
            one_document(
                key_number[cells.key[here]] - k[0],
                response_number[cells.response[here]] - r[0],
                cells.shared[here],
                cells.key_size[key_order[k[0] : k[1]]],
                cells.response_size[response_order[r[0] : r[1]]],
            )
        )
    return parts


def _sorted(part: NDArray[np.uint8], n_parts: int) -> tuple[Integers, Integers, Integers]:
    """Sort by part, stably: the order, the bounds of the parts in it, and the place of each item."""
    order = np.argsort(part, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    return order, segment_bounds(np.bincount(part, minlength=n_parts)), place
