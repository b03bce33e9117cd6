"""V-measure of two clusterings of the same mentions: completeness as recall, homogeneity as precision.

Over n mentions, MI is the mutual information of key and response, and H the entropy of a side. Completeness is
MI / H(response), 1 where every key entity lies in one response entity; homogeneity is MI / H(key). Each is 1 where its
entropy is 0. A corpus is the ratio of the sums of n MI and of n H over documents.

    >>> import arraycoref as ac
    >>> s = ac.score_labels([0, 0, 1, 1], [0, 0, 1, 2], metrics="vmeasure")["vmeasure"]
    >>> round(s.recall, 4), s.precision, round(s.f1, 4)
    (0.6667, 1.0, 0.8)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arraycoref.ragged import Floats, Ints, owners, sum_by
from arraycoref.scoring.cells import Cells
from arraycoref.scoring.metrics.score import Score, Sums, V, plain_score


def count(cells: Cells) -> Sums:
    """Count n MI over n H(response), and n MI over n H(key), in nats.

    Source: Rosenberg and Hirschberg (2007), section 2.
    """
    of_key = _information(cells, sum_by(cells.shared, cells.key_start), cells.key_offsets)
    of_response = np.bincount(cells.response, cells.shared, cells.response_size.size)
    in_responses = _information(cells, of_response, cells.response_offsets)
    whole = _information(cells, cells.totals.shared_mentions, np.arange(cells.offsets.size))
    return sums(whole, of_key, in_responses, _information(cells, cells.shared, cells.offsets))


def sums(whole: Floats, of_key: Floats, of_response: Floats, of_cells: Floats) -> Sums:
    """Return n MI over n H(response), and n MI over n H(key), from sums of n log n.

    Args:
        whole: n log n of the mentions that both sides have.
        of_key: sum of n log n over key entities, which have these mentions.
        of_response: the same over response entities.
        of_cells: the same over cells.
    """
    entropy_key, entropy_response = np.maximum(whole - of_key, 0.0), np.maximum(whole - of_response, 0.0)
    least, most = np.minimum(entropy_key, entropy_response), np.maximum(entropy_key, entropy_response)
    # In this order, n MI is exactly the entropy of a side if the other side refines it.
    information = np.maximum(least + (most - (whole - of_cells)), 0.0)
    return information, entropy_response, information, entropy_key


def _information(cells: Cells, counts: NDArray[Any], offsets: Ints) -> Floats:
    """Sum n log n over the counts of each document: float64 (D,)."""
    terms = counts * np.log(np.maximum(counts, 1))
    return np.bincount(owners(offsets), terms, offsets.size - 1).astype(np.float64, copy=False)


def score(sums: Sequence[V], profile: str = "paper", beta: float = 1.0) -> Score[V]:
    """Divide as for a plain ratio, but 0 / 0 is 1: a side with one entity has no information to be found.

    V is (1 + beta) h c / (beta h + c), with beta itself where the F-measure has its square.

    Source: Rosenberg and Hirschberg (2007), section 2.
    """
    recall_num, recall_den, precision_num, precision_den = sums
    no_recall, no_precision = 1.0 * (recall_den == 0), 1.0 * (precision_den == 0)
    filled: list[V] = [
        recall_num * (1.0 - no_recall) + no_recall,
        recall_den + no_recall,
        precision_num * (1.0 - no_precision) + no_precision,
        precision_den + no_precision,
    ]
    recall, precision, f1 = plain_score(filled, profile, beta**0.5)
    return Score(recall, precision, f1, recall_num, recall_den, precision_num, precision_den)
