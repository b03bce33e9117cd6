"""The key of a sweep, encoded once: what every response is counted against."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.clusterings import Clusterings
from arraycoref.lazy import cached_property

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class KeySide:
    """The key's entities over its own mention index, in the order in which the counting kernel walks them.

    Attributes:
        labels: int32 (M,) entity of each mention: 0, 1, ... in each document, -1 where the key lacks it.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        order: int32 (key mentions,) the mentions that the key has, by document and entity, counted from the document's
            first.
        entity_of: int32 (key mentions,) the entity of each mention in ``order``, counted through all documents.
        row_start: int64 (A+1,) bounds of the entities in ``order``.
        entity_offsets: int64 (D+1,) document bounds of the entities.
        names: (D,) document names, or None for documents known by position.
        mentions: fingerprint of the mentions that the index numbers, where they are known.
    """

    labels: NDArray[np.int32]
    offsets: Integers
    order: NDArray[np.int32]
    entity_of: NDArray[np.int32]
    row_start: Integers
    entity_offsets: Integers
    names: tuple[str, ...] | None = None
    mentions: bytes = b""

    def __len__(self) -> int:
        return self.offsets.size - 1

    @classmethod
    def from_labels(
        cls,
        key: ArrayLike,
        offsets: ArrayLike | None = None,
        names: Iterable[str] | None = None,
        *,
        drop_singletons: bool = False,
        mentions: bytes = b"",
    ) -> KeySide:
        """Validate and encode a key's labels.

        Args:
            key: (M,) integers, -1 where the key lacks a mention.
            offsets: (D+1,) integers from 0 to M; None for one document.
            names: (D,) document names.
            drop_singletons: leave out the key's entities of one mention.
            mentions: fingerprint of the mentions.

        Raises:
            InputError: not integers, not one-dimensional, a label below -1, bad offsets or names.
        """
        clusterings = Clusterings.from_labels(key, key, offsets, names)
        if drop_singletons:
            clusterings = clusterings.without_singletons()
        dense = clusterings.dense()
        labels, bounds = dense.key, dense.offsets
        entity_offsets = np.concatenate(([0], np.cumsum(dense.n_key_entities))).astype(np.int64)
        entity = np.where(labels >= 0, labels + np.repeat(entity_offsets[:-1], np.diff(bounds)), entity_offsets[-1])
        present = np.argsort(entity, kind="stable")[: np.count_nonzero(labels >= 0)]
        row_start = np.searchsorted(entity[present], np.arange(entity_offsets[-1] + 1)).astype(np.int64)
        first = np.repeat(bounds[:-1], np.diff(bounds))
        order = (present - first[present]).astype(np.int32)
        return cls(
            labels,
            bounds,
            order,
            entity[present].astype(np.int32),
            row_start,
            entity_offsets,
            clusterings.names,
            mentions,
        )

    @cached_property
    def links(self) -> Integers:
        """Coreference links of each document, int64 (D,)."""
        size = np.diff(self.row_start)
        before = np.concatenate(([0], np.cumsum(size * (size - 1) // 2)))
        return before[self.entity_offsets[1:]] - before[self.entity_offsets[:-1]]

    @cached_property
    def digest(self) -> str:
        """Fingerprint of labels, documents, names and mentions: a resumed sweep must have the same."""
        parts = (self.labels.tobytes(), self.offsets.tobytes(), repr(self.names).encode(), self.mentions)
        return hashlib.blake2b(b"\0".join(parts), digest_size=16).hexdigest()
