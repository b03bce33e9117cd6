"""Bring mentions that have gaps, empty nodes or heads on other words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arraycoref.ragged import Ints, number_rows, owners, ranges, run_starts
from arraycoref.read.mentions import BITS, EMPTY, Mentions, nodes_of, part_sizes, parts_between


def moved_nodes(mentions: Mentions, place: Ints, first: Ints, last: Ints) -> Mentions:
    """Return mentions on other words; an empty node stays behind its word, or goes with it.

        >>> none = np.zeros(1, np.int32)
        >>> mention = Mentions(none, none, none + 2, none, none, parts=np.array([[1, 1], [3, 3]]) << BITS,
        ...     part_bounds=np.array([0, 2]))
        >>> moved = moved_nodes(mention, np.array([0]), np.array([0, 2, 3]), np.array([1, 2, 3]))
        >>> (moved.parts >> BITS).tolist(), moved.start.tolist(), moved.end.tolist()
        ([[1, 2], [4, 4]], [0], [3])

    Args:
        mentions: M mentions.
        place: int64 (M,) where the words of the document of each begin in ``first`` and ``last``.
        first: int64 (W,) first of the other words that each word is; -1 for none.
        last: int64 (W,) the last one, likewise.

    Returns:
        The mentions of which something is left, without their sentences.
    """
    mentions = mentions.with_parts()
    owner = owners(mentions.part_bounds).repeat(part_sizes(mentions.parts))
    low, high, empty = _moved(nodes_of(mentions.parts), place[owner], first, last)
    count = np.where(low < 0, 0, high - low + 1)
    columns = [owner.repeat(count), (ranges(low, count) << BITS) | empty.repeat(count)]
    order = number_rows(columns)[0]
    owner, nodes = (column[order] for column in columns)
    once = run_starts(owner, nodes)
    owner, nodes = owner[once], nodes[once]
    begin = run_starts(owner)
    rows = owner[begin]
    parts, part_bounds = parts_between(nodes, begin, np.append(begin[1:], nodes.size) - 1)
    kept = mentions.take(rows)
    begins, ends = (np.maximum(parts[at, k] >> BITS, 1).astype(np.int32) - 1 for at, k in (
        (part_bounds[:-1], 0), (part_bounds[1:] - 1, 1),
    ))  # fmt: skip
    moved = replace(kept, start=begins, end=ends, parts=parts, part_bounds=part_bounds, sentence=None)  # type: ignore[arg-type]
    if mentions.head is not None:
        low, _, empty = _moved(kept.head, place[rows], first, last)
        moved = replace(moved, head=np.where(low < 0, moved.first, low << BITS | empty))
    return moved


def _moved(nodes: Ints, place: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Return first and last other word, from 1, that each node is or is behind, or -1; and its bits of `EMPTY`.

    Args:
        nodes: int64 (N,) words and empty nodes.
        place: int64 (N,) see `moved_nodes`.
        first: int64 (W,) likewise.
        last: int64 (W,) likewise.
    """
    word, empty = nodes >> BITS, nodes & EMPTY
    at = np.where(word > 0, place + word - 1, first.size)
    low, high = (np.append(column, -1)[at] + 1 for column in (first, last))
    is_none = (low == 0) & (word > 0)
    low = np.where(empty > 0, high, low)
    return np.where(is_none, -1, low), np.where(is_none, -1, high), empty
