"""The labels of a batch, as a vector for each side with one document after the other, and the checks of these arrays.

The first of three records that scoring makes: labels (`clusterings`), cells (`cells`), sums (`counts`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError
from arraycoref.scoring.labels import BELOW, as_kernel_array, label_array, offset_array, require_one_index

LABEL_SEED = np.uint64(int.from_bytes(os.urandom(8)))
"""Seed of the hashes of labels and mentions, so that nobody can choose inputs that collide; no result depends on it."""

GIANT = 1 << 21
"""Number of mentions from which a document is giant: arrays of its entities no longer fit the cache, so that its cells
are counted in another way."""

MOST_MENTIONS = 2**31 - 1
"""Most mentions that a document may have, so that numbers of links and their sums fit 64 bits."""

BUCKETS = 2048
"""Number of parts into which the scattered labels of a giant document are dealt, so that the tables of a part fit the
cache."""

BUCKET_SEED = np.uint64(0)
"""Seed of the hash that picks the part of a label. It is constant, because entities are numbered part by part, and the
last digits of sums depend on that order. Labels chosen to fall into one part make its table larger, not slower."""


class Factorized(NamedTuple):
    """Key and response of D documents, with labels that can be used as positions in arrays.

    Attributes:
        key: int32 (M,) entity of each mention in the key: 0, 1, ... in each document, -1 where the key lacks it. A
            giant document keeps its own labels, int64 or int32, unless they are widely scattered.
        response: (M,) the same for the response.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        key_offsets: int64 (D+1,) document bounds of the key entities; for a giant document, these may include numbers
            that are the label of no mention.
        response_offsets: int64 (D+1,) likewise.
    """

    key: NDArray[Any]
    response: NDArray[Any]
    offsets: NDArray[np.int64]
    key_offsets: NDArray[np.int64]
    response_offsets: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clusterings:
    """Key and response of D documents, with the labels as they were given: one for each mention that either side has.

    There may be S responses to one key, one after the other: then there are S * D documents in all.

    Attributes:
        key: int64 (M,) entity of each mention in the key, -1 where the key lacks it; a giant document may have int32.
        response: (S * M,) the same for the response.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        names: (D,) document names, or None for documents without names.
        n_responses: S.
    """

    key: NDArray[Any]
    response: NDArray[Any]
    offsets: NDArray[np.int64]
    names: tuple[str, ...] | None = None
    n_responses: int = 1

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """Bounds of all documents in ``response``, int64 (S * D + 1,)."""
        if self.n_responses == 1:
            return self.offsets
        starts = np.arange(self.n_responses)[:, np.newaxis] * self.key.size
        return as_kernel_array(np.append((starts + self.offsets[:-1]).ravel(), self.response.size))

    @cached_property
    def longest(self) -> int:
        """Number of mentions in the longest document."""
        return int(np.diff(self.offsets).max(initial=0))

    @classmethod
    def from_labels(
        cls,
        key: ArrayLike,
        response: ArrayLike,
        offsets: ArrayLike | None = None,
        names: Iterable[str] | None = None,
    ) -> Clusterings:
        """Validate label vectors; labels below -1 are found later, where each label is read anyway.

        Args:
            key: (M,) labels as `arraycoref.scoring.labels` accepts them; -1 where the key lacks the mention. Not
            copied if
                contiguous and int64, or int32 for one giant document.
            response: (M,) likewise.
            offsets: (D+1,) integers from 0 to M, never decreasing; None for one document.
            names: (D,) document names.

        Raises:
            InputError: labels that are refused or not one-dimensional, lengths or indices that differ, bad offsets or
                names.
        """
        given = {"key": key, "response": response}
        key, response = label_array(key, "key", GIANT), label_array(response, "response", GIANT)
        if key.size != response.size:
            raise InputError(f"key has {key.size} labels and response {response.size}; expected equally many")
        require_one_index(**given)
        bounds = offset_array(offsets, key.size)
        if bounds.size > 2:  # kernels for many documents accept int64 only
            key, response = as_kernel_array(key), as_kernel_array(response)
        return cls(key, response, bounds, None if names is None else document_names(names, bounds.size - 1))

    def factorize(self, first: int = 0, last: int | None = None) -> Factorized:
        """Number the entities of the documents ``first:last`` 0, 1, ... in each document.

        Args:
            first: first document.
            last: end of the range; None for all that follow.

        Raises:
            InputError: a label below -1, or a document of 2^31 mentions or more.
        """
        return self._labelled(factorize, first, len(self) if last is None else last)

    def giant(self, document: int) -> Factorized:
        """Return one giant document with its labels as they are, or renumbered if they are widely scattered.

        Raises:
            InputError: a label below -1, or a document of 2^31 mentions or more.
        """
        return self._labelled(_giant, document, document + 1)

    def _labelled(self, label: Callable[..., Any], first: int, last: int) -> Factorized:
        key, response, offsets = self.key, self.response, self.bounds
        if self.n_responses > 1:
            key = np.tile(key, self.n_responses)
        if last - first < offsets.size - 1:
            lo, hi = int(offsets[first]), int(offsets[last])
            key, response, offsets = key[lo:hi], response[lo:hi], as_kernel_array(offsets[first : last + 1] - lo)
        names = self.names[first:last] if self.names else range(first, last)
        key, key_offsets = label(as_kernel_array(key, key.dtype.type), "key", offsets, names)
        response, response_offsets = label(response, "response", offsets, names)
        return Factorized(key, response, offsets, key_offsets, response_offsets)

    def without_singletons(self) -> Clusterings:
        """Drop the entities of one mention from both sides."""
        key = _drop_singletons(self.key, "key", self.offsets, self.names)
        return replace(self, key=key, response=_drop_singletons(self.response, "response", self.bounds, self.names))


def document_names(names: Iterable[str] | None, n_documents: int) -> tuple[str, ...] | None:
    """Check the names of documents.

    Args:
        names: (D,) names in order; None for documents without names.
        n_documents: D.

    Raises:
        InputError: another number of names, names that are no strings or repeat, or a set, which has no order.
    """
    if names is None:
        return None
    given: Any = names.to_pylist() if hasattr(names, "to_pylist") else names
    found = tuple([str(name) if isinstance(name, str) else name for name in given])  # repr of NumPy's strings differs
    if isinstance(names, str | set | frozenset) or not all(isinstance(name, str) for name in found):
        raise InputError(f"names is {names!r:.60}; expected a list of strings, one for each document")
    if len(found) != n_documents:
        raise InputError(f"got {len(found)} names for {n_documents} documents")
    if len(set(found)) != len(found):
        raise InputError(f"two documents are named {Counter(found).most_common(1)[0][0]!r}; expected unique names")
    return found


def factorize(
    labels: NDArray[np.int64], what: str, offsets: NDArray[np.int64], names: Sequence[str | int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Relabel the entities of one side 0, 1, ... in each document, by first appearance.

    Args:
        labels: int64 (M,), contiguous, read-only.
        what: name of the side, for messages.
        offsets: int64 (D+1,), valid, read-only.
        names: (D,) names or numbers of the documents, for messages.

    Returns:
        int32 (M,) labels, and int64 (D+1,) document bounds of the entities.

    Raises:
        InputError: a label below -1, or a document of 2^31 mentions or more.
    """
    from arraycoref.kernels.factorize import factorize_labels, factorize_scattered

    if labels.size > MOST_MENTIONS and np.diff(offsets).max() > MOST_MENTIONS:
        raise InputError(f"a document has {np.diff(offsets).max()} mentions; expected at most 2^31 - 1")
    n_documents = offsets.size - 1
    dense, bounds = np.empty(labels.size, np.int32), np.zeros(offsets.size, np.int64)
    reached, bad = factorize_labels(labels, offsets, 0, n_documents, dense, bounds)
    if reached < n_documents and bad < 0:
        bad = factorize_scattered(labels, offsets, reached, n_documents, LABEL_SEED, dense, bounds)
    if bad >= 0:
        d = int(np.searchsorted(offsets, bad, side="right")) - 1
        raise InputError(f"{what} label {labels[bad]} of mention {bad - offsets[d]} in document {names[d]!r}; {BELOW}")
    return dense, bounds


def _giant(
    labels: NDArray[Any], what: str, offsets: NDArray[np.int64], names: Sequence[str | int]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the labels of one giant document as they are, or relabelled if a table of them would be too long."""
    from arraycoref.kernels.giants import label_bounds

    least, largest = label_bounds(labels)
    if least < -1 or labels.size > MOST_MENTIONS:  # factorize raises the error
        return factorize(as_kernel_array(labels), what, offsets, names)
    if largest <= min(2 * labels.size, MOST_MENTIONS - 1):
        return labels, np.array([0, largest + 1])
    from arraycoref.kernels.giants import deal_by_hash, number_buckets

    bucket_end = np.zeros(BUCKETS, np.int64)
    dealt, places = np.empty(labels.size, np.int64), np.empty(labels.size, np.int32)
    dense = np.empty(labels.size, np.int32)
    deal_by_hash(as_kernel_array(labels), BUCKET_SEED, bucket_end, dealt, places, dense)
    return dense, np.array([0, number_buckets(LABEL_SEED, bucket_end, dealt, places, dense)])


def _drop_singletons(
    labels: NDArray[Any], what: str, offsets: NDArray[np.int64], names: Sequence[str | int] | None
) -> NDArray[np.int64]:
    """Mark the mentions of one-mention entities as absent."""
    from arraycoref.kernels.factorize import drop_singletons

    label = _giant if labels.size >= GIANT and offsets.size == 2 else factorize
    dense, entity_offsets = label(
        as_kernel_array(labels, labels.dtype.type), what, offsets, names or range(offsets.size - 1)
    )
    kept = np.empty(labels.size, np.int64)
    drop_singletons(as_kernel_array(dense, np.int32), as_kernel_array(offsets), as_kernel_array(entity_offsets), kept)
    return as_kernel_array(kept)
