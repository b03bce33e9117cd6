"""Read clusters of mentions from bytes of MessagePack, and label mentions, which are equal if their bytes are equal.

A document is an array of clusters, a cluster an array of mentions, and a mention an integer, a text, or an array of
integers, texts and such arrays. A set is written as an array whose first item is an extension that holds the seed.
Equal mentions have equal bytes, because each integer is written in its shortest form; and the bytes of no value are the
beginning of another value's bytes. Eight more bytes follow the documents, so that eight can be read at any place.
"""

from __future__ import annotations

import numpy as np

from arraycoref.kernels.hashtable import HALF, clear, mix, slots_for
from arraycoref.kernels.intrinsics import word_at
from arraycoref.kernels.jit import Bytes, U, helper, kernel, maker
from arraycoref.ragged import Ints

PADDING = 8
"""How many bytes there are after the documents, so that reading past the last one is safe."""

ODD, FULL = -1, -2
"""Returned instead of a position. ODD: there is anything but clusters of mentions. FULL: there is no more room."""

# First bytes of short arrays; of arrays with a length of 2 and of 4 bytes; of short texts.
ARRAYS, LONG_ARRAYS, LAST_ARRAYS, TEXTS = 0x90, 0xDC, 0xDD, 0xA0
PAIR = U(0x92)  # first byte of an array of two items
EXTENSION, MARK = 0xD7, 10  # first byte of an extension of eight bytes, and the size of the whole
HASHED, LOWEST = U(0xC1), U(0xFF)  # lowest byte of codes that are hashes: no value begins with it; a byte's mask
BYTE, WORD = U(8), U(64)  # bits

FEWEST_SLOTS, WIDTH, CODE, PLACE = 1024, U(4), U(1), U(2)
"""A hash table's fewest slots; how many numbers a slot has; and which of them are the code and the place of a mention,
whose own number comes first."""

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
"""The size of a value in bytes, by its first byte. If -1, -2 or -4, the next 1, 2 or 4 bytes are its length; if 0, it
is not a mention."""

ITEMS = np.array([*[0] * ARRAYS, *range(16), *[0] * (256 - TEXTS)], np.int64)
"""The number of items of a short array, by its first byte; 0 for all other first bytes."""

SHORT = np.where((SIZES > 0) & (ITEMS == 0), SIZES, 8)
"""The size of a value without items, by its first byte; 8 if that byte alone does not determine the size."""


@helper
def _length(data, at, width):
    """Return the number that the next `width` bytes hold, the highest byte first."""
    length = np.int64(0)
    for place in range(at, at + width):
        length = (length << 8) | np.int64(data[U(place)])
    return length


@helper
def _after(data, at, stop):
    """Return the place after the mention at ``at``; -1 if anything else begins there, or the bytes end first."""
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
def _is_mark(data, at, stop, seed):
    """Return whether the mark of a set, which is its first item, is at ``at``."""
    return at + MARK <= stop and data[U(at)] == EXTENSION and word_at(data, U(at + 2)) == seed


@helper
def _open(data, at, stop, seed):
    """Return the number of items of the array or set at ``at``, and the place of the first; -1 if it is neither."""
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
    if n > 0 and _is_mark(data, at, stop, seed):
        return n - 1, at + MARK
    return n, at


@helper
def _word(data, at, end):
    """Return the next eight bytes of a mention, with zeros for those after its end."""
    rest = U(end - at)
    return word_at(data, U(at)) << (WORD - BYTE * rest if rest < BYTE else U(0))


@helper
def _code(data, at, end, seed):
    """Return the code of a mention: its bytes as one number if it has up to eight, otherwise a hash of them."""
    if end - at <= 8:
        return _word(data, at, end)
    hashed = seed
    for place in range(at, end, 8):
        hashed = mix(_word(data, place, end), hashed)
    return (hashed & ~LOWEST) | HASHED


@helper
def _same(data, at, end, other):
    """Return whether the mention from ``at`` to ``end`` has the same bytes as the one at ``other``.

    Their sizes need not be compared: no mention is the beginning of another one.
    """
    for place in range(at, end, 8):
        if _word(data, place, end) != _word(data, other + place - at, other + end - at):
            return False
    return True


@helper
def _pair_size(word):
    """Return the size of a mention from its first eight bytes, if they hold a whole array of two; otherwise over 8."""
    size = SHORT[U((word >> BYTE) & LOWEST)]
    size += 1 + SHORT[U((word >> ((BYTE + BYTE * U(size)) % WORD)) & LOWEST)]
    return size if word & LOWEST == PAIR else np.int64(9)


@maker
def _table(slots):
    """Return an empty hash table."""
    table = np.empty(4 * slots, np.int64)
    clear(table, table.size)
    return table


@helper
def _label(data, at, stop, seed, table, slots, first, n, ours, theirs, row, code_of, entity_of):
    """Label the mentions of one document of a pair; number from ``n`` on those that are new in the pair.

    A slot of the table is free if its number is smaller than ``first``, the number of the pair's first mention. The
    header of a cluster is read together with its first mention, without a branch: clusters are so short that the
    processor cannot predict where they end.

    Write the number and the cluster of each occurrence from ``row`` on, if there is room for any. Return the next
    number, the next row, and the place after the document. Instead of that place, return `ODD` if it cannot be read,
    or `FULL` if there is no more room; then the number says how many mentions need room.
    """
    mask, keep_rows = U(slots - 1) * WIDTH, code_of.size > 0
    room = min(ours.size - 1, first + slots // 2)
    cluster, left = np.int64(-1), np.int64(0)
    n_clusters, at = _open(data, at, stop, seed)
    if n_clusters < 0:
        return n, row, np.int64(ODD)
    while left > 0 or cluster + 1 < n_clusters:
        opens = np.int64(left == 0)
        more = opens * (np.int64(data[U(at)]) - ARRAYS - 1)
        cluster += opens
        if U(more) > U(14):  # anything but an array of 1 to 15 items
            left, at = _open(data, at, stop, seed)
            if left < 0:
                return n, row, np.int64(ODD)
            continue
        at += opens
        left += opens + more - 1
        word = word_at(data, U(at))
        end = at + _pair_size(word)  # right for most mentions, without a loop
        code = np.int64(word << (WORD - BYTE * U(end - at)))
        if end - at > 8 or end > stop:
            if opens > 0 and _is_mark(data, at, stop, seed):
                at += MARK
                continue
            end = _after(data, at, stop)
            if end < 0:
                return n, row, np.int64(ODD)
            code = np.int64(_code(data, at, end, seed))
        if n >= room:
            return n + 1, row, np.int64(FULL)
        exact = U(code) & LOWEST != HASHED
        slot = ((mix(code, seed) >> HALF) * WIDTH) & mask
        while table[slot] >= first and (
            table[slot + CODE] != code or not (exact or _same(data, at, end, table[slot + PLACE]))
        ):
            slot = (slot + WIDTH) & mask
        number = table[slot]
        new = number < first
        number = n if new else number
        table[slot] = number
        table[slot + CODE] = code
        table[slot + PLACE] = at
        ours[U(number)] = cluster
        theirs[U(n)] = -1
        if keep_rows:
            code_of[U(row)] = number
            entity_of[U(row)] = cluster
        n += new
        row += 1
        at = end
    return n, row, at


@kernel
def number_mentions(data: Bytes, seed: np.uint64, first: int, offsets: Ints, labels: Ints, rows: Ints) -> int:
    """Label the mentions of pairs of documents from the pair ``first`` on, as long as there is room.

    The mentions of a pair are numbered in the order in which they first appear in the key, and then in the response.
    Each pair fills the hash table anew; linear time.

    Args:
        data: uint8 (B,) the documents of the key, those of the response, and `PADDING` more bytes.
        seed: of the hash, and content of the marks of sets. Results do not depend on it.
        first: number of the first pair.
        offsets: int64 (5, D+1) bounds of the pairs' mentions; of their occurrences in the key, and in the response; and
            of the documents' bytes in the key, and in the response. Given up to ``first``; receives those that follow.
        labels: int64 (2, M) receives the number of each mention's cluster within its document, in the key and in the
            response; -1 if that side lacks the mention. Of several clusters, the last one.
        rows: int64 (4, N) receives, of each occurrence in the key, the number of its mention, counted across all pairs,
            and that of its cluster; then the same of the response. Or (4, 0), which receives nothing.

    Returns:
        The number of the pair for which there was not enough room, or D if all were labeled; -1 if there is anything
        but documents of clusters of mentions.
    """
    stop, n_pairs = data.size - PADDING, offsets.shape[1] - 1
    slots = max(slots_for(stop // (16 * n_pairs + 1)), FEWEST_SLOTS)
    table = _table(slots)
    for d in range(first, n_pairs):
        side, n = 0, offsets[0, d]
        while side < 2:
            at, row = offsets[3 + side, d], offsets[1 + side, d]
            ours, theirs, code, entity = labels[side], labels[1 - side], rows[2 * side], rows[2 * side + 1]
            n, row, after = _label(
                data, at, stop, seed, table, slots, offsets[0, d], n, ours, theirs, row, code, entity
            )
            if after >= 0:
                offsets[3 + side, d + 1], offsets[1 + side, d + 1] = after, row
                side += 1
            elif after == ODD:
                return -1
            elif n >= labels.shape[1]:
                return d
            else:
                slots = slots_for(2 * (n - offsets[0, d]))
                table = _table(slots)
                side, n = 0, offsets[0, d]
        offsets[0, d + 1] = n
        if slots > 16 * (n - offsets[0, d]) + FEWEST_SLOTS:
            slots //= 2  # so that a small document after a large one does not use slots far apart
    return int(n_pairs)
