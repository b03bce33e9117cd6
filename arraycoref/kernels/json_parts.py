"""Skip the parts of a JSON text, and check that they are valid JSON: helpers of the kernels that scan JSON files."""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import (
    at_most_64,
    count_ones,
    equal_64,
    leading_zeros,
    trailing_zeros,
    word_at,
)
from arraycoref.kernels.jit import Bytes, U, helper

MOST_DIGITS = U(4000)  # a number of so many characters is refused; Python refuses integers of more than 4300 digits
MOST_DEPTH = U(1) << U(60)  # limit of `kinds` in skip_value(), which has a bit for each list or object around

# Places of `settings`: tokens are counted within each sentence; how many lists there are around each text, 0 for any
# number from 2 on; a sentence ``[" "]`` holds no token.
NESTED, DEPTH, BLANKS = range(3)

NONE, ONE, TWO, THREE, FOUR, FIVE, SIX, EIGHT = U(0), U(1), U(2), U(3), U(4), U(5), U(6), U(8)
TEN, SIXTEEN, THIRTY_TWO, FORTY_EIGHT, INSIDE_BLOCK, EDGE = U(10), U(16), U(32), U(48), U(63), U(64)
ONES, TOPS = U(0x0101010101010101), U(0x8080808080808080)
SPACES_SET = U(1 << 32 | 1 << 13 | 1 << 10 | 1 << 9)
BEGUN, COLON, COMMA, OPENED, DONE, KEY = range(6)  # what was read last in a value: nothing, a colon, ..., a key
QUOTES, SLASHES, SPACES = U(0x2222222222222222), U(0x5C5C5C5C5C5C5C5C), U(0x2020202020202020)
ESCAPES = (34, 92, 47, 98, 102, 110, 114, 116)


@helper
def skip_space(data, at, size, line):
    """Return the position behind white space, and the line there."""
    while at < size and (data[at] == 32 or data[at] == 10 or data[at] == 13 or data[at] == 9):
        line += data[at] == 10
        at += ONE
    return at, line


@helper
def skip_escape(data: Bytes, at: np.uint64, size: np.uint64) -> np.uint64:
    """Return the position behind the escape that begins at ``at``, 0 if it is not a valid one."""
    kind = data[at + ONE] if at + ONE < size else 0
    stop = at + (SIX if kind == 117 else TWO)
    fine = kind == 117 and stop <= size
    for known in ESCAPES:
        fine |= kind == known
    at += TWO
    while at < stop and fine:
        fine = 48 <= data[at] <= 57 or 97 <= data[at] | 32 <= 102
        at += ONE
    return stop if fine else NONE


@helper
def has_escapes(data: Bytes, at: np.uint64, stop: np.uint64) -> bool:
    """Return whether a string has escapes."""
    found = False
    while at < stop:
        found |= data[at] == 92
        at += ONE
    return found


@helper
def count_characters(data: Bytes, at: np.uint64, stop: np.uint64) -> np.int64:
    """Return how many characters a string has between two positions; -1 if an escape is half of a surrogate pair."""
    n = np.int64(0)
    while at < stop:
        n += (data[at] & 192) != 128
        if data[at] == 92:
            if data[at + ONE] == 117:
                if data[at + TWO] | 32 == 100 and data[at + THREE] >= 56:
                    return np.int64(-1)
                at += FOUR
            at += ONE
        at += ONE
    return n


@helper
def skip_digits(data, at, size):
    """Return the position behind digits."""
    while at < size and U(data[at]) - FORTY_EIGHT < TEN:
        at += ONE
    return at


@helper
def skip_number(data: Bytes, at: np.uint64, size: np.uint64) -> np.uint64:
    """Return the position behind the number that begins at ``at``, 0 if it is not a valid one, or too long."""
    begin = at
    if at < size and data[at] == 45:
        at += ONE
    first = at
    at = skip_digits(data, at, size)
    fine = at > first and (data[first] != 48 or at == first + ONE)
    if at < size and data[at] == 46:
        first = at + ONE
        at = skip_digits(data, first, size)
        fine &= at > first
    if at < size and data[at] | 32 == 101:
        at += ONE
        if at < size and (data[at] == 43 or data[at] == 45):
            at += ONE
        first = at
        at = skip_digits(data, at, size)
        fine &= at > first
    return at if fine and at - begin < MOST_DIGITS else NONE


@helper
def skip_word(data: Bytes, at: np.uint64, size: np.uint64) -> np.uint64:
    """Return the position behind ``true``, ``false`` or ``null``, 0 if none of them begins here."""
    word, n = U(0), NONE
    while n < FIVE and at + n < size and 97 <= data[at + n] <= 122:
        word = word << U(8) | U(data[at + n])
        n += ONE
    return at + n if word == U(0x74727565) or word == U(0x66616C7365) or word == U(0x6E756C6C) else NONE


@helper
def skip_value(data, at, size, line, settings, scratch, counts):
    """Skip any value that begins at ``at``; or, if `counts` is true, nested lists of strings, which are counted.

    Return the position behind it, 0 if it is not valid or not as expected; the line there; and if `counts` is true, how
    many strings and how many inner lists there are. With NESTED, `scratch` receives the number of strings before each
    inner list, and then the number of all.
    """
    wanted, nested = settings[DEPTH], settings[NESTED] and counts
    kinds, last, depth, behind = ONE, BEGUN, 0, NONE  # kinds: a 1, then a bit per list (0) or object (1) around
    n_inner, n = 0, np.int64(0)
    begin = n
    blank = False
    if nested:
        scratch[0] = 0
    while at < size:
        byte = data[at]
        if byte <= 32:
            if not SPACES_SET >> U(byte) & ONE:
                break
            line += byte == 10
            at += ONE
            continue
        in_object = kinds & ONE != NONE and depth > 0
        closes = byte | 32 == 125
        if byte == 44 or byte == 58:  # noqa: PLR1714
            if last != (KEY if byte == 58 else DONE):
                break
            last = COLON if byte == 58 else COMMA
            at += ONE
            continue
        if closes:
            if depth == 0 or in_object != (byte == 125) or not OPENED <= last <= DONE:
                break
            kinds >>= ONE
            depth -= 1
            at += ONE
            last = DONE
            if depth == 1:
                if blank and n == begin + 1:
                    n -= 1
                n_inner += 1
                if nested and n_inner < scratch.size:
                    scratch[n_inner] = n
        elif byte == 34 and in_object and COMMA <= last <= OPENED:
            last = KEY
        elif last > COLON and (in_object or last > OPENED):
            break
        elif byte | 32 == 123:
            if kinds >= MOST_DEPTH or (counts and (byte == 123 or (wanted > 0 and depth == wanted))):
                break
            if depth == 1:
                begin, blank = n, False
            kinds = kinds << ONE | U(byte == 123)
            depth += 1
            at += ONE
            last = OPENED
            continue
        else:
            last = DONE
        if byte == 34:
            passed = at if depth > 0 and not in_object else NONE
            while passed and passed + EDGE <= size:  # 64 bytes of a list of strings, to the last that begins
                quotes = equal_64(data, passed, 34)
                inside = quotes ^ quotes << ONE
                inside ^= inside << TWO
                inside ^= inside << FOUR
                inside ^= inside << EIGHT
                inside ^= inside << SIXTEEN
                inside ^= inside << THIRTY_TWO
                commas = equal_64(data, passed, 44) & (quotes & ~inside) << ONE
                spaces = equal_64(data, passed, 32) & commas << ONE
                odd = equal_64(data, passed, 92) | at_most_64(data, passed, 31)
                odd |= ~(inside | quotes | commas | spaces) | (quotes & inside & ~((commas | spaces) << ONE | ONE))
                begins = quotes & inside & ((odd & (~odd + ONE)) - ONE)
                passed += INSIDE_BLOCK - leading_zeros(begins)
                n += np.int64(count_ones(begins) - ONE)
                at, passed = passed, passed if begins > ONE else NONE
            first = at + ONE
            at, closed = first, False
            while at and at < size and not closed:
                if at + EIGHT <= size:  # eight bytes at once: the lowest mark is at the first quote, slash or control
                    word = word_at(data, at)
                    quotes, slashes = word ^ QUOTES, word ^ SLASHES
                    marks = (quotes - ONES) & ~quotes | (slashes - ONES) & ~slashes | (word - SPACES) & ~word
                    at += trailing_zeros(marks & TOPS) >> THREE  # all eight if nothing is marked
                    if marks & TOPS == NONE:
                        continue
                if data[at] < 32:
                    break
                closed = data[at] == 34
                at = skip_escape(data, at, size) if data[at] == 92 else at + ONE
            if not closed:
                break
            if last == DONE and counts:
                if depth != wanted if wanted else depth < 2:
                    break
                n += 1
                blank = settings[BLANKS] != 0 and at == first + TWO and data[first] == 32
        elif not closes:
            if counts:
                break
            first = at
            while at < size and U(data[at]) - FORTY_EIGHT < TEN:
                at += ONE
            if (
                at == first
                or data[first] == 48
                or at - first > TEN
                or at >= size
                or data[at] == 46
                or data[at] | 32 == 101
            ):
                at = skip_word(data, first, size) if byte >= 97 else skip_number(data, first, size)
            if at == NONE:
                break
        if depth == 0:
            behind = at
            break
    return behind, line, n, n_inner
