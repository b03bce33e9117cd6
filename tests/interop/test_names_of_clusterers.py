"""The names that clusterers type: equal to scikit-learn's functions, and single values wherever one is asked for."""

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.interop.sklearn import ClusterScorer, metric_score
from arraycoref.scoring.metrics.registry import split_field

RNG = np.random.default_rng(53)
SIDES = [
    *[
        (RNG.integers(0, a, n), RNG.integers(0, b, n))
        for n in (1, 2, 7, 60, 500)
        for a in (1, 4, 40)
        for b in (1, 6, 90)
    ],
    (np.arange(9), np.arange(9)),
    (np.zeros(9, np.int64), np.arange(9)),
    (np.repeat(np.arange(5), 4), np.repeat([3, 1, 0, 2, 7], 4)),
]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("ami", "adjusted_mutual_info_score"),
        ("fowlkes-mallows", "fowlkes_mallows_score"),
        ("homogeneity", "homogeneity_score"),
        ("completeness", "completeness_score"),
        ("nmi", "normalized_mutual_info_score"),
    ],
)
def test_equal_to_scikit_learn(name, function):
    metrics = pytest.importorskip("sklearn.metrics")
    metric, field = split_field(name)
    for key, response in SIDES:
        expected = getattr(metrics, function)(key, response)
        if name == "ami" and np.unique(key).size == np.unique(response).size == key.size:
            expected = 1.0  # equal sides, of which scikit-learn makes 0 / 0 as rounding has it
        found = getattr(ac.score_labels(key, response, metrics=name)[metric], field)
        assert found == pytest.approx(expected, abs=1e-9), (key, response)


def test_purity():
    """Of scikit-learn's contingency matrix."""
    cluster = pytest.importorskip("sklearn.metrics.cluster")
    for key, response in SIDES:
        matrix, scores = (
            cluster.contingency_matrix(key, response),
            ac.score_labels(key, response, metrics="purity,inverse-purity"),
        )
        assert scores["purity"].f1 == pytest.approx(matrix.max(axis=0).sum() / key.size)
        assert scores["inverse-purity"].f1 == pytest.approx(matrix.max(axis=1).sum() / key.size)


def test_corpora_are_sums():
    documents = [(key, response) for key, response in SIDES if key.size == 60]
    bounds = np.arange(len(documents) + 1) * 60
    key, response = (np.concatenate(side) for side in zip(*documents, strict=True))
    metrics = "ami,purity,inverse-purity,fowlkes-mallows"
    b = ac.score_labels_batch(key, response, bounds, metrics=metrics)
    for d, (of_key, of_response) in enumerate(documents):
        alone = ac.score_labels(of_key, of_response, metrics=metrics)
        for name in b.metrics:
            assert b.counts[name][d] == pytest.approx(alone.counts[name])
    information, expected, of_key, of_response = b.counts["ami"].sum(axis=0)
    assert b["ami"].f1 == pytest.approx((information - expected) / ((of_key + of_response) / 2 - expected))


def test_a_field_of_v_measure_is_that_field_everywhere():
    key, response = [0, 0, 1, 1], [0, 0, 1, 2]
    assert (split_field("Homogeneity"), split_field("completeness.recall")) == (
        ("vmeasure", "precision"),
        ("vmeasure", "recall"),
    )
    for wrong in ("homogeneity.recall", "nmi.precision"):
        with pytest.raises(ac.OptionError, match="expected it without a field"):
            split_field(wrong)
    values = {"homogeneity": 1.0, "completeness": pytest.approx(2 / 3), "nmi": pytest.approx(0.8)}
    for name, expected in values.items():
        assert metric_score(key, response, name) == expected
        scorer = ClusterScorer(name)
        assert scorer(type("Fixed", (), {"predict": lambda *_: response})(), [[0]] * 4, key) == expected
        runs = {"a": ac.score_labels_batch(key * 2, response * 2, [0, 4, 8], metrics=name)}
        runs["b"] = ac.score_labels_batch(key * 2, key * 2, [0, 4, 8], metrics=name)
        assert {row.name: row.score.estimate for row in ac.compare(runs, metric=name, resamples=10).systems}[
            "a"
        ] == expected


def test_results_give_the_field_that_a_name_means():
    key, response = [0, 0, 1, 1] * 2, [0, 0, 1, 2] * 2
    b = ac.score_labels_batch(key, response, [0, 4, 8], metrics="homogeneity,inverse-purity")
    intervals = ac.bootstrap(b, resamples=10)
    values = {"homogeneity": 1, "Completeness": 2 / 3, "nmi": 0.8, "V-measure": 0.8, "inverse purity": 0.75}
    for name, expected in values.items():
        for scores in (b, b[0], b.corpus, b.macro):
            assert scores[name].f1 == pytest.approx(expected)
        assert b.documents[name].f1 == pytest.approx([expected] * 2)
        assert intervals[name].f1.estimate == pytest.approx(expected)
    assert b["completeness"].precision == b["vmeasure"].precision == 1
