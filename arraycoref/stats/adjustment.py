"""Correction of p-values for many tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError, UnknownNameError

CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "no correction"}
"""The corrections, and what captions call them."""


def adjust_pvalues(pvalues: ArrayLike, correction: str = "holm") -> NDArray[np.float64]:
    """Correct p-values for being many; a test is then significant where the result is at most alpha.

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
