"""The alignment against scipy's dense assignment: by searches, by auction, and where they hand over."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from arraycoref.kernels.engine import ENGINES
from arraycoref.scoring.alignment import align
from arraycoref.scoring.auction import PATIENCE, align_compiled
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.contingency import cells_of
from arraycoref.scoring.search import align_by_scipy


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


@pytest.mark.parametrize("family", FAMILIES)
def test_optimum_equals_the_dense_one(family):
    rng = np.random.default_rng(3)
    for n in [*rng.integers(1, 40, 40).tolist(), 300]:
        cells = cells_of(Clusterings.from_labels(*family(n, rng)))
        for weights in all_weights(cells, rng):
            expected = dense_optimum(cells, weights)
            ways = [align_compiled(cells, weights, patience) for patience in (-1, 0, 1, 4, PATIENCE)]
            ways += [align_by_scipy(cells, weights), *(align(replace(cells, engine=e), weights).cell for e in ENGINES)]
            for cell in ways:
                aligned = cell[cell >= 0]
                assert weights[aligned].sum() == pytest.approx(expected, rel=1e-12)
                assert len(set(cells.key[aligned])) == len(set(cells.response[aligned])) == aligned.size


def test_a_random_matrix_of_small_whole_weights():
    """As CEAFm's on clusterings by chance: searches leave most rows waiting, and the auction ends with the optimum."""
    rng = np.random.default_rng(8)
    cells = cells_of(Clusterings.from_labels(*rng.integers(0, 2500, (2, 10_000))))
    for largest in (1, 3, 8):
        weights = rng.integers(1, largest + 1, cells.shared.size).astype(float)
        expected = dense_optimum(cells, weights)
        for patience in (-1, 0, PATIENCE):
            cell = align_compiled(cells, weights, patience)
            assert weights[cell[cell >= 0]].sum() == expected
