"""MOR, the mention overlap ratio: the best one-to-one alignment of mentions by the words that they share.

It is CEAFm with mentions instead of entities, and their words and empty nodes instead of mentions. So it shows how
well mentions are found, apart from their entities. `arraycoref.match.tree_matching` makes the totals.

Source: Žabokrtský et al. (2022), Findings of the Shared Task on Multilingual Coreference Resolution.
"""

from __future__ import annotations

from arraycoref.scoring.cells import Totals
from arraycoref.scoring.metrics.score import Sums


def sums(n: Totals) -> Sums:
    """Return the words of aligned mentions in common, against the words of all mentions of each side."""
    return n.phi3, n.key_mentions, n.phi3, n.response_mentions
