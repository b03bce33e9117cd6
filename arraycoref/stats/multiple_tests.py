"""Correct p-values for many tests, and give letters to the groups of systems that do not differ."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations_with_replacement
from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.arrays import as_floats
from arraycoref.errors import InputError, check_name
from arraycoref.metrics.score import Floats
from arraycoref.stats.options import CORRECTIONS


def adjust_pvalues(pvalues: ArrayLike, correction: str = "holm") -> NDArray[np.float64]:
    """Correct p-values for being many; a test is then significant where the result is at most alpha.

        >>> from arraycoref.stats import adjust_pvalues
        >>> adjust_pvalues([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]

    Args:
        pvalues: (T,) between 0 and 1; nan for tests that could not be made, which do not count.
        correction: ``holm`` keeps the chance of any false positive below alpha, whatever the tests' dependence; ``bh``
            (Benjamini-Hochberg) keeps the expected share of false ones among the positives below alpha; ``none``. The
            step-down maximum, ``maxt``, needs more than p-values; `compare` computes it.

    Returns:
        float64 (T,), nan where the input is.

    Raises:
        InputError: not one-dimensional, or values outside 0-1; or ``maxt``.
        UnknownNameError: a correction that does not exist.

    Source: Holm (1979); Benjamini and Hochberg (1995).
    """
    check_name("correction", correction, CORRECTIONS)
    if correction == "maxt":
        raise InputError(
            "correction 'maxt' takes the largest of all differences in each resample, which p-values do not hold; "
            "expected 'holm', 'bh' or 'none': compare(correction='maxt') has the resamples"
        )
    p = as_floats(pvalues, "pvalues")
    if p.ndim != 1:
        raise InputError(f"pvalues has shape {p.shape}; expected p-values between 0 and 1, shape (T,)")
    for outside in p[(p < 0.0) | (p > 1.0)]:
        raise InputError(f"pvalues hold {outside:g}; expected p-values between 0 and 1")
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


def step_down(
    observed: Floats, scale: Floats, outcomes: Iterable[tuple[Floats, Floats]], first: float, tolerance: float
) -> Floats:
    """Adjust p-values by the step-down maximum of the differences, each divided by its own spread over the outcomes.

    The largest difference is held against the largest of all pairs in each outcome; the next one against the largest of
    all pairs but the first; and so on. So the smallest p-value does not grow with the number of pairs, and pairs that
    vary together count as few. The spread must not be estimated from the observed differences, documents' standard
    errors for instance: swaps would change it, and the tests would find too much.

    Args:
        observed: float64 (P,) differences.
        scale: float64 (P,) root mean squares of the differences over the outcomes; a pair of none has a p-value of 1.
        outcomes: blocks of differences float64 (P, R) and of what each outcome counts, float64 (R,).
        first: 1 where the observed outcome counts beside these, 0 where it is among them.
        tolerance: differences closer than this are equal.

    Returns:
        float64 (P,) adjusted p-values.

    Source: Westfall and Young (1993), algorithm 4.1; Romano and Wolf (2005), section 4.
    """
    varies = scale > tolerance
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=varies)
    statistic = np.abs(observed) * inverse
    order = np.argsort(statistic, kind="stable")  # from the smallest, for each maximum to be made of the one before
    least = (statistic - tolerance * inverse)[order, np.newaxis]
    extreme, total = np.full(observed.size, first), first
    for values, counts in outcomes:
        largest = np.abs(values[order])
        largest *= inverse[order, np.newaxis]
        np.maximum.accumulate(largest, axis=0, out=largest)
        extreme += (largest >= least) @ counts
        total += counts.sum()
    stepped = np.maximum.accumulate((extreme / total)[::-1])[::-1]
    adjusted = np.ones_like(observed)
    adjusted[order] = np.minimum(stepped, 1.0)
    adjusted[~varies] = 1.0
    return adjusted


def floor_note(correction: str, smallest: float, n_tests: int, alpha: float) -> str | None:
    """Say where no difference, or no few differences, can be significant after correction.

    >>> floor_note("holm", 0.001, 105, 0.05)
    'Holm: of 105 tests with p-values of 0.001 or more none can be significant; the correction maxt has no such bound'

    Args:
        correction: of the p-values.
        smallest: p-value that a test can give.
        n_tests: tests made.
        alpha: level of significance.
    """
    if correction not in ("holm", "bh") or not smallest <= alpha < smallest * n_tests:
        return None
    least = math.ceil(smallest * n_tests / alpha)
    none = "none can be" if correction == "holm" else f"fewer than {least} cannot be"
    return (
        f"{CORRECTIONS[correction]}: of {n_tests} tests with p-values of {smallest:.2g} or more {none} significant; "
        "the correction maxt has no such bound"
    )


def compact_letters(different: NDArray[np.bool_]) -> list[str]:
    """Give each system letters, so that two systems share one exactly where they do not differ significantly.

    A letter is made for each pair that shares none yet, and given to all systems that can have it, first to those that
    share few letters with the others that have it. So there is one for each pair at most, while the groups that cannot
    be extended may be exponentially many.

    Args:
        different: bool (S, S), symmetric; systems in the order of their rank.

    Returns:
        (S,) texts of letters, ``a`` for the best system's group; after the 52nd group letters are numbered.

    Source: Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons; as covers of a
    graph by cliques, Gramm et al. (2007), Algorithms for Compact Letter Displays.
    """
    n = len(different)
    groups, settled = list[list[int]](), different.copy()
    for i, j in combinations_with_replacement(range(n), 2):
        if settled[i, j]:  # they differ, or share a letter
            continue
        group = [i, j]
        while not (barred := different[group].any(axis=0) | np.isin(range(n), group)).all():
            open_pairs = (~settled[group]).sum(axis=0)
            group.append(int(np.where(barred, -1, open_pairs).argmax()))
        settled[np.ix_(group, group)] = True
        groups.append(sorted(set(group)))
    groups.sort()
    return ["".join(_letter(g) for g, group in enumerate(groups) if s in group) for s in range(n)]


def _letter(position: int) -> str:
    turn, place = divmod(position, len(ascii_letters))
    return ascii_letters[place] + (str(turn) if turn else "")
