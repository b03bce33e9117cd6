"""Krippendorff's alpha: 1 minus the disagreement that is observed, over the one that chance would make.

Its sums, and those of kappa, come from `arraycoref.stats.annotators`, where annotators agree on the chains of mentions.

    >>> score([1.0, 4.0, 0.0, 0.0]).f1
    0.75
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arraycoref.scoring.metrics import ari
from arraycoref.scoring.metrics.score import Score, V, ratio, single_value


def score(sums: Sequence[V], _profile: str = "paper", _beta: float = 1.0) -> Score[V]:
    """Compare observed with expected disagreement; 1 where none is expected.

    Source: Krippendorff (1980), Content Analysis.
    """
    value: V = 1.0 - ratio(sums[0], sums[1])
    return single_value(value)


def mean_kappa(*pairs: Any) -> Score[Any]:
    """Average Cohen's kappa of links, the adjusted Rand index, over pairs of annotators; profile and beta come last.

    Source: Warrens (2008), "On the equivalence of Cohen's kappa and the Hubert-Arabie adjusted Rand index".
    """
    kappas = [ari.score(sums).f1 for sums in pairs[:-2]]
    return single_value(sum(kappas) / len(kappas))
