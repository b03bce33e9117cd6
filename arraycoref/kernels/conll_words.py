"""Compare the words of two CoNLL files that have at least eleven columns, with the words in the fourth."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import (
    count_ones,
    equal_64,
    leading_zeros,
    trailing_zeros,
    unlike_64,
    word_at,
)
from arraycoref.kernels.jit import Bytes, Ints, U, helper, kernel

COLUMN, FEWEST = 4, 11  # column of the words, counted from 1; fewest columns of a file that has words there
ONE, EIGHT, BLOCK = U(1), U(8), U(64)


@helper
def line_end(data, at, stop):
    """Return where a line ends: at its line feed, or at the end of the text."""
    feeds = U(0)
    while not feeds and at + BLOCK <= U(data.size):
        feeds = equal_64(data, at, 10)
        at += trailing_zeros(feeds)  # 64 where there is none
    while at < stop and data[at] != 10:
        at += ONE
    return at if at < stop else stop


@helper
def has_tab(data, at, end):
    """Return whether a line has a tab."""
    while at < end and data[at] != 9:
        at += ONE
    return at < end


@helper
def column_of(data, at, end, tabbed, column):
    """Return the bounds of a line's column, counted from 1; both are behind the line if it has fewer columns."""
    n = 0
    while at < end:
        while at < end and data[at] == 32:
            at += ONE
        first = at
        while at < end and data[at] != (9 if tabbed else 32):
            at += ONE
        n += tabbed or first < at
        if n == column:
            last = at
            while last > first and (data[last - ONE] == 32 or data[last - ONE] == 13):
                last -= ONE
            return first, last
        at += ONE
    return end + ONE, end + ONE


@helper
def next_word(data, at, stop, column):
    """Return the bounds of a column in the next line with a token, and where that line ends.

    Both bounds are behind the line if it has fewer columns, and far behind `stop` if no token follows.
    """
    while at < stop:
        if column == COLUMN and at + BLOCK <= U(data.size) and data[at] > 35:
            feeds, tabs = equal_64(data, at, 10), equal_64(data, at, 9)
            tabs &= (feeds & (~feeds + ONE)) - ONE
            tabs &= tabs - ONE
            third = tabs & (tabs - ONE)
            fourth = third & (third - ONE)
            first, last = at + trailing_zeros(third) + ONE, at + trailing_zeros(fourth)
            if fourth and data[first] != 32 and data[last - ONE] != 32:  # nearly every line that has tabs
                return first, last, at + trailing_zeros(feeds) if feeds else line_end(data, at + BLOCK, stop)
        end, first = line_end(data, at, stop), at
        while first < end and (data[first] == 32 or 9 <= data[first] <= 13):
            first += ONE
        tab = first
        while tab < end and data[tab] != 9:
            tab += ONE
        if first < end and (data[at] != 35 or (tab < end and data[at + ONE] != 32)):
            first, last = column_of(data, at, end, tab < end, column)
            return first, last, end
        at = end + ONE
    return stop + BLOCK, stop + BLOCK, stop


@helper
def same_bytes(ours, x, theirs, y, length):
    """Return whether the next `length` bytes are the same on both sides."""
    if length - ONE < EIGHT and x + EIGHT <= U(ours.size) and y + EIGHT <= U(theirs.size):
        return (word_at(ours, x) ^ word_at(theirs, y)) << (BLOCK - length * EIGHT) == U(0)
    k = U(0)
    while k < length and ours[x + k] == theirs[y + k]:
        k += ONE
    return k == length


@helper
def says_words(data, at, stop):
    """Return whether a document has words: any that is not ``_``."""
    while at < stop:
        first, last, end = next_word(data, at, stop, COLUMN)
        if first <= stop + ONE and (last != first + ONE or data[first] != 95):
            return True
        at = end + ONE
    return False


@helper
def pass_lines(ours, a, a_stop, theirs, b, b_stop):
    """Skip lines on both sides, from the start of a line on each, while a fast comparison shows that words are equal.

    It shows that in lines that are the same, and in lines whose first four columns are the same and end within the
    first 64 bytes. Return the start of the next line on each side.
    """
    while a + BLOCK <= a_stop and b + BLOCK <= b_stop:
        unlike = unlike_64(ours, a, theirs, b)
        same = (unlike & (~unlike + ONE)) - ONE  # a bit for each byte before the first difference
        our_feeds, their_feeds = equal_64(ours, a, 10), equal_64(theirs, b, 10)
        if our_feeds & same:
            whole = BLOCK - leading_zeros(our_feeds & same)
            a += whole
            b += whole
            continue
        gaps = equal_64(ours, a, 9) & same
        spaced = not gaps
        if spaced:
            spaces = equal_64(ours, a, 32) & same
            gaps = spaces & ~(spaces << ONE)
        if count_ones(gaps) < COLUMN or not 35 < ours[a] < 128:
            break
        a_end = a + trailing_zeros(our_feeds) if our_feeds else line_end(ours, a + BLOCK, a_stop)
        b_end = b + trailing_zeros(their_feeds) if their_feeds else line_end(theirs, b + BLOCK, b_stop)
        if spaced and (has_tab(ours, a, a_end) or has_tab(theirs, b, b_end)):
            break
        a, b = a_end + ONE, b_end + ONE
    return a, b


@kernel
def compare_words(
    ours: Bytes, our_places: Ints, theirs: Bytes, their_places: Ints, n_different: Ints, first: Ints
) -> None:
    """Compare the words of D pairs of documents, token by token. Linear in the text.

    The comparison of a pair ends where one side ends. No words differ if a side has fewer than eleven columns in its
    first line, or if all its words are ``_``, which means that it has none. Equal lines are skipped in blocks; of other
    lines, the columns behind the word are not compared.

    Args:
        ours: uint8 (N,) bytes of the key's file, read-only and contiguous.
        our_places: int64 (D, 2) where each document begins, behind the name in its header, and where it ends.
        theirs: uint8 (M,) likewise, for the response's file.
        their_places: int64 (D, 2) likewise.
        n_different: int64 (D,) out: how many words differ.
        first: int64 (0,) to count the words that differ. For one pair, int64 (5,) out: the number of the first token
            whose words differ, and where its word begins and ends in the key's file, then in the response's; the count
            stops there.
    """
    for d in range(n_different.size):
        a_begin, a_stop = line_end(ours, U(our_places[d, 0]), U(our_places[d, 1])) + ONE, U(our_places[d, 1])
        b_begin, b_stop = line_end(theirs, U(their_places[d, 0]), U(their_places[d, 1])) + ONE, U(their_places[d, 1])
        x, _, a_end = next_word(ours, a_begin, a_stop, FEWEST)
        y, _, b_end = next_word(theirs, b_begin, b_stop, FEWEST)
        goes_on = x <= a_end and y <= b_end
        n, k, a, b = 0, 0, a_begin, b_begin
        while goes_on:
            if not first.size:
                a, b = pass_lines(ours, a, a_stop, theirs, b, b_stop)
            x, x_end, a_end = next_word(ours, a, a_stop, COLUMN)
            y, y_end, b_end = next_word(theirs, b, b_stop, COLUMN)
            if x > a_stop + ONE or y > b_stop + ONE:
                break
            n += x_end - x != y_end - y or not same_bytes(ours, x, theirs, y, x_end - x)
            if n and first.size:
                first[0] = k
                first[1], first[2], first[3], first[4] = np.int64(x), np.int64(x_end), np.int64(y), np.int64(y_end)
                break
            k += 1
            a, b = a_end + ONE, b_end + ONE
        if n and not (says_words(ours, a_begin, a_stop) and says_words(theirs, b_begin, b_stop)):
            n = 0
        n_different[d] = n
