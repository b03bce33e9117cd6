"""Merge distance: how many splits and merges of entities turn the response into the key.

Each response entity is split into pieces, one for each key entity that it shares mentions with; then the pieces of each
key entity are merged. Each split and each merge costs 1. A mention that a side lacks is an entity of one mention there.
The distance is a count, 0 for equal sides: less is better.

    >>> import arraycoref as ac
    >>> ac.score([list("abcd"), ["e"]], [list("ab"), list("cde")], metrics="merge-distance")["merge-distance"].f1
    2.0
"""

from __future__ import annotations

from collections.abc import Sequence

from arraycoref.scoring.cells import Totals
from arraycoref.scoring.metrics.score import Score, Sums, V, single_value


def sums(n: Totals) -> Sums:
    """Return merges, documents, splits and documents.

    There is a piece for each cell, and one for each mention that a side lacks. The number of splits is that of pieces
    minus that of response entities, and the number of merges that of pieces minus that of key entities. A mention that
    a side lacks counts among its entities, too.

    Source: Menestrina et al. (2010), section 3, with unit costs.
    """
    key_only, response_only = n.key_mentions - n.shared_mentions, n.response_mentions - n.shared_mentions
    merges = n.cells + key_only - n.key_entities
    splits = n.cells + response_only - n.response_entities
    documents = 1 + 0 * n.cells
    return merges, documents, splits, documents


def score(sums: Sequence[V], _profile: str = "paper", _beta: float = 1.0) -> Score[V]:
    """Add up merges and splits."""
    merges, _, splits, _ = sums
    return single_value(merges + splits)
