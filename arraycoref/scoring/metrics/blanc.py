"""BLANC: the mean of the scores of two classes of links, coreference links C and non-coreference links N.

On each side, C and N are disjoint, and together they are all pairs of mentions. The links that are in C on both sides
are the pairs within cells. The links that are in N on both sides are the pairs of shared mentions that are in one
entity on neither side.

    >>> import arraycoref as ac
    >>> s = ac.score([list("abc"), ["d"]], [list("bc"), list("de")])["blanc"]
    >>> s.coreference.f1, round(s.non_coreference.f1, 4), round(s.f1, 4)
    (0.4, 0.5714, 0.4857)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arraycoref.scoring.cells import Totals, links
from arraycoref.scoring.metrics.score import BlancScore, Sums, V, plain_score, ratio


def sums(n: Totals) -> tuple[Sums, Sums, Sums]:
    """Return three groups of sums: of coreference links, of non-coreference links, and of mentions.

    The score needs the mentions only if there are no links at all.

    Source: Luo et al. (2014), equations 16-18.
    """
    key_pairs, response_pairs = links(n.key_mentions), links(n.response_mentions)
    shared_pairs = links(n.shared_mentions)
    apart = shared_pairs - (n.shared_key_links + n.shared_response_links - n.shared_links)
    return (
        (n.shared_links, n.key_links, n.shared_links, n.response_links),
        (apart, key_pairs - n.key_links, apart, response_pairs - n.response_links),
        (n.shared_mentions, n.key_mentions, n.shared_mentions, n.response_mentions),
    )


def score(sums: Sequence[Sequence[V]], profile: str = "paper", beta: float = 1.0) -> BlancScore[V]:
    """Average the scores of the classes that are present; without any, score whether both sides have the same mentions.

    Args:
        sums: the three groups of `sums`.
        profile: ``paper`` leaves a class out if both sides lack it. ``conll`` does what the reference scorer 8.01 does:
            it leaves a class out if the key lacks it, and the score is 0 if no class is left. ``corefud`` leaves out
            as ``paper`` does, and scores 0 as ``conll`` does.
        beta: beta of the F-measure.

    Source: Luo et al. (2014), section 4.1.
    """
    either = profile != "conll"
    coreference, non_coreference = plain_score(sums[0], beta=beta), plain_score(sums[1], beta=beta)
    weights = [1.0 * ((s.recall_den != 0) | (either & (s.precision_den != 0))) for s in (coreference, non_coreference)]
    n_classes = weights[0] + weights[1]
    shared, n_key, _, n_response = sums[2]
    same = (n_classes == 0) * 1.0 * ((profile == "paper") & (shared == n_key) & (shared == n_response))
    recall, precision, f1 = [
        ratio(weights[0] * c + weights[1] * n, n_classes) + same
        for c, n in zip(coreference, non_coreference, strict=True)
    ]
    none = n_classes * np.nan
    return BlancScore(recall, precision, f1, none, none, none, none, coreference, non_coreference)
