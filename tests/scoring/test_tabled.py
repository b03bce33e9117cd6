"""Large documents of few entities, whose cells are counted in a table. Small ones are taken for such."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_properties import METRICS, check, everything, oracle_counts

import arraycoref as ac
from alike import alike
from arraycoref.scoring.cells import LARGE
from strategies import CEAF_SHAPES, ceaf_labels, clusters_of, examples, label_documents, relabelled, tabled


@given(label_documents(max_mentions=30), st.data(), st.sampled_from(["paper", "conll"]))
@examples()
def test_labels_equal_the_oracle(document, data, profile):
    """Labels leave numbers out, and may be too large for a table of them."""
    largest = data.draw(st.sampled_from([2 * len(document[0]) + 1, 2**31 - 1]))
    key, response = (data.draw(relabelled(labels, st.integers(0, largest))) for labels in document)
    rows = oracle_counts(clusters_of(document[0]), clusters_of(document[1]))
    with tabled():
        check(ac.score_labels(key, response, metrics=METRICS, profile=profile), rows, profile)


@pytest.mark.parametrize("shape", CEAF_SHAPES)
@pytest.mark.parametrize("n", [3, 40, 1200])
def test_as_documents_are_counted_otherwise(shape, n):
    key, response = ceaf_labels(shape, n, 7)
    before = everything(ac.score_labels(key, response, metrics=METRICS))
    with tabled():
        assert everything(ac.score_labels(key, response, metrics=METRICS)) == pytest.approx(before, rel=1e-12)


@pytest.mark.parametrize("n_entities", [2, 20, 600, 1000])
def test_every_door_gives_the_same_to_the_bit(n_entities):
    """The way depends on the numbers of entities, not on their labels, nor on what stands beside the document."""
    n = 2 * LARGE
    rng = np.random.default_rng(n_entities)
    key, response = rng.integers(-1, n_entities, (2, n))
    response = np.where(rng.random(n) < 0.6, key, response)
    alone = ac.score_labels(key, response, metrics=METRICS)
    numbers = rng.permutation(n_entities)
    late = np.where(np.arange(n) < n - 9, key, np.where(key < 0, -1, key + 7 * n_entities))
    renamed = np.unique(late, return_inverse=True)[1].reshape(n) - 1
    expected = ac.score_labels(renamed, response, metrics=METRICS)
    for labels, scores in (
        (np.where(key < 0, -1, numbers[key]), alone),
        (np.where(key < 0, -1, 3 * key + 2), alone),
        (np.where(key < 0, -1, key * 2**40), alone),
        (late, expected),
        (np.where(late < 0, -1, 3 * late), expected),
    ):
        found = ac.score_labels(labels, response, metrics=METRICS)
        assert alike([found[name] for name in METRICS], [scores[name] for name in METRICS])
    small = rng.integers(0, 5, 60)
    batch = ac.score_labels_batch(
        *(np.concatenate([small, labels, small]) for labels in (key, response)),
        [0, 60, 60 + n, 120 + n],
        metrics=METRICS,
    )
    assert alike([batch[1][name] for name in METRICS], [alone[name] for name in METRICS])
    swept = ac.sweep(key, [response, key], metrics=METRICS)
    assert alike([swept[0][name] for name in METRICS], [alone[name] for name in METRICS])


@pytest.mark.parametrize("side", ["key", "response"])
@pytest.mark.parametrize("place", [0, 5000, LARGE - 1])
def test_a_label_below_minus_one(side, place):
    labels = {"key": np.arange(LARGE) % 700, "response": np.arange(LARGE) % 500}
    labels[side][place] = -2
    with pytest.raises(ac.InputError, match=f"{side} label -2 of mention {place} in document 0"):
        ac.score_labels(**labels)
