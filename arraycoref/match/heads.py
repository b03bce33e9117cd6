"""Choose the heads of mentions: those of the files, those that the key's trees give, or first words.

Heads that two rules made do not match: gold files scored against themselves, with heads from trees on one side and
first words on the other, get some 54 instead of 100 in head matching.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import InputError, OptionError
from arraycoref.match.pairs import nodes_of
from arraycoref.options.policies import Policies
from arraycoref.read.documents import Documents
from arraycoref.read.nodes import BITS, Nodes
from arraycoref.scoring.cells import Integers

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
    if policies.heads in ("first", "key-tree"):
        trees = _trees(key) if policies.heads == "key-tree" else None
        return _replaced(key, trees, policies), _replaced(response, trees, policies)
    for side, matchings in ((key, ("head", "partial")), (response, ("head",))):
        if not nodes_of(side).headed and policies.matching in matchings:
            reason = f"matching {policies.matching!r} needs the heads of mentions, which are in CoNLL-U only, not in"
            source = next(filter(None, side.sources), "a side without documents")
            raise OptionError(f"{reason} {source}; heads='key-tree' finds them in the key's trees", "heads")
    if policies.matching == "head" and policies.heads == "agreed":
        _check_rules(key, response)
    return key, response


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


def _trees(key: Documents) -> tuple[Integers, Integers, Integers]:
    """Return the trees of the key's words, one document after the other.

    Returns:
        int64 (D+1,) where documents begin; and of each word, int64 (W,), its parent, a word of the document from 1 or 0
        for none, and its sentence.

    Raises:
        OptionError: a document without trees.
    """
    found = [key.text.tree(d) for d in range(len(key))]
    parents = [tree[0] for tree in found if tree is not None]
    if len(parents) < len(found):
        d = next(d for d, tree in enumerate(found) if tree is None)
        raise OptionError(f"heads 'key-tree' needs trees, which {key.sources[d]} does not have", "heads")
    sentences = [tree[1] for tree in found if tree is not None]
    nothing = np.zeros(0, np.int64)
    offsets = np.cumsum([0, *map(len, parents)])
    return offsets, np.concatenate([nothing, *parents]), np.concatenate([nothing, *sentences])


def _replaced(side: Documents, trees: tuple[Integers, Integers, Integers] | None, policies: Policies) -> Documents:
    """Return a side with the heads that the key's trees give its mentions, or with first words as heads."""
    nodes = nodes_of(side)
    place = nodes.offsets[:-1]
    sentence = nodes.sentence
    if trees is not None:
        document = np.arange(len(side)).repeat(np.diff(side.offsets))
        is_head = _are_heads(nodes, document.repeat(nodes.size), trees)
        place = (
            np.minimum.reduceat(np.where(is_head, np.arange(is_head.size), is_head.size), place)
            if place.size
            else place
        )
        place = np.where(place < is_head.size, place, nodes.offsets[:-1])
        if not nodes.headed:
            first, last = (
                _of_word(trees[2], trees[0], document, each.astype(np.int64)) for each in (side.start, side.end)
            )
            policies.note(int(np.count_nonzero(first != last)), "mention", "of two sentences, which match no other")
            sentence = first
    head = nodes.node[place]
    deps = np.where(head == nodes.head, nodes.deps, "")  # of another head they are not known
    return replace(side, nodes=replace(nodes, head=head, sentence=sentence, deps=deps, headed=True))


def _are_heads(nodes: Nodes, document: Integers, trees: tuple[Integers, Integers, Integers]) -> NDArray[np.bool_]:
    """Say which nodes are words whose parents are not in their mention, bool (N,); document: (N,) of each node."""
    offsets, parents, _ = trees
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
