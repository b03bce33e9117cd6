"""Counts are exact and never wrap; labels and offsets that cannot be are refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
from arraycoref.scoring.cells import cells_of
from arraycoref.scoring.clusterings import Clusterings, factorize
from arraycoref.scoring.metrics.registry import METRICS
from marks import cases
from strategies import examples, label_documents

LARGEST = 2**31 - 1
"""Mentions that a document may have."""


def links(n):
    return n * (n - 1) // 2


def test_no_document_can_have_links_that_wrap():
    """The largest document that is let in has fewer than 2^63 links, and so have all intermediate sums."""
    assert 3 * links(LARGEST) < 2**63
    labels = np.broadcast_to(np.int64(0), (LARGEST + 1,))
    with pytest.raises(ac.InputError, match=r"a document has 2147483648 mentions; expected at most 2\^31 - 1"):
        factorize(labels, "key", np.array([0, LARGEST + 1]), [0])


@pytest.mark.parametrize("together", [True, False])
def test_metrics_of_the_largest_document(together):
    """From totals as the kernel would write them, of one entity or of singletons on both sides: nothing wraps."""
    one = cells_of(Clusterings.from_labels([0], [0]))
    linked = links(LARGEST) if together else 0
    totals = np.array([*[LARGEST] * 3, *[linked] * 5, 0, 1, 1, 1])[:, None]
    largest = replace(one, totals=type(one.totals)(*totals))
    blanc = [[linked] * 4, [links(LARGEST) - linked] * 4, [LARGEST] * 4]
    assert METRICS["blanc"].count(largest).tolist() == [[list(map(float, group)) for group in blanc]]
    assert METRICS["rand"].count(largest).tolist() == [[float(links(LARGEST))] * 4]
    assert METRICS["pairwise"].count(largest).tolist() == [[float(linked)] * 4]
    assert METRICS["mentions"].count(largest).tolist() == [[float(LARGEST)] * 4]


N = 6
LABELS = np.array([0, 0, 1, -1, 1, 2])
BAD_OFFSETS = {
    "decrease": [0, 4, 3, N],
    "pass the end": [0, 3, N + 1],
    "stop short": [0, 3],
    "start late": [1, N],
    "wrap": np.array([0, 2**63 + 3, N], np.uint64),
}


@cases("offsets", BAD_OFFSETS)
def test_bad_offsets(offsets):
    with pytest.raises(ac.InputError, match="offsets"):
        ac.score_labels_batch(LABELS, LABELS, offsets)


def test_labels_past_2_to_the_63():
    """Ids that do not fit int64 are numbered: none becomes -1, which means absent."""
    labels = np.array([2**64 - 1, 2**64 - 1, 2**63, 5], ">u8")
    s = ac.score_labels(labels, [0, 0, 1, 2])
    assert s["muc"].f1 == s.conll == 1.0


DTYPES = ["i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8"]


@given(st.lists(label_documents(), min_size=1, max_size=6), st.data())
@examples(0.5)
def test_documents_have_the_same_counts_to_the_bit(documents, data):
    """Under another order of documents, number of threads, byte order, width and stride."""
    metrics = [name for name in METRICS if not METRICS[name].gold_mentions]

    def score(order, dtype="<i8", stride=1, threads=1):
        key, response = ([x for d in order for x in documents[d][side]] for side in range(2))
        offsets = np.cumsum([0, *(len(documents[d][0]) for d in order)])
        spread = (np.array(side, dtype).repeat(stride)[::stride] for side in (key, response))
        return ac.score_labels_batch(*spread, offsets.astype(dtype), metrics=metrics, threads=threads)

    plain = score(range(len(documents)))
    order = data.draw(st.permutations(range(len(documents))))
    other = score(order, data.draw(st.sampled_from(DTYPES)), data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3)))
    np.testing.assert_array_equal(other.counts.rows, plain.counts.rows[list(order)])
    np.testing.assert_allclose(other.counts.total().rows, plain.counts.total().rows, rtol=1e-14)
