"""Correlate metrics over systems, as in Table 3 of Luo et al. (2014)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from arraycoref.display.formats import Report
from arraycoref.display.tables import TextTable
from arraycoref.exceptions import InputError, check_name
from arraycoref.options import OPTIONS, Metrics
from arraycoref.ragged import Floats
from arraycoref.scoring.metrics.registry import RATIOS, known_metric, names_beside, resolve_metrics
from arraycoref.scoring.metrics.score import rounded_for_ties
from arraycoref.scoring.scores import BatchScores
from arraycoref.scoring.signature import Signature, joint_notes
from arraycoref.stats.how import Average
from arraycoref.stats.run_scores import RunScores, as_setting, require_same_conventions, text_of

COEFFICIENTS = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}
"""The coefficients, and the functions of `scipy.stats` that compute them."""

LEAST_SYSTEMS = 3
CONSTANT = 1e-12
"""Range of a metric's scores over the systems below which they count as constant, and have no correlation."""


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Report):
    """Correlation of K metrics over S systems, separately for recall, precision and F.

    Attributes:
        metrics: (K,) names.
        systems: (S,) names.
        method: ``pearson``, ``spearman`` or ``kendall``.
        average: ``micro`` or ``macro``.
        scores: float64 (3, S, K) recall, precision and F; nan where a metric has none.
        coefficients: float64 (3, K, K); nan where a metric has the same score for all systems, or has no score.
        pvalues: float64 (3, K, K), two-sided, of the hypothesis that there is no correlation.
        signature: signature of the scores.
        notes: what happened in the runs.
    """

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    method: str
    average: str
    scores: Floats
    coefficients: Floats
    pvalues: Floats
    signature: Signature
    notes: tuple[str, ...] = ()

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out a matrix of coefficients for each of recall, precision and F; cells of undefined ones are empty."""
        tables = []
        for name, matrix in zip(("recall", "precision", "F"), self.coefficients, strict=True):
            cells = [["" if np.isnan(value) else f"{value:.3f}" for value in row] for row in matrix]
            rows = [[metric, *row] for metric, row in zip(self.metrics, cells, strict=True)]
            tables.append(TextTable([name, *self.metrics], rows))
        return tables

    def caption(self, digits: int) -> list[str]:
        """Name the coefficient, the number of systems and the average."""
        what = f"{self.method} correlation over {len(self.systems)} systems, {self.average} average"
        return [what, *self.notes, str(self.signature)]

    def columns(self) -> dict[str, Any]:
        """Return a row for each field and pair of metrics: coefficient and p-value."""
        i, j = np.triu_indices(len(self.metrics), 1)
        return {
            "field": [field for field in RATIOS for _ in i],
            "metric": [self.metrics[k] for k in i] * len(RATIOS),
            "other": [self.metrics[k] for k in j] * len(RATIOS),
            "coefficient": self.coefficients[:, i, j].ravel(),
            "pvalue": self.pvalues[:, i, j].ravel(),
        }

    def against(self, metric: str, field: str = "f1") -> dict[str, tuple[float, float]]:
        """Return coefficient and p-value of one metric with each other metric: a column of Table 3 of Luo et al."""
        check_name("field", field, RATIOS)
        f, k = RATIOS.index(field), self.metrics.index(known_metric(metric, self.metrics))
        return {
            name: (float(self.coefficients[f, k, other]), float(self.pvalues[f, k, other]))
            for other, name in enumerate(self.metrics)
            if other != k
        }


def correlate(
    runs: RunScores | Mapping[str, BatchScores],
    *,
    metrics: Metrics = None,
    method: str = "pearson",
    average: Average = "micro",
) -> Correlation:
    """Correlate metrics over systems.

        >>> import arraycoref as ac
        >>> right, wrong = [0, 0, 1, 1], [0, 1, 1, 1]
        >>> runs = {
        ...     f"{n} wrong": ac.score_labels_batch(right * 3, wrong * n + right * (3 - n), [0, 4, 8, 12])
        ...     for n in range(4)
        ... }
        >>> coefficient, pvalue = ac.correlate(runs, metrics="muc,bcub").against("bcub", "recall")["muc"]
        >>> round(coefficient, 6)  # each wrong document takes 1/6 from MUC's recall and 1/12 from B-cubed's
        1.0

    Args:
        runs: scores of each system, by the systems' names; not necessarily of the same documents.
        metrics: names of metrics; None for all that were scored for every system.
        method: ``pearson``, ``spearman`` or ``kendall`` (tau-b).
        average: ``micro`` for corpus scores, ratios of sums over documents; ``macro`` for means of documents' scores.

    Raises:
        InputError: fewer than three systems, systems that share no metric or were scored under different conventions,
            such as betas.
        UnknownNameError: a metric that was not scored, a method or average that does not exist.

    Source: Luo et al. (2014), section 5, Table 3 and Figure 1.
    """
    check_name("correlation", method, COEFFICIENTS)
    OPTIONS["average"].check("average", average)
    require_same_conventions(runs)
    if len(runs) < LEAST_SYSTEMS:
        raise InputError(f"got {len(runs)} systems; expected {LEAST_SYSTEMS} at least to correlate metrics over them")
    batches: list[BatchScores] = list(runs.values())
    known, signature = names_beside(batches[0].metrics[0]), replace(batches[0].signature, average=average)
    shared = [name for name in known if all(name in b.metrics for b in batches)]
    names = tuple(shared) if metrics is None else resolve_metrics(metrics, known)
    if not shared:
        raise InputError("the systems share no metric; expected one at least that was scored for all of them")
    for name in names:
        check_name("metric (not scored for every system)", name, shared)
    sources = [b.corpus if average == "micro" else b.macro for b in batches]
    values = [[[getattr(source[name], field) for name in names] for source in sources] for field in RATIOS]
    scores = np.array(values, np.float64)
    coefficients, pvalues = np.full((2, len(RATIOS), len(names), len(names)), np.nan)
    for f, table in enumerate(rounded_for_ties(scores)):  # rounding errors in scores would break ties of ranks
        for k, other in combinations_with_replacement(range(len(names)), 2):
            both = f, [k, other], [other, k]  # halves of a symmetric matrix
            coefficients[both], pvalues[both] = _correlation(table[:, k], table[:, other], method)
    systems = tuple(text_of(as_setting(name)) for name in runs)
    notes = joint_notes(systems, [source.notes for source in sources])
    return Correlation(names, systems, method, average, scores, coefficients, pvalues, signature, notes)


def _correlation(x: Floats, y: Floats, method: str) -> tuple[float, float]:
    """Correlate two columns; nan where one is constant or missing."""
    if np.isnan(x).any() or np.isnan(y).any() or min(np.ptp(x), np.ptp(y)) < CONSTANT:
        return np.nan, np.nan
    from scipy import stats

    result = getattr(stats, COEFFICIENTS[method])(x, y)
    return float(result.statistic), float(result.pvalue)
