"""Tests that compare many systems, computed in loops over exchanges of documents.

Step-down maximum: Westfall and Young (1993), algorithm 4.1. The set of the best: Romano, Shaikh and Wolf (2014), with
the largest studentized difference as the statistic. A system is a list of documents, and ``score`` computes a
number from such a list.
"""

from itertools import product
from math import sqrt

TIE = 1e-9


def swapped_differences(a, b, score, patterns):
    """Return the score of a minus that of b as observed, and after each exchange of the documents in a pattern."""
    found = [score(a) - score(b)]
    for pattern in patterns:
        x = [theirs if swap else ours for swap, ours, theirs in zip(pattern, a, b, strict=True)]
        y = [ours if swap else theirs for swap, ours, theirs in zip(pattern, a, b, strict=True)]
        found.append(score(x) - score(y))
    return found


def exchanges(systems, resamples, drawn):
    """Return all ways to exchange the documents that differ, if no more than the resamples; else those drawn.

    Args:
        systems: a list of documents for each system.
        resamples: their number.
        drawn: function that draws the patterns.
    """
    differing = [len(set(map(str, documents))) > 1 for documents in zip(*systems, strict=True)]
    if 2 ** sum(differing) > resamples:
        return drawn()
    _, *others = product(*([False, True] if differs else [False] for differs in differing))
    return others


def drawn_differences(a, b, score, times):
    """Return the score of a minus that of b as observed; and, minus that, where documents are taken so many times."""
    observed = score(a) - score(b)

    def taken(system, each):
        return [document for document, n in zip(system, each, strict=True) for _ in range(int(n))]

    return [observed, *(score(taken(a, each)) - score(taken(b, each)) - observed for each in times)]


def spread(values):
    """Return the root mean square of all outcomes, which is the same whichever exchange was observed."""
    return sqrt(sum(value * value for value in values) / len(values))


def studentized(value, values):
    """Divide a value by the spread of the values; 0 if the spread is 0."""
    return value / spread(values) if spread(values) > TIE else 0.0


def step_down_pvalues(observed, values):
    """Return p-values adjusted for P tests; ``values[p]`` are pair p's differences, first as observed."""
    statistic = [abs(studentized(one, listed)) for one, listed in zip(observed, values, strict=True)]
    order = sorted(range(len(observed)), key=lambda p: -statistic[p])
    adjusted, before = [None] * len(observed), 0.0
    for step, p in enumerate(order):
        extreme = 0
        for outcome in range(len(values[p])):
            largest = max(abs(studentized(values[q][outcome], values[q])) for q in order[step:])
            extreme += largest >= statistic[p] - TIE
        before = adjusted[p] = max(before, extreme / len(values[p]))
    return adjusted


def best_pvalue(s, others, systems, score, patterns):
    """Return the share of exchanges in which a system's best competitor leads by at least as much as observed."""
    leads = [swapped_differences(systems[j], systems[s], score, patterns) for j in others if j != s]
    largest = [
        max([0.0, *(studentized(lead[outcome], lead) for lead in leads)]) for outcome in range(1 + len(patterns))
    ]
    return sum(value >= largest[0] - TIE for value in largest) / len(largest)


def may_be_best(systems, score, alpha, patterns):
    """Return the systems that may be the best.

    Systems that are clearly worse are removed step by step, at a tenth of alpha. Then the rest of alpha serves for one
    test of each system that remains.
    """
    remaining = list(range(len(systems)))
    while True:
        worse = [s for s in remaining if best_pvalue(s, remaining, systems, score, patterns) <= 0.1 * alpha]
        if not worse:
            return {s for s in remaining if best_pvalue(s, remaining, systems, score, patterns) > 0.9 * alpha}
        remaining = [s for s in remaining if s not in worse]
