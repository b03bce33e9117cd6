"""Weighted sums that do not depend on the order of addition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arraycoref.exact import split
from strategies import examples


@given(st.lists(st.tuples(st.floats(0, 2**20), st.integers(0, 50)), min_size=1, max_size=40), st.randoms())
@examples()
def test_sums_are_exact_in_any_order(pairs, random):
    """Both parts add up without rounding: any order of the documents gives the same bits, next to the true sum."""
    shuffled = random.sample(pairs, len(pairs))
    found = []
    for order in (pairs, shuffled):
        rows, weights = np.array([[x] for x, _ in order]), np.array([[float(w) for _, w in order]])
        parts = split(rows)
        found.append(parts.joined(weights @ parts.array)[0, 0])
    assert found[0] == found[1]
    true = sum(Fraction(x) * w for x, w in pairs)
    n = sum(w for _, w in pairs)
    assert abs(Fraction(float(found[0])) - true) <= Fraction(n) / 2**53 + Fraction(math.ulp(float(true)))


def test_integers_have_no_fine_part():
    parts = split(np.array([[3.0, 0.5, 1 / 3, 2.0**52]]))
    assert parts.fractional.tolist() == [2]
    assert parts.array.shape == (1, 5)
