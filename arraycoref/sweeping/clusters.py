"""A key of clusters of mentions, indexed once, and the responses that are laid over it."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from arraycoref.encode import Clusters, Side
from arraycoref.errors import InputError
from arraycoref.occurrences import settle
from arraycoref.options import Policies
from arraycoref.pairing import ABSENT
from arraycoref.sweeping.blocks import Block
from arraycoref.sweeping.coverage import Mask, in_key_order
from arraycoref.sweeping.keyside import Integers, KeySide

Clusterings = Clusters | Mapping[str, Clusters]


class ClusterKey:
    """The mentions of a key of clusters: position of each in the key's index, document by document.

    Args:
        key: one document's clusters, or a mapping from document names to clusters.
        policies: for repeated mentions, documents on one side only, and singletons.

    Attributes:
        side: the key, encoded.

    Raises:
        InputError: no clustering.
        DuplicateMentionError: a repeated key mention, where the policy refuses that.
    """

    def __init__(self, key: Clusterings, policies: Policies) -> None:
        self.policies = policies
        self.names = [str(name) for name in key] if isinstance(key, Mapping) else None
        documents: Sequence[Clusters] = list(key.values()) if isinstance(key, Mapping) else [key]
        self.index: list[dict[Hashable, int]] = []
        occurrences = Side("key")
        positions: list[int] = []
        offsets = [0]
        for d, clusters in enumerate(documents):
            mentions = occurrences.add(clusters, self._place(d))
            found = {mention: offsets[-1] + i for i, mention in enumerate(dict.fromkeys(mentions))}
            positions.extend(map(found.__getitem__, mentions))
            self.index.append(found)
            offsets.append(offsets[-1] + len(found))
        labels = settle(
            np.array(positions, np.int64),
            np.array(occurrences.entities, np.int64),
            offsets[-1],
            policies.key_duplicates,
            lambda first, second: self._describe(occurrences, first, second, ""),
        )
        self.side = KeySide.from_labels(
            labels,
            np.array(offsets),
            self.names,
            drop_singletons=policies.singletons == "drop",
            mentions=_fingerprint(self.index),
        )

    def encode(self, outputs: Sequence[Clusterings], texts: Sequence[str]) -> Block:
        """Lay the outputs of B settings over the key's index.

        Args:
            outputs: B times what the key is: clusters, or a mapping from document names to clusters.
            texts: (B,) names of the settings, for messages.

        Raises:
            InputError: no clustering, or one document's where a mapping is expected.
            DocumentMismatchError: a document on one side only, where the policy refuses that.
            DuplicateMentionError: a repeated mention, where the policy refuses that.
        """
        n_mentions = int(self.side.offsets[-1])
        labels = np.empty((len(outputs), n_mentions), np.int64)
        skipped = np.zeros((len(outputs), len(self.side)), bool)
        extra: list[Integers] = []
        bounds = [0]
        for b, (output, text) in enumerate(zip(outputs, texts, strict=True)):
            side = Side("response")
            index: list[int] = []
            n_extra = [0]
            for d, clusters in enumerate(self._documents(output, text, skipped[b])):
                mentions = side.add(clusters, f"{self._place(d)} of setting {text}")
                known = self.index[d]
                spurious = [mention for mention in dict.fromkeys(mentions) if mention not in known]
                first = n_mentions + n_extra[-1]
                others = dict(zip(spurious, range(first, first + len(spurious)), strict=True))
                index.extend(known[mention] if mention in known else others[mention] for mention in mentions)
                n_extra.append(n_extra[-1] + len(spurious))
            settled = settle(
                np.array(index, np.int64),
                np.array(side.entities, np.int64),
                n_mentions + n_extra[-1],
                self.policies.response_duplicates,
                lambda first, second, side=side, text=text: self._describe(side, first, second, text),  # type: ignore[misc]
            )
            labels[b] = settled[:n_mentions]
            extra.append(settled[n_mentions:])
            before = bounds[-1]
            bounds.extend(before + n for n in n_extra[1:])
        return Block(
            labels,
            np.concatenate([np.empty(0, np.int64), *extra]),
            np.array(bounds),
            skipped if skipped.any() else None,
        )

    def _documents(self, output: Clusterings, text: str, skipped: Mask) -> Sequence[Clusters]:
        """Return a response's documents in the key's order, and mark those that are to be skipped."""
        if self.names is None:
            return [output]
        if not isinstance(output, Mapping):
            raise InputError(f"setting {text} is no mapping from document names to clusters, as the key is")
        named = {str(name): clusters for name, clusters in output.items()}
        positions, lacking = in_key_order(self.names, list(named), self.policies, f"setting {text}")
        if lacking is not None:
            skipped[:] = lacking
        return [() if position == ABSENT else named[name] for name, position in zip(self.names, positions, strict=True)]

    def _place(self, d: int) -> str:
        return repr(self.names[d]) if self.names is not None else str(d)

    def _describe(self, side: Side, first: int, second: int, text: str) -> str:
        d = int(np.searchsorted(side.bounds, first, side="right")) - 1
        entities = sorted({side.entities[first], side.entities[second]})
        where = f"clusters {entities[0]} and {entities[1]}" if len(entities) == 2 else f"cluster {entities[0]} twice"
        setting = f" in setting {text}" if text else ""
        return f"{side.what} of document {self._place(d)}{setting}: mention {side.mentions[first]!r} stands in {where}"


def _fingerprint(index: Sequence[Iterable[Hashable]]) -> bytes:
    """Tell keys of other mentions apart; nothing where the texts of mentions change from one process to the next."""
    text = hashlib.blake2b(digest_size=16)
    for mentions in index:
        part = repr(list(mentions))
        if " at 0x" in part or "frozenset(" in part:
            return b""
        text.update(part.encode("utf-8", "surrogatepass"))
    return text.digest()
