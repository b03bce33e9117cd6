"""Matrices whose alignment is easy to get wrong, by families; and the optimum by scipy's dense assignment."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment


def chain(n, _rng):
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
    return rng.integers(0, n, 3 * n), rng.integers(0, n // 2 + 1, 3 * n)


def stars(n, rng):
    """A few columns that every row wants."""
    return np.repeat(np.arange(n), 3), rng.integers(0, 8, 3 * n)


def wide(n, rng):
    """Rows of more cells than are walked where columns are contested."""
    return rng.integers(0, [[6], [40]], (2, 5 * n))


def heavy(n, rng):
    """A few giant entities among small ones."""
    return (n * rng.random((2, 2 * n)) ** 4).astype(int)


def missing(n, rng):
    """Mentions of one side."""
    return np.where(rng.random((2, 3 * n)) < 0.3, -1, rng.integers(0, n, (2, 3 * n)))


FAMILIES = (chain, combs, layers, random, crowded, stars, wide, heavy, missing)


def all_weights(cells, rng):
    """Yield weights of cells, which are whole numbers: phi 3, phi 4 in units of 2^-40, ties, and others."""
    n = cells.shared.size
    fractions = (
        2.0 * cells.shared / (cells.key_size[cells.key] + cells.response_size[cells.response]),
        rng.random(n),
        (1 + np.arange(n) / n) / 2,
        (2 - np.arange(n) / n) / 2,
        (1 + 1e-9 * rng.random(n)) / 2,
    )
    yield from (cells.shared.astype(float), np.ones(n), rng.integers(0, 3, n).astype(float))
    yield from (np.rint(2.0**40 * each) for each in fractions)


def dense_optimum(cells, weights):
    dense = np.zeros((cells.key_size.size, cells.response_size.size))
    dense[cells.key, cells.response] = weights
    return dense[linear_sum_assignment(dense, maximize=True)].sum()


def check_alignment(cells, weights, cell):
    """Check that a one-to-one alignment has the largest total weight."""
    aligned = cell[cell >= 0]
    assert weights[aligned].sum() == pytest.approx(dense_optimum(cells, weights), rel=1e-12)
    assert len(set(cells.key[aligned])) == len(set(cells.response[aligned])) == aligned.size
