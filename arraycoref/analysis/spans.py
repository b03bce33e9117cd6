"""Find mentions that differ from one of the key in their span only."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from arraycoref.analysis.index import KEY, MentionIndex
from arraycoref.errors import OptionError, check_name
from arraycoref.ragged import Ints, join

SPANS = ("head", "text", "none")
"""How they are found: by their head; by their text without articles and punctuation first, then by their head; not."""


def span_errors(index: MentionIndex, side: int, how: str) -> Ints:
    """Pair mentions of the key that the response lacks with mentions that only the response has.

    By ``head``, two are a pair if no other such mention of their sides has this head. It is the head that files give,
    otherwise the last word. By ``text``, two of one sentence are a pair before that if they are equal without ``the``
    (in lower case) and punctuation in front, and without ``'s`` and punctuation behind; the first of several is taken.
    That is for English. A punctuation mark is a word of one character that is no letter.

    Args:
        index: the index of M mentions.
        side: side of the response.
        how: one of `SPANS`.

    Returns:
        int64 (2, P) mentions of the key and of the response.

    Raises:
        OptionError: mentions that are no spans, of which no words are known.

    Source: Kummerfeld and Klein (2013), "span error", and their program, which takes one-character words of other
    scripts for punctuation too.
    """
    check_name("spans", how, SPANS)
    if not index.has_spans:
        raise OptionError(f"spans is {how!r}, but the mentions are no spans of words; expected spans='none'", "spans")
    in_key, in_response = index.labels[KEY] >= 0, index.labels[side] >= 0
    missing, extra = np.flatnonzero(in_key & ~in_response), np.flatnonzero(in_response & ~in_key)
    pairs = np.zeros((2, 0), np.int64)
    if how == "text":
        pairs = _of_equal_text(index, side, missing, extra)
        missing, extra = np.setdiff1d(missing, pairs[0]), np.setdiff1d(extra, pairs[1])
    heads = [index.head(which) for which in (KEY, side)]
    sides = []
    for rows, head in zip((missing, extra), heads, strict=True):
        assert head is not None
        code = index.document[rows] << 32 | head[rows]
        codes, first, n = np.unique(code, return_index=True, return_counts=True)
        sides.append((rows[first[n == 1]], codes[n == 1]))
    i, j = join(sides[0][1], sides[1][1])
    return np.concatenate([pairs, np.stack([sides[0][0][i], sides[1][0][j]])], axis=1)


def _of_equal_text(index: MentionIndex, side: int, missing: Ints, extra: Ints) -> Ints:
    """Pair mentions of one sentence by their spans without what `span_errors` strips, int64 (2, P)."""
    pairs: list[tuple[int, int]] = []
    places = [missing.searchsorted(index.offsets), extra.searchsorted(index.offsets)]
    spans = [np.stack(index.span(which), axis=1) for which in (KEY, side)]
    for d in np.flatnonzero(np.logical_and(*(np.diff(place) > 0 for place in places))).tolist():
        sentences = index.sentences(d)
        if sentences is None:
            continue
        words = [word for sentence in sentences for word in sentence]
        free: dict[tuple[int, int], list[int]] = defaultdict(list)
        for m in extra[places[1][d] : places[1][d + 1]].tolist():
            free[_stripped(words, *spans[1][m].tolist())].append(m)
        for m in missing[places[0][d] : places[0][d + 1]].tolist():
            same = free.get(_stripped(words, *spans[0][m].tolist()))
            if same:
                pairs.append((m, same.pop(0)))
    return np.array(pairs, np.int64).reshape(-1, 2).T


def _stripped(words: list[str], first: int, last: int) -> tuple[int, int]:
    """Return first and last word of a span without articles and punctuation at its ends; at least one word is left."""

    def is_mark(word: str) -> bool:
        return len(word) == 1 and not word.isalpha()

    while first < last and (words[first] == "the" or is_mark(words[first])):
        first += 1
    while first < last and (words[last] == "'s" or is_mark(words[last])):
        last -= 1
    return first, last
