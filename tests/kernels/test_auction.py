"""The compiled alignment against scipy's dense assignment: by searches, by auction, and where they hand over."""

import numpy as np
import pytest

from arraycoref.kernels import best_alignment
from arraycoref.kernels.best_alignment import PATIENCE, align
from arraycoref.scoring.augmenting_paths import align_by_scipy
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.contingency import cells_of
from matrices import FAMILIES, all_weights, check_alignment, dense_optimum


@pytest.mark.parametrize("family", FAMILIES)
def test_optimum_equals_the_dense_one(family):
    rng = np.random.default_rng(3)
    for n in [*rng.integers(1, 40, 40).tolist(), 300]:
        cells = cells_of(Clusterings.from_labels(*family(n, rng)))
        for weights in all_weights(cells, rng):
            for patience in (-1, 0, 1, 4, PATIENCE):
                check_alignment(cells, weights, align(cells, weights, patience))


def test_a_random_matrix_of_small_whole_weights():
    """As CEAFm's on clusterings by chance: searches leave most rows waiting, and the auction ends with the optimum."""
    rng = np.random.default_rng(8)
    cells = cells_of(Clusterings.from_labels(*rng.integers(0, 2500, (2, 10_000))))
    for largest in (1, 3, 8):
        weights = rng.integers(1, largest + 1, cells.shared.size).astype(float)
        expected = dense_optimum(cells, weights)
        for patience in (-1, 0, PATIENCE):
            cell = align(cells, weights, patience)
            assert weights[cell[cell >= 0]].sum() == expected


@pytest.mark.parametrize(("finest", "all_proved"), [(best_alignment.FINEST, True), (1e-13, False)])
def test_an_alignment_that_prices_do_not_prove_is_searched(finest, all_proved, monkeypatch):
    """Of weights near 2^39 that differ by up to 3, auctions of coarse bids end with a total that is 1 too low."""
    monkeypatch.setattr(best_alignment, "FINEST", finest)
    rng, results = np.random.default_rng(1), []
    auction = best_alignment.align_by_auction

    def kept(*args):
        results.append(auction(*args))
        return results[-1]

    monkeypatch.setattr(best_alignment, "align_by_auction", kept)
    for n in [30, 100, 1000, *[3000] * 20]:
        cells = cells_of(Clusterings.from_labels(*rng.integers(0, 1 + n // 4, (2, n))))
        weights = 2.0**39 + rng.integers(0, 4, cells.shared.size)
        cell, expected = align(cells, weights, -1), align_by_scipy(cells, weights)
        assert weights[cell[cell >= 0]].sum() == weights[expected[expected >= 0]].sum()
    assert len(results) > 20
    assert all(cell is not None for cell in results) == all_proved
