"""Count many documents, in chunks that fit the processor's cache, which several threads can work through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from arraycoref.exceptions import InputError, OptionError
from arraycoref.options import Progress
from arraycoref.ragged import Ints
from arraycoref.runtime import in_threads, reported, thread_count
from arraycoref.scoring.cells import Cells, Totals, cells_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import Metric, group_names, group_slices
from arraycoref.scoring.totals import Needs, complete, needs_of
from arraycoref.twin import twin

LEAST_CHUNK, LARGEST_CHUNK = 24_576, 524_288
"""Fewest and most mentions in a chunk. A smaller chunk is not worth the work of a thread, a larger one the
memory for its cells."""

KEPT = (32 << 20) - (1 << 16)
"""Size in bytes of an array that is allocated and freed once. After that, glibc keeps freed blocks of up to this size
in the process instead of returning them to the system."""

_OF_NODES = "expected CoNLL-U files, or clusters with heads"
NEEDED = {
    "words": f"words of mentions; {_OF_NODES}",
    "zeros": f"mentions that are zeros; {_OF_NODES}",
    "links": "bridging links on both sides; expected CoNLL-U, CoNLL-UA or files of annotation tools",
}
"""What metrics need that are not counted from entities, by `Metric.counted_from`."""


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
        OptionError: a metric that looks at words of mentions, which are not known.
        InputError: a label below -1; or a document with different mentions in key and response, where a metric is
            defined on gold mentions only.
    """
    layout = _layout(tuple(metrics))
    names, places = layout.names, layout.places
    n_documents, n_mentions = (clusterings.offsets.size - 1) * clusterings.n_responses, clusterings.response.size
    n_threads = 1 if type(threads) is int and threads == 1 else thread_count(threads)
    sums = np.empty((layout.n_groups, n_documents, 4))  # metric first: each one writes to a contiguous block
    for metric in layout.of_matched:
        is_of_links, links = metric.counted_from == "links", clusterings.links
        matched = links if is_of_links else clusterings.matched
        if matched is None:
            reason = f"needs {NEEDED[metric.counted_from]}, and no restriction or window"
            raise OptionError(f"metric {metric.name!r} {reason}", "metrics")
        sums[group_slices(names)[metric.name]] = metric.count(links) if is_of_links else matched.count(metric)

    def count(first_last: tuple[int, int]) -> None:
        first, last = first_last
        cells: Any = cells_of(clusterings, first, last) if layout.needs_cells else None
        n: Any = None if layout.needs is None else count_totals(clusterings, first, last, layout.needs, cells)
        if layout.gold_only is not None:
            require_gold_mentions(layout.gold_only, clusterings, first, n or cells.totals)
        rows: list[Sequence[Any]] = []
        for metric_sums, takes_totals, has_groups in layout.counted:
            of_metric = metric_sums(n if takes_totals else cells)
            rows += of_metric if has_groups else [of_metric]
        if rows and last - first == 1 and cells is None:  # numbers take a tenth of the time of arrays of one number
            sums[places, first] = rows
            return
        for k, row in zip(range(layout.n_groups) if isinstance(places, slice) else places, rows, strict=True):
            for field, values in enumerate(row):
                sums[k, first:last, field] = values

    size = chunk or LEAST_CHUNK
    if n_mentions > size:
        keep_freed_memory()
        if chunk is None:
            n_chunks = n_threads * max(-(-n_mentions // (n_threads * LARGEST_CHUNK)), 1)  # as many per thread
            size = min(max(-(-n_mentions // n_chunks), LEAST_CHUNK), LARGEST_CHUNK)
    if n_mentions <= size and not progress:
        count((0, n_documents))
    else:
        ranges = list(document_ranges(clusterings.response_bounds, size))
        sizes = [last - first for first, last in ranges]
        for _ in reported(in_threads(count, ranges, n_threads), sizes, progress):
            pass
    if clusterings.repeated is not None:
        clusterings.repeated.write(layout.of_entities, group_slices(names), sums)
    if clusterings.split is not None:
        clusterings.split.write(layout.of_entities, group_slices(names), sums)
    rows = sums.transpose(1, 0, 2)
    rows.flags.writeable = False
    return Counts(clusterings.names, names, rows)


@twin(
    "fused.count_totals",
    call=4e-4,
    each=3e-7,
    compiling=10.0,
    size=lambda clusterings, first, *_: clusterings.response.size - int(clusterings.response_bounds[first]),
)
def count_totals(clusterings: Clusterings, first: int, last: int, needs: Needs, cells: Cells | None = None) -> Totals:
    """Compute the totals of the documents ``first:last``: arrays, or numbers if there is one document.

    Args:
        clusterings: labels of D documents, or of S * D documents for S responses to one key.
        first: first document.
        last: end of the range.
        needs: which sums are computed.
        cells: the cells of these documents, if they are known.

    Raises:
        InputError: a label below -1.
    """
    totals = complete(cells or cells_of(clusterings, first, last), needs)
    if last - first != 1:
        return totals
    numbers: list[Any] = [None if values is None else values.item() for values in totals]
    return Totals(*numbers)


class Layout(NamedTuple):
    """Where the sums of metrics are among the K groups of all, and what they are counted from.

    Attributes:
        names: names of the metrics.
        n_groups: K.
        of_entities: the metrics that are counted from entities.
        counted: of each of these, the function of its sums, whether that takes totals, and whether it has groups.
        places: the groups of these; a slice where they are all.
        of_matched: the other metrics, which are counted from words of mentions, from zeros, or from bridging links.
        needs: what the formulas need, see `needs_of`.
        needs_cells: whether a metric is counted from cells.
        gold_only: the name of a metric that is defined on gold mentions only, None if there is none.
    """

    names: tuple[str, ...]
    n_groups: int
    of_entities: list[Metric]
    counted: list[tuple[Callable[[Any], Any], bool, bool]]
    places: slice | list[int]
    of_matched: list[Metric]
    needs: Needs | None
    needs_cells: bool
    gold_only: str | None


@lru_cache
def _layout(metrics: tuple[Metric, ...]) -> Layout:
    names = tuple(metric.name for metric in metrics)
    slices, n_groups = group_slices(names), len(group_names(names))
    of_entities = [metric for metric in metrics if metric.counted_from == "entities"]
    places = [k for metric in of_entities for k in range(n_groups)[slices[metric.name]]]
    return Layout(
        names,
        n_groups,
        of_entities,
        [(metric.count, metric.takes == "totals", len(metric.groups) > 1) for metric in of_entities],
        slice(None) if len(places) == n_groups else places,
        [metric for metric in metrics if metric.counted_from != "entities"],
        needs_of(metrics),
        not all(metric.takes == "totals" for metric in of_entities),
        next((metric.name for metric in of_entities if metric.gold_mentions), None),
    )


def document_ranges(offsets: Ints, size: int) -> Iterator[tuple[int, int]]:
    """Split documents into ranges of about ``size`` mentions, as even as possible."""
    n_ranges = max(round(int(offsets[-1]) / size), 1)
    stops = np.arange(1, n_ranges) * (offsets[-1] / n_ranges)
    edges = np.unique(np.concatenate([[0], offsets.searchsorted(stops), [offsets.size - 1]]))
    yield from pairwise(edges.tolist())


@cache
def keep_freed_memory() -> None:
    """Make the C library keep the memory that a chunk frees for the next chunk, up to 64 MB per thread.

    By default, glibc returns large freed blocks to the system, which zeroes their pages again when the next chunk asks
    for memory: up to 17 of 40 ns per label. Once the process has freed one array of `KEPT` bytes, glibc keeps blocks of
    up to this size (mallopt(3), M_MMAP_THRESHOLD).
    """
    np.empty(KEPT, np.uint8)


def require_gold_mentions(metric: str, clusterings: Clusterings, first: int, n: Totals) -> None:
    """Refuse documents, from ``first`` on, whose sides hold different mentions."""
    key, response, shared = map(np.atleast_1d, (n.key_mentions, n.response_mentions, n.shared_mentions))
    differ = (shared != key) | (shared != response)
    if differ.any():
        d = int(differ.argmax())
        name = clusterings.names[first + d] if clusterings.names else first + d
        noun, other = ("mentions", "blanc") if metric == "blanc-gold" else ("items", "bcub")
        raise InputError(
            f"{metric} needs the same {noun} on both sides; in document {name!r} they share {shared[d]} (key "
            f"{key[d]}, response {response[d]}). restrict='shared' scores those; {other} works with others too",
            "restrict",
        )
