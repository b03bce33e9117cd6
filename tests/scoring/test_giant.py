"""Giant documents, whose cells are counted in another way, from labels as they are. Small ones are taken for giants."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_properties import METRICS, check, everything, oracle_counts

import arraycoref as ac
from arraycoref.scoring.clusterings import GIANT, Clusterings
from strategies import CEAF_SHAPES, ceaf_labels, clusters_of, examples, giants, label_documents, relabelled

DTYPES = (np.int32, np.int64)


@given(label_documents(max_mentions=30), st.data(), st.sampled_from(DTYPES), st.sampled_from(["paper", "conll"]))
@examples()
def test_labels_equal_the_oracle(document, data, dtype, profile):
    """Labels leave numbers out, and may be too large for a table of them."""
    largest = data.draw(st.sampled_from([2 * len(document[0]) + 1, 2**31 - 1]))
    key, response = (data.draw(relabelled(labels, st.integers(0, largest))).astype(dtype) for labels in document)
    rows = oracle_counts(clusters_of(document[0]), clusters_of(document[1]))
    with giants():
        check(ac.score_labels(key, response, metrics=METRICS, profile=profile), rows, profile)


@pytest.mark.parametrize("shape", CEAF_SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 40, 1200])
def test_as_documents_are_counted_otherwise(shape, dtype, n):
    """Entities of few mentions and of many, more of them than there are buckets."""
    key, response = (labels.astype(dtype) for labels in ceaf_labels(shape, n, 7))
    before = everything(ac.score_labels(key, response, metrics=METRICS))
    halves = [everything(ac.score_labels(*side, metrics=METRICS)) for side in _halves(key, response)]
    dropped = everything(ac.score_labels(key, response, metrics=METRICS, singletons="drop"))
    with giants():
        assert everything(ac.score_labels(key, response, metrics=METRICS)) == pytest.approx(before, rel=1e-12)
        batch = ac.score_labels_batch(key, response, [0, key.size // 2, key.size], metrics=METRICS, threads=2)
        now_dropped = everything(ac.score_labels(key, response, metrics=METRICS, singletons="drop"))
    assert [everything(document) for document in (batch[0], batch[1])] == [pytest.approx(h, rel=1e-12) for h in halves]
    assert now_dropped == pytest.approx(dropped, rel=1e-12)


def _halves(*sides):
    n = sides[0].size // 2
    return [side[:n] for side in sides], [side[n:] for side in sides]


@pytest.mark.parametrize("dtype", DTYPES)
def test_labels_are_not_copied(dtype, tmp_path):
    """Neither arrays nor files mapped to memory."""
    key = np.array([0, 5, 5, -1, 2], dtype)
    np.save(tmp_path / "response.npy", key[::-1])
    response = np.load(tmp_path / "response.npy", mmap_mode="r")
    with giants():
        alone, batch = (Clusterings.from_labels(key, response, offsets) for offsets in (None, [0, 5]))
    for clusterings in (alone, batch):
        assert np.shares_memory(clusterings.key, key)
        assert np.shares_memory(clusterings.response, response)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("side", ["key", "response"])
def test_errors_name_side_and_place(dtype, side):
    labels = {"key": np.array([0, 1, -1], dtype), "response": np.array([0, 1, -1], dtype)}
    labels[side][1] = -3
    with giants(), pytest.raises(ac.InputError, match=f"{side} label -3 of mention 1 in document 0"):
        ac.score_labels(**labels)


def test_a_document_of_two_million_mentions():
    """What is too long for the usual kernels goes this way by itself, and gives what the halves of its links give."""
    n = GIANT
    key = np.arange(n) // 2
    scores = ac.score_labels(key, np.arange(n) // 4)
    assert scores["muc"].recall == 1.0
    assert scores["muc"].precision_num == n // 2
    assert scores["muc"].precision_den == 3 * n // 4
    assert scores["bcub"].precision == pytest.approx(0.5)
    assert scores["ceafe"].recall_num == pytest.approx(n // 4 * 2 * 2 / 6)
