"""Scan the bytes of a CoNLL file: one pass, one compiled function, no Python object a line or a mention."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import helper, kernel

# Faults: column 0 of the fault rows.
BAD_VALUE, TOO_FEW_COLUMNS, NEVER_OPENED, NEVER_CLOSED, OUTSIDE, NO_END, NO_BEGIN, TOO_LONG = range(1, 9)

Int = int | np.int64
U = np.uint64  # of what indexes bytes: numba looks at each signed index for being negative, which takes its time
ONE, TWO, THREE, SEVEN, EIGHT, TOP = U(1), U(2), U(3), U(7), U(8), U(56)
LINE_FEEDS, LOW_BITS, HIGH_BITS = (U(byte * 0x0101010101010101) for byte in (10, 1, 128))
PLACES = U(0x0001020304050607)  # times 2^(8 k), its highest byte is k: which of eight bytes has the lowest bit

BEGIN, END, DOCUMENT = (int.from_bytes(word) for word in (b"begin", b"end", b"document"))
PRIME = (1 << 31) - 1
MOST_FAULTS = 1 << 15  # that are told of; a reader gives up before
SHORT = U(7)  # bytes of an id that fit a key; longer ids are told apart by a hash, and then byte by byte

# What scan() keeps between two calls.
AT, HERE, RIGHT, VALUE, N_LINES, TOKEN, FIRST, N_MENTIONS, N_DOCUMENTS, N_FAULTS = range(10)
N_ENTITIES, N_OPEN, INSIDE, TOLD_OUTSIDE, NEXT_TAB, N_STATE = range(10, 16)


@helper
def in_id(byte: int) -> bool:
    """Tell whether a byte can be part of an entity id: not a bracket, a bar or white space."""
    if byte > 41:
        return byte != 124
    return byte < 40 and byte != 32 and not 9 <= byte <= 13


@helper
def is_none(byte: int) -> bool:
    """Tell whether a byte stands for no mention, alone in its column."""
    return byte == 95 or byte == 45 or byte == 42  # noqa: PLR1714  # "in" has numba compile, and load, more than this


@helper
def is_blank(data: NDArray[np.uint8], at: int, stop: int) -> bool:
    """Tell whether nothing but white space is there."""
    while at < stop and (data[at] == 32 or 9 <= data[at] <= 13):
        at += 1
    return at == stop


@helper
def next_word(data: NDArray[np.uint8], at: int, stop: int) -> tuple[Int, int]:
    """Return the bytes of the next word, of up to 8, as one number, and the position after it; -1 for a longer word."""
    while at < stop and (data[at] == 32 or data[at] == 9):
        at += 1
    first, word = at, np.int64(0)
    while at < stop and not (data[at] == 32 or data[at] == 9 or data[at] == 40):
        word = (word << 8) | np.int64(data[at])
        at += 1
    return word if at - first <= 8 and (at == first or data[first] != 0) else -1, at


@helper
def directive(data: NDArray[np.uint8], at: int, stop: int) -> int:
    """Return, for a line with ``#``, the position after ``#begin document``, -1 for ``#end``, -2 for a comment."""
    word, after = next_word(data, at + 1, stop)
    name, header = next_word(data, after, stop)
    if word == END:
        return -1 if after == stop or data[at + 1] != 32 or name == DOCUMENT else -2
    return header if word == BEGIN and name == DOCUMENT else -2


@helper
def column_bounds(data: NDArray[np.uint8], at: int, stop: int, column: int, tabbed: bool) -> tuple[int, int]:
    """Find one column of a line by its 1-based index, negative from the right; (-1, -1) where the line lacks it."""
    separator, n_columns = 9 if tabbed else 32, 0
    for _ in range(2):  # a column from the right is found once they are counted
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
def long_key(data: NDArray[np.uint8], at: np.uint64, stop: np.uint64, seed: np.uint64) -> np.int64:
    """Hash an id: a polynomial in a number that the seed yields, modulo the prime."""
    base, key = np.int64(seed >> U(34)) + 65536, np.int64(1)
    while at < stop:
        key = key * base + np.int64(data[at])
        key = (key & PRIME) + (key >> 31)
        at += ONE
    return (key & PRIME) + (key >> 31)


@helper
def same_id(data: NDArray[np.uint8], other: np.uint64, at: np.uint64, stop: np.uint64) -> bool:
    """Tell whether the id that begins at `other`, before this one, is the same."""
    while at < stop and data[other] == data[at]:
        other += ONE
        at += ONE
    return at == stop and not in_id(data[other])


@helper
def is_items(data: NDArray[np.uint8], at: Int, stop: Int) -> bool:
    """Tell whether a value is a sequence of ``(ID``, ``ID)`` and ``(ID)``, with or without bars between them."""
    while at < stop:
        opens = data[at] == 40
        first = at = at + opens
        while at < stop and in_id(data[at]):
            at += 1
        if at == first:
            return False
        if at < stop and data[at] == 41:
            at += 1
        elif not opens:
            return False
        if at < stop and data[at] == 124:
            at += 1
            if at == stop:
                return False
    return True


@helper
def take_apart(
    data: NDArray[np.uint8], at: int, stop: int, column: int | None, next_tab: int
) -> tuple[int, int, int, int]:
    """Tell what a line is.

    Returns:
        What `directive` returns, or -2 for a blank line and -3 for a token; the bounds of its coreference column, -1
        where it lacks that; and the position of the first tab that is not before the line.
    """
    left = right = stop
    if data[at] == 35 and not (at + 1 < stop and data[at + 1] == 9):
        return directive(data, at, stop), left, right, next_tab
    if stop == at or (data[at] <= 32 and is_blank(data, at, stop)):
        return -2, left, right, next_tab
    if next_tab < at:
        next_tab = at
        while next_tab < data.size and data[next_tab] != 9:
            next_tab += 1
    if column is not None:
        left, right = column_bounds(data, at, stop, column, next_tab < stop)
    else:
        while left > at and data[left - 1] != (9 if next_tab < stop else 32):
            left -= 1
        while left < right and data[left] == 32:
            left += 1
    return -3, left, right, next_tab


@kernel
def scan(
    data: NDArray[np.uint8], words: NDArray[np.uint64], column: int | None, lenient: bool | None, max_tokens: int,
    seed: np.uint64, state: NDArray[np.int64], documents: NDArray[np.int64],
    start: NDArray[np.int32], end: NDArray[np.int32], entity: NDArray[np.int32], line: NDArray[np.int64],
    faults: NDArray[np.int64], ids: NDArray[np.int64], slots: NDArray[np.int32],
) -> bool:  # fmt: skip
    """Read the documents, mentions and faults of a CoNLL file, as far as the arrays have room.

    Mentions come in the order in which they open. Linear in the bytes, whatever they are: ids go through a hash table
    with a secret `seed`; the open mentions of an entity form a stack, threaded through `end`. The caller grows arrays,
    because numba counts references to every array on every turn of a loop that may replace one. What only a `column` or
    `lenient` needs is left out of the machine code where they are None: few runs wait for its compiling.

    Args:
        data: uint8 (N,) the bytes, read-only and contiguous.
        words: uint64 (N // 8,) the same bytes, eight at a time, the first one lowest.
        column: the column with the coreference, 1-based, negative from the right, not 0; None for the last.
        lenient: True to go on after a fault; None to end with the first one.
        max_tokens: most tokens, and most mentions, of a document; at most ``2**31 - 1``.
        seed: odd and secret; results do not depend on it.
        state: int64 (N_STATE,) for the first call, zeros and AT, where the text begins; read and written.
        documents: int64 (., 5) first mention, header's first and past-the-last byte, line, tokens.
        start: int32 (.,) first token of each mention.
        end: int32 (.,) last token, negative if a lenient scan found none.
        entity: int32 (.,) entity.
        line: int64 (.,) line.
        faults: int64 (., 5) kind, line, first and past-the-last byte to quote, line on which the document begins.
        ids: int64 (., 3) scratch, an entity a row: where its id stands, the id's hash, its latest open mention or -1.
        slots: int32 (power of two,) scratch, -1 everywhere: hash table of rows of `ids`, at least twice as long.

    Returns:
        Whether the scan is over. If not: give more room to whichever is full, `documents`, `faults` (which needs
        ``state[N_OPEN]`` more), the mentions or `ids`, and call again.
    """
    n, size, n_words = data.size, U(data.size), U(words.size)
    at, here, right, value = state[AT], state[HERE], state[RIGHT], state[VALUE]
    n_lines, token, first, n_mentions = state[N_LINES], state[TOKEN], state[FIRST], state[N_MENTIONS]
    n_documents, n_faults, n_entities, n_open = state[N_DOCUMENTS], state[N_FAULTS], state[N_ENTITIES], state[N_OPEN]
    inside, told_outside, next_tab = state[INSIDE], state[TOLD_OUTSIDE], state[NEXT_TAB]
    mask, shift, done = U(slots.size - 1), U(64), True
    while mask >> (U(64) - shift):  # the highest bits of a product with a secret number tell the place
        shift -= ONE
    for k in range(n_entities):
        slot = U(ids[k, 1]) * seed >> shift
        while slots[slot] >= 0:
            slot = slot + ONE & mask
        slots[slot] = k
    while at < n or inside:
        unclosed = min(n_open, MOST_FAULTS) if lenient is not None else 0
        if n_documents == documents.shape[0] or n_faults + unclosed + 2 > faults.shape[0]:
            done = False
            break
        kind, header, closing = 0, -3, False
        stop, after = at, np.int64(n)
        while here < right or (at < n and (lenient is not None or n_faults == 0)):
            if here >= right:  # no item is left over: read a line, and go on if it is a token with no mention
                byte, word = U(at), U(at) >> THREE
                if word + ONE < n_words:  # the first line feed among 9 to 16 bytes, without a branch, or a later one
                    near = words[word] ^ LINE_FEEDS | (ONE << ((byte & SEVEN) << THREE)) - ONE
                    eight = words[word + ONE] ^ LINE_FEEDS
                    found, later = (near - LOW_BITS) & ~near & HIGH_BITS, (eight - LOW_BITS) & ~eight & HIGH_BITS
                    word, found = (word, found) if found else (word + ONE, later)
                    while not found and word + ONE < n_words:
                        word += ONE
                        eight = words[word] ^ LINE_FEEDS
                        found = (eight - LOW_BITS) & ~eight & HIGH_BITS
                    byte = (word << THREE) + (((found & (~found + ONE)) >> SEVEN) * PLACES >> TOP if found else EIGHT)
                while byte < size and data[byte] != 10:
                    byte += ONE
                n_lines += 1
                after = np.int64(byte + ONE) if byte < size else np.int64(n)
                while byte > U(at) and (data[byte - ONE] == 32 or data[byte - ONE] == 13):
                    byte -= ONE
                stop = np.int64(byte)
                if column is not None or not inside or data[U(at)] <= 35 or token == max_tokens:
                    break
                last, space = data[byte - ONE], 32 if next_tab >= stop else 9
                if last == 9 or (is_none(last) and (data[byte - TWO] == 9 or data[byte - TWO] == space)):
                    token, at = token + 1, after
                    continue
                left = byte
                while data[left - ONE] > 32:
                    left -= ONE
                before = data[left - ONE]
                if not (before == 9 or before == space):  # noqa: PLR1714
                    break
                if lenient is not None and not is_items(data, np.int64(left), stop):
                    break
                token, at = token + 1, after
                here = value = np.int64(left)
                right = stop
            unclosed = min(n_open, MOST_FAULTS) if lenient is not None else 0
            if n_mentions == start.size or n_entities == ids.shape[0] or n_faults + unclosed + 2 > faults.shape[0]:
                done = False
                break
            byte, edge = U(here), U(right)
            if data[byte] == 124 and here > value:
                byte += ONE
            opens = byte < edge and data[byte] == 40
            byte += U(opens)
            id_at, eight = byte, U(0)
            while byte < edge and in_id(data[byte]):
                eight = eight << EIGHT | U(data[byte])
                byte += ONE
            length, closes = byte - id_at, byte < edge and data[byte] == 41
            here = np.int64(byte + U(closes))
            if length == U(0) or not (opens or closes):  # only strict scans get here
                kind = BAD_VALUE
                break
            key = np.int64(eight | length << TOP) if length <= SHORT else -1 - long_key(data, id_at, byte, seed)
            slot = U(key) * seed >> shift
            while slots[slot] >= 0:
                row = U(slots[slot])
                if ids[row, 1] == key and (key >= 0 or same_id(data, U(ids[row, 0]), id_at, byte)):
                    break
                slot = slot + ONE & mask
            who = np.int64(slots[slot])
            if opens:
                if n_mentions - first == max_tokens:
                    kind = TOO_LONG
                    break
                if who < 0:
                    who = n_entities
                    ids[U(who), 0], ids[U(who), 1], ids[U(who), 2] = np.int64(id_at), key, -1
                    slots[slot] = who
                    n_entities += 1
                m = U(n_mentions)
                start[m], entity[m], line[m] = token - 1, who, n_lines
                end[m] = token - 1 if closes else -2 - ids[U(who), 2]
                if not closes:
                    ids[U(who), 2] = n_mentions - first
                    n_open += 1
                n_mentions += 1
            elif who < 0 or ids[U(who), 2] < 0:
                faults[n_faults, 0], faults[n_faults, 1] = NEVER_OPENED, n_lines
                faults[n_faults, 2], faults[n_faults, 3] = np.int64(id_at), np.int64(id_at + length)
                n_faults += 1
            else:
                m = U(first + ids[U(who), 2])
                ids[U(who), 2] = -2 - end[m]
                end[m] = token - 1
                n_open -= 1
        if not done or (n_faults and lenient is None and not kind):
            break

        quote = unquote = at
        if kind == BAD_VALUE:
            quote, unquote, n_faults = value, right, 0
        elif not kind and at == n:
            closing = True
        elif not kind:
            header, from_byte, to_byte, next_tab = take_apart(data, at, stop, column, next_tab)
            closing = header > -2 and inside == 1
            if header == -3 and not inside:
                if not told_outside:
                    told_outside, kind, unquote = 1, OUTSIDE, stop
            elif header == -3 and token == max_tokens:
                kind = TOO_LONG
            elif header == -3:
                token += 1
                if from_byte < 0:
                    kind, unquote = TOO_FEW_COLUMNS, stop
                elif to_byte > from_byte + 1 or (to_byte > from_byte and not is_none(data[from_byte])):
                    if lenient is not None and not is_items(data, from_byte, to_byte):
                        kind, quote, unquote = BAD_VALUE, from_byte, to_byte
                    else:
                        here = value = from_byte
                        right = to_byte
            elif header == -1 and not inside:
                kind = NO_BEGIN
            at = after
        if closing and header != -1:
            kind, quote, unquote = NO_END, documents[n_documents - 1, 1], documents[n_documents - 1, 2]

        if kind:
            faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = kind, n_lines, quote
            faults[n_faults, 3], faults[n_faults, 4] = unquote, documents[n_documents - 1, 3] if inside else 0
            n_faults += 1
        if kind == TOO_LONG or (n_faults and lenient is None):
            break

        if closing:
            documents[n_documents - 1, 4] = token
            for k in range(first if n_open else n_mentions, n_mentions):
                if end[k] < 0 and n_faults < (1 if lenient is None else faults.shape[0]):
                    faults[n_faults, 0], faults[n_faults, 1] = NEVER_CLOSED, line[k]
                    faults[n_faults, 2] = ids[entity[k], 0]
                    n_faults += 1
            if n_faults and lenient is None:
                break
            for k in range(n_entities):
                slot = U(ids[k, 1]) * seed >> shift
                while slots[slot] >= 0:
                    slots[slot] = -1
                    slot = slot + ONE & mask
            n_entities = n_open = inside = told_outside = 0
        if header >= 0:
            documents[n_documents, 0], documents[n_documents, 1] = n_mentions, header
            documents[n_documents, 2], documents[n_documents, 3], documents[n_documents, 4] = stop, n_lines, 0
            n_documents += 1
            first, inside, token = n_mentions, 1, 0

    state[AT], state[HERE], state[RIGHT], state[VALUE] = at, here, right, value
    state[N_LINES], state[TOKEN], state[FIRST], state[N_MENTIONS] = n_lines, token, first, n_mentions
    state[N_DOCUMENTS], state[N_FAULTS], state[N_ENTITIES], state[N_OPEN] = n_documents, n_faults, n_entities, n_open
    state[INSIDE], state[TOLD_OUTSIDE], state[NEXT_TAB] = inside, told_outside, next_tab
    return done
