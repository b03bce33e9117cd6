"""The auction against scipy's dense assignment, the compiled search beside it, and what a proof by prices is for."""

import numpy as np
import pytest

from arraycoref.kernels import align, alignment
from arraycoref.scoring.alignment import align_hard
from arraycoref.scoring.cells import cells_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.twin import using
from matrices import FAMILIES, all_weights, check_alignment, dense_optimum


def searched(cells, weights):
    """Align by the public kernel."""
    return align(cells.key_start, cells.key, cells.response, weights, cells.response_size.size)


@pytest.mark.parametrize("way", [alignment.align_hard, searched])
@pytest.mark.parametrize("family", FAMILIES)
def test_optimum_equals_the_dense_one(family, way):
    rng = np.random.default_rng(3)
    for n in [*rng.integers(1, 40, 40).tolist(), 300]:
        cells = cells_of(Clusterings.from_labels(*family(n, rng)))
        for weights in all_weights(cells, rng):
            check_alignment(cells, weights, way(cells, weights))


def test_a_random_matrix_of_small_whole_weights():
    """As CEAFm's on clusterings by chance: searches leave most rows waiting, and the auction ends with the optimum."""
    rng = np.random.default_rng(8)
    cells = cells_of(Clusterings.from_labels(*rng.integers(0, 2500, (2, 10_000))))
    for largest in (1, 3, 8):
        weights = rng.integers(1, largest + 1, cells.shared.size).astype(float)
        cell = alignment.align_hard(cells, weights)
        assert weights[cell[cell >= 0]].sum() == dense_optimum(cells, weights)


@pytest.mark.parametrize(("finest", "all_proved"), [(alignment.FINEST, True), (1e-13, False)])
def test_an_alignment_that_prices_do_not_prove_is_left_to_scipy(finest, all_proved, monkeypatch):
    """Of weights near 2^39 that differ by up to 3, auctions of coarse bids end with a total that is 1 too low."""
    monkeypatch.setattr(alignment, "FINEST", finest)
    rng, proved = np.random.default_rng(1), []
    for n in [30, 100, 1000, *[3000] * 20]:
        cells = cells_of(Clusterings.from_labels(*rng.integers(0, 1 + n // 4, (2, n))))
        weights = 2.0**39 + rng.integers(0, 4, cells.shared.size)
        proved.append(alignment.align_hard(cells, weights) is not NotImplemented)
        with using("numba"):
            cell = align_hard(cells, weights)
        with using("numpy"):
            expected = align_hard(cells, weights)
        assert weights[cell[cell >= 0]].sum() == weights[expected[expected >= 0]].sum()
    assert all(proved) == all_proved
