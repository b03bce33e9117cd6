"""Counts are exact and never wrap; labels and offsets that cannot be are refused."""

from dataclasses import replace

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.scoring.cells import Totals, cells_of
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.labels import offset_array
from arraycoref.scoring.metrics.registry import METRICS
from arraycoref.scoring.totals import Needs, complete
from marks import cases

LARGEST = 2**31 - 1
"""Mentions that a document may have."""


def links(n):
    return n * (n - 1) // 2


def test_no_document_can_have_links_that_wrap():
    """The largest document that is let in has fewer than 2^63 links, and so have all intermediate sums."""
    assert 3 * links(LARGEST) < 2**63
    with pytest.raises(ac.InputError, match=r"a document has 2147483648 mentions; expected at most 2\^31 - 1"):
        offset_array([0, 0, LARGEST + 1], LARGEST + 1)


@pytest.mark.parametrize("together", [True, False])
def test_metrics_of_the_largest_document(together):
    """From totals as the kernel would write them, of one entity or of singletons on both sides: nothing wraps."""
    linked = links(LARGEST) if together else 0
    largest = Totals(*np.array([*[LARGEST] * 3, *[linked] * 5, 0, 1, 1, 1])[:, None])
    blanc = [[linked] * 4, [links(LARGEST) - linked] * 4, [LARGEST] * 4]
    assert as_floats(METRICS["blanc"].count(largest)) == [list(map(float, group)) for group in blanc]
    assert as_floats(METRICS["rand"].count(largest)) == [float(links(LARGEST))] * 4
    assert as_floats(METRICS["pairwise"].count(largest)) == [float(linked)] * 4
    assert as_floats(METRICS["mentions"].count(largest)) == [float(LARGEST)] * 4


def test_totals_of_one_document_keep_their_fields():
    """Also where some of the sums before them were not needed."""
    cells = cells_of(Clusterings.from_labels([0, 0, 0, 1, 1], [0, 0, 1, 0, 0], [0, 3, 5]))
    second = replace(cells, totals=complete(cells, Needs(resolved=True, phi4=True))).document(1).totals
    assert (second.key_squares, second.response_squares, second.phi3) == (None, None, None)
    assert (*second.key_resolved, *second.response_resolved, *second.phi4) == (2.0, 2.0, 1.0)


def as_floats(sums):
    return np.array(sums, np.float64)[..., 0].tolist()


N = 6
LABELS = np.array([0, 0, 1, -1, 1, 2])


@cases("offsets", [[0, 4, 3, N], [0, 3, N + 1], [0, 3], [1, N], np.array([0, 2**63 + 3, N], np.uint64)])
def test_bad_offsets(offsets):
    with pytest.raises(ac.InputError, match="offsets"):
        ac.score_labels_batch(LABELS, LABELS, offsets)
