"""Find the numbers of mentions and the number of words in the bytes of many documents at once, with NumPy."""

from __future__ import annotations

import re
from collections.abc import Sequence, Sized

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

SPACE = b" \t\r\n"
_QUOTE, _COMMA, _ZERO, _END, _OPEN, _CLOSE = b'",0;[]'
_LISTS = re.compile(rb"(?:;\[,*+\])*+;")
_MOST_DIGITS = 9  # of a number that fits int32


def parse_clusters(texts: Sequence[bytes], arity: int) -> tuple[Int32, Int64, Int64]:
    """Find the mentions in clusters: lists of lists of mentions, each of which is a list of so many numbers.

        >>> parse_clusters([b"[[[0, 0], [2, 13]], [[5, 6]]]", b"[]"], 2)
        (array([[ 0,  2,  5],
               [ 0, 13,  6]], dtype=int32), array([0, 0, 1]), array([3, 0]))

    Args:
        texts: the clusters of each document, D texts of valid JSON.
        arity: how many numbers a mention has.

    Returns:
        int32 (arity, M) the numbers of all mentions; int64 (M,) the entity of each mention, from 0 in each document,
        without clusters that are empty; int64 (D,) the number of mentions of each document.

    Raises:
        ValueError: anything is not of this form, or a number has more than nine digits.
    """
    text = b";".join([b"", *texts, b""])
    codes = np.frombuffer(text.translate(None, b"0123456789" + SPACE), np.uint8)  # ;[[[,],[,]],[[,]]];[];
    opens, closes, commas, ends = (codes == mark for mark in (_OPEN, _CLOSE, _COMMA, _END))
    is_mention = opens[:-arity] & closes[arity:]
    for k in range(1, arity):
        is_mention &= commas[k : k - arity]
    mentions = np.flatnonzero(is_mention)
    numbers = _numbers(text)
    if (
        numbers.size != arity * mentions.size  # no number is elsewhere
        or sum(map(np.count_nonzero, (opens, closes, commas, ends))) != codes.size
        or _misplaced(opens, closes, commas, ends, is_mention)
    ):
        raise ValueError("not lists of lists of mentions")
    bounds = np.searchsorted(mentions, np.flatnonzero(ends))
    entity, lengths = np.cumsum(opens[mentions - 1]), np.diff(bounds)
    return numbers.reshape(-1, arity).T, entity - np.repeat(np.append(entity, 0)[bounds[:-1]], lengths), lengths


def parse_lists(texts: Sequence[bytes]) -> list[Int32]:
    """Find the numbers in lists of numbers.

        >>> parse_lists([b"[0, 0, 12]", b"[]"])
        [array([ 0,  0, 12], dtype=int32), array([], dtype=int32)]

    Args:
        texts: texts of valid JSON, each of which must be a list of numbers, none negative.

    Raises:
        ValueError: anything is not of this form, or a number has more than nine digits.
    """
    text = b";".join([b"", *texts, b""])
    shape = text.translate(None, b"0123456789" + SPACE)
    ends = np.flatnonzero(np.frombuffer(shape, np.uint8) == _END)
    lengths = np.diff(ends) - len(b"[];") + 1  # a number more than commas
    for d in np.flatnonzero(lengths == 1).tolist():
        lengths[d] = texts[d].strip(b"[]" + SPACE) != b""
    numbers = _numbers(text)
    if not _LISTS.fullmatch(shape) or numbers.size != lengths.sum():
        raise ValueError("not lists of numbers")
    return np.split(numbers, np.cumsum(lengths[:-1]))


def _numbers(text: bytes) -> Int32:
    digits = np.frombuffer(text, np.uint8) - _ZERO
    is_digit = digits < 10
    changes = np.flatnonzero(is_digit[1:] != is_digit[:-1])
    last, length = changes[1::2], changes[1::2] - changes[::2]
    most = int(length.max(initial=0))
    if most > _MOST_DIGITS:
        raise ValueError("a number of too many digits")
    numbers, length = digits[last].astype(np.int32), length.astype(np.uint8)
    for k in range(1, most):
        numbers += digits[last - k] * (length > k) * np.int32(10**k)
    return numbers


def _misplaced(opens: Bools, closes: Bools, commas: Bools, ends: Bools, is_mention: Bools) -> bool:
    """Return whether any mention is not in a list in a list, or any other list is.

    What each list follows decides it: the end of another document, the bracket of the list around it, or a comma.
    """
    arity = opens.size - is_mention.size
    none = np.zeros(arity, np.bool_)
    mention, closed = np.append(is_mention, none), np.append(none, is_mention)
    outer, outer_closed = opens & ~mention, closes & ~closed
    return bool(
        (
            (outer[2:] & ((outer[1:-1] & ~ends[:-2]) | (commas[1:-1] & closed[:-2])))
            | (mention[2:] & ((outer[1:-1] & ends[:-2]) | (commas[1:-1] & outer_closed[:-2])))
        ).any()
    )


def count_words(texts: Sequence[bytes], depth: int, blanks: bool) -> tuple[Int64, Int64] | None:
    """Count the strings in each innermost list of lists, nested once or twice, of strings.

        >>> count_words([b'[["a", "b"], ["c"]]', b'[["d"]]'], 2, blanks=False)
        (array([2, 1, 1]), array([0, 2, 3]))

    Args:
        texts: D texts of valid JSON.
        depth: how many lists are around each string, 1 or 2.
        blanks: whether a list ``[" "]`` counts as empty.

    Returns:
        int64 (L,) the number of strings in each innermost list; int64 (D + 1,) where the lists of each text begin among
        all, and where those of the last one end. None if anything is not of this form, or written with other spaces.
    """
    joined = b";".join([*texts, b""])
    if b"\\" in joined:
        joined = joined.replace(b"\\\\", b"").replace(b'\\"', b"")
    opened, closed = b"[" * depth, b"]" * depth
    if not joined.startswith(opened + b'"') or not joined.endswith(b'"' + closed + b";"):
        return None
    text = np.frombuffer(joined, np.uint8)
    quotes = np.flatnonzero(text == _QUOTE)
    behind, gap = quotes[1:-1:2] + 1, quotes[2::2] - quotes[1:-1:2] - 1
    usual = (gap == 1) | ((gap == 2) & (text[behind + 1] == SPACE[0]))  # a comma, or a colon, which an object begins
    others = np.flatnonzero(~usual)
    behind, gap = behind[others], gap[others]
    next_text, n_known = closed + b";" + opened, 0
    for form in (next_text, *([b"],[", b"], ["] if depth == 2 else [])):
        at = behind[gap == len(form)]
        n_known += int(np.count_nonzero(np.all([text[at + k] == byte for k, byte in enumerate(form)], axis=0)))
    if n_known != others.size:
        return None
    ends = np.append(others + 1, quotes.size // 2)
    lengths = np.diff(ends, prepend=0)
    if blanks:
        first = quotes[2 * (ends - lengths)] + 1
        lengths[(lengths == 1) & (text[first] == SPACE[0]) & (text[first + 1] == _QUOTE)] = 0
    return lengths, np.concatenate([[0], np.flatnonzero(gap == len(next_text)) + 1, [ends.size]])


def bounds_of(lists: Sequence[Sized]) -> Int64:
    """Return where each of N lists begins and where the last one ends, once they are joined: int64 (N + 1,)."""
    return np.cumsum([0, *map(len, lists)])
