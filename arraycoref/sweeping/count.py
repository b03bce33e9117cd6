"""Count blocks of responses, in threads over blocks and documents; no number depends on how they are cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from arraycoref.contingency import Cells
from arraycoref.errors import InputError
from arraycoref.metrics.base import Metric
from arraycoref.sweeping.blocks import BadLabelError, Block, block_cells
from arraycoref.sweeping.keyside import KeySide
from arraycoref.sweeping.sums import Floats, views
from arraycoref.threads import thread_count

CHUNK_LABELS = 65_536
"""Labels a unit of work: measured, larger units leave the cache and smaller ones spend their time in numpy's calls."""

Unit = Callable[[], None]


def run(units: Iterable[tuple[Unit, int]], threads: int, done: Callable[[int], None]) -> None:
    """Run units of work in their order, or in threads with few of them under way at a time.

    Args:
        units: each a function to call, and how many settings are finished once it and those before it are.
        threads: 1 or more; 0 for one a core.
        done: called in the calling thread with that number, unit after unit.

    Raises:
        Exception: the first unit's that fails, in order.
    """
    threads = thread_count(threads)
    _keep_freed_memory()
    if threads == 1:
        for unit, finished in units:
            unit()
            done(finished)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    under_way: deque[tuple[Future[None], int]] = deque()

    def settle(limit: int) -> None:
        while len(under_way) > limit:
            future, finished = under_way.popleft()
            future.result()
            done(finished)

    with ThreadPoolExecutor(threads) as pool:
        try:
            for unit, finished in units:
                under_way.append((pool.submit(unit), finished))
                settle(3 * threads)
            settle(0)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _keep_freed_memory() -> None:
    """Let the C library keep what a unit of work frees for the next one, up to 16 MB a thread.

    glibc gives memory back to the system, and the next unit has it zeroed again, page by page: up to 17 of 40 ns a
    label. It stops doing so for good once the process has freed one array of this size (mallopt(3), M_MMAP_THRESHOLD).
    """
    np.empty(8 << 20, np.uint8)


def units_of(
    key: KeySide,
    block: Block,
    metrics: Sequence[Metric],
    out: Floats,
    *,
    drop_singletons: bool,
    name: Callable[[int], str],
) -> Iterator[tuple[Unit, int]]:
    """Cut a block into units of work of about `CHUNK_LABELS` labels.

    Args:
        key: D documents.
        block: B responses.
        metrics: entries of the registry.
        out: float64 (B, D, K, 4) receives the sums.
        drop_singletons: leave out response entities of one mention.
        name: names a response of the block, for messages.
    """
    n_settings = block.labels.shape[0]
    ranges = list(document_ranges(key)) if block.extra is None else [(0, len(key))]
    step = max(1, CHUNK_LABELS // max(int(key.offsets[-1]), len(key), 1)) if block.extra is None else n_settings
    for s in range(0, n_settings, step):
        settings = slice(s, min(s + step, n_settings))
        part = block if block.extra is not None else Block(block.labels[settings])
        for first, last in ranges:
            yield (
                _unit(key, part, first, last, metrics, out[settings, first:last], drop_singletons, name, s),
                settings.stop - s if last == len(key) else 0,
            )


def _unit(
    key: KeySide,
    block: Block,
    first: int,
    last: int,
    metrics: Sequence[Metric],
    out: Floats,
    drop_singletons: bool,
    name: Callable[[int], str],
    s: int,
) -> Unit:
    def work() -> None:
        try:
            cells = block_cells(key, block, first, last, drop_singletons=drop_singletons)
        except BadLabelError as error:
            raise InputError(
                f"response {name(s + error.position)} holds a label below -1; "
                "expected an entity >= 0, or -1 where the mention is absent"
            ) from None
        places = views(out, metrics)
        for metric in metrics:
            if metric.gold_mentions:
                _require_gold_mentions(metric, cells, key, first, last, lambda position: name(s + position))
            places[metric.name][...] = metric.count(cells).reshape(places[metric.name].shape)

    return work


def document_ranges(key: KeySide) -> Iterator[tuple[int, int]]:
    """Cut the documents into ranges of about `CHUNK_LABELS` mentions, or one document where that is larger."""
    first = 0
    while first < len(key):
        last = int(np.searchsorted(key.offsets, key.offsets[first] + CHUNK_LABELS, side="right")) - 1
        last = min(max(last, first + 1), len(key))
        yield first, last
        first = last


def _require_gold_mentions(
    metric: Metric, cells: Cells, key: KeySide, first: int, last: int, name: Callable[[int], str]
) -> None:
    differ = (cells.n_shared_mentions != cells.n_key_mentions) | (cells.n_shared_mentions != cells.n_response_mentions)
    if differ.any():
        position, d = divmod(int(differ.argmax()), last - first)
        document = key.names[first + d] if key.names else first + d
        raise InputError(
            f"{metric.name} is defined on gold mentions only, but in document {document!r} key and response "
            f"{name(position)} hold different ones; use blanc for predicted mentions"
        )
