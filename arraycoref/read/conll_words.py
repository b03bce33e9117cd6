"""Compare the words of two CoNLL files with NumPy, without making them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arraycoref.read.blocks import SPACE, UNDERSCORE, Bools, Bytes, Ints, Unusual, cut, join, split_lines
from arraycoref.read.conll_blocks import ENDS, find_tokens
from arraycoref.read.conll_lines import OF_END

WORD, FEWEST_WITH_WORDS = 3, 11  # the column of words, from 0, and how many columns a file with words has

_TOKENS = 1 << 16  # compared at a time
_GAP = 1000  # bytes between two documents that are read together, at most


def count_different_words(ours: Bytes, our_places: Ints, theirs: Bytes, their_places: Ints, n_tokens: Ints) -> Ints:
    """Count the words that differ in each of D pairs of documents.

    If all words of a document are ``_``, it has none, and none differ.

    Args:
        ours: uint8 (N,) bytes of the key's file.
        our_places: int64 (D, 2) where each document begins, behind the name in its header, and where it ends.
        theirs: uint8 (M,) bytes of the response's file.
        their_places: int64 (D, 2) likewise.
        n_tokens: int64 (D,) tokens of each document, as many on both sides.

    Returns:
        int64 (D,) how many words differ.

    Raises:
        Unusual: lines that are not as usual, see `arraycoref.read.conll_blocks`.
    """
    offsets = np.append(0, np.cumsum(n_tokens))
    sides = [_words(text, places, offsets) for text, places in ((ours, our_places), (theirs, their_places))]
    (left, length), (other, other_length) = sides
    is_different = length != other_length
    for first in range(0, int(offsets[-1]), _TOKENS):
        chunk = slice(first, first + _TOKENS)
        which = first + np.flatnonzero(~is_different[chunk] & (length[chunk] > 0))
        n_bytes = length[which]
        differs = join(ours, left[which], n_bytes) != join(theirs, other[which], n_bytes)
        if differs.any():
            is_different[np.repeat(which, n_bytes)[differs]] = True
    n_different = _count(is_different, offsets)
    if n_different.any():
        for text, (begin, n_bytes) in zip((ours, theirs), sides, strict=True):
            says = (n_bytes != 1) | (text[np.minimum(begin, text.size - 1)] != UNDERSCORE)
            n_different[_count(says, offsets) == 0] = 0
    return n_different


def _count(flags: Bools, offsets: Ints) -> Ints:
    """Count the tokens of each document that have a flag."""
    return np.diff(np.append(0, np.cumsum(flags))[offsets])


def _words(text: Bytes, places: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """Return the first byte of each token's word, and its length; of documents in the order of their places."""
    order = places[:, 0].argsort(kind="stable")
    found = list(_words_in_order(text, places[order]))
    left, length = (np.concatenate(each) for each in zip(*found, strict=True))
    if left.size != offsets[-1]:
        raise Unusual
    if (order[1:] < order[:-1]).any():
        n = np.diff(offsets)[order]
        token = np.repeat(offsets[order] - np.append(0, np.cumsum(n)[:-1]), n) + np.arange(left.size)
        left[token], length[token] = left.copy(), length.copy()
    return left, length


def _words_in_order(text: Bytes, places: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the words of some lines after the other; documents close to each other are read at once."""
    gaps = places[1:, 0] - places[:-1, 1]
    ends = np.append(np.flatnonzero((gaps < 0) | (gaps > _GAP)), len(places) - 1)
    begins = np.append(0, ends[:-1] + 1)
    for begin, stop in zip(places[begins, 0].tolist(), places[ends, 1].tolist(), strict=True):
        at, inside = begin, True
        while at < stop:
            block = cut(text, at, stop, ENDS)
            lines = split_lines(block)
            is_token, directives = find_tokens(block, lines, inside)
            inside = directives[-1][1] != OF_END if directives else inside
            left, right = (each[is_token] for each in lines.column(WORD + 1, is_token))
            if lines.tabbed and ((lines.text[left] == SPACE) | (lines.text[right - 1] == SPACE)).any():
                raise Unusual
            yield at - 1 + left, right - left
            at += len(block) - 1
