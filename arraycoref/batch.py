"""Count many documents: chunks that fit the processor's cache, threads over ranges of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.clusterings import Clusterings
from arraycoref.contingency import cells
from arraycoref.deadline import check_time
from arraycoref.errors import InputError
from arraycoref.metrics.base import Metric
from arraycoref.threads import run, thread_count

LEAST_CHUNK, LARGEST_CHUNK = 24_576, 131_072
"""Mentions a chunk: the arrays of larger ones leave the cache; with smaller ones, threads lose the time that they save
by waiting for each other's calls of NumPy."""

SMALL = 4_096
"""Mentions whose arrays are so small that the C library keeps their memory in any case."""

KEPT = 16 << 20
"""Bytes of an array whose release tells glibc to keep what later ones of up to this size give back."""

Progress = Callable[[int, int], None]


def count_documents(
    clusterings: Clusterings, metrics: Sequence[Metric], *, threads: int = 1, progress: Progress | None = None
) -> dict[str, NDArray[np.float64]]:
    """Count each metric's sums, document by document.

    Args:
        clusterings: of D documents.
        metrics: entries of the registry.
        threads: number of threads; 0 for as many as there are cores. The counts do not depend on it.
        progress: called with the documents counted so far and D.

    Returns:
        float64 (D, width) a metric, by its name.

    Raises:
        InputError: a label below -1; a metric for gold mentions, and a document whose key and response hold different
            ones.
    """
    n_documents = len(clusterings)

    def count(first: int, last: int) -> dict[str, NDArray[np.float64]]:
        check_time()
        chunk = cells(clusterings, first, last)
        for metric in metrics:
            if metric.gold_mentions:
                _require_gold_mentions(
                    metric, clusterings, first, chunk.n_shared_mentions, chunk.n_key_mentions, chunk.n_response_mentions
                )
        return {metric.name: metric.count(chunk) for metric in metrics}

    n_threads = thread_count(threads)
    n_mentions = clusterings.key.size
    n_chunks = n_threads * max(-(-n_mentions // (n_threads * LARGEST_CHUNK)), 1)  # as many for each thread
    size = min(max(-(-n_mentions // n_chunks), LEAST_CHUNK), LARGEST_CHUNK)
    ranges = list(document_ranges(clusterings.offsets, size))
    if n_mentions > SMALL:
        keep_freed_memory()
    if len(ranges) == 1 and progress is None:
        return count(0, n_documents)
    counts = {metric.name: np.empty((n_documents, metric.width)) for metric in metrics}

    def work(bounds: tuple[int, int]) -> None:
        for name, found in count(*bounds).items():
            counts[name][bounds[0] : bounds[1]] = found

    run(work, ranges, n_threads, progress, [last - first for first, last in ranges])
    return counts


def document_ranges(offsets: NDArray[np.int64], size: int) -> Iterator[tuple[int, int]]:
    """Cut documents into ranges of about ``size`` mentions, as even as they come, or of one document that is larger."""
    n_documents = offsets.size - 1
    first = 0
    while first < n_documents:
        left = int(offsets[-1] - offsets[first])
        n_ranges = round(left / size)
        if n_ranges <= 1:
            last = n_documents
        else:
            end = offsets[first] + -(-left // n_ranges)
            last = max(int(offsets.searchsorted(end, side="right")) - 1, first + 1)
        yield first, last
        first = last


def keep_freed_memory() -> None:
    """Let the C library keep what a chunk frees for the next one, up to 32 MB a thread.

    glibc gives memory back to the system, and the next chunk has it zeroed again, page by page: up to 17 of 40 ns a
    label. It stops doing so for good once the process has freed one array of this size (mallopt(3), M_MMAP_THRESHOLD).
    """
    np.empty(KEPT, np.uint8)


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
