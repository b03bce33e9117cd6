"""Labels chosen to collide in a hash table cost nothing, since nobody knows the seed: work is counted, not timed."""

import numpy as np
import pytest

from arraycoref.kernels import dense, linkage, tag_pairs, tag_strings

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


def colliding(n, slots):
    """Return n labels that, under seed 0, all belong to the first few of the slots."""
    found, rng = np.empty(0, np.int64), np.random.default_rng(1)
    shift = 64 - int(slots).bit_length() + 1
    while found.size < n:
        labels = rng.integers(0, 2**62, 1 << 20)
        found = np.union1d(found, labels[mixed(labels, shift) < 4])
    return found[:n]


def arithmetic(n):
    return [np.arange(n) * step for step in (1, 2**20, 2**32, 2**48, 0x61C8864680B583EB >> 24, 2**31 - 1)]


N, SLOTS = 1000, 2048


def dense_reads(labels, seed, monkeypatch):
    """Count the slots that the labelling of arrays looks at."""
    tables = []

    class Numpy:
        def __getattr__(self, name):
            return getattr(np, name)

        def empty(self, *arguments):
            tables.append(Counting(np.empty(*arguments)))
            return tables[-1]

    label_of, n = np.empty(labels.size, np.int32), np.empty(1, np.int64)
    with monkeypatch.context() as patch:
        patch.setattr(dense, "np", Numpy())
        patch.setattr(dense, "_slot", python_of(dense._slot))
        function = python_of(dense.densify_scattered)
        assert function(labels, np.array([0, labels.size]), 0, 1, seed, label_of, n) == -1
    assert n[0] == np.unique(labels).size
    return sum(table.reads for table in tables[::2])  # of table; every second one holds the labels


def test_labels_that_collide(monkeypatch):
    """Quadratic for whoever knows the seed, linear for all others."""
    chosen = colliding(N, SLOTS)
    assert dense_reads(chosen, KNOWN, monkeypatch) > N * N / 4
    for seed in SEEDS:
        assert dense_reads(chosen, seed, monkeypatch) < PROBES * 2 * N
        for labels in arithmetic(N):
            assert dense_reads(labels, seed, monkeypatch) < PROBES * 2 * N


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
        int(np.argmin(mixed(np.uint64(m << 32) | half.astype(np.uint64), 33) & (slots - 1))) for m in range(N // 2, N)
    ]
    key = np.concatenate((half, chosen)).astype(np.int32)
    known = cell_reads(key, KNOWN, monkeypatch)
    assert known > N * N / 8
    for seed in SEEDS:
        assert cell_reads(key, seed, monkeypatch) < PROBES * 3 * N  # three reads a slot


def test_tags_that_collide():
    """Pairs of tags, and texts: another seed puts them elsewhere."""
    keys, rng = np.empty(0, np.int64), np.random.default_rng(2)
    while keys.size < N:
        pairs = rng.integers(0, 2**40, 1 << 20)
        keys = np.union1d(keys, pairs[(mixed(pairs, 33) & (SLOTS - 1)) < 4])[:N]
    for seed, most in [(KNOWN, None), *((seed, PROBES * N) for seed in SEEDS)]:
        slots = Counting(np.full(SLOTS, -1, np.int32))
        for n, key in enumerate(keys):
            slots[python_of(tag_pairs.find_pair)(key, keys, slots, seed)] = n
        assert slots.reads > N * N / 4 if most is None else slots.reads < most


def test_the_numbers_of_strings_do_not_depend_on_the_seed():
    texts = [b"ab", b"", b"ba", b"ab", b"a", b"b", b"ba"]
    data = np.frombuffer(b"".join(texts), np.uint8)
    end = np.cumsum([len(text) for text in texts])
    start = end - [len(text) for text in texts]
    for seed in SEEDS:
        ids, first, n = tag_strings.number_spans(data, start, end, seed)
        assert (ids.tolist(), first[:n].tolist()) == ([0, 1, 2, 0, 3, 4, 2], [0, 1, 2, 4, 5])
