"""Functions with scikit-learn's names: its own tests run with only their import line changed, and its values."""

import importlib.util
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.interop import sklearn as names
from arraycoref.interop.sklearn import OF_SCIKIT_LEARN, ClusterScorer, metric_score
from arraycoref.scoring.metrics.registry import split_field

metrics = pytest.importorskip("sklearn.metrics")

FUNCTIONS = (*OF_SCIKIT_LEARN, "homogeneity_completeness_v_measure", "mutual_info_score")
NO_SCORES = {"contingency_matrix", "entropy", "expected_mutual_information", "pair_confusion_matrix"}
RNG = np.random.default_rng(61)
SIDES = [tuple(RNG.integers(-1, k, n) for k in RNG.integers(1, 8, 2)) for n in range(60)]


def loaded_tests():
    """Return the tests in its package that call these metrics, by name, with the metrics imported from here."""
    spec = importlib.util.find_spec("sklearn.metrics.cluster.tests.test_supervised")
    text = Path(spec.origin).read_text(encoding="utf-8")
    line, listed = re.search(r"from sklearn\.metrics\.cluster import \(([^)]*)\)", text).group(0, 1)
    imported = {name.strip() for name in listed.split(",")} - {""}
    assert {name for name in imported if not hasattr(names, name)} <= NO_SCORES
    own = f"from arraycoref.interop.sklearn import {', '.join(sorted(imported - NO_SCORES))}"
    others = f"from sklearn.metrics.cluster import {', '.join(sorted(imported & NO_SCORES))}"
    loaded = {"__name__": "tests_of_scikit_learn"}
    lines = f"{own}; {others}" + "\n" * line.count("\n")  # so that sources are found
    exec(compile(text.replace(line, lines), spec.origin, "exec"), loaded)
    calls = re.compile("|".join(["score_func", *imported - NO_SCORES]))
    return {
        name: test
        for name, test in loaded.items()
        if name.startswith("test_") and calls.search(inspect.getsource(test))
    }


TESTS = loaded_tests()
del TESTS["test_error_messages_on_wrong_input"]  # the errors are of the same class, in other words
globals().update(TESTS)


def test_that_its_tests_were_collected():
    assert len(TESTS) > 15
    for labels in ([0, 1], [1, 1, 1]), ([[0, 1], [1, 0]], [1, 1, 1]), ([0, 1, 0], [[1, 1], [0, 0]]):
        for name in OF_SCIKIT_LEARN:
            with pytest.raises(ValueError, match=r"2 labels and labels_pred 3|must be 1D: shape is \(2"):
                getattr(names, name)(*labels)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_names_defaults_and_values_are_those_of_scikit_learn(name):
    own, other = getattr(names, name), getattr(metrics, name)
    parameters = [inspect.signature(function).parameters for function in (own, other)]
    shapes = [[(p.name, p.kind, p.default) for p in of.values()] for of in parameters]
    assert shapes[0] == shapes[1]
    options = [{}]
    options += [{"beta": beta} for beta in (0.2, 3) if "beta" in parameters[0]]
    options += [{"average_method": mean} for mean in ("geometric", "max", "min") if "average_method" in parameters[0]]
    for key, response in SIDES[name == "mutual_info_score" :]:  # it has no value there for empty input
        for chosen in options:
            assert own(key, response, **chosen) == pytest.approx(other(key, response, **chosen), abs=1e-9)


@pytest.mark.parametrize("name", OF_SCIKIT_LEARN)
def test_names_are_spellings(name):
    """In ``metrics=``, of results, and of scorers, for which -1 is a label."""
    key, response = np.repeat([0, 1, 2], 4), np.array([0, 0, 1, 1, 1, 2, 2, 0, -1, -1, 1, 0])
    expected = getattr(metrics, name)(key, response)
    scores = ac.score_labels(key, response + 1, metrics=name)
    assert scores[name].f1 == pytest.approx(expected)
    assert len(scores) == 1
    assert split_field(name)[0] in scores
    assert metric_score(key, response, name) == pytest.approx(expected)
    model = type("Fixed", (), {"predict": lambda *_: response})()
    assert ClusterScorer(name)(model, np.zeros((12, 1)), key) == pytest.approx(expected)


def test_accuracy_is_ceafm():
    optimize = pytest.importorskip("scipy.optimize")
    for key, response in SIDES[1:]:
        cells = metrics.cluster.contingency_matrix(key, response)
        expected = cells[optimize.linear_sum_assignment(cells, maximize=True)].sum() / key.size
        assert ac.score_labels(key + 1, response + 1, metrics="accuracy")["accuracy"].f1 == pytest.approx(expected)


def test_own_names_keep_their_treatment_of_noise():
    key, response = [0, 0, 1, 1], [0, 0, -1, -1]
    assert names.v_measure_score(key, response) == 1 > names.vmeasure_score(key, response)
    assert names.vmeasure_score(key, response, noise="cluster") == 1


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda b: ac.bootstrap(b, n_resamples=99), "expected resamples=99"),
        (lambda b: ac.paired_test(b, b, random_state=1), "expected seed=1"),
        (lambda b: ac.compare({"a": b, "b": b}, confidence_level=0.9), "expected confidence=0.9"),
        (lambda _: ac.score_labels_batch([0], [0], [0, 1], n_jobs=2), "expected threads=2"),
        (lambda _: ac.score_labels([0], [0], metric="ari"), "expected metrics='ari'"),
        (lambda _: ac.score_labels([0], [0], n_jobs=2), "expected some of"),
    ],
)
def test_options_of_other_libraries_are_answered(call, expected):
    with pytest.raises(TypeError, match=expected):
        call(ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4]))


def test_labels_may_be_named_as_in_scikit_learn():
    key, response = [0, 0, 1, 1], [0, 0, 0, 1]
    expected = ac.score_labels(key, response)["muc"].recall
    assert ac.score_labels(labels_true=key, labels_pred=response)["muc"].recall == expected
    assert ac.score_labels_batch(key, labels_pred=response, offsets=[0, 4])["muc"].recall == expected
