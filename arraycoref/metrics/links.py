"""Measures over all links: pairwise recall and precision, BLANC and the Rand index."""

from __future__ import annotations

from arraycoref.contingency import Cells
from arraycoref.metrics.base import Floats


def count_pairwise(cells: Cells) -> Floats:
    """Count the coreference links that key and response share, against those of each: float64 (D, 4).

    Source: Luo et al. (2014), equation 16, coreference links.
    """
    return cells.link_counts.pairwise


def count_blanc(cells: Cells) -> Floats:
    """Count BLANC's links: float64 (D, 12), three times four sums.

    Columns 0-3 are those of coreference links C, 4-7 of non-coreference links N, 8-11 of mentions, which the score
    needs where there are no links at all. C and N are disjoint, and together all pairs of mentions. The pairs in both
    N are those of shared mentions that are together on neither side.

    Source: Luo et al. (2014), equations 16-18.
    """
    return cells.link_counts.blanc


def count_rand(cells: Cells) -> Floats:
    """Count the links on which key and response agree, against all links: float64 (D, 4), recall as precision.

    Source: Rand (1971); Luo et al. (2014), section 3. Its equation 1 prints another denominator than its text, "the
    total number of links", which this follows.
    """
    blanc = cells.link_counts.blanc
    return blanc[:, 0:4] + blanc[:, 4:8]
