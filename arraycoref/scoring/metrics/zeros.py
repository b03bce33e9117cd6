"""The anaphor-decomposable score of zeros: which anaphors that are empty nodes have a right antecedent.

The first mention of an entity is not an anaphor. A zero of the key is right if its partner in the response is an
anaphor too, and any mention before it in its key entity is also in its response entity. With a partner, but no such
mention, its link is wrong. Response zeros that are anaphors without a partner among the key's are spurious.

Source: Žabokrtský et al. (2022), Findings of the Shared Task on Multilingual Coreference Resolution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arraycoref.ragged import Bools, Floats, Ints, join


class Zeros(NamedTuple):
    """The mentions of both sides of D documents, in order.

    Attributes:
        n_documents: D.
        key_mention: int64 (K,) a number of each key mention, ascending; repeated for a mention of several entities.
        key_document: int64 (K,) its document.
        key_entity: int64 (K,) its entity, numbered on through the documents.
        key_is_zero: bool (K,) whether it is a zero.
        response_document: int64 (R,) document of each response mention.
        response_entity: int64 (R,) its entity, the last one if it has several.
        response_is_zero: bool (R,) whether it is a zero.
        partner: int64 (P,) numbers of key mentions that have a partner.
        response_partner: int64 (P,) the row of each partner in the response.
    """

    n_documents: int
    key_mention: Ints
    key_document: Ints
    key_entity: Ints
    key_is_zero: Bools
    response_document: Ints
    response_entity: Ints
    response_is_zero: Bools
    partner: Ints
    response_partner: Ints


def count(zeros: Zeros) -> Floats:
    """Count the right zeros, and those of the key and of the response: float64 (D, 4).

    The denominator of recall is the number of the key's zeros that are anaphors. That of precision is the number of
    those which are right or wrong, and of spurious zeros.

        >>> side = [np.array([0, 0]), np.array([0, 0]), np.array([False, True])]
        >>> zeros = Zeros(1, np.array([0, 1]), *side, *side, np.arange(2), np.arange(2))
        >>> count(zeros)
        array([[1., 1., 1., 1.]])

    Args:
        zeros: mentions of D documents.
    """
    is_asked = zeros.key_is_zero & _are_later(zeros.key_entity)
    is_anaphor = _are_later(zeros.response_entity)
    with_asked = np.zeros(zeros.key_entity.max(initial=-1) + 1, np.bool_)
    with_asked[zeros.key_entity[is_asked]] = True
    k, pair = join(zeros.key_mention, zeros.partner)  # in the order of the key
    k, r = (rows[with_asked[zeros.key_entity[k]]] for rows in (k, zeros.response_partner[pair]))
    width = zeros.response_entity.max(initial=0) + 1
    has_antecedent = _are_later(zeros.key_entity[k] * width + zeros.response_entity[r])
    is_linked = is_asked[k] & is_anaphor[r]
    right, wrong = k[is_linked & has_antecedent], k[is_linked & ~has_antecedent]
    is_spurious = zeros.response_is_zero & is_anaphor
    is_spurious[r[is_asked[k]]] = False
    n_right, n_wrong, n_asked = (
        np.bincount(zeros.key_document[rows], minlength=zeros.n_documents) for rows in (right, wrong, is_asked)
    )
    n_spurious = np.bincount(zeros.response_document[is_spurious], minlength=zeros.n_documents)
    return np.stack([n_right, n_asked, n_right, n_right + n_wrong + n_spurious], axis=1).astype(np.float64)


def _are_later(group: Ints) -> Bools:
    """Say which elements are not the first of their group, bool (N,)."""
    order = group.argsort(kind="stable")
    is_later = np.zeros(group.size, np.bool_)
    is_later[order[1:]] = group[order[1:]] == group[order[:-1]]
    return is_later
