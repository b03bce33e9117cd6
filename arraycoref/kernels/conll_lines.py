"""Scan the lines of a CoNLL file, 64 bytes at a time: documents, tokens, and the items of the coreference column."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import (
    at_most_32,
    at_most_64,
    count_ones,
    equal_32,
    equal_64,
    leading_zeros,
    trailing_zeros,
    word_at,
)
from arraycoref.kernels.jit import Bytes, Ints, U, helper, kernel

BAD_VALUE, TOO_FEW_COLUMNS, OUTSIDE, NO_END, NO_BEGIN, TOO_MANY_TOKENS = range(1, 7)  # kinds of faults

Int = int | np.int64
ONE, TWO, THREE, FOUR, EIGHT = U(1), U(2), U(3), U(4), U(8)
EDGE, INSIDE_BLOCK, LANES = U(64), U(63), U(32)
MOST_ITEMS = 64  # no more items can end in 64 bytes and begin in these or in the 32 bytes before
# An id of up to 56 bits is stored as one number. Its length in bits, shifted by 53, is stored above these bits, so that
# the number from bit 56 on is its length in bytes.
SHORT, KEY_SHIFT = U(56), U(53)

BEGIN, END, DOCUMENT = (int.from_bytes(word) for word in (b"begin", b"end", b"document"))

# Places of `state`, in which scan_lines() keeps between two calls: the position of the next line; the bounds of what is
# left of a value; the first tab at or after the line for which it was last searched; the lines so far; the tokens of
# the document; whether a document is open; whether a token outside of documents has been reported; how many documents,
# faults and items there are; and how many numbers without a bracket, with the line and the position of the first.
AT, HERE, RIGHT, NEXT_TAB, N_LINES, TOKEN, INSIDE, TOLD_OUTSIDE, N_DOCUMENTS, N_FAULTS, N_ITEMS = range(11)
N_BARE, BARE_LINE, BARE_AT, N_STATE = range(11, 15)


@helper
def next_word(data: Bytes, at: int, stop: int) -> tuple[Int, int]:
    """Return the bytes of the next word as one number, -1 if it has over 8 or begins with NUL; and the word's end."""
    while at < stop and (data[at] == 32 or data[at] == 9):
        at += 1
    first, word = at, np.int64(0)
    while at < stop and not (data[at] == 32 or data[at] == 9 or data[at] == 40):
        word = (word << 8) | np.int64(data[at])
        at += 1
    return word if at - first <= 8 and (at == first or data[first] != 0) else -1, at


@helper
def directive(data: Bytes, at: int, stop: int) -> int:
    """Return, for a line that begins with ``#``, the position after ``#begin document``; -1 for ``#end``; or else -2.

    A line with a space between ``#`` and ``end``, and behind it a word other than ``document``, is a comment: -2.
    """
    word, after = next_word(data, at + 1, stop)
    name, header = next_word(data, after, stop)
    if word == END:
        return -1 if after == stop or data[at + 1] != 32 or name == DOCUMENT else -2
    return header if word == BEGIN and name == DOCUMENT else -2


@helper
def column_bounds(data: Bytes, at: int, stop: int, column: int, tabbed: bool) -> tuple[int, int]:
    """Find one column of a line by its 1-based index, negative from the right; (-1, -1) where the line lacks it."""
    separator, n_columns = 9 if tabbed else 32, 0
    for _ in range(2):  # the first round counts the columns; the second finds a column from the right
        wanted = column if column > 0 else column + n_columns + 1
        n_columns, left, right = 0, at - 1, at - 1
        while right < stop:
            left = right = right + 1
            while not tabbed and left < stop and data[left] == 32:
                left += 1
            right = left
            while right < stop and data[right] != separator:
                right += 1
            n_columns += 1
            if n_columns == wanted:
                while left < right and data[left] == 32:
                    left += 1
                while left < right and data[right - 1] == 32:
                    right -= 1
                return left, right
    return -1, -1


@helper
def last_column(data: Bytes, at: int, stop: int, tabbed: bool) -> tuple[int, int]:
    """Find the last column of a line."""
    separator, left = 9 if tabbed else 32, stop
    while left > at and data[left - 1] != separator:
        left -= 1
    while left < stop and data[left] == 32:
        left += 1
    return left, stop


@helper
def classify(data, at, stop, inside, next_tab):
    """Classify a line as a directive, a comment, a blank line or a token.

    A line that begins with ``#`` is a token if a tab is the next byte. Inside a document, it is also a token if it has
    tabs and the next byte is no space, unless it is a directive.

    Returns:
        What `directive` returns, or -2 for a blank line, and -3 for a token. And the position of the first tab at or
        after the start of the line, which is not updated for a blank line.
    """
    blank = at
    while blank < stop and (data[blank] == 32 or 9 <= data[blank] <= 13):
        blank += 1
    if blank == stop:
        return -2, next_tab
    if next_tab < at:
        next_tab = at
        while next_tab < data.size and data[next_tab] != 9:
            next_tab += 1
    if data[at] == 35 and not (at + 1 < stop and data[at + 1] == 9):
        kind = directive(data, at, stop)
        if kind > -2 or not inside or next_tab >= stop or data[at + 1] == 32:
            return kind, next_tab
    return -3, next_tab


@helper
def take_items(data, here, right, state, items, room):
    """Read the items of a value: a sequence of ``(ID``, ``ID)`` and ``(ID)``, with or without bars between them.

    The value is ``data[here:right]``. Numbers without a bracket are counted, and are no items. ``room`` is the length
    of ``items``, at which reading stops; with 0, the value is checked to its end and nothing is written. Return the
    position reached, or -1 if the value is no sequence of items and numbers.
    """
    item, full = U(state[N_ITEMS]) << TWO, U(room)
    while here < right and (item < full or room == 0):
        opens, word, shift, number = np.int64(data[here] == 40), U(0), U(0), True
        here += opens
        first = here
        while here < right:
            byte = data[here]
            if byte == 32 or 9 <= byte <= 13 or 40 <= byte <= 41 or byte == 124:
                break
            word |= U(byte) << shift
            shift += EIGHT
            number &= 48 <= byte <= 57
            here += 1
        closes = np.int64(here < right and data[here] == 41)
        bare = opens + closes == 0
        if here == first or (bare and not number):
            return -1
        if room and bare:
            if state[N_BARE] == 0:
                state[BARE_LINE], state[BARE_AT] = state[N_LINES], first
            state[N_BARE] += 1
        elif room:
            items[item] = state[TOKEN] << 2 | opens << 1 | closes
            items[item | ONE] = np.int64(word | shift << KEY_SHIFT) if shift <= SHORT else first - here
            items[item | TWO], items[item | THREE] = first, state[N_LINES]
            item += FOUR
        here += closes
        if here < right and data[here] == 124:
            here += 1
            if here == right:
                return -1
    if room:
        state[N_ITEMS] = np.int64(item >> TWO)
    return here


@helper
def scan_blocks(data: Bytes, max_tokens: int, state: Ints, items: Ints) -> None:
    """Read lines of the usual form and list their items; 64 bytes at a time, as numbers with one bit per byte.

    Stop before a line of another form: its first byte is white space, ``#``, or any byte below it; or its value
    has 32 bytes or more, is not made of items, or has no separator before it. Stop also near the end of the text, of
    the room for items, and of `max_tokens`.
    """
    size, at, next_item, room = U(data.size), U(state[AT]), U(state[N_ITEMS]) << TWO, U(items.size - 4 * MOST_ITEMS)
    n_lines, token, next_tab = state[N_LINES], state[TOKEN], U(state[NEXT_TAB])
    block, stops = at & ~INSIDE_BLOCK, U(0)
    while (
        not stops
        and block >= EDGE
        and block + EDGE + EIGHT <= size
        and token + np.int64(EDGE) <= max_tokens
        and next_item <= room
    ):
        last, space = block - ONE, 32 if next_tab >= block + EDGE else 9
        ahead, begins = ~U(0) << (at - block if at > block else U(0)), equal_64(data, last, 10)
        feeds = equal_64(data, block, 10) & ahead
        tokens, special = feeds & ~begins, begins & at_most_64(data, block, 35) & ahead & ~feeds
        none = equal_64(data, last, 95) | equal_64(data, last, 45) | equal_64(data, last, 42)
        none &= equal_64(data, last - ONE, 9) | equal_64(data, last - ONE, space)
        tabs = tokens & equal_64(data, last, 9)
        stops = tokens & ~(none | tabs) | special
        while stops:
            bit = stops & (~stops + ONE)
            stop = block + trailing_zeros(bit)
            while data[stop - ONE] == 32 or data[stop - ONE] == 13:
                stop -= ONE
            base = stop - LANES
            width = leading_zeros(at_most_32(data, base, 32) << LANES | ONE)
            before = data[stop - width - ONE]
            if special & bit or not (before == 9 or before == space) or width >= LANES:  # noqa: PLR1714
                break
            byte = data[stop - ONE]
            if width == ONE and (byte == 95 or byte == 45 or byte == 42):  # noqa: PLR1714
                stops &= stops - ONE
                continue
            left, shift = stop - width, LANES - width
            openings, closings = equal_32(data, base, 40) >> shift, equal_32(data, base, 41) >> shift
            bars = equal_32(data, base, 124) >> shift
            marks = openings | closings | bars | ONE << width
            passed, at_token = count_ones(feeds & (bit - ONE)), count_ones(tokens & (bit - ONE))
            here, item = U(0), next_item
            while here < width:
                opens = openings >> here & ONE
                first = here + opens
                length = trailing_zeros(marks >> first)
                closes = closings >> (first + length) & ONE
                if length == U(0) or not (opens | closes):
                    break
                bits = length << THREE
                word = word_at(data, left + first) & ((ONE << bits) - ONE)
                items[item] = (token + np.int64(at_token) + 1) << 2 | np.int64(opens << ONE | closes)
                items[item | ONE] = np.int64(word | bits << KEY_SHIFT) if bits <= SHORT else -np.int64(length)
                items[item | TWO], items[item | THREE] = np.int64(left + first), n_lines + np.int64(passed) + 1
                item += FOUR
                here = first + length + closes
                if here + ONE < width:
                    here += bars >> here & ONE
            if here < width:
                break
            next_item = item
            stops &= stops - ONE
        if stops:
            feeds &= (stops & (~stops + ONE)) - ONE
        n_lines += np.int64(count_ones(feeds))
        token += np.int64(count_ones(feeds & tokens))
        at = block + EDGE - leading_zeros(feeds) if feeds else at
        block += EDGE
    state[AT] = at
    state[N_LINES] = n_lines
    state[TOKEN] = token
    state[N_ITEMS] = next_item >> TWO


@kernel
def scan_lines(
    data: Bytes,
    column: int | None,
    lenient: bool,
    max_tokens: int,
    state: Ints,
    documents: Ints,
    faults: Ints,
    items: Ints,
) -> bool:
    """List the documents of a CoNLL file and the items of their coreference column, as far as the arrays have room.

    If `column` is None, the machine code lacks what only other columns need, so that only the few runs that give a
    column wait until that is compiled.

    Args:
        data: uint8 (N,) the bytes, read-only and contiguous.
        column: the column with the coreference, 1-based, negative from the right, not 0; None for the last.
        lenient: go on after a fault; otherwise the scan ends with the first one.
        max_tokens: most tokens of a document; at most ``2**31 - 1``.
        state: int64 (N_STATE,) read and written. For the first call: AT is where the text begins, all else is 0.
        documents: int64 (., 6) out: a row per document. Columns 1 and 2: first and past-the-last byte of the header,
            behind ``#begin document``; 3: its line; 4: number of tokens; 5: position where the document ends. Columns 4
            and 5 are not set if a fault ends the scan before. Column 0 is left to
            `arraycoref.kernels.conll_mentions.pair_items`.
        faults: int64 (., 5) out: kind, line, first and past-the-last byte to quote, line on which the document begins,
            or 0 outside of documents.
        items: int64 (4 I,) out: four numbers per item; I is at least 128. The first: the 1-based token times four, plus
            2 if the item opens a mention, plus 1 if it closes one. The second: an id of up to 7 bytes with its length
            as one number, or minus the length of a longer id. Then the position of the id's first byte, and the line.
            The begin and the end of a document have the first number only, which is -1 for a begin, -2 for an end.

    Returns:
        Whether the scan is over. If it is not: use the items, set ``state[N_ITEMS]`` to 0, give more room to
        `documents` or `faults` if they are full, and call again.
    """
    while True:
        state[HERE] = take_items(data, state[HERE], state[RIGHT], state, items, np.int64(items.size))
        if column is None and state[INSIDE] and state[HERE] >= state[RIGHT]:
            scan_blocks(data, max_tokens, state, items)
        n_items, n_documents = state[N_ITEMS], state[N_DOCUMENTS]
        n_faults, inside = state[N_FAULTS], state[INSIDE]
        if (
            state[HERE] < state[RIGHT]
            or 4 * (n_items + MOST_ITEMS) > items.size
            or n_documents == documents.shape[0]
            or n_faults == faults.shape[0]
        ):
            return False
        at, kind, header = state[AT], 0, -1
        stop, over = at, at == data.size
        if over and not inside:
            return True
        if not over:
            feeds = U(0)
            while not feeds and stop + 64 <= data.size:
                feeds = equal_64(data, U(stop), 10)
                stop += np.int64(trailing_zeros(feeds))
            while stop < data.size and data[stop] != 10:
                stop += 1
            state[AT] = stop + np.int64(stop < data.size)
            while stop > at and (data[stop - 1] == 32 or data[stop - 1] == 13):
                stop -= 1
            state[N_LINES] += 1
            header, state[NEXT_TAB] = classify(data, at, stop, state[INSIDE], state[NEXT_TAB])
            left, right, tabbed = stop, stop, bool(state[NEXT_TAB] < stop)
            if header == -3:
                if column is not None:
                    left, right = column_bounds(data, at, stop, column, tabbed)
                else:
                    left, right = last_column(data, at, stop, tabbed)
        quote, unquote = at, stop
        if header == -3 and not inside:
            kind, state[TOLD_OUTSIDE] = 0 if state[TOLD_OUTSIDE] else OUTSIDE, 1
        elif header == -3 and state[TOKEN] == max_tokens:
            kind, over = TOO_MANY_TOKENS, True
        elif header == -3:
            state[TOKEN] += 1
            if left < 0:
                kind = TOO_FEW_COLUMNS
            elif right > left + 1 or (right > left and data[left] != 95 and data[left] != 45 and data[left] != 42):
                if take_items(data, left, right, state, items, np.int64(0)) > 0:
                    state[HERE], state[RIGHT] = left, right
                else:
                    kind, quote, unquote = BAD_VALUE, left, right
        elif header == -1 and not inside:
            kind = NO_BEGIN
        elif inside and (header >= 0 or over):
            kind, quote, unquote = NO_END, documents[n_documents - 1, 1], documents[n_documents - 1, 2]

        if kind:
            faults[n_faults, 0] = kind
            faults[n_faults, 1] = state[N_LINES]
            faults[n_faults, 2] = quote
            faults[n_faults, 3] = unquote
            faults[n_faults, 4] = documents[n_documents - 1, 3] if inside else 0
            state[N_FAULTS] += 1
            if not lenient or kind == TOO_MANY_TOKENS:
                return True
        if inside and header > -2:
            documents[n_documents - 1, 4], documents[n_documents - 1, 5] = state[TOKEN], at
            items[4 * n_items] = -2
            n_items += 1
            state[INSIDE] = state[TOLD_OUTSIDE] = 0
        if header >= 0:
            documents[n_documents, 1], documents[n_documents, 2] = header, stop
            documents[n_documents, 3] = state[N_LINES]
            items[4 * n_items] = -1
            n_items += 1
            state[N_DOCUMENTS] = n_documents + 1
            state[INSIDE] = 1
            state[TOLD_OUTSIDE] = state[TOKEN] = 0
        state[N_ITEMS] = n_items
        if over:
            return True
