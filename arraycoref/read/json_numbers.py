"""Find the numbers of mentions and the number of words in the bytes of many documents at once, with NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

SPACE = b" \t\r\n"
_QUOTE, _COMMA, _ZERO, _END, _OPEN, _CLOSE = b'",0;[]'
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
    digits = np.frombuffer(text, np.uint8) - _ZERO
    is_digit = digits < 10
    changes = np.flatnonzero(is_digit[1:] != is_digit[:-1])
    last, length = changes[1::2], changes[1::2] - changes[::2]
    most = int(length.max(initial=0))
    if (
        most > _MOST_DIGITS
        or last.size != arity * mentions.size  # no number is elsewhere
        or sum(map(np.count_nonzero, (opens, closes, commas, ends))) != codes.size
        or _misplaced(opens, closes, commas, ends, is_mention)
    ):
        raise ValueError("not lists of lists of mentions")
    numbers, length = digits[last].astype(np.int32), length.astype(np.uint8)
    for k in range(1, most):
        numbers += digits[last - k] * (length > k) * np.int32(10**k)
    bounds = np.searchsorted(mentions, np.flatnonzero(ends))
    entity, lengths = np.cumsum(opens[mentions - 1]), np.diff(bounds)
    return numbers.reshape(-1, arity).T, entity - np.repeat(np.append(entity, 0)[bounds[:-1]], lengths), lengths


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


def count_words(texts: Sequence[bytes], depth: int) -> list[int] | None:
    """Count strings in lists, of one depth, of strings.

        >>> count_words([b'[["a", "b"], ["c"]]', b'[["d"]]'], 2)
        [3, 1]

    Args:
        texts: texts of valid JSON.
        depth: how many lists are around each string.

    Returns:
        The number of strings in each. None if they are not of this form, or written with other spaces.
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
    next_document, n_known = closed + b";" + opened, 0
    for form in (next_document, *([b"],[", b"], ["] if depth == 2 else [])):
        at = behind[gap == len(form)]
        n_known += int(np.count_nonzero(np.all([text[at + k] == byte for k, byte in enumerate(form)], axis=0)))
    ends = others[gap == len(next_document)] + 1
    return np.diff(ends, prepend=0, append=quotes.size // 2).tolist() if n_known == others.size else None


def bounds_of(lists: Sequence[Sequence[object]]) -> Int64:
    """Return where each of N lists begins and where the last one ends, once they are joined: int64 (N + 1,)."""
    return np.cumsum([0, *map(len, lists)])
