"""Two documents whose sums are easy to check by hand; the first has MUC recall 3/5 and precision 1: F1 prints 74.99."""

from __future__ import annotations

import pytest
from report_fakes import BatchScores

COUNTS = {
    "mentions": [[5, 6, 5, 7], [2, 2, 2, 2]],
    "muc": [[3, 5, 3, 3], [1, 1, 1, 1]],
    "bcub": [[10 / 3, 6, 4.25, 7], [2, 2, 2, 2]],
    "ceafm": [[4, 6, 4, 7], [2, 2, 2, 2]],
    "ceafe": [[1.2, 3, 1.2, 4], [1, 1, 1, 1]],
    "blanc": [[2, 4, 2, 5, 4, 11, 4, 16, 6, 7, 5, 1], [1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2]],
}
NAMES = ("a_b|c_0", "d & e")


@pytest.fixture
def paper():
    return BatchScores(NAMES, COUNTS)


@pytest.fixture
def conll():
    return BatchScores(NAMES, COUNTS, profile="conll")


@pytest.fixture
def muc_of():
    """Return results of one document with given MUC sums, and one shared mention."""

    def make(*sums, **options):
        return BatchScores(["d"], {"mentions": [[1, 1, 1, 1]], "muc": [list(sums)]}, **options)

    return make
