"""What a sweep keeps of a generator's outputs when it is interrupted."""

from __future__ import annotations

import itertools
import os
from types import SimpleNamespace

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.sweeps import responses as module

KEY = [0, 0, 1, 1, 2, -1]
CLUSTERS = [["a", "b"], ["c", "d"]]


def output(s, of_clusters):
    """The output of a setting, unlike its neighbours', for the key of labels or of clusters."""
    if of_clusters:
        return [["a", "b"][: 1 + s % 2], ["c", "d"][: 1 + s // 2 % 2]]
    return np.array([0, s % 3, 1, s % 2, 2, -1])


def kept(path, of_clusters):
    """Load a checkpoint, and hold it against the same settings scored one by one."""
    found = ac.load_sweep(path)
    assert found.settings == tuple(range(len(found)))
    score = ac.score if of_clusters else ac.score_labels
    key = CLUSTERS if of_clusters else KEY
    for s in {0, len(found) // 2, len(found) - 1}:
        assert found[s].corpus == score(key, output(s, of_clusters))
    return len(found)


@pytest.mark.parametrize("of_clusters", [False, True])
@pytest.mark.parametrize(("n", "error"), [(1, KeyboardInterrupt), (700, KeyboardInterrupt), (3000, SystemExit)])
def test_none_is_lost_that_was_yielded(tmp_path, n, error, of_clusters):
    def outputs():
        for s in range(n):
            yield output(s, of_clusters)
        raise error

    path = tmp_path / "kept.npz"
    with pytest.raises(error):
        ac.sweep(CLUSTERS if of_clusters else KEY, outputs(), checkpoint=path)
    assert kept(path, of_clusters) == n
    assert os.listdir(tmp_path) == ["kept.npz"]


def test_a_setting_that_comes_twice_loses_no_other(tmp_path):
    path = tmp_path / "kept.npz"
    pairs = [({"s": s}, output(s, False)) for s in (0, 1, 2, 1, 3)]
    with pytest.raises(ac.InputError, match=r"s=1 appears twice"):
        ac.sweep(KEY, iter(pairs), checkpoint=path)
    assert ac.load_sweep(path).settings == ({"s": 0}, {"s": 1}, {"s": 2})


@pytest.mark.parametrize("threads", [1, 2])
def test_slow_outputs_are_counted_as_they_come(tmp_path, monkeypatch, threads):
    """The next is asked for when the one before is counted, or is about to be."""
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=itertools.count(0, 2).__next__))
    seen = []
    behind = []

    def outputs():
        for s in range(50):
            behind.append(s - (seen[-1] if seen else 0))
            yield output(s, False)

    ac.sweep(KEY, outputs(), threads=threads, progress=lambda done, _: seen.append(done))
    assert seen == list(range(1, 51))
    assert max(behind) <= (0 if threads == 1 else 1 + 3 * threads)
