"""How many documents a difference needs."""

import numpy as np
import pytest
from stats_data import scored, some_documents

from arraycoref import score_labels_batch
from arraycoref.exceptions import InputError
from arraycoref.stats import paired_test, power
from marks import cases

OPTIONS = {"resamples": 400}


@pytest.fixture(scope="module")
def pilot():
    return scored(1, n_documents=60, wrong=0.3), scored(2, n_documents=60, wrong=0.35)


def test_smaller_differences_need_more(pilot):
    needed = []
    for size in (0.02, 0.04, 0.08):
        found = power(*pilot, difference=size, **OPTIONS)
        assert (np.diff(found.n_documents) > 0).all()
        assert found.power[found.n_documents == found.needed] >= 0.8
        assert found.power[found.n_documents < found.needed // 2].max() < 0.8
        needed.append(found.needed)
    assert needed == sorted(needed, reverse=True)
    assert needed[0] / needed[1] == pytest.approx(4, rel=0.35)  # the square of the ratio of the differences


def test_sizes(pilot):
    found = power(*pilot, sizes=[500, 20, 500], difference=0.03, **OPTIONS)
    assert found.n_documents.tolist() == [20, 500]
    assert found.power[0] < found.power[1]
    assert power(*pilot, sizes=[20], difference=0.001, **OPTIONS).needed is None
    given_up = power(*pilot, difference=0.0005, max_documents=50, **OPTIONS)
    assert (given_up.needed, given_up.n_documents[-1]) == (None, 50)


def test_seeded(pilot):
    first, again, other = (
        power(*pilot, sizes=[40, 900], seed=s, threads=t, **OPTIONS) for s, t in ((1, 1), (1, 2), (2, 1))
    )
    assert first.power.tolist() == again.power.tolist() != other.power.tolist()


def test_agrees_with_the_test():
    """The power from a pilot is near the share of fresh samples in which the test finds the difference."""
    a, b = scored(1, n_documents=400, wrong=0.3), scored(2, n_documents=400, wrong=0.36)
    estimated = power(a, b, metric="bcub", sizes=[40], resamples=1000).power[0]
    samples = [np.random.default_rng(draw).integers(400, size=40) for draw in range(100)]
    tests = (paired_test(some_documents(a, d), some_documents(b, d), metric="bcub", resamples=300) for d in samples)
    assert np.mean([test.pvalue <= 0.05 for test in tests]) == pytest.approx(estimated, abs=0.15)


def test_what_cannot_be_answered(pilot):
    with pytest.raises(InputError, match="difference to be found is 2; expected a fraction above 0"):
        power(*pilot, difference=2)
    with pytest.raises(InputError, match="one document"):
        power(*(some_documents(b, [0]) for b in pilot))


def test_no_noise(pilot):
    """Documents that all differ alike leave nothing to chance; six of them give a p-value of 2 / 2^6, five 2 / 2^5."""
    a, b = (some_documents(b, [3] * 5) for b in pilot)
    assert power(a, b, difference=0.01, **OPTIONS).needed == 6
    assert power(a, b, difference=0.01, sizes=[2, 5, 6], **OPTIONS).power.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("difference", [0.1, 0.2, 0.3, 0.5, 0.9])
def test_the_search_finds_the_smallest(pilot, difference):
    """Below 50 documents, where it looks at each number, it is the first of all that suffices."""
    every = power(*pilot, difference=difference, sizes=np.arange(2, 50), **OPTIONS)
    first = every.n_documents[every.power >= 0.8][0]
    assert power(*pilot, difference=difference, **OPTIONS).needed == every.needed == first


@cases("average", ["micro", "macro"])
@cases("n_documents", [1, 40])
@cases("metric", ["merge-distance", "bcub"])
def test_power_grows_with_documents(metric, n_documents, average):
    """A number of errors grows with the documents, and so does the difference to be found."""
    rng = np.random.default_rng(0)
    key, offsets = np.repeat(np.arange(200), 4), np.linspace(0, 800, n_documents + 1).astype(int)
    a, b = (
        score_labels_batch(key, np.where(rng.random(800) < p, rng.integers(0, 200, 800), key), offsets, metrics=metric)
        for p in (0.1, 0.13)
    )
    found = power(a, b, metric=metric, average=average, sizes=[10, 40, 160, 640], **OPTIONS)
    assert (np.diff(found.power) > -0.05).all()
    assert found.power[-1] > 0.9
