"""Long tables as ragged arrays: group rows by document, copy documents, place both sides' mentions on one index."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arraycoref.kernels.hashtable import ERROR, FIRST, LAST, clear, number_of, slots_for
from arraycoref.kernels.jit import Ints, helper, kernel


class Rows(NamedTuple):
    """One side's rows of D documents, read-only.

    Attributes:
        start: int64 (D,) document d owns the rows ``start[d]:end[d]``; not checked.
        end: int64 (D,).
        mention: int64 (N,) any numbers, equal for equal mentions.
        label: int64 (N,) entities >= 0, -1 in a row without a mention.
        policy: what is done with repeated mentions: `ERROR`, `FIRST`, `LAST` or `DROP`, in the order of the rows.
    """

    start: Ints
    end: Ints
    mention: Ints
    label: Ints
    policy: int


@kernel
def group_rows(group: Ints, bounds: Ints, order: Ints) -> None:
    """Sort rows by group, stably, by counting.

    Args:
        group: int64 (N,) 0 to G - 1; not checked.
        bounds: int64 (G+1,) receives the bounds of the groups in ``order``.
        order: int64 (N,) receives the rows, group after group.
    """
    for g in range(bounds.size):
        bounds[g] = 0
    for row in range(group.size):
        bounds[group[row] + 1] += 1
    for g in range(1, bounds.size):
        bounds[g] += bounds[g - 1]
    place = bounds.copy()
    for row in range(group.size):
        g = group[row]
        order[place[g]] = row
        place[g] += 1


@kernel
def copy_segments(values: Ints, start: Ints, end: Ints, copied: Ints) -> None:
    """Copy the segments ``values[start[s]:end[s]]``, one behind the other.

    Args:
        values: int64 (N,).
        start: int64 (S,) within ``values``; not checked.
        end: int64 (S,) likewise.
        copied: int64 (sum of the lengths,) receives the segments.
    """
    n = 0
    for s in range(start.size):
        for row in range(start[s], end[s]):
            copied[n] = values[row]
            n += 1


@helper
def _ascending(mention, lo, hi):
    """Return whether ``mention[lo:hi]`` ascends strictly, so that no mention is repeated."""
    row = lo + 1
    while row < hi and mention[row] > mention[row - 1]:
        row += 1
    return row >= hi


@helper
def _merge(key, response, d, n, key_out, response_out):
    """Write both sides' labels of one document, whose mentions ascend, from position ``n`` on; return their end."""
    k0, k1, key_mention, key_label = key.start[d], key.end[d], key.mention, key.label
    r0, r1, response_mention, response_label = response.start[d], response.end[d], response.mention, response.label
    end = n + k1 - k0
    for k in range(k0, k1):
        key_out[n + k - k0] = key_label[k]
        response_out[n + k - k0] = -1
    k = k0
    for r in range(r0, r1):
        mention = response_mention[r]
        while k < k1 and key_mention[k] < mention:
            k += 1
        if k < k1 and key_mention[k] == mention:
            response_out[n + k - k0] = response_label[r]
        else:
            key_out[end] = -1
            response_out[end] = response_label[r]
            end += 1
    return end


@helper
def _lay_out(rows, d, keys, numbers, slots, seed, n, n_union, row_of, out, other):
    """Write one side's labels of one document from position ``n`` on, where the other side has ``n_union`` mentions.

    Return the two rows of a repeated mention that is an error, or -1 twice; and the number of mentions of both sides.
    """
    mention, label, policy = rows.mention, rows.label, rows.policy
    for u in range(n_union):
        row_of[u] = -1
    for row in range(rows.start[d], rows.end[d]):
        if label[row] < 0:
            continue
        u = number_of(mention[row], keys, numbers, slots, seed, n_union)
        if u == n_union:
            n_union += 1
            row_of[u] = -1
            other[n + u] = -1
        if row_of[u] < 0:
            row_of[u] = row
            out[n + u] = label[row]
        elif policy == ERROR:
            return row_of[u], row, n_union
        elif policy != FIRST:
            out[n + u] = label[row] if policy == LAST else -1
    return -1, -1, n_union


@kernel
def place(
    key: Rows, response: Rows, seed: np.uint64, offsets: Ints, key_out: Ints, response_out: Ints
) -> tuple[int, int, int]:
    """Write both sides' labels on one index of mentions per document: the key's mentions, then those that it lacks.

    Documents whose mentions ascend on both sides are merged, others go through a hash table; the order of the index
    is that of the rows either way.

    Args:
        key: rows of the key.
        response: rows of the response, the same documents.
        seed: of the hash; no result depends on it.
        offsets: int64 (D+1,) receives the document bounds of the union index.
        key_out: int64 (rows of both sides in the documents,) receives the key's labels, -1 where it lacks a mention.
        response_out: int64 (the same,) receives the response's labels, -1 where it lacks a mention.

    Returns:
        (-1, -1, -1); or, where a repeated mention is an error, 0 for the key or 1 for the response, and its two rows.
    """
    most = np.int64(0)
    for d in range(key.start.size):
        most = max(most, key.end[d] - key.start[d] + response.end[d] - response.start[d])
    row_of = np.empty(1, np.int64)
    keys, numbers = np.empty(1, np.int64), np.empty(1, np.int64)
    n = np.int64(0)
    offsets[0] = 0
    for d in range(key.start.size):
        k0, k1, r0, r1 = key.start[d], key.end[d], response.start[d], response.end[d]
        if _ascending(key.mention, k0, k1) and _ascending(response.mention, r0, r1):
            n = _merge(key, response, d, n, key_out, response_out)
            offsets[d + 1] = n
            continue
        if row_of.size < most:
            row_of = np.empty(most, np.int64)
            keys, numbers = np.empty(slots_for(most), np.int64), np.empty(slots_for(most), np.int64)
        slots = slots_for(k1 - k0 + r1 - r0)
        clear(numbers, slots)
        first, second, n_key = _lay_out(key, d, keys, numbers, slots, seed, n, 0, row_of, key_out, response_out)
        if first >= 0:
            return 0, first, second
        first, second, n_union = _lay_out(
            response, d, keys, numbers, slots, seed, n, n_key, row_of, response_out, key_out
        )
        if first >= 0:
            return 1, first, second
        n += n_union
        offsets[d + 1] = n
    return -1, -1, -1
