"""Encode clusterings that are given as Python objects, iterables of clusters of hashable mentions, as label vectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count
from numbers import Integral, Number
from operator import is_not
from typing import Any

import numpy as np

from arraycoref.errors import InputError
from arraycoref.match.objects import USUAL, Clusters, Seen, as_clusters, batch_given, is_iterable, listed
from arraycoref.match.occurrences import resolve_duplicates
from arraycoref.match.packed import SCALARS, Placed, place_pairs
from arraycoref.options import Policies
from arraycoref.scoring.cells import Integers, segment_bounds
from arraycoref.scoring.clusterings import Clusterings, document_names
from arraycoref.scoring.labels import MISSING, as_kernel_array, is_array

LISTED = {list, tuple}
"""Types of documents, clusters and mentions that `refuse_batch` looks into."""

SIMPLE = {int, str, bytes, type(None)}
"""Types of mentions, and of the items of mentions, that are accepted without a check."""

HOLDERS = (tuple, frozenset)
"""Types of mentions whose items are checked too: each item must equal itself, which NaN does not."""


class Side:
    """The occurrences of mentions on one side of a batch, document after document, as hashable objects.

    Args:
        what: the side, for messages.
        documents: D clusterings. Each is iterated over once, when its mentions are first needed.
        places: (D,) names of the documents in messages.
        seen: iterators that were consumed elsewhere; see `arraycoref.match.objects.listed`.

    Attributes:
        mentions: list (N,) of the occurrences in the documents that were read so far.
        entities: list (N,) of the entity of each occurrence, numbered from 0 in each document.
        bounds: list of the bounds of these documents in ``mentions``.
        indices: list with a dict for each document that was indexed so far, from mentions to their numbers, which count
            from 0 in each document.
        numbers: list of the number of each occurrence in these documents.
    """

    def __init__(
        self, what: str, documents: Sequence[Clusters], places: Sequence[str], seen: Seen | None = None
    ) -> None:
        self.what = what
        self.seen: Seen = {} if seen is None else seen
        self.documents = documents
        self.places = places
        self.mentions: list[Hashable] = []
        self.entities: list[int] = []
        self.bounds = [0]
        self.indices: list[dict[Hashable, int]] = []
        self.numbers: list[int] = []

    def of(self, document: int) -> list[Hashable]:
        """Return the occurrences in a document.

        Raises:
            InputError: an object that is no clustering, or a mention that is not hashable.
        """
        while len(self.bounds) < document + 2:
            d = len(self.bounds) - 1
            self._add(self.documents[d], f"{self.what} of document {self.places[d]}")
        return self.mentions[self.bounds[document] : self.bounds[document + 1]]

    def index(self, document: int) -> dict[Hashable, int]:
        """Return the dict from a document's mentions to their numbers. It is made once for all responses of a sweep.

        Raises:
            InputError: as `of`.
        """
        while len(self.indices) <= document:
            index = defaultdict[Hashable, int](count().__next__)  # gives each new mention the next number
            self.numbers.extend(map(index.__getitem__, self.of(len(self.indices))))
            self.indices.append(index)
        return self.indices[document]

    def describe(self, first: int, second: int) -> str:
        """Describe two occurrences of one mention: the document, the mention and its clusters."""
        self.of(len(self.documents) - 1)
        place = self.places[int(np.searchsorted(self.bounds, first, side="right")) - 1]
        entities = sorted({self.entities[first], self.entities[second]})
        clusters = f"clusters {entities[0]} and {entities[1]}" if len(entities) == 2 else f"cluster {entities[0]} twice"
        return f"{self.what} of document {place}: mention {_short(self.mentions[first])} is in {clusters}"

    def _add(self, clusters: Clusters, place: str) -> None:
        if isinstance(clusters, str | bytes | Mapping) or not is_iterable(clusters) or hasattr(clusters, "columns"):
            raise InputError(f"{place} is {_short(clusters)}; expected an iterable of clusters")
        mentions: list[Any] = []
        for entity, cluster in enumerate(clusters):
            if type(cluster) not in USUAL and not _is_cluster(cluster):
                raise InputError(
                    f"{place}: cluster {entity} is {_short(cluster)}; expected an iterable of mentions, such as a list"
                )
            before = len(mentions)
            if type(cluster) not in USUAL and isinstance(cluster, Iterator):
                cluster = listed(cluster, place, self.seen, entity)  # noqa: PLW2901
            mentions.extend(cluster)
            self.entities.extend([entity] * (len(mentions) - before))
        if not _are_plain(mentions):
            mentions = plain_mentions(mentions, place)
        self.mentions.extend(mentions)
        self.bounds.append(len(self.mentions))


def encode(
    keys: Sequence[Clusters], responses: Sequence[Clusters], policies: Policies, names: Sequence[str] | None = None
) -> Clusterings:
    """Encode pairs of clusterings as label vectors over their mention union indices.

    A cluster without mentions is no entity and is passed over. A mention that is a list (a span read from JSON) or a
    one-dimensional array is read as the tuple of its items; a scalar of a tensor or an Arrow column as its value.

    Args:
        keys: D clusterings, or objects that `arraycoref.match.objects` converts to clusterings. What
        `arraycoref.match.packed.pack`
            can write is read as clusters as it is.
        responses: likewise.
        policies: for ``duplicates``.
        names: (D,) document names, for messages and for the result.

    Raises:
        InputError: an object that is no clustering, a mention that is not hashable, or one iterator in two places.
        DuplicateMentionError: a repeated mention, where the policy refuses it.
    """
    found = place_pairs(keys, responses, policies)
    if found is None:
        given, n_documents, seen = (*keys, *responses), len(keys), Seen()
        clusters = [*as_clusters("key", keys, names, seen), *as_clusters("response", responses, names, seen)]
        keys, responses = clusters[:n_documents], clusters[n_documents:]
        found = place_pairs(keys, responses, policies) if any(map(is_not, clusters, given)) else None
    if found is None:
        places = list(map(repr, names or range(len(keys))))
        key_side, response_side = Side("key", keys, places, seen), Side("response", responses, places, seen)
        found = place_hashed(key_side, np.arange(len(keys)), response_side, policies)
    key, response, offsets = map(as_kernel_array, found)
    return Clusterings(key, response, offsets, document_names(names, len(keys)))


def refuse_batch(document: Clusters, side: str) -> None:
    """Refuse many documents where one is expected: nested lists in which the first mention is a list of spans.

    Args:
        document: the argument of the user; only lists and tuples are checked.
        side: ``key`` or ``response``, for the message.

    Raises:
        InputError: the argument seems to hold several documents.
    """
    level: Any = document
    for _ in range(2):  # to the first cluster, and to its first mention
        level = next(filter(len, level), None) if type(level) in LISTED and set(map(type, level)) <= LISTED else None
    if type(level) is list and all(
        type(each) in LISTED and len(each) == 2 and set(map(type, each)) == {int} for each in level
    ):
        raise batch_given(side, f"mention {_short(level)} is a list of spans")


def place_hashed(key: Side, documents: Integers, response: Side, policies: Policies) -> Placed:
    """Label the mentions of each pair of documents as `arraycoref.match.packed.place` does, for any hashable mentions.

    Args:
        key: documents of the key.
        documents: int64 (D,) position among these of the key document for each document of the response.
        response: D documents.
        policies: for ``duplicates``.

    Raises:
        InputError: an object that is no clustering, or a mention that is not hashable.
        DuplicateMentionError: a repeated mention, where the policy refuses it.
    """
    found: list[int] = []
    sizes: list[int] = []
    for position, d in enumerate(documents.tolist()):
        known = key.index(d)
        index = defaultdict(count(len(known)).__next__, known)  # a copy does not hash mentions again
        found.extend(map(index.__getitem__, response.of(position)))
        sizes.append(len(index))
    offsets = segment_bounds(np.array(sizes, np.int64))
    n_mentions, starts, lengths = int(offsets[-1]), np.array(key.bounds)[documents], np.diff(key.bounds)[documents]
    rows = np.arange(lengths.sum()) + np.repeat(starts - segment_bounds(lengths)[:-1], lengths)
    ours = np.array(key.numbers, np.int64)[rows] + np.repeat(offsets[:-1], lengths)
    theirs = np.array(found, np.int64) + np.repeat(offsets[:-1], np.diff(response.bounds))
    key_entity, entity = np.array(key.entities, np.int64)[rows], np.array(response.entities, np.int64)
    return Placed(
        resolve_duplicates(ours, key_entity, n_mentions, policies.key_duplicates, key.describe),
        resolve_duplicates(theirs, entity, n_mentions, policies.response_duplicates, response.describe),
        offsets,
    )


def _are_plain(mentions: list[Any]) -> bool:
    """Whether mentions can be used as they are: hashed by value, none missing. Tensors and Arrow scalars cannot."""
    level, usual, plain = mentions, True, True
    while plain and not (kinds := set(map(type, level))) <= SIMPLE:
        usual &= kinds == {tuple}
        holders = {kind for kind in kinds if issubclass(kind, HOLDERS)}
        plain = all(map(_is_plain, kinds - holders))
        held = level if kinds == holders else [each for each in level if type(each) in holders]
        level = list(chain.from_iterable(held))
    if usual or not plain:
        return plain
    try:
        return hash(tuple(mentions)) is not None
    except (TypeError, ValueError):  # a memoryview raises ValueError
        return False


def _is_cluster(cluster: object) -> bool:
    """Whether an object whose type is not in `USUAL` is a cluster; tables, texts and Arrow nulls are not."""
    if isinstance(cluster, str | bytes | bytearray | memoryview | Mapping) or hasattr(cluster, "columns"):
        return False
    return is_iterable(cluster) and getattr(cluster, "is_valid", True) is not False


@lru_cache
def _is_plain(kind: type) -> bool:
    if kind.__name__ in MISSING or issubclass(kind, Iterator):
        return False
    if issubclass(kind, Number) and not issubclass(kind, Integral):  # NaN is not equal to itself
        return False
    return kind.__hash__ is not None and not hasattr(kind, "as_py") and not is_array(kind)


def plain_mentions(mentions: list[Any], place: str) -> list[Any]:
    """Convert mentions that are lists or arrays to tuples, and scalars of array libraries to Python values.

    Raises:
        InputError: a mention that is not hashable, or that is or contains a missing value.
    """
    converted: list[Any] = []
    for mention in mentions:
        try:
            item = plain(mention)
            hash(item)
            missing = (item is None and mention is not None) or _is_missing(item)
        except (TypeError, ValueError, RecursionError):
            raise InputError(
                f"{place}: mention {_short(mention)} is not hashable; expected a tuple, a string or "
                "a number, for example, and no iterator"
            ) from None
        if missing:
            what = f"mention {_short(mention)} {'holds' if isinstance(item, HOLDERS) else 'is'} a missing value"
            raise InputError(f"{place}: {what}; expected a value for each mention")
        converted.append(item)
    return converted


def _is_missing(item: object) -> bool:
    """Whether a value, or an item of it, is pandas' NA, or NaN or NaT, which equal no mention of the other side."""
    level = [item]
    while level:
        for each in level:
            if type(each).__name__ in MISSING:
                return True
            if isinstance(each, Number | np.generic) and bool(each != each):  # noqa: PLR0124
                return True
        level = list(chain.from_iterable(each for each in level if isinstance(each, HOLDERS)))
    return False


def plain(item: Any) -> Hashable:
    """Convert a list or an array to a tuple, a scalar of an array library to its value; return other items unchanged.

    Raises:
        TypeError: an iterator; it would equal no mention of the other side, whatever it yields.
    """
    if isinstance(item, Iterator):
        raise TypeError
    if hasattr(item, "as_py"):  # a scalar of Arrow
        return _frozen(item.as_py())
    if is_array(item) and not isinstance(item, np.generic):
        listed = getattr(item, "tolist", None) or getattr(item, "to_list", None) or np.asarray(item).tolist
        return _frozen(listed())
    if type(item) in SCALARS:  # a Decimal cannot be compared with NumPy's integers
        number: Hashable = item.item()
        return number
    if not isinstance(item, list | tuple):
        hashable: Hashable = item
        return hashable
    items = tuple(map(plain, item))
    if isinstance(item, tuple) and all(a is b for a, b in zip(items, item, strict=True)):
        return item
    return items


def _frozen(value: Any) -> Hashable:
    """Make an array's value hashable: lists become tuples; structs become tuples of (name, value), sorted by name."""
    if isinstance(value, dict):
        return tuple((name, _frozen(value[name])) for name in sorted(value))
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    hashable: Hashable = value
    return hashable


def _short(value: object) -> str:
    try:
        text = repr(value)
    except RecursionError:
        text = f"a {type(value).__name__} nested too deeply to show"
    return text if len(text) <= 60 else text[:57] + "..."
