"""Clusters of mentions that other libraries hold: hashed by what they are, not by which object they are."""

from collections import namedtuple
from decimal import Decimal
from fractions import Fraction

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
        ([[np.str_(word) for word in cluster] for cluster in WORDS], WORDS),
        (pa.array(SPANS), SPANS),
        ([[Tensor(span) for span in cluster] for cluster in SPANS], SPANS),
        ([[tuple(Tensor(token) for token in span) for span in cluster] for cluster in SPANS], SPANS),
    ],
)
def test_mentions_are_what_they_hold(given, plain):
    for key, response in ((given, given), (given, plain), (plain, given)):
        assert alike(ac.score(key, response), ac.score(plain, plain))
    assert ac.sweep([plain], [[given]])["muc"].f1.tolist() == [1.0]


def test_at_any_depth():
    Span = namedtuple("Span", "start end")

    def made():
        return [
            ((Tensor(1), Tensor(2)), 0),
            Span(Tensor(1), (pa.scalar(2),)),
            ((pa.scalar(1), 2), "x"),
            pa.scalar({"start": 0, "end": [1]}),
            pa.scalar([1, 2]),
        ]

    for ours, theirs in zip(made(), made(), strict=True):
        assert ac.score([[ours, "a"]], [[theirs, "a"]])["mentions"].f1 == 1.0


def test_spans_as_structs():
    key = pa.array([[{"start": 0, "end": 1}, {"start": 2, "end": 2}]])
    response = pa.array([[{"end": 1, "start": 0}, {"end": 2, "start": 3}]])
    assert ac.score(key, key)["muc"].f1 == 1.0
    assert ac.score(key, response)["mentions"].recall_num == 1


NAN, NAT = float("nan"), np.datetime64("NaT")


def test_what_is_missing_is_no_mention():
    """It is not equal to itself, so that it would never be found on the other side."""
    for clusters in (
        [[1, 2, 3], np.ma.array([4, 5, 0], mask=[0, 0, 1])],
        pa.array([[1, None], [3]]),
        [np.array([1.0, np.nan])],
        [["a", Decimal("nan")]],
        [["a", NAT]],
        [["a", (0, (np.float32(NAN), 1))]],
        [["a", (0, frozenset({Decimal("nan")}))]],
    ):
        with pytest.raises(ac.InputError, match=r"key of document 0: mention .* (is|holds) a missing value"):
            ac.score(clusters, [[1]])


def test_missing_values_of_pandas_are_no_mentions():
    pd = pytest.importorskip("pandas")
    for clusters in ([pd.Series([1, None], dtype="Int64")], [[pd.NaT]], [[(0, pd.NA)]], [[frozenset({(0, pd.NaT)})]]):
        with pytest.raises(ac.InputError, match=r"mention .* (is|holds) a missing value"):
            ac.score(clusters, [[1]])


def test_what_is_equal_to_itself_is_a_mention():
    for mention in (frozenset({1, 2}), (0, frozenset({0.5})), None, Fraction(1, 2), 2j, (0.5, None), [[1.5]]):
        assert ac.score([["a", mention]], [["a", mention]])["muc"].f1 == 1.0
    with pytest.raises(ac.InputError, match="is not hashable"):
        ac.score([["a", [1, {}]]], [["a"]])
