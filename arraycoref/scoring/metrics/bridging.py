"""Bridging: which anaphors were linked, and to the right antecedent; an anaphor is linked with another entity.

Anaphors are equal if their words are, by every matching of mentions. There are three levels. *Anaphors* asks only
whether the other side links the anaphor too. *Mentions* asks whether it does so to a mention of the same words, where
files name the antecedent's mention. *Entities* asks whether the antecedent mention of the response is one of the
antecedent's entity in the key; singletons, which most anaphors and many antecedents are, are entities here.

Where a file names only the antecedent's entity, as CorefUD does, its last mention that begins before the anaphor stands
for it, otherwise its first. That rule is arraycoref's own; the level of anaphors does not depend on it.

Source: Yu et al. (2022), The Universal Anaphora Scorer; Paun et al. (2022), Scoring Coreference Chains with
Split-Antecedent Anaphors; they have one antecedent mention for each anaphor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arraycoref.exceptions import OptionError
from arraycoref.ragged import Bools, Floats, Ints, join


class LinkEnds(NamedTuple):
    """The bridging links of one side. A mention is a number, equal on both sides for equal words of one document.

    Attributes:
        document: int64 (L,) document of each link.
        anaphor: int64 (L,) its anaphor.
        antecedent: int64 (L,) its antecedent: the mention that the file names, or the one that stands for the entity.
        is_named: bool (L,) whether the file names the mention.
        entity: int64 (L,) the antecedent's entity, numbered through the documents; -1 if it refers to nothing.
    """

    document: Ints
    anaphor: Ints
    antecedent: Ints
    is_named: Bools
    entity: Ints


class Bridging(NamedTuple):
    """The bridging links of both sides of D documents.

    Attributes:
        n_documents: D.
        key: the links of the key.
        response: the links of the response.
        mention: int64 (M,) the key's mentions, repeated for those of several entities.
        entity: int64 (M,) the entity of each.
        nothing: of each side the document, int64 (N,), and the first mention of each entity that refers to nothing.
    """

    n_documents: int
    key: LinkEnds
    response: LinkEnds
    mention: Ints
    entity: Ints
    nothing: tuple[tuple[Ints, Ints], ...] = ()


def count_anaphors(links: Bridging) -> Floats:
    """Count the anaphors that both sides have, and those of the key and of the response: float64 (D, 4)."""
    (key, k), (response, r) = (np.unique(side.anaphor, return_index=True) for side in (links.key, links.response))
    return _sums(links, k[np.isin(key, response)], k, r[np.isin(response, key)], r)


def count_mentions(links: Bridging) -> Floats:
    """Count the links of equal anaphors and antecedents, of those whose antecedent mention is named: float64 (D, 4).

    Raises:
        OptionError: the key has links, and names no mention of an antecedent.
    """
    i, j = join(links.key.anaphor, links.response.anaphor)
    k, r = (np.flatnonzero(side.is_named) for side in (links.key, links.response))
    if links.key.anaphor.size and not k.size:
        reason = "needs antecedents that are mentions, and the key's are entities; expected 'bridging-entities'"
        raise OptionError(f"metric 'bridging-mentions' {reason}", "metrics")
    is_right = links.key.antecedent[i] == links.response.antecedent[j]
    is_right &= links.key.is_named[i] & links.response.is_named[j]
    return _sums(links, i[is_right], k, j[is_right], r)


def count_entities(links: Bridging) -> Floats:
    """Count the links of the key and of the response that have the right entity, and all: float64 (D, 4).

    A link of the key is right if the response links its anaphor to a mention of its entity in the key, or to the
    mention that it names itself. A link of the response is right if it is one that makes a link of the key right.

        >>> def side(anaphor, antecedent, entity):
        ...     return LinkEnds(np.zeros(2, int), np.array(anaphor), np.array(antecedent), np.ones(2, bool), entity)
        >>> door_of_house = side([2, 3], [0, 4], np.array([0, 1]))
        >>> door_of_it = side([2, 3], [1, 5], np.array([0, 1]))
        >>> links = Bridging(1, door_of_house, door_of_it, np.array([0, 1, 2, 3, 4]), np.array([0, 0, 2, 3, 1]))
        >>> count_entities(links), count_mentions(links)
        (array([[1., 2., 1., 2.]]), array([[0., 2., 0., 2.]]))

    Args:
        links: links of D documents.
    """
    i, j = join(links.key.anaphor, links.response.anaphor)
    width = links.entity.max(initial=0) + 1
    antecedent, entity = links.response.antecedent[j], links.key.entity[i]
    is_right = (entity >= 0) & np.isin(antecedent * width + entity, links.mention * width + links.entity)
    is_right |= links.key.antecedent[i] == antecedent
    k, r = (np.arange(side.anaphor.size) for side in (links.key, links.response))
    return _sums(links, i[is_right], k, j[is_right], r)


def _sums(links: Bridging, key_right: Ints, key: Ints, response_right: Ints, response: Ints) -> Floats:
    """Return how many links there are in each document: right ones, each once, and all, of key and response."""
    sides = links.key, links.key, links.response, links.response
    rows = np.unique(key_right), key, np.unique(response_right), response
    n_links = [
        np.bincount(side.document[own], minlength=links.n_documents) for side, own in zip(sides, rows, strict=True)
    ]
    return np.stack(n_links, axis=1).astype(np.float64)
