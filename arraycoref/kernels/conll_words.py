"""Compare the words of two CoNLL files, where they stand in the fourth of eleven columns or more."""

from __future__ import annotations

from arraycoref.kernels.instructions import equal_64, trailing_zeros, word_at
from arraycoref.kernels.jit import Bytes, Ints, U, helper, kernel

N_TOKENS, N_DIFFERENT, FIRST = range(3)  # of a document's row
COLUMN, FEWEST = 4, 11
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
def column_of(data, at, end, tabbed, column):
    """Return the bounds of a column of a line, counted from 1; both are behind the line where it has fewer."""
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
    """Return the bounds of a column in the next line that is a token's, and where that line ends.

    Both bounds are behind the line where it has fewer columns, and far behind `stop` where there is no such line.
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
    """Return whether as many bytes are the same on both sides."""
    if length - ONE < EIGHT and x + EIGHT <= U(ours.size) and y + EIGHT <= U(theirs.size):
        return (word_at(ours, x) ^ word_at(theirs, y)) << (BLOCK - length * EIGHT) == U(0)
    k = U(0)
    while k < length and ours[x + k] == theirs[y + k]:
        k += ONE
    return k == length


@kernel
def compare_words(ours: Bytes, our_places: Ints, theirs: Bytes, their_places: Ints, rows: Ints) -> None:
    """Compare the words of D pairs of documents, token by token. Linear in the text.

    A pair is left where a side ends, or has fewer than eleven columns in its first line. A side whose words are all
    ``_`` has none, and so none differ.

    Args:
        ours: uint8 (N,) bytes of the key's file, read-only and contiguous.
        our_places: int64 (D, 2) where each document begins, behind the name in its header, and where it ends.
        theirs: uint8 likewise, of the response's.
        their_places: int64 (D, 2).
        rows: int64 (D, 3) out: tokens that were compared; how many differ; the first of these, -1 if none does.
    """
    for d in range(rows.shape[0]):
        a, a_stop = line_end(ours, U(our_places[d, 0]), U(our_places[d, 1])) + ONE, U(our_places[d, 1])
        b, b_stop = line_end(theirs, U(their_places[d, 0]), U(their_places[d, 1])) + ONE, U(their_places[d, 1])
        n, n_different, first, any_ours, any_theirs = 0, 0, -1, False, False
        x, _, a_end = next_word(ours, a, a_stop, FEWEST)
        y, _, b_end = next_word(theirs, b, b_stop, FEWEST)
        goes_on = x <= a_end and y <= b_end
        while goes_on:
            x, x_end, a = next_word(ours, a, a_stop, COLUMN)
            y, y_end, b = next_word(theirs, b, b_stop, COLUMN)
            if x > a_stop + ONE or y > b_stop + ONE:
                break
            any_ours |= x_end != x + ONE or ours[x] != 95
            any_theirs |= y_end != y + ONE or theirs[y] != 95
            if x_end - x != y_end - y or not same_bytes(ours, x, theirs, y, x_end - x):
                first = n if first < 0 else first
                n_different += 1
            n += 1
            a += ONE
            b += ONE
        rows[d, N_TOKENS] = n
        rows[d, N_DIFFERENT] = n_different if any_ours and any_theirs else 0
        rows[d, FIRST] = first
