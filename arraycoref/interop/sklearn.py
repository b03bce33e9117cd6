"""The metrics as scikit-learn has them: ``f(labels_true, labels_pred)``, and scorers for searches over clusterers.

    >>> bcub_score(["a", "a", "b"], [1, 1, 0])
    1.0

Every function here takes (M,) labels of any kind, numbers or texts, and returns a fraction 0-1, so that
`sklearn.metrics.make_scorer` takes it for a clusterer that predicts. `ClusterScorer` also serves clusterers that do
not, such as `DBSCAN` and `AgglomerativeClustering`: give it, or `SCORERS`, as ``scoring``.

In ``labels_pred``, -1 is noise, as clusterers of scikit-learn mean it; ``noise`` says what becomes of it. All else is
a label, in ``labels_true`` -1 too.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arraycoref.api import score_labels
from arraycoref.arrays import as_numpy
from arraycoref.errors import InputError, UnknownNameError
from arraycoref.metrics import METRIC_NAMES, resolve_metrics

MEASURES = ("f1", "recall", "precision")
NOISE = ("singletons", "absent", "cluster")


def cluster_score(
    labels_true: ArrayLike,
    labels_pred: ArrayLike,
    metric: str,
    *,
    measure: str = "f1",
    noise: str = "singletons",
    beta: float = 1.0,
    profile: str = "paper",
) -> float:
    """Score a clustering by one metric.

    Args:
        labels_true: (M,) labels of the key.
        labels_pred: (M,) labels of the response.
        metric: one of `arraycoref.METRIC_NAMES`.
        measure: ``f1``, ``recall`` or ``precision``.
        noise: what -1 in ``labels_pred`` is: ``singletons``, entities of one mention each; ``absent``, mentions that
            the response lacks; ``cluster``, a label like any other.
        beta: of the F-measure.
        profile: see `arraycoref.api`.

    Raises:
        InputError: lengths that differ, labels that are not one-dimensional.
        UnknownNameError: a metric, measure or treatment of noise that does not exist.
    """
    if measure not in MEASURES:
        raise UnknownNameError("measure", measure, MEASURES)
    if noise not in NOISE:
        raise UnknownNameError("treatment of noise", noise, NOISE)
    (name,) = resolve_metrics((metric,))
    key, response = _codes(labels_true, "labels_true"), _codes(labels_pred, "labels_pred", noise)
    if key.size != response.size:
        raise InputError(f"labels_true has {key.size} labels and labels_pred {response.size}; expected as many")
    scores = score_labels(key, response, metrics=(name,), beta=beta, profile=profile)
    return float(getattr(scores[name], measure))


def _codes(labels: ArrayLike, what: str, noise: str = "cluster") -> NDArray[np.int64]:
    """Number labels of any kind from 0."""
    array = np.asarray(labels) if isinstance(labels, list | tuple) else _any_array(labels, what)
    if array.ndim != 1:
        raise InputError(f"{what} has shape {array.shape}; expected one label each, (M,)")
    values, codes = np.unique(array, return_inverse=True)
    codes = codes.astype(np.int64)
    if noise == "cluster" or array.dtype.kind not in "if":
        return codes
    alone = np.flatnonzero(array == -1)
    codes[alone] = -1 if noise == "absent" else values.size + np.arange(alone.size)
    return codes


def _any_array(labels: Any, what: str) -> NDArray[Any]:
    """Bring a column or tensor to NumPy; texts stay texts."""
    if hasattr(labels, "to_numpy") or isinstance(labels, np.ndarray):
        return np.asarray(labels)
    return as_numpy(labels, what)


class ScoreFunction(Protocol):
    """The signature of the functions of this module."""

    __name__: str

    def __call__(
        self,
        labels_true: ArrayLike,
        labels_pred: ArrayLike,
        *,
        measure: str = "f1",
        noise: str = "singletons",
        beta: float = 1.0,
        profile: str = "paper",
    ) -> float:
        """Score a clustering; see `cluster_score`."""


def _function(metric: str, name: str) -> ScoreFunction:
    def function(
        labels_true: ArrayLike,
        labels_pred: ArrayLike,
        *,
        measure: str = "f1",
        noise: str = "singletons",
        beta: float = 1.0,
        profile: str = "paper",
    ) -> float:
        return cluster_score(labels_true, labels_pred, metric, measure=measure, noise=noise, beta=beta, profile=profile)

    function.__name__ = function.__qualname__ = name  # so that it can be pickled
    function.__doc__ = f"Score a clustering by {metric}; see `cluster_score`."
    return function


muc_score = _function("muc", "muc_score")
bcub_score = _function("bcub", "bcub_score")
ceafm_score = _function("ceafm", "ceafm_score")
ceafe_score = _function("ceafe", "ceafe_score")
blanc_score = _function("blanc", "blanc_score")
lea_score = _function("lea", "lea_score")
pairwise_score = _function("pairwise", "pairwise_score")
mentions_score = _function("mentions", "mentions_score")
conll_score = _function("conll", "conll_score")
ceaf_phi1_score = _function("ceaf-phi1", "ceaf_phi1_score")
ceaf_phi2_score = _function("ceaf-phi2", "ceaf_phi2_score")
bcub_0_score = _function("bcub-0", "bcub_0_score")
bcub_all_score = _function("bcub-all", "bcub_all_score")
bcub_rn_score = _function("bcub-rn", "bcub_rn_score")
ceafm_rn_score = _function("ceafm-rn", "ceafm_rn_score")
ceafe_rn_score = _function("ceafe-rn", "ceafe_rn_score")
bcub_sys_score = _function("bcub-sys", "bcub_sys_score")
ceafm_sys_score = _function("ceafm-sys", "ceafm_sys_score")
ceafe_sys_score = _function("ceafe-sys", "ceafe_sys_score")
blanc_gold_score = _function("blanc-gold", "blanc_gold_score")
rand_score = _function("rand", "rand_score")


class ClusterScorer:
    """A scorer of clusterers, ``scorer(estimator, X, y)``, for ``scoring`` of `GridSearchCV` and `cross_validate`.

    An estimator with ``predict`` predicts; any other is copied and fitted to the data that are scored, which is what
    clusterers without ``predict`` can do.

    Args:
        metric: one of `arraycoref.METRIC_NAMES`.
        options: those of `cluster_score`.

    Raises:
        UnknownNameError: a metric that does not exist.
    """

    def __init__(self, metric: str, **options: Any) -> None:
        (self.metric,) = resolve_metrics((metric,))
        self.options = options

    def __call__(self, estimator: Any, X: Any, y: ArrayLike | None = None) -> float:  # noqa: N803  # scikit-learn's name
        """Score the clusters of ``X``.

        Args:
            estimator: a clusterer of scikit-learn, fitted; or a pipeline that ends in one.
            X: (M, n_features) the data.
            y: (M,) the key's labels.

        Raises:
            InputError: no ``y``.
        """
        if y is None:
            raise InputError(f"{self!r} got no y; expected the key's labels, as in GridSearchCV(...).fit(X, y)")
        if hasattr(estimator, "predict"):
            predicted = estimator.predict(X)
        else:
            from sklearn.base import clone  # type: ignore[import-untyped,unused-ignore]

            predicted = clone(estimator).fit_predict(X)
        return cluster_score(y, predicted, self.metric, **self.options)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"ClusterScorer({self.metric!r}{options})"


SCORERS: Mapping[str, ClusterScorer] = MappingProxyType({name: ClusterScorer(name) for name in METRIC_NAMES})
"""A scorer of F1 for each metric."""
