"""Weighted sums that do not depend on the order of addition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given, strategies as st

from arraycoref.scoring.exact import column_sums, split
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


values = st.one_of(st.floats(0, 2**20), st.floats(0, 2**40), st.integers(0, 2**53).map(float), st.just(2.0**31))


@given(st.lists(st.tuples(values, values), max_size=100), st.randoms())
@examples()
def test_sums_of_columns(rows, random):
    """Fractional or whole, small or beyond the grids: the same bits in any order, next to the true sum."""
    found = column_sums(np.array(rows, float).reshape(1, -1, 2))[0]
    shuffled = column_sums(np.array(random.sample(rows, len(rows)), float).reshape(1, -1, 2))[0]
    assert found.tobytes() == shuffled.tobytes()
    for total, column in zip(found.tolist(), zip(*rows, strict=True), strict=False):
        true = sum(map(Fraction, column))
        assert abs(Fraction(total) - true) <= Fraction(len(rows)) / 2**53 + Fraction(math.ulp(float(true)))
        if all(x.is_integer() for row in rows for x in row) and true < 2**53:
            assert total == true
