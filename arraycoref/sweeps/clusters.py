"""A key of clusters whose mentions are read once, and the responses that are placed among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from arraycoref.arrays import frozen
from arraycoref.clusterings import Clusterings
from arraycoref.contingency import Integers, segment_bounds
from arraycoref.encode import Side
from arraycoref.errors import DocumentMismatchError, InputError
from arraycoref.lazy import cached_property
from arraycoref.objects import Clusters, as_clusters
from arraycoref.occurrences import resolve_duplicates
from arraycoref.options import Duplicates, Policies
from arraycoref.packed import Placed, pack, place
from arraycoref.pairing import ABSENT, pair_documents
from arraycoref.sweeps.counting import Block, LabelKey, fingerprint
from arraycoref.sweeps.settings import Setting, text_of

T = TypeVar("T")

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
        documents = as_clusters("key", key.values() if isinstance(key, Mapping) else [key], names)
        self._side = Side("key", documents, ["0"] if names is None else [repr(name) for name in names])
        self._packed = pack(documents)
        labels, offsets = self._label(self._side, np.arange(len(documents)), policies.key_duplicates)
        self._labels = LabelKey(labels, offsets, names)
        self.names = self._labels.names
        self.settings_at_once = min(self._labels.settings_at_once, OUTPUTS_AT_ONCE)
        mentions = _mentions_digest(self._index) if self._packed is None else self._packed.data
        self.digest = fingerprint(self._labels.digest.encode(), mentions)

    def __len__(self) -> int:
        return len(self._side.documents)

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
        scored = np.zeros((len(settings), len(self)), bool)
        clusterings, places = list[Clusters](), list[str]()
        for b, (setting, output) in enumerate(zip(settings, outputs, strict=True)):
            for d, clusters in self._documents(output, f"setting {text_of(setting)}"):
                scored[b, d] = True
                clusterings.append(clusters)
                places.append(f"{self._side.places[d]} in setting {text_of(setting)}")
        documents, side = np.nonzero(scored)[1], Side("response", clusterings, places)
        labels, offsets = self._label(side, documents, self._policies.response_duplicates)
        key = self._spread(documents, offsets)
        batch = Clusterings(frozen(key), frozen(labels), frozen(offsets))
        return Block(settings, batch, None if scored.all() else scored)

    @cached_property
    def _index(self) -> list[dict[Hashable, int]]:
        """Number the mentions of the key in each document, by hashing them."""
        side = self._side
        if self._packed is not None:  # for a block with something else, in several threads at once
            side = Side(side.what, side.documents, side.places)
        documents = map(side.of, range(len(self)))
        return [{mention: n for n, mention in enumerate(dict.fromkeys(mentions))} for mentions in documents]

    def _label(self, side: Side, documents: Integers, policy: Duplicates) -> tuple[Integers, Integers]:
        """Give each mention its entity in documents of one side, of which each belongs to one of the key's.

        Returns:
            The labels of the key's mentions and, behind those of each document, of the others; and the bounds.
        """
        found = self._place(side, documents)
        if found is not None:
            return found.response, found.offsets
        if side is self._side:
            self._packed = None
        offsets, mention = self._look_up(side, documents)
        entity = np.array(side.entities, np.int64)
        return resolve_duplicates(mention, entity, int(offsets[-1]), policy, side.describe), offsets

    def _place(self, side: Side, documents: Integers) -> Placed | None:
        """Do so if both sides can be packed."""
        key, policies = self._packed, self._policies
        if key is not None and side is self._side:  # where its documents begin is found, too
            return place(key, documents, documents, replace(policies, response_duplicates=policies.key_duplicates))
        packed = None if key is None else pack(side.documents)
        if key is None or packed is None:
            return None
        return place(key + packed, documents, key.starts.size + np.arange(documents.size), policies)

    def _look_up(self, side: Side, documents: Integers) -> tuple[Integers, Integers]:
        """Hash what cannot be packed; return the bounds of the mentions, and the mention of each occurrence."""
        local, sizes = list[int](), list[int]()
        for position, d in enumerate(documents.tolist()):
            mentions, index, others = side.of(position), self._index[d], dict[Hashable, int]()
            local.extend(
                others.setdefault(mention, len(index) + len(others)) if found is None else found
                for mention, found in zip(mentions, map(index.get, mentions), strict=True)
            )
            sizes.append(len(index) + len(others))
        offsets = segment_bounds(np.array(sizes, np.int64))
        return offsets, np.array(local, np.int64) + np.repeat(offsets[:-1], np.diff(side.bounds))

    def _documents(self, output: ClusterDocuments, what: str) -> Iterable[tuple[int, Clusters]]:
        """Pair a response's documents with positions of the key's, in the key's order."""
        if self.names is None:
            return [(0, as_clusters(f"{what}: response", [output])[0])]
        if not isinstance(output, Mapping):
            raise InputError(f"{what} is no mapping from document names to clusters, as the key is")
        found = by_name(output, what)
        response_names = list(found)
        try:
            pairs = zip(*pair_documents(self.names, response_names, self._policies), strict=True)
        except DocumentMismatchError as error:
            raise DocumentMismatchError(f"{what}: {error}") from None
        documents = as_clusters(f"{what}: response", found.values(), response_names)
        return [(d, () if r == ABSENT else documents[r]) for d, r in pairs]

    def _spread(self, documents: Integers, offsets: Integers) -> Integers:
        """Lay out the labels of some of the key's documents from these places on, with room behind each."""
        key = self._labels
        sizes = np.diff(key.offsets)[documents]
        within = np.arange(sizes.sum()) - np.repeat(segment_bounds(sizes)[:-1], sizes)
        labels = np.full(offsets[-1], -1)
        labels[within + np.repeat(offsets[:-1], sizes)] = key.labels[within + np.repeat(key.offsets[documents], sizes)]
        return labels


def by_name(given: Mapping[Any, T], what: str) -> dict[str, T]:
    """Return what was given for each document, by names that are texts; ``what`` it is, for the message.

    Raises:
        InputError: two documents of one name, as 1 and "1" are.
    """
    found = {str(name): part for name, part in given.items()}
    if len(found) < len(given):
        twice = Counter(map(str, given)).most_common(1)[0][0]
        raise InputError(f"{what} has two documents named {twice!r}; expected unique names")
    return found


def _mentions_digest(index: Sequence[Iterable[Hashable]]) -> bytes:
    """Fingerprint the mentions; empty where their texts change from one process to the next."""
    texts = [repr(list(mentions)) for mentions in index]
    if any(" at 0x" in text or "frozenset(" in text for text in texts):
        return b""
    return fingerprint(*[text.encode("utf-8", "surrogatepass") for text in texts]).encode()
