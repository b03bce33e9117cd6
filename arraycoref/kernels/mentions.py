"""Number the mentions of key and response in one union index."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import SEED, clear, number_of, slots_for
from arraycoref.kernels.jit import contiguous, helper, kernel, runs
from arraycoref.match.mentions import Occurrences
from arraycoref.ragged import Ints


@helper
def _number(offsets, code, d, keys, numbers, slots, seed, n, n_union, found):
    """Number one side's occurrences in a document from ``n`` on; ``n_union`` of its mentions are numbered already.

    Return the number of mentions that are numbered then.
    """
    for row in range(offsets[d], offsets[d + 1]):
        u = number_of(code[row], keys, numbers, slots, seed, n_union)
        found[row] = n + u
        n_union += u == n_union
    return n_union


@kernel
def number_mentions(
    key: tuple[Ints, Ints], response: tuple[Ints, Ints], seed: np.uint64, offsets: Ints, ours: Ints, theirs: Ints
) -> None:
    """Number the mentions of D documents on one index per document: the key's mentions, then those that it lacks.

    Mentions are numbered by first appearance, with a hash table per document; linear time.

    Args:
        key: offsets and codes of `arraycoref.match.mentions.Occurrences`, read-only; nothing of them is checked.
        response: the same for the response, the same documents.
        seed: of the hash; no result depends on it.
        offsets: int64 (D+1,) receives the bounds of the documents in the union index.
        ours: int64 (occurrences of the key,) receives their numbers, counted across all documents.
        theirs: int64 (occurrences of the response,) receives theirs.
    """
    n_documents = offsets.size - 1
    (key_offsets, key_code), (response_offsets, response_code) = key, response
    most = np.int64(0)
    for d in range(n_documents):
        most = max(most, key_offsets[d + 1] - key_offsets[d] + response_offsets[d + 1] - response_offsets[d])
    keys, numbers = np.empty(slots_for(most), np.int64), np.empty(slots_for(most), np.int64)
    n = np.int64(0)
    offsets[0] = 0
    for d in range(n_documents):
        slots = slots_for(key_offsets[d + 1] - key_offsets[d] + response_offsets[d + 1] - response_offsets[d])
        clear(numbers, slots)
        n_union = _number(key_offsets, key_code, d, keys, numbers, slots, seed, n, np.int64(0), ours)
        n += _number(response_offsets, response_code, d, keys, numbers, slots, seed, n, n_union, theirs)
        offsets[d + 1] = n


@runs(number_mentions)
def union_numbers(key: Occurrences, response: Occurrences) -> tuple[Ints, Ints, Ints]:
    """Number the mentions of both sides: the fast twin of `arraycoref.match.mentions.union_numbers`."""
    offsets = np.empty(key.offsets.size, np.int64)
    of_key, of_response = np.empty(key.code.size, np.int64), np.empty(response.code.size, np.int64)
    sides = [(contiguous(side.offsets), contiguous(side.code)) for side in (key, response)]
    number_mentions(sides[0], sides[1], SEED, offsets, of_key, of_response)
    return offsets, of_key, of_response
