"""Same seed, same numbers, to the bit: one thread, two threads, another chunk size, another order of the systems."""

import functools

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.stats.bootstrapping import replicates
from arraycoref.stats.systems import Systems
from arraycoref.sweeps import sweep, sweep_linkage
from arraycoref.sweeps.best import SETTINGS_AT_ONCE

RESAMPLES, SEED = 700, 11  # in three blocks
WAYS = [{"threads": 2}, {"threads": 3, "batch": 300}, {"batch": 1}, {"batch": 10**6}]


def system(seed, wrong=0.3, n_documents=150):
    """Score a system on documents of unequal length, the same whatever the seed."""
    sizes = np.random.default_rng(0).integers(3, 40, n_documents)
    key = np.random.default_rng(1).integers(0, 8, sizes.sum())
    rng = np.random.default_rng(seed)
    response = np.where(rng.random(key.size) < wrong, rng.integers(-1, 8, key.size), key)
    return ac.score_labels_batch(key, response, np.concatenate(([0], np.cumsum(sizes))))


@pytest.fixture(scope="module")
def runs():
    return {name: system(seed, wrong) for seed, (name, wrong) in enumerate({"x": 0.3, "y": 0.31, "z": 0.4}.items(), 2)}


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_bootstrap(runs, method, average):
    options = {"method": method, "average": average, "resamples": RESAMPLES, "seed": SEED}
    for pair in ([runs["x"]], [runs["x"], runs["y"]]):
        expected = ac.bootstrap(*pair, **options)
        assert expected["conll"].f1.low < expected["conll"].f1.high
        for way in WAYS:
            assert repr(ac.bootstrap(*pair, **options, **way).items_by_metric) == repr(expected.items_by_metric)


def test_bootstrap_in_another_order(runs):
    """The resamples' scores of a system are the same beside any others, and so is a difference but for its sign."""
    both, turned, alone = (
        replicates(Systems.of({name: runs[name] for name in names}, None, "micro"), RESAMPLES, SEED)
        for names in ("xy", "zyx", "x")
    )
    np.testing.assert_array_equal(both[:, 0], turned[:, 2])
    np.testing.assert_array_equal(both[:, 1], turned[:, 1])
    np.testing.assert_array_equal(both[:, :1], alone)
    there = ac.bootstrap(runs["x"], runs["y"], resamples=RESAMPLES)["muc"].f1
    back = ac.bootstrap(runs["y"], runs["x"], resamples=RESAMPLES)["muc"].f1
    assert there.estimate == -back.estimate
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-15)


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_paired_test(runs, test, average):
    options = {"test": test, "average": average, "resamples": RESAMPLES, "seed": SEED}
    expected = ac.paired_test(runs["x"], runs["y"], **options)
    assert 0.01 < expected.pvalue < 1  # a difference in the weights would be seen
    for way in WAYS:
        assert ac.paired_test(runs["x"], runs["y"], **options, **way) == expected
    turned = ac.paired_test(runs["y"], runs["x"], **options)
    assert (turned.pvalue, turned.difference) == (expected.pvalue, -expected.difference)


@pytest.fixture(scope="module")
def compared(runs):
    return functools.cache(lambda **options: ac.compare(runs, **options))


@pytest.mark.parametrize("way", [*WAYS, {"order": "zyx"}, {"order": "yxz", "threads": 2, "batch": 7}], ids=str)
@pytest.mark.parametrize("baseline", [None, "y"])
@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_compare(runs, compared, test, baseline, way):
    options = {"test": test, "baseline": baseline, "resamples": RESAMPLES, "seed": SEED}
    expected = compared(**options)
    way = dict(way)
    again = ac.compare({name: runs[name] for name in way.pop("order", "xyz")}, **options, **way)
    assert repr(again.systems) == repr(expected.systems)
    for field in ("differences", "pvalues", "adjusted"):
        np.testing.assert_array_equal(getattr(again, field), getattr(expected, field))
    assert str(again) == str(expected)


def test_power(runs):
    options = {"sizes": [50, 3000], "resamples": 500, "seed": SEED}
    expected = ac.power(runs["x"], runs["y"], **options)
    assert 0 < expected.power[0] < expected.power[1]
    assert ac.power(runs["x"], runs["y"], threads=2, **options).power.tolist() == expected.power.tolist()
    assert ac.power(runs["y"], runs["x"], **options).power.tolist() == expected.power.tolist()


def data(n_settings=12):
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 60, 40)
    key = rng.integers(-1, 9, sizes.sum())
    wrong, other = rng.random(key.size), rng.integers(-1, 9, (n_settings, key.size))
    responses = np.where(wrong < 0.3 + 0.002 * (np.arange(n_settings) % 12)[:, None], other, key)
    return key, responses, np.concatenate(([0], np.cumsum(sizes)))


@pytest.mark.parametrize("times", [1, 40, 130])
def test_sweep(times):
    """In one block, in blocks of a few settings, and of one."""
    key, responses, offsets = data()
    key, responses = np.tile(key, times), np.tile(responses, times)
    offsets = np.append(0, np.cumsum(np.tile(np.diff(offsets), times)))
    expected = sweep(key, responses, offsets)
    order = np.random.default_rng(1).permutation(len(responses))
    listed = responses[order].tolist()
    for threads in (1, 2):
        for how in (responses[order], iter(responses[order]), listed):
            found = sweep(key, how, offsets, settings=order.tolist(), threads=threads)
            np.testing.assert_array_equal(found.sums, expected.sums[order])
            assert found["conll"].f1.tolist() == expected["conll"].f1[order].tolist()


def test_the_best_of_a_sweep():
    """Settings that are resampled in groups, each in another group than before."""
    key, responses, offsets = data(2 * SETTINGS_AT_ONCE + 1)
    options = {"resamples": 400, "seed": SEED}
    expected = sweep(key, responses, offsets).best("conll", **options)
    assert len(expected.rivals) > 1
    order = np.random.default_rng(1).permutation(len(responses))
    for threads in (1, 2):
        shuffled = sweep(key, responses[order], offsets, settings=order.tolist())
        found = shuffled.best("conll", threads=threads, **options)
        assert (found.setting, found.score) == (expected.setting, expected.score)
        assert found.settings == expected.settings
        assert found.pvalues.tolist() == expected.pvalues[order].tolist()
        assert repr(found.differences) == repr(tuple(expected.differences[s] for s in order))


@pytest.mark.parametrize("threads", [1, 2])
def test_cuts(threads):
    from scipy.cluster.hierarchy import linkage

    rng = np.random.default_rng(0)
    key = rng.integers(0, 9, 90)
    tree = linkage(rng.normal(size=(90, 2)) + key[:, None], "average")
    thresholds = np.quantile(tree[:, 2], [0.1, 0.5, 0.7, 0.9])
    expected = sweep_linkage(key, tree, thresholds, metrics="bcub,ceafe,lea,muc")
    order = [2, 0, 3, 1]
    found = sweep_linkage(key, tree, thresholds[order], metrics="bcub,ceafe,lea,muc", threads=threads)
    np.testing.assert_array_equal(found.sums, expected.sums[order])
