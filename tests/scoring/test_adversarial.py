"""Matrices made to keep an alignment busy: it is right."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from arraycoref.scoring.alignment import PATIENCE, align
from arraycoref.scoring.cells import Cells
from marks import cases


def staircase(n, _rng):
    """One path through all; one row more than columns, which somewhere has to go without."""
    return np.repeat(np.arange(n + 1), 2)[1:-1], np.repeat(np.arange(n), 2)


def combs(n, _rng):
    """Paths of some length side by side."""
    rows = np.repeat(np.arange(n), 2)
    before = np.where(np.arange(n) % round(n**0.5) == 0, 0, np.arange(n) - 1)
    return rows, np.stack([np.arange(n), before], 1).ravel()


def layers(n, _rng):
    """Each row meets its own column and that of the next layer."""
    return np.repeat(np.arange(n), 2), np.stack([np.arange(n), (np.arange(n) + round(n**0.5)) % n], 1).ravel()


def random(n, rng):
    """One random component: searches grow as long as the matrix."""
    return rng.integers(0, n, 4 * n), rng.integers(0, n, 4 * n)


def crowded(n, rng):
    """Twice as many rows as columns."""
    return rng.integers(0, n, 3 * n), rng.integers(0, n // 2, 3 * n)


def stars(n, rng):
    """A few columns that every row wants."""
    return np.repeat(np.arange(n), 3), rng.integers(0, 8, 3 * n)


FAMILIES = (staircase, combs, layers, random, crowded, stars)
WEIGHTS = {
    "ties": lambda c, rng: np.ones(c),
    "rising": lambda c, rng: 1 + np.arange(c) / c,
    "falling": lambda c, rng: 2 - np.arange(c) / c,
    "whole": lambda c, rng: rng.integers(1, 4, c).astype(float),
    "all but ties": lambda c, rng: 1 + 1e-9 * rng.random(c),
}


def problem(family, weights, n):
    rng = np.random.default_rng(n)
    rows, columns = family(n, rng)
    rows, columns = map(np.ascontiguousarray, np.unique(np.stack([rows, columns]), axis=1))  # as those of documents
    n_rows, n_columns = int(rows.max()) + 1, int(columns.max()) + 1
    start = np.searchsorted(rows, np.arange(n_rows + 1))
    matrix = Cells(
        np.ones(rows.size, np.int64),
        rows,
        columns,
        np.ones(n_rows, np.int64),
        np.ones(n_columns, np.int64),
        np.array([0, rows.size]),
        start,
        np.array([0, n_rows]),
        np.array([0, n_columns]),
        np.zeros((9, 1), np.int64),
    )
    return matrix, WEIGHTS[weights](rows.size, rng), 1.0 if weights in ("ties", "whole") else 0.0


@cases("weights", list(WEIGHTS))
@pytest.mark.parametrize("family", FAMILIES)
def test_the_optimum(family, weights):
    cells, values, unit = problem(family, weights, 300)
    dense = np.zeros((cells.key_size.size, cells.response_size.size))
    dense[cells.key, cells.response] = values
    expected = dense[linear_sum_assignment(dense, maximize=True)].sum()
    for patience in (-1, 1, PATIENCE):
        assert align(cells, values, unit, patience).total[0] == pytest.approx(expected, rel=1e-12)
