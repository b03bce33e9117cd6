"""Two groups of documents of one system: against SciPy where the score is a mean, and by the level of the test."""

import numpy as np
import pytest
import scipy.stats

import arraycoref as ac
from arraycoref.exceptions import InputError


def scored(rng, n_documents, noise=0.2, metrics="bcub,conll"):
    """Scores of documents of 20 to 60 mentions, whose labels are wrong at random."""
    sizes = rng.integers(20, 60, n_documents)
    key = rng.integers(0, 8, sizes.sum())
    wrong = rng.random(key.size) < rng.gamma(2, noise / 2, n_documents).repeat(sizes)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    names = [f"{'ab'[d % 3 == 0]}_{d}" for d in range(n_documents)]
    labels = np.where(wrong, rng.integers(0, 8, key.size), key)
    return ac.score_labels_batch(key, labels, offsets, metrics=metrics, names=names)


@pytest.mark.parametrize("field", ["recall", "f1"])
def test_means_as_scipy(field):
    """Means over documents: Welch's interval; and the permutation test of his statistic, both drawn."""
    groups = scored(np.random.default_rng(0), 24).by("^.")
    d = ac.contrast(groups["a"], groups["b"], metrics="bcub", field=field, average="macro").differences["bcub"]
    samples = [getattr(groups[name].documents["bcub"], field) for name in "ab"]
    welch = scipy.stats.ttest_ind(*samples, equal_var=False)
    assert (d.first, d.second) == pytest.approx([each.mean() for each in samples])
    assert (d.low, d.high) == pytest.approx(tuple(welch.confidence_interval(0.95)))

    def statistic(one, other, axis):
        return scipy.stats.ttest_ind(one, other, axis=axis, equal_var=False).pvalue

    drawn = scipy.stats.permutation_test(samples, statistic, alternative="less", vectorized=True, n_resamples=9999)
    assert d.pvalue == pytest.approx(drawn.pvalue, abs=0.02)


def test_sums():
    """Corpus scores are those of the groups; the difference of the groups in the other order has the other sign."""
    groups = scored(np.random.default_rng(1), 30).by("^.")
    one, other = (ac.contrast(groups[x], groups[y], resamples=999) for x, y in ("ab", "ba"))
    assert list(one.differences) == ["bcub", "conll"]
    for metric, d in one.differences.items():
        assert (d.first, d.second) == pytest.approx((groups["a"][metric].f1, groups["b"][metric].f1))
        assert other.differences[metric][2:5] == pytest.approx((-d.difference, -d.high, -d.low))
        assert other.differences[metric].pvalue == pytest.approx(d.pvalue, abs=0.06)
    assert one.to_dict()["groups"] == {"a": 20, "b": 10}
    assert str(one.signature).endswith("subset:a, b")
    by_three = ac.contrast(groups["a"], groups["b"], resample_by=r"\d$", resamples=99)
    assert by_three.differences["conll"].difference == pytest.approx(one.differences["conll"].difference)


def test_level():
    """Of 300 pairs of groups that differ by chance, about 15 are significant; a planted difference is."""
    rng, labels = np.random.default_rng(2), ["x"] * 6 + ["y"] * 20

    def pvalue(b, seed):
        groups = b.by(labels)
        return (
            ac.contrast(groups["x"], groups["y"], metrics="conll", resamples=99, seed=seed).differences["conll"].pvalue
        )

    n_significant = sum(pvalue(scored(rng, 26), seed) <= 0.05 for seed in range(300))
    assert 5 <= n_significant <= 26  # 15, and three standard deviations
    better = ac.score_labels_batch(np.repeat([0, 0, 1, 1], 26), np.arange(104) % 4 // 2, range(0, 105, 4))
    assert not pvalue(better, 0) <= 0.05
    key = np.tile(np.arange(8) // 2, 26)
    poor = np.where(rng.random(key.size) < np.repeat([0.8, 0.2], [48, 160]), rng.integers(0, 4, key.size), key)
    assert pvalue(ac.score_labels_batch(key, poor, range(0, 209, 8)), 0) == 0.01


def test_groups_that_cannot_be_compared():
    b = scored(np.random.default_rng(3), 9)
    groups = b.by("^.")
    with pytest.raises(InputError, match="the groups are 'a' and 'all'; expected"):
        ac.contrast(groups["a"], b)
    with pytest.raises(InputError, match="two or more units each"):
        ac.contrast(groups["a"], b[[0]])
    with pytest.raises(InputError, match="two or more units each"):
        ac.contrast(groups["a"], groups["b"], resample_by="^.")
    with pytest.raises(InputError, match="beta"):
        ac.contrast(groups["a"], ac.score_labels_batch([0, 0], [0, 0], [0, 1, 2], beta=2))
