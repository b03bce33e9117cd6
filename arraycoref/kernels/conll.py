"""Scan the bytes of a CoNLL file: one pass, one compiled function, no Python object a line or a mention."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arraycoref.kernels.jit import helper, kernel

# Faults: column 0 of the fault rows.
BAD_VALUE, TOO_FEW_COLUMNS, NEVER_OPENED, NEVER_CLOSED, OUTSIDE, NO_END, NO_BEGIN, TOO_LONG = range(1, 9)

U = np.uint64  # of what indexes bytes: numba looks at each signed index for being negative, which takes its time
ONE, THREE, SEVEN = U(1), U(3), U(7)
LINE_FEEDS, LOW_BITS, HIGH_BITS = (U(byte * 0x0101010101010101) for byte in (10, 1, 128))
PLACES = U(0x0001020304050607)  # times 2^(8 k), its highest byte is k: which of eight bytes has the lowest bit

BEGIN, END, DOCUMENT = (int.from_bytes(word) for word in (b"begin", b"end", b"document"))
PRIME = (1 << 31) - 1
MOST_FAULTS = 1 << 15  # that are told of; a reader gives up before
SHORT = 7  # bytes of an id that fit a key; longer ids are told apart by a hash, and then byte by byte

# What scan() keeps between two calls.
AT, AFTER, HERE, RIGHT, N_LINES, TOKEN, FIRST, N_MENTIONS, N_DOCUMENTS, N_FAULTS = range(10)
N_ENTITIES, N_OPEN, INSIDE, TOLD_OUTSIDE, NEXT_TAB, VALUE, N_STATE = range(10, 17)


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
def next_word(data: NDArray[np.uint8], at: int, stop: int) -> tuple[int, int]:
    """Return the bytes of the next word, of up to 8, as one number, and the position after it; -1 for a longer word."""
    while at < stop and (data[at] == 32 or data[at] == 9):
        at += 1
    first, word = at, 0
    while at < stop and not (data[at] == 32 or data[at] == 9 or data[at] == 40):
        word = (word << 8) | int(data[at])
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
    step, separator = 1 if column > 0 else -1, 9 if tabbed else 32
    while not tabbed and at < stop and data[at] == 32:
        at += 1
    for _ in range(abs(column) - 1):
        while at < stop if step > 0 else stop > at:  # drop one column and one separator, or a run of spaces
            here = data[at] if step > 0 else data[stop - 1]
            if here == separator:
                break
            at, stop = (at + 1, stop) if step > 0 else (at, stop - 1)
        if at == stop:
            return -1, -1
        at, stop = (at + 1, stop) if step > 0 else (at, stop - 1)
        while not tabbed and at < stop and (data[at] if step > 0 else data[stop - 1]) == 32:
            at, stop = (at + 1, stop) if step > 0 else (at, stop - 1)
    left = at if step > 0 else stop
    right = left
    if step > 0:
        while right < stop and data[right] != separator:
            right += 1
    else:
        while left > at and data[left - 1] != separator:
            left -= 1
    while left < right and data[left] == 32:
        left += 1
    while left < right and data[right - 1] == 32:
        right -= 1
    return left, right


@helper
def long_key(data: NDArray[np.uint8], at: int, stop: int, seed: int) -> int:
    """Hash an id: a polynomial in the seed, modulo the prime."""
    key = 1
    for position in range(at, stop):
        key = key * seed + int(data[position])
        key = (key & PRIME) + (key >> 31)
    return (key & PRIME) + (key >> 31)


@helper
def place_of(key: int, seed: int) -> int:
    """Mix a key: a secret linear function modulo the prime, the high bits folded onto the low."""
    mixed = (key & PRIME) * seed + (key >> 31)
    mixed = (mixed & PRIME) + (mixed >> 31)
    mixed = ((mixed ^ (mixed >> 15)) & PRIME) * seed
    mixed = (mixed & PRIME) + (mixed >> 31)
    return mixed ^ (mixed >> 13)


@helper
def is_items(data: NDArray[np.uint8], at: int, stop: int) -> bool:
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
def repair(n_entities, first, n_mentions, start, end, entity, line, faults, ids):
    """Tell of a document's mentions that were never closed, and drop them; return where its mentions then end."""
    kept, n_faults, named = first, 0, 0
    ids[:n_entities, 2] = -1
    for m in range(first, n_mentions):
        who = int(entity[m])
        if end[m] >= 0:
            start[kept], end[kept], entity[kept], line[kept] = start[m], end[m], entity[m], line[m]
            ids[who, 2] = 0
            kept += 1
        elif n_faults < faults.shape[0]:
            faults[n_faults, 0], faults[n_faults, 1], faults[n_faults, 2] = NEVER_CLOSED, line[m], ids[who, 0]
            n_faults += 1
    for k in range(n_entities):
        if ids[k, 2] == 0:
            ids[k, 2] = named
            named += 1
    for m in range(first, kept):
        entity[m] = ids[entity[m], 2]
    return kept


@kernel
def scan(
    data: NDArray[np.uint8], column: int | None, lenient: bool | None, max_tokens: int, seed: int,
    state: NDArray[np.int64], documents: NDArray[np.int64], start: NDArray[np.int32], end: NDArray[np.int32],
    entity: NDArray[np.int32], line: NDArray[np.int64], faults: NDArray[np.int64], ids: NDArray[np.int64],
    slots: NDArray[np.int32],
) -> bool:  # fmt: skip
    """Read the documents, mentions and faults of a CoNLL file, as far as the arrays have room.

    Mentions come in the order in which they open. Linear in the bytes, whatever they are: ids go through a hash table
    with a secret `seed`; the open mentions of an entity form a stack, threaded through `end`. The caller grows arrays,
    because numba counts references to every array on every turn of a loop that may replace one. What only a `column` or
    `lenient` needs is left out of the machine code where they are None: it takes as long to compile as all the rest.

    Args:
        data: uint8 (N,) the bytes, read-only and contiguous.
        column: the column with the coreference, 1-based, negative from the right, not 0; None for the last.
        lenient: True to go on after a fault; None to end with the first one.
        max_tokens: most tokens, and most mentions, of a document; at most ``2**31 - 1``.
        seed: in ``[2**16, 2**31 - 1)``; results do not depend on it.
        state: int64 (N_STATE,) zeros for the first call; read and written.
        documents: int64 (., 5) first mention, header's first and past-the-last byte, line, tokens.
        start: int32 (.,) first token of each mention.
        end: int32 (.,) last token.
        entity: int32 (.,) entity.
        line: int64 (.,) line.
        faults: int64 (., 5) kind, line, first and past-the-last byte to quote, line on which the document begins.
        ids: int64 (., 3) scratch, an entity a row: where its id stands, the id's hash, its latest open mention or -1.
        slots: int32 (power of two,) hash table of rows of `ids`, -1 where empty; at least twice as long as `ids`.

    Returns:
        Whether the scan is over. If not: give more room to whichever is full, `documents`, `faults` (which needs
        ``state[N_OPEN]`` more), the mentions or `ids`, call `refill` for new `slots`, and call again.
    """
    n, size = data.size, U(data.size)
    words = data[: n & ~7].view(np.uint64)
    n_words = U(words.size)
    at, after, here, right = state[AT], state[AFTER], state[HERE], state[RIGHT]
    n_lines, token, first, n_mentions = state[N_LINES], state[TOKEN], state[FIRST], state[N_MENTIONS]
    n_documents, n_faults, n_entities, value = state[N_DOCUMENTS], state[N_FAULTS], state[N_ENTITIES], state[VALUE]
    n_open, inside, told_outside, next_tab = state[N_OPEN], state[INSIDE], state[TOLD_OUTSIDE], state[NEXT_TAB]
    mask, done = slots.size - 1, True
    while at < n or inside:
        unclosed = min(n_open, MOST_FAULTS) if lenient is not None else 0
        if n_documents == documents.shape[0] or n_faults + unclosed + 2 > faults.shape[0]:
            done = False
            break
        kind, header, closing = 0, -3, False
        quote = unquote = at
        if here >= right:  # no value is left over from the previous call: read a line
            stop, after, closing = at, n, at == n
            if not closing:
                n_lines += 1
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
                    byte = (word << THREE) + (((found & (~found + ONE)) >> SEVEN) * PLACES >> U(56) if found else U(8))
                while byte < size and data[byte] != 10:
                    byte += ONE
                stop = int(np.int64(byte))
                after = min(stop + 1, n)
                usual = stop - at > 2 and data[stop - 2] == 9 and is_none(data[stop - 1])  # a word, no mention
                if usual and data[at] > 35 and column is None and inside and token < max_tokens:
                    token += 1
                    at = after
                    continue
                while stop > at and (data[stop - 1] == 32 or data[stop - 1] == 13):
                    stop -= 1
                if stop == at or (data[at] <= 32 and is_blank(data, at, stop)):
                    at = after
                    continue
                if data[at] == 35 and not (at + 1 < stop and data[at + 1] == 9):
                    header = directive(data, at, stop)
                    if header == -2:
                        at = after
                        continue
                    closing = inside == 1

            if header == -3 and not closing:  # a token
                if not inside:
                    if not told_outside:
                        told_outside, kind, unquote = 1, OUTSIDE, stop
                elif token == max_tokens:
                    kind = TOO_LONG
                else:
                    token += 1
                    left = right = stop
                    if column is None:
                        byte = U(stop)
                        while byte > U(at) and data[byte - ONE] != 9 and data[byte - ONE] != 32:
                            byte -= ONE
                        left = np.int64(byte)
                    if column is not None or (left > at and data[left - 1] == 32):
                        if next_tab < at:
                            next_tab = at
                            while next_tab < n and data[next_tab] != 9:
                                next_tab += 1
                        if column is not None:
                            left, right = column_bounds(data, at, stop, column, next_tab < stop)
                        elif next_tab < stop:  # spaces within the last of the columns between tabs
                            while data[left - 1] != 9:
                                left -= 1
                            while left < right and data[left] == 32:
                                left += 1
                    here = right
                    none = right == left or (right == left + 1 and is_none(data[left]))
                    if left < 0:
                        kind, unquote = TOO_FEW_COLUMNS, stop
                    elif not none:
                        here = value = left
                        if lenient is not None and not is_items(data, left, right):  # strict: it ends the scan below
                            kind, quote, unquote, here = BAD_VALUE, left, right, right
            elif header == -1 and not inside:
                kind = NO_BEGIN
            elif closing and header != -1:
                kind, quote, unquote = NO_END, documents[n_documents - 1, 1], documents[n_documents - 1, 2]

        while here < right:
            if n_mentions == start.size or n_entities == ids.shape[0] or n_faults == faults.shape[0]:
                done = False
                break
            if data[here] == 124 and here > value:
                here += 1
            opens = here < right and data[here] == 40
            here += opens
            id_at, key, byte = here, 0, U(here)
            while byte < U(right) and in_id(data[byte]):
                key = (key << 8) | int(data[byte])
                byte += ONE
            here = np.int64(byte)
            length, closes = here - id_at, here < right and data[here] == 41
            here += closes
            if length == 0 or not (opens or closes):
                kind, quote, unquote, n_faults = BAD_VALUE, value, right, 0  # only strict scans get here
                break
            key = key | (length << 56) if length <= SHORT else -1 - long_key(data, id_at, here - closes, seed)
            slot = U(place_of(key, seed) & mask)
            who = -1
            while slots[slot] >= 0:
                if ids[U(slots[slot]), 1] == key:
                    k = 0
                    if key < 0:
                        other = ids[slots[slot], 0]
                        while k < length and data[other + k] == data[id_at + k]:
                            k += 1
                    if key >= 0 or (k == length and not (other + k < n and in_id(data[other + k]))):
                        who = int(slots[slot])
                        break
                slot = U((np.int64(slot) + 1) & mask)
            if opens:
                if n_mentions - first == max_tokens:
                    kind = TOO_LONG
                    break
                if who < 0:
                    who = n_entities
                    ids[who, 0], ids[who, 1], ids[who, 2] = id_at, key, -1
                    slots[slot] = who
                    n_entities += 1
                m = U(n_mentions)
                start[m], entity[m], line[m] = token - 1, who, n_lines
                if closes:
                    end[m] = token - 1
                else:
                    end[m] = -2 - ids[U(who), 2]
                    ids[U(who), 2] = n_mentions - first
                    n_open += 1
                n_mentions += 1
            elif who < 0 or ids[who, 2] < 0:
                faults[n_faults, 0], faults[n_faults, 1] = NEVER_OPENED, n_lines
                faults[n_faults, 2], faults[n_faults, 3] = id_at, id_at + length
                n_faults += 1
            else:
                closed = first + ids[who, 2]
                ids[who, 2] = -2 - end[closed]
                end[closed] = token - 1
                n_open -= 1
        if not done:
            break

        if kind:
            faults[n_faults, 0], faults[n_faults, 1] = kind, n_lines
            faults[n_faults, 2], faults[n_faults, 3] = quote, unquote
            faults[n_faults, 4] = documents[n_documents - 1, 3] if inside else 0
            n_faults += 1
        if kind == TOO_LONG or (n_faults and lenient is None):
            break

        if closing:
            documents[n_documents - 1, 4] = token
            if n_open and lenient is None:
                while end[first] >= 0:
                    first += 1
                faults[0, 0], faults[0, 1], faults[0, 2] = NEVER_CLOSED, line[first], ids[entity[first], 0]
                n_faults = 1
                break
            if lenient is not None and n_open:
                n_mentions = repair(n_entities, first, n_mentions, start, end, entity, line, faults[n_faults:], ids)
                n_faults = min(n_faults + n_open, faults.shape[0])
            for k in range(n_entities):
                used = place_of(ids[k, 1], seed) & mask
                while slots[used] >= 0:
                    slots[used] = -1
                    used = (used + 1) & mask
            n_entities = n_open = inside = told_outside = 0
        if header >= 0:
            documents[n_documents, 0], documents[n_documents, 1] = n_mentions, header
            documents[n_documents, 2], documents[n_documents, 3], documents[n_documents, 4] = stop, n_lines, 0
            n_documents += 1
            first, inside, token = n_mentions, 1, 0
        at = after

    state[AT], state[AFTER], state[HERE], state[RIGHT] = at, after, here, right
    state[N_LINES], state[TOKEN], state[FIRST], state[N_MENTIONS] = n_lines, token, first, n_mentions
    state[N_DOCUMENTS], state[N_FAULTS], state[N_ENTITIES], state[VALUE] = n_documents, n_faults, n_entities, value
    state[N_OPEN], state[INSIDE], state[TOLD_OUTSIDE], state[NEXT_TAB] = n_open, inside, told_outside, next_tab
    return done


@kernel
def refill(ids: NDArray[np.int64], n_entities: int, slots: NDArray[np.int32], seed: int) -> None:
    """Enter the first `n_entities` rows of `ids` into a larger hash table, whose slots are all -1."""
    for k in range(n_entities):
        slot = place_of(ids[k, 1], seed) & (slots.size - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (slots.size - 1)
        slots[slot] = k
