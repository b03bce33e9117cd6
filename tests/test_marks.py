"""Loops of cases: each is run, the one that fails is named, and one that lacks a library is passed over."""

import pytest

from marks import cases


@pytest.mark.parametrize("error", [ValueError, pytest.fail.Exception])
def test_the_case_that_fails_is_named(error):
    seen = []

    @cases("first,second", {"one": (1, 2), "two": (3, 4), "three": (5, 6)})
    def loop(first, second, fixture):
        seen.append((first, second, fixture))
        if first == 3:
            raise error("why")

    with pytest.raises(error) as caught:
        loop(fixture=7)
    assert seen == [(1, 2, 7), (3, 4, 7)]
    assert caught.value.__notes__ == ["case: two"]


@pytest.mark.parametrize("lacking", [1, 2])
def test_cases_that_lack_something(lacking):
    seen = []

    @cases("case", range(2))
    def loop(case):
        seen.append(case)
        if case < lacking:
            pytest.skip("no library")

    if lacking == 2:
        with pytest.raises(pytest.skip.Exception):
            loop()
    else:
        loop()
    assert seen == [0, 1]
