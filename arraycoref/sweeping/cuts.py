"""Count the cuts of dendrograms: merge by merge where a metric's sums allow it, by their labels where not (CEAF)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.clusterings import LABEL_SEED
from arraycoref.contingency import Cells, Totals, segment_bounds
from arraycoref.errors import InputError
from arraycoref.metrics.base import Metric, four_sums
from arraycoref.sweeping.blocks import Block
from arraycoref.sweeping.count import CHUNK_LABELS
from arraycoref.sweeping.dendrogram import Dendrogram
from arraycoref.sweeping.keyside import Integers, KeySide
from arraycoref.sweeping.settings import Setting
from arraycoref.sweeping.sources import Named
from arraycoref.sweeping.sums import Floats

Mask = NDArray[np.bool_]

BY_MERGE = ("mentions", "muc", "bcub", "blanc", "lea", "pairwise", "blanc-gold", "rand")
"""Metrics whose sums a merge changes in the two clusters' cells only. CEAF's alignment may change anywhere."""


def cut_counts(
    key: KeySide, present: Mask, trees: Sequence[Dendrogram], cuts: Integers, metrics: Sequence[Metric]
) -> dict[str, Floats]:
    """Count metrics of `BY_MERGE` at every cut.

    Args:
        key: D documents.
        present: bool (M,) which mentions the response has.
        trees: D dendrograms.
        cuts: int64 (S, D) numbers of merges, ascending in each column.
        metrics: of `BY_MERGE`.

    Returns:
        float64 (S, D, width) a metric, by its name.

    Raises:
        InputError: a metric for gold mentions, and sides that hold different ones.
    """
    from arraycoref.kernels.linkage import follow_merges

    n_cuts, n_documents = cuts.shape
    whole = np.empty((n_documents, n_cuts, 5), np.int64)
    real = np.empty((n_documents, n_cuts, 4))
    key_size = np.diff(key.row_start)
    for d, tree in enumerate(trees):
        mentions = slice(key.offsets[d], key.offsets[d + 1])
        entities = slice(key.entity_offsets[d], key.entity_offsets[d + 1])
        follow_merges(
            key.labels[mentions],
            present[mentions],
            key_size[entities],
            tree.merge,
            np.ascontiguousarray(cuts[:, d]),
            LABEL_SEED,
            whole[d],
            real[d],
        )
    cells = _totals(key, present, whole)
    numerators = real.transpose(1, 0, 2).reshape(-1, 4)
    counts = {}
    for metric in metrics:
        if metric.gold_mentions and (present != (key.labels >= 0)).any():
            raise InputError(f"{metric.name} is defined on gold mentions only; use blanc for predicted mentions")
        if metric.name in ("bcub", "lea"):
            first = 0 if metric.name == "bcub" else 2
            rows = four_sums(
                numerators[:, first],
                cells.totals.key_mentions,
                numerators[:, first + 1],
                cells.totals.response_mentions,
            )
        else:
            rows = metric.count(cells)
        counts[metric.name] = rows.reshape(n_cuts, n_documents, *rows.shape[1:])
    return counts


def _totals(key: KeySide, present: Mask, whole: Integers) -> Cells:
    """Return cells of S * D documents that hold the documents' sums and no cell: all that these metrics need."""
    n_documents, n_cuts, _ = whole.shape
    n_cells, entities, response_links, common_links, shared_links = whole.transpose(2, 1, 0).reshape(5, -1)
    size = np.diff(key.row_start)
    entity_document = np.repeat(np.arange(n_documents), np.diff(key.entity_offsets))
    mention_document = np.repeat(np.arange(n_documents), np.diff(key.offsets))
    in_key = key.labels >= 0
    entity = key.labels + key.entity_offsets[mention_document]
    common = np.bincount(entity[in_key & present], minlength=size.size)

    def by_document(values: NDArray[np.integer | np.bool_], document: Integers) -> Integers:
        totals = np.zeros(n_documents, np.int64)
        np.add.at(totals, document, values)
        return np.tile(totals, n_cuts)

    totals = np.stack(
        (
            by_document(in_key, mention_document),
            by_document(present, mention_document),
            by_document(in_key & present, mention_document),
            by_document(size * (size - 1) // 2, entity_document),
            response_links,
            by_document(common * (common - 1) // 2, entity_document),
            common_links,
            shared_links,
            np.zeros(n_cuts * n_documents, np.int64),
        )
    )
    empty = np.empty(0, np.int64)
    return Cells(
        empty,
        empty,
        empty,
        segment_bounds(n_cells),
        empty,
        empty,
        np.zeros(1, np.int64),
        segment_bounds(np.tile(np.diff(key.entity_offsets), n_cuts)),
        segment_bounds(entities),
        Totals(*[*totals, np.tile(np.diff(key.entity_offsets), n_cuts), entities, n_cells]),
    )


def label_blocks(
    key: KeySide,
    present: Mask,
    trees: Sequence[Dendrogram],
    cuts: Integers,
    settings: Sequence[Setting],
    skip: Callable[[Setting], bool],
) -> Iterator[Named]:
    """Yield the labels of cuts in blocks, for metrics that need them.

    Args:
        key: D documents.
        present: bool (M,).
        trees: D dendrograms.
        cuts: int64 (S, D).
        settings: (S,) names.
        skip: told of each setting.
    """
    from arraycoref.kernels.linkage import merged_labels

    n_mentions = int(key.offsets[-1])
    step = max(1, CHUNK_LABELS // max(n_mentions, 1))
    for s in range(0, len(settings), step):
        names = list(settings[s : s + step])
        for name in names:
            skip(name)
        labels = np.empty((len(names), n_mentions), np.int64)
        for d, tree in enumerate(trees):
            lo, hi = key.offsets[d], key.offsets[d + 1]
            part = np.empty((len(names), hi - lo), np.int64)
            merged_labels(present[lo:hi], tree.merge, np.ascontiguousarray(cuts[s : s + step, d]), part)
            labels[:, lo:hi] = part
        yield Named(names, Block(labels))


def combined(key: KeySide, metrics: Sequence[Metric], parts: dict[str, Floats], n_settings: int) -> Floats:
    """Lay counts by metric out as the sums of a sweep, float64 (S, D, K, 4)."""
    rows = [parts[metric.name].reshape(n_settings, len(key), len(metric.groups), 4) for metric in metrics]
    return np.concatenate(rows, axis=2)
