"""The adjusted Rand index of two clusterings of the same mentions: agreement on pairs, corrected for chance.

Of the n pairs of these mentions, a are together in the key, b in the response, and c in both. The index is
(c - ab / n) / ((a + b) / 2 - ab / n): 1 for equal sides, 0 on average for unrelated ones, and below 0 for worse than
that. Where both sides agree on every pair, it is 1. A corpus is one pool of the pairs within documents: their counts
are added up first.

    >>> import arraycoref as ac
    >>> round(ac.score_labels([0, 0, 1, 1], [0, 0, 1, 2], metrics="ari")["ari"].f1, 4)
    0.5714
"""

from __future__ import annotations

from collections.abc import Sequence

from arraycoref.scoring.cells import Totals, links
from arraycoref.scoring.metrics.score import Score, Sums, V, ratio, single_value


def sums(n: Totals) -> Sums:
    """Return the pairs together on both sides, in the key, in the response, and all.

    Source: Hubert and Arabie (1985), equation 5.
    """
    return n.shared_links, n.shared_key_links, n.shared_response_links, links(n.shared_mentions)


def score(sums: Sequence[V], _profile: str = "paper", _beta: float = 1.0) -> Score[V]:
    """Correct the agreement for chance, by the four kinds of pairs, none of which is negative.

    Source: Hubert and Arabie (1985), equation 5, as 2 (tp tn - fn fp) / ((tp + fn) (fn + tn) + (tp + fp) (fp + tn)).
    """
    both, in_key, in_response, pairs = sums
    key_only, response_only = in_key - both, in_response - both
    neither = pairs - in_key - response_only
    corrected: V = ratio(
        2.0 * (both * neither - key_only * response_only),
        in_key * (key_only + neither) + in_response * (response_only + neither),
    )
    equal = 1.0 * ((key_only == 0) & (response_only == 0))
    return single_value(corrected * (1.0 - equal) + equal)
