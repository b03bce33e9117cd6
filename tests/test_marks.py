"""Loops of cases: each is run, the one that fails is named, and one that lacks a library is passed over."""

import pytest

from marks import cases


def test_the_case_that_fails_is_named():
    seen = []

    @cases("first,second", {"one": (1, 2), "two": (3, 4), "three": (5, 6), "four": (7, 8)})
    def loop(first, second, fixture):
        seen.append((first, second, fixture))
        if first == 1:
            pytest.skip("no library")
        if first == 5:
            pytest.fail("why")

    with pytest.raises(pytest.fail.Exception) as caught:
        loop(fixture=9)
    assert seen == [(1, 2, 9), (3, 4, 9), (5, 6, 9)]
    assert caught.value.__notes__ == ["case: three"]
