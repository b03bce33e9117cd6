"""Match clusters that are Python objects: iterables of clusters of hashable mentions, or documents of libraries.

Mentions are numbered by a dict.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from numbers import Integral, Number
from operator import length_hint
from typing import Any

import numpy as np

from arraycoref.exceptions import DuplicateMentionError, InputError
from arraycoref.match.mentions import Occurrences, UnionLabels, number_mentions
from arraycoref.match.overlap import Overlap, Values
from arraycoref.match.spacy_stanza import USUAL, check_words, clusters_of
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints
from arraycoref.read.problems import ProblemLog, quote
from arraycoref.scoring.clusterings import Clusterings, document_names
from arraycoref.scoring.labels import MISSING, is_array
from arraycoref.twin import twin

Clusters = Iterable[Iterable[Hashable] | Iterable[list[Any]]]

SIMPLE = {int, str, bytes, type(None)}
"""Types of mentions, and of the items of mentions, that are used as they are."""

LISTS = (list, tuple)
"""Types of nested lists."""

HOLDERS = (tuple, frozenset)
"""Types of mentions whose items are checked too: each item must equal itself, which NaN does not."""

SCALARS = {np.dtype(code).type for code in "bBhHiIlLqQU"}
"""Scalar types of NumPy whose objects equal the Python objects that ``item()`` returns."""

SAMPLED = 20
"""How many documents of each side are looked at to estimate the number of mentions."""


def encode(
    keys: Sequence[Clusters], responses: Sequence[Clusters], policies: Policies, names: Sequence[str] | None = None
) -> Clusterings:
    """Encode pairs of clusterings as label vectors over their mention union indices.

    A cluster without mentions is not an entity and is skipped. A mention that is a list (a span read from JSON) or an
    array is read as the tuple of its items; a scalar of a tensor or an Arrow column as its value.

    Args:
        keys: D clusterings.
        responses: as many.
        policies: for ``duplicates`` and ``tokens``.
        names: (D,) document names, for messages and for the result.

    Raises:
        InputError: an object that is not a clustering, or a mention that is not hashable or a missing value.
        DuplicateMentionError: a repeated mention, where the policy is ``error``.
        DocumentMismatchError: two documents of spaCy or stanza have different words, unless the policy ignores that.
    """
    sides = ObjectSides(list(keys), list(responses), names)
    if not set(map(type, chain(sides.keys, sides.responses))) <= USUAL:
        sides = ObjectSides(list(map(clusters_of, sides.keys)), list(map(clusters_of, sides.responses)), names)
        check_words(sides.keys, sides.responses, names, policies)
    union = label_objects(sides, policies)
    overlap = Overlap.from_labels(union, sides.values)
    if 2 * overlap.n_shared < min(overlap.n_mentions):
        overlap.warn(("key", "response"), ProblemLog())
    labels = union.key, union.response, union.offsets
    return Clusterings(*labels, document_names(names, len(keys)), repeated=union.repeated)


@dataclass(frozen=True, eq=False)
class ObjectSides:
    """The clusterings of both sides of D documents; their mentions are numbered when they are asked for.

    Attributes:
        keys: D clusterings.
        responses: as many.
        names: (D,) document names, for messages.
    """

    keys: list[Any]
    responses: list[Any]
    names: Sequence[str] | None = None

    @cached_property
    def key(self) -> ObjectMentions:
        """The mentions of the key."""
        return ObjectMentions("key", self.keys, self.names)

    @cached_property
    def response(self) -> ObjectMentions:
        """The mentions of the response, with the numbers that equal mentions of the key have."""
        return ObjectMentions("response", self.responses, self.names, self.key.numbers)

    def values(self, chosen: Ints) -> tuple[Values, Values]:
        """Return the mentions of some documents, for the question why so few of them are shared."""
        key, response = (ObjectMentions("", [side[d] for d in chosen.tolist()]) for side in (self.keys, self.responses))
        return Values(key.occurrences.offsets, key.mentions), Values(response.occurrences.offsets, response.mentions)

    def describe(self, side: str, first: int, second: int) -> str:
        """Describe two occurrences of one mention of a side."""
        mentions: ObjectMentions = getattr(self, side)
        return mentions.describe(first, second)

    @property
    def n_mentions(self) -> int:
        """Number of mentions, estimated from some documents; no iterator is advanced."""
        step = max(len(self.keys) // SAMPLED, 1)
        some = [side[d] for side in (self.keys, self.responses) for d in range(0, len(self.keys), step)]
        return step * sum(sum(map(length_hint, d)) if type(d) in USUAL else length_hint(d) for d in some)


@twin("objects.label_objects", each=5e-7, compiling=1.5, size=lambda sides, policies: sides.n_mentions)
def label_objects(sides: ObjectSides, policies: Policies) -> UnionLabels:
    """Label the mentions of D pairs of documents, in the order in which they first occur in key, then response.

    Args:
        sides: the documents.
        policies: for ``duplicates``.

    Raises:
        InputError: as for `encode`.
        DuplicateMentionError: the same.
    """
    return number_mentions(sides.key.occurrences, sides.response.occurrences, policies, sides.describe)


class ObjectMentions:
    """The mentions of one side of a batch as hashable objects, document after document, and their numbers.

    Args:
        what: the side, for messages.
        documents: D clusterings. Each is iterated over once.
        names: (D,) names of the documents in messages; None for their numbers.
        known: numbers of other mentions, which equal mentions get too.

    Attributes:
        numbers: the number of each mention, those in ``known`` included.
        occurrences: these numbers, and the entities, counted from 0 in each document.

    Raises:
        InputError: an object that is not a clustering, or a mention that is not hashable or a missing value.
    """

    def __init__(
        self,
        what: str,
        documents: Iterable[Clusters],
        names: Sequence[str] | None = None,
        known: Mapping[Hashable, int] | None = None,
    ) -> None:
        self.what, self.names = what, names
        self.mentions: list[Hashable] = []
        entities: list[int] = []
        offsets = [0]
        for d, document in enumerate(documents):
            self._add(document, self.place(d), entities)
            offsets.append(len(self.mentions))
        self.numbers = defaultdict[Hashable, int](count(len(known or ())).__next__, known or {})
        code = np.fromiter(map(self.numbers.__getitem__, self.mentions), np.int64, len(self.mentions))
        entity = np.array(entities, np.int64)
        self.occurrences = Occurrences(np.array(offsets), code, entity, entity)

    def describe(self, first: int, second: int) -> str:
        """Describe two occurrences of one mention: the document, the mention and its clusters.

        Raises:
            DuplicateMentionError: numbers that repeat in clusters, as labels do, which are for other functions.
        """
        d = int(self.occurrences.offsets.searchsorted(first, side="right")) - 1
        place, rows = self.place(d), slice(*self.occurrences.offsets[d : d + 2].tolist())
        one, other = sorted(self.occurrences.entity[[first, second]].tolist())
        clusters = f"clusters {one} and {other}" if one != other else f"cluster {one} twice"
        shown = f"{place}: mention {quote(self.mentions[first])} is in {clusters}"
        members = list(zip(self.occurrences.entity[rows].tolist(), self.mentions[rows], strict=True))
        if type(self.mentions[first]) is int and len(set(members)) < len(members):
            labels = "score_labels_batch takes the labels of many documents, score_labels those of one"
            expected = f"if these are labels of mentions, {labels}; else expected each mention once"
            raise DuplicateMentionError(f"{shown}; {expected}", option="duplicates")
        return shown

    def place(self, d: int) -> str:
        """Name a document, for messages."""
        return f"{self.what} of document {self.names[d] if self.names else d!r}"

    def _add(self, document: Any, place: str, entities: list[int]) -> None:
        if type(document) not in USUAL and (not _is_collection(document) or getattr(document, "ndim", 1) == 2):
            raise InputError(f"{place} is {quote(document)}; expected an iterable of clusters{instead_of(document)}")
        mentions: list[Any] = []
        for entity, cluster in enumerate(document):
            if type(cluster) not in USUAL and not _is_collection(cluster):
                expected = f"expected an iterable of mentions, such as a list{instead_of(cluster)}"
                raise InputError(f"{place}: cluster {entity} is {quote(cluster)}; {expected}")
            before = len(mentions)
            mentions.extend(cluster.tolist() if is_plain_array(cluster) else cluster)
            entities += [entity] * (len(mentions) - before)
        usual = mentions
        if list in set(map(type, mentions)):
            usual = [tuple(mention) if type(mention) is list else mention for mention in mentions]
        self.mentions += usual if _are_plain(usual) else plain_mentions(mentions, place)


def instead_of(argument: Any) -> str:
    """Name the function that takes what was given instead of clusters, or of a cluster; empty if none does."""
    if isinstance(argument, Mapping):
        first = next(iter(argument.values()), ())
        are_documents = isinstance(first, list | tuple) and any(isinstance(item, list | tuple | set) for item in first)
        return ". score_batch takes documents by name" if are_documents else ", such as list(clusters.values())"
    if hasattr(argument, "columns"):
        return ". score_table takes tables with a row for each mention"
    if isinstance(argument, os.PathLike) or (isinstance(argument, str) and "." in argument):
        return ". score_files takes files"
    if getattr(argument, "ndim", 1) == 2:
        return ". score_labels_batch takes labels of many documents, Accumulator.update rows of them too"
    labels = argument is None or isinstance(argument, int | float) or getattr(argument, "ndim", 1) == 0
    return ". score_labels takes a label for each mention, score_labels_batch those of many documents" if labels else ""


def is_plain_array(obj: Any) -> bool:
    """Whether an object is an array of NumPy, with dimensions, of integers or texts."""
    return type(obj) is np.ndarray and obj.ndim > 0 and obj.dtype.kind in "iuU"


def is_iterable(obj: object) -> bool:
    """Whether an object can be gone through; arrays without dimensions only look so."""
    return isinstance(obj, Iterable) and getattr(obj, "ndim", 1) != 0


def _is_collection(obj: object) -> bool:
    """Whether an object can be a document or a cluster; texts, mappings, tables and Arrow nulls are not."""
    no_collection = isinstance(obj, str | bytes | bytearray | memoryview | Mapping) or hasattr(obj, "columns")
    return not no_collection and is_iterable(obj) and getattr(obj, "is_valid", True) is not False


def refuse_batch(document: Clusters, side: str) -> None:
    """Refuse many documents where one is expected, and clusters with the confidence of each mention.

    The former are nested lists in which the first mention is a list of spans.

    Args:
        document: the argument of the user; only lists and tuples are checked.
        side: ``key`` or ``response``, for the message.

    Raises:
        InputError: the argument seems to hold several documents, or is what dedupe returns.
    """
    first: Any = document[0] if isinstance(document, LISTS) and document else ()
    if isinstance(first, tuple) and len(first) == 2 and isinstance(first[0], tuple | list):
        scores = first[1].tolist() if is_array(first[1]) else first[1]
        are_as_many = isinstance(scores, tuple | list) and len(scores) == len(first[0])
        if are_as_many and set(map(type, scores)) == {float} and float not in map(type, first[0]):
            reason = f"{side}: cluster 0 is {quote(first)}, ids with their confidences, as of dedupe"
            raise InputError(f"{reason}; expected the ids alone, [ids for ids, confidences in {side}]")
    listed = set(LISTS)
    level: Any = document
    for _ in range(2):  # to the first cluster, and to its first mention
        level = next(filter(len, level), None) if type(level) in listed and set(map(type, level)) <= listed else None
    if type(level) is list and all(
        type(item) in listed and len(item) == 2 and set(map(type, item)) == {int} for item in level
    ):
        reason = f"{side}: mention {quote(level)} is a list of spans, as in a batch"
        raise InputError(f"{reason}; expected the clusters of one document. score_batch takes many")
    if type(level) is list and type(next(iter(level), None)) is str:  # a mention, or a cluster of a batch
        mentions: list[Any] = [mention for cluster in document for mention in cluster]
        if set(map(type, mentions)) == {list} and len(set(map(len, mentions))) > 1:
            reason = f"{side}: mention {quote(level)} is a list of texts, as in a batch"
            expected = "expected the clusters of one document, with tuples for mentions of several texts"
            raise InputError(f"{reason}; {expected}. score_batch takes many")


def _are_plain(mentions: list[Any]) -> bool:
    """Whether mentions can be used as they are: hashed by value, none missing. Tensors and Arrow scalars cannot."""
    level = mentions
    while not (kinds := set(map(type, level))) <= SIMPLE:
        holders = {kind for kind in kinds if issubclass(kind, HOLDERS)}
        for kind in kinds - holders:
            by_value = kind.__hash__ is not None and not hasattr(kind, "as_py") and not is_array(kind)
            has_missing = kind.__name__ in MISSING or (issubclass(kind, Number) and not issubclass(kind, Integral))
            if not by_value or has_missing or issubclass(kind, Iterator | memoryview):
                return False
        level = level if kinds == holders else [item for item in level if type(item) in holders]
        level = list(chain.from_iterable(level))
    return True


def plain_mentions(mentions: Iterable[Any], place: str) -> list[Hashable]:
    """Convert mentions that are lists or arrays to tuples, and scalars of array libraries to Python values.

    Raises:
        InputError: a mention that is not hashable, or that is or contains a missing value.
    """
    converted: list[Hashable] = []
    for mention in mentions:
        try:
            item = plain(mention)
            hash(item)
        except (TypeError, ValueError, RecursionError):
            expected = "expected a tuple, a string or a number, for example, and no iterator"
            raise InputError(f"{place}: mention {quote(mention)} is not hashable; {expected}") from None
        if (item is None and mention is not None) or _is_missing(item):
            what = "holds" if isinstance(item, HOLDERS) else "is"
            raise InputError(f"{place}: mention {quote(mention)} {what} a missing value; expected a value")
        converted.append(item)
    return converted


def _is_missing(item: Any) -> bool:
    """Whether a value, or an item of it, is pandas' NA, or NaN or NaT, which equal no mention of the other side."""
    if isinstance(item, HOLDERS):
        return any(map(_is_missing, item))
    return type(item).__name__ in MISSING or (isinstance(item, Number | np.generic) and bool(item != item))  # noqa: PLR0124


def plain(item: Any) -> Hashable:
    """Convert a list or an array to a tuple, a scalar of an array library to its value; return other items unchanged.

    Raises:
        TypeError: an iterator, which equals no mention of the other side.
    """
    hashable: Hashable = item
    if isinstance(item, Iterator):
        raise TypeError
    if hasattr(item, "as_py"):  # a scalar of Arrow
        hashable = _frozen(item.as_py())
    elif type(item) in SCALARS:  # a Decimal cannot be compared with NumPy's integers
        hashable = item.item()
    elif is_array(item) and not isinstance(item, np.generic):
        listed = getattr(item, "tolist", None) or getattr(item, "to_list", None) or np.asarray(item).tolist
        hashable = _frozen(listed())
    elif isinstance(item, list | tuple):
        items = tuple(map(plain, item))
        same = isinstance(item, tuple) and all(a is b for a, b in zip(items, item, strict=True))
        hashable = item if same else items  # type: ignore[assignment]
    return hashable


def _frozen(value: Any) -> Hashable:
    """Make an array's value hashable: lists become tuples; structs become tuples of (name, value), sorted by name."""
    if isinstance(value, dict):
        return tuple((name, _frozen(value[name])) for name in sorted(value))
    hashable: Hashable = tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
    return hashable
