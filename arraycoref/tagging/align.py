"""Align two tagged texts into segments: pairs of gold and system words, and words that the other side lacks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError
from arraycoref.tagging.texts import ZS, TaggedText, numbered, owners

MAX_REGION = 1 << 26
"""Limit on gold words times system words in a run of overlapping multiword tokens: a table of so many cells is filled.
"""


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
    from arraycoref.kernels.tag_align import align_words

    if system is None:
        nothing = np.full(len(gold), -1, np.int64)
        return Segments(np.arange(len(gold), dtype=np.int64), nothing, owners(gold.sentences))
    if not np.array_equal(gold.text, system.text):
        raise InputError(_difference(gold, system))
    gold_form, system_form = _common_forms(gold, system)
    ours = (gold.start, gold.end, gold.multiword, gold_form)
    theirs = (system.start, system.end, system.multiword, system_form)
    pairs, large_gold, large_system = align_words(ours, theirs, max_region)
    if large_gold >= 0:
        raise InputError(
            f"multiword tokens too long to compare: from {gold.source}:{gold.line[min(large_gold, len(gold) - 1)]} and "
            f"{system.source}:{system.line[min(large_system, len(system) - 1)]}"
        )
    return _segments(gold, system, pairs)


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
    before = np.clip(np.searchsorted(gold.start, system.start[alone], side="right"), least, most)
    gold_word = np.insert(np.arange(len(gold), dtype=np.int64), before, -1)
    system_word = np.insert(partner, before, alone)
    sentence = owners(gold.sentences)
    return Segments(gold_word, system_word, np.insert(sentence, before, sentence[np.maximum(before - 1, 0)]))


def _common_forms(gold: TaggedText, system: TaggedText) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the lower-cased forms of both sides together, so that equal forms have equal numbers.

    Plain words, which are outside of multiword tokens, lose their spaces first, as in ``TaggedText.text``.

    Returns:
        int32 (W,) and int32 (V,), the form of each word; all zeros if there is no multiword token, since forms are then
        not compared.
    """
    if not gold.multiword.any() and not system.multiword.any():
        return np.zeros(len(gold), np.int32), np.zeros(len(system), np.int32)
    # The forms are joined because one long string is lower-cased faster than many short ones. No form has a line feed.
    within = ["\n".join(text.forms).lower() for text in (gold, system)]
    spaced = any(not forms.isascii() or " " in forms for forms in within)
    plain = [forms.translate(ZS) for forms in within] if spaced else within
    names = [forms.split("\n") for forms in (*within, *plain)]
    ids: dict[str, int] = {}
    numbers = [np.array(numbered(forms, ids), np.int32) for forms in names]
    gold_form, system_form = (
        np.where(text.multiword, numbers[side][text.form], numbers[side + 2][text.form])
        for side, text in enumerate((gold, system))
    )
    return gold_form, system_form


def _difference(gold: TaggedText, system: TaggedText) -> str:
    shorter = min(gold.text.size, system.text.size)
    unequal = gold.text[:shorter] != system.text[:shorter]
    at = int(unequal.argmax()) if unequal.any() else shorter
    while at > 0 and at < shorter and gold.text[at] & 0xC0 == 0x80:
        at -= 1  # back to the first byte of the UTF-8 character
    places = []
    for text in (gold, system):
        word = min(int(np.searchsorted(text.end, at, side="right")), len(text) - 1)
        rest = bytes(text.text[at : at + 20]).decode("utf-8", "replace")
        places.append(f"{rest!r} at {text.source}:{text.line[word]}" if rest else f"the end of {text.source}")
    return f"the texts differ: {places[0]}, {places[1]}; words can be aligned only over the same characters"
