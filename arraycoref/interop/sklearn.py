"""Offer the metrics in scikit-learn's forms: functions ``f(labels_true, labels_pred)``, and scorers of clusterers.

    >>> from arraycoref.interop.sklearn import bcub_score, rand_score
    >>> bcub_score(["a", "a", "b"], [1, 1, 0]), rand_score([0, 0, 1], [-1, -1, -1])
    (1.0, 0.3333333333333333)

Each metric has a function: ``bcub_score``, ``cluster_score`` and so on. It takes (M,) labels, whole numbers or texts
(see `arraycoref.scoring.labels`), and returns one number. `sklearn.metrics.make_scorer` makes a scorer of it, which
works for clusterers with ``predict``. `ClusterScorer` also works for clusterers without it, such as `DBSCAN` and
`AgglomerativeClustering`: pass one, or `SCORERS`, as ``scoring``.

In ``labels_pred``, -1 means noise, as in the output of scikit-learn's clusterers, and so do -2 and -3, which HDBSCAN
has for infinite and missing values; the option ``noise`` decides how it is scored. Every other number is a label, and
so is -1 in ``labels_true``. Null, None and NaN are not labels: they mean that the side lacks the item.

The functions that scikit-learn has too, from `adjusted_mutual_info_score` to `v_measure_score`, have its names,
arguments, defaults and values, also for empty input: only the import changes. Under these names, -1 is a label like any
other. What is not a score is not here: ``contingency_matrix``, ``pair_confusion_matrix``,
``expected_mutual_information`` and ``entropy``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arraycoref.api import score_labels
from arraycoref.exceptions import InputError, check_name
from arraycoref.options.policies import Profile
from arraycoref.ragged import Ints
from arraycoref.scoring.labels import index_of, label_values, require_one_index
from arraycoref.scoring.metrics import vmeasure
from arraycoref.scoring.metrics.registry import METRIC_NAMES, METRICS, check_field, split_field
from arraycoref.scoring.metrics.score import ratio

NOISE = ("singletons", "absent", "cluster")
NOISE_LABELS = (-1, -2, -3)
MEANS: Any = {"arithmetic": lambda a, b: (a + b) / 2, "geometric": lambda a, b: (a * b) ** 0.5, "max": max, "min": min}
"""The means of two entropies, by the name that ``average_method`` has."""


def metric_score(
    labels_true: ArrayLike,
    labels_pred: ArrayLike,
    metric: str,
    *,
    field: str = "f1",
    noise: str | None = None,
    beta: float = 1.0,
    profile: Profile = "paper",
) -> float:
    """Score a clustering by one metric.

        >>> metric_score([0, 0, 1, 1], [5, 5, -1, -1], "pairwise", field="recall")
        0.5

    Args:
        labels_true: (M,) labels of the key.
        labels_pred: (M,) labels of the response. If both arguments are Series of pandas, their indices must be equal,
            unless that of ``labels_pred`` only numbers the rows.
        metric: one of `arraycoref.METRIC_NAMES`, or one of scikit-learn's names, such as ``v_measure_score``.
        field: ``f1``, ``recall`` or ``precision``.
        noise: what -1, -2 and -3 in ``labels_pred`` mean: ``singletons``, clusters of one item each; ``absent``, items
            that the response lacks; ``cluster``, labels like any other. None: ``singletons``, and ``cluster`` under
            scikit-learn's names.
        beta: of the F-measure.
        profile: see `arraycoref.api`.

    Raises:
        InputError: lengths or indices that differ, labels that are not one-dimensional, or values that are not labels.
        UnknownNameError: a metric, field or treatment of noise that does not exist.
        OptionError: recall or precision of a metric that has none, such as the CoNLL average.
    """
    name, own = split_field(metric)
    field = own if field == "f1" else field  # homogeneity is a field of V-measure
    check_field(field, name)
    noise = noise or ("cluster" if metric in OF_SCIKIT_LEARN else "singletons")
    check_name("treatment of noise", noise, NOISE)
    scores = score_labels(*_pair(labels_true, labels_pred, noise), metrics=(name,), beta=beta, profile=profile)
    return float(getattr(scores[name], field))


def _pair(labels_true: ArrayLike, labels_pred: ArrayLike, noise: str = "cluster") -> tuple[Ints, Ints]:
    """Number the labels of both sides, which must be equally many, and of one index if both have one."""
    key, response = _codes(labels_true, "labels_true"), _codes(labels_pred, "labels_pred", noise)
    if key.size != response.size:
        raise InputError(f"labels_true has {key.size} labels and labels_pred {response.size}; expected equal numbers")
    index = index_of(labels_pred)
    if index is not None and not index.equals(type(index)(range(len(index)))):
        require_one_index(labels_true=labels_true, labels_pred=labels_pred)
    return key, response


def _codes(labels: ArrayLike, what: str, noise: str = "cluster") -> Ints:
    """Number labels from 0; -1 for a missing label, and for noise if ``noise`` is ``absent``."""
    array, missing = label_values(labels, what)
    if array.ndim != 1:
        raise InputError(f"{what} must be 1D: shape is {array.shape}; expected one label for each item, (M,)")
    values, codes = np.unique(array, return_inverse=True)
    codes = codes.astype(np.int64)
    if noise != "cluster":
        alone = np.flatnonzero(np.isin(array, NOISE_LABELS))
        codes[alone] = -1 if noise == "absent" else values.size + np.arange(alone.size)
    if missing is not None:
        codes[missing] = -1
    return codes


def _sums(labels_true: ArrayLike, labels_pred: ArrayLike, metric: str) -> list[float]:
    """Return the four sums of a metric."""
    sums: list[float] = score_labels(*_pair(labels_true, labels_pred), metrics=metric).counts[metric].tolist()
    return sums


def adjusted_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: str = "arithmetic"
) -> float:
    """Return the mutual information beyond chance, divided by a mean of the entropies beyond chance.

    Args:
        labels_true: (M,) labels of the key.
        labels_pred: (M,) labels of the response.
        average_method: the mean: ``arithmetic``, ``geometric``, ``max`` or ``min``.

    Raises:
        InputError: labels that cannot be scored; a mean that does not exist.
    """
    return _share(_sums(labels_true, labels_pred, "ami"), average_method)


def normalized_mutual_info_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, average_method: str = "arithmetic"
) -> float:
    """Return the mutual information divided by a mean of the entropies; as `adjusted_mutual_info_score`."""
    information, of_response, _, of_key = _sums(labels_true, labels_pred, "vmeasure")
    return _share([information, 0.0, of_key, of_response], average_method)


def _share(sums: Sequence[float], average_method: str) -> float:
    """Return which share of the mean entropy the mutual information is, both less what is expected by chance."""
    information, expected, of_key, of_response = sums
    check_name("average_method", average_method, MEANS)
    if information == of_key == of_response:
        return 1.0
    if not of_key or not of_response:
        return 0.0
    mean = MEANS[average_method](of_key, of_response)
    return 1.0 if information == mean else ratio(information - expected, mean - expected)


def mutual_info_score(labels_true: ArrayLike, labels_pred: ArrayLike, *, contingency: Any = None) -> float:
    """Return the mutual information in nats, of labels or of a contingency matrix, which may be sparse."""
    if contingency is None:
        return ratio(_sums(labels_true, labels_pred, "vmeasure")[0], float(len(labels_true)))  # type: ignore[arg-type]
    from scipy.sparse import csr_array
    from scipy.special import xlogy

    n = csr_array(contingency)
    parts = [np.asarray(part, np.float64) for part in (n.sum(), n.sum(axis=1), n.sum(axis=0), n.data)]
    return ratio(float(vmeasure.sums(*[xlogy(part, part).sum() for part in parts])[0]), float(n.sum()))


def homogeneity_completeness_v_measure(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, beta: float = 1.0
) -> tuple[float, float, float]:
    """Return homogeneity, completeness and their mean, in which completeness counts ``beta`` times as much."""
    score = vmeasure.score(_sums(labels_true, labels_pred, "vmeasure"), beta=beta)
    return score.precision, score.recall, score.f1


def homogeneity_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Return the mutual information divided by the entropy of the key."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[0]


def completeness_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Return the mutual information divided by the entropy of the response."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[1]


def v_measure_score(labels_true: ArrayLike, labels_pred: ArrayLike, *, beta: float = 1.0) -> float:
    """Return the weighted harmonic mean of `homogeneity_score` and `completeness_score`."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred, beta=beta)[2]


def adjusted_rand_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Return the Rand index, adjusted for chance."""
    return metric_score(labels_true, labels_pred, "adjusted_rand_score")


def rand_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Return the share of pairs of items on which both sides agree; 1 where there are no pairs."""
    agreed, pairs, *_ = _sums(labels_true, labels_pred, "rand")
    return agreed / pairs if pairs else 1.0


def fowlkes_mallows_score(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Return the geometric mean of recall and precision of the pairs of items in one cluster."""
    return metric_score(labels_true, labels_pred, "fowlkes_mallows_score")


OF_SCIKIT_LEARN = (
    *("adjusted_mutual_info_score", "adjusted_rand_score", "completeness_score", "fowlkes_mallows_score"),
    *("homogeneity_score", "normalized_mutual_info_score", "rand_score", "v_measure_score"),
)
"""Names of metrics that are scikit-learn's, and mean what they mean there."""


_FUNCTIONS = {f"{metric.replace('-', '_')}_score": metric for metric in METRIC_NAMES}
"""The metric of each function that is made when it is asked for, by the function's name, such as ``bcub_score``."""


def __getattr__(name: str) -> Callable[..., float]:
    """Make the function of a metric when it is first asked for."""
    if name not in _FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    metric = _FUNCTIONS[name]

    def function(labels_true: ArrayLike, labels_pred: ArrayLike, **options: Any) -> float:
        return metric_score(labels_true, labels_pred, metric, **options)

    function.__name__ = function.__qualname__ = name  # so that it can be pickled
    full = signature(metric_score)
    parameters = [parameter for parameter in full.parameters.values() if parameter.name != "metric"]
    function.__dict__["__signature__"] = full.replace(parameters=parameters)
    function.__doc__ = f"Score a clustering by {metric}; see `metric_score` for the options."
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    others = ("ClusterScorer", "SCORERS", "homogeneity_completeness_v_measure", "metric_score", "mutual_info_score")
    return sorted({*others, *OF_SCIKIT_LEARN, *_FUNCTIONS})


class ClusterScorer:
    """A scorer of clusterers, ``scorer(estimator, X, y)``, for ``scoring`` of `GridSearchCV` and `cross_validate`.

        >>> ClusterScorer("lea", noise="absent")
        ClusterScorer('lea', noise='absent')

    An estimator with ``predict`` predicts the labels. Any other is copied, and the copy is fitted to the data that are
    scored, since a clusterer without ``predict`` can only label the data that it is fitted to.

    Args:
        metric: one of `arraycoref.METRIC_NAMES`, or of scikit-learn's names, such as ``v_measure_score``.
        options: the options of `metric_score`.

    Raises:
        UnknownNameError: a metric, or the value of an option, that does not exist.
        OptionError: recall or precision of a metric that has none, or another option that makes no sense.
        TypeError: an option that does not exist.
    """

    def __init__(self, metric: str, **options: Any) -> None:
        name, field = split_field(metric)
        self.metric, self.better = metric if metric in OF_SCIKIT_LEARN else name, METRICS[name].better
        if field != "f1" and metric not in OF_SCIKIT_LEARN:
            options = {"field": field} | options
        self.options = options
        if options:
            metric_score([], [], self.metric, **options)  # checks options now: a search turns later errors into nan

    def __call__(self, estimator: Any, X: Any, y: ArrayLike | None = None) -> float:  # noqa: N803  # scikit-learn's name
        """Score the clusters of ``X``; if a lower score is better, return it negated, as scikit-learn does.

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
        score = metric_score(y, predicted, self.metric, **self.options)
        return -score if self.better == "lower" else score

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"ClusterScorer({self.metric!r}{options})"


SCORERS = {name: ClusterScorer(name) for name in METRIC_NAMES}
"""A scorer of F1 for each metric, by its name."""
