"""The alignment against scipy's dense assignment: by searches, and by scipy's search for sparse matrices."""

import numpy as np
import pytest

from arraycoref.scoring.alignment import align
from arraycoref.scoring.augmenting_paths import align_by_scipy
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.contingency import cells_of
from matrices import FAMILIES, all_weights, check_alignment


@pytest.mark.parametrize("way", [align, align_by_scipy])
@pytest.mark.parametrize("family", FAMILIES)
def test_optimum_equals_the_dense_one(engine, family, way):
    rng = np.random.default_rng(3)
    for n in [*rng.integers(1, 40, 40).tolist(), 300]:
        cells = cells_of(Clusterings.from_labels(*family(n, rng)))
        for weights in all_weights(cells, rng):
            check_alignment(cells, weights, way(cells, weights))
