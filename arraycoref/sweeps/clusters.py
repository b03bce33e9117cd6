"""A key of clusters whose mentions are hashed once, and the responses that are looked up among them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from arraycoref.arrays import frozen
from arraycoref.clusterings import Clusterings
from arraycoref.contingency import segment_bounds
from arraycoref.encode import Clusters, Side
from arraycoref.errors import DocumentMismatchError, InputError
from arraycoref.occurrences import resolve_duplicates
from arraycoref.options import Duplicates, Policies
from arraycoref.pairing import ABSENT, pair_documents
from arraycoref.sweeps.counting import Block, Integers, LabelKey, fingerprint
from arraycoref.sweeps.settings import Setting, text_of

ClusterDocuments = Clusters | Mapping[str, Clusters]
"""Clusters of one document, or clusters of documents by name."""

OUTPUTS_AT_ONCE = 64
"""Most outputs in a block: they are Python objects, of many times the size of their labels."""


class ClusterKey:
    """The mentions of a key of clusters: the position of each in its document.

    Args:
        key: clusters of one document, or a mapping from document names to clusters.
        policies: for repeated mentions and documents on one side only.

    Attributes:
        names: (D,) document names, None for one document without a name.
        digest: fingerprint of clusters, names and mentions.
        settings_at_once: number of settings that make a block of a good size.

    Raises:
        InputError: no clustering.
        DuplicateMentionError: a repeated key mention, where the policy refuses that.
    """

    def __init__(self, key: ClusterDocuments, policies: Policies) -> None:
        self._policies = policies
        names = [str(name) for name in key] if isinstance(key, Mapping) else None
        documents: Sequence[Clusters] = list(key.values()) if isinstance(key, Mapping) else [key]
        places = [str(d) for d in range(len(documents))] if names is None else [repr(name) for name in names]
        self._index: list[dict[Hashable, int]] = []
        side, local = Side("key"), list[int]()
        for place, clusters in zip(places, documents, strict=True):
            mentions = side.add(clusters, place)
            index = {mention: n for n, mention in enumerate(dict.fromkeys(mentions))}
            local.extend(map(index.__getitem__, mentions))
            self._index.append(index)
        sizes = np.array([len(index) for index in self._index], np.int64)
        labels = _resolve(side, local, sizes, policies.key_duplicates, places)
        self._labels = LabelKey(labels, segment_bounds(sizes), names)
        self._places = places
        self.names = self._labels.names
        self.settings_at_once = min(self._labels.settings_at_once, OUTPUTS_AT_ONCE)
        self.digest = fingerprint(self._labels.digest.encode(), _mentions_digest(self._index))

    def __len__(self) -> int:
        return len(self._index)

    def block(self, settings: Sequence[Setting], outputs: Sequence[ClusterDocuments]) -> Block:
        """Look up the mentions of the outputs of B settings; those that the key lacks follow behind the key's.

        Args:
            settings: (B,) their names.
            outputs: B times what the key is: clusters, or a mapping from document names to clusters.

        Raises:
            InputError: no clustering, or one document's where a mapping is expected.
            DocumentMismatchError: a document on one side only, where the policy refuses that.
            DuplicateMentionError: a repeated mention, where the policy refuses that.
        """
        side, local = Side("response"), list[int]()
        scored = np.zeros((len(settings), len(self)), bool)
        places, n_extra = [], []
        for b, (setting, output) in enumerate(zip(settings, outputs, strict=True)):
            for d, clusters in self._documents(output, f"setting {text_of(setting)}"):
                scored[b, d] = True
                places.append(f"{self._places[d]} in setting {text_of(setting)}")
                mentions = side.add(clusters, places[-1])
                index, others = self._index[d], dict[Hashable, int]()
                local.extend(
                    others.setdefault(mention, len(index) + len(others)) if position is None else position
                    for mention, position in zip(mentions, map(index.get, mentions), strict=True)
                )
                n_extra.append(len(others))
        documents = np.nonzero(scored)[1]
        key, offsets = self._spread(documents, np.array(n_extra, np.int64))
        labels = _resolve(side, local, np.diff(offsets), self._policies.response_duplicates, places)
        return Block(
            settings, Clusterings(frozen(key), frozen(labels), frozen(offsets)), None if scored.all() else scored
        )

    def _documents(self, output: ClusterDocuments, what: str) -> Iterable[tuple[int, Clusters]]:
        """Pair a response's documents with positions of the key's, in the key's order."""
        if self.names is None:
            return [(0, output)]
        if not isinstance(output, Mapping):
            raise InputError(f"{what} is no mapping from document names to clusters, as the key is")
        found = {str(name): clusters for name, clusters in output.items()}
        response_names = list(found)
        try:
            pairs = zip(*pair_documents(self.names, response_names, self._policies), strict=True)
        except DocumentMismatchError as error:
            raise DocumentMismatchError(f"{what}: {error}") from None
        return [(d, () if r == ABSENT else found[response_names[r]]) for d, r in pairs]

    def _spread(self, documents: Integers, n_extra: Integers) -> tuple[Integers, Integers]:
        """Lay out labels of some of the key's documents, with room for more mentions behind each, and the bounds."""
        key = self._labels
        sizes = np.diff(key.offsets)[documents]
        offsets = segment_bounds(sizes + n_extra)
        within = np.arange(sizes.sum()) - np.repeat(segment_bounds(sizes)[:-1], sizes)
        labels = np.full(offsets[-1], -1)
        labels[within + np.repeat(offsets[:-1], sizes)] = key.labels[within + np.repeat(key.offsets[documents], sizes)]
        return labels, offsets


def _resolve(side: Side, local: list[int], sizes: Integers, policy: Duplicates, places: Sequence[str]) -> Integers:
    """Give each mention its entity, from the position of each occurrence in its document."""
    offsets = segment_bounds(sizes)

    def describe(first: int, second: int) -> str:
        d = int(np.searchsorted(side.bounds, first, side="right")) - 1
        entities = sorted({side.entities[first], side.entities[second]})
        where = f"clusters {entities[0]} and {entities[1]}" if len(entities) == 2 else f"cluster {entities[0]} twice"
        return f"{side.what} of document {places[d]}: mention {side.mentions[first]!r} is in {where}"

    mention = np.array(local, np.int64) + np.repeat(offsets[:-1], np.diff(side.bounds))
    return resolve_duplicates(mention, np.array(side.entities, np.int64), int(offsets[-1]), policy, describe)


def _mentions_digest(index: Sequence[Iterable[Hashable]]) -> bytes:
    """Fingerprint the mentions; empty where their texts change from one process to the next."""
    texts = [repr(list(mentions)) for mentions in index]
    if any(" at 0x" in text or "frozenset(" in text for text in texts):
        return b""
    return fingerprint(*[text.encode("utf-8", "surrogatepass") for text in texts]).encode()
