"""Labels chosen to collide in a hash table cost nothing, since nobody knows the seed: work is counted, not timed."""

import numpy as np

from arraycoref.kernels import hashtable

PROBES = 4
"""Slots looked at for each label, on average, that a table at most half full may need."""

SEEDS = [np.uint64(seed) for seed in np.random.default_rng(0).integers(2**63, 2**64, 4, dtype=np.uint64)]
N, SLOTS = 1000, 2048


class Counting:
    """An array that counts how often single entries are read."""

    def __init__(self, array):
        self.array, self.reads = array, 0

    def __getitem__(self, place):
        self.reads += 1
        return self.array[place]

    def __setitem__(self, place, value):
        self.array[place] = value


def colliding():
    """Return N keys that, under seed 0, all belong to the first few of the slots."""
    keys, rng = np.empty(0, np.int64), np.random.default_rng(2)
    while keys.size < N:
        some = rng.integers(0, 2**40, 1 << 20).astype(np.uint64)
        mixed = (some ^ (some >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        keys = np.union1d(keys, some[mixed >> np.uint64(32) & np.uint64(SLOTS - 1) < 4].astype(np.int64))[:N]
    return keys


def reads(labels, seed):
    numbers, keys, n = Counting(np.full(SLOTS, -1, np.int32)), np.empty(SLOTS, np.int64), 0
    for label in labels:
        n += hashtable.number_of(label, keys, numbers, SLOTS, seed, n) == n
    assert n == N
    return numbers.reads


def test_labels_that_collide():
    """Quadratic for whoever knows the seed, linear for all others."""
    chosen = colliding()
    arithmetic = [np.arange(N) * step for step in (1, 2**20, 2**32, 2**48, 2**31 - 1)]
    with np.errstate(over="ignore"):  # products wrap in compiled code; NumPy's scalars do so too, but warn
        assert reads(chosen, np.uint64(0)) > N * N / 4
        for seed in SEEDS:
            for labels in (chosen, *arithmetic):
                assert reads(labels, seed) < PROBES * 2 * N
