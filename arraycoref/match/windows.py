"""Bring windows of a document, which overlap, on the key's words, and join entities by mentions that they share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arraycoref.match.aligned_words import AlignedWords, align_words
from arraycoref.ragged import Ints, number_rows

AHEAD, SPARE = 3, 200
"""How many times as many words as a window has it is searched in, and how many more."""


def align_windows(key: Sequence[str], windows: Sequence[Sequence[str]]) -> AlignedWords | None:
    """Align the words of windows, each of which begins in or behind the one before it.

        >>> align_windows("a b c d e f".split(), [["a", "b", "c"], ["b", "c", "d", "x"]]).first.tolist()
        [0, 1, 2, 1, 2, 3, 4]

    Args:
        key: N words.
        windows: the words of each window, in their order.

    Returns:
        The alignment of all their words, one window after the other; words of windows with too little of the key's
        text are none of its words. None if all are such.
    """
    begin, reached = 0, np.zeros(len(key), np.bool_)
    columns, n_changed, n_inserted = list[Ints](), 0, 0
    for window in windows:
        part = key[begin : begin + AHEAD * len(window) + SPARE]
        aligned = align_words(part, window)
        if aligned is None:
            columns.append(np.full((2, len(window)), -1))
            n_inserted += len(window)
            continue
        places = np.array([np.where(column < 0, -1, column + begin) for column in aligned[:2]], np.int64)
        columns.append(places.reshape(2, -1))
        linked = np.flatnonzero(aligned.first >= 0)
        for word in linked.tolist():
            reached[places[0, word] : places[1, word] + 1] = True
        n_changed, n_inserted = n_changed + aligned.n_changed, n_inserted + aligned.n_inserted
        begin = int(places[0, linked[0]]) if linked.size else begin
    if not reached.any():
        return None
    first, last = np.concatenate(columns, axis=1)
    n_reached = int(np.flatnonzero(reached)[-1]) + 1
    return AlignedWords(first, last, n_changed, int(len(key) - reached.sum()), n_inserted, n_reached)


def join_entities(document: Ints, entity: Ints, window: Ints, start: Ints, end: Ints) -> Ints:
    """Join the entities of each document that have an equal mention in two windows.

        >>> columns = [[0, 0, 0, 0], [0, 1, 2, 3], [0, 0, 1, 1], [3, 5, 5, 7], [3, 5, 5, 8]]
        >>> join_entities(*map(np.array, columns)).tolist()
        [0, 1, 1, 2]

    Args:
        document: int64 (M,) ascending.
        entity: int64 (M,) entities of windows.
        window: int64 (M,) the window of each mention.
        start: int64 (M,) first word.
        end: int64 (M,) last word.

    Returns:
        int64 (M,) entities, numbered in each document in the order of their first mentions.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    own = number_rows([document, entity])[1]
    order, span = number_rows([document, start, end])
    pairs = np.flatnonzero((np.diff(span[order]) == 0) & (np.diff(window[order]) != 0))
    one, other = own[order[pairs]], own[order[pairs + 1]]
    n = int(own.max(initial=-1)) + 1
    joined = connected_components(coo_array((np.ones(one.size), (one, other)), shape=(n, n)), directed=False)[1][own]
    first = np.unique(joined, return_index=True)[1]
    rank = np.empty(first.size, np.int64)
    rank[first.argsort()] = np.arange(first.size)
    before = np.searchsorted(np.sort(document[first]), document)
    result: Ints = rank[joined] - before
    return result
