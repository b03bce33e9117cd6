"""Count many documents, in chunks that fit the processor's cache, which several threads can work through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, OptionError
from arraycoref.kernels.engine import in_numpy, kernels_for
from arraycoref.options import Progress
from arraycoref.runtime import in_threads, reported, thread_count
from arraycoref.scoring.auction import PATIENCE
from arraycoref.scoring.cells import Cells, Totals
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.contingency import LARGE, cells_of, table_bits
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.labels import as_kernel_array
from arraycoref.scoring.metrics.registry import DEFAULT_METRICS, Metric, find_metric, group_names, group_slices

FUSED = "arraycoref.scoring.metrics.fused.count_blocks"
CALLING, COUNTING, IN_TABLE = 4e-4, 3e-7, 3e-8
"""Seconds that NumPy takes for a call, for a mention of usual documents, and for one of a large document of few
entities, whose cells are counted in a table."""

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
    engine: str | None = None,
) -> Counts:
    """Count each metric's sums, document by document.

    Args:
        clusterings: labels of D documents.
        metrics: entries of the registry that have counts.
        threads: number of threads; 0 for as many as there are cores. The counts do not depend on it.
        progress: called with the number of documents counted so far and the number of all; True for a bar.
        chunk: number of mentions that are counted at once; None to choose it. The counts do not depend on it.
        engine: see `arraycoref.kernels.engine`. The counts do not depend on it.

    Raises:
        OptionError: a metric that looks at words of mentions, which are not known.
        InputError: a label below -1; or a document with different mentions in key and response, where a metric is
            defined on gold mentions only.
    """
    names = tuple([metric.name for metric in metrics])
    places, plan = group_slices(names), plan_of(names)
    n_documents, n_mentions = len(clusterings.offsets) - 1, clusterings.response.size
    n_documents *= clusterings.n_responses
    n_threads = 1 if type(threads) is int and threads == 1 else thread_count(threads)
    sums = np.empty((places[names[-1]].stop, n_documents, 4))  # metric first: each one writes to a contiguous block
    left = n_mentions
    for metric in plan.of_words:
        if clusterings.matched is None:
            reason = "needs words of mentions; expected CoNLL-U files, or clusters with heads"
            raise OptionError(f"metric {metric.name!r} {reason}", "metrics")
        sums[places[metric.name]] = clusterings.matched.count(metric)

    def count(bounds: tuple[int, int]) -> None:
        nonlocal left
        first, last = bounds
        is_one = n_mentions >= LARGE and last - first == 1
        is_large = is_one and int(clusterings.bounds[last] - clusterings.bounds[first]) >= LARGE
        in_table = is_large and table_bits(clusterings, first) is not None
        cells = kernels = None
        if plan.default:
            kernels = kernels_for(FUSED, CALLING + (IN_TABLE if in_table else COUNTING) * left, engine)
            left -= int(clusterings.bounds[last] - clusterings.bounds[first]) if last - first < n_documents else 0
        if kernels is not None:
            cells = cells_of(clusterings, first, last, engine) if in_table else None
            count_fused(kernels, clusterings, first, last, plan, places, sums, is_large, cells)
            if not plan.others:
                return
        with in_numpy(FUSED) if plan.default and kernels is None else nullcontext():
            cells = cells or cells_of(clusterings, first, last, engine)
            if plan.gold_only:
                require_gold_mentions(plan.gold_only, clusterings, first, cells.totals)
            count_by_cells(cells, plan.every if kernels is None else plan.others, places, sums, first)

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
    if clusterings.repeated is not None:
        clusterings.repeated.write(plan.every, places, sums)
    rows = sums.transpose(1, 0, 2)
    rows.flags.writeable = False
    return Counts(clusterings.names, names, rows)


class Plan(NamedTuple):
    """What is counted in which way.

    Attributes:
        default: names of the default metrics, which `arraycoref.scoring.metrics.fused` counts in one call.
        others: the other metrics that are counted from cells.
        every: all metrics that can be counted from cells.
        of_words: metrics that are counted from words of mentions.
        places: positions of the groups of the default metrics among all groups; a slice where they are all.
        wanted: the argument ``wanted`` of `count_blocks`.
        gold_only: the name of a metric that is defined on gold mentions only, None if there is none.
    """

    default: list[str]
    others: list[Metric]
    every: list[Metric]
    of_words: list[Metric]
    places: slice | list[int]
    wanted: tuple[bool, bool, bool]
    gold_only: str | None


@lru_cache
def plan_of(names: tuple[str, ...]) -> Plan:
    """Decide how metrics are counted."""
    metrics = [find_metric(name) for name in names]
    every = [metric for metric in metrics if metric.counted_from == "entities"]
    default = [name for name in names if name in DEFAULT_METRICS]
    others = [metric for metric in every if metric.name not in DEFAULT_METRICS]
    of_words = [metric for metric in metrics if metric not in every]
    places = [k for name in default for k in range(*group_slices(names)[name].indices(len(group_names(names))))]
    wanted = "bcub" in default or "lea" in default, "ceafm" in default, "ceafe" in default
    gold_only = next((metric.name for metric in others if metric.gold_mentions), None)
    is_alone = len(default) == len(metrics)
    return Plan(default, others, every, of_words, slice(None) if is_alone else places, wanted, gold_only)


def count_by_cells(
    cells: Cells, metrics: Sequence[Metric], places: Mapping[str, slice], sums: NDArray[np.float64], first: int
) -> None:
    """Count documents from their cells.

    Args:
        cells: cells of some documents.
        metrics: what to count.
        places: the groups of each metric in ``sums``, see `group_slices`.
        sums: float64 (K, N, 4) receives the sums.
        first: the number of the first document in ``sums``.
    """
    for metric in metrics:
        found = metric.count(cells)
        of_groups = found[np.newaxis] if found.ndim == 2 else found.transpose(1, 0, 2)
        sums[places[metric.name], first : first + len(found)] = of_groups


def count_fused(
    kernels: Any,
    clusterings: Clusterings,
    first: int,
    last: int,
    plan: Plan,
    places: Mapping[str, slice],
    sums: NDArray[np.float64],
    is_large: bool,
    cells: Cells | None,
) -> None:
    """Count the documents ``first:last`` in one compiled call.

    Args:
        kernels: the module `arraycoref.scoring.metrics.fused`.
        clusterings: labels of the documents.
        first: first document.
        last: end of the range.
        plan: what is counted.
        places: the groups of each metric in ``sums``, see `group_slices`.
        sums: float64 (K, N, 4) receives the sums of the default metrics.
        is_large: whether the range is one large document.
        cells: its cells, if they are known.
    """
    longest = clusterings.response.size  # an upper bound, which is enough up to `BLOCK`
    if longest > kernels.BLOCK:
        longest = clusterings.longest
    if longest > kernels.BLOCK:
        longest = int((clusterings.bounds[first + 1 : last + 1] - clusterings.bounds[first:last]).max(initial=0))
    if cells is not None:
        scratch = kernels.hold_cells(cells)
    else:
        scratch = kernels.kept.scratch if longest <= kernels.kept.longest else kernels.make_scratch(longest)
    totals, parts = np.empty((12, last - first), np.int64), np.empty((6, last - first))
    given = PATIENCE, is_large, cells is not None, plan.wanted, totals, parts, *scratch
    key, response, offsets = clusterings.key, clusterings.response, clusterings.offsets
    reached, aligned = kernels.count_blocks(key, response, offsets, first, last, *given)
    if reached < last:
        dense = clusterings.factorize(first, last, "numba")
        key, response = as_kernel_array(dense.key), as_kernel_array(dense.response)
        _, aligned = kernels.count_blocks(key, response, dense.offsets, 0, last - first, *given)
    if not aligned:
        del scratch, given  # as much memory as the cells take
        for d in np.flatnonzero(np.isnan(parts).any(axis=0)).tolist():
            alone = cells or cells_of(clusterings, first + d, first + d + 1, "numba")
            for row in np.flatnonzero(np.isnan(parts[:, d])).tolist():
                parts[row, d] = find_metric("ceafm" if row == 4 else "ceafe").count(alone)[0, 0]
    if last - first == 1:  # numbers take a tenth of the time that arrays of one number take
        a, b, c, d, e, f = parts[:, 0].tolist()
        found = kernels.Sums(Totals(*totals[:, 0].tolist()), (a, b), (c, d), e, f)
        sums[plan.places, first] = [row for name in plan.default for row in kernels.FORMULAS[name](found)]
        return
    found = kernels.Sums(Totals(*totals), parts[0:2], parts[2:4], parts[4], parts[5])
    for name in plan.default:
        for k, row in enumerate(kernels.FORMULAS[name](found), places[name].start):
            for field, values in enumerate(row):
                sums[k, first:last, field] = values


def document_ranges(offsets: NDArray[np.int64], size: int) -> Iterator[tuple[int, int]]:
    """Split documents into ranges of about ``size`` mentions, as even as possible; a large document is one range."""
    large = np.flatnonzero(np.diff(offsets) >= LARGE).tolist()
    edges = {0, *large, *(d + 1 for d in large), offsets.size - 1}
    for begin, end in pairwise(sorted(edges)):
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


def require_gold_mentions(metric: str, clusterings: Clusterings, first: int, n: Totals) -> None:
    """Refuse documents, from ``first`` on, whose sides hold different mentions."""
    differ = (n.shared_mentions != n.key_mentions) | (n.shared_mentions != n.response_mentions)
    if differ.any():
        d = int(differ.argmax())
        name = clusterings.names[first + d] if clusterings.names else first + d
        raise InputError(
            f"{metric} is defined on gold mentions only, but in document {name!r} key "
            f"({n.key_mentions[d]} mentions) and response ({n.response_mentions[d]}) share {n.shared_mentions[d]}; "
            "use blanc for predicted mentions"
        )
