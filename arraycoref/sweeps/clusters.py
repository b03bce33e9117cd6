"""Read the mentions of a key of clusters once, and find the mentions of many responses among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from arraycoref.errors import DocumentMismatchError, InputError
from arraycoref.lazy import cached_property
from arraycoref.match.documents import ABSENT, pair_documents
from arraycoref.match.encode import Side, place_hashed
from arraycoref.match.objects import Clusters, Seen, as_clusters
from arraycoref.match.packed import Placed, pack, place
from arraycoref.options import Policies
from arraycoref.scoring.cells import Integers
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.labels import as_kernel_array
from arraycoref.sweeps.counting import Block, LabelKey, fingerprint
from arraycoref.sweeps.settings import Setting, text_of

T = TypeVar("T")

ClusterDocuments = Clusters | Mapping[str, Clusters]
"""Clusters of one document, or clusters of documents by name."""

OUTPUTS_AT_ONCE = 64
"""Largest number of outputs in a block: they are Python objects, which take many times the memory of their labels."""


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
        InputError: ``key`` is no clustering.
        DuplicateMentionError: a repeated key mention, where the policy refuses that.
    """

    def __init__(self, key: ClusterDocuments, policies: Policies) -> None:
        self._policies = policies
        names = [str(name) for name in key] if isinstance(key, Mapping) else None
        self._seen = Seen()
        documents = as_clusters("key", key.values() if isinstance(key, Mapping) else [key], names, self._seen)
        self._side = Side("key", documents, ["0"] if names is None else [repr(name) for name in names], self._seen)
        self._packed = pack(documents)
        every, alone = np.arange(len(documents)), None
        if self._packed is not None:  # `place` also finds where documents start
            alone = place(self._packed, every, every, replace(policies, response_duplicates=policies.key_duplicates))
        if alone is None:
            self._packed = None
            nothing = Side("response", [()] * len(documents), self._side.places)
            alone = place_hashed(self._side, every, nothing, policies)
        self._labels = LabelKey(alone.key, alone.offsets, names)
        self.names = self._labels.names
        self.settings_at_once = min(self._labels.settings_at_once, OUTPUTS_AT_ONCE)
        mentions = _mentions_digest(self._side) if self._packed is None else self._packed.data
        self.digest = fingerprint(self._labels.digest.encode(), mentions)

    def __len__(self) -> int:
        return len(self._side.documents)

    def block(self, settings: Sequence[Setting], outputs: Sequence[ClusterDocuments]) -> Block:
        """Find the mentions of B outputs among the key's; mentions that the key lacks come after those of the key.

        Args:
            settings: (B,) settings.
            outputs: (B,) outputs of the same form as the key: clusters, or a mapping from document names to clusters.

        Raises:
            InputError: an output that is no clustering, or no mapping although the key is one.
            DocumentMismatchError: a document on one side only, where the policy refuses that.
            DuplicateMentionError: a repeated mention, where the policy refuses that.
        """
        scored = np.zeros((len(settings), len(self)), bool)
        clusterings, places, seen = list[Clusters](), list[str](), self._seen.copy()  # forgotten after the block
        for b, (setting, output) in enumerate(zip(settings, outputs, strict=True)):
            for d, clusters in self._documents(output, f"setting {text_of(setting)}", seen):
                scored[b, d] = True
                clusterings.append(clusters)
                places.append(f"{self._side.places[d]} in setting {text_of(setting)}")
        found = self._place(np.nonzero(scored)[1], Side("response", clusterings, places, seen))
        key, response, offsets = map(as_kernel_array, found)
        return Block(settings, Clusterings(key, response, offsets), None if scored.all() else scored)

    def _place(self, documents: Integers, response: Side) -> Placed:
        """Find the mentions of response documents among the key's; ``documents`` are positions of the key documents."""
        if self._packed is not None:
            packed = pack(response.documents)
            behind = self._packed.starts.size + np.arange(documents.size)
            found = None if packed is None else place(self._packed + packed, documents, behind, self._policies)
            if found is not None:
                return found
        return place_hashed(self._hashed, documents, response, self._policies)

    @cached_property
    def _hashed(self) -> Side:
        """The key's documents, all indexed in advance, because several threads may read them at once."""
        key = self._side if self._packed is None else Side(self._side.what, self._side.documents, self._side.places)
        key.index(len(self) - 1)
        return key

    def _documents(self, output: ClusterDocuments, what: str, seen: Seen) -> Iterable[tuple[int, Clusters]]:
        """Pair the documents of a response with the positions of the key's documents, in the key's order."""
        if self.names is None:
            return [(0, as_clusters(f"{what}: response", [output], seen=seen)[0])]
        if not isinstance(output, Mapping):
            raise InputError(f"{what} is no mapping from document names to clusters, as the key is")
        found = by_name(output, what)
        response_names = list(found)
        try:
            pairs = zip(*pair_documents(self.names, response_names, self._policies), strict=True)
        except DocumentMismatchError as error:
            raise DocumentMismatchError(f"{what}: {error}") from None
        documents = as_clusters(f"{what}: response", found.values(), response_names, seen)
        return [(d, () if r == ABSENT else documents[r]) for d, r in pairs]


def by_name(given: Mapping[Any, T], what: str) -> dict[str, T]:
    """Convert the document names of a mapping to strings; ``what`` describes the mapping in the message.

    Raises:
        InputError: two documents have the same name, for instance 1 and "1".
    """
    found = {str(name): part for name, part in given.items()}
    if len(found) < len(given):
        twice = Counter(map(str, given)).most_common(1)[0][0]
        raise InputError(f"{what} has two documents named {twice!r}; expected unique names")
    return found


def _mentions_digest(key: Side) -> bytes:
    """Fingerprint the mentions by their ``repr``; return b"" if it may change from one process to the next."""
    texts = [repr(list(dict.fromkeys(key.of(d)))) for d in range(len(key.documents))]
    if any(" at 0x" in text or "frozenset(" in text for text in texts):
        return b""
    return fingerprint(*[text.encode("utf-8", "surrogatepass") for text in texts]).encode()
