"""Rows of both sides, grouped by document -> counts, some documents at a time so that all of it stays in the cache."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arraycoref.batch import count_documents, document_ranges
from arraycoref.clusterings import Clusterings
from arraycoref.contingency import segment_bounds
from arraycoref.counts import Counts
from arraycoref.metrics import group_names
from arraycoref.metrics.base import Metric
from arraycoref.options import Policies, Progress
from arraycoref.pipelines.union import Describe, Side, union_labels
from arraycoref.threads import run, thread_count

LEAST_ROWS, MOST_ROWS = 2**15, 2**18
"""Rows of one side that are laid out at once, of documents that are not larger."""


def count_sides(
    key: Side,
    response: Side,
    policies: Policies,
    metrics: Sequence[Metric],
    describe: Describe,
    names: Sequence[str] | None = None,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> Counts:
    """Count each metric's sums, document by document.

    Args:
        key: rows of D documents of the key.
        response: rows of the response, the same documents in the same order.
        policies: for repeated mentions and singletons.
        metrics: entries of the registry.
        describe: as for `arraycoref.pipelines.union.union_labels`.
        names: (D,) document names, for messages.
        threads: number of threads; 0 for one per core.
        progress: called with the number of documents counted and D.

    Raises:
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        InputError: a metric for gold mentions, and a document whose key and response hold different ones.
    """
    n_documents, n_threads = key.start.size, thread_count(threads)
    counted = tuple(metric.name for metric in metrics)
    counts = np.empty((n_documents, len(group_names(counted)), 4))
    rows = segment_bounds(np.maximum(key.end - key.start, response.end - response.start))
    ranges = list(document_ranges(rows, min(max(int(rows[-1]) // (2 * n_threads), LEAST_ROWS), MOST_ROWS)))
    within = n_threads if len(ranges) == 1 else 1

    def work(bounds: tuple[int, int]) -> None:
        first, last = bounds
        labels = union_labels(key.part(first, last), response.part(first, last), policies, describe)
        some = None if names is None else names[first:last]
        clusterings = Clusterings.from_labels(*labels, some)
        if policies.singletons == "drop":
            clusterings = clusterings.without_singletons()
        counts[first:last] = count_documents(clusterings, metrics, threads=within).rows

    run(work, ranges, n_threads, progress, [last - first for first, last in ranges])
    return Counts(None if names is None else tuple(names), counted, counts)
