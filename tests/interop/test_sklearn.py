"""Functions and scorers for scikit-learn."""

from functools import partial

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.interop import sklearn
from arraycoref.interop.sklearn import OF_SCIKIT_LEARN, SCORERS, ClusterScorer, metric_score, muc_score
from arraycoref.scoring.metrics.registry import METRICS

TRUE, PRED = ["a", "a", "b", "b", "b"], np.array([7, 7, 7, -1, -1])


def function_of(metric):
    name = metric.replace("-", "_") + "_score"
    return partial(metric_score, metric=metric) if name in OF_SCIKIT_LEARN else getattr(sklearn, name)


@pytest.mark.parametrize("metric", ac.METRIC_NAMES)
def test_every_metric_has_a_function(metric):
    function = function_of(metric)
    scores = ac.score_labels([0, 0, 1, 1, 1], [0, 0, 0, 1, 2], metrics=[metric], beta=2.0)
    assert function(TRUE, PRED, beta=2.0) == scores[metric].f1
    assert function(TRUE, TRUE) == (1.0 if METRICS[metric].better == "higher" else 0.0)
    for field in ("recall", "precision"):
        if field in METRICS[metric].fields:
            assert function(TRUE, PRED, field=field) == getattr(scores[metric], field)
            continue
        with pytest.raises(ac.OptionError, match=f"no {field}"):
            function(TRUE, PRED, field=field)
        with pytest.raises(ac.OptionError, match=f"no {field}"):
            ClusterScorer(metric, field=field)


def test_noise():
    key = [0, 0, 1, 1, 1]
    for noise, response in [("absent", [0, 0, 0, -1, -1]), ("cluster", [0, 0, 0, 1, 1])]:
        assert sklearn.bcub_score(TRUE, PRED, noise=noise) == ac.score_labels(key, response)["bcub"].f1
    assert muc_score([-1, -1, 2], [0, 0, 1]) == 1.0


def test_scorers_refuse_options_before_a_search_turns_the_error_into_nan():
    with pytest.raises(ac.UnknownNameError):
        ClusterScorer("muc", field="recal")


def test_series_are_in_one_order():
    """Labels are compared by position, as in scikit-learn, unless both sides say that this is wrong."""
    series = pytest.importorskip("pandas").Series
    true, pred = series([0, 0, 1], index=["a", "b", "c"]), series([1, 1, 0], index=["a", "b", "c"])
    assert muc_score(true, pred) == muc_score(true, pred.reset_index(drop=True)) == muc_score(true, [1, 1, 0]) == 1
    for other in (pred[::-1], pred.rename({"c": "d"})):
        with pytest.raises(ac.InputError, match="labels_true and labels_pred have different indices"):
            muc_score(true, other)


def test_searches():
    pytest.importorskip("sklearn")
    from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import GridSearchCV, cross_validate

    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(5), 20))
    blobs = 6 * rng.normal(size=(5, 3))[y] + rng.normal(size=(100, 3)), y

    def best(model, grid, **options):
        return GridSearchCV(model, grid, **options).fit(*blobs).best_params_

    clusters = {"n_clusters": [2, 5]}
    scorer = make_scorer(muc_score, noise="cluster")
    assert best(KMeans(n_init=1, random_state=0), clusters, scoring=scorer, cv=3) == {"n_clusters": 5}
    assert best(AgglomerativeClustering(), clusters, scoring=dict(SCORERS), refit="conll", cv=3) == {"n_clusters": 5}
    scorer = ClusterScorer("bcub", noise="absent")
    assert best(DBSCAN(), {"eps": [0.01, 2.0]}, scoring=scorer, cv=2) == {"eps": 2.0}
    found = cross_validate(
        AgglomerativeClustering(n_clusters=5), *blobs, scoring=ClusterScorer("lea", field="recall"), cv=3
    )
    assert (found["test_score"] > 0.5).all()
