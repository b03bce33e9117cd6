"""CEAF with Luo's four similarities: Luo (2005); Pradhan et al. (2014), section 4.3.

With few entities, the best one-to-one alignment of key and response entities is found by trying all alignments; with
many, by scipy on the dense matrix. The similarity of the alignment is then summed exactly.
"""

from fractions import Fraction
from itertools import permutations
from math import lcm

import numpy as np
from scipy.optimize import linear_sum_assignment

BRUTE_FORCE = 6
"""The largest number of entities of a side for which all alignments are tried."""


def phi1(entity, other):
    """Return 1 if the entities are equal (Luo 2005, phi 1)."""
    return Fraction(int(entity == other))


def phi2(entity, other):
    """Return 1 if the entities share a mention (Luo 2005, phi 2)."""
    return Fraction(int(bool(entity & other)))


def phi3(entity, other):
    """Return the number of shared mentions (Luo 2005, phi 3)."""
    return Fraction(len(entity & other))


def phi4(entity, other):
    """Return the Dice coefficient of the entities (Luo 2005, phi 4)."""
    return Fraction(2 * len(entity & other), len(entity) + len(other))


def best_of_all_alignments(weights):
    """Return the largest total weight of a one-to-one alignment, trying every one."""
    n_rows, n_columns = len(weights), len(weights[0])
    if n_rows > n_columns:
        weights = [list(column) for column in zip(*weights, strict=True)]
        n_rows, n_columns = n_columns, n_rows
    unit = lcm(*(weight.denominator for row in weights for weight in row))
    whole = [[int(weight * unit) for weight in row] for row in weights]  # a hundred times faster to add up
    best = max(
        sum(row[column] for row, column in zip(whole, columns, strict=True))
        for columns in permutations(range(n_columns), n_rows)
    )
    return Fraction(best, unit)


def best_by_assignment(weights):
    """Return the largest total weight of a one-to-one alignment, found by scipy on the dense matrix."""
    rows, columns = linear_sum_assignment(np.array(weights, dtype=np.float64), maximize=True)
    return sum((weights[row][column] for row, column in zip(rows, columns, strict=True)), Fraction(0))


def best_alignment(key, response, phi):
    """Return the largest total similarity of a one-to-one alignment; 0 if a side is empty."""
    if not key or not response:
        return Fraction(0)
    response = [frozenset(entity) for entity in response]
    weights = [[phi(frozenset(entity), other) for other in response] for entity in key]
    if max(len(key), len(response)) <= BRUTE_FORCE:
        return best_of_all_alignments(weights)
    return best_by_assignment(weights)


def ceaf(key, response, phi):
    """Return, for each side, the similarity of the best alignment and the similarity of the side to itself."""
    best = best_alignment(key, response, phi)
    own_key = sum((phi(frozenset(entity), frozenset(entity)) for entity in key), Fraction(0))
    own_response = sum((phi(frozenset(entity), frozenset(entity)) for entity in response), Fraction(0))
    return best, own_key, best, own_response


def ceafm(key, response):
    """Return the counts with phi 3: shared mentions of aligned entities, and the mentions of each side."""
    return ceaf(key, response, phi3)


def ceafe(key, response):
    """Return the counts with phi 4: Dice coefficients of aligned entities, and the number of entities of each side."""
    return ceaf(key, response, phi4)


def ceaf_phi1(key, response):
    """Return the counts with phi 1: equal entities, and the number of entities of each side."""
    return ceaf(key, response, phi1)


def ceaf_phi2(key, response):
    """Return the counts with phi 2: aligned entities that share mentions, and the number of entities of each side."""
    return ceaf(key, response, phi2)


COUNTS = {"ceafm": ceafm, "ceafe": ceafe, "cluster": ceaf_phi1, "ceaf-phi2": ceaf_phi2}
