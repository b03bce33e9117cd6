"""Scan the objects of a JSON file: of each, the mentions, the number of its tokens, and where name and texts stand.

All that is not as most files have it is left to a reader that explains what is wrong: the scan stops before such an
object. What is passed over is checked to be JSON all the same.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.instructions import trailing_zeros, word_at
from arraycoref.kernels.jit import Bytes, Ints, Ints32, U, helper, kernel

LARGEST = 2**31 - 2
MOST_DIGITS = U(4000)  # of a number that is passed over; Python refuses integers of more than 4300
MOST_DEPTH = U(1) << U(60)  # a bit for each list or object around a value

# What a field holds. Other fields are passed over; where there is a strange one, the scan stops.
OTHER, NAME, PART, CLUSTERS, TOKENS, COUNT, WORD_OF, STRANGE = range(8)

# What scan_objects() keeps between two calls, and why it returned.
AT, LINE, IN_ARRAY, EMPTY, N_DOCUMENTS, N_MENTIONS, LACKS, N_STATE = range(8)
NOTHING, DOCUMENTS, MENTIONS, SCRATCH = range(4)

# How mentions are read.
NESTED, EXCLUSIVE, DEPTH, BLANKS, TEXT, MAPPED, FIELDS_ONLY, N_SETTINGS = range(8)
ROOM = 4  # that scratch has at least

# Columns of documents.
BEGIN, ON_LINE, OFFSET, NAME_FIRST, NAME_STOP, PART_FIRST, PART_STOP = range(7)
N_TOKENS, COUNTED, TOKENS_FIRST, TOKENS_STOP, IS_TEXT, N_COLUMNS = range(7, 13)

NONE, ONE, TWO, THREE, FOUR, FIVE, SIX, EIGHT = U(0), U(1), U(2), U(3), U(4), U(5), U(6), U(8)
TEN, FORTY_EIGHT = U(10), U(48)
ONES, TOPS = U(0x0101010101010101), U(0x8080808080808080)
SPACES_SET = U(1 << 32 | 1 << 13 | 1 << 10 | 1 << 9)
BEGUN, COLON, COMMA, OPENED, DONE, KEY = range(6)  # what was before, among the parts of a value
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
    """Return the position behind the escape that begins at one, 0 if it is none."""
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
    """Return how many characters a string has between two positions; -1 where escapes make halves of some."""
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
    """Return the position behind a number that begins at one, 0 if it is none, or long."""
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
    """Pass over any value that begins at a position, or, where it counts, over lists of strings.

    Return the position behind it, 0 if it is none, or odd; the line there; and where it counts, how many strings there
    are and how many inner lists, which begin in the strings where `scratch` says.
    """
    wanted, nested = settings[DEPTH], settings[NESTED] and counts
    kinds, last, depth, behind = ONE, BEGUN, 0, NONE  # a bit per list, 0, or object, 1, around, below a first bit
    n = begin = n_inner = 0
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
            first = at + ONE
            at, closed = first, False
            while at and at < size and not closed:
                if at + EIGHT <= size:  # eight bytes at once: the lowest mark is of the first quote, slash or control
                    word = word_at(data, at)
                    quotes, slashes = word ^ QUOTES, word ^ SLASHES
                    marks = (quotes - ONES) & ~quotes | (slashes - ONES) & ~slashes | (word - SPACES) & ~word
                    at += trailing_zeros(marks & TOPS) >> THREE  # all eight where there is none
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


@helper
def take_lists(data, at, size, line, deep, settings, n_sentences, state, start, end, entity, scratch):
    """Read lists of numbers: clusters, which are three `deep`, or what `scratch` receives, one deep.

    Return the position behind them, 0 if they are odd; the line there; the number of mentions, with those before, or of
    numbers; and the largest last token, or number.
    """
    nested, exclusive = settings[NESTED], settings[EXCLUSIVE]
    n = state[N_MENTIONS] if deep == 3 else np.int64(0)
    depth, last, who, k, before, behind = 0, COMMA, 0, 0, n, NONE
    largest, sentence, first, number = np.int64(-1), np.int64(0), np.int64(0), np.int64(0)
    while at < size:
        byte = data[at]
        if U(byte) - FORTY_EIGHT < TEN:
            if depth != deep or not COMMA <= last <= OPENED:
                break
            sentence, first, number = first, number, np.int64(0)
            begin = at
            while at < size and U(data[at]) - FORTY_EIGHT < TEN:
                number = number * 10 + np.int64(data[at]) - 48
                at += ONE
            if number > LARGEST + 1 or at - begin > TEN or (byte == 48 and at > begin + ONE):
                break
            last = DONE
            k += 1
            if deep == 1:
                if n == scratch.size:
                    state[LACKS] = SCRATCH
                    break
                scratch[n] = number
                n += 1
                largest = number if number > largest else largest
            continue
        at += ONE
        if byte == 44:
            if last != DONE:
                break
            last = COMMA
        elif byte <= 32:
            if not SPACES_SET >> U(byte) & ONE:
                break
            line += byte == 10
        elif byte == 91:
            if depth == deep or last == DONE:
                break
            depth += 1
            k, before, last = 0, n if depth == 2 else before, OPENED
        elif byte != 93 or not (last == DONE or (last == OPENED and depth < 3)):
            break
        else:
            depth -= 1
            last = DONE
            if depth == 0:
                behind = at
                break
            if depth == 1:
                if n > before:
                    who += 1
                continue
            final = number - exclusive
            if nested:
                if k != 3 or sentence >= n_sentences:
                    break
                first, final = first + scratch[sentence], final + scratch[sentence]
                if final >= scratch[sentence + 1]:
                    break
            if k != 2 + nested or final < first or final > LARGEST:
                break
            if n == start.size:
                state[LACKS] = MENTIONS
                break
            start[n], end[n], entity[n] = first, final, who
            largest = final if final > largest else largest
            n += 1
    return behind, line, n, largest


@kernel
def scan_objects(
    data: Bytes,
    names: Bytes,
    bounds: Ints,
    roles: Ints,
    settings: Ints,
    state: Ints,
    documents: Ints,
    start: Ints32,
    end: Ints32,
    entity: Ints32,
    scratch: Ints,
) -> None:
    """Read objects as long as they are as expected, and the arrays have room.

    With ``settings[FIELDS_ONLY]`` one object is checked, and `scratch` receives where each of its fields begins and
    ends, and where its value begins, and behind the last one -1; it is not passed over, and nothing else is stored.

    Args:
        data: uint8 (N,) the bytes, read-only and contiguous; UTF-8.
        names: uint8 (.,) the names of the fields that are looked at.
        bounds: int64 (F + 1,) where each name begins in them.
        roles: int64 (F,) what each field holds; F at most 60.
        settings: int64 (N_SETTINGS,) of the shape.
        state: int64 (N_STATE,) AT and LINE, where to begin; IN_ARRAY, whether the objects are those of an array, and
            EMPTY, whether the first one comes; N_DOCUMENTS and N_MENTIONS, what is stored already; read and written.
            LACKS says which of the arrays must be longer.
        documents: int64 (., N_COLUMNS) out: a row per document; -1 for what it does not have.
        start: int32 (.,) out: first token of each mention.
        end: int32 (.,) out: last token.
        entity: int32 (.,) out: entity, numbered from 0 in each document.
        scratch: int64 (.,) lengths of sentences, or words of subtokens; at least ROOM.
    """
    size, alone = U(data.size), settings[FIELDS_ONLY] != 0
    while True:
        at, line, d = U(state[AT]), state[LINE], state[N_DOCUMENTS]
        state[LACKS] = DOCUMENTS if d == documents.shape[0] else NOTHING
        at, line = skip_space(data, at, size, line)
        separated = state[IN_ARRAY] == 0 or state[EMPTY] != 0
        if not separated and at < size and data[at] == 44:
            separated = True
            at, line = skip_space(data, at + ONE, size, line)
        if at >= size or data[at] != 123 or not separated or state[LACKS]:
            return
        for column in range(N_COLUMNS):
            documents[d, column] = -1
        documents[d, BEGIN], documents[d, ON_LINE], documents[d, COUNTED] = np.int64(at), line, 0
        seen, rank, listed = NONE, roles.size, 0
        has_tokens, has_words, n, n_sentences, n_words = False, False, np.int64(-1), 0, 0
        n_tokens = n_read = largest = last_word = np.int64(-1)
        at, line = skip_space(data, at + ONE, size, line)
        more = True
        while more and at < size and data[at] == 34:  # a field
            key = at + ONE
            at, line, _, _ = skip_value(data, at, size, line, settings, scratch, False)
            if at == NONE or has_escapes(data, key, at):
                break
            role, which, behind = OTHER, 0, at - ONE
            for field in range(roles.size):
                if U(bounds[field + 1] - bounds[field]) == behind - key:
                    here, there = key, U(bounds[field])
                    while here < behind and data[here] == names[there]:
                        here += ONE
                        there += ONE
                    if here == behind:
                        role, which = STRANGE if seen >> U(field) & ONE else roles[field], field
                        seen |= ONE << U(field)
            at, line = skip_space(data, at, size, line)
            if at >= size or data[at] != 58 or role == STRANGE:
                break
            at, line = skip_space(data, at + ONE, size, line)
            if at >= size:
                break
            begin, byte = at, data[at]
            if alone:
                if listed + ROOM > scratch.size:
                    break
                scratch[listed], scratch[listed + 1], scratch[listed + 2] = (
                    np.int64(key),
                    np.int64(behind),
                    np.int64(begin),
                )
                listed += 3
            if role == CLUSTERS:
                if byte != 91:
                    break
                at, line, n, largest = take_lists(
                    data, at, size, line, 3, settings, n_sentences, state, start, end, entity, scratch
                )
            elif role == TOKENS and byte == 91:
                at, line, n_tokens, n_sentences = skip_value(data, at, size, line, settings, scratch, True)
                if settings[NESTED] and n_sentences + 1 >= scratch.size:
                    state[LACKS] = SCRATCH
                    break
                has_tokens = True
            elif role == WORD_OF and byte == 91:
                at, line, n_words, last_word = take_lists(
                    data, at, size, line, 1, settings, n_sentences, state, start, end, entity, scratch
                )
                has_words = True
            else:
                at, line, _, _ = skip_value(data, at, size, line, settings, scratch, False)
                is_number = U(byte) - FORTY_EIGHT < TEN
                if is_number:
                    for place in range(begin, at):
                        is_number &= U(data[place]) - FORTY_EIGHT < TEN
                if at == NONE:
                    break
                if NAME <= role <= PART:
                    first, last = (begin + ONE, at - ONE) if byte == 34 else (begin, at)
                    if (byte == 34 and not has_escapes(data, first, last)) or is_number:
                        if role == PART:
                            documents[d, PART_FIRST], documents[d, PART_STOP] = np.int64(first), np.int64(last)
                        elif which < rank:
                            rank = which
                            documents[d, NAME_FIRST], documents[d, NAME_STOP] = np.int64(first), np.int64(last)
                    elif byte != 110 and (role == NAME or byte == 34 or byte == 45):  # noqa: PLR1714
                        break
                elif role == COUNT and is_number:
                    n_read = np.int64(0)
                    for place in range(begin, at):
                        n_read = n_read * 10 + np.int64(data[place]) - 48
                        if n_read > LARGEST + 1:
                            at = NONE
                            break
                elif role == TOKENS and byte == 34 and settings[TEXT]:
                    n_tokens, has_tokens = count_characters(data, begin + ONE, at - ONE), True
                    documents[d, IS_TEXT] = 1
                    if n_tokens < 0:
                        break
                elif (role != OTHER and byte != 110) or role == WORD_OF:
                    break
            if at == NONE:
                break
            if role == TOKENS and has_tokens:
                documents[d, TOKENS_FIRST], documents[d, TOKENS_STOP] = np.int64(begin), np.int64(at)
            at, line = skip_space(data, at, size, line)
            more = at < size and data[at] == 44
            if more:
                at, line = skip_space(data, at + ONE, size, line)
        if more or at >= size or data[at] != 125:
            return
        at += ONE
        if alone:
            scratch[listed] = -1
            return
        limit, before = LARGEST + np.int64(1), state[N_MENTIONS]
        if n < 0 or (settings[MAPPED] and not has_words):
            return
        if not has_tokens:
            n_tokens = n_read
        counted = bool(n_tokens >= 0)
        if counted:
            limit = n_tokens
        if has_words:
            if last_word >= limit:
                return
            n_tokens = n_tokens if counted else last_word + 1
            limit, counted = np.int64(n_words), True
        if largest >= limit or n_tokens > LARGEST + 1:
            return
        if has_words:
            for m in range(before, n):
                start[m], end[m] = scratch[start[m]], scratch[end[m]]
                if end[m] < start[m]:
                    return
        documents[d, COUNTED], documents[d, N_TOKENS] = counted, n_tokens if counted else largest + 1
        documents[d, OFFSET] = n
        state[AT], state[LINE], state[EMPTY] = np.int64(at), line, 0
        state[N_DOCUMENTS], state[N_MENTIONS] = d + 1, n
