"""Clusters of usual objects are packed to bytes, and the bytes of every length are read."""

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.kernels.objects import label_objects
from arraycoref.match.objects import ObjectSides
from arraycoref.options.policies import Policies
from arraycoref.twin import using


@pytest.fixture(scope="module", autouse=True)
def compiled():
    with using("numba"):
        yield


def is_packed(keys, responses):
    return label_objects(ObjectSides(keys, responses), Policies()) is not NotImplemented


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
