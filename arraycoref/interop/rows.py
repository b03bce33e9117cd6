"""Counts of one document as a list of floats, for frameworks that collect numbers and score a corpus at the end.

The adapters `arraycoref.interop.torchmetrics` and `arraycoref.interop.inspect_ai` are made of these two functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from arraycoref.interop.accumulator import Accumulator
from arraycoref.options import Metrics
from arraycoref.options.policies import Profile
from arraycoref.scoring.scores import Scores


def document_counts(
    key: Any, response: Any, metrics: Metrics = None, profile: Profile = "paper", **options: Any
) -> list[float]:
    """Return the counts of a document as plain floats, which JSON keeps and any framework carries.

        >>> document_counts([["a", "b"], ["c"]], [["a", "b", "c"]], "muc")
        [1.0, 1.0, 1.0, 1.0, 2.0]

    Args:
        key: what `Accumulator.update` takes: clusters, or labels (M,) with -1 where the key lacks the mention. For
            several documents the result is the sum of their counts.
        response: the same.
        metrics: see `arraycoref.options`; None for the default metrics.
        profile: the same.
        **options: the same, those of an `Accumulator`.

    Returns:
        1 + 4K floats, as in `Accumulator.state`: the number of documents, then four sums for each of the K groups of
        `arraycoref.scoring.counts.Counts`.

    Raises:
        InputError: input that the scoring functions refuse, or an option that makes no sense.
    """
    accumulator = Accumulator(metrics, profile=profile, **options)
    accumulator.update(key, response)
    counts: list[float] = accumulator.state.tolist()
    return counts


def scores_from_counts(
    rows: Iterable[Sequence[float]], metrics: Metrics = None, profile: Profile = "paper", **options: Any
) -> Scores:
    """Score a corpus: add up the counts of its documents, then divide.

        >>> rows = [document_counts([0, 0, 1], [0, 0, 0], "muc"), document_counts([0, 0, 0], [0, 1, 1], "muc")]
        >>> scores = scores_from_counts(rows, "muc")
        >>> scores.n_documents, scores["muc"].recall_num, scores["muc"].recall_den
        (2, 2.0, 3.0)

    Args:
        rows: the results of `document_counts`, or sums of them, such as those of several processes.
        metrics: those with which the rows were counted, which hold no names.
        profile: the same.
        **options: the same.

    Raises:
        ValueError: rows of another length than these metrics have.
        InputError: no rows; an option that makes no sense.
    """
    accumulator = Accumulator(metrics, profile=profile, **options)
    for row in rows:
        accumulator.state += np.asarray(row, np.float64)
    return accumulator.compute()
