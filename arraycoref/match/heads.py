"""Choose the heads of mentions: those of the files, those that the key's trees give, or first words.

Heads that two rules made do not match: gold files scored against themselves, with heads from trees on one side and
first words on the other, get some 54 instead of 100 in head matching.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, OptionError
from arraycoref.match.pairs import nodes_of
from arraycoref.options.policies import Policies
from arraycoref.ragged import Ints as Integers
from arraycoref.read.documents import Documents
from arraycoref.read.nodes import BITS, Nodes

Trees = tuple[Integers, Integers]
"""Int64 (D+1,) where documents begin; int64 (W,) the parent of each word, a word of its document from 1, or 0."""

CHANCE = 1e-6
"""Heads are made by two rules if it is less likely than this that all those of one side are first words."""


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
    if key.text.have_trees and not nodes_of(response).headed:
        response = _in_sentences(key, response, policies)
    if policies.heads in ("first", "key-tree"):
        trees = _trees(key) if policies.heads == "key-tree" else None
        return _replaced(key, trees), _replaced(response, trees)
    for side, matchings in ((key, ("head", "partial")), (response, ("head",))):
        if not nodes_of(side).headed and policies.matching in matchings:
            reason = f"matching {policies.matching!r} needs the heads of mentions, which are in CoNLL-U only, not in"
            source = next(filter(None, side.sources), "a side without documents")
            raise OptionError(f"{reason} {source}; heads='key-tree' finds them in the key's trees", "heads")
    if policies.matching == "head" and policies.heads == "agreed":
        _check_rules(key, response)
    return key, response


def _in_sentences(key: Documents, response: Documents, policies: Policies) -> Documents:
    """Return a response of spans with the sentences of mentions that the key's text gives; note those of several."""
    lengths = [[*map(len, key.text.sentences(d) or [])] for d in range(len(key))]
    n_words = np.cumsum([0, *map(sum, lengths)])
    counts = np.array([*map(len, lengths)])
    numbers = np.arange(counts.sum()) - (np.cumsum(counts) - counts).repeat(counts)
    sentence = numbers.repeat([*chain.from_iterable(lengths)])
    document = np.arange(len(response)).repeat(np.diff(response.offsets))
    first, last = (
        _of_word(sentence, n_words, document, each.astype(np.int64)) for each in (response.start, response.end)
    )
    crosses = first != last
    if crosses.any():
        m = int(crosses.argmax())
        which = f"words {response.start[m]}-{response.end[m]} of document {response.names[document[m]]!r}"
        what = f"of two sentences, which match no other; the first is {which}"
        policies.note(int(np.count_nonzero(crosses)), "mention", what)
    return replace(response, nodes=replace(nodes_of(response), sentence=np.where(crosses, -1, first)))


def _check_rules(key: Documents, response: Documents) -> None:
    """Refuse sides of which one has first words only as heads, unless the other's heads make that likely."""
    n_several, n_first = [], []
    for side in (key, response):
        nodes = nodes_of(side)
        several = np.flatnonzero(nodes.size > 1)
        n_several.append(several.size)
        n_first.append(int(np.count_nonzero(nodes.head[several] == nodes.node[nodes.offsets[several]])))
    for one, side in enumerate((key, response)):
        n, m = n_several[one], n_several[1 - one]
        share = (n_first[1 - one] + 1) / (m + 2)  # Laplace's rule
        if n == n_first[one] and share**n < CHANCE:
            source = next(filter(None, side.sources), "")
            raise InputError(
                f"the heads of all {n:,} mentions of several words in {source} are their first words, but on the other "
                f"side {n_first[1 - one]:,} of {m:,}: heads made by two rules do not match. heads='key-tree' finds "
                "them in the key's trees for both sides, heads='first' takes first words, heads='file' goes on",
                option="heads",
            )


def _trees(key: Documents) -> Trees:
    """Return the trees of the key's words, one document after the other.

    Raises:
        OptionError: a document without trees.
    """
    parents = [key.text.tree(d) for d in range(len(key))]
    d = next((d for d, tree in enumerate(parents) if tree is None and key.n_tokens[d]), None)
    if d is not None:
        raise OptionError(f"heads 'key-tree' needs trees, which {key.sources[d]} does not have", "heads")
    nothing = np.zeros(0, np.int64)
    found = [nothing if tree is None else tree for tree in parents]
    return np.cumsum([0, *map(len, found)]), np.concatenate([nothing, *found])


def _replaced(side: Documents, trees: Trees | None) -> Documents:
    """Return a side with the heads that the key's trees give its mentions, or with first words as heads."""
    nodes = nodes_of(side)
    place = nodes.offsets[:-1]
    if trees is not None and place.size:
        document = np.arange(len(side)).repeat(np.diff(side.offsets))
        is_head = _are_heads(nodes, document.repeat(nodes.size), trees)
        first = np.minimum.reduceat(np.where(is_head, np.arange(is_head.size), is_head.size), place)
        place = np.where(first < is_head.size, first, place)
    head = nodes.node[place]
    deps = np.where(head == nodes.head, nodes.deps, "")  # of another head they are not known
    return replace(side, nodes=replace(nodes, head=head, deps=deps, headed=True))


def _are_heads(nodes: Nodes, document: Integers, trees: Trees) -> NDArray[np.bool_]:
    """Say which nodes are words whose parents are not in their mention, bool (N,); document: (N,) of each node."""
    offsets, parents = trees
    mention = np.arange(nodes.head.size).repeat(nodes.size)
    word = nodes.node >> BITS
    is_word = nodes.node & ((1 << BITS) - 1) == 0
    parent = _of_word(parents, offsets, document, word - 1)
    width = int(max(word.max(initial=0), parent.max(initial=0))) + 1
    inside = np.isin(mention * width + parent, (mention * width + word)[is_word])
    found: NDArray[np.bool_] = is_word & ~inside
    return found


def _of_word(values: Integers, offsets: Integers, document: Integers, word: Integers) -> Integers:
    """Look up the value of words, from 0 in their documents; 0 where the document has fewer words."""
    place = offsets[document] + word
    known = (word >= 0) & (place < offsets[document + 1])
    return np.where(known, np.append(values, 0)[np.where(known, place, values.size)], 0)
