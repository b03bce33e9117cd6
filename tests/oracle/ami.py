"""Adjusted mutual information: Vinh et al. (2010), section 4, on two clusterings of the same mentions."""

import math
from fractions import Fraction

from oracle.vmeasure import vmeasure


def ami(key, response):
    """Return n MI, n E, n H(key) and n H(response); E by the probability of each size of each cell, exactly."""
    information, of_response, _, of_key = vmeasure(key, response)
    n = sum(map(len, key))
    expected = 0.0
    for a in map(len, map(set, key)):
        for b in map(len, map(set, response)):
            for m in range(1, min(a, b) + 1):
                chance = Fraction(math.comb(b, m) * math.comb(n - b, a - m), math.comb(n, a))
                expected += float(chance) * m * math.log(n * m / (a * b))
    return information, expected, of_key, of_response


def score(counts, beta=1):
    """Return (MI - E) / (mean H - E), and 1 where both sides are equal: their entropies are then the information."""
    del beta
    information, expected, of_key, of_response = counts
    if max(of_key, of_response) - information < 1e-9:
        return None, None, 1.0
    return None, None, (information - expected) / ((of_key + of_response) / 2 - expected)


GOLD = {"ami": ami}
SCORES = {"ami": score}
