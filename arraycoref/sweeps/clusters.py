"""Read the mentions of a key of clusters once, and find the mentions of many responses among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from arraycoref.errors import DocumentMismatchError, InputError
from arraycoref.lazy import cached_property
from arraycoref.match.documents import ABSENT, pair_documents
from arraycoref.match.mentions import Occurrences, UnionLabels, number_mentions
from arraycoref.match.objects import Clusters, ObjectMentions, number_packed, pack
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
        self._documents = list(key.values()) if isinstance(key, Mapping) else [key]
        self._places = ["0"] if names is None else [repr(name) for name in names]
        self._packed = pack(self._documents)
        every, alone = np.arange(len(self._documents)), None
        if self._packed is not None:  # this also finds where documents start
            both = replace(policies, response_duplicates=policies.key_duplicates)
            alone = number_packed(self._packed, every, every, both)
        if alone is None:
            self._packed = None
            nothing = Occurrences(np.zeros(every.size + 1, np.int64), *[np.empty(0, np.int64)] * 3)
            describe = lambda _side, *rows: self._objects.describe(*rows)  # noqa: E731
            alone = number_mentions(self._objects.occurrences, nothing, policies, describe)
        self._labels = LabelKey(alone.key, alone.offsets, names)
        self.names = self._labels.names
        self.settings_at_once = min(self._labels.settings_at_once, OUTPUTS_AT_ONCE)
        mentions = _mentions_digest(self._objects) if self._packed is None else self._packed.data
        self.digest = fingerprint(self._labels.digest.encode(), mentions)

    def __len__(self) -> int:
        return len(self._documents)

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
        clusterings, places = list[Clusters](), list[str]()
        for b, (setting, output) in enumerate(zip(settings, outputs, strict=True)):
            for d, clusters in self._paired(output, f"setting {text_of(setting)}"):
                scored[b, d] = True
                clusterings.append(clusters)
                places.append(f"{self._places[d]} in setting {text_of(setting)}")
        found = self._number(np.nonzero(scored)[1], clusterings, places)
        key, response, offsets = map(as_kernel_array, found)
        return Block(settings, Clusterings(key, response, offsets), None if scored.all() else scored)

    def _number(self, documents: Integers, response: Sequence[Clusters], places: Sequence[str]) -> UnionLabels:
        """Find the mentions of response documents among the key's; ``documents`` are positions of the key documents."""
        packed = pack(response) if self._packed is not None else None
        if self._packed is not None and packed is not None:
            behind = self._packed.starts.size + np.arange(documents.size)
            found = number_packed(self._packed + packed, documents, behind, self._policies)
            if found is not None:
                return found
        theirs = ObjectMentions("response", response, places, self._objects.numbers)
        ours = self._objects.occurrences.take(documents)
        return number_mentions(ours, theirs.occurrences, self._policies, lambda _side, *rows: theirs.describe(*rows))

    @cached_property
    def _objects(self) -> ObjectMentions:
        """The key's mentions as objects; for a key that is packed, made when a response is not."""
        return ObjectMentions("key", self._documents, self._places)

    def _paired(self, output: ClusterDocuments, what: str) -> Iterable[tuple[int, Clusters]]:
        """Pair the documents of a response with the positions of the key's documents, in the key's order."""
        if self.names is None:
            return [(0, output)]
        if not isinstance(output, Mapping):
            raise InputError(f"{what} is no mapping from document names to clusters, as the key is")
        found = by_name(output, what)
        response_names = list(found)
        try:
            pairs = zip(*pair_documents(self.names, response_names, self._policies), strict=True)
        except DocumentMismatchError as error:
            raise DocumentMismatchError(f"{what}: {error}") from None
        return [(d, () if r == ABSENT else found[response_names[r]]) for d, r in pairs]


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


def _mentions_digest(key: ObjectMentions) -> bytes:
    """Fingerprint the mentions by their ``repr``; return b"" if it may change from one process to the next."""
    bounds = pairwise(key.occurrences.offsets.tolist())
    texts = [repr(list(dict.fromkeys(key.mentions[first:stop]))) for first, stop in bounds]
    if any(" at 0x" in text or "frozenset(" in text for text in texts):
        return b""
    return fingerprint(*[text.encode("utf-8", "surrogatepass") for text in texts]).encode()
