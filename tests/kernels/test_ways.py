"""The compiled ways in which cells are counted, chosen by labels and sizes of documents, give the same."""

import functools
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from alike import alike
from arraycoref.kernels import fused
from arraycoref.kernels.label_ranges import TILE
from arraycoref.twin import using
from marks import about
from scoring.test_properties import METRICS, check, oracle_counts
from strategies import clusters_of, examples, label_documents, relabeled

LARGE = 1 << 17


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Use the kernels: most ways are theirs."""
    with using("numba"):
        yield


def same(one, other, metrics=METRICS):
    return alike([one[name] for name in metrics], [other[name] for name in metrics])


equal = functools.partial(same, metrics=ac.DEFAULT_METRICS)


@given(st.data(), st.sampled_from([np.int32, np.int64]), st.sampled_from(["paper", "conll"]))
@examples()
def test_labels_equal_the_oracle(data, dtype, profile):
    """Labels leave numbers out, and may be too large for a table of them."""
    document = data.draw(label_documents(max_mentions=30))
    largest = data.draw(st.sampled_from([2 * len(document[0]) + 1, 2**31 - 1]))
    key, response = (data.draw(relabeled(labels, st.integers(0, largest))).astype(dtype) for labels in document)
    rows = oracle_counts(clusters_of(document[0]), clusters_of(document[1]))
    check(ac.score_labels(key, response, metrics=METRICS, profile=profile), rows, profile)


@pytest.mark.parametrize("side", ["key", "response"])
def test_errors_name_side_and_place(side):
    """Of a label below -1, wherever it is in a document of many entities, of few, or of one."""
    for entities in (10**6, 700, 1):
        for place in (0, TILE, LARGE - 1):
            labels = {name: np.arange(LARGE) % entities for name in ("key", "response")}
            labels[side][place] = -3
            with pytest.raises(ac.InputError, match=f"{side} label -3 of mention {place} in document 0"):
                ac.score_labels(**labels)
    with pytest.raises(ac.InputError, match=f"{side} label -3 of mention 1 in document 0"):
        ac.score_labels(**{"key": [0, 1, -1], "response": [0, 1, -1], side: [0, -3, -1]})


def test_a_document_of_two_million_mentions():
    """What is too long for the usual kernels goes this way by itself, and gives what the halves of its links give."""
    n = 1 << 21
    scores = ac.score_labels(np.arange(n) // 2, np.arange(n) // 4)
    assert scores["muc"].recall == 1.0
    assert scores["muc"].precision_num == n // 2
    assert scores["muc"].precision_den == 3 * n // 4
    assert scores["bcub"].precision == pytest.approx(0.5)
    assert scores["ceafe"].recall_num == pytest.approx(n // 4 * 2 * 2 / 6)


@pytest.mark.parametrize("n_entities", [2, 20, 600, 1000])
def test_every_door_gives_the_same_to_the_bit(n_entities):
    """Sums of the default metrics depend on no label, nor on the way, nor on what stands beside the document."""
    n = 2 * LARGE
    rng = np.random.default_rng(n_entities)
    key, response = rng.integers(-1, n_entities, (2, n))
    response = np.where(rng.random(n) < 0.6, key, response)
    alone = ac.score_labels(key, response)
    numbers = rng.permutation(n_entities)
    late = np.where(np.arange(n) < n - 9, key, np.where(key < 0, -1, key + 7 * n_entities))
    renamed = np.unique(late, return_inverse=True)[1].reshape(n) - 1
    expected = ac.score_labels(renamed, response)
    for labels, scores in (
        (np.where(key < 0, -1, numbers[key]), alone),
        (np.where(key < 0, -1, 3 * key + 2), alone),
        (np.where(key < 0, -1, key * 2**40), alone),
        (late, expected),
        (np.where(late < 0, -1, 3 * late), expected),
    ):
        assert equal(ac.score_labels(labels, response), scores)
    small = rng.integers(0, 5, 60)
    sides = (np.concatenate([small, labels, small]) for labels in (key, response))
    assert equal(ac.score_labels_batch(*sides, [0, 60, 60 + n, 120 + n])[1], alone)
    assert equal(ac.sweep(key, [response, key])[0], alone)


@pytest.mark.parametrize("key_labels", [3, 6, 7, 200, 10**12])
@pytest.mark.parametrize("response_labels", [5, 6, 300])
def test_labels_that_come_late_in_large_documents(key_labels, response_labels):
    """Most mentions are on no side."""
    n = 9 * TILE
    rng = np.random.default_rng([key_labels, response_labels])
    labels = np.full((2, n), -1)
    labels[:, :50] = rng.integers(0, 5, (2, 50))
    labels[:, 0] = 5
    for first in (TILE - 50, 2 * TILE + 10, n - 90):
        late = labels[:, first : first + 100]
        late[:, 50:] = rng.integers(-1, [[key_labels], [response_labels]], late[:, 50:].shape)
    rows = oracle_counts(*(clusters_of(side.tolist()) for side in labels))
    check(ac.score_labels(*labels, metrics=METRICS), rows)
    both = ac.score_labels_batch(*np.tile(labels, 2), [0, n, 2 * n], metrics=METRICS)
    for d in (0, 1):
        with about(d):
            check(both[d], rows)


def test_documents_of_any_size_one_after_the_other():
    """A thread keeps the arrays of a call for the next one, and makes larger ones where these are too small."""
    rng = np.random.default_rng(8)
    documents = [rng.integers(-1, n, (2, n)) for n in (40, 3, 5_000, 70, 1, 40_000, 200, 6_000)]
    alone = []
    for labels in documents:  # in a thread each, which has no arrays yet
        thread = Thread(target=lambda labels=labels: alone.append(ac.score_labels(*labels, metrics=METRICS)))
        thread.start()
        thread.join()
    bounds = np.cumsum([0, *(labels.shape[1] for labels in documents)])
    batch = ac.score_labels_batch(*np.concatenate(documents, axis=1), bounds, metrics=METRICS)
    for d, (labels, expected) in enumerate(zip(documents, alone, strict=True)):
        assert same(ac.score_labels(*labels, metrics=METRICS), expected)
        assert same(batch[d], expected)


def test_a_response_without_entities_whatever_memory_holds():
    """Arrays that are kept from call to call are not cleared."""
    ac.score_labels([0, 1, 1], [0, 1, 1])
    fused.kept.scratch.entities[:] = -1
    assert list(ac.score_labels([0, 1, 1], [-1, -1, -1])["ceafe"]) == [0, 0, 0]
