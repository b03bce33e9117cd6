"""Count blocks of responses against one key, as batches of ordinary documents."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError
from arraycoref.options import Policies
from arraycoref.runtime import in_threads, thread_count
from arraycoref.scoring.batch import count_documents, keep_freed_memory
from arraycoref.scoring.cells import Integers, segment_bounds
from arraycoref.scoring.clusterings import GIANT, Clusterings
from arraycoref.scoring.labels import as_kernel_array, index_of, label_array
from arraycoref.scoring.metrics.registry import Metric
from arraycoref.scoring.metrics.score import Floats
from arraycoref.sweeps.settings import Setting, text_of

BLOCK_LABELS, LEAST_LABELS = 524_288, 4
"""Number of labels in a block, which one thread counts at a time; and the least number of labels per document that is
assumed for the size of a block, because the sums of a document take as much memory as forty labels."""

Drawn = tuple[Sequence[Setting], Any]
"""Settings of a block, and their outputs as `Key.block` takes them."""


@dataclass(frozen=True, eq=False)
class Block:
    """Key and responses of B settings, laid out as a batch.

    Attributes:
        settings: (B,) settings.
        clusterings: the documents of the first setting, then those of the second, and so on, in the key's order.
        scored: bool (B, D) which of the key's documents ``clusterings`` holds for each setting; None for all.
    """

    settings: Sequence[Setting]
    clusterings: Clusterings
    scored: NDArray[np.bool_] | None = None


class Key(Protocol):
    """A key that is prepared once: of labels, of clusters or of files.

    Attributes:
        names: (D,) names of the documents, None for documents known by position.
        digest: fingerprint; sweeps that are joined or resumed must have the same.
        settings_at_once: number of settings that make a block of a good size.
    """

    names: tuple[str, ...] | None
    digest: str
    settings_at_once: int

    def __len__(self) -> int:
        """Return the number of documents, D."""

    def block(self, settings: Sequence[Setting], outputs: Any) -> Block:
        """Align the outputs of some settings with the key; called in the threads that count."""


class LabelKey:
    """A key given as labels, one for each mention, with the index that they have as a Series, for instance.

    Args:
        key: (M,) labels, -1 where the key lacks a mention.
        offsets: (D+1,) integers from 0 to M; None for one document.
        names: (D,) document names.

    Attributes:
        labels: int64 (M,) entity of each mention: 0, 1, ... in each document, -1 where the key lacks it.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        names: (D,) document names, or None for documents known by position.
        digest: fingerprint of labels, offsets and names.
        settings_at_once: number of settings that make a block of a good size.

    Raises:
        InputError: no labels, not one-dimensional, a label below -1, bad offsets or names.
    """

    def __init__(self, key: ArrayLike, offsets: ArrayLike | None = None, names: Iterable[str] | None = None) -> None:
        array, self._index = label_array(key, "key"), index_of(key)
        given = Clusterings.from_labels(array, array, offsets, names)
        dense = given.factorize()
        self.names = given.names
        self.offsets = given.offsets
        self.labels = as_kernel_array(dense.key)
        giant = np.diff(self.offsets).max(initial=0) >= GIANT
        self._counted = given.key if giant else self.labels  # the entities of giants are in the order of raw labels
        self.digest = fingerprint(dense.key, self.offsets, repr(self.names).encode())
        self.settings_at_once = max(1, min(BLOCK_LABELS // max(array.size, LEAST_LABELS * len(self), 1), 1024))

    def __len__(self) -> int:
        return self.offsets.size - 1

    def stack(self, settings: Sequence[Setting], outputs: Sequence[Any]) -> Integers:
        """Check and copy the label vectors (M,) of B settings: int64 (B, M).

        Raises:
            InputError: an output that is no label vector, or has not M labels.
        """
        return np.array([self._vector(*named) for named in zip(settings, outputs, strict=True)], np.int64)

    def block(self, settings: Sequence[Setting], outputs: NDArray[np.integer]) -> Block:
        """Align the labels of B settings with the key.

        Args:
            settings: (B,) settings.
            outputs: integers (B, M) in the range of int64; labels below -1 are refused only when they are counted.
        """
        responses = as_kernel_array(outputs).reshape(-1)
        return Block(settings, Clusterings(self._counted, responses, self.offsets, n_responses=len(settings)))

    def _vector(self, setting: Setting, output: object) -> Integers:
        what = f"response {text_of(setting)}"
        labels = label_array(output, what)
        if labels.size != self.labels.size:
            raise InputError(
                f"{what} has {labels.size} labels; expected {self.labels.size}, one per mention of the key"
            )
        index = index_of(output)
        if index is not None and self._index is not None and not index.equals(self._index):
            raise InputError(f"{what} and the key have different indices; expected the same, or arrays without one")
        return labels


def count_blocks(
    key: Key, drawn: Iterable[Drawn], metrics: Sequence[Metric], policies: Policies, threads: int
) -> Generator[Floats, None, None]:
    """Count blocks of settings in threads; blocks are drawn during the work, only a few ahead of it.

    Args:
        key: D documents.
        drawn: blocks, each of B settings and their outputs.
        metrics: entries of the registry that have counts.
        policies: policy for singletons.
        threads: number of threads; 0 for one per core. Results depend neither on it nor on the division into blocks.

    Yields:
        float64 (B, D, K, 4) of each block, in order.

    Raises:
        Exception: the first exception, in the order of the blocks, that drawing or counting a block raises.
    """

    def count(block: Drawn) -> Floats:
        return count_block(key.block(*block), key, metrics, policies.singletons == "drop")

    keep_freed_memory()
    return in_threads(count, drawn, thread_count(threads))


def count_block(block: Block, key: Key, metrics: Sequence[Metric], drop_singletons: bool = False) -> Floats:
    """Count the sums of B settings, float64 (B, D, K, 4); they are nan for documents that a setting is not scored on.

    Args:
        block: B settings.
        key: D documents.
        metrics: entries of the registry that have counts.
        drop_singletons: leave out entities of one mention, on both sides.

    Raises:
        InputError: a label below -1, or mentions on which a metric is not defined; the message names the setting.
    """

    def count(clusterings: Clusterings) -> Floats:
        kept = clusterings.without_singletons() if drop_singletons else clusterings
        return count_documents(kept, metrics).rows

    try:
        found = count(block.clusterings)
    except InputError:
        for setting, clusterings in _apart(block, key):  # until one of them raises
            try:
                count(clusterings)
            except InputError as error:
                raise InputError(f"response {text_of(setting)}: {error}") from None
        raise
    if block.scored is None:
        return found.reshape(len(block.settings), len(key), *found.shape[1:])
    spread = np.full((*block.scored.shape, *found.shape[1:]), np.nan)
    spread[block.scored] = found
    return spread


def _apart(block: Block, key: Key) -> Iterator[tuple[Setting, Clusterings]]:
    """Yield each setting by itself, with the names of its documents."""
    scored = np.ones((len(block.settings), len(key)), bool) if block.scored is None else block.scored
    names = np.array(key.names or range(len(key)), object)
    bounds = segment_bounds(scored.sum(axis=1))
    whole = block.clusterings
    for b, setting in enumerate(block.settings):
        offsets = whole.bounds[bounds[b] : bounds[b + 1] + 1]
        here = slice(offsets[0], offsets[-1])
        labels = whole.key if whole.n_responses > 1 else whole.key[here]
        bounds_here, names_here = as_kernel_array(offsets - offsets[0]), tuple(names[scored[b]].tolist())
        yield setting, Clusterings(labels, whole.response[here], bounds_here, names_here)


def fingerprint(*parts: bytes | NDArray[Any]) -> str:
    """Hash the parts of a key."""
    return hashlib.blake2b(b"\0".join(bytes(part) for part in parts), digest_size=16).hexdigest()
