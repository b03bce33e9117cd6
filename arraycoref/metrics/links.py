"""Measures over all links: pairwise recall and precision, BLANC and the Rand index."""

from __future__ import annotations

import numpy as np

from arraycoref.contingency import Cells, Integers
from arraycoref.metrics.base import Floats, four_sums
from arraycoref.metrics.mentions import count as count_mentions


def count_pairwise(cells: Cells) -> Floats:
    """Count the coreference links that key and response share: float64 (D, 4).

    Source: Luo et al. (2014), equation 16, coreference links.
    """
    return four_sums(cells.shared_links, cells.key_links, cells.shared_links, cells.response_links)


def count_blanc(cells: Cells) -> Floats:
    """Count BLANC's links: float64 (D, 12), three times four sums.

    Columns 0-3 are those of coreference links C, 4-7 of non-coreference links N, 8-11 of mentions, which the score
    needs where there are no links at all. C and N are disjoint, and together all pairs of mentions.

    Source: Luo et al. (2014), equations 16-18.
    """
    common = _common_non_coreference(cells)
    non_coreference = four_sums(
        recall_num=common,
        recall_den=_pairs(cells.n_key_mentions) - cells.key_links,
        precision_num=common,
        precision_den=_pairs(cells.n_response_mentions) - cells.response_links,
    )
    return np.concatenate((count_pairwise(cells), non_coreference, count_mentions(cells)), axis=1)


def count_rand(cells: Cells) -> Floats:
    """Count the links on which key and response agree, against all links: float64 (D, 4), recall as precision.

    Source: Rand (1971); Luo et al. (2014), section 3. Its equation 1 prints another denominator than its text, "the
    total number of links", which this follows.
    """
    agreeing = cells.shared_links + _common_non_coreference(cells)
    return four_sums(agreeing, _pairs(cells.n_key_mentions), agreeing, _pairs(cells.n_response_mentions))


def _pairs(n: Integers) -> Integers:
    return n * (n - 1) >> 1


def _common_non_coreference(cells: Cells) -> Integers:
    """|N_k and N_r|: pairs of shared mentions that are together on neither side."""
    together = cells.shared_key_links + cells.shared_response_links - cells.shared_links
    return _pairs(cells.n_shared_mentions) - together
