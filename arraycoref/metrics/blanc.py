"""BLANC: the mean of the scores of two classes of links, coreference links C and non-coreference links N.

C and N are disjoint, and together all pairs of mentions. The links in both C are the pairs within the cells. Those in
both N are the pairs of shared mentions that are together on neither side.

    >>> import arraycoref as ac
    >>> s = ac.score([list("abc"), ["d"]], [list("bc"), list("de")])["blanc"]
    >>> s.coreference.f1, round(s.non_coreference.f1, 4), round(s.f1, 4)
    (0.4, 0.5714, 0.4857)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arraycoref.contingency import Cells, Totals
from arraycoref.kernels.jit import helper
from arraycoref.metrics.score import BlancScore, Floats, Sums, V, plain_score, ratio


def count(cells: Cells) -> Floats:
    """Count BLANC's links: float64 (D, 3, 4), of coreference links, of non-coreference links, and of mentions.

    The score needs the mentions where there are no links at all.

    Source: Luo et al. (2014), equations 16-18.
    """
    return np.array(sums(cells.totals), np.float64).transpose(2, 0, 1)


@helper
def sums(n: Totals) -> tuple[Sums, Sums, Sums]:
    """Return the four sums of each group, of documents or of one document, from their totals."""
    key_pairs, response_pairs, shared_pairs = (
        n.key_mentions * (n.key_mentions - 1) >> 1,
        n.response_mentions * (n.response_mentions - 1) >> 1,
        n.shared_mentions * (n.shared_mentions - 1) >> 1,
    )
    apart = shared_pairs - (n.shared_key_links + n.shared_response_links - n.shared_links)
    return (
        (n.shared_links, n.key_links, n.shared_links, n.response_links),
        (apart, key_pairs - n.key_links, apart, response_pairs - n.response_links),
        (n.shared_mentions, n.key_mentions, n.shared_mentions, n.response_mentions),
    )


def score(sums: Sequence[Sequence[V]], profile: str = "paper", beta: float = 1.0) -> BlancScore[V]:
    """Average the scores of the classes that are present, or ask whether the mentions are the same if none is.

    Args:
        sums: the three groups of `count`.
        profile: ``paper`` leaves a class out where both sides lack it; ``conll`` where the key lacks it, as the
            reference scorer 8.01 does, which scores no links at all as 0.
        beta: of F.

    Source: Luo et al. (2014), section 4.1.
    """
    paper = profile == "paper"
    coreference, non_coreference = plain_score(sums[0], beta=beta), plain_score(sums[1], beta=beta)
    weights = [1.0 * ((s.recall_den != 0) | (paper & (s.precision_den != 0))) for s in (coreference, non_coreference)]
    n_classes = weights[0] + weights[1]
    shared, n_key, _, n_response = sums[2]
    same = (n_classes == 0) * 1.0 * (paper & (shared == n_key) & (shared == n_response))
    recall, precision, f1 = [
        ratio(weights[0] * c + weights[1] * n, n_classes) + same
        for c, n in (
            (coreference.recall, non_coreference.recall),
            (coreference.precision, non_coreference.precision),
            (coreference.f1, non_coreference.f1),
        )
    ]
    none = n_classes * np.nan
    return BlancScore(recall, precision, f1, none, none, none, none, coreference, non_coreference)
