"""Clusters of mentions that other libraries hold: hashed by what they are, not by which object they are."""

from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

import arraycoref as ac
from alike import alike

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

WORDS, SPANS = [["a", "b"], ["c"]], [[[0, 1], [2, 3]], [[4, 4]]]


class Tensor:
    """As those of torch are: iterable, an array, equal to nothing by hash."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)

    def __iter__(self):
        return iter([Tensor(value) for value in self.values])

    def tolist(self):
        return self.values.tolist()


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (pa.array(WORDS), WORDS),
        (pl.Series(WORDS), WORDS),
        ([pa.array(cluster) for cluster in WORDS], WORDS),
        ([[pa.scalar(word) for word in cluster] for cluster in WORDS], WORDS),
        ([[np.str_(word) for word in cluster] for cluster in WORDS], WORDS),
        (pa.array(SPANS), SPANS),
        ([Tensor(cluster) for cluster in SPANS], SPANS),
        ([[Tensor(span) for span in cluster] for cluster in SPANS], SPANS),
        ([[tuple(Tensor(token) for token in span) for span in cluster] for cluster in SPANS], SPANS),
        ([[np.array(span) for span in cluster] for cluster in SPANS], SPANS),
        ([[pl.Series(span) for span in cluster] for cluster in SPANS], SPANS),
    ],
)
def test_mentions_are_what_they_hold(given, plain):
    for key, response in ((given, given), (given, plain), (plain, given)):
        found = ac.score(key, response)
        assert alike(found, ac.score(plain, plain))
        assert found["mentions"].f1 == 1.0
    assert ac.sweep([plain], [[given]])["muc"].f1.tolist() == [1.0]


class Span(NamedTuple):
    start: object
    end: object


class Own:
    """Hashed by value, an array besides, but without a way to list it."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Own) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.value, dtype)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ((Tensor(1), Tensor(2)), 0),
        lambda: Span(Tensor(1), Tensor(2)),
        lambda: Span(1, (pa.scalar(2),)),
        lambda: ((pa.scalar(1), 2), "x"),
        lambda: Own(3),
        lambda: pa.scalar({"start": 0, "end": [1]}),
        lambda: pa.scalar([1, 2]),
    ],
)
def test_at_any_depth(make):
    assert ac.score([[make(), "a"]], [[make(), "a"]])["mentions"].f1 == 1.0
    assert ac.score([[make()]], [[make()]])["mentions"].f1 == 1.0


def test_spans_as_structs():
    key = pa.array([[{"start": 0, "end": 1}, {"start": 2, "end": 2}]])
    response = pa.array([[{"end": 1, "start": 0}, {"end": 2, "start": 3}]])
    assert ac.score(key, key)["muc"].f1 == 1.0
    assert ac.score(key, response)["mentions"].recall_num == 1


def test_what_is_missing_is_no_mention():
    import pandas as pd

    padded = np.ma.array([[1, 2, 3], [4, 5, 0]], mask=[[0, 0, 0], [0, 0, 1]])
    nullable = [pd.Series([1, None], dtype="Int64")]
    for key in (
        padded,
        nullable,
        pa.array([[1, None], [3]]),
        [[1.5, float("nan")]],
        [np.array([1.0, np.nan])],
        [[pd.NaT]],
    ):
        with pytest.raises(ac.InputError, match="is a missing value"):
            ac.score(key, [[1]])
    assert ac.score([[None, 1.5]], [[None, 1.5]])["muc"].f1 == 1.0


def test_what_is_not_equal_to_itself_is_no_mention():
    pd = pytest.importorskip("pandas")
    nan, not_a_time = float("nan"), np.datetime64("NaT")
    for mention in (Decimal("nan"), complex(nan, 0), np.complex64(nan), not_a_time, np.timedelta64("NaT")):
        with pytest.raises(ac.InputError, match=r"key of document 0: mention .* is a missing value"):
            ac.score([["a", mention]], [["a", mention]])
    held: tuple[Any, ...] = ((0, nan), [0, nan], (0, (np.float32(nan), 1)), np.array([0.0, nan]), (0, not_a_time))
    for mention in (*held, frozenset({nan, 1}), (0, frozenset({Decimal("nan")})), (0, pd.NA), frozenset({(0, pd.NaT)})):
        with pytest.raises(ac.InputError, match=r"key of document 0: mention .* holds a missing value"):
            ac.score([["a", mention]], [["a", mention]])
    for mention in (frozenset({1, 2}), (0, frozenset({0.5})), frozenset({None, "a"})):
        assert ac.score([["a", mention]], [["a", mention]])["muc"].f1 == 1.0
    deep: Any = 1.5
    for _ in range(400):
        deep = [deep]
    for mention in (Fraction(1, 2), Decimal(2), 2j, (0.5, None), np.datetime64("2020"), deep):
        assert ac.score([["a", mention]], [["a", mention]])["muc"].f1 == 1.0
    for writable in (memoryview(bytearray(b"a")), [1, {}]):
        with pytest.raises(ac.InputError, match="is not hashable"):
            ac.score([["a", writable]], [["a"]])
