"""Choose the heads of mentions: those of the files, those that the key's trees give, or first words.

Heads that two rules made do not match: gold files scored against themselves, with heads from trees on one side and
first words on the other, get some 54 instead of 100 in head matching.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from arraycoref.exceptions import InputError, OptionError
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints, Ints32, bounds_of, number_rows, owners, ranges, run_starts
from arraycoref.read.documents import Documents
from arraycoref.read.mentions import BITS, EMPTY, Mentions
from arraycoref.read.problems import ProblemLog

Trees = tuple[Ints, Ints]
"""Int64 (D+1,) where documents begin; int64 (W,) the parent of each word, a word of its document from 1, or 0."""

MOST_OTHER = 0.1
"""Largest share of the mentions of equal words that may have other heads without a warning."""

CHANCE = 1e-6
"""If all heads of a side are first words, and this had a probability below `CHANCE`, the sides used different rules."""


def with_heads(key: Documents, response: Documents, policies: Policies) -> tuple[Documents, Documents]:
    """Return both sides with the heads that the policy says.

    Args:
        key: D documents.
        response: the same documents in the same order.
        policies: for heads and the matching; mentions that cross sentences are noted.

    Raises:
        OptionError: a side has no heads, and the matching needs them; or the key has no trees to find heads in.
        InputError: the sides made their heads by two rules, which head matching would punish.
    """
    if key.have_trees and (response.mentions.sentence is None or not response.mentions.has_heads):
        response = _in_sentences(key, response, policies)
    if policies.heads in ("first", "key-tree"):
        trees = _trees(key) if policies.heads == "key-tree" else None
        return _replaced(key, trees), _replaced(response, trees)
    for side, matchings in ((key, ("head", "partial")), (response, ("head",))):
        if not side.mentions.has_heads and policies.matching in matchings:
            reason = f"matching {policies.matching!r} needs the heads of mentions, which are in CoNLL-U only, not in"
            file = next(filter(None, side.files), "a side without documents")
            way = "key-tree' finds them in the key's trees" if key.have_trees else "first' takes first words"
            raise OptionError(f"{reason} {file}; heads='{way}", {"heads": way.partition("'")[0]})
    key, response = (replace(side, mentions=side.mentions.with_nodes()) for side in (key, response))
    if policies.matching == "head" and policies.heads == "agreed":
        _check_rules(key, response)
    return key, response


def _in_sentences(key: Documents, response: Documents, policies: Policies) -> Documents:
    """Return a response of spans with the sentences of mentions that the key's text gives; note those of several."""
    lengths = [[*map(len, key.text[d].sentences() or [])] for d in range(len(key))]
    n_words = np.cumsum([0, *map(sum, lengths)])
    counts = np.array([*map(len, lengths)])
    sentence = ranges(np.zeros_like(counts), counts).repeat([*chain.from_iterable(lengths)])
    mentions = response.mentions
    words = mentions.start.astype(np.int64), mentions.end.astype(np.int64)
    first, last = (_of_word(sentence, n_words, mentions.document, word) for word in words)
    crosses = first != last
    if crosses.any():
        m = int(crosses.argmax())
        document = response.names[mentions.document[m]]
        which = f"words {mentions.start[m]}-{mentions.end[m]} of document {document!r}"
        what = f"of two sentences, which match no other; the first is {which}"
        policies.note(int(np.count_nonzero(crosses)), "mention", what)
    return replace(response, mentions=replace(mentions, sentence=np.where(crosses, -1, first)))


def _check_rules(key: Documents, response: Documents) -> None:
    """Refuse sides that used different rules: heads of one side are all first words, those of the other are not."""
    n_several, n_first = [], []
    for side in (key, response):
        several = side.mentions.size > 1
        n_several.append(int(np.count_nonzero(several)))
        n_first.append(int(np.count_nonzero(several & (side.mentions.head == side.mentions.first))))
    for one, side in enumerate((key, response)):
        n, m = n_several[one], n_several[1 - one]
        share = (n_first[1 - one] + 1) / (m + 2)  # Laplace's rule
        if n == n_first[one] and share**n < CHANCE:
            file = next(filter(None, side.files), "")
            raise InputError(
                f"the heads of all {n:,} mentions of several words in {file} are their first words, but on the other "
                f"side {n_first[1 - one]:,} of {m:,}: heads made by two rules do not match. heads='key-tree' finds "
                "them in the key's trees for both sides, heads='first' takes first words, heads='file' goes on",
                option="heads",
            )


def warn_other_heads(key: Mentions, response: Mentions, codes: Sequence[Ints], file: str, problems: ProblemLog) -> None:
    """Warn if mentions of equal words have other heads: two rules made them.

    Args:
        key: K mentions of the key.
        response: R mentions of the response.
        codes: int64 (K,) and (R,), equal in a document for equal words.
        file: name of the response, for the message.
        problems: receives the warning.
    """
    number = number_rows([np.concatenate([key.document, response.document]), np.concatenate(codes)])[1]
    _, i, j = np.intersect1d(number[: len(key)], number[len(key) :], return_indices=True)
    several = key.size[i] > 1
    n, n_other = np.count_nonzero(several), np.count_nonzero(several & (key.head[i] != response.head[j]))
    if n_other > MOST_OTHER * n:
        reason = f"{n_other:,} of {n:,} mentions of equal words have another head than in the key, and do not match: "
        reason += "heads='key-tree' finds heads in the key's trees for both sides, heads='file' does not warn"
        problems.warning(file, None, reason, "heads")


def _trees(key: Documents) -> Trees:
    """Return the trees of the key's words, one document after the other.

    Raises:
        OptionError: a document without trees.
    """
    parents = [key.text[d].tree() for d in range(len(key))]
    d = next((d for d, tree in enumerate(parents) if tree is None and key.n_tokens[d]), None)
    if d is not None:
        reason = f"heads 'key-tree' needs trees, which {key.files[d]} does not have; heads='first' takes first words"
        raise OptionError(reason, {"heads": "first"})
    nothing = np.zeros(0, np.int64)
    trees = [nothing if tree is None else tree for tree in parents]
    return bounds_of(trees), np.concatenate([nothing, *trees])


def _replaced(side: Documents, trees: Trees | None) -> Documents:
    """Return a side with the heads that the key's trees give its mentions, or with first nodes as heads."""
    mentions = side.mentions.with_nodes()
    head = mentions.first if trees is None else _first_heads(mentions, trees)
    deps = np.where(head == mentions.head, mentions.deps, "")  # of another head they are not known
    return replace(side, mentions=replace(mentions, head=head, deps=deps))


def _first_heads(mentions: Mentions, trees: Trees) -> Ints:
    """Return the first word of each mention whose parent is not in the mention, as a node, int64 (M,); or its first."""
    offsets, parents = trees
    of_words = np.flatnonzero(mentions.parts[:, 0] & EMPTY == 0)
    owner, (first, last) = owners(mentions.part_bounds)[of_words], mentions.parts[of_words].T >> BITS
    width = int(max(last.max(initial=0), parents.max(initial=0))) + 1
    begins, head = owner * width + first, mentions.first.copy()
    part = run_starts(owner)
    word = first[part]
    while part.size:
        mention = owner[part]
        parent = _of_word(parents, offsets, mentions.document[mention], word - 1)
        holder = begins.searchsorted(mention * width + parent, "right") - 1
        is_inside = (holder >= 0) & (owner[holder] == mention) & (parent <= last[holder])
        head[mention[~is_inside]] = word[~is_inside] << BITS
        part, word, mention = part[is_inside], word[is_inside] + 1, mention[is_inside]
        is_behind = word > last[part]
        part = part + is_behind
        goes_on = np.append(owner, -1)[part] == mention
        part, word, is_behind = part[goes_on], word[goes_on], is_behind[goes_on]
        word = np.where(is_behind, first[part], word)
    return head


def _of_word(values: Ints, offsets: Ints, document: Ints32, word: Ints) -> Ints:
    """Look up the value of words, from 0 in their documents; 0 where the document has fewer words."""
    place = offsets[document] + word
    is_inside = (word >= 0) & (place < offsets[document + 1])
    return np.where(is_inside, np.append(values, 0)[np.where(is_inside, place, values.size)], 0)
