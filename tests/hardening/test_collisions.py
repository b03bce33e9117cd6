"""Labels chosen to collide in a hash table cost nothing, since nobody knows the seed: work is counted, not timed."""

import numpy as np
import pytest

from arraycoref.kernels import hashtable, links as linkage

PROBES = 4
"""Slots looked at for each label, on average, that a table at most half full may need."""

SEEDS = [np.uint64(seed) for seed in np.random.default_rng(0).integers(2**63, 2**64, 4, dtype=np.uint64)]
KNOWN = np.uint64(0)


@pytest.fixture(autouse=True)
def _wrapping():
    """Products wrap in compiled code; numpy's scalars do so too, but warn."""
    with np.errstate(over="ignore"):
        yield


class Counting:
    """An array that counts how often single entries are read."""

    def __init__(self, array):
        self.array, self.reads, self.size, self.shape = array, 0, array.size, array.shape

    def __getitem__(self, place):
        if isinstance(place, slice):
            return self
        self.reads += 1
        return self.array[place]

    def __setitem__(self, place, value):
        self.array[place] = value


def python_of(function):
    """Return a kernel as the Python function that it was compiled from."""
    return getattr(function, "py_func", function)


def mixed(x, shift):
    """Mix 64 bits as the kernels' hash does under seed 0."""
    x = x.astype(np.uint64)
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (x >> np.uint64(shift)).astype(np.int64)


def colliding_by_low_bits(n):
    """Return n keys that, under seed 0, all belong to the first few of the slots of the shared table."""
    keys, rng = np.empty(0, np.int64), np.random.default_rng(2)
    while keys.size < n:
        some = rng.integers(0, 2**40, 1 << 20)
        keys = np.union1d(keys, some[(mixed(some, 32) & (SLOTS - 1)) < 4])[:n]
    return keys


def arithmetic(n):
    return [np.arange(n) * step for step in (1, 2**20, 2**32, 2**48, 0x61C8864680B583EB >> 24, 2**31 - 1)]


N, SLOTS = 1000, 2048


@pytest.fixture
def interpreted(monkeypatch):
    """The hash table that kernels share, as Python functions."""
    monkeypatch.setattr(hashtable, "slot_of", python_of(hashtable.slot_of))
    return python_of(hashtable.number_of)


def table_reads(labels, seed, number_of):
    """Count the slots that the hash table of most kernels looks at."""
    numbers, keys, n = Counting(np.full(SLOTS, -1, np.int32)), np.empty(SLOTS, np.int64), 0
    for label in labels:
        n += number_of(label, keys, numbers, SLOTS, seed, n) == n
    assert n == np.unique(labels).size
    return numbers.reads


def test_labels_that_collide(interpreted):
    """Quadratic for whoever knows the seed, linear for all others."""
    chosen = colliding_by_low_bits(N)
    assert table_reads(chosen, KNOWN, interpreted) > N * N / 4
    for seed in SEEDS:
        assert table_reads(chosen, seed, interpreted) < PROBES * 2 * N
        for labels in arithmetic(N):
            assert table_reads(labels, seed, interpreted) < PROBES * 2 * N


def cell_reads(key, seed, monkeypatch):
    """Count the slots that following a linkage of mentions looks at."""
    n, reads = key.size, 0
    place, remove = python_of(linkage._place), python_of(linkage._remove)

    def counted(function, tables, *arguments):
        nonlocal reads
        watched = Counting(tables)
        found = function(watched, *arguments)
        reads += watched.reads
        return found

    with monkeypatch.context() as patch:
        patch.setattr(linkage, "_place", lambda *arguments: counted(place, *arguments))
        patch.setattr(linkage, "_remove", lambda *arguments: counted(remove, *arguments))
        patch.setattr(linkage, "_start", python_of(linkage._start))
        whole, real = np.empty((1, 6), np.int64), np.empty((1, 4))
        python_of(linkage.follow_merges)(
            key,
            np.ones(n, bool),
            np.bincount(key),
            np.empty((0, 2), np.int64),
            np.zeros(1, np.int64),
            seed,
            whole,
            real,
        )
    assert whole[0].tolist() == [n, n, 0, 0, 0, np.count_nonzero(np.bincount(key) == 1)]
    return reads


def test_key_entities_that_collide(monkeypatch):
    """The second half of the mentions chooses, among the entities of the first, what its place in the table is."""
    half = np.arange(N // 2)
    slots = 4096
    chosen = [
        int(np.argmin(mixed(np.uint64(m << 32) | half.astype(np.uint64), 32) & (slots - 1))) for m in range(N // 2, N)
    ]
    key = np.concatenate((half, chosen)).astype(np.int32)
    known = cell_reads(key, KNOWN, monkeypatch)
    assert known > N * N / 8
    for seed in SEEDS:
        assert cell_reads(key, seed, monkeypatch) < PROBES * 3 * N  # three reads a slot
