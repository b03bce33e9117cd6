"""Align the words of a text with those of another edition of it: changed, left out, added, or cut in other places.

Texts are compared in pieces: runs of letters and digits, and any other characters one by one, as are those of scripts
without spaces. So tokenizers that cut words in other places make no difference. What stays is found by a shortest edit
script. Between two pieces that stay, pieces of both texts pair as far as they can: by their characters if these are the
same on both sides; otherwise one by one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import ne
from typing import NamedTuple

import numpy as np

from arraycoref.match.edit_script import partners
from arraycoref.ragged import Bools, Ints, bounds_of, ranges, run_starts
from arraycoref.read.documents import PIECE

MOST_LOST, FEW = 4, 1000
"""Of the text that has fewer pieces, one of so many may not stay, and so many more: searching goes no further."""

MOST_LONGER = 2
"""How many times as many words as the key a response may have, beside `FEW` more."""

SURE = 5
"""So many equal pieces on end are not coincidence: the response has come as far as the last such pieces."""


class AlignedWords(NamedTuple):
    """Which words of one text the words of another text, the response, are.

    Attributes:
        first: int64 (M,) number of the first word that each of the response's M words is; -1 for no word.
        last: int64 (M,) number of the last one, the same.
        n_changed: number of words that the response has with other characters.
        n_deleted: number of words that it does not have.
        n_inserted: number of its words that are not in the text.
        n_reached: number of words up to the last one that it reaches.
    """

    first: Ints
    last: Ints
    n_changed: int
    n_deleted: int
    n_inserted: int
    n_reached: int


class _Aligned(NamedTuple):
    """The words between those that are equal at the beginning and at the end.

    Attributes:
        first: see `AlignedWords`.
        last: the same.
        equal: int64 (M,) number of the word that each word of the response is equal to, or -1.
        counts: the first three numbers of `AlignedWords`.
        partner: int64 (Q,) the key's piece that each piece of the response is, or -1.
        partner_last: int64 (Q,) the last one of the pieces that it is, as characters go, the same.
        word: int64 (P,) the word of each piece of the key.
        lengths: how many characters each piece has, of the key int64 (P,), and of the response int64 (Q,).
    """

    first: Ints
    last: Ints
    equal: Ints
    counts: list[int]
    partner: Ints
    partner_last: Ints
    word: Ints
    lengths: tuple[Ints, Ints]


class _Pieces(NamedTuple):
    """Pieces of a text: numbers of their texts, int64 (P,), and of their words, int64 (P,)."""

    text: Ints
    word: Ints


def align_words(key: Sequence[str], response: Sequence[str]) -> AlignedWords | None:
    """Align the words of two texts.

        >>> aligned = align_words("He said , “ I cann ot . ”".split(), 'He said, "I cannot um, do it."'.split())
        >>> aligned.first.tolist(), aligned.last.tolist()
        ([0, 1, 3, 5, -1, -1, 7], [0, 2, 4, 6, -1, -1, 8])
        >>> aligned.n_changed, aligned.n_deleted, aligned.n_inserted
        (2, 0, 3)

    Args:
        key: N words.
        response: M words.

    Returns:
        None for texts that have too little in common.
    """
    n_both = min(len(key), len(response))
    before = _first_different(key, response, n_both)
    n_both -= before
    behind = _first_different(key[::-1], response[::-1], n_both) if n_both else 0
    stop, response_stop = len(key) - behind, len(response) - behind
    first = np.arange(len(response))
    first[response_stop:] += stop - response_stop
    last, equal, n_reached = first.copy(), first.copy(), len(key)
    n_changed = n_deleted = n_inserted = 0
    if stop > before or response_stop > before:
        if len(response) > MOST_LONGER * len(key) + FEW:
            return None
        inner = _align(key[before:stop], response[before:response_stop], before + behind)
        if inner is None:
            return None
        for column, values in zip((first, last, equal), (inner.first, inner.last, inner.equal), strict=True):
            column[before:response_stop] = np.where(values < 0, -1, values + before)
        n_changed, n_deleted, n_inserted = inner.counts
        for place, word in _drawn_near(equal, key, response):
            first[place] = last[place] = equal[place] = word
        n_reached = _reached(inner, key, response, before, behind)
    return AlignedWords(first, last, n_changed, n_deleted, n_inserted, n_reached)


def _first_different(one: Sequence[str], other: Sequence[str], n: int) -> int:
    """Return the number of the first of n words that differs; n if none does."""
    if one[:n] == other[:n]:
        return n
    return next(k for k, differs in enumerate(map(ne, one, other)) if differs)


def _drawn_near(equal: Ints, key: Sequence[str] | Ints, response: Sequence[str] | Ints) -> Iterator[tuple[int, int]]:
    """Yield words of the response, and equal words of the key that are nearer to the longest piece that both share.

    Several scripts may be as short. Where one text is cut off, its last words are those that follow the words before,
    and not the same words at the other text's end.

    Args:
        equal: int64 (M,) the word that each word of the response is equal to, or -1; the caller changes it.
        key: N words.
        response: M words.
    """
    starts = run_starts(equal - np.arange(equal.size))
    sizes = np.diff(np.append(starts, equal.size)) * (equal[starts] >= 0)
    longest = int(sizes.argmax()) if sizes.size else 0
    for step, runs in ((1, starts[longest + 1 :]), (-1, starts[1 : longest + 1][::-1] - 1)):
        for begin in runs.tolist():
            k = begin
            while 0 <= k < equal.size and min(equal[k], equal[k - step]) >= 0:
                word = int(equal[k - step]) + step
                if word == equal[k] or key[word] != response[k]:
                    break
                yield k, word
                k += step


def _reached(inner: _Aligned, key: Sequence[str], response: Sequence[str], before: int, behind: int) -> int:
    """Return how many words a response reaches: up to the last `SURE` pieces that are equal, and as many as are after.

    Where fewer are equal in a row, such as the full stop of a refusal to answer, the last ones must follow on half as
    many characters as they follow on in the key.

    Args:
        inner: the alignment of the words between those that are equal.
        key: N words.
        response: M words.
        before: how many words at the beginning are equal; each counts as a piece.
        behind: how many at the end are.
    """
    number = len(key) - behind
    word = np.concatenate([np.arange(before), inner.word + before, np.arange(number, len(key))])  # of each piece
    equal, last = (
        np.concatenate([word[:before], np.where(own < 0, -1, own + before), np.arange(word.size - behind, word.size)])
        for own in (inner.partner, inner.partner_last)
    )
    far, written = (
        np.cumsum([*map(len, words[:before]), *inner.lengths[side], *map(len, words[len(words) - behind :])])
        for side, words in enumerate((key, response))
    )
    n_reached = _pieces_reached(equal, last, far, written)
    return int(word[n_reached - 1]) + 1 if n_reached else 0


def _pieces_reached(equal: Ints, last: Ints, far: Ints, written: Ints) -> int:
    """Return how many pieces a response reaches.

    Args:
        equal: int64 (M,) number of the piece that each piece of the response is equal to, or -1.
        last: int64 (M,) last piece that it is, the same.
        far: int64 (N,) how many characters the key has up to each of its pieces.
        written: int64 (M,) how many the response has.
    """
    starts = run_starts(equal - np.arange(equal.size))
    ends = np.append(starts[1:], equal.size)[equal[starts] >= 0]
    sizes = ends - starts[equal[starts] >= 0]
    if not sizes.size:
        n_reached = int(last.max(initial=-1)) + 1
        return n_reached if n_reached and 2 * written[-1] >= far[n_reached - 1] else 0
    ends = ends[sizes >= min(SURE, sizes.max())]
    if sizes.max() < SURE:
        ends = ends[2 * written[ends - 1] >= far[equal[ends - 1]]]
    if not ends.size:
        return 0
    stop = int(ends[-1])
    return min(far.size, int(equal[stop - 1]) + 1 + equal.size - stop)


def _align(key: Sequence[str], response: Sequence[str], n_equal: int) -> _Aligned | None:
    """Align the words of two texts by their pieces, where as many words as ``n_equal`` are equal before and after."""
    number_of: dict[str, int] = {}
    a, b = (_pieces_of(words, number_of) for words in (key, response))
    n_few = min(a.text.size, b.text.size)
    partner = partners(a.text, b.text, n_few // MOST_LOST + FEW)
    if partner is None:
        return None
    for place, piece in _drawn_near(partner, a.text, b.text):
        partner[place] = piece
    first, last, stays = _pair_between(partner, a.text, b.text, list(number_of))
    if n_few - np.count_nonzero(stays) > (n_few + n_equal) // 2 + FEW // 100:
        return None
    linked = first >= 0
    words = b.word[linked]
    firsts, lasts, equal = (np.full(len(response), -1) for _ in range(3))
    lasts[words] = a.word[last[linked]]  # of several pieces of a word, NumPy keeps the last
    firsts[words[::-1]] = a.word[first[linked]][::-1]
    reached, kept = (_marked(first, last, chosen, a.text.size) for chosen in (linked, stays))
    is_here, is_other = _any_of(reached, a.word, len(key)), _any_of(~kept, a.word, len(key))
    is_new, is_word = _any_of(~linked, b.word, len(response)), _any_of(kept | ~kept, a.word, len(key))
    alone = np.flatnonzero((firsts >= 0) & (firsts == lasts) & ~is_new)
    alone = alone[~is_other[firsts[alone]]]
    equal[alone] = firsts[alone]
    counts = [int(np.count_nonzero(which)) for which in (is_here & is_other, is_word & ~is_here, is_new)]
    lengths = np.array([*map(len, number_of)])
    return _Aligned(firsts, lasts, equal, counts, partner, last, a.word, (lengths[a.text], lengths[b.text]))


def _any_of(chosen: Bools, word: Ints, n: int) -> Bools:
    """Return whether any piece of each of n words is chosen."""
    result = np.zeros(n, np.bool_)
    result[word[chosen]] = True
    return result


def _marked(first: Ints, last: Ints, chosen: Bools, n: int) -> Bools:
    """Return which of n places are in the chosen ones of some ranges."""
    result = np.zeros(n, np.bool_)
    result[ranges(first[chosen], last[chosen] - first[chosen] + 1)] = True
    return result


def _pieces_of(words: Sequence[str], number_of: dict[str, int]) -> _Pieces:
    """Cut words into pieces, whose texts get the numbers in a dictionary that grows."""
    code_of: dict[str, int] = {}
    code = np.array([code_of.setdefault(word, len(code_of)) for word in words], np.int64)
    pieces = [PIECE.findall(word) for word in code_of]
    numbers = np.array([number_of.setdefault(piece, len(number_of)) for each in pieces for piece in each], np.int64)
    place = bounds_of(pieces)
    lengths = np.diff(place)[code]
    return _Pieces(numbers[ranges(place[code], lengths)], np.arange(len(words)).repeat(lengths))


def _pair_between(partner: Ints, a: Ints, b: Ints, texts: Sequence[str]) -> tuple[Ints, Ints, Bools]:
    """Pair the pieces between those that stay.

    Args:
        partner: int64 (M,) the piece of the key that each piece of the response is, or -1.
        a: int64 (N,) numbers of the texts of the key's pieces.
        b: int64 (M,) the same, of the response's.
        texts: the text of each number.

    Returns:
        int64 (M,) first and last piece of the key that each piece of the response is, or -1; and bool (M,) whether its
        characters stay.
    """
    first, last, stays = partner.copy(), partner.copy(), partner >= 0
    at = np.concatenate([[-1], np.flatnonzero(stays), [b.size]])
    place = np.concatenate([[-1], partner[stays], [a.size]])
    for gap in np.flatnonzero((np.diff(at) > 1) & (np.diff(place) > 1)).tolist():
        i, j = int(place[gap]) + 1, int(at[gap]) + 1
        key, response = ([texts[n] for n in part.tolist()] for part in (a[i : place[gap + 1]], b[j : at[gap + 1]]))
        pairs = np.array(_pairs(key, response, at_start=gap == 0)).reshape(-1, 4)
        own = j + pairs[:, 0]
        first[own], last[own], stays[own] = i + pairs[:, 1], i + pairs[:, 2], pairs[:, 3]
    return first, last, stays


def _pairs(key: list[str], response: list[str], at_start: bool) -> list[tuple[int, int, int, bool]]:
    """Pair some pieces: by their characters, as far as these are the same at the beginning or end; others one by one.

    These are the first ones of the side that has more, or the last ones, where more of them begin alike.

    Args:
        key: pieces between two that stay.
        response: the same.
        at_start: whether nothing is before them, so that the last ones are nearer to what stays.

    Returns:
        Number of a piece of the response, first and last piece that it is, and whether its characters stay.
    """
    n, m = _alike(key, response)
    n_rest, m_rest = len(key) - n, len(response) - m
    n_end, m_end = _alike(*([piece[::-1] for piece in reversed(part)] for part in (key[n:], response[m:])))
    pairs = []
    for begin, own, stop in ((0, 0, m), (len(key) - n_end, len(response) - m_end, len(response))):
        ends = [*accumulate(map(len, key[begin:]))]
        at = 0
        for k in range(own, stop):
            left, at = at, at + len(response[k])
            pairs.append((k, begin + bisect_right(ends, left), begin + bisect_right(ends, at - 1), True))
    n_rest, m_rest = n_rest - n_end, m_rest - m_end
    both = min(n_rest, m_rest)
    inner = key[n : n + n_rest], response[m : m + m_rest]
    backwards = [side[::-1] for side in inner]
    n_left, n_right = (sum(x[0] == y[0] for x, y in zip(*sides, strict=False)) for sides in (inner, backwards))
    if n_right > n_left - at_start:
        n, m = n + n_rest - both, m + m_rest - both
    return [*pairs, *((m + k, n + k, n + k, False) for k in range(both))]


def _alike(key: Sequence[str], response: Sequence[str]) -> tuple[int, int]:
    """Return how many pieces of each side there are up to the last place where both have had the same characters."""
    one, other = "".join(key), "".join(response)
    n_common = _first_different(one, other, min(len(one), len(other)))
    number_at = {end: n for n, end in enumerate(accumulate(map(len, key)), 1)}
    ends = enumerate(accumulate(map(len, response)), 1)
    return max(((number_at[end], m) for m, end in ends if end <= n_common and end in number_at), default=(0, 0))


def find_strings(key: Sequence[str], strings: Sequence[str], places: Sequence[int]) -> tuple[Ints, Ints]:
    """Find some occurrences of strings among words.

        >>> [words.tolist() for words in find_strings("a b , a b".split(), ["a b", "b,", "b a"], [1, 0, 0])]
        [[3, 1, -1], [4, 2, -1]]

    Args:
        key: N words.
        strings: M strings.
        places: which occurrence of each, from 0.

    Returns:
        int64 (M,) first and last word of each; -1 for one that is not there.
    """
    number_of: dict[str, int] = {}
    pieces = _pieces_of(key, number_of)
    at, text = dict[int, list[int]](), pieces.text.tolist()
    for k, number in enumerate(text):
        at.setdefault(number, []).append(k)
    where: dict[str, list[int]] = {}
    result = np.full((2, len(strings)), -1)
    for m, (string, place) in enumerate(zip(strings, places, strict=True)):
        own = [number_of.get(piece, -1) for piece in PIECE.findall(string)]
        if string not in where:
            where[string] = [k for k in at.get(own[0] if own else -1, ()) if text[k : k + len(own)] == own]
        if place < len(where[string]):
            k = where[string][place]
            result[:, m] = pieces.word[k], pieces.word[k + len(own) - 1]
    return result[0], result[1]
