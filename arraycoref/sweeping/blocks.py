"""From a block of responses and a range of the key's documents to contingency cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.arrays import frozen
from arraycoref.clusterings import LABEL_SEED, label_array
from arraycoref.contingency import Cells, Totals, segment_bounds
from arraycoref.errors import InputError
from arraycoref.sweeping.keyside import Integers, KeySide


@dataclass(frozen=True, eq=False)
class Block:
    """Outputs of B settings, as labels over the key's mention index and labels of mentions outside it.

    Attributes:
        labels: integers (B, M), any dtype and stride; -1 where a response lacks the mention.
        extra: int64 (E,) entities of the mentions that the key's index lacks; None where there are none.
        extra_offsets: int64 (B*D+1,) bounds of each response's documents in ``extra``.
        skipped: bool (B, D) documents that a response lacks and is not scored on; None where there are none.
    """

    labels: NDArray[np.integer]
    extra: Integers | None = None
    extra_offsets: Integers | None = None
    skipped: NDArray[np.bool_] | None = None

    def rows(self, first: int, last: int) -> Block:
        """Return the responses ``first:last`` of the block, as views."""
        labels = self.labels[first:last]
        if self.extra is None or self.extra_offsets is None:
            return Block(labels)
        n_documents = (self.extra_offsets.size - 1) // len(self.labels)
        bounds = self.extra_offsets[first * n_documents : last * n_documents + 1]
        skipped = None if self.skipped is None else self.skipped[first:last]
        return Block(labels, self.extra[bounds[0] : bounds[-1]], bounds - bounds[0], skipped)

    def extras(self, n_documents: int, first: int, last: int) -> tuple[Integers, Integers]:
        """Take what ``extra`` and ``extra_offsets`` hold of the documents ``first:last`` of D."""
        if self.extra is None or self.extra_offsets is None:
            return np.empty(0, np.int64), np.zeros(len(self.labels) * (last - first) + 1, np.int64)
        if last - first == n_documents:
            return self.extra, self.extra_offsets
        begin = np.arange(len(self.labels)) * n_documents
        bounds = zip(self.extra_offsets[begin + first].tolist(), self.extra_offsets[begin + last].tolist(), strict=True)
        sizes = np.diff(self.extra_offsets).reshape(-1, n_documents)[:, first:last]
        return np.concatenate([self.extra[lo:hi] for lo, hi in bounds]), segment_bounds(sizes.ravel())


def block_cells(key: KeySide, block: Block, first: int, last: int, *, drop_singletons: bool = False) -> Cells:
    """Build the cells of B responses to the key's documents ``first:last``, as if they were B * (last-first) documents.

    Equal to the cells of each response by itself, one behind the other, in the same order.

    Args:
        key: D documents.
        block: B responses.
        first: first document.
        last: end of the range.
        drop_singletons: leave out response entities of one mention.

    Raises:
        InputError: a label below -1; the message starts with the place of the response in the block, as an ordinal.
    """
    from arraycoref.kernels import sweeps

    labels = frozen(block.labels[:, key.offsets[first] : key.offsets[last]])
    n_settings, n = labels.shape[0], labels.shape[0] * (last - first)
    a0, a1 = int(key.entity_offsets[first]), int(key.entity_offsets[last])
    entity_offsets = key.entity_offsets[first : last + 1] - a0
    rows = key.row_start[key.entity_offsets[first : last + 1]]
    here = slice(int(rows[0]), int(rows[-1]))
    extra, extra_offsets = block.extras(len(key), first, last)
    shared, cell_key, cell_response = np.empty((3, n_settings * (here.stop - here.start) + 1), np.int64)
    cell_offsets, response_offsets = np.empty((2, n + 1), np.int64)
    key_size = np.tile(np.diff(key.row_start[a0 : a1 + 1]), n_settings)
    key_start = np.empty(key_size.size + 1, np.int64)
    response_size = np.empty(labels.size + extra.size, np.int64)
    totals = np.empty((9, n), np.int64)
    totals[0], totals[3] = np.tile(np.diff(rows), n_settings), np.tile(key.links[first:last], n_settings)
    n_cells = sweeps.block_cells(
        labels,
        extra,
        extra_offsets,
        key.offsets[first : last + 1] - key.offsets[first],
        key.order[here],
        key.entity_of[here],
        a0,
        rows - rows[0],
        drop_singletons,
        LABEL_SEED,
        key_size,
        shared,
        cell_key,
        cell_response,
        cell_offsets,
        key_start,
        response_size,
        response_offsets,
        totals,
    )
    if n_cells < 0:
        raise BadLabelError(-1 - n_cells)
    offsets = (np.arange(n_settings)[:, None] * (a1 - a0) + entity_offsets[:-1]).ravel()
    key_offsets = np.append(offsets, key_size.size)
    entities = np.diff(key_offsets), np.diff(response_offsets), np.diff(cell_offsets)
    return Cells(
        shared[:n_cells],
        cell_key[:n_cells],
        cell_response[:n_cells],
        cell_offsets,
        key_size,
        response_size[: response_offsets[-1]],
        key_start,
        key_offsets,
        response_offsets,
        Totals(*[*totals, *entities]),
    )


class BadLabelError(InputError):
    """Response ``position`` of a block holds a label below -1."""

    def __init__(self, position: int) -> None:
        self.position = position
        super().__init__(f"response {position}: a label below -1; expected an entity >= 0, or -1 where it is absent")


def label_vector(output: object, n_mentions: int, what: str) -> Integers:
    """Check one setting's label vector.

    Args:
        output: (M,) integers, anything that `label_array` takes.
        n_mentions: M.
        what: names the setting, for messages.

    Raises:
        InputError: not integers, not one-dimensional, not M of them.
    """
    labels = label_array(output, what)  # type: ignore[arg-type]  # checked there
    if labels.size != n_mentions:
        raise InputError(f"{what} has {labels.size} labels; expected {n_mentions}, one each mention of the key")
    return labels
