"""Number the mentions of key and response in one union index, resolve repeated ones, and sort rows by document."""

from __future__ import annotations

from typing import Any

import numpy as np

from arraycoref.kernels.hashtable import DROP, ERROR, FIRST, clear, number_of, slots_for
from arraycoref.kernels.jit import Ints, helper, kernel


@helper
def _add(side, rule, d, keys, numbers, slots, seed, n, n_union, held, ours, theirs):
    """Write one side's labels of a document from position ``n`` on; ``n_union`` of its mentions are numbered already.

    Return the two rows of a repeated mention that is an error, or -1 twice; and the number of mentions of both sides.
    """
    code, entity, rank = side.code, side.entity, side.rank
    for u in range(n_union):
        held[u] = -1
    for row in range(side.offsets[d], side.offsets[d + 1]):
        if entity[row] < 0:
            continue
        u = number_of(code[row], keys, numbers, slots, seed, n_union)
        if u == n_union:
            n_union += 1
            held[u] = -1
            theirs[n + u] = -1
        if held[u] < 0:
            held[u] = row
            ours[n + u] = entity[row]
        elif rule == ERROR:
            return held[u], row, n_union
        elif rule == DROP:
            ours[n + u] = -1
        elif (rank[row] < rank[held[u]]) == (rule == FIRST):
            held[u] = row
            ours[n + u] = entity[row]
    return -1, -1, n_union


@kernel
def number_mentions(
    key: Any, response: Any, rules: tuple[int, int], seed: np.uint64, offsets: Ints, ours: Ints, theirs: Ints
) -> tuple[int, int, int]:
    """Label the mentions of D documents on one index per document: the key's mentions, then those that it lacks.

    Mentions are numbered by first appearance, with a hash table per document; linear time.

    Args:
        key: `arraycoref.match.mentions.Occurrences` of D documents, read-only; nothing of it is checked.
        response: the same for the response, the same documents.
        rules: `ERROR`, `FIRST`, `LAST` or `DROP` for repeated mentions of the key, and of the response.
        seed: of the hash; no result depends on it.
        offsets: int64 (D+1,) receives the bounds of the documents in the union index.
        ours: int64 (occurrences of both sides,) receives the key's labels, -1 where it lacks or drops a mention.
        theirs: int64 (the same,) receives the response's.

    Returns:
        (-1, -1, -1); or, where a repeated mention is an error, 0 for the key or 1 for the response, and its two rows.
    """
    n_documents = offsets.size - 1
    most = np.int64(0)
    for d in range(n_documents):
        n_key, n_response = key.offsets[d + 1] - key.offsets[d], response.offsets[d + 1] - response.offsets[d]
        most = max(most, n_key + n_response)
    keys, numbers = np.empty(slots_for(most), np.int64), np.empty(slots_for(most), np.int64)
    held = np.empty(most, np.int64)  # the row whose label each mention has
    n = np.int64(0)
    offsets[0] = 0
    for d in range(n_documents):
        n_key, n_response = key.offsets[d + 1] - key.offsets[d], response.offsets[d + 1] - response.offsets[d]
        slots = slots_for(n_key + n_response)
        clear(numbers, slots)
        first, second, n_union = _add(key, rules[0], d, keys, numbers, slots, seed, n, 0, held, ours, theirs)
        if first >= 0:
            return 0, first, second
        first, second, n_union = _add(response, rules[1], d, keys, numbers, slots, seed, n, n_union, held, theirs, ours)
        if first >= 0:
            return 1, first, second
        n += n_union
        offsets[d + 1] = n
    return -1, -1, -1
