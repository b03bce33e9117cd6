"""Words and tags as the CoNLL 2018 evaluation compares them: characters without spaces, sets, lists and recursion.

Source: Zeman et al. (2018), CoNLL 2018 Shared Task, and universaldependencies.org/conll18/evaluation.html. The page
states that words are aligned by their characters, and inside multiword tokens by the longest common subsequence of
lower-cased forms within the span that these tokens cover. `by_spans` does this. But the evaluation program goes through
both texts in order, and includes more words if tokens cross the bounds of a multiword token. `in_order` does this; a
test compares it with recorded output of the program in ``tests/golden``.
"""

import unicodedata
from collections import deque
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import NamedTuple

UNIVERSAL = {
    "PronType",
    "NumType",
    "Poss",
    "Reflex",
    "Foreign",
    "Abbr",
    "Gender",
    "Animacy",
    "Number",
    "Case",
    "Definite",
    "Degree",
    "VerbForm",
    "Mood",
    "Tense",
    "Aspect",
    "Voice",
    "Evident",
    "Polarity",
    "Person",
    "Polite",
}


class Word(NamedTuple):
    """A word: the first character of its token and the one after the last, its form, its tags."""

    start: int
    end: int
    form: str
    multiword: bool
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"

    @property
    def characters(self):
        return frozenset(range(self.start, self.end))


def without_spaces(text):
    return "".join(c for c in text if unicodedata.category(c) != "Zs")


def read(text):
    """Read CoNLL-U; return the characters of its tokens, and its words. Empty nodes are no words."""
    characters, words, last = "", [], 0
    for line in text.split("\n"):
        if not line:
            last = 0
        elif not line.startswith("#"):
            number, form, _, upos, xpos, feats = line.split("\t")[:6]
            if "." in number:
                continue
            plain = without_spaces(form)
            if "-" in number:
                last = int(number.split("-")[1])
                span = (len(characters), len(characters) + len(plain))
                characters += plain
            elif int(number) <= last:
                words.append(Word(*span, form.lower(), True, upos, xpos, feats))
            else:
                words.append(
                    Word(len(characters), len(characters) + len(plain), plain.lower(), False, upos, xpos, feats)
                )
                characters += plain
    return characters, words


def common(gold, system):
    """Return the pairs of a longest common subsequence of (number, word) lists; equal first words are always paired."""

    @cache
    def longest(g, s):
        if g == len(gold) or s == len(system):
            return 0
        if gold[g][1].form == system[s][1].form:
            return 1 + longest(g + 1, s + 1)
        return max(longest(g + 1, s), longest(g, s + 1))

    pairs, g, s = [], 0, 0
    while g < len(gold) and s < len(system):
        if gold[g][1].form == system[s][1].form:
            pairs.append((gold[g][0], system[s][0]))
            g, s = g + 1, s + 1
        elif longest(g + 1, s) == longest(g, s):  # the rest has as long a subsequence without this gold word
            g += 1
        else:
            s += 1
    return pairs


def length_by_trying(a, b):
    """Return the length of the longest common subsequence, found by trying all subsequences of the shorter list."""
    shorter, longer = sorted((a, b), key=len)
    for size in range(len(shorter), 0, -1):
        for chosen in combinations(shorter, size):
            rest = iter(longer)
            if all(word in rest for word in chosen):
                return size
    return 0


def spans(gold, system):
    """Return the characters of each group of overlapping multiword tokens of both sides."""
    found = []
    for word in gold + system:
        if word.multiword:
            mine = word.characters
            for other in [span for span in found if span & mine]:
                found.remove(other)
                mine |= other
            found.append(mine)
    return sorted(found, key=min)


def by_spans(gold, system):
    """Align words that have the same characters; in each span, align the longest common subsequence of its words."""
    covered = frozenset().union(*spans(gold, system))
    pairs = {
        (g, s)
        for g, a in enumerate(gold)
        for s, b in enumerate(system)
        if not a.multiword and not b.multiword and a.characters == b.characters and not a.characters & covered
    }
    for span in spans(gold, system):
        inside = [[(n, word) for n, word in enumerate(side) if word.characters <= span] for side in (gold, system)]
        pairs |= set(common(*inside))
    return sorted(pairs)


def in_order(gold, system):
    """Align words in the order of the text, as the evaluation does."""
    pairs = []
    left, right = deque(enumerate(gold)), deque(enumerate(system))
    while left and right:
        (g, a), (s, b) = left[0], right[0]
        if not a.multiword and not b.multiword:
            if a.characters == b.characters:
                pairs.append((g, s))
                left.popleft(), right.popleft()
            else:
                (left if a.start <= b.start else right).popleft()
            continue
        token, other = (a, right) if a.multiword else (b, left)
        end = token.end
        if not other[0][1].multiword and other[0][1].start < token.start:
            other.popleft()
        taken = {id(left): [], id(right): []}
        while any(side and is_inside(side[0][1], end) for side in (left, right)):
            side = left if left and (not right or left[0][1].start <= right[0][1].start) else right
            taken[id(side)].append(side.popleft())
            word = taken[id(side)][-1][1]
            end = max(end, word.end) if word.multiword else end
        pairs += common(taken[id(left)], taken[id(right)])
    return pairs


def is_inside(word, end):
    return word.start < end if word.multiword else word.end <= end


def universal(feats):
    return sorted(feature for feature in feats.split("|") if feature.split("=")[0] in UNIVERSAL)


EQUAL = {
    "Words": lambda a, b: True,
    "UPOS": lambda a, b: a.upos == b.upos,
    "XPOS": lambda a, b: a.xpos == b.xpos,
    "UFeats": lambda a, b: universal(a.feats) == universal(b.feats),
    "AllTags": lambda a, b: (a.upos, a.xpos, universal(a.feats)) == (b.upos, b.xpos, universal(b.feats)),
}


def evaluate(gold_text, system_text, align=in_order):
    """Score two files: for each measure, the numbers of correct, gold, system and aligned words."""
    (gold_characters, gold), (system_characters, system) = read(gold_text), read(system_text)
    if gold_characters != system_characters:
        raise ValueError("the texts differ")
    pairs = align(gold, system)
    return {
        name: [sum(equal(gold[g], system[s]) for g, s in pairs), len(gold), len(system), len(pairs)]
        for name, equal in EQUAL.items()
    }


def ratios(correct, n_gold, n_system, n_aligned):
    """Return precision, recall, F1 and accuracy on aligned words; each is 0 if there are no words."""

    def ratio(a, b):
        return Fraction(a, b) if b else Fraction(0)

    return (
        ratio(correct, n_system),
        ratio(correct, n_gold),
        ratio(2 * correct, n_gold + n_system),
        ratio(correct, n_aligned),
    )
