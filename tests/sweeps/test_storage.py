"""Stored sweeps that are damaged: an error that names the file, never another sweep."""

import json

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.sweeps import load_sweep


@pytest.fixture
def stored(tmp_path):
    sweep = ac.sweep([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}, metrics="muc,bcub")
    sweep.save(tmp_path / "sweep.npz")
    return tmp_path / "sweep.npz", sweep


@pytest.mark.filterwarnings("ignore")  # of NumPy, on headers that look like those of Python 2
@pytest.mark.parametrize("seed", [0, 1])
def test_a_bit_of_any_byte(stored, seed):
    path, sweep = stored
    data, rng = path.read_bytes(), np.random.default_rng(seed)
    refused = 0
    for position, bit in enumerate(rng.integers(0, 8, len(data)).tolist()):
        path.write_bytes(data[:position] + bytes([data[position] ^ 1 << bit]) + data[position + 1 :])
        try:
            found = load_sweep(path)
        except ac.ReadError as error:
            refused += 1
            assert error.path == str(path)  # noqa: PT017
        else:
            assert found.sums.tobytes() == sweep.sums.tobytes()
            assert (found.settings, found.metrics, found.signature) == (sweep.settings, sweep.metrics, sweep.signature)
    assert refused > len(data) // 2


@pytest.mark.parametrize("documents", [[1], ["a", "a"], "ab", {"a": 1}, 5, ["a", "b", "c"]])
def test_names_that_are_none(stored, documents):
    path, _ = stored
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"])) | {"documents": documents}
    np.savez(path, **arrays | {"about": np.array(json.dumps(about))})
    with pytest.raises(ac.ReadError, match="no sweep as"):
        load_sweep(path)
