"""Shortest edit scripts are as short as a quadratic oracle finds them, and end early where there is none."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from arraycoref.match import edit_script
from arraycoref.match.edit_script import partners

TEXTS = st.lists(st.integers(0, 4), max_size=25)


def longest_common(a, b):
    """Return the length of the longest common subsequence, by the table of all beginnings."""
    row = [0] * (len(b) + 1)
    for x in a:
        above, row = row, [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[j]))
    return row[-1]


@pytest.mark.parametrize("width", [1, 2, edit_script.WIDTH])
def test_scripts_are_shortest(monkeypatch, width):
    monkeypatch.setattr(edit_script, "WIDTH", width)

    @given(TEXTS, TEXTS, st.integers(0, 25))
    def check(a, b, most):
        result = partners(np.array(a, np.int64), np.array(b, np.int64))
        kept = result[result >= 0]
        assert (np.diff(kept) > 0).all()
        assert [a[k] for k in kept] == [b[k] for k in np.flatnonzero(result >= 0)]
        assert kept.size == longest_common(a, b)
        limited = partners(np.array(a, np.int64), np.array(b, np.int64), most)
        assert (limited is None) == (min(len(a), len(b)) - kept.size > most)

    check()


def test_an_end_that_is_cut_off_takes_little(monkeypatch):
    """What one text has behind the end of the other does not count as lost."""
    a = np.random.default_rng(0).integers(0, 50, 20_000)
    result = partners(a, np.delete(a[:2_000], [7, 500]), 2)
    assert (result >= 0).all()
    assert partners(a, a[::-1][:2000], 2) is None
