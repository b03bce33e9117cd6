"""The metric that Hugging Face's evaluate loads from a folder of this package."""

import numpy as np
import pytest

from arraycoref.interop.evaluate import FOLDER


@pytest.fixture
def metric(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    return pytest.importorskip("evaluate").load(FOLDER)


def lines(document, *items):
    return [f"{document} 0 {n} word - - - - - - {item}" for n, item in enumerate(items)]


def test_lines_of_conll(metric):
    """The key's entity of four mentions is in two parts in the response, which also has a mention too many."""
    key = lines("a", "(1)", "(1)", "(1)", "(1)", "-")
    response = ["#begin document (a)", *lines("a", "(1)", "(1)", "(2)", "(2)", "(3)")]
    found = metric.compute(references=[key], predictions=[response])
    assert (found["mentions/recall"], found["mentions/precision"]) == (1, 0.8)
    assert (found["muc/recall"], found["muc/precision"]) == (2 / 3, 1)
    assert (found["bcub/recall"], found["bcub/precision"]) == (0.5, 0.8)
    assert found["conll_score"] == pytest.approx(100 * (found["muc/f1"] + found["bcub/f1"] + found["ceafe/f1"]) / 3)
    found = metric.compute(references=[key], predictions=[response], keep_singletons=False)
    assert found["mentions/precision"] == 1
    two = [key[:2], lines("b", "(1)", "(1)")]  # two documents, and the sentences of one
    assert metric.compute(references=two, predictions=two[::-1])["muc/recall"] == 1
    assert (
        metric.compute(references=[key[:2], key[2:]], predictions=[response[:3], response[3:]])["muc/recall"] == 2 / 3
    )


@pytest.mark.parametrize("mention", [lambda n: f"m{n}", lambda n: [n, n], lambda n: np.array([n, n])])
def test_clusters(metric, mention):
    key, response = [[mention(0), mention(1), mention(2)]], [[mention(0), mention(1)], [mention(2)]]
    metric.add_batch(references=[key], predictions=[response])
    found = metric.compute(metrics="muc,adjusted_rand_score")
    assert found == {"muc/recall": 0.5, "muc/precision": 1, "muc/f1": pytest.approx(2 / 3), "ari/f1": 0}
