"""Large documents, whose first labels decide how the others are looked at: what comes late is counted, or refused."""

import numpy as np
import pytest

import arraycoref as ac
from arraycoref.kernels.survey import SAMPLED, TILE
from marks import about
from strategies import clusters_of
from test_properties import METRICS, check, oracle_counts

LARGE = SAMPLED + TILE


@pytest.mark.parametrize("key_labels", [3, 6, 7, 200, 10**12])
@pytest.mark.parametrize("response_labels", [5, 6, 300])
def test_labels_that_come_late_in_large_documents(key_labels, response_labels, monkeypatch):
    """What the first few thousand labels show decides how the others are looked at. Most mentions are on no side."""
    rng = np.random.default_rng([key_labels, response_labels])
    labels = np.full((2, LARGE), -1)
    labels[:, :50] = rng.integers(0, 5, (2, 50))
    labels[:, 0] = 5
    for first in (TILE - 50, 2 * TILE + 10, LARGE - 90):
        late = labels[:, first : first + 100]
        late[:, 50:] = rng.integers(-1, [[key_labels], [response_labels]], late[:, 50:].shape)
    rows = oracle_counts(*(clusters_of(side.tolist()) for side in labels))
    for page_by_page in (False, True):
        if page_by_page:
            monkeypatch.setattr("arraycoref.batch.LARGE", 0)
            monkeypatch.setattr("arraycoref.batch.FEW", 1)
        with about(f"page by page: {page_by_page}"):
            check(ac.score_labels(*labels, metrics=METRICS), rows)
            both = ac.score_labels_batch(*np.tile(labels, 2), [0, LARGE, 2 * LARGE], metrics=METRICS)
            for d in (0, 1):
                check(both[d], rows)


@pytest.mark.parametrize("place", [0, TILE, LARGE - 1])
@pytest.mark.parametrize("side", ["key", "response"])
def test_a_bad_label_late_in_a_large_document(side, place):
    labels = {"key": np.zeros(LARGE, np.int64), "response": np.zeros(LARGE, np.int64)}
    labels[side][place] = -2
    with pytest.raises(ac.InputError, match=f"{side} label -2 of mention {place} in document 0"):
        ac.score_labels(**labels)
