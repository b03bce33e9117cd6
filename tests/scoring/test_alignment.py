"""The alignment against scipy's dense assignment: by searches, and by scipy's search for sparse matrices."""

import numpy as np
import pytest

from arraycoref.scoring import cells as cells_module
from arraycoref.scoring.alignment import align, align_hard
from arraycoref.scoring.cells import cells_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.twin import using
from matrices import FAMILIES, all_weights, check_alignment


@pytest.mark.parametrize("way", [align, align_hard])
@pytest.mark.parametrize("family", FAMILIES)
def test_optimum_equals_the_dense_one(engine, family, way):
    rng = np.random.default_rng(3)
    for n in [*rng.integers(1, 40, 40).tolist(), 300]:
        cells = cells_of(Clusterings.from_labels(*family(n, rng)))
        for weights in all_weights(cells, rng):
            check_alignment(cells, weights, way(cells, weights))


def test_pairs_are_hashed_where_a_table_of_them_would_be_large(monkeypatch):
    """With NumPy, in one document and in several: the cells are the same."""
    labels = np.random.default_rng(4).integers(-1, 30, (2, 400))
    documents = [Clusterings.from_labels(*labels, bounds) for bounds in ([0, 400], [0, 90, 90, 400])]
    with using("numpy"):
        in_table = [cells_of(each) for each in documents]
        monkeypatch.setattr(cells_module, "MOST_PLACES", 10)
        for one, other in zip(in_table, map(cells_of, documents), strict=True):
            for name in ("shared", "key", "response", "key_start", "offsets"):
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
