"""Clusters that are packed to bytes get the labels, and the errors, that they get by a dict of mentions."""

import datetime
import enum
from collections import namedtuple

import numpy as np
import ormsgpack
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.kernels import packed as kernels
from arraycoref.match.objects import encode
from arraycoref.match.packed import SMALL, label_packed
from arraycoref.options.policies import Policies
from strategies import examples

Span = namedtuple("Span", "start end")
Colour = enum.IntEnum("Colour", "RED GREEN")
Text = type("Text", (str,), {})

EDGES = [0, 1, 2, 127, 128, 255, 256, 65535, 65536, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64]
USUAL = st.one_of(
    st.integers(0, 3),
    st.sampled_from([*EDGES, *[-edge for edge in EDGES], *[-edge - 1 for edge in EDGES]]),
    st.sampled_from(["", "1", "a", "é", "eight by", "nine byte", "x" * 31, "x" * 32, "x" * 255, "x" * 256, "x" * 257]),
)
RARE = st.sampled_from([
    True, False, 1.0, 0.0, float("nan"), None, b"a", "\ud800", np.int64(1), np.uint8(255), np.str_("a"), np.float64(1),
    np.bool_(True), np.array([0, 1]), np.array([[0, 1]], np.uint16), np.array(["a"]), np.array([1.0]), np.array(1),
    np.array([1], ">i4"), np.datetime64("2020-01-01"), np.timedelta64(1, "D"), np.array(["2020"], "datetime64[s]"),
    frozenset({1, "a"}), {1}, Span(0, 1), Colour.RED, Text("a"), {"a": 1}, {}.values(), range(2), bytearray(b"a"),
    datetime.date(2020, 1, 1), "2020-01-01", ormsgpack.Ext(0, b""), 2**70, (1, (2, [3])), (None,),
])  # fmt: skip


def nested(values):
    """Draw values, and lists and tuples of them."""
    return st.recursive(
        values,
        lambda inner: st.one_of(*[st.lists(inner, max_size=3).map(kind) for kind in (list, tuple)]),
        max_leaves=4,
    )


def _set(items):
    try:
        return set(items)
    except TypeError:
        return items


def clusterings(mentions):
    """Draw clusterings, now and then of something else."""
    kinds = [list, tuple, _set, lambda items: dict(enumerate(items)).values()]
    cluster = st.one_of(*[st.lists(mentions, max_size=4).map(kind) for kind in kinds])
    return st.one_of(*[st.lists(cluster, max_size=3).map(kind) for kind in (list, tuple)])


def result(sides, duplicates, engine):
    """Return labels and offsets, or what is raised."""
    policies = Policies(duplicates=duplicates, engine=engine)
    names = [f"d{n}" for n in range(len(sides[0]))]
    try:
        found = encode(*sides, policies, names)
    except ac.ArraycorefError as error:
        return type(error), str(error)
    repeated = found.repeated and [each.tolist() for each in (*found.repeated.key, *found.repeated.response)]
    return found.key.tolist(), found.response.tolist(), found.offsets.tolist(), found.names, repeated


def is_packed(*sides):
    return label_packed(*sides, Policies(), str, kernels) is not None


POLICIES = st.sampled_from(["error", "both", "first", "last", "drop"])
USUALLY, RARELY = nested(USUAL), nested(RARE)
CLUSTERINGS = clusterings(USUALLY)  # made once: hypothesis checks each strategy that it has not seen


@pytest.mark.filterwarnings("ignore:.* mentions (is|are) shared")
@examples()
@given(st.lists(st.tuples(CLUSTERINGS, CLUSTERINGS), max_size=3), POLICIES, st.booleans())
def test_usual_objects(pairs, duplicates, many):
    """With room for all mentions, and, where many before them take a byte each, with too little at first."""
    before = [[list(range(128))]] * (SMALL // 128 + 1) if many else []
    sides = [before + [pair[side] for pair in pairs] for side in (0, 1)]
    assert result(sides, duplicates, "numba") == result(sides, duplicates, "numpy")


@pytest.mark.filterwarnings("ignore:.* mentions (is|are) shared")
@examples(1.5)
@given(st.data(), POLICIES)
def test_any_objects(data, duplicates):
    """One mention, cluster or document among the usual ones that Python may compare in another way."""
    sides = [[data.draw(CLUSTERINGS) for _ in range(2)] for _ in range(2)]
    odd = data.draw(RARELY)
    side, level = sides[data.draw(st.integers(0, 1))], data.draw(st.integers(0, 2))
    if level == 0:
        side[1] = odd
    else:
        side[1] = [*side[1], odd if level == 1 else [odd, *data.draw(st.lists(USUALLY, max_size=2))]]
    assert result(sides, duplicates, "numba") == result(sides, duplicates, "numpy")


def test_what_is_packed():
    """So that the tests here compare two ways."""
    for mentions in (
        [(0, 1), [2, 3], "a", 5, -5, 2**64 - 1, -(2**63), ("doc", (1, 2)), []],
        [np.array([0, 1]), np.int32(5), np.str_("a"), np.array(["b"]), np.array([[1], [2]], ">u2")],
        np.arange(6, dtype=">i4").reshape(3, 2),
        {(0, 1), (2, 3)},
    ):
        assert is_packed([[mentions]], [[]])
        assert ac.score([mentions], [[*mentions]])["mentions"].f1 == 1


def test_mentions_that_python_takes_for_equal():
    """Beside something that is hashed, and without it."""
    for other in ([], [["z", None]]):
        scores = ac.score([["a", 1, (1, 2)], *other], [["a", np.uint64(1), [1, np.int8(2)]], *other])
        assert scores["mentions"].f1 == scores["muc"].f1 == 1
    assert ac.score([["a", 1]], [["a", True]])["muc"].f1 == 1
    assert ac.score([["1", "a"]], [[1, "a"]])["mentions"].f1 == 0.5


@pytest.mark.parametrize("size", [0, 1, 15, 16, 31, 32, 255, 256, 65535, 65536])
def test_headers_of_every_length(size):
    """Of documents, clusters, mentions, texts and arrays."""
    one = [["a", "b"]]
    scores = ac.score_batch([one] * size + [[["a"]]], [one] * size + [[]])
    assert (len(scores), scores["mentions"].recall_num) == (size + 1, 2 * size)
    assert ac.score([[n] for n in range(size)], [range(size)])["muc"].precision_den == max(size - 1, 0)
    texts = [["x" * size, "x" * (size + 1)], [(1,) * size, (1,) * (size + 1)]]
    assert is_packed([texts], [[]])
    assert ac.score(texts, [["x" * (size + 1), [1] * (size + 1), "y"]])["mentions"].recall == 0.5
