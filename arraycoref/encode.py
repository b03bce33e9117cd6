"""From clusterings as Python users have them, iterables of clusters of hashable mentions, to label vectors."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from arraycoref.clusterings import Clusterings
from arraycoref.errors import InputError
from arraycoref.occurrences import settle
from arraycoref.policies import Duplicates, Policies

Clusters = Iterable[Iterable[Hashable]]


class Side:
    """The occurrences of one side of a batch, document after document."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.mentions: list[Hashable] = []
        self.entities: list[int] = []
        self.bounds = [0]

    def add(self, clusters: Clusters, document: str) -> list[Hashable]:
        """Append a document's occurrences, entities numbered from 0; return its mentions."""
        place = f"{self.what} of document {document}"
        if isinstance(clusters, str | bytes | Mapping) or not isinstance(clusters, Iterable):
            raise InputError(f"{place} is {_short(clusters)}; expected an iterable of clusters")
        mentions: list[Hashable] = []
        for entity, cluster in enumerate(clusters):
            if isinstance(cluster, bytes | Mapping) or not isinstance(cluster, Iterable):
                raise InputError(f"{place}: cluster {entity} is {_short(cluster)}; expected an iterable of mentions")
            before = len(mentions)
            mentions.extend(cluster)
            self.entities.extend([entity] * (len(mentions) - before))
        self.mentions.extend(mentions)
        self.bounds.append(len(self.mentions))
        return mentions


def encode(
    keys: Sequence[Clusters], responses: Sequence[Clusters], policies: Policies, names: Sequence[str] | None = None
) -> Clusterings:
    """Encode pairs of clusterings as label vectors over their mention union indices.

    A cluster without mentions is no entity and is passed over. A mention that is a list (a span read from JSON) or a
    one-dimensional array is taken as the tuple of its items.

    Args:
        keys: D clusterings.
        responses: D clusterings.
        policies: for ``duplicates``.
        names: (D,) document names, for messages and for the result.

    Raises:
        InputError: something that is no clustering, or a mention that is not hashable.
        DuplicateMentionError: a repeated mention, where the policy refuses that.
    """
    key, response = Side("key"), Side("response")
    key_index: list[int] = []
    response_index: list[int] = []
    offsets = [0]
    for d, (key_clusters, response_clusters) in enumerate(zip(keys, responses, strict=True)):
        document = repr(names[d]) if names is not None else str(d)
        ours, theirs = key.add(key_clusters, document), response.add(response_clusters, document)
        try:
            index = _union(ours, theirs, offsets[-1])
        except TypeError:
            ours, theirs = hashable_mentions(ours, document), hashable_mentions(theirs, document)
            key.mentions[key.bounds[-2] :], response.mentions[response.bounds[-2] :] = ours, theirs
            index = _union(ours, theirs, offsets[-1])
        key_index.extend(map(index.__getitem__, ours))
        response_index.extend(map(index.__getitem__, theirs))
        offsets.append(offsets[-1] + len(index))

    def labels(side: Side, index: list[int], policy: Duplicates) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        def describe(first: int, second: int) -> str:
            d = int(np.searchsorted(side.bounds, first, side="right")) - 1
            document = repr(names[d]) if names is not None else str(d)
            entities = sorted({side.entities[first], side.entities[second]})
            place = (
                f"clusters {entities[0]} and {entities[1]}" if len(entities) == 2 else f"cluster {entities[0]} twice"
            )
            return f"{side.what} of document {document}: mention {_short(side.mentions[first])} stands in {place}"

        return settle(
            np.array(index, np.int64),
            np.array(side.entities, np.int64),
            offsets[-1],
            policy,
            describe,
        )

    return Clusterings.from_labels(
        labels(key, key_index, policies.key_duplicates),
        labels(response, response_index, policies.response_duplicates),
        np.array(offsets),
        names,
    )


def _union(ours: list[Hashable], theirs: list[Hashable], first: int) -> dict[Hashable, int]:
    """Number the distinct mentions of both sides from ``first``."""
    index = dict.fromkeys(ours)
    index.update(dict.fromkeys(theirs))
    return dict(zip(index, range(first, first + len(index)), strict=True))


def hashable_mentions(mentions: list[Hashable], document: str) -> list[Hashable]:
    """Turn lists and arrays into tuples."""
    converted: list[Hashable] = []
    for mention in mentions:
        item = _as_tuple(mention)
        try:
            hash(item)
        except TypeError:
            raise InputError(f"document {document}: mention {_short(mention)} is not hashable") from None
        converted.append(item)
    return converted


def _as_tuple(item: object) -> Hashable:
    if isinstance(item, np.ndarray):
        item = item.tolist()
    return tuple(map(_as_tuple, item)) if isinstance(item, list | tuple) else item


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
