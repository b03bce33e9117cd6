"""Count many documents: chunks that fit the processor's cache, threads over ranges of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.clusterings import Clusterings
from arraycoref.contingency import Totals, cells_of
from arraycoref.counts import Counts
from arraycoref.deadline import check_time
from arraycoref.errors import InputError
from arraycoref.metrics import group_slices
from arraycoref.metrics.base import Metric
from arraycoref.threads import run, thread_count

LEAST_CHUNK, LARGEST_CHUNK = 24_576, 131_072
"""Mentions per chunk: the arrays of larger ones leave the cache; with smaller ones, threads lose the time that they
save by waiting for each other's calls of NumPy."""

KEPT = 16 << 20
"""Bytes of an array whose release tells glibc to keep what later ones of up to this size give back."""

Progress = Callable[[int, int], None]


def count_documents(
    clusterings: Clusterings,
    metrics: Sequence[Metric],
    *,
    threads: int = 1,
    progress: Progress | None = None,
    chunk: int | None = None,
) -> Counts:
    """Count each metric's sums, document by document.

    Args:
        clusterings: of D documents.
        metrics: entries of the registry that have counts.
        threads: number of threads; 0 for as many as there are cores. The counts do not depend on it.
        progress: called with the documents counted so far and D.
        chunk: mentions that are counted at once; None for as many as fit the cache. No number depends on it.

    Raises:
        InputError: a label below -1; a metric for gold mentions, and a document whose key and response hold different
            ones.
    """
    n_documents, n_mentions = clusterings.offsets.size - 1, clusterings.key.size
    names = tuple([metric.name for metric in metrics])
    places = group_slices(names)
    n_threads = 1 if threads == 1 else thread_count(threads)
    groups = np.empty((places[names[-1]].stop, n_documents, 4))  # so that each metric writes to one place
    rows = groups.transpose(1, 0, 2)

    def count(bounds: tuple[int, int]) -> None:
        check_time()
        first, last = bounds
        found = cells_of(clusterings.factorize(first, last, giant_as_given=True))
        for metric in metrics:
            if metric.gold_mentions:
                _require_gold_mentions(metric, clusterings, first, found.totals)
            sums = metric.count(found)
            place = places[metric.name]
            if sums.ndim == 2:
                groups[place.start, first:last] = sums
            else:
                groups[place, first:last] = sums.transpose(1, 0, 2)

    if n_mentions <= (chunk or LEAST_CHUNK) and progress is None:
        count((0, n_documents))
    else:
        if chunk is None:
            n_chunks = n_threads * max(-(-n_mentions // (n_threads * LARGEST_CHUNK)), 1)  # as many for each thread
            chunk = min(max(-(-n_mentions // n_chunks), LEAST_CHUNK), LARGEST_CHUNK)
        ranges = list(document_ranges(clusterings.offsets, chunk))
        keep_freed_memory()
        run(count, ranges, n_threads, progress, [last - first for first, last in ranges])
    rows.flags.writeable = False
    return Counts(clusterings.names, names, rows)


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


def _require_gold_mentions(metric: Metric, clusterings: Clusterings, first: int, n: Totals) -> None:
    differ = (n.shared_mentions != n.key_mentions) | (n.shared_mentions != n.response_mentions)
    if differ.any():
        d = int(differ.argmax())
        name = clusterings.names[first + d] if clusterings.names else first + d
        raise InputError(
            f"{metric.name} is defined on gold mentions only, but in document {name!r} key "
            f"({n.key_mentions[d]} mentions) and response ({n.response_mentions[d]}) share {n.shared_mentions[d]}; "
            "use blanc for predicted mentions"
        )
