"""Random weights, and lists of every outcome."""

from __future__ import annotations

import itertools
from collections import Counter
from math import comb

import numpy as np
import pytest

from arraycoref.errors import InputError
from arraycoref.stats.options import entropy
from arraycoref.stats.resampling import (
    all_resamples,
    all_swaps,
    count_resamples,
    count_swaps,
    multiplicities,
    over_blocks,
    swaps,
)


@pytest.mark.parametrize("n_draws", [None, 3, 100])
def test_multiplicities_sum_to_the_draws(n_draws):
    weights = multiplicities(5, 7, n_draws)(0, 50)
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == (n_draws or 7)).all()
    assert abs(weights.mean() - (n_draws or 7) / 7) < 1e-12
    assert (weights.std(axis=0) > 0).all()


def test_swaps_are_fair():
    weights = swaps(0, 101)(3, 256)
    assert set(np.unique(weights)) == {0.0, 1.0}
    assert abs(weights.mean() - 0.5) < 0.02


@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"batch": 1}, {"batch": 10_000}, {"batch": 600, "threads": 0}])
def test_blocks_do_not_depend_on_threads_or_batch(options):
    def rows(**how):
        return np.concatenate(list(over_blocks(lambda w: w, multiplicities(1, 9), 1000, 9, **how)))

    found = rows(**options)
    assert found.shape == (1000, 9)
    assert np.array_equal(found, rows())
    assert len({row.tobytes() for row in found}) > 900


def test_threads_out_of_range():
    with pytest.raises(InputError, match="expected 1 or more"):
        list(over_blocks(lambda w: w, swaps(0, 2), 10, 2, threads=-1))


def test_seeds():
    assert entropy(7) == entropy(np.int64(7)) == 7
    assert entropy(np.random.default_rng(1)) == entropy(np.random.default_rng(1))
    assert entropy(None) != entropy(None)
    for seed in (-1, 1.5, True, "1"):
        with pytest.raises(InputError, match="seed is"):
            entropy(seed)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_all_resamples(n):
    """Every multiset once, as likely as the draws that make it."""
    drawn = Counter(tuple(np.bincount(draw, minlength=n)) for draw in itertools.product(range(n), repeat=n))
    blocks = list(all_resamples(n))
    weights, probability = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    assert len(weights) == count_resamples(n) == comb(2 * n - 1, n)
    found = dict(zip(map(tuple, weights.astype(int)), probability, strict=True))
    assert found == pytest.approx({key: count / n**n for key, count in drawn.items()})


def test_all_swaps():
    weights = np.concatenate([block for block, _ in all_swaps(13)])
    assert len({row.tobytes() for row in weights}) == count_swaps(13) == 8192
    assert sum(p.sum() for _, p in all_swaps(13)) == 1
    assert count_swaps(100_000) == count_resamples(100_000) == float("inf")
