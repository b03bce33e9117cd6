"""Fowlkes-Mallows index: the geometric mean of recall and precision of the coreference links.

Its sums are those of `pairwise`, whose F is the harmonic mean, which is never larger.

    >>> import arraycoref as ac
    >>> s = ac.score_labels([0, 0, 0, 1, 1], [0, 0, 1, 1, 1], metrics="fowlkes-mallows")["fowlkes-mallows"]
    >>> s.recall, s.precision, round(s.f1, 4)
    (0.5, 0.5, 0.5)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arraycoref.scoring.metrics import pairwise
from arraycoref.scoring.metrics.score import Score, V, plain_score

sums = pairwise.sums


def score(counts: Sequence[V], _profile: str = "paper", _beta: float = 1.0) -> Score[V]:
    """Score as `plain_score`, with the geometric mean instead of F, which has no beta.

    Source: Fowlkes and Mallows (1983), section 2.
    """
    links = plain_score(counts)
    return replace(links, f1=(links.recall * links.precision) ** 0.5)
