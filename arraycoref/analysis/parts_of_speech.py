"""Find the parts of speech of mentions in columns of tags, and their heads in trees of constituents.

| the head of | is that of the first of these children that it has |
|---|---|
| a noun phrase (NP, NML, NX, WHNP) | the last noun, name, NML or NX; the first NP or WHNP; the last |
| any other constituent | the first VP; verb; clause (S, SBAR, SBARQ, SINV, SQ); noun phrase; the last |

Punctuation and particles, such as the possessive *'s*, are last only if nothing else is. The rules of noun phrases are
those of Collins (1999), appendix A, in short; as in Universal Dependencies, a preposition is not a head.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise

import numpy as np

from arraycoref.ragged import Ints, bounds_of
from arraycoref.read.documents import Documents
from arraycoref.read.layers import NOTHING, Cells
from arraycoref.read.mentions import BITS, EMPTY, UPOS

OF_PENN = (
    *("ADJ JJ JJR JJS AFX", "ADP IN RP", "ADV RB RBR RBS WRB", "AUX MD", "CCONJ CC", "DET DT PDT WDT", "INTJ UH"),
    *("NOUN NN NNS", "NUM CD", "PART POS TO", "PRON PRP PRP$ WP WP$ EX", "PROPN NNP NNPS", "SYM $ # SYM"),
    *("PUNCT . , : `` '' ( ) -LRB- -RRB- HYPH NFP", "VERB VB VBD VBG VBN VBP VBZ", "X ADD FW GW LS XX"),
)
"""Universal parts of speech, each with its tags of the Penn Treebank and of OntoNotes, as Universal Dependencies map
these, but for possessive pronouns, which are pronouns here."""

TAG_SETS: tuple[Mapping[str, str], ...] = (
    {tag: upos for upos, *tags in map(str.split, OF_PENN) for tag in tags},
    {upos: upos for upos in UPOS},
)
"""The universal part of speech of each tag, in the tag sets that are known."""

MOST_OTHER = 0.01
"""Largest share of words with tags that a tag set does not have: OntoNotes has a few."""

NOUN_PHRASES = {"NP", "NML", "NX", "WHNP"}
RULES = (
    ((1, {"VP"}), (1, {"VERB", "AUX"}), (1, {"S", "SBAR", "SBARQ", "SINV", "SQ"}), (1, NOUN_PHRASES)),
    ((-1, {"NOUN", "PROPN", "NML", "NX"}), (1, {"NP", "WHNP"})),
)
"""For other constituents and for noun phrases: the step through the children, and labels or parts of speech."""


Note = Callable[[int, str, str], None]
"""Notes what happened to so many things, as `arraycoref.options.policies.Policies.note` does."""


def add_tagged(
    upos: Ints, sides: Sequence[Documents], offsets: Ints, spans: tuple[Ints, Ints], nodes: Ints, note: Note
) -> None:
    """Add the parts of speech that tags give to the mentions of documents without any; change ``upos`` in place.

    A document has the tags of the first side that has any. All tags of a side are of one set of `TAG_SETS`, or count
    for nothing.

    Args:
        upos: int64 (M,) the part of speech of each mention, a position in `UPOS`; -1 for none.
        sides: (1+S,) the D documents of key and responses.
        offsets: int64 (D+1,) document d has the mentions ``offsets[d]:offsets[d + 1]``.
        spans: int64 (M,) first and last word of each mention.
        nodes: int64 (M,) the node of its head, see `BITS`; 0 if the files do not say it.
        note: called for documents with tags of another set.
    """
    ends = enumerate(pairwise(offsets.tolist()))
    untagged = {d: slice(a, b) for d, (a, b) in ends if a < b and (upos[a:b] < 0).all()}
    for side in sides:
        tagged = {d: cells for d in untagged if (cells := side.text[d].cells("pos"))}
        counts = Counter(chain.from_iterable(chain.from_iterable(tagged.values())))
        n = {tag: count for tag, count in counts.most_common() if tag not in NOTHING}
        most = MOST_OTHER * sum(n.values())
        known = next((names for names in TAG_SETS if sum(n[tag] for tag in n.keys() - names) <= most), {})
        for d, cells in tagged.items() if known else ():
            rows, names = untagged[d], [known.get(tag, "") for tag in chain.from_iterable(cells)]
            heads = heads_of_spans(side.text[d].cells("parse"), names, spans[0][rows], spans[1][rows])
            if side.text[d].has_tree:  # otherwise heads are first words, see `Mentions.with_nodes`
                heads = np.where(nodes[rows] > 0, (nodes[rows] >> BITS) - 1, heads)
            heads[nodes[rows] & EMPTY != 0] = len(names)  # tags are those of words
            codes = np.array([*(UPOS.index(name) if name else -1 for name in names), -1])
            upos[rows] = codes[np.minimum(heads, len(names))]
        if not known:
            tag = min(n, key=lambda tag: sum(tag in names for names in TAG_SETS))
            what = f"with tags such as {tag!r}, neither Penn's nor universal: no kinds of mentions are known"
            note(len(tagged), "document", what)
        untagged = {d: rows for d, rows in untagged.items() if d not in tagged}


def heads_of_spans(bits: Cells, upos: Sequence[str], first: Ints, last: Ints) -> Ints:
    """Return the head of the smallest constituent that covers each span, int64 (N,); or the last word of the span.

    It is the last word where the constituent's head is not in the span, and where there is no tree.

    Args:
        bits: the bit of the parse of each word, sentence by sentence; nothing for no trees.
        upos: (W,) the part of speech of each word of the document.
        first: int64 (N,) first word of each span, from 0.
        last: int64 (N,) last word, inclusive.
    """
    starts, heads, trees = bounds_of(bits), last.copy(), dict[int, dict[tuple[int, int], int]]()
    sentence = starts.searchsorted(last, "right") - 1
    several = (first < last) & (last < starts[-1]) & (first >= starts[sentence])
    for k in np.flatnonzero(several).tolist():
        s = int(sentence[k])
        begin, end = starts[s : s + 2].tolist()
        if s not in trees:
            trees[s] = heads_of_constituents(bits[s], upos[begin:end])
        span = int(first[k]) - begin, int(last[k]) - begin
        covering = [span] if span in trees[s] else [(a, b) for a, b in trees[s] if a <= span[0] and span[1] <= b]
        head = trees[s][min(covering, key=lambda ends: ends[1] - ends[0])] if covering else -1
        if span[0] <= head <= span[1]:
            heads[k] = begin + head
    return heads


def heads_of_constituents(bits: Sequence[str], upos: Sequence[str]) -> dict[tuple[int, int], int]:
    """Return the head of each constituent of a sentence by its first and last word; nothing if the bits are not tree.

    >>> heads_of_constituents(["(S(NP*", "*)", "(VP*))"], ["DET", "NOUN", "VERB"])
    {(0, 1): 1, (2, 2): 2, (0, 2): 2}

    Args:
        bits: the bit of each word: the constituents that begin there, a star for the word, and the brackets that close.
        upos: the part of speech of each word.
    """
    heads = dict[tuple[int, int], int]()
    opened: list[tuple[str, int, list[tuple[str, int]]]] = [("", 0, [])]
    for word, bit in enumerate(bits):
        begins, _, ends = bit.partition("*")
        opened += [(label.partition("-")[0], word, []) for label in begins.split("(")[1:]]
        opened[-1][2].append((upos[word], word))
        for _ in range(ends.count(")")):
            label, first, children = opened.pop()
            if not opened:
                return {}
            head = _head(label, children)
            heads.setdefault((first, word), head)
            opened[-1][2].append((label, head))
    return heads if len(opened) == 1 else {}


def _head(label: str, children: Sequence[tuple[str, int]]) -> int:
    """Return the head of a constituent from the labels and heads of its children; see the rules above."""
    for step, labels in RULES[label in NOUN_PHRASES]:
        for child, head in children[::step]:
            if child in labels:
                return head
    return next((head for child, head in children[::-1] if child not in ("PUNCT", "PART")), children[-1][1])
