"""Correct p-values for many tests, and give letters to the groups of systems that do not differ."""

from __future__ import annotations

from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError, UnknownNameError
from arraycoref.stats.options import CORRECTIONS


def adjust_pvalues(pvalues: ArrayLike, correction: str = "holm") -> NDArray[np.float64]:
    """Correct p-values for being many; a test is then significant where the result is at most alpha.

        >>> from arraycoref.stats import adjust_pvalues
        >>> adjust_pvalues([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]

    Args:
        pvalues: (T,) between 0 and 1; nan for tests that could not be made, which do not count.
        correction: ``holm`` keeps the chance of any false positive below alpha, whatever the tests' dependence; ``bh``
            (Benjamini-Hochberg) keeps the expected share of false ones among the positives below alpha; ``none``.

    Returns:
        float64 (T,), nan where the input is.

    Raises:
        InputError: not one-dimensional, or values outside 0-1.
        UnknownNameError: a correction that does not exist.

    Source: Holm (1979); Benjamini and Hochberg (1995).
    """
    if correction not in CORRECTIONS:
        raise UnknownNameError("correction", correction, CORRECTIONS)
    p = np.asarray(pvalues, np.float64)
    if p.ndim != 1 or ((p < 0.0) | (p > 1.0)).any():
        raise InputError(f"pvalues has shape {p.shape}; expected p-values between 0 and 1, shape (T,)")
    adjusted = p.copy()
    made = np.flatnonzero(~np.isnan(p))
    if correction == "none" or made.size == 0:
        return adjusted
    order = made[np.argsort(p[made], kind="stable")]
    rank = np.arange(1, made.size + 1)
    if correction == "holm":
        stepped = np.maximum.accumulate(p[order] * (made.size - rank + 1))
    else:
        stepped = np.minimum.accumulate((p[order] * made.size / rank)[::-1])[::-1]
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def compact_letters(different: NDArray[np.bool_]) -> list[str]:
    """Give each system letters, so that two systems share one exactly where they do not differ significantly.

    Args:
        different: bool (S, S), symmetric; systems in the order of their rank.

    Returns:
        (S,) texts of letters, ``a`` for the best system's group; after the 52nd group letters are numbered.

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
