"""Large documents, of whose labels a sample decides how all are counted: others are counted as well, or refused."""

from contextlib import nullcontext
from threading import Thread

import numpy as np
import pytest
from test_properties import METRICS, check, oracle_counts

import arraycoref as ac
from alike import alike
from arraycoref.kernels.survey import TILE
from arraycoref.scoring.cells import LARGE as LONG, SAMPLED
from marks import about
from strategies import clusters_of, large

LARGE = 9 * TILE


@pytest.mark.parametrize("key_labels", [3, 6, 7, 200, 10**12])
@pytest.mark.parametrize("response_labels", [5, 6, 300])
def test_labels_that_come_late_in_large_documents(key_labels, response_labels):
    """Most mentions are on no side."""
    rng = np.random.default_rng([key_labels, response_labels])
    labels = np.full((2, LARGE), -1)
    labels[:, :50] = rng.integers(0, 5, (2, 50))
    labels[:, 0] = 5
    for first in (TILE - 50, 2 * TILE + 10, LARGE - 90):
        late = labels[:, first : first + 100]
        late[:, 50:] = rng.integers(-1, [[key_labels], [response_labels]], late[:, 50:].shape)
    rows = oracle_counts(*(clusters_of(side.tolist()) for side in labels))
    for how in (nullcontext, large):
        with about(how.__name__), how():
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


def test_many_entities_late_in_a_document_that_seemed_to_have_few():
    """Some of the labels tell that entities are few, and a table has no room for more."""
    step = -(-LONG // SAMPLED)
    labels = np.full((2, LONG), -1)
    labels[:, ::step] = 3
    unseen = np.flatnonzero(np.arange(LONG) % step)[-6000:]
    labels[:, unseen] = np.arange(4, 6004) // [[1], [2]]
    few = np.flatnonzero(labels[0] >= 0)
    found = ac.score_labels(*labels, metrics=METRICS)
    expected = ac.score_labels(*labels[:, few], metrics=METRICS)
    assert alike([found[name] for name in METRICS], [expected[name] for name in METRICS])


def test_documents_of_any_size_one_after_the_other():
    """A thread keeps the arrays of a call for the next one, and makes larger ones where these are too small."""
    rng = np.random.default_rng(8)
    documents = [rng.integers(-1, n, (2, n)) for n in (40, 3, 5_000, 70, 1, 40_000, 200, 6_000)]
    alone = []
    for labels in documents:  # in a thread each, which has no arrays yet
        thread = Thread(target=lambda labels=labels: alone.append(ac.score_labels(*labels)))
        thread.start()
        thread.join()
    for labels, expected in zip(documents, alone, strict=True):
        found = ac.score_labels(*labels)
        assert alike([found[name] for name in found], [expected[name] for name in expected])
    bounds = np.cumsum([0, *(labels.shape[1] for labels in documents)])
    both = ac.score_labels_batch(*np.concatenate(documents, axis=1), bounds)
    for d, expected in enumerate(alone):
        assert alike([both[d][name] for name in expected], [expected[name] for name in expected])
