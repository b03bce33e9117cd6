"""Thresholds and seeds: sweeps joined, added up and averaged; a choice on dev that is scored on test."""

import statistics
from functools import partial

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import arraycoref as ac
from arraycoref.sweeps import average, choose, concat, grid, pool

THRESHOLDS, SEEDS = [0.2, 0.8, 1.4], [1, 2, 3, 4]


def corpus(seed, n_documents=12):
    """Make a key and for each seed a system's mentions and dendrograms: clusterings that grow worse with noise."""
    rng = np.random.default_rng(seed)
    key, runs = {}, {s: ({}, {}) for s in SEEDS}
    for d in range(n_documents):
        labels = rng.integers(0, 4, 12)
        key[f"d{d}"] = [[(d, int(m)) for m in np.flatnonzero(labels == e)] for e in range(4)]
        for mentions, trees in runs.values():
            here = np.append(rng.permutation(12)[:9], [12, 13])
            mentions[f"d{d}"] = [(d, int(m)) for m in here]
            points = np.append(labels, [9, 9])[here, None] + 0.3 * rng.normal(size=(here.size, 1))
            trees[f"d{d}"] = linkage(points, "average")
    return key, runs


def sweep_of(seed, **options):
    key, runs = corpus(seed)
    by_seed = {s: ac.sweep_linkage(key, z, THRESHOLDS, mentions=m, **options) for s, (m, z) in runs.items()}
    return concat(by_seed, "seed"), by_seed


def test_seeds_become_a_parameter():
    found, by_seed = sweep_of(0, metrics="muc,bcub")
    assert list(found.settings) == [{"threshold": t, "seed": s} for s in SEEDS for t in THRESHOLDS]
    for setting, batch in zip(found.settings, found, strict=True):
        assert batch == by_seed[setting["seed"]].at(threshold=setting["threshold"])
    assert found.to_xarray().sizes["seed"] == 4
    assert list(found.pooled("threshold")) == THRESHOLDS
    numbered = concat({"x": ac.sweep([0, 0], [[0, 0], [0, 1]]), "y": ac.sweep([0, 0], [[0, 1]])}, "system")
    assert numbered.settings[1:] == ({"setting": 1, "system": "x"}, {"setting": 0, "system": "y"})
    for wrong, message in [
        (({}, "seed"), "sweeps is {}; expected one sweep or more"),
        (([found, found], "seed"), "expected one sweep or more, by the value of the parameter"),
        (({1: found}, "seed"), "has 'seed' already"),
        (({1: by_seed[1], 2: sweep_of(1, metrics="muc,bcub")[1][1]}, "seed"), "another key"),
    ]:
        with pytest.raises(ac.InputError, match=message):
            concat(*wrong)


def test_pooled_sums_are_those_of_all_runs_as_documents():
    found, by_seed = sweep_of(2, metrics="muc,blanc,lea,conll")
    pooled = pool(found, "seed")
    assert pooled.settings == tuple({"threshold": t} for t in THRESHOLDS)
    key, runs = corpus(2)
    whole = ac.sweep_linkage(
        {f"{name}/{s}": clusters for name, clusters in key.items() for s in SEEDS},
        {f"{name}/{s}": tree for s, (_, trees) in runs.items() for name, tree in trees.items()},
        THRESHOLDS,
        mentions={f"{name}/{s}": leaves for s, (mentions, _) in runs.items() for name, leaves in mentions.items()},
        metrics=found.metrics,
    )
    for metric in found.metrics:
        np.testing.assert_allclose(pooled[metric].f1, whole[metric].f1, rtol=1e-12)
        np.testing.assert_array_equal(
            pooled[metric].f1, [batch[metric].f1 for batch in found.pooled("threshold").values()]
        )
    assert pooled.n_documents == found.n_documents
    with pytest.raises(ac.InputError, match="another key"):
        pooled + by_seed[1]


def test_means_over_seeds():
    found, by_seed = sweep_of(3, metrics="muc,conll")
    seeds = average(found, "seed")
    for field in ("recall", "f1"):
        mean, sd = seeds.mean("muc", field), seeds.sd("muc", field)
        for g, threshold in enumerate(THRESHOLDS):
            scores = [getattr(by_seed[s].at(threshold=threshold)["muc"], field) for s in SEEDS]
            assert mean[g] == pytest.approx(statistics.mean(scores), rel=1e-12)
            assert sd[g] == pytest.approx(statistics.stdev(scores), rel=1e-9)
    best = max(THRESHOLDS, key=lambda t: statistics.mean(by_seed[s].at(threshold=t)["conll"].f1 for s in SEEDS))
    assert seeds.best() == seeds.best("conll") == {"threshold": best}
    frame = seeds.to_frame("pandas")
    assert frame["threshold"].tolist() == THRESHOLDS
    assert frame["conll_f1_mean"].tolist() == seeds.mean("conll").tolist()
    assert repr(seeds).count("±") == 3


@pytest.mark.parametrize("metric", ["conll", "ari", "merge-distance"])
def test_a_metric_without_recall_ranks_nothing_by_it(metric):
    found, _ = sweep_of(3, metrics=("muc", metric))
    seeds = average(found, "seed")
    for refused in (found.best, found.order, partial(found.plot, parameter="threshold", over="seed"), seeds.best):
        with pytest.raises(ac.OptionError, match=f"metric '{metric}' has no recall; expected field 'f1'"):
            refused(metric, "recall")


def test_seeds_of_one_system_and_of_several():
    labels = np.array([[0, 0, 1], [0, 1, 1], [0, 0, 0], [0, 1, 2]])
    found = ac.sweep([0, 0, 1], labels, settings=grid({"system": ["x", "y"], "seed": [1, 2]}), metrics="muc")
    assert average(found, "seed").settings == ({"system": "x"}, {"system": "y"})
    one = average(ac.sweep([0, 0, 1], labels[:2], settings={"seed": [1, 2]}, metrics="muc"), "seed")
    assert one.settings == ({"seed": "all"},)
    assert one.mean("muc").tolist() == [0.5]
    alone = average(found.select([0, 2]), "seed")
    assert np.isnan(alone.sd("muc")).all()
    assert "±" not in repr(alone)
    for function in (average, pool):
        with pytest.raises(ac.InputError, match="setting system=y has 1 runs by seed, and others up to 2"):
            function(found.select([0, 1, 2]), "seed")
        with pytest.raises(ac.UnknownNameError, match="unknown parameter 'sed'; expected one of: system, seed"):
            function(found, "sed")
        with pytest.raises(ac.InputError, match="has no parameters"):
            function(ac.sweep([0], {"a": [0]}), "seed")


def test_the_choice_on_dev_and_the_score_on_test():
    dev, test = sweep_of(4, metrics="muc,bcub")[1][1], sweep_of(5, metrics="muc,bcub")[1][1]
    turned = test.select([2, 0, 1])
    chosen = choose(dev, turned, "bcub", "recall", resamples=200, seed=3)
    best = dev.best("bcub", "recall", resamples=200, seed=3)
    assert chosen.setting == best.setting
    assert chosen.dev == best
    expected = ac.bootstrap(test.at(best.setting), resamples=200, seed=3)
    assert chosen.test == expected
    assert chosen.score == expected["bcub"].recall
    assert chosen.notes == ()
    assert str(chosen).startswith(f"chosen on dev: threshold={best.setting['threshold']}\ndev: threshold=")
    assert choose(dev, test).dev.metric == "muc"
    assert "same key" in str(choose(dev, dev, resamples=20))


def test_any_seed_can_be_used_again():
    """As of `arraycoref.stats.bootstrap`: whatever draws the resamples, the result says which number repeats it."""
    swept = sweep_of(4, metrics="muc,bcub,ceafe")[1][1]
    both = {"dev": swept, "test": swept, "resamples": 50}
    for seed in (None, np.random.default_rng(4), np.int64(7)):
        best, chosen = swept.best(resamples=50, seed=seed), choose(**both, seed=seed)
        assert type(best.seed) is type(chosen.dev.seed) is int
        assert swept.best(resamples=50, seed=best.seed) == best
        assert choose(**both, seed=chosen.dev.seed) == chosen
        assert chosen.test.seed == chosen.dev.seed
    for seed in (-1, 1.5, True, "1"):
        for refuse in (lambda seed: swept.best(resamples=50, seed=seed), lambda seed: choose(**both, seed=seed)):
            with pytest.raises(ac.InputError, match="seed is"):
                refuse(seed)


def test_the_choice_over_seeds():
    (dev, _), (test, by_seed) = sweep_of(6, metrics="muc,bcub"), sweep_of(7, metrics="muc,bcub")
    chosen = choose(dev, test, "bcub", over="seed", resamples=100)
    assert chosen.setting == average(dev, "seed").best("bcub")
    scores = [by_seed[s].at(chosen.setting)["bcub"].f1 for s in SEEDS]
    assert chosen.test_runs == pytest.approx((statistics.mean(scores), statistics.stdev(scores)))
    assert chosen.test["bcub"].f1.estimate == pool(test, "seed").at(chosen.setting)["bcub"].f1
    assert "mean over seed: dev " in str(chosen)


def test_mean_and_sums_that_disagree_are_noted():
    """By the mean over runs the even setting is better; by the sums the one whose empty run costs no precision."""
    key, whole, even = [list("abcdefgh")], [list("abcdefgh")], [list("abcdefguvwxyz")]
    outputs = zip(grid({"t": [0, 1], "seed": [1, 2]}), (whole, [], even, even), strict=True)
    found = ac.sweep(key, outputs, metrics="muc")
    # links: 7 of 7 and none of none in 14 of the key; 6 of 12 in 7 of the key, twice
    assert pool(found, "seed")["muc"].f1 == pytest.approx([2 * 7 / (14 + 7), 2 * 12 / (14 + 24)])
    assert average(found, "seed").mean("muc") == pytest.approx([(1 + 0) / 2, 2 * 6 / (7 + 12)])
    chosen = choose(found, found, over="seed", resamples=20)
    assert chosen.setting == {"t": 1}
    assert chosen.dev.setting == {"t": 0}
    assert "by the sums over all runs t=0 is the best, not by the mean of the runs" in chosen.notes


def test_what_cannot_be_chosen():
    dev, test = sweep_of(8, metrics="muc,bcub")[1][1], sweep_of(9, metrics="muc")[1][1]
    with pytest.raises(ac.InputError, match=r"1 of 3 settings are in the sweep of dev only, such as threshold=1\.4"):
        choose(dev, test.select([0, 1]))
    with pytest.raises(ac.InputError, match="1 of 3 settings are in the sweep of test only"):
        choose(dev.select([0, 1]), test)
    with pytest.raises(ac.UnknownNameError, match="unknown metric 'bcub'"):
        choose(dev, test, "bcub", resamples=20)
    with pytest.raises(ac.InputError, match="dev was scored under"):
        choose(dev, sweep_of(9, metrics="muc", beta=2)[1][1])
