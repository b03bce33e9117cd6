"""The labels of a batch, as a vector for each side with one document after the other, and the checks of these arrays.

The first of four records that scoring makes: `Clusterings`, `Cells`, `Totals` and `Counts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.exceptions import BELOW, InputError, OptionError
from arraycoref.ragged import SPREAD, Floats, Ints, bounds, narrow, number_by_appearance, owners, run_starts
from arraycoref.scoring.labels import label_array, offset_array, require_one_index

LEAST_SPREAD = 1024
"""Labels are looked up in a table if it has at most `SPREAD` places for each mention, and so many more; otherwise in a
table of hashes."""


class CountedMentions(Protocol):
    """Mentions of files, from which metrics are counted that entities alone do not determine."""

    def count(self, metric: Any) -> Floats:
        """Return the sums of a metric of the registry, float64 (D, 4)."""


class Ids(Protocol):
    """Ids of the mentions of one document."""

    def listed(self) -> list[Any]:
        """Return the id of each mention, (M,)."""


class Contributions(NamedTuple):
    """What mentions add to the four sums of a metric that labels do not determine, as a number of errors: N numbers.

    Attributes:
        mention: int64 (N,) a mention that key or response has.
        place: int64 (N,) which of the four sums it adds to.
        value: float64 (N,) what it adds.
    """

    mention: Ints
    place: Ints
    value: Floats


@dataclass(frozen=True, eq=False)
class Clusterings:
    """Key and response of D documents, with the labels as they were given: one for each mention that either side has.

    There may be S responses to one key, one after the other: then there are S * D documents in all.

    Attributes:
        key: int64 (M,) entity of each mention in the key, -1 where the key lacks it.
        response: (S * M,) the same for the response.
        offsets: int64 (D+1,) document d owns the mentions ``offsets[d]:offsets[d + 1]``.
        names: (D,) document names; None for documents without names, and if S is not 1.
        n_responses: S.
        matched: the mentions and their words, where these are known. Singletons that are to be dropped were then
            dropped before mentions were matched.
        links: the bridging links of both sides, `arraycoref.scoring.metrics.bridging.Bridging`; None without any.
        repeated: the documents in which a mention is in several entities, and counts in all of them, as
            `arraycoref.scoring.duplicates.Repeated`; None for none. Its label in
            ``key`` or ``response`` is that of the last one.
        split: the documents in which an entity has split antecedents, if these count, as
            `arraycoref.match.split_antecedents.SplitAntecedents`; None for none.
        positions: whether mentions are known by their positions, so that those of other responses to the key, or other
            labels of mentions, have the same.
        spurious: codes of the last mentions, which the key lacks, equal for equal mentions of other responses; None
            where such codes are not known. Mentions before these are the key's, in the key's order.
        contributions: what mentions add to the sums of metrics, by name; None if labels determine the sums.
        ids: the ids of the mentions of one document that is a table; None where they are not known.
    """

    key: Ints
    response: Ints
    offsets: Ints
    names: tuple[str, ...] | None = None
    n_responses: int = 1
    matched: CountedMentions | None = None
    links: Any = None
    repeated: Any = None
    split: Any = None
    positions: bool = False
    spurious: Ints | None = None
    contributions: Mapping[str, Contributions] | None = None
    ids: Ids | None = None

    def __len__(self) -> int:
        return len(self.response_bounds) - 1

    @cached_property
    def response_bounds(self) -> Ints:
        """Bounds of all documents in ``response``, int64 (S * D + 1,)."""
        if self.n_responses == 1:
            return self.offsets
        starts = np.arange(self.n_responses)[:, np.newaxis] * self.key.size
        return np.append((starts + self.offsets[:-1]).ravel(), self.response.size)

    @cached_property
    def longest(self) -> int:
        """Number of mentions in the longest document."""
        return int(np.diff(self.offsets).max(initial=0))

    @classmethod
    def from_labels(
        cls, key: ArrayLike, response: ArrayLike, offsets: ArrayLike | None = None, names: Iterable[str] | None = None
    ) -> Clusterings:
        """Validate label vectors; labels below -1 are found later, where each label is read anyway.

        Args:
            key: (M,) labels as `arraycoref.scoring.labels` accepts them; -1 where the key lacks the mention. Not copied
                if contiguous and int64.
            response: (M,) the same.
            offsets: (D+1,) integers from 0 to M, never decreasing; None for one document.
            names: (D,) document names.

        Raises:
            InputError: labels that are refused or not one-dimensional, lengths or indices that differ, bad offsets or
                names.
        """
        columns, are_arrays = {"key": key, "response": response}, type(key) is type(response) is np.ndarray
        key, response = label_array(key, "key"), label_array(response, "response")
        if key.size != response.size:
            raise InputError(f"key has {key.size} labels and response {response.size}; expected equally many")
        if not are_arrays:
            require_one_index(**columns)
        offsets = offset_array(offsets, key.size)
        names = None if names is None else document_names(names, offsets.size - 1)
        return cls(key, response, offsets, names, positions=True)

    def for_results(self) -> Clusterings | None:
        """Return the labels of one document, for its results to keep; None where they do not determine its sums."""
        if self.repeated is not None or self.split is not None:
            return None
        return self if self.matched is self.links is None else replace(self, matched=None, links=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the labels of one document as plain values, which `of_dict` reads."""
        spurious = None if self.spurious is None else self.spurious.tolist()
        sides = {"key": self.key.tolist(), "response": self.response.tolist()}
        return {**sides, "positions": self.positions, "spurious": spurious}

    @classmethod
    def of_dict(cls, found: dict[str, Any]) -> Clusterings:
        """Make the labels of one document from the values of `to_dict`, or from arrays.

        Raises:
            InputError: values that are not labels, or of different lengths.
        """
        labels, spurious = cls.from_labels(found["key"], found["response"]), found["spurious"]
        codes = None if spurious is None else np.asarray(spurious, np.int64)
        return replace(labels, positions=bool(found["positions"]), spurious=codes)

    def require_labels(self, what: str) -> None:
        """Refuse documents in which a mention is in several entities, where ``what`` is counted from labels alone.

        Raises:
            OptionError: there are such documents.
        """
        if self.repeated is not None:
            reason = f"{self.repeated.documents.size} of {len(self)} documents have mentions in several entities"
            expected = f"{what} cannot count them; expected duplicates 'first', 'last' or 'drop'"
            raise OptionError(f"{reason}; {expected}", "duplicates")

    def factorize(self, first: int = 0, last: int | None = None) -> tuple[Ints, Ints, Ints]:
        """Number the entities of the documents ``first:last`` 0, 1, ... in each document; return both sides and bounds.

        Args:
            first: first document.
            last: end of the range; None for all that follow.

        Raises:
            InputError: a label below -1.
        """
        last = len(self) if last is None else last
        key, response, offsets = self.key, self.response, self.response_bounds
        lo, hi = int(offsets[first]), int(offsets[last])
        if self.n_responses > 1:
            key = key[np.arange(lo, hi) % max(key.size, 1)]
        elif last - first < offsets.size - 1:
            key = key[lo:hi]
        if last - first < offsets.size - 1:
            response, offsets = response[lo:hi], offsets[first : last + 1] - lo
        names = self.names[first:last] if self.names else range(first, last)
        return factorize(key, "key", offsets, names)[0], factorize(response, "response", offsets, names)[0], offsets

    def without_singletons(self, sides: Sequence[str] = ("key", "response"), *, hide: bool = False) -> Clusterings:
        """Drop the entities of one mention from the sides that are named.

        Args:
            sides: the sides.
            hide: whether a mention of several entities is in none for the other side if its last entity is dropped.
        """
        labels: dict[str, Any] = {"repeated": self.repeated and self.repeated.without_singletons(sides, hide=hide)}
        if "key" in sides:
            labels["key"] = _drop_singletons(self.key, "key", self.offsets, self.names)
        if "response" in sides:
            labels["response"] = _drop_singletons(self.response, "response", self.response_bounds, self.names)
        return replace(self, **labels)

    def restricted(self, how: str) -> Clusterings:
        """Leave out the mentions that the key lacks (``key``), or that either side lacks (``shared``).

        The documents of S responses become documents of one response, since each may leave out others of the key.
        Metrics that look at words cannot be counted, as mentions without a partner are part of them.
        """
        key = np.tile(self.key, self.n_responses)
        response = np.where((key == -1) & (self.response >= 0), -1, self.response)  # below -1 is refused later
        if how == "shared":
            key = np.where((self.response == -1) & (key >= 0), -1, key)
        names = self.names if self.n_responses == 1 else None
        repeated = self.repeated and self.repeated.restricted(how)
        return Clusterings(key, response, self.response_bounds, names, repeated=repeated, positions=self.positions)


def document_names(names: Iterable[str] | None, n_documents: int) -> tuple[str, ...] | None:
    """Check the names of documents.

    Args:
        names: (D,) names in order; None for documents without names.
        n_documents: D.

    Raises:
        InputError: another number of names, names that are not strings or repeat, or a set, which has no order.
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


def factorize(labels: Ints, what: str, offsets: Ints, names: Sequence[str | int]) -> tuple[Ints, Ints]:
    """Relabel the entities of one side 0, 1, ... in each document; errors are those of `number_entities`.

    Returns:
        int64 (M,) labels, and int64 (D+1,) document bounds of the entities.
    """
    entity, of_entities = number_entities(labels, what, offsets, names)
    return np.where(entity < 0, -1, entity - of_entities[:-1].repeat(np.diff(offsets))), of_entities


def number_entities(labels: Ints, what: str, offsets: Ints, names: Sequence[str | int]) -> tuple[Ints, Ints]:
    """Number the entities of one side across D documents, by first appearance; the arguments are those of `factorize`.

        >>> number_entities(np.array([7, -1, 3, 7, 7]), "key", np.array([0, 3, 5]), "ab")
        (array([ 0, -1,  1,  2,  2]), array([0, 2, 3]))

    Returns:
        int64 (M,) the entity of each mention, -1 where the side lacks it; and int64 (D+1,) document bounds of entities.

    Raises:
        InputError: a label below -1.
    """
    if labels.min(initial=0) < -1:
        bad = int((labels < -1).argmax())
        d = int(np.searchsorted(offsets, bad, side="right")) - 1
        padding = f"; score_labels_batch(ignore_index={labels[bad]}) leaves it out" if what == "key" else ""
        place = f"mention {bad - offsets[d]} in document {names[d]!r}"
        raise InputError(f"{what} label {labels[bad]} of {place}; {BELOW}{padding}")
    document = owners(offsets)
    present = np.flatnonzero(labels >= 0)
    label, document = labels[present], document[present]
    if label.max(initial=0) > SPREAD * labels.size:
        label = narrow(label)
    width = np.zeros(offsets.size - 1, np.int64)  # of each document: its labels are below
    if offsets.size == 2:
        width[0] = label.max(initial=-1) + 1
    elif label.size:
        begins = run_starts(document)
        width[document[begins]] = np.maximum.reduceat(label, begins) + 1
    code, n_codes = label + (np.cumsum(width) - width)[document], int(width.sum())
    if n_codes > SPREAD * labels.size + LEAST_SPREAD:
        code, n_codes = narrow(code), SPREAD * code.size
    number, first = number_by_appearance(code, n_codes)
    entity = np.full(labels.size, -1)
    entity[present] = number
    return entity, bounds(np.bincount(document[first], minlength=offsets.size - 1))


def _drop_singletons(labels: NDArray[Any], what: str, offsets: Ints, names: Sequence[str | int] | None) -> Ints:
    """Mark the mentions of one-mention entities as absent."""
    names = names or range(offsets.size - 1)
    entity, _ = number_entities(labels, what, offsets, names)
    size = np.append(np.bincount(entity[entity >= 0]), 0)  # the last one is of no entity
    return np.where(size[entity] > 1, entity, -1)
