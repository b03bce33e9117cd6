"""Match clusters that are Python objects: iterables of clusters of hashable mentions, or documents of two libraries.

Mentions are numbered in Python, by a dict. Where there is work, usual ones are matched by the bytes that a MessagePack
encoder writes for them, about as fast as the interpreter can look at them; compiled code compares these without hashing
an object.

| given for one document | recognised by | clusters of |
|---|---|---|
| an iterable of iterables | | their items |
| a ``Document`` of stanza | ``coref`` | (sentence, first word, word behind the last) |
| a ``Doc`` of spaCy | ``spans`` or the extension ``coref_clusters`` | (first token, token behind the last) |
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from numbers import Integral, Number
from operator import length_hint
from typing import Any

import numpy as np

from arraycoref.errors import InputError
from arraycoref.kernels.engine import in_numpy, kernels_for
from arraycoref.match.doubts import Overlap, Values
from arraycoref.match.mentions import Occurrences, number_mentions
from arraycoref.match.packed import SCALARS, is_plain_array, label_packed
from arraycoref.options.policies import Policies
from arraycoref.read.sources import quote, warn
from arraycoref.scoring.clusterings import Clusterings, document_names
from arraycoref.scoring.labels import MISSING, is_array

Clusters = Iterable[Iterable[Hashable] | Iterable[list[Any]]]
Span = tuple[Any, ...]
SpanClusters = list[list[Span]]

USUAL = {list, tuple, set, frozenset}
"""Types of clusters that are accepted as they are."""

SIMPLE = {int, str, bytes, type(None)}
"""Types of mentions, and of the items of mentions, that are used as they are."""

HOLDERS = (tuple, frozenset)
"""Types of mentions whose items are checked too: each item must equal itself, which NaN does not."""

KERNEL = "arraycoref.kernels.packed.number_mentions"
PER_MENTION, COMPILING = 5e-7, 1.5
"""Seconds that a dict takes to number a mention, and that compiling the kernel takes."""

SAMPLED = 20
"""How many documents of each side are looked at to estimate the number of mentions."""


def encode(
    keys: Sequence[Clusters], responses: Sequence[Clusters], policies: Policies, names: Sequence[str] | None = None
) -> Clusterings:
    """Encode pairs of clusterings as label vectors over their mention union indices.

    A cluster without mentions is no entity and is passed over. A mention that is a list (a span read from JSON) or an
    array is read as the tuple of its items; a scalar of a tensor or an Arrow column as its value.

    Args:
        keys: D clusterings.
        responses: as many.
        policies: for ``duplicates``.
        names: (D,) document names, for messages and for the result.

    Raises:
        InputError: an object that is no clustering, or a mention that is not hashable or a missing value.
        DuplicateMentionError: a repeated mention, where the policy refuses it.
    """
    given = {"key": list(keys), "response": list(responses)}
    sides: dict[str, ObjectMentions] = {}

    def of_side(side: str) -> ObjectMentions:
        if side not in sides:
            known = sides["key"].numbers if "key" in sides else None
            sides[side] = ObjectMentions(side, given[side], names, known)
        return sides[side]

    def describe(side: str, *rows: int) -> str:
        return of_side(side).describe(*rows)

    found = None
    kernels = kernels_for(KERNEL, PER_MENTION * _n_mentions(keys, responses), policies.engine, COMPILING)
    if kernels is not None and np.ndarray not in map(type, chain(*given.values())):  # labels, which are refused
        found = label_packed(given["key"], given["response"], policies, describe, kernels)
    if found is None:
        with in_numpy(KERNEL):
            ours, theirs = of_side("key").occurrences, of_side("response").occurrences
        found = number_mentions(ours, theirs, policies, describe)
    overlap = Overlap.of(found, lambda: (of_side("key").values, of_side("response").values))
    if min(overlap.n_mentions):
        overlap.warn(("key", "response"), warn)
    return Clusterings(found.key, found.response, found.offsets, document_names(names, len(keys)))


def _n_mentions(keys: Sequence[Any], responses: Sequence[Any]) -> int:
    """Estimate the number of mentions from some documents; no iterator is advanced."""
    step = max(len(keys) // SAMPLED, 1)
    documents = [side[d] for side in (keys, responses) for d in range(0, len(keys), step)]
    return step * sum(sum(map(length_hint, each)) if type(each) in USUAL else length_hint(each) for each in documents)


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
        InputError: an object that is no clustering, or a mention that is not hashable or a missing value.
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
            self._add(document, self._place(d), entities)
            offsets.append(len(self.mentions))
        self.numbers = defaultdict[Hashable, int](count(len(known or ())).__next__, known or {})
        code = np.fromiter(map(self.numbers.__getitem__, self.mentions), np.int64, len(self.mentions))
        entity = np.array(entities, np.int64)
        self.occurrences = Occurrences(np.array(offsets), code, entity, entity)

    @property
    def values(self) -> Values:
        """The mentions, for the question why so few of them are shared."""
        return Values(self.occurrences.offsets, self.mentions)

    def describe(self, first: int, second: int) -> str:
        """Describe two occurrences of one mention: the document, the mention and its clusters."""
        place = self._place(int(self.occurrences.offsets.searchsorted(first, side="right")) - 1)
        one, other = sorted(self.occurrences.entity[[first, second]].tolist())
        clusters = f"clusters {one} and {other}" if one != other else f"cluster {one} twice"
        return f"{place}: mention {quote(self.mentions[first])} is in {clusters}"

    def _place(self, d: int) -> str:
        return f"{self.what} of document {self.names[d] if self.names else d!r}"

    def _add(self, document: Any, place: str, entities: list[int]) -> None:
        document = document if type(document) in USUAL else clusters_of(document)
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
            usual = [tuple(each) if type(each) is list else each for each in mentions]
        self.mentions += usual if _are_plain(usual) else plain_mentions(mentions, place)


def instead_of(given: Any) -> str:
    """Name the function that takes what was given in place of clusters, or of a cluster; empty if none does."""
    if isinstance(given, Mapping):
        return ", such as list(clusters.values())"
    if hasattr(given, "columns"):
        return ". score_table takes tables with a row for each mention"
    if isinstance(given, str | os.PathLike):
        return ". score_files takes files"
    if getattr(given, "ndim", 1) == 2:
        return ". score_labels_batch takes labels of many documents, Accumulator.update rows of them too"
    labels = given is None or isinstance(given, int | float) or getattr(given, "ndim", 1) == 0
    return ". score_labels takes a label for each mention, score_labels_batch those of many documents" if labels else ""


def clusters_of(document: Any) -> Any:
    """Return the clusters of a document of stanza or spaCy, and any other object as it is."""
    if hasattr(document, "coref"):
        return read_stanza(document)
    is_spacy = hasattr(document, "spans") and hasattr(document, "_")
    return read_spacy(document) if is_spacy else document


def is_iterable(obj: object) -> bool:
    """Whether an object can be gone through; arrays without dimensions only look so."""
    return isinstance(obj, Iterable) and getattr(obj, "ndim", 1) != 0


def _is_collection(obj: object) -> bool:
    """Whether an object can be a document or a cluster; texts, mappings, tables and Arrow nulls are not."""
    no_collection = isinstance(obj, str | bytes | bytearray | memoryview | Mapping) or hasattr(obj, "columns")
    return not no_collection and is_iterable(obj) and getattr(obj, "is_valid", True) is not False


def refuse_batch(document: Clusters, side: str) -> None:
    """Refuse many documents where one is expected: nested lists in which the first mention is a list of spans.

    Args:
        document: the argument of the user; only lists and tuples are checked.
        side: ``key`` or ``response``, for the message.

    Raises:
        InputError: the argument seems to hold several documents.
    """
    listed = {list, tuple}
    level: Any = document
    for _ in range(2):  # to the first cluster, and to its first mention
        level = next(filter(len, level), None) if type(level) in listed and set(map(type, level)) <= listed else None
    if type(level) is list and all(
        type(each) in listed and len(each) == 2 and set(map(type, each)) == {int} for each in level
    ):
        found = f"{side}: mention {quote(level)} is a list of spans, as in a batch"
        raise InputError(f"{found}; expected the clusters of one document. score_batch takes many")


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
        level = level if kinds == holders else [each for each in level if type(each) in holders]
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
        TypeError: an iterator; it would equal no mention of the other side, whatever it yields.
    """
    found: Hashable = item
    if isinstance(item, Iterator):
        raise TypeError
    if hasattr(item, "as_py"):  # a scalar of Arrow
        found = _frozen(item.as_py())
    elif type(item) in SCALARS:  # a Decimal cannot be compared with NumPy's integers
        found = item.item()
    elif is_array(item) and not isinstance(item, np.generic):
        listed = getattr(item, "tolist", None) or getattr(item, "to_list", None) or np.asarray(item).tolist
        found = _frozen(listed())
    elif isinstance(item, list | tuple):
        items = tuple(map(plain, item))
        same = isinstance(item, tuple) and all(a is b for a, b in zip(items, item, strict=True))
        found = item if same else items  # type: ignore[assignment]
    return found


def _frozen(value: Any) -> Hashable:
    """Make an array's value hashable: lists become tuples; structs become tuples of (name, value), sorted by name."""
    if isinstance(value, dict):
        return tuple((name, _frozen(value[name])) for name in sorted(value))
    found: Hashable = tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
    return found


def read_stanza(doc: Any) -> SpanClusters:
    """Read the chains of a ``Document`` of stanza.

        >>> from types import SimpleNamespace as Object  # in place of a Document
        >>> ada, she = Object(sentence=0, start_word=0, end_word=2), Object(sentence=1, start_word=3, end_word=4)
        >>> read_stanza(Object(coref=[Object(mentions=[ada, she])]))
        [[(0, 0, 2), (1, 3, 4)]]

    Args:
        doc: has ``coref``, a list of chains, each with ``mentions``.

    Returns:
        Clusters of (sentence, first word, word behind the last), words counted from 0 in the sentence. Instead of a
        word, an empty node has a pair (word, empty node), as in stanza.

    Raises:
        InputError: stanza's processor ``coref`` did not run on the document.
    """
    if doc.coref is None:
        raise InputError("the Document has no chains in .coref; expected one that the processor 'coref' made")
    return [[(each.sentence, each.start_word, each.end_word) for each in chain.mentions] for chain in doc.coref]


def read_spacy(doc: Any, prefix: str = "coref_clusters", *, allow_none: bool = False) -> SpanClusters:
    """Read the clusters of a spaCy ``Doc``: span groups, or what an extension put into ``doc._.coref_clusters``.

        >>> from types import SimpleNamespace  # in place of a Doc
        >>> ada, she = SimpleNamespace(start=0, end=2), SimpleNamespace(start=5, end=6)
        >>> read_spacy(SimpleNamespace(spans={"coref_clusters_1": [ada, she]}))
        [[(0, 2), (5, 6)]]

    Args:
        doc: a ``Doc``, or anything with ``spans`` like its.
        prefix: how the names of the span groups begin; spacy-experimental calls the first group ``coref_clusters_1``.
        allow_none: whether a ``Doc`` without such groups has no clusters, as some components leave it if they find
            none. Otherwise it is an error.

    Returns:
        Clusters of (first token, token behind the last), like ``Span.start`` and ``Span.end``. If the extension holds
        character offsets, as that of fastcoref does, these are returned.

    Raises:
        InputError: the ``Doc`` has neither such groups nor the extension, unless ``allow_none``.
    """
    groups = {name: group for name, group in getattr(doc, "spans", {}).items() if name.startswith(prefix)}
    if groups:
        return [_spans_of(group) for group in groups.values()]
    extension = getattr(getattr(doc, "_", None), "coref_clusters", None)
    if extension is None:
        if allow_none:
            return []
        known = ", ".join(getattr(doc, "spans", {})) or "none"
        hint = "read_spacy(doc, allow_none=True) takes that as no clusters"
        raise InputError(f"the Doc has no span groups named {prefix}...; it has: {known}. {hint}")
    return [_spans_of(getattr(cluster, "mentions", cluster)) for cluster in extension]


def _spans_of(group: Iterable[Any]) -> list[Span]:
    return [(span.start, span.end) if hasattr(span, "start") else tuple(map(int, span)) for span in group]
