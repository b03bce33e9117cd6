"""Functions and scorers for scikit-learn."""

import dataclasses
import inspect
import pickle

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.interop import sklearn
from arraycoref.interop.sklearn import SCORERS, ClusterScorer, cluster_score, muc_score
from arraycoref.scoring.metrics.registry import METRICS

TRUE, PRED = ["a", "a", "b", "b", "b"], np.array([7, 7, 7, -1, -1])


def function_of(metric):
    return getattr(sklearn, metric.replace("-", "_") + "_score")


@pytest.mark.parametrize("metric", ac.METRIC_NAMES)
def test_every_metric_has_a_function(metric):
    function = function_of(metric)
    key, response = [0, 0, 1, 1, 1], [0, 0, 0, 1, 2]
    scores = ac.score_labels(key, response, metrics=[metric], beta=2.0)
    assert function(TRUE, PRED, beta=2.0) == scores[metric].f1
    if "recall" in METRICS[metric].fields:
        assert function(TRUE, PRED, field="recall") == scores[metric].recall
    assert pickle.loads(pickle.dumps(function)) is function
    assert function(TRUE, TRUE) == (1.0 if METRICS[metric].better == "higher" else 0.0)


def test_functions_show_their_options_and_others_do_not_exist():
    assert list(inspect.signature(sklearn.lea_score).parameters) == [
        *("labels_true", "labels_pred", "field", "noise", "beta", "profile")
    ]
    assert {"muc_score", "conll_score", "SCORERS"} <= set(dir(sklearn))
    with pytest.raises(AttributeError, match="no attribute 'nothing_score'"):
        _ = sklearn.nothing_score


def test_noise():
    key = [0, 0, 1, 1, 1]
    for noise, response in [("absent", [0, 0, 0, -1, -1]), ("cluster", [0, 0, 0, 1, 1])]:
        assert sklearn.bcub_score(TRUE, PRED, noise=noise) == ac.score_labels(key, response)["bcub"].f1
    assert muc_score([-1, -1, 2], [0, 0, 1]) == 1.0


def test_errors():
    for arguments, options in [((TRUE, PRED[:3]), {}), ((TRUE, PRED[:, None]), {})]:
        with pytest.raises(ac.InputError):
            muc_score(*arguments, **options)
    two, one = np.array(["f1", "absent"]), np.array(["f1"])  # of which NumPy has no truth value, or the wrong one
    for options in (
        {"field": "x"},
        {"noise": "x"},
        *({name: a} for name in ("field", "noise") for a in (two, one)),
    ):
        with pytest.raises(ac.UnknownNameError):
            muc_score(TRUE, PRED, **options)
    with pytest.raises(ac.UnknownNameError):
        cluster_score(TRUE, PRED, "accuracy")
    with pytest.raises(ac.UnknownNameError):
        ClusterScorer("accuracy")
    with pytest.raises(ac.InputError, match="got no y"):
        SCORERS["muc"](None, None)


@pytest.mark.parametrize("metric", ac.METRIC_NAMES)
def test_measures_that_a_metric_lacks_are_refused(metric):
    for field in ("recall", "precision"):
        if np.isnan(getattr(ac.score_labels([0, 0, 1], [0, 1, 1], metrics=metric)[metric], field)):
            for refused in (function_of(metric), lambda *given, m=metric, **options: ClusterScorer(m, **options)):
                with pytest.raises(ac.OptionError, match=f"no {field}"):
                    refused(*(TRUE, PRED), field=field)
        else:
            assert not np.isnan(function_of(metric)(TRUE, PRED, field=field))


def test_scorers_refuse_options_before_a_search_turns_the_error_into_nan():
    for error, options in [
        (ac.UnknownNameError, {"field": "recal"}),
        (ac.UnknownNameError, {"noise": "no"}),
        (ac.UnknownNameError, {"profile": "no"}),
        (ac.OptionError, {"beta": 0}),
        (TypeError, {"measur": "recall"}),
    ]:
        with pytest.raises(error):
            ClusterScorer("muc", **options)


def test_columns_of_other_libraries():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert muc_score(pandas.Series(TRUE), polars.Series(PRED)) == muc_score(TRUE, PRED)


def test_series_are_in_one_order():
    """Labels are compared by position, as in scikit-learn, unless both sides say that this is wrong."""
    series = pytest.importorskip("pandas").Series
    true, pred = series([0, 0, 1], index=["a", "b", "c"]), series([1, 1, 0], index=["a", "b", "c"])
    assert muc_score(true, pred) == muc_score(true, pred.reset_index(drop=True)) == muc_score(true, [1, 1, 0]) == 1
    for other in (pred[::-1], pred.rename({"c": "d"})):
        with pytest.raises(ac.InputError, match="labels_true and labels_pred have different indices"):
            muc_score(true, other)
    with pytest.raises(ac.InputError, match="labels_true and labels_pred have different indices"):
        muc_score(true.reset_index(drop=True), pred.reset_index(drop=True)[::-1])


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(5), 20))
    return 6 * rng.normal(size=(5, 3))[y] + rng.normal(size=(100, 3)), y


def test_searches(blobs):
    pytest.importorskip("sklearn")
    from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import GridSearchCV, cross_validate
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    search = GridSearchCV(
        KMeans(n_init=1, random_state=0), {"n_clusters": [2, 5]}, scoring=make_scorer(muc_score, noise="cluster"), cv=3
    ).fit(*blobs)
    assert search.best_params_ == {"n_clusters": 5}
    search = GridSearchCV(
        AgglomerativeClustering(), {"n_clusters": [2, 5]}, scoring=dict(SCORERS), refit="conll", cv=3
    ).fit(*blobs)
    assert search.best_params_ == {"n_clusters": 5}
    assert "mean_test_ceaf-phi1" in search.cv_results_
    search = GridSearchCV(DBSCAN(), {"eps": [0.01, 2.0]}, scoring=ClusterScorer("bcub", noise="absent"), cv=2).fit(
        *blobs
    )
    assert search.best_params_ == {"eps": 2.0}
    model = make_pipeline(StandardScaler(), AgglomerativeClustering(n_clusters=5))
    found = cross_validate(model, *blobs, scoring=ClusterScorer("lea", field="recall"), cv=3)
    assert (found["test_score"] > 0.5).all()


def test_scorers_are_pickled_and_shown():
    scorer = pickle.loads(pickle.dumps(ClusterScorer("bcub", noise="absent")))
    assert repr(scorer) == "ClusterScorer('bcub', noise='absent')"
    assert set(SCORERS) == set(ac.METRIC_NAMES)


def test_a_search_minimizes_what_is_better_lower(monkeypatch):
    class Fixed:
        def predict(self, data):
            return np.zeros(len(data), int)

    assert ClusterScorer("muc")(Fixed(), [1, 2, 3], [0, 0, 1]) == muc_score([0, 0, 1], [0, 0, 0])
    lower = {"muc": dataclasses.replace(sklearn.METRICS["muc"], better="lower")}
    monkeypatch.setattr(sklearn, "METRICS", lower)
    assert ClusterScorer("muc")(Fixed(), [1, 2, 3], [0, 0, 1]) == -muc_score([0, 0, 1], [0, 0, 0])
