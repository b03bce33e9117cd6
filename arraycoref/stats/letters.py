"""Compact letters: systems that share a letter cannot be told apart."""

from __future__ import annotations

from string import ascii_letters

import numpy as np
from numpy.typing import NDArray


def compact_letters(different: NDArray[np.bool_]) -> list[str]:
    """Give each system letters, such that two systems share one exactly if they are not significantly different.

    Args:
        different: bool (S, S), symmetric; systems in the order of their rank.

    Returns:
        (S,) texts of letters, ``a`` for the best system's group; past the 52nd group letters are numbered.

    Source: Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons.
    """
    n = len(different)
    groups = [frozenset(range(n))]
    for i, j in zip(*np.nonzero(np.triu(different)), strict=True):
        pair = {int(i), int(j)}
        kept = [group for group in groups if not pair <= group]
        parts = [group - {s} for group in groups if pair <= group for s in pair]
        groups = kept + [part for part in dict.fromkeys(parts) if not any(part <= group for group in kept)]
    groups.sort(key=sorted)
    return ["".join(_letter(g) for g, group in enumerate(groups) if s in group) for s in range(n)]


def _letter(position: int) -> str:
    turn, place = divmod(position, len(ascii_letters))
    return ascii_letters[place] + (str(turn) if turn else "")
