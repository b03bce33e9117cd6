"""The words of a tagged file, with their tags, sentences and documents, and how those of two files are aligned.

Two texts are aligned into segments: pairs of gold and system words, and words that the other side lacks.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from arraycoref.errors import InputError
from arraycoref.ragged import Bools, Ints, bounds, bounds_of, owners

T = TypeVar("T", bound=Hashable)

ZS = dict.fromkeys([0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000])
"""The spaces, which are the characters of the Unicode class Zs, as a table with which `str.translate` removes them."""

MAX_REGION = 1 << 26
"""Limit on gold words times system words in a run of overlapping multiword tokens: a table of so many cells is filled.
"""


@dataclass(eq=False)
class TaggedText:
    """The W words of one side (gold or system), in S sentences and D documents; only the reader of a file changes it.

    Attributes:
        source: the file as the user named it.
        forms: (W,) form of each word.
        lines: (W,) line of each word, from 1.
        tags: (T,) tags of all words, word by word, each once; in CoNLL-U, ``UPOS TAB XPOS TAB FEATS``.
        tag_offsets: (W+1,) word w has the tags ``tags[tag_offsets[w]:tag_offsets[w + 1]]``.
        tokens: (K,) form of each token: a word, or a multiword token.
        multiword: (K,) number of words of each multiword token; 0 for a token that is a word.
        sentences: (S+1,) sentence s has the words ``sentences[s]:sentences[s + 1]``.
        documents: (D+1,) document d has the sentences ``documents[d]:documents[d + 1]``.
        document_names: (D,) may repeat.
    """

    source: str
    forms: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    tag_offsets: list[int] = field(default_factory=lambda: [0])
    tokens: list[str] = field(default_factory=list)
    multiword: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=lambda: [0])
    documents: list[int] = field(default_factory=lambda: [0])
    document_names: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.forms)

    def add(self, form: str, tags: Iterable[str], line: int) -> None:
        """Add a word that is a token, with each of its tags once."""
        self.forms.append(form)
        self.lines.append(line)
        self.tags += dict.fromkeys(tags)
        self.tag_offsets.append(len(self.tags))
        self.tokens.append(form)
        self.multiword.append(0)

    def end_sentence(self) -> None:
        """End the sentence, if it has words."""
        if self.sentences[-1] < len(self.forms):
            self.sentences.append(len(self.forms))

    def end_document(self, name: str = "") -> None:
        """End the sentence; and the document, if it has sentences. One without a name is called by its number."""
        self.end_sentence()
        if self.documents[-1] < len(self.sentences) - 1:
            self.documents.append(len(self.sentences) - 1)
            self.document_names.append(name or f"document {len(self.document_names) + 1}")

    @property
    def tag_names(self) -> tuple[str, ...]:
        """The V distinct tags, in the order in which they appear."""
        return tuple(dict.fromkeys(self.tags))

    @cached_property
    def pieces(self) -> list[str]:
        """The tokens without spaces: the text that is compared."""
        return [token if token.isascii() and " " not in token else token.translate(ZS) for token in self.tokens]

    @cached_property
    def spans(self) -> tuple[Ints, Ints, Bools]:
        """The places of the words in the text without spaces.

        int64 (W,) the first character of each word, or of the multiword token of which it is a part; int64 (W,) the
        one after its last; bool (W,) whether it is part of a multiword token.
        """
        characters, n_words = bounds_of(self.pieces), np.array(self.multiword, np.int64)
        token = owners(bounds(np.maximum(n_words, 1)))  # of each word
        return characters[token], characters[token + 1], n_words[token] > 0


def numbered(items: Iterable[T], ids: dict[T, int]) -> list[int]:
    """Return the numbers of items; an item that is not in ``ids`` is added to it with the next number."""
    return [ids.setdefault(item, len(ids)) for item in items]


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """Make names differ: the second ``x`` becomes ``x#2``."""
    seen: dict[str, int] = {}
    unique: dict[str, None] = {}
    for name in names:
        seen[name] = n = seen.get(name, 0) + 1
        candidate = name if n == 1 else f"{name}#{n}"
        while candidate in unique:
            candidate += "'"
        unique[candidate] = None
    return tuple(unique)


@dataclass(frozen=True, eq=False)
class Segments:
    """The N segments of two texts, in the order of the text.

    Attributes:
        gold_word: int64 (N,) gold word of each segment, -1 where only the system has a word.
        system_word: int64 (N,) system word of each segment, -1 where only gold has a word.
        sentence: int64 (N,) gold sentence of each segment; for an unaligned system word, that of the gold word before.
    """

    gold_word: Ints
    system_word: Ints
    sentence: Ints


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
        return Segments(np.arange(len(gold), dtype=np.int64), nothing, owners(np.array(gold.sentences)))
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


def common_words(gold: list[str], system: list[str]) -> list[tuple[int, int]]:
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
    pairs: list[tuple[int, int]] = []
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


def _segments(gold: TaggedText, system: TaggedText, pairs: Ints) -> Segments:
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
    sentence = owners(np.array(gold.sentences))
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
