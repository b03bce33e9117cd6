"""Count many documents, in chunks that fit the processor's cache, which several threads can work through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.options import Progress
from arraycoref.runtime import in_threads, reported, thread_count
from arraycoref.scoring import alignment as assignment
from arraycoref.scoring.cells import LARGE, Cells, Totals, cells_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.labels import as_kernel_array
from arraycoref.scoring.metrics.registry import Metric, find_metric, group_slices

LEAST_CHUNK, LARGEST_CHUNK = 24_576, 524_288
"""Fewest and most mentions in a chunk. A smaller chunk is not worth the work of a thread, a larger one the
memory for its cells."""

KEPT = (32 << 20) - (1 << 16)
"""Size in bytes of an array that is allocated and freed once. After that, glibc keeps freed blocks of up to this size
in the process in place of returning them to the system."""


def count_documents(
    clusterings: Clusterings,
    metrics: Sequence[Metric],
    *,
    threads: int = 1,
    progress: Progress | bool | None = None,
    chunk: int | None = None,
) -> Counts:
    """Count each metric's sums, document by document.

    Args:
        clusterings: labels of D documents.
        metrics: entries of the registry that have counts.
        threads: number of threads; 0 for as many as there are cores. The counts do not depend on it.
        progress: called with the number of documents counted so far and the number of all; True for a bar.
        chunk: number of mentions that are counted at once; None to choose it. The counts do not depend on it.

    Raises:
        InputError: a label below -1; or a document with different mentions in key and response, where a metric is
            defined on gold mentions only.
    """
    names = tuple([metric.name for metric in metrics])
    places = group_slices(names)
    fused, others = shared_call(names)
    has_fused = len(others) < len(metrics)
    n_documents, n_mentions = clusterings.offsets.size - 1, clusterings.response.size
    n_documents *= clusterings.n_responses
    n_threads = 1 if type(threads) is int and threads == 1 else thread_count(threads)
    sums = np.empty((places[names[-1]].stop, n_documents, 4))  # metric first: each one writes to a contiguous block

    def count(bounds: tuple[int, int]) -> None:
        first, last = bounds
        is_one = n_mentions >= LARGE and last - first == 1
        is_large = is_one and int(clusterings.bounds[last] - clusterings.bounds[first]) >= LARGE
        if has_fused and not is_large:
            count_fused(clusterings, first, last, fused, sums, first)
        if not others and not is_large:
            return
        found = cells_of(clusterings, first, last)
        if has_fused and is_large:
            count_by_cells(found, fused, sums, first)
        for metric in others:
            if metric.gold_mentions:
                _require_gold_mentions(metric, clusterings, first, found.totals)
            _put(metric.count(found), sums, places[metric.name], first)

    size = chunk or LEAST_CHUNK
    if n_mentions > size:
        keep_freed_memory()
        if chunk is None:
            n_chunks = n_threads * max(-(-n_mentions // (n_threads * LARGEST_CHUNK)), 1)  # as many per thread
            size = min(max(-(-n_mentions // n_chunks), LEAST_CHUNK), LARGEST_CHUNK)
    if n_mentions <= size and not progress and (n_mentions < LARGE or clusterings.longest < LARGE):
        count((0, n_documents))
    else:
        ranges = list(document_ranges(clusterings.bounds, size))
        sizes = [last - first for first, last in ranges]
        for _ in reported(in_threads(count, ranges, n_threads), sizes, progress):
            pass
    rows = sums.transpose(1, 0, 2)
    rows.flags.writeable = False
    return Counts(clusterings.names, names, rows)


@lru_cache
def shared_call(names: tuple[str, ...]) -> tuple[NDArray[np.int64], list[Metric]]:
    """Split metrics into those that `metrics.fused` counts in one call, and the others.

    Returns:
        int64 (8,) the first group of each metric of `metrics.fused.NAMES`, -1 if it is not among the names; and the
        other metrics.
    """
    from arraycoref.scoring.metrics.fused import NAMES

    places = group_slices(names)
    found = np.array([places[name].start if name in names else -1 for name in NAMES])
    return found, [find_metric(name) for name in names if name not in NAMES]


def count_fused(
    clusterings: Clusterings,
    first: int,
    last: int,
    places: NDArray[np.int64],
    room: NDArray[np.float64],
    at: int,
) -> None:
    """Count the documents ``first:last`` for the metrics that are counted in one call.

    Args:
        clusterings: labels of the documents.
        first: first document.
        last: end of the range.
        places: int64 (8,) as `shared_call` returns them.
        room: float64 (K, N, 4) receives the sums.
        at: position in ``room`` of the first document.
    """
    from arraycoref.scoring.metrics.fused import BLOCK, count_blocks, kept, make_scratch

    longest = clusterings.response.size  # an upper bound, which is enough up to `BLOCK`
    if longest > BLOCK:
        longest = clusterings.longest
    if longest > BLOCK:
        longest = int((clusterings.bounds[first + 1 : last + 1] - clusterings.bounds[first:last]).max(initial=0))
    patience = assignment.PATIENCE
    scratch = kept.scratch if longest <= kept.longest else make_scratch(longest)
    key, response, offsets = clusterings.key, clusterings.response, clusterings.offsets
    reached, aligned = count_blocks(key, response, offsets, first, last, at, patience, places, room, *scratch)
    if reached < last:
        dense = clusterings.factorize(first, last)
        key, response = as_kernel_array(dense.key), as_kernel_array(dense.response)
        aligned = count_blocks(key, response, dense.offsets, 0, last - first, at, patience, places, room, *scratch)[1]
    if not aligned:
        _align_again(lambda d: cells_of(clusterings, first + d, first + d + 1), places, room, at, last - first)


def count_by_cells(cells: Cells, places: NDArray[np.int64], room: NDArray[np.float64], at: int) -> None:
    """Do what `count_fused` does, for one document whose cells are known."""
    from arraycoref.scoring.metrics.fused import count_cells

    longest = max(cells.shared.size, cells.key_size.size, cells.response_size.size) + 1
    floats = np.empty((8, longest))
    aligned = count_cells(
        as_kernel_array(cells.shared),
        as_kernel_array(cells.key),
        as_kernel_array(cells.response),
        as_kernel_array(cells.key_size),
        as_kernel_array(cells.response_size),
        as_kernel_array(cells.offsets),
        as_kernel_array(cells.key_start),
        as_kernel_array(cells.key_offsets),
        np.array(cells.totals),
        at,
        assignment.PATIENCE,
        places,
        room,
        np.empty((10, longest), np.int32),
        floats,
        floats.view(np.int64),
        np.empty((6, 1)),
    )
    if not aligned:
        _align_again(lambda _: cells, places, room, at, 1)


def _align_again(
    cells_at: Callable[[int], Cells], places: NDArray[np.int64], room: NDArray[np.float64], at: int, n_documents: int
) -> None:
    """Find the alignments that were given up because the search took long, from the cells of each document."""
    from arraycoref.scoring.metrics.fused import ALIGNED, NAMES

    entries = zip(map(find_metric, NAMES), places.tolist(), strict=True)
    metrics = [(metric, place) for metric, place in entries if place >= 0 and metric.name in ALIGNED]
    ran_long = np.isnan([room[place, at : at + n_documents, 0] for _, place in metrics])
    for d in np.flatnonzero(ran_long.any(axis=0)).tolist():
        cells = cells_at(d)
        for (metric, place), again in zip(metrics, ran_long[:, d], strict=True):
            if again:
                _put(metric.count(cells), room, slice(place, place + 1), at + d)


def _put(sums: NDArray[np.float64], room: NDArray[np.float64], place: slice, at: int) -> None:
    """Write sums of documents, (D, 4) or (D, groups, 4), to the groups ``place`` and the documents from ``at`` on."""
    room[place, at : at + len(sums)] = sums if sums.ndim == 2 else sums.transpose(1, 0, 2)


def document_ranges(offsets: NDArray[np.int64], size: int) -> Iterator[tuple[int, int]]:
    """Split documents into ranges of about ``size`` mentions, as even as possible; a large document is one range."""
    large = np.flatnonzero(np.diff(offsets) >= LARGE)
    edges = np.unique(np.concatenate([[0], large, large + 1, [offsets.size - 1]])).tolist()
    for begin, end in pairwise(edges):
        first = begin
        while first < end:
            left = int(offsets[end] - offsets[first])
            n_ranges = round(left / size)
            if n_ranges <= 1:
                last = end
            else:
                stop = offsets[first] + -(-left // n_ranges)
                last = min(max(int(offsets.searchsorted(stop, side="right")) - 1, first + 1), end)
            yield first, last
            first = last


@cache
def keep_freed_memory() -> None:
    """Make the C library keep the memory that a chunk frees for the next chunk, up to 64 MB per thread.

    By default, glibc returns large freed blocks to the system, which zeroes their pages again when the next chunk asks
    for memory: up to 17 of 40 ns per label. Once the process has freed one array of `KEPT` bytes, glibc keeps blocks of
    up to this size (mallopt(3), M_MMAP_THRESHOLD).
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
