"""V-measure on the mentions that both sides hold: completeness as recall, homogeneity as precision.

Over these n mentions, MI is the mutual information of key and response, and H the entropy of a side. Completeness is
MI / H(response), 1 where every key entity lies in one response entity; homogeneity is MI / H(key). Each is 1 where its
entropy is 0. A corpus is the ratio of the sums of n MI and of n H over documents.

    >>> import arraycoref as ac
    >>> s = ac.score_labels([0, 0, 1, 1], [0, 0, 1, 2], metrics="vmeasure")["vmeasure"]
    >>> round(s.recall, 4), s.precision, round(s.f1, 4)
    (0.6667, 1.0, 0.8)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arraycoref.kernels.jit import Ints, kernel
from arraycoref.scoring.cells import Cells
from arraycoref.scoring.metrics.score import Floats, Score, V, plain_score


def count(cells: Cells) -> Floats:
    """Count n MI over n H(response), and n MI over n H(key), in nats: float64 (D, 4).

    Source: Rosenberg and Hirschberg (2007), section 2.
    """
    sums = np.empty((cells.offsets.size - 1, 4))
    sum_information(
        cells.shared, cells.key, cells.response, cells.offsets, cells.key_offsets, cells.response_offsets, sums
    )
    return sums


@kernel
def sum_information(
    shared: Ints,
    key: Ints,
    response: Ints,
    offsets: Ints,
    key_offsets: Ints,
    response_offsets: Ints,
    sums: Floats,
) -> None:
    """Write each document's sums; n MI = n H(key) + n H(response) - n H(cells).

    The terms are added in an order in which n MI is exactly the entropy of a side if the other side refines it.
    """
    for d in range(offsets.size - 1):
        of_key = np.zeros(key_offsets[d + 1] - key_offsets[d], np.int64)
        of_response = np.zeros(response_offsets[d + 1] - response_offsets[d], np.int64)
        total = np.int64(0)
        in_cells = 0.0
        for c in range(offsets[d], offsets[d + 1]):
            of_key[key[c] - key_offsets[d]] += shared[c]
            of_response[response[c] - response_offsets[d]] += shared[c]
            total += shared[c]
            in_cells += shared[c] * np.log(shared[c])
        in_keys = 0.0
        for i in range(of_key.size):
            in_keys += of_key[i] * np.log(of_key[i]) if of_key[i] else 0.0
        in_responses = 0.0
        for j in range(of_response.size):
            in_responses += of_response[j] * np.log(of_response[j]) if of_response[j] else 0.0
        whole = total * np.log(total) if total else 0.0
        entropy_key = whole - in_keys if whole > in_keys else 0.0
        entropy_response = whole - in_responses if whole > in_responses else 0.0
        least = entropy_key if entropy_key < entropy_response else entropy_response
        most = entropy_response if entropy_key < entropy_response else entropy_key
        information = least + (most - (whole - in_cells))
        information = information if information > 0.0 else 0.0
        sums[d, 0] = information
        sums[d, 1] = entropy_response
        sums[d, 2] = information
        sums[d, 3] = entropy_key


def score(sums: Sequence[V], profile: str = "paper", beta: float = 1.0) -> Score[V]:
    """Divide as for a plain ratio, but 0 / 0 is 1: a side with one entity has no information to be found.

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
    found = plain_score(filled, profile, beta)
    return Score(found.recall, found.precision, found.f1, recall_num, recall_den, precision_num, precision_den)
