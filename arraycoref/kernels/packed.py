"""Read clusters of mentions as MessagePack writes them, and number the distinct mentions of documents by their bytes.

A document is an array of clusters, a cluster an array of mentions, and a mention an integer, a text, or an array of
what mentions are. A set is an array whose first item is an extension that holds the seed. MessagePack writes each
integer in its shortest form, so that equal mentions have equal bytes; and the bytes of no value are the beginning of
another's. Eight bytes follow the documents, so that words may be read whole.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import HALF, ONE, clear, mix, slots_for
from arraycoref.kernels.instructions import word_at
from arraycoref.kernels.jit import Bytes, Ints, U, helper, kernel

Mentions = tuple[Bytes, Ints, Ints]
"""The bytes of documents; the code of each mention in them, and where it begins, int64 (N,) each."""

Documents = tuple[Ints, Ints]
"""The first mention of each document, and the number of its mentions, int64 (D,) each."""

PADDING = 8
"""Bytes behind the documents."""

ARRAYS, LONG_ARRAYS, LAST_ARRAYS, TEXTS = 0x90, 0xDC, 0xDD, 0xA0
EXTENSION, MARK = 0xD7, 10  # of eight bytes, and its size
HASHED, LOWEST = U(0xC1), U(0xFF)  # no value begins with the first
BYTE, WORD = U(8), U(64)

SIZES = np.array(
    [
        *[1] * 128,  # from 0 on: small integers
        *[0] * 16,  # maps
        *[1] * 16,  # from ARRAYS on
        *range(1, 33),  # from TEXTS on
        *[0] * 12,  # from 0xC0 on: None, False, True, bytes, extensions, floats
        *(2, 3, 5, 9, 2, 3, 5, 9),  # integers without and with a sign
        *[0] * 5,  # extensions
        *(-1, -2, -4, -2, -4),  # long texts, and arrays from LONG_ARRAYS on
        *(0, 0),  # long maps
        *[1] * 32,  # small negative integers
    ],
    np.int64,
)
"""The size of a value by its first byte; -1, -2, -4 for a length in so many bytes; 0 for what is no mention."""

ITEMS = np.array([*[0] * ARRAYS, *range(16), *[0] * (256 - TEXTS)], np.int64)
"""The number of items of a value by its first byte, where that holds it."""


@helper
def _length(data, at, width):
    """Return the number that so many bytes are, the highest first."""
    length = np.int64(0)
    for place in range(at, at + width):
        length = (length << 8) | np.int64(data[U(place)])
    return length


@helper
def _after(data, at, stop):
    """Return the place behind a mention, or -1 where anything else begins, or the bytes end."""
    left = np.int64(1)
    while left > 0:
        if at >= stop:
            return np.int64(-1)
        first = data[U(at)]
        size = SIZES[U(first)]
        left += ITEMS[U(first)] - 1
        if size <= 0:
            if size == 0 or at - size >= stop:
                return np.int64(-1)
            length = _length(data, at + 1, -size)
            is_array = first >= LONG_ARRAYS
            left += length if is_array else 0
            size = 1 - size + (0 if is_array else length)
        at += size
    return at if at <= stop else np.int64(-1)


@helper
def _open(data, at, stop, seed):
    """Return the number of items of an array or a set, and the place of the first; -1 for all else."""
    first = np.int64(data[U(at)]) if at < stop else np.int64(0)
    if ARRAYS <= first < TEXTS:
        n, at = first - ARRAYS, at + 1
    elif LONG_ARRAYS <= first <= LAST_ARRAYS and at + 4 < stop:
        width = 2 if first == LONG_ARRAYS else 4
        n, at = _length(data, at + 1, width), at + 1 + width
    else:
        return np.int64(-1), at
    if n > stop - at:
        return np.int64(-1), at
    if n > 0 and at + MARK <= stop and data[U(at)] == EXTENSION and word_at(data, U(at + 2)) == seed:
        return n - 1, at + MARK
    return n, at


@helper
def _word(data, at, end):
    """Return the next eight bytes of a mention, with zeros for those behind its end."""
    rest = U(end - at)
    return word_at(data, U(at)) << (WORD - BYTE * rest if rest < BYTE else U(0))


@helper
def _code(data, at, end, seed):
    """Return the bytes of a mention, up to eight, as one number; of a longer one a hash."""
    if end - at <= 8:
        return _word(data, at, end)
    hashed = seed
    for place in range(at, end, 8):
        hashed = mix(_word(data, place, end), hashed)
    return (hashed & ~LOWEST) | HASHED


@helper
def _same(data, at, other):
    """Whether a mention has the bytes of another, which differs before it ends if it is shorter."""
    end = _after(data, at, data.size)
    for place in range(at, end, 8):
        if _word(data, place, end) != _word(data, other + place - at, other + end - at):
            return False
    return True


@kernel
def read(
    data: Bytes,
    at: int,
    first: int,
    seed: np.uint64,
    bounds: Ints,
    codes: Ints,
    begins: Ints,
    clusters: Ints,
) -> tuple[int, int]:
    """Find the mentions of the documents from ``first`` on, as long as there is room.

    Args:
        data: uint8 (B,) documents, one behind the other, then `PADDING`.
        at: where the first of these documents begins.
        first: its number.
        seed: of the hash, and mark of sets. Codes that are compared have the same.
        bounds: int64 (D+1,) document bounds of the mentions, known up to ``first``; receives those that follow.
        codes: int64 (N,) receives a number for each mention, the same for equal ones; unequal ones of more than eight
            bytes may have the same, too.
        begins: int64 (N,) receives where each begins.
        clusters: int64 (N,) receives the number of its cluster in the document.

    Returns:
        The number of the document at which the kernel stopped for want of room, and where it begins; D if it read
        all; -1 if there is something else than documents of clusters of mentions.
    """
    stop = data.size - PADDING
    n_documents = bounds.size - 1
    o = bounds[first]
    for d in range(first, n_documents):
        start = at
        n_clusters, at = _open(data, at, stop, seed)
        if n_clusters < 0:
            return -1, at
        for cluster in range(n_clusters):
            n_mentions, at = _open(data, at, stop, seed)
            if n_mentions < 0:
                return -1, at
            if o + n_mentions > codes.size:
                return d, start
            for _ in range(n_mentions):
                end = _after(data, at, stop)
                if end < 0:
                    return -1, at
                codes[U(o)] = np.int64(_code(data, at, end, seed))
                begins[U(o)] = at
                clusters[U(o)] = cluster
                o += 1
                at = end
        bounds[d + 1] = o
    return n_documents, at


@helper
def _number(mentions, first, count, n, seed, table, slots, found):
    """Number a document's mentions, the next new one ``n``; return the number of the next."""
    data, codes, begins = mentions
    keys, starts, numbers = table
    mask = U(slots - 1)
    for o in range(count):
        code, at = codes[U(first + o)], begins[U(first + o)]
        slot = (mix(code, seed) >> HALF) & mask
        exact = U(code) & LOWEST != HASHED
        while numbers[slot] >= 0 and (keys[slot] != code or not (exact or _same(data, at, starts[slot]))):
            slot = (slot + ONE) & mask
        number = numbers[slot]
        new = number < 0
        number = n if new else number
        keys[slot] = code
        starts[slot] = at
        numbers[slot] = number
        found[U(o)] = number
        n += new
    return n


@kernel
def place(
    mentions: Mentions,
    key: Documents,
    response: Documents,
    seed: np.uint64,
    offsets: Ints,
    key_mention: Ints,
    response_mention: Ints,
) -> None:
    """Number the mentions of each pair of documents in the order in which key, then response, first have them.

    A hash table per pair; linear time.

    Args:
        mentions: N mentions as `read` gives them; not checked.
        key: D documents among them; not checked.
        response: likewise.
        seed: of the hash. Results do not depend on it.
        offsets: int64 (D+1,) out: pair d owns the mentions ``offsets[d]:offsets[d + 1]``.
        key_mention: int64 (Nk,) out: the mention of each occurrence.
        response_mention: int64 (Nr,) out.
    """
    most = np.int64(0)
    for d in range(key[1].size):
        size = key[1][d] + response[1][d]
        most = size if size > most else most
    n_slots = slots_for(most)
    numbers = np.empty(n_slots, np.int64)
    table = np.empty(n_slots, np.int64), np.empty(n_slots, np.int64), numbers
    n = k = r = np.int64(0)
    offsets[0] = 0
    for d in range(key[1].size):
        n_key, n_response = key[1][d], response[1][d]
        slots = slots_for(n_key + n_response)
        clear(numbers, slots)
        n = _number(mentions, key[0][d], n_key, n, seed, table, slots, key_mention[k:])
        n = _number(mentions, response[0][d], n_response, n, seed, table, slots, response_mention[r:])
        k += n_key
        r += n_response
        offsets[d + 1] = n
