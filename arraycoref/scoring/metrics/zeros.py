"""The anaphor-decomposable score of zeros: which anaphors that are empty nodes have a right antecedent.

The first mention of an entity is no anaphor. A zero of the key is right if its partner in the response is an anaphor
too, and any mention before it in its key entity is also in its response entity. With a partner, but no such mention,
its link is wrong. Response zeros that are anaphors without a partner among the key's are spurious.

Source: Žabokrtský et al. (2022), Findings of the Shared Task on Multilingual Coreference Resolution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arraycoref.scoring.labels import Integers
from arraycoref.scoring.metrics.score import Floats


class Zeros(NamedTuple):
    """The mentions of both sides of D documents, in order.

    Attributes:
        n_documents: D.
        key_document: int64 (K,) document of each key mention.
        key_entity: int64 (K,) its entity, numbered on through the documents.
        key_is_zero: bool (K,) whether it is a zero.
        response_document: int64 (R,) document of each response mention.
        response_entity: int64 (R,) its entity.
        response_is_zero: bool (R,) whether it is a zero.
        partner: int64 (R,) its partner in the key, -1 for none.
    """

    n_documents: int
    key_document: Integers
    key_entity: Integers
    key_is_zero: NDArray[np.bool_]
    response_document: Integers
    response_entity: Integers
    response_is_zero: NDArray[np.bool_]
    partner: Integers


def count(zeros: Zeros) -> Floats:
    """Count the right zeros, and those of the key and of the response: float64 (D, 4).

        >>> zeros = Zeros(1, *map(np.array, ([0, 0], [0, 0], [False, True], [0, 0], [0, 0], [False, True], [0, 1])))
        >>> count(zeros)
        array([[1., 1., 1., 1.]])

    Args:
        zeros: mentions of D documents.
    """
    is_asked = zeros.key_is_zero & (_places(zeros.key_entity) > 0)
    is_anaphor = _places(zeros.response_entity) > 0
    r = np.flatnonzero(zeros.partner >= 0)
    r = r[np.argsort(zeros.partner[r])]  # in the order of the key
    k = zeros.partner[r]
    pairs = np.unique(np.stack([zeros.key_entity[k], zeros.response_entity[r]]), axis=1, return_inverse=True)[1]
    has_antecedent = _places(pairs.reshape(-1)) > 0
    is_linked = is_asked[k] & is_anaphor[r]
    right, wrong = k[is_linked & has_antecedent], k[is_linked & ~has_antecedent]
    is_spurious = zeros.response_is_zero & is_anaphor
    is_spurious[r[is_asked[k]]] = False
    n_right, n_wrong, n_asked, n_spurious = (
        np.bincount(document, minlength=zeros.n_documents)
        for document in (
            zeros.key_document[right],
            zeros.key_document[wrong],
            zeros.key_document[is_asked],
            zeros.response_document[is_spurious],
        )
    )
    return np.stack([n_right, n_asked, n_right, n_right + n_wrong + n_spurious], axis=1).astype(np.float64)


def _places(group: Integers) -> Integers:
    """Return the place of each element among those of its group, from 0, in order: int64 (N,)."""
    order = group.argsort(kind="stable")
    ordered = group[order]
    is_first = np.append(True, ordered[1:] != ordered[:-1])[: order.size]
    start = np.flatnonzero(is_first)[np.cumsum(is_first) - 1]
    places = np.empty_like(order)
    places[order] = np.arange(order.size) - start
    return places
