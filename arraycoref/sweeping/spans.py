"""A key of files, its mentions indexed once, and the runs that are looked up in it."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from arraycoref.arrays import frozen
from arraycoref.clusterings import LABEL_SEED
from arraycoref.contingency import segment_bounds
from arraycoref.documents import Documents
from arraycoref.files import settle_documents
from arraycoref.match import take
from arraycoref.options import Policies
from arraycoref.sweeping.blocks import Block
from arraycoref.sweeping.coverage import in_key_order
from arraycoref.sweeping.keyside import Integers, KeySide


class SpanKey:
    """The mentions of a key of files: the number of each span in the key's index, in a hash table a document.

    Args:
        key: D documents.
        policies: for repeated mentions, documents on one side only, and singletons.

    Attributes:
        side: the key, encoded.

    Raises:
        DuplicateMentionError: a repeated key mention, where the policy refuses that.
    """

    def __init__(self, key: Documents, policies: Policies) -> None:
        from arraycoref.kernels.lookup import index_spans

        self.policies = policies
        n_slots = 2 ** np.ceil(np.log2(np.maximum(2 * np.diff(key.offsets), 4))).astype(np.int64)
        slots = segment_bounds(n_slots)
        spans, numbers = np.empty((2, int(slots[-1])), np.int64)
        mention, offsets = np.empty(key.start.size, np.int64), np.empty(len(key) + 1, np.int64)
        index_spans(*_spans(key), LABEL_SEED, slots, spans, numbers, mention, offsets)
        self.index = frozen(slots), frozen(spans), frozen(numbers)
        labels = settle_documents(key, mention, int(offsets[-1]), policies.key_duplicates)
        fingerprint = hashlib.blake2b(key.start.tobytes() + key.end.tobytes(), digest_size=16).digest()
        self.side = KeySide.from_labels(
            labels, offsets, key.names, drop_singletons=policies.singletons == "drop", mentions=fingerprint
        )

    def encode(self, response: Documents, text: str) -> Block:
        """Lay the documents of one run over the key's index.

        Args:
            response: what the run's files hold.
            text: names the run, for messages.

        Raises:
            DocumentMismatchError: a document on one side only, where the policy refuses that.
            DuplicateMentionError: a repeated mention, where the policy refuses that.
        """
        from arraycoref.kernels.lookup import look_up

        positions, skipped = in_key_order(self.side.names or (), response.names, self.policies, text)
        found = take(response, positions)
        n_mentions = int(self.side.offsets[-1])
        mention, bounds = np.empty(found.start.size, np.int64), np.empty(len(found) + 1, np.int64)
        look_up(*_spans(found), LABEL_SEED, *self.index, n_mentions, mention, bounds)
        labels = settle_documents(found, mention, n_mentions + int(bounds[-1]), self.policies.response_duplicates)
        return Block(
            labels[np.newaxis, :n_mentions],
            labels[n_mentions:],
            bounds,
            None if skipped is None else skipped[np.newaxis],
        )


def _spans(side: Documents) -> tuple[Integers, NDArray[np.int32], NDArray[np.int32]]:
    return frozen(side.offsets), frozen(side.start, np.int32), frozen(side.end, np.int32)
