"""Scan the objects of a JSON file for their mentions, number of tokens, and the positions of their name and texts.

The scan stops before an object that is not of the usual form, and leaves it to a slower reader, which accepts it or
explains what is wrong. Values that the scan skips are checked to be valid JSON all the same.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.jit import Bytes, Ints, Ints32, U, helper, kernel
from arraycoref.kernels.json_parts import (
    COMMA,
    DONE,
    FORTY_EIGHT,
    NESTED,
    NONE,
    ONE,
    OPENED,
    SPACES_SET,
    TEN,
    count_characters,
    has_escapes,
    skip_space,
    skip_value,
)

LARGEST = 2**31 - 2  # number of a token, counted from 0

# Roles of fields: what a field holds. The scan skips fields that are OTHER, and stops at one that is STRANGE.
OTHER, NAME, PART, CLUSTERS, TOKENS, COUNT, WORD_OF, STRANGE = range(8)

# Places of `state`, in which scan_objects() keeps numbers between two calls; and the values of its place LACKS.
AT, LINE, IN_ARRAY, EMPTY, N_DOCUMENTS, N_MENTIONS, LACKS, N_STATE = range(8)
NOTHING, DOCUMENTS, MENTIONS, SCRATCH = range(4)

ROOM = 4  # least length of scratch

# Places of `settings`, after those of json_parts: the end of a mention is exclusive; mentions count the characters of a
# text; they count subtokens, which a field maps to words; only list the fields; an object must end on its first line.
EXCLUSIVE, TEXT, MAPPED, FIELDS_ONLY, ONE_LINE, N_SETTINGS = range(3, 9)

# Columns of `documents`.
BEGIN, ON_LINE, OFFSET, NAME_FIRST, NAME_STOP, PART_FIRST, PART_STOP = range(7)
N_TOKENS, COUNTED, TOKENS_FIRST, TOKENS_STOP, IS_TEXT, N_COLUMNS = range(7, 13)


@helper
def take_lists(data, at, size, line, deep, settings, n_sentences, state, start, end, entity, scratch):
    """Read clusters, lists that are nested three `deep`; or a list of numbers, one deep, into `scratch`.

    Return the position behind them, 0 if they are not as expected or lack room; the line there; the number of mentions,
    including earlier documents, and their largest last token; or how many numbers there are, and the largest.
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
    """Read objects until one is not of the expected form, or an array has no more room.

    With ``settings[FIELDS_ONLY]`` one object is only checked, and will be read again. `scratch` receives three numbers
    for each field: where its name begins and ends, and where its value begins; and -1 behind the last field.

    Args:
        data: uint8 (N,) the bytes, read-only and contiguous; UTF-8.
        names: uint8 (.,) the names of the fields to find, one behind the other.
        bounds: int64 (F + 1,) where each name begins in `names`, and where the last one ends.
        roles: int64 (F,) what each field holds, from NAME to STRANGE, or OTHER; F at most 60.
        settings: int64 (N_SETTINGS,) how objects are read.
        state: int64 (N_STATE,) read and written. AT and LINE: position and line at which to begin. IN_ARRAY: whether
            the objects are items of an array. EMPTY: whether none of them was read. N_DOCUMENTS and N_MENTIONS: how
            many are stored. LACKS, out: which array must be longer, DOCUMENTS, MENTIONS or SCRATCH, or NOTHING.
        documents: int64 (., N_COLUMNS) out: a row per document; -1 for what it does not have.
        start: int32 (.,) out: first token of each mention.
        end: int32 (.,) out: last token.
        entity: int32 (.,) out: entity, numbered from 0 in each document.
        scratch: int64 (.,) at least ROOM: how many tokens are before each sentence, or the word of each subtoken.
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
                    elif byte != 110:  # n, of null
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
        if more or at >= size or data[at] != 125 or (settings[ONE_LINE] and line > documents[d, ON_LINE]):
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
