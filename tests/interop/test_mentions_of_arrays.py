"""Clusters of mentions that other libraries hold: hashed by what they are, not by which object they are."""

import gc
import weakref
from collections import namedtuple
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


def test_classes_of_mentions_are_not_kept():
    def score():
        kind = namedtuple("kind", "a")
        ac.score([[kind(1)]], [[kind(1)]])
        return weakref.ref(kind)

    kinds = [score() for _ in range(300)]
    gc.collect()
    assert sum(kind() is not None for kind in kinds) < 200


def test_a_table_is_no_clustering():
    with pytest.raises(ac.InputError, match="expected an iterable of clusters"):
        ac.score(pl.DataFrame({"a": [1, 2]}), [[1, 2]])


def test_labels_past_64_bits_and_columns_of_nothing():
    expected = ac.score_labels([1, 1, 0, -1], [1, 1, 2, 2])
    assert alike(ac.score_labels([2**63, 2**63, 1, -1], [1, 1, 2, 2]), expected)
    assert alike(ac.score_labels((2**70, 2**70, 2**63, -1), [1, 1, 2, 2]), expected)
    with pytest.raises(ac.InputError, match=f"key label {-(2**80)} of mention 1"):
        ac.score_labels([2**63, -(2**80)], [1, 1])
    for labels in ([np.uint64(3), -1], [np.int64(3), 2**64], range(2**64, 2**64 + 2)):
        assert ac.score_labels(labels, [0, 1])["mentions"].recall_den == 2 - (labels[1] == -1)
    nothing = ac.score_labels([-1, -1], [1, 1])
    for column in (pa.array([None, None]), pl.Series([None, None]), pa.chunked_array([[None], [None]], pa.null())):
        assert alike(ac.score_labels(column, [1, 1]), nothing)


def test_sparse_columns_are_labels():
    import pandas as pd

    sparse = pd.Series(pd.arrays.SparseArray([0, 0, 1]))
    assert ac.score_labels(sparse, [0, 0, 1])["muc"].f1 == 1.0


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


def test_integers_of_numpy_beside_what_they_cannot_be_compared_with():
    day = np.timedelta64(2, "D")
    for one in (np.int64(1), np.uint8(1), (0, np.int16(1))):
        other = (0, Decimal(1)) if isinstance(one, tuple) else Decimal(1)
        assert ac.score([["a", other, day]], [["a", one, day]])["muc"].f1 == 1.0


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


def test_what_is_no_cluster_is_named():
    import pandas as pd

    for key in (pa.array([[1], None]), [bytearray(b"abc")], [pd.DataFrame({"a": [1]})]):
        with pytest.raises(ac.InputError, match=r"cluster [01] is [\s\S]*; expected an iterable of mentions"):
            ac.score(key, [[1]])


def test_what_has_no_order_of_its_own_is_not_paired():
    import pandas as pd

    keys = {"x": [[1, 2]], "y": [[3], [4]]}
    others = pd.Series(dict(reversed(keys.items())))
    with pytest.raises(ac.InputError, match="have different indices"):
        ac.score_batch(pd.Series(keys), others)
    assert ac.score_batch(pd.Series(keys), pd.Series(keys)).conll == ac.score_batch(keys, keys).conll
    for side in ({frozenset({(1, 2)})}, pd.DataFrame({"a": [1]})):
        with pytest.raises(ac.InputError, match="expected a list of clusterings"):
            ac.score_batch(side, side)


def test_labels_in_xarray():
    xarray = pytest.importorskip("xarray")
    assert ac.score_labels(xarray.DataArray([0, 0, 1]), [0, 0, 1])["muc"].f1 == 1.0
