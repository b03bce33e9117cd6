"""The examples of the documentation run, and find what they say."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import arraycoref as ac

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_grid_search():
    pytest.importorskip("sklearn")
    parameters, means = example("grid_search").main()
    assert 3.0 <= parameters["distance_threshold"] <= 9.0
    assert all(0.8 < mean <= 1.0 for mean in means.values())


@pytest.mark.parametrize("installed", [True, False])
def test_optuna_study(installed, monkeypatch):
    if installed:
        pytest.importorskip("optuna")
    else:
        monkeypatch.setitem(__import__("sys").modules, "optuna", None)
    trials = example("optuna_study").main(n_trials=12)
    assert len(trials) == 12
    assert set(trials.parameters) == {"threshold", "nearness"}
    assert trials.best("conll", resamples=200).score.estimate > 0.5


def test_torch_training():
    pytest.importorskip("torch")
    scores = example("torch_training").main()
    assert scores[-1] > scores[0] + 0.1


@pytest.mark.kernels
def test_numba_kernel():
    module = example("numba_kernel")
    key, response = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]
    expected = [ac.score_labels(np.delete(key, m), np.delete(response, m))["pairwise"].f1 for m in range(len(key))]
    np.testing.assert_allclose(module.main(), expected)
