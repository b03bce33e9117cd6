"""Count the rows of both sides, grouped by document: a range of documents at a time, so that its rows fit the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arraycoref.match.mentions import Describe, Occurrences, number_mentions
from arraycoref.options import Policies, Progress
from arraycoref.runtime import in_threads, reported, thread_count
from arraycoref.scoring.batch import count_documents, document_ranges
from arraycoref.scoring.cells import Integers, segment_bounds
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import Metric, group_names

LEAST_ROWS, MOST_ROWS = 2**15, 2**18
"""Bounds of the number of rows of one side that are laid out at once; a document with more is laid out by itself."""


class SideRows(NamedTuple):
    """The rows of one side.

    Attributes:
        start: int64 (D,) document d owns the rows ``start[d]:end[d]``.
        end: int64 (D,).
        mention: int64 (N,) numbers, equal on both sides for equal mentions of a document.
        label: int64 (N,) entities >= 0; -1 in a row without a mention.
    """

    start: Integers
    end: Integers
    mention: Integers
    label: Integers

    def part(self, first: int, last: int) -> SideRows:
        """Return the rows of the documents ``first:last``."""
        return self._replace(start=self.start[first:last], end=self.end[first:last])


def count_sides(
    key: SideRows,
    response: SideRows,
    policies: Policies,
    metrics: Sequence[Metric],
    describe: Describe,
    names: Sequence[str] | None = None,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> tuple[Counts, int]:
    """Return each metric's sums for each document, and the number of mentions that both sides have.

    Args:
        key: rows of D documents of the key.
        response: rows of the response, the same documents in the same order.
        policies: for repeated mentions and singletons.
        metrics: entries of the registry.
        describe: see `union_labels`.
        names: (D,) document names, for messages.
        threads: number of threads; 0 for one per core.
        progress: called with the number of documents counted and D.

    Raises:
        DuplicateMentionError: a repeated mention, where the policy refuses that.
        InputError: a metric for gold mentions only, and a document whose key and response hold different mentions.
    """
    n_documents, n_threads = key.start.size, thread_count(threads)
    counted = tuple(metric.name for metric in metrics)
    counts = np.empty((n_documents, len(group_names(counted)), 4))
    rows = segment_bounds(np.maximum(key.end - key.start, response.end - response.start))
    ranges = list(document_ranges(rows, min(max(int(rows[-1]) // (2 * n_threads), LEAST_ROWS), MOST_ROWS)))
    within = n_threads if len(ranges) == 1 else 1

    def work(bounds: tuple[int, int]) -> int:
        first, last = bounds
        labels = union_labels(key.part(first, last), response.part(first, last), policies, describe)
        some = None if names is None else names[first:last]
        clusterings = Clusterings.from_labels(*labels, some)
        if policies.singletons == "drop":
            clusterings = clusterings.without_singletons()
        counts[first:last] = count_documents(clusterings, metrics, threads=within).rows
        return n_shared(*labels[:2])

    sizes = [last - first for first, last in ranges]
    found = list(reported(in_threads(work, ranges, n_threads), sizes, progress))
    return Counts.read_only(None if names is None else tuple(names), counted, counts), sum(found)


def n_shared(key: Integers, response: Integers) -> int:
    """Return how many mentions have a label >= 0 on both sides; labels are int64 (M,)."""
    return int(np.count_nonzero((key >= 0) & (response >= 0)))


def union_labels(
    key: SideRows, response: SideRows, policies: Policies, describe: Describe
) -> tuple[Integers, Integers, Integers]:
    """Lay out the labels of D documents, each over the union of the mentions of its key and its response.

    If a mention has several rows on a side, the policies ``first`` and ``last`` keep the label of the first or last
    row.

    Args:
        key: rows of the key.
        response: rows of the response, the same documents in the same order.
        policies: for repeated mentions.
        describe: makes the words for a repeated mention, for the error message.

    Returns:
        int64 (M,) the key's labels, -1 where it lacks the mention; int64 (M,) the response's; and int64 (D+1,) the
        bounds of the documents.

    Raises:
        DuplicateMentionError: a repeated mention, where the policy refuses that.
    """
    sides = {}
    for name, side in (("key", key), ("response", response)):
        offsets = segment_bounds(side.end - side.start)
        rows = np.arange(offsets[-1]) + np.repeat(side.start - offsets[:-1], side.end - side.start)
        sides[name] = Occurrences(offsets, side.mention[rows], side.label[rows], rows)

    def describe_rows(name: str, first: int, second: int) -> object:
        return describe(name, int(sides[name].rank[first]), int(sides[name].rank[second]))

    return number_mentions(sides["key"], sides["response"], policies, describe_rows)
