"""Tests that compare many systems, computed in loops from every possible exchange of documents.

Step-down maximum: Westfall and Young (1993), algorithm 4.1. The set of the best: Romano, Shaikh and Wolf (2014), with
the largest studentised difference as the statistic. A system is a list of documents, and ``score`` computes a
number from such a list.
"""

from itertools import product
from math import sqrt

TIE = 1e-9


def swapped_differences(a, b, score):
    """Return the score of a minus that of b after each of the 2^D exchanges of documents; the first exchanges none."""
    found = []
    for pattern in product((False, True), repeat=len(a)):
        x = [theirs if swap else ours for swap, ours, theirs in zip(pattern, a, b, strict=True)]
        y = [ours if swap else theirs for swap, ours, theirs in zip(pattern, a, b, strict=True)]
        found.append(score(x) - score(y))
    return found


def drawn_differences(a, b, score):
    """Return the score of a minus that of b on each of the D^D ordered resamples, minus the observed one."""
    observed = score(a) - score(b)
    draws = product(range(len(a)), repeat=len(a))
    return [score([a[d] for d in draw]) - score([b[d] for d in draw]) - observed for draw in draws]


def spread(values):
    """Return the root mean square of all outcomes, which is the same whichever exchange was observed."""
    return sqrt(sum(value * value for value in values) / len(values))


def studentised(value, values):
    """Divide a value by the spread of the values; 0 if the spread is 0."""
    return value / spread(values) if spread(values) > TIE else 0.0


def step_down_pvalues(observed, values):
    """Return p-values adjusted for P tests; ``values[p]`` are pair p's differences in all equally probable outcomes."""
    statistic = [abs(studentised(one, listed)) for one, listed in zip(observed, values, strict=True)]
    order = sorted(range(len(observed)), key=lambda p: -statistic[p])
    adjusted, before = [None] * len(observed), 0.0
    for step, p in enumerate(order):
        extreme = 0
        for outcome in range(len(values[p])):
            largest = max(abs(studentised(values[q][outcome], values[q])) for q in order[step:])
            extreme += largest >= statistic[p] - TIE
        before = adjusted[p] = max(before, extreme / len(values[p]))
    return adjusted


def best_pvalue(s, others, systems, score):
    """Return the share of exchanges in which a system's best competitor leads by at least as much as observed."""
    leads = [swapped_differences(systems[j], systems[s], score) for j in others if j != s]
    largest = [
        max([0.0, *(studentised(lead[outcome], lead) for lead in leads)]) for outcome in range(2 ** len(systems[s]))
    ]
    return sum(value >= largest[0] - TIE for value in largest) / len(largest)


def may_be_best(systems, score, alpha):
    """Return the systems that may be the best.

    Systems that are clearly worse are removed step by step, at a tenth of alpha. Then the rest of alpha serves for one
    test of each system that remains.
    """
    remaining = list(range(len(systems)))
    while True:
        worse = [s for s in remaining if best_pvalue(s, remaining, systems, score) <= 0.1 * alpha]
        if not worse:
            return {s for s in remaining if best_pvalue(s, remaining, systems, score) > 0.9 * alpha}
        remaining = [s for s in remaining if s not in worse]
