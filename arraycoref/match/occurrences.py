"""Resolve mentions that occur more than once on one side, so that each mention of the union index has one label."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arraycoref.errors import DuplicateMentionError
from arraycoref.options import Duplicates
from arraycoref.scoring.cells import Integers


def repeated_error(found: object) -> DuplicateMentionError:
    """Return the error for a repeated mention; ``found`` is a text that says which mention it is, and where."""
    hint = "duplicates='first', 'last' or 'drop' keeps it in one entity or in none"
    return DuplicateMentionError(f"{found}; expected each mention once. {hint}", option="duplicates")


def resolve_duplicates(
    mention: Integers,
    entity: NDArray[np.integer],
    n_mentions: int,
    policy: Duplicates,
    describe: Callable[[int, int], object],
) -> Integers:
    """Label each mention of the union index with the one entity in which the policy keeps it.

    Args:
        mention: int64 (N,) union index of each occurrence on one side.
        entity: int (N,) entity of each occurrence; ``first`` keeps the lowest number and ``last`` the highest.
        n_mentions: M, size of the union index.
        policy: ``error``, ``first``, ``last`` or ``drop``.
        describe: returns the text of the error from the positions of two occurrences of one mention.

    Returns:
        int64 (M,) labels, -1 where the side lacks the mention or the policy drops it.

    Raises:
        DuplicateMentionError: a repeated mention, and the policy is ``error``.
    """
    labels = np.full(n_mentions, -1, np.int64)
    labels[mention] = entity
    if np.count_nonzero(labels >= 0) == mention.size:
        return labels
    repeated = np.bincount(mention, minlength=n_mentions) > 1
    if policy == "error":
        first = int(repeated[mention].argmax())
        second = first + 1 + int((mention[first + 1 :] == mention[first]).argmax())
        raise repeated_error(describe(first, second))
    if policy == "drop":
        labels[repeated] = -1
    elif policy == "last":
        np.maximum.at(labels, mention, entity)
    else:
        labels[repeated] = np.iinfo(np.int64).max
        np.minimum.at(labels, mention, entity)
    return labels
