"""The labels of a batch, as a vector for each side with one document after the other, and the checks of these arrays.

The first of three records that scoring makes: labels (`clusterings`), cells (`cells`), sums (`counts`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import BELOW, InputError, OptionError
from arraycoref.kernels.engine import in_numpy, kernels_for
from arraycoref.scoring.labels import as_kernel_array, label_array, offset_array, require_one_index

if TYPE_CHECKING:
    from arraycoref.scoring.repeated import Repeated

LABEL_SEED = np.uint64(int.from_bytes(os.urandom(8)))
"""Seed of the hashes of labels and mentions, so that nobody can choose inputs that collide; no result depends on it."""

GIANT = 1 << 21
"""Number of mentions from which a document is giant: a hash table of its entities would not fit the cache."""

SPREAD, LEAST_SPREAD = 4, 1024
"""In NumPy, labels are looked up in a table if it has at most SPREAD places for each mention, and LEAST_SPREAD more;
otherwise they are sorted."""

FACTORIZE, FACTORIZING = "arraycoref.kernels.factorize.factorize_labels", 5e-8
"""The kernel that numbers entities, and the seconds that NumPy takes for a mention."""

BUCKETS = 2048
"""Number of parts into which the scattered labels of a giant document are dealt, so that the tables of a part fit the
cache."""

BUCKET_SEED = np.uint64(0)
"""Seed of the hash that picks the part of a label: constant, so that entities have the same numbers in every process.
Labels chosen to fall into one part make its table larger, not slower."""


class Matched(Protocol):
    """Mentions of files, from which metrics are counted that entities alone do not determine."""

    def count(self, metric: Any) -> NDArray[np.float64]:
        """Return the sums of a metric of the registry, float64 (D, 4)."""


class Factorized(NamedTuple):
    """Key and response of D documents, with labels that can be used as positions in arrays.

    Attributes:
        key: int32 (M,) entity of each mention in the key: 0, 1, ... in each document, -1 where the key lacks it.
        response: int32 (M,) the same for the response.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        key_offsets: int64 (D+1,) document bounds of the key entities.
        response_offsets: int64 (D+1,) likewise.
    """

    key: NDArray[np.int32]
    response: NDArray[np.int32]
    offsets: NDArray[np.int64]
    key_offsets: NDArray[np.int64]
    response_offsets: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clusterings:
    """Key and response of D documents, with the labels as they were given: one for each mention that either side has.

    There may be S responses to one key, one after the other: then there are S * D documents in all.

    Attributes:
        key: int64 (M,) entity of each mention in the key, -1 where the key lacks it.
        response: (S * M,) the same for the response.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        names: (D,) document names, or None for documents without names.
        n_responses: S.
        matched: the mentions and their words, if they are known; singletons were then dropped before matching, if ever.
        repeated: the documents in which a mention is in several entities, and stays there; its label is the last one.
    """

    key: NDArray[np.int64]
    response: NDArray[np.int64]
    offsets: NDArray[np.int64]
    names: tuple[str, ...] | None = None
    n_responses: int = 1
    matched: Matched | None = None
    repeated: Repeated | None = None

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
            key: (M,) labels as `arraycoref.scoring.labels` accepts them; -1 where the key lacks the mention. Not copied
                if contiguous and int64.
            response: (M,) likewise.
            offsets: (D+1,) integers from 0 to M, never decreasing; None for one document.
            names: (D,) document names.

        Raises:
            InputError: labels that are refused or not one-dimensional, lengths or indices that differ, bad offsets or
                names.
        """
        given = {"key": key, "response": response}
        key, response = label_array(key, "key"), label_array(response, "response")
        if key.size != response.size:
            raise InputError(f"key has {key.size} labels and response {response.size}; expected equally many")
        require_one_index(**given)
        bounds = offset_array(offsets, key.size)
        return cls(key, response, bounds, None if names is None else document_names(names, bounds.size - 1))

    def require_labels(self, what: str) -> None:
        """Refuse documents in which a mention is in several entities, where ``what`` is counted from labels alone.

        Raises:
            OptionError: there are such documents.
        """
        if self.repeated is not None:
            reason = f"{self.repeated.documents.size} of {len(self)} documents have mentions in several entities"
            expected = f"{what} cannot count them; expected duplicates 'first', 'last' or 'drop'"
            raise OptionError(f"{reason}; {expected}", "duplicates")

    def factorize(self, first: int = 0, last: int | None = None, engine: str | None = None) -> Factorized:
        """Number the entities of the documents ``first:last`` 0, 1, ... in each document.

        Args:
            first: first document.
            last: end of the range; None for all that follow.
            engine: see `arraycoref.kernels.engine`.

        Raises:
            InputError: a label below -1.
        """
        last = len(self) if last is None else last
        key, response, offsets = self.key, self.response, self.bounds
        if self.n_responses > 1:
            key = np.tile(key, self.n_responses)
        if last - first < offsets.size - 1:
            lo, hi = int(offsets[first]), int(offsets[last])
            key, response, offsets = key[lo:hi], response[lo:hi], as_kernel_array(offsets[first : last + 1] - lo)
        names = self.names[first:last] if self.names else range(first, last)
        of_key, key_offsets = factorize(as_kernel_array(key), "key", offsets, names, engine)
        of_response, response_offsets = factorize(response, "response", offsets, names, engine)
        return Factorized(of_key, of_response, offsets, key_offsets, response_offsets)

    def without_singletons(self, engine: str | None = None) -> Clusterings:
        """Drop the entities of one mention from both sides; for the engine see `arraycoref.kernels.engine`."""
        if self.matched is not None:
            return self
        key = _drop_singletons(self.key, "key", self.offsets, self.names, engine)
        response = _drop_singletons(self.response, "response", self.bounds, self.names, engine)
        repeated = self.repeated and self.repeated.without_singletons()
        return replace(self, key=key, response=response, repeated=repeated)


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
    labels: NDArray[np.int64],
    what: str,
    offsets: NDArray[np.int64],
    names: Sequence[str | int],
    engine: str | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Relabel the entities of one side 0, 1, ... in each document, by first appearance; those of a giant in any order.

    Args:
        labels: int64 (M,), contiguous, read-only.
        what: name of the side, for messages.
        offsets: int64 (D+1,), valid, read-only.
        names: (D,) names or numbers of the documents, for messages.
        engine: see `arraycoref.kernels.engine`.

    Returns:
        int32 (M,) labels, and int64 (D+1,) document bounds of the entities.

    Raises:
        InputError: a label below -1.
    """
    kernels = kernels_for(FACTORIZE, FACTORIZING * labels.size, engine, compiling=2.0)
    if kernels is None:
        with in_numpy(FACTORIZE):
            refuse_below(labels, what, offsets, names)
            entity, bounds = number_entities(labels, offsets)
            return np.where(entity < 0, -1, entity - bounds[:-1].repeat(np.diff(offsets))).astype(np.int32), bounds
    n_documents = offsets.size - 1
    dense, bounds = np.empty(labels.size, np.int32), np.zeros(offsets.size, np.int64)
    reached, bad = kernels.factorize_labels(labels, offsets, 0, n_documents, dense, bounds)
    if reached == 0 and bad < 0 and n_documents == 1 and labels.size >= GIANT:
        ends, of_part, place = np.zeros(BUCKETS, np.int64), np.empty(labels.size, np.int64), np.empty_like(dense)
        kernels.deal_by_hash(labels, BUCKET_SEED, ends, of_part, place, dense)
        bounds[1] = kernels.number_buckets(LABEL_SEED, ends, of_part, place, dense)
    elif reached < n_documents and bad < 0:
        bad = kernels.factorize_scattered(labels, offsets, reached, n_documents, LABEL_SEED, dense, bounds)
    if bad >= 0:
        refuse_below(labels, what, offsets, names)
    return dense, bounds


def refuse_below(labels: NDArray[np.int64], what: str, offsets: NDArray[np.int64], names: Sequence[str | int]) -> None:
    """Refuse labels below -1; the arguments are those of `factorize`.

    Raises:
        InputError: the first such label, and where it is.
    """
    if labels.size and labels.min() < -1:
        bad = int((labels < -1).argmax())
        d = int(np.searchsorted(offsets, bad, side="right")) - 1
        raise InputError(f"{what} label {labels[bad]} of mention {bad - offsets[d]} in document {names[d]!r}; {BELOW}")


def number_entities(
    labels: NDArray[np.int64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the entities of one side across D documents, by first appearance, with NumPy alone.

        >>> number_entities(np.array([7, -1, 3, 7, 7]), np.array([0, 3, 5]))
        (array([ 0, -1,  1,  2,  2]), array([0, 2, 3]))

    Args:
        labels: int64 (M,), none below -1.
        offsets: int64 (D+1,) document bounds.

    Returns:
        int64 (M,) the entity of each mention, -1 where the side lacks it; and int64 (D+1,) document bounds of entities.
    """
    document = np.arange(offsets.size - 1).repeat(np.diff(offsets))
    present = np.flatnonzero(labels >= 0)
    label, document = labels[present], document[present]
    if label.max(initial=0) > SPREAD * labels.size:
        label = np.unique(label, return_inverse=True)[1]
    width = np.zeros(offsets.size - 1, np.int64)  # of each document: its labels are below
    if offsets.size == 2:
        width[0] = label.max(initial=-1) + 1
    elif label.size:
        begins = np.flatnonzero(np.append(True, document[1:] != document[:-1]))
        width[document[begins]] = np.maximum.reduceat(label, begins) + 1
    code, n_codes = label + (np.cumsum(width) - width)[document], int(width.sum())
    if n_codes > SPREAD * labels.size + LEAST_SPREAD:
        codes, code = np.unique(code, return_inverse=True)
        n_codes = codes.size
    number, first = number_by_appearance(code, n_codes)
    entity = np.full(labels.size, -1)
    entity[present] = number
    bounds = np.zeros(offsets.size, np.int64)
    np.cumsum(np.bincount(document[first], minlength=offsets.size - 1), out=bounds[1:])
    return entity, bounds


def number_by_appearance(code: NDArray[np.int64], n_codes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number codes in the order in which they first appear.

    Args:
        code: int64 (N,) numbers from 0.
        n_codes: all codes are below.

    Returns:
        int64 (N,) the number of each code; and int64, ascending, the first position of each number.
    """
    at = np.arange(code.size)
    first = np.empty(n_codes, np.int64)
    first[code[::-1]] = at[::-1]  # of repeated indices, NumPy keeps the last
    first_of = first[code]
    is_first = first_of == at
    return (np.cumsum(is_first) - 1)[first_of], np.flatnonzero(is_first)


def _drop_singletons(
    labels: NDArray[Any],
    what: str,
    offsets: NDArray[np.int64],
    names: Sequence[str | int] | None,
    engine: str | None,
) -> NDArray[np.int64]:
    """Mark the mentions of one-mention entities as absent."""
    names = names or range(offsets.size - 1)
    dense, bounds = factorize(as_kernel_array(labels), what, as_kernel_array(offsets), names, engine)
    entity = dense + bounds[:-1].repeat(np.diff(offsets))
    present = dense >= 0
    size = np.bincount(entity[present], minlength=1)
    return as_kernel_array(np.where(present & (size[np.maximum(entity, 0)] > 1), dense, -1))
