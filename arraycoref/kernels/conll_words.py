"""Compare the words of two CoNLL files with NumPy, without making them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from arraycoref.kernels.byte_lines import SPACE, UNDERSCORE, Bytes, Unusual, cut, join, split_lines
from arraycoref.kernels.conll import ENDS, OF_END, find_tokens
from arraycoref.ragged import Ints, bounds, ranges, sum_by

WORD = 3  # the column of words, from 0

Classify = Callable[[bytes, bool], int]

_TOKENS = 1 << 16  # compared at a time
_GAP = 1000  # bytes between two documents that are read together, at most


def count_different_words(ours: Any, our_places: Ints, theirs: Any, their_places: Ints, n_tokens: Ints) -> Any:
    """Count the words that differ in two CoNLL files; the twin of that in `arraycoref.match.same_text`."""
    if ours.classify is None or theirs.classify is None:
        return NotImplemented
    try:
        return _count(ours.data, our_places, theirs.data, their_places, n_tokens, ours.classify)
    except Unusual:
        return NotImplemented


def _count(
    ours: Bytes, our_places: Ints, theirs: Bytes, their_places: Ints, n_tokens: Ints, classify: Classify
) -> Ints:
    """Count the words that differ in each of D pairs of documents; if all words of one are ``_``, it has none.

    Raises:
        Unusual: lines that are not as usual, see `arraycoref.kernels.conll`.
    """
    offsets = bounds(n_tokens)
    sides = [_words(text, places, offsets, classify) for text, places in ((ours, our_places), (theirs, their_places))]
    (left, length), (other, other_length) = sides
    is_different = length != other_length
    for first in range(0, int(offsets[-1]), _TOKENS):
        chunk = slice(first, first + _TOKENS)
        which = first + np.flatnonzero(~is_different[chunk] & (length[chunk] > 0))
        n_bytes = length[which]
        differs = join(ours, left[which], n_bytes) != join(theirs, other[which], n_bytes)
        if differs.any():
            is_different[np.repeat(which, n_bytes)[differs]] = True
    n_different = sum_by(is_different, offsets)
    if n_different.any():
        for text, (begin, n_bytes) in zip((ours, theirs), sides, strict=True):
            says = (n_bytes != 1) | (text[np.minimum(begin, text.size - 1)] != UNDERSCORE)
            n_different[sum_by(says, offsets) == 0] = 0
    return n_different


def _words(text: Bytes, places: Ints, offsets: Ints, classify: Classify) -> tuple[Ints, Ints]:
    """Return the first byte of each token's word, and its length; of documents in the order of their places."""
    order = places[:, 0].argsort(kind="stable")
    found = list(_words_in_order(text, places[order], classify))
    left, length = (np.concatenate(each) for each in zip(*found, strict=True))
    if left.size != offsets[-1]:
        raise Unusual
    if (order[1:] < order[:-1]).any():
        n = np.diff(offsets)[order]
        token = ranges(offsets[order], n)
        left[token], length[token] = left.copy(), length.copy()
    return left, length


def _words_in_order(text: Bytes, places: Ints, classify: Classify) -> Iterator[tuple[Ints, Ints]]:
    """Yield the words of some lines after the other; documents close to each other are read at once."""
    gaps = places[1:, 0] - places[:-1, 1]
    ends = np.append(np.flatnonzero((gaps < 0) | (gaps > _GAP)), len(places) - 1)
    begins = np.append(0, ends[:-1] + 1)
    for begin, stop in zip(places[begins, 0].tolist(), places[ends, 1].tolist(), strict=True):
        at, inside = begin, True
        while at < stop:
            block = cut(text, at, stop, ENDS)
            lines = split_lines(block)
            is_token, directives = find_tokens(block, lines, inside, classify)
            inside = directives[-1][1] != OF_END if directives else inside
            left, right = (each[is_token] for each in lines.column(WORD + 1, is_token))
            if lines.tabbed and ((lines.text[left] == SPACE) | (lines.text[right - 1] == SPACE)).any():
                raise Unusual
            yield at - 1 + left, right - left
            at += len(block) - 1
