"""Take clusters out of objects of tools and users. An object's attributes show its kind: no library is imported.

| given for one document | recognised by | clusters of |
|---|---|---|
| a mapping whose values are lists, sets or arrays | its values | the items of each value; the keys are ignored |
| a mapping whose values are numbers or texts, a Series of pandas | its values | keys with equal labels, see below |
| clusters of dedupe, ``[(ids, scores)]`` | scores that are fractions | record ids |
| a gold file of S2AND, ``{id: {"signature_ids": ...}}`` | the field ``signature_ids`` | signature ids |
| a ``Clustering`` of clusim | ``elm2clu_dict`` | elements |
| a ``Document`` of stanza | ``coref``, with ``mentions`` | (sentence, first word, word behind the last) |
| a ``Doc`` of spaCy | ``spans`` or the extension ``coref_clusters`` | (first token, token behind the last) |

A Series is read as a mapping from its index to its values. In a mapping ``{mention: label}``, labels mean the same as
in arrays: -1, None and NaN say that the side lacks the mention. Other objects go to `arraycoref.match.encode`
unchanged.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from arraycoref.errors import InputError
from arraycoref.scoring.labels import BELOW, label_array

Clusters = Iterable[Iterable[Hashable] | Iterable[list[Any]]]
Span = tuple[Any, ...]
SpanClusters = list[list[Span]]

USUAL = {list, tuple, set, frozenset}
"""Types of documents and clusters that are accepted without a check."""


Seen = dict[int, tuple[Iterator[Any], str, object]]
"""Iterators that were read already, by ``id``, each with its document and cluster.

No other object can get the ``id`` of an iterator as long as this dictionary holds the iterator.
"""


def as_clusters(
    what: str, documents: Iterable[Any], names: Sequence[str] | None = None, seen: Seen | None = None
) -> list[Clusters]:
    """Turn what is given for each document into clusters of mentions.

        >>> as_clusters("key", [{"Ada": ["a", "she"]}, {"a": 7, "she": 7, "it": -1}, [["as", "it"], ["is"]]])
        [[['a', 'she']], [['a', 'she']], [['as', 'it'], ['is']]]

    Args:
        what: the side, for messages.
        documents: D objects of the kinds in the table of this module.
        names: (D,) names of the documents, for messages.
        seen: iterators that were read elsewhere, to which this function adds those that it reads.

    Raises:
        InputError: a mapping that has neither members nor labels, an element in several clusters, an object without
            coreference, or one iterator in two places.
    """
    found, seen = list(documents), {} if seen is None else seen
    for d, given in enumerate(found):
        if type(given) in USUAL:
            if isinstance(given, list | tuple):
                found[d] = _without_scores(given)
        elif not isinstance(given, str | bytes):
            found[d] = _clusters(given, f"{what} of document {d if names is None else repr(names[d])}", seen)
    return found


def listed(given: Iterator[Any], place: str, seen: Seen, cluster: object = None) -> list[Any]:
    """Return the items of an iterator, which can be read only once.

    Args:
        given: the iterator.
        place: the document, for messages.
        seen: iterators that were read already, to which this one is added.
        cluster: the name of the cluster that the iterator is; None if it is the document itself.

    Raises:
        InputError: the iterator is in ``seen``, so that no item is left.
    """
    if id(given) in seen:
        where = seen[id(given)][1:], (place, cluster)
        both = " and ".join(each if which is None else f"{each}: cluster {which!r:.60}" for each, which in where)
        raise InputError(f"{both} are one iterator, which can be read only once; expected two, or lists")
    seen[id(given)] = given, place, cluster
    return list(given)


def _clusters(given: Any, place: str, seen: Seen) -> Any:
    if isinstance(given, Mapping):
        return _of_mapping(given, place, seen)
    if hasattr(given, "isna") and hasattr(given, "index") and hasattr(given, "to_list"):  # a Series of pandas
        values = given.to_list()
        return values if any(map(_is_members, values)) else _of_labels(given.index.to_list(), given, place)
    if hasattr(given, "elm2clu_dict"):
        return from_memberships(given.elm2clu_dict, place)
    if hasattr(given, "coref"):
        return read_stanza(given)
    if hasattr(given, "spans") and hasattr(given, "_"):
        return read_spacy(given)
    return _without_scores(listed(given, place, seen)) if isinstance(given, Iterator) else given


def _of_mapping(given: Mapping[Any, Any], place: str, seen: Seen) -> list[Any]:
    """Take the clusters out of ``{cluster: members}`` or ``{mention: label}``."""
    values = [value["signature_ids"] if _is_signatures(value) else value for value in given.values()]
    values = [
        listed(value, place, seen, key) if isinstance(value, Iterator) else value
        for key, value in zip(given, values, strict=True)
    ]
    odd = next((key for key, value in zip(given, values, strict=True) if isinstance(value, Mapping)), None)
    if odd is not None:
        raise batch_given(place, f"what {odd!r:.60} maps to is a mapping itself")
    members = list(map(_is_members, values))
    if not any(members):
        return _of_labels(list(given), values, place)
    if not all(members):
        names = list(given)
        one, other = names[members.index(True)], names[members.index(False)]
        raise InputError(
            f"{place} has members for {one!r:.60} and a label for {other!r:.60}; expected a mapping from clusters to "
            "their members, or from mentions to labels"
        )
    batch = next((name for name, value in zip(given, values, strict=True) if any(map(_is_cluster, value))), None)
    if batch is not None:
        raise batch_given(place, f"the mentions of {batch!r:.60} are lists of mentions themselves")
    if all(hasattr(value, "__len__") and len(value) == 1 for value in values):
        only = [next(iter(value)) for value in values]
        if len(set(map(repr, only))) < len(only):
            raise InputError(
                f"{place} looks like a mapping from elements to their clusters: each value has one item, and some are "
                "equal; expected clusters and their members (arraycoref.match.objects.from_memberships reads "
                "the former)"
            )
    return values


def _of_labels(mentions: Sequence[Any], labels: Any, place: str) -> list[list[Any]]:
    """Group mentions by their labels; leave out those with the label -1."""
    found: dict[int, list[Any]] = {}
    for mention, label in zip(mentions, label_array(labels, place).tolist(), strict=True):
        if label < -1:
            raise InputError(f"{place}: mention {mention!r:.60} has the label {label}; {BELOW}")
        if label != -1:
            found.setdefault(label, []).append(mention)
    return list(found.values())


def from_memberships(memberships: Mapping[Any, Iterable[Any]], place: str = "the clustering") -> list[list[Any]]:
    """Make clusters of a mapping from each element to the list of its clusters, as clusim has them.

        >>> from_memberships({"a": [0], "b": [1], "c": [0]})
        [['a', 'c'], ['b']]

    Args:
        memberships: the clusters of each element.
        place: names the mapping, for messages.

    Raises:
        InputError: an element that is in no cluster, in several, or in one whose name is a list.
    """
    found: dict[Any, list[Any]] = {}
    for element, clusters in memberships.items():
        if not _is_members(clusters) or isinstance(clusters, Mapping):
            raise InputError(f"{place}: element {element!r:.60} has {clusters!r:.60}; expected a list of its clusters")
        names = list(clusters)
        if len(names) != 1:
            which = f"{len(names)} clusters, {names!r:.60}" if names else "no cluster"
            raise InputError(f"{place}: element {element!r:.60} is in {which}; expected one")
        if not isinstance(names[0], Hashable) or names[0] is None or names[0] != names[0]:  # NaN
            raise InputError(f"{place}: element {element!r:.60} has the cluster {names[0]!r:.60}; expected a name")
        found.setdefault(names[0], []).append(element)
    return list(found.values())


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


def _is_members(value: object) -> bool:
    return not isinstance(value, str | bytes) and is_iterable(value)


def _is_cluster(mention: object) -> bool:
    """Whether what should be a mention is a list of texts or spans, or a set of spans."""
    kinds = str | list | tuple if isinstance(mention, list) else tuple
    return isinstance(mention, list | set | frozenset) and any(isinstance(item, kinds) for item in mention)


def _is_signatures(value: object) -> bool:
    return isinstance(value, Mapping) and "signature_ids" in value


def _without_scores(clusters: Sequence[Any]) -> Any:
    """Return only the ids of clusters of dedupe; return all other clusters unchanged."""
    if clusters and type(clusters[0]) is tuple and _are_scored(clusters):
        return [ids for ids, _ in clusters]
    return clusters


def _are_scored(clusters: Sequence[Any]) -> bool:
    """Whether clusters are pairs of ids and as many fractions, as dedupe returns them."""
    return all(
        type(each) is tuple
        and len(each) == 2
        and isinstance(each[0], tuple | list)
        and is_iterable(each[1])
        and hasattr(each[1], "__len__")
        and len(each[0]) == len(each[1]) > 0
        and all(map(_is_fraction, each[1]))
        and not any(isinstance(one, float) for one in each[0])
        for each in clusters
    )


def _is_fraction(score: object) -> bool:
    """Whether a score is a float from 0 to 1, of Python or NumPy; ``np.float32`` is not a subclass of ``float``."""
    return isinstance(score, Real) and not isinstance(score, Integral) and 0.0 <= float(score) <= 1.0


def batch_given(place: str, sign: str) -> InputError:
    """Return the error for many documents where one is expected.

    Args:
        place: where they were given: the side, or one of its documents.
        sign: why they seem to be many documents.
    """
    return InputError(f"{place}: {sign}, as in a batch; expected the clusters of one document. score_batch takes many")


def is_iterable(obj: object) -> bool:
    """Whether an object can be gone through; arrays without dimensions only look so."""
    return isinstance(obj, Iterable) and getattr(obj, "ndim", 1) != 0
