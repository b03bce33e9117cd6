"""Count blocks of responses, in threads over blocks and documents; no number depends on how they are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing

import numpy as np

from arraycoref.batch import document_ranges, keep_freed_memory
from arraycoref.contingency import Cells
from arraycoref.errors import InputError
from arraycoref.metrics import group_slices
from arraycoref.metrics.base import Metric
from arraycoref.sweeping.blocks import BadLabelError, Block, block_cells
from arraycoref.sweeping.keyside import KeySide
from arraycoref.sweeping.sums import Floats
from arraycoref.threads import stream, thread_count

CHUNK_LABELS = 131_072
"""Labels a unit of work: measured, larger units leave the cache, and with smaller ones threads wait for the
interpreter's lock, which numpy's calls hold in between."""

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
    keep_freed_memory()
    with closing(stream(_work, units, thread_count(threads))) as counted:
        for finished in counted:
            done(finished)


def _work(unit: tuple[Unit, int]) -> int:
    work, finished = unit
    work()
    return finished


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
    ranges = list(document_ranges(key.offsets, CHUNK_LABELS)) or [(0, 0)]
    n_units = -(-len(block.labels) * max(int(key.offsets[-1]), len(key), 1) // CHUNK_LABELS)
    step = max(1, -(-len(block.labels) // max(n_units, 1)))  # of about the same size, so that threads end together
    for s in range(0, len(block.labels), step):
        part = block.rows(s, s + step)
        for first, last in ranges:
            places = out[s : s + step, first:last]
            yield (
                _unit(key, part, first, last, metrics, places, drop_singletons, name, s),
                len(part.labels) if last == len(key) else 0,
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
        places = group_slices(tuple(metric.name for metric in metrics))
        for metric in metrics:
            if metric.gold_mentions:
                _require_gold_mentions(metric, cells, key, block, first, last, lambda position: name(s + position))
            place = out[:, :, places[metric.name]]
            place[...] = metric.count(cells).reshape(place.shape)
        if block.skipped is not None:
            out[block.skipped[:, first:last]] = np.nan

    return work


def _require_gold_mentions(
    metric: Metric, cells: Cells, key: KeySide, block: Block, first: int, last: int, name: Callable[[int], str]
) -> None:
    differ = (cells.totals.shared_mentions != cells.totals.key_mentions) | (
        cells.totals.shared_mentions != cells.totals.response_mentions
    )
    if block.skipped is not None:
        differ &= ~block.skipped[:, first:last].ravel()
    if differ.any():
        position, d = divmod(int(differ.argmax()), last - first)
        document = key.names[first + d] if key.names else first + d
        raise InputError(
            f"{metric.name} is defined on gold mentions only, but in document {document!r} key and response "
            f"{name(position)} hold different ones; use blanc for predicted mentions"
        )
