"""Count many documents: chunks that fit the processor's cache, threads over ranges of documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.clusterings import Clusterings
from arraycoref.contingency import cells
from arraycoref.errors import InputError
from arraycoref.metrics.base import Metric

CHUNK_MENTIONS = 16_384
"""Mentions a chunk: the arrays of a chunk then stay in a 1 MB cache, and numpy's cost a call is spread thin."""

Progress = Callable[[int, int], None]


def count_documents(
    clusterings: Clusterings, metrics: Sequence[Metric], *, threads: int = 1, progress: Progress | None = None
) -> dict[str, NDArray[np.float64]]:
    """Count each metric's sums, document by document.

    Args:
        clusterings: dense labels of D documents.
        metrics: entries of the registry.
        threads: number of threads; 0 for as many as there are cores. The counts do not depend on it.
        progress: called with the documents counted so far and D.

    Returns:
        float64 (D, width) a metric, by its name.

    Raises:
        InputError: a metric for gold mentions, and a document whose key and response hold different ones.
    """
    n_documents = len(clusterings)
    counts = {metric.name: np.empty((n_documents, metric.width)) for metric in metrics}

    def work(bounds: tuple[int, int]) -> int:
        first, last = bounds
        chunk = cells(clusterings, first, last)
        for metric in metrics:
            if metric.gold_mentions:
                _require_gold_mentions(metric, clusterings, first, chunk.n_shared_mentions, chunk.n_key_mentions,
                                       chunk.n_response_mentions)  # fmt: skip
            counts[metric.name][first:last] = metric.count(chunk)
        return last - first

    ranges = list(_ranges(clusterings.offsets))
    done = 0
    for n in _run(work, ranges, thread_count(threads)):
        done += n
        if progress is not None:
            progress(done, n_documents)
    return counts


def _run(work: Callable[[tuple[int, int]], int], ranges: list[tuple[int, int]], threads: int) -> Iterator[int]:
    if threads == 1 or len(ranges) == 1:
        yield from map(work, ranges)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(threads, len(ranges))) as pool:
        yield from pool.map(work, ranges)


def _ranges(offsets: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Cut documents into ranges of about `CHUNK_MENTIONS` mentions, or one document where that is larger."""
    n_documents = offsets.size - 1
    first = 0
    while first < n_documents:
        last = int(np.searchsorted(offsets, offsets[first] + CHUNK_MENTIONS, side="right")) - 1
        last = min(max(last, first + 1), n_documents)
        yield first, last
        first = last


def thread_count(threads: int) -> int:
    """Number of threads to use: as asked, or one a core for 0.

    Raises:
        InputError: a negative number.
    """
    if threads < 0:
        raise InputError(f"threads is {threads}; expected 1 or more, or 0 for one a core")
    if threads > 0:
        return threads
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _require_gold_mentions(
    metric: Metric,
    clusterings: Clusterings,
    first: int,
    shared: NDArray[np.int64],
    key: NDArray[np.int64],
    response: NDArray[np.int64],
) -> None:
    differ = (shared != key) | (shared != response)
    if differ.any():
        d = int(differ.argmax())
        name = clusterings.names[first + d] if clusterings.names else first + d
        raise InputError(
            f"{metric.name} is defined on gold mentions only, but in document {name!r} key ({key[d]} mentions) and "
            f"response ({response[d]}) share {shared[d]}; use blanc for predicted mentions"
        )
