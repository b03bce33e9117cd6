"""Correct p-values for many tests, and assign letters to groups of systems that do not differ significantly."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations_with_replacement
from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.errors import InputError, check_name
from arraycoref.scoring.metrics.score import Floats
from arraycoref.stats.options import CORRECTIONS


def adjust_pvalues(pvalues: ArrayLike, correction: str = "holm") -> NDArray[np.float64]:
    """Correct p-values for the number of tests; a test is significant if its corrected p-value is at most alpha.

        >>> from arraycoref.stats import adjust_pvalues
        >>> adjust_pvalues([0.01, 0.04, 0.03]).tolist()
        [0.03, 0.06, 0.06]

    Args:
        pvalues: (T,) between 0 and 1; nan for tests that could not be made, which are not counted.
        correction: ``holm`` keeps the probability of any false positive at most alpha, however the tests depend on each
            other; ``bh`` (Benjamini-Hochberg) keeps the expected share of false positives among the positives at most
            alpha; ``none`` returns the p-values as they are. The step-down maximum, ``maxt``, needs more than p-values;
            `compare` computes it.

    Returns:
        float64 (T,), nan where the input is nan.

    Raises:
        InputError: ``pvalues`` is not one-dimensional or has values outside 0-1, or the correction is ``maxt``.
        UnknownNameError: a correction that does not exist.

    Source: Holm (1979); Benjamini and Hochberg (1995).
    """
    check_name("correction", correction, CORRECTIONS)
    if correction == "maxt":
        raise InputError(
            "correction 'maxt' takes the largest of all differences in each resample, which p-values do not hold; "
            "expected 'holm', 'bh' or 'none': compare(correction='maxt') has the resamples"
        )
    p = np.asarray(pvalues, np.float64)
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
    """Compute p-values corrected by the step-down maximum of the differences, each divided by its spread over outcomes.

    The largest observed difference is compared with the largest difference of all pairs in each outcome; the second
    largest with the largest of all pairs but the first; and so on. So the smallest possible p-value does not grow with
    the number of pairs, and pairs that vary together are corrected for as if they were few. The spread must not be
    estimated from the observed outcome, for instance as a standard error over its documents: swaps would change such an
    estimate, and the tests would find too many differences.

    Args:
        observed: float64 (P,) differences.
        scale: float64 (P,) root mean squares of the differences over the outcomes; a pair with 0 has a p-value of 1.
        outcomes: blocks of differences, float64 (P, R), and of the weight of each outcome, float64 (R,).
        first: 1 if the observed outcome counts in addition to the outcomes, 0 if it is one of them.
        tolerance: differences closer than this are equal.

    Returns:
        float64 (P,) adjusted p-values.

    Source: Westfall and Young (1993), algorithm 4.1; Romano and Wolf (2005), section 4.
    """
    varies = scale > tolerance
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=varies)
    statistic = np.abs(observed) * inverse
    order = np.argsort(statistic, kind="stable")  # smallest first: each maximum extends the one before
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
    """Write a note if the correction lets no difference, or no small number of differences, be significant.

    >>> floor_note("holm", 0.001, 105, 0.05)
    'Holm: of 105 tests with p-values of 0.001 or more none can be significant; the correction maxt has no such bound'

    Args:
        correction: correction of the p-values; there is a note for ``holm`` and ``bh`` only.
        smallest: smallest p-value that a test can give.
        n_tests: number of tests.
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
    """Assign letters to systems, so that two systems share a letter if and only if they do not differ significantly.

    For each pair of systems that does not differ and shares no letter yet, a new letter is made. It is then given to
    further systems, as long as one is left that differs from no system with the letter; first to the system that shares
    a letter with the fewest of those that have the new one. So there is at most one letter for each pair, whereas the
    groups that cannot be extended may be exponentially many.

    Args:
        different: bool (S, S), symmetric: whether two systems differ; systems in the order of their rank.

    Returns:
        (S,) strings of letters, ``a`` for the best system's group; from the 53rd group on, letters have numbers.

    Source: Piepho (2004), An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons; as the covering
    of a graph with cliques: Gramm et al. (2007), Algorithms for Compact Letter Displays.
    """
    n = len(different)
    groups, settled = list[list[int]](), different.copy()
    for i, j in combinations_with_replacement(range(n), 2):
        if settled[i, j]:  # they differ, or share a letter already
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
