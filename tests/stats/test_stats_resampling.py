"""Random weights, seeds, and weighted sums of documents."""

import numpy as np
import pytest
from stats_data import scored, some_documents

from arraycoref.stats import bootstrap
from arraycoref.stats.draws import multiplicities, redrawn_runs
from arraycoref.stats.runs import Runs
from arraycoref.stats.sample import Sample


@pytest.mark.parametrize("n_draws", [None, 3, 100])
def test_multiplicities_sum_to_the_draws(n_draws):
    weights = multiplicities(5, 7, n_draws)(0, 50)
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == (n_draws or 7)).all()
    assert abs(weights.mean() - (n_draws or 7) / 7) < 1e-12
    assert (weights.std(axis=0) > 0).all()


def test_redrawn_runs_vary_as_fresh_runs_do():
    """The mean over the runs drawn has the variance s^2 / n: of three runs, two are drawn."""
    values = np.array([0.1, 0.5, 0.9])
    weights = redrawn_runs(0, "x", 3, 100_000)
    assert set(weights.sum(axis=1)) == {2.0}
    means = weights @ values / 2
    assert means.var() == pytest.approx(values.var(ddof=1) / 3, rel=0.02)
    np.testing.assert_array_equal(redrawn_runs(0, "x", 1, 5), np.ones((5, 1)))
    other = redrawn_runs(0, "y", 3, 100_000)
    assert abs(np.corrcoef(weights[:, 0], other[:, 0])[0, 1]) < 0.02


def test_seeds(a):
    def seed_of(seed):
        return bootstrap(a, metrics="muc", resamples=2, seed=seed).how.seed

    assert seed_of(7) == seed_of(np.int64(7)) == 7
    assert seed_of(np.random.default_rng(1)) == seed_of(np.random.default_rng(1))
    assert seed_of(None) != seed_of(None)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_weighted_sums_are_scores_of_repeated_documents(average):
    """Against scoring the documents of each resample by themselves, in every metric and field."""
    runs = {name: scored(seed, profile="conll", beta=2.0) for seed, name in enumerate("ab")}
    sample = Sample.from_runs(Runs.from_scores(runs), average)
    weights = multiplicities(3, 12)(0, 5)
    found = sample.scores(sample.sums(weights), 12)
    for s, b in enumerate(runs.values()):
        for r, times in enumerate(weights.astype(int)):
            some = some_documents(b, np.repeat(np.arange(12), times))
            source = some.corpus if average == "micro" else some.macro
            expected = [[getattr(source[m], field) for field in ("recall", "precision", "f1")] for m in b.metrics]
            np.testing.assert_allclose(found[:, :, s, r], expected, rtol=0, atol=1e-12)
