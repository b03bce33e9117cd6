"""The alignment against scipy's dense assignment: by searches, by auction, and where they hand over."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import arraycoref as ac
import arraycoref.scoring.alignment
import arraycoref.scoring.batch
from arraycoref.scoring.alignment import align
from arraycoref.scoring.cells import cells_of
from arraycoref.scoring.clusterings import Clusterings


def random_labels(rng, kind):
    n = int(rng.integers(1, 120))
    if kind == "chain":  # one connected component, all ties
        mentions = np.arange(n)
        return mentions // 2, (mentions + 1) // 2
    entities = int(rng.integers(1, n + 1))
    key, response = rng.integers(0, entities, (2, n))
    if kind == "wide":  # rows of more cells than are walked where columns are contested
        key, response = rng.integers(0, [[6], [40]], (2, 5 * n))
    if kind == "heavy":  # a few giant entities among small ones
        key, response = (entities * rng.random((2, n)) ** 4).astype(int)
    if kind == "missing":
        key[rng.random(n) < 0.3] = -1
        response[rng.random(n) < 0.3] = -1
    return key, response


def dense_optimum(cells, weights):
    dense = np.zeros((cells.key_size.size, cells.response_size.size))
    dense[cells.key, cells.response] = weights
    rows, columns = linear_sum_assignment(dense, maximize=True)
    return dense[rows, columns].sum()


def all_weights(cells, rng):
    yield cells.shared.astype(float), 1.0
    yield 2.0 * cells.shared / (cells.key_size[cells.key] + cells.response_size[cells.response]), 0.0
    yield np.ones(cells.shared.size), 1.0
    yield 0.5 * cells.shared, 0.5
    yield rng.random(cells.shared.size) * 10.0 ** rng.integers(-3, 4, cells.shared.size), 0.0
    yield rng.integers(0, 3, cells.shared.size).astype(float), 1.0


@pytest.mark.parametrize("patience", [-1, 0, 1, 4])
@pytest.mark.parametrize("kind", ["random", "chain", "heavy", "missing", "wide"])
def test_optimum_equals_the_dense_one(kind, patience):
    rng = np.random.default_rng([patience + 1, ord(kind[0])])
    for _ in range(60):
        cells = cells_of(Clusterings.from_labels(*random_labels(rng, kind)))
        for weights, unit in all_weights(cells, rng):
            alignment = align(cells, weights, unit, patience)
            expected = dense_optimum(cells, weights)
            assert alignment.total[0] == pytest.approx(expected, rel=1e-12, abs=1e-12)
            aligned = alignment.cell[alignment.cell >= 0]
            assert len(set(cells.key[aligned])) == len(set(cells.response[aligned])) == aligned.size


@pytest.mark.parametrize("name", ["ceafm", "ceafe"])
def test_searches_that_run_long_are_done_again(name, monkeypatch):
    monkeypatch.setattr(arraycoref.scoring.alignment, "PATIENCE", -1)
    labels = np.random.default_rng(3).integers(0, 12, (2, 100))
    cells = cells_of(Clusterings.from_labels(*labels))
    sizes = cells.key_size[cells.key] + cells.response_size[cells.response]
    weights = cells.shared if name == "ceafm" else 2.0 * cells.shared / sizes
    assert ac.score_labels(*labels, metrics=name)[name].recall_num == pytest.approx(dense_optimum(cells, weights))


def test_a_large_random_component():
    rng = np.random.default_rng(5)
    cells = cells_of(Clusterings.from_labels(*rng.integers(0, 500, (2, 2000))))
    for weights, unit in all_weights(cells, rng):
        expected = dense_optimum(cells, weights)
        for patience in (-1, 10**6):
            assert align(cells, weights, unit, patience).total[0] == pytest.approx(expected, rel=1e-12)


def test_a_random_matrix_of_small_whole_weights():
    """As CEAFm's on clusterings by chance: searches leave most rows waiting, and the auction ends with the optimum."""
    rng = np.random.default_rng(8)
    cells = cells_of(Clusterings.from_labels(*rng.integers(0, 2500, (2, 10_000))))
    for largest in (1, 3, 8):
        weights = rng.integers(1, largest + 1, cells.shared.size).astype(float)
        expected = dense_optimum(cells, weights)
        for patience in (-1, 0, arraycoref.scoring.alignment.PATIENCE):
            assert align(cells, weights, 1.0, patience).total[0] == expected
