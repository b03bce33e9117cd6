"""P-values of differences between pairs of systems; all pairs of a family share their random numbers.

So the p-value of two systems does not depend on which others are tested beside them, nor on their order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arraycoref.stats import enumeration
from arraycoref.stats.plan import Plan
from arraycoref.stats.resampling import multiplicities, over_blocks, swaps
from arraycoref.stats.systems import Systems

Floats = NDArray[np.float64]
Pair = tuple[int, int]

_ROWS = 2**14  # resamples times pairs scored at a time


def pvalues_of(systems: Systems, pairs: Sequence[Pair], plan: Plan) -> tuple[Floats, NDArray[np.bool_]]:
    """Test the difference of each pair of systems, the first's score minus the second's, in the only metric.

    Returns:
        float64 (P,) p-values, and bool (P,) which were computed from all outcomes. On one document no test means
        anything: nan.
    """
    if systems.n_documents == 1 or not pairs:
        return np.full(len(pairs), np.nan), np.ones(len(pairs), bool)
    if plan.test == "bootstrap":
        return _bootstrap(systems, pairs, plan)
    differing = [np.flatnonzero((systems.parts.array[i] != systems.parts.array[j]).any(axis=1)) for i, j in pairs]
    exact = np.array([plan.lists(enumeration.n_swaps(documents.size)) for documents in differing], bool)
    pvalues = np.full(len(pairs), np.nan)
    for p in np.flatnonzero(exact).tolist():
        pvalues[p] = _exact_swaps(systems, pairs[p], differing[p], plan)
    pvalues[~exact] = _random_swaps(systems, [pairs[p] for p in np.flatnonzero(~exact).tolist()], plan)
    return pvalues, exact


def _difference(systems: Systems, first: Floats, second: Floats, plan: Plan) -> Floats:
    """Score sums (..., p) of two systems and subtract."""
    n, f = systems.n_documents, plan.field
    return systems.scores(first, n)[..., 0, f] - systems.scores(second, n)[..., 0, f]


def _exact_swaps(systems: Systems, pair: Pair, documents: NDArray[np.int64], plan: Plan) -> float:
    rows, totals = systems.parts.array[:, documents], systems.totals
    i, j = pair
    observed = _difference(systems, totals[i], totals[j], plan)
    pvalue = 0.0
    for weights, probability in enumeration.all_swaps(documents.size):
        moved = weights @ (rows[j] - rows[i])
        values = _difference(systems, totals[i] + moved, totals[j] - moved, plan)
        pvalue += float(probability[plan.extreme(values, observed)].sum())
    return min(pvalue, 1.0)


def _random_swaps(systems: Systems, pairs: Sequence[Pair], plan: Plan) -> Floats:
    if not pairs:
        return np.empty(0)
    totals = systems.totals
    i, j = np.array(pairs).T
    observed = _difference(systems, totals[i], totals[j], plan)

    def count(weights: Floats) -> NDArray[np.int64]:
        sums = systems.sums(weights)
        found = np.empty(len(pairs), np.int64)
        step = max(1, _ROWS // len(weights))
        for first in range(0, len(pairs), step):
            some = slice(first, first + step)
            moved = sums[:, j[some]] - sums[:, i[some]]
            values = _difference(systems, totals[i[some]] + moved, totals[j[some]] - moved, plan)
            found[some] = plan.extreme(values, observed[some]).sum(axis=0)
        return found

    n = systems.n_documents
    blocks = over_blocks(count, swaps(plan.seed, n), plan.n_resamples, n, threads=plan.threads, batch=plan.batch)
    return np.asarray((1.0 + sum(blocks, np.zeros(len(pairs)))) / (1.0 + plan.n_resamples), np.float64)


def _bootstrap(systems: Systems, pairs: Sequence[Pair], plan: Plan) -> tuple[Floats, NDArray[np.bool_]]:
    n = systems.n_documents
    exact = plan.lists(enumeration.n_resamples(n))
    i, j = np.array(pairs).T
    totals = systems.totals
    observed = _difference(systems, totals[i], totals[j], plan)

    def extreme(weights: Floats) -> NDArray[np.bool_]:
        scores = systems.scores(systems.sums(weights), n)[..., 0, plan.field]
        return plan.extreme(scores[:, i] - scores[:, j] - observed, observed)

    if exact:
        listed = enumeration.all_resamples(n)
        pvalues = sum((probability @ extreme(weights) for weights, probability in listed), np.zeros(len(pairs)))
    else:
        weights = multiplicities(plan.seed, n)
        blocks = over_blocks(
            lambda drawn: extreme(drawn).sum(axis=0),
            weights,
            plan.n_resamples,
            n,
            threads=plan.threads,
            batch=plan.batch,
        )
        pvalues = (1.0 + sum(blocks, np.zeros(len(pairs)))) / (1.0 + plan.n_resamples)
    return np.minimum(pvalues, 1.0), np.full(len(pairs), exact)
