"""Align two tagged texts into segments: pairs of gold and system words, and words that the other side lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.tagging.texts import ZS, TaggedText, numbered, owners

MAX_REGION = 1 << 26
"""Limit on gold words times system words in a run of overlapping multiword tokens: a table of so many cells is filled.
"""

Pairs = list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Segments:
    """The N segments of two texts, in the order of the text.

    Attributes:
        gold_word: int64 (N,) gold word of each segment, -1 where only the system has a word.
        system_word: int64 (N,) system word of each segment, -1 where only gold has a word.
        sentence: int64 (N,) gold sentence of each segment; for an unaligned system word, that of the gold word before.
    """

    gold_word: NDArray[np.int64]
    system_word: NDArray[np.int64]
    sentence: NDArray[np.int64]


def align(gold: TaggedText, system: TaggedText | None, max_region: int = MAX_REGION) -> Segments:
    """Align the words of two texts by their characters, as the CoNLL 2018 evaluation does.

    White space is ignored. Two words are aligned when they cover the same characters of the text. The words of a
    multiword token have no characters of their own. They are aligned by the longest common subsequence of lower-cased
    forms: in each run of overlapping multiword tokens, of either side, all words inside the run are compared. Where a
    token of one side crosses the bounds of a multiword token of the other side, the evaluation of the shared task
    includes some words beside the run, and so does this function.

    Args:
        gold: W words.
        system: V words over the same text; None leaves all gold words unaligned.
        max_region: limit on gold words times system words in a run of overlapping multiword tokens.

    Returns:
        The segments: one for each pair of aligned words, and one for each unaligned word of either side.

    Raises:
        InputError: the texts differ, and the message gives both places; or a run exceeds ``max_region``.

    Source: Zeman et al. (2018), CoNLL 2018 Shared Task; universaldependencies.org/conll18/evaluation.html.
    """
    if system is None:
        nothing = np.full(len(gold), -1, np.int64)
        return Segments(np.arange(len(gold), dtype=np.int64), nothing, owners(gold.sentences))
    if "".join(gold.pieces) != "".join(system.pieces):
        raise InputError(_difference(gold, system))
    pairs = list(_pairs(gold, system, max_region))
    return _segments(gold, system, np.array(pairs, np.int64).reshape(-1, 2))


def _pairs(gold: TaggedText, system: TaggedText, max_region: int) -> Iterator[tuple[int, int]]:
    """Yield the gold and system words that are aligned, in order.

    Where tokens overlap in ways that the page of the shared task does not describe, regions begin and end as in the
    task's evaluation, to give the same numbers.
    """
    gold_start, gold_end, gold_multiword = (each.tolist() for each in gold.spans)
    system_start, system_end, system_multiword = (each.tolist() for each in system.spans)
    n, m = len(gold), len(system)
    g = s = 0
    while g < n and s < m:
        if not gold_multiword[g] and not system_multiword[s]:
            if gold_start[g] == system_start[s] and gold_end[g] == system_end[s]:
                yield g, s
                g, s = g + 1, s + 1
            elif gold_start[g] <= system_start[s]:
                g += 1
            else:
                s += 1
            continue
        # A region begins with the multiword token; one plain word of the other side that begins before it is left out.
        if gold_multiword[g]:
            last = gold_end[g]
            s += not system_multiword[s] and system_start[s] < gold_start[g]
        else:
            last = system_end[s]
            g += gold_start[g] < system_start[s]
        first_g, first_s = g, s
        # The region grows with each multiword token that begins inside it. Words are added in the order of the text.
        while True:
            in_gold = g < n and (gold_start[g] < last if gold_multiword[g] else gold_end[g] <= last)
            in_system = s < m and (system_start[s] < last if system_multiword[s] else system_end[s] <= last)
            if not in_gold and not in_system:
                break
            if g < n and (s >= m or gold_start[g] <= system_start[s]):
                if gold_multiword[g]:
                    last = max(last, gold_end[g])
                g += 1
            else:
                if system_multiword[s]:
                    last = max(last, system_end[s])
                s += 1
        forms = _forms(gold, gold_multiword, first_g, g), _forms(system, system_multiword, first_s, s)
        if len(forms[0]) * len(forms[1]) > max_region:
            places = f"{gold.source}:{gold.lines[first_g]} and {system.source}:{system.lines[first_s]}"
            raise InputError(f"multiword tokens too long to compare: from {places}")
        yield from ((first_g + i, first_s + j) for i, j in common_words(*forms))


def _forms(text: TaggedText, multiword: list[bool], first: int, after: int) -> list[str]:
    """Return the lower-cased forms of words; those outside of multiword tokens lose their spaces, as in the text."""
    words = range(first, after)
    return [text.forms[w].lower() if multiword[w] else text.forms[w].lower().translate(ZS) for w in words]


def common_words(gold: list[str], system: list[str]) -> Pairs:
    """Return the places of a longest common subsequence of two lists of forms.

    >>> common_words(["a", "b", "c"], ["a", "x", "c"])
    [(0, 0), (2, 2)]
    """
    if gold == system:
        return [(i, i) for i in range(len(gold))]
    ids: dict[str, int] = {}
    ours, theirs = (np.array(numbered(forms, ids), np.int64) for forms in (gold, system))
    longest = np.zeros((len(gold) + 1, len(system) + 1), np.int32)  # from each place to the ends
    for g in reversed(range(len(gold))):
        below = longest[g + 1]
        best = np.where(theirs == ours[g], below[1:] + 1, below[:-1])
        longest[g, :-1] = np.maximum.accumulate(best[::-1])[::-1]
    pairs: Pairs = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g] == system[s]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif longest[g + 1, s] == longest[g, s]:
            g += 1
        else:
            s += 1
    return pairs


def _segments(gold: TaggedText, system: TaggedText, pairs: NDArray[np.int64]) -> Segments:
    """Put aligned pairs and unaligned words in the order of the text."""
    partner = np.full(len(gold), -1, np.int64)
    partner[pairs[:, 0]] = pairs[:, 1]
    single = np.ones(len(system), bool)
    single[pairs[:, 1]] = False
    alone = np.flatnonzero(single)
    # An unaligned system word is placed after the last gold word that does not begin later; but never before the gold
    # partner of an earlier system word, nor after the gold partner of a later one.
    gold_of = np.full(len(system) + 2, -1, np.int64)
    gold_of[pairs[:, 1] + 1] = pairs[:, 0]
    least = np.maximum.accumulate(gold_of)[alone + 1] + 1
    most = np.minimum.accumulate(np.where(gold_of < 0, len(gold), gold_of)[::-1])[::-1][alone + 1]
    before = np.clip(np.searchsorted(gold.spans[0], system.spans[0][alone], side="right"), least, most)
    gold_word = np.insert(np.arange(len(gold), dtype=np.int64), before, -1)
    system_word = np.insert(partner, before, alone)
    sentence = owners(gold.sentences)
    return Segments(gold_word, system_word, np.insert(sentence, before, sentence[np.maximum(before - 1, 0)]))


def _difference(gold: TaggedText, system: TaggedText) -> str:
    ours, theirs = "".join(gold.pieces), "".join(system.pieces)
    shorter = min(len(ours), len(theirs))
    at = next((n for n in range(shorter) if ours[n] != theirs[n]), shorter)
    places = []
    for text, pieces in ((gold, ours), (system, theirs)):
        word = min(int(np.searchsorted(text.spans[1], at, side="right")), len(text) - 1)
        rest = pieces[at : at + 20]
        places.append(f"{rest!r} at {text.source}:{text.lines[word]}" if rest else f"the end of {text.source}")
    return f"the texts differ: {places[0]}, {places[1]}; words can be aligned only over the same characters"
