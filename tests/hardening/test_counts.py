"""Counts are exact and never wrap; labels and offsets that cannot be are refused at every door."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import arraycoref as ac
import oracle
from arraycoref.scoring.batch import count_documents
from arraycoref.scoring.cells import cells_of
from arraycoref.scoring.clusterings import Clusterings, factorize
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.exact import column_sums
from arraycoref.scoring.metrics.registry import METRICS
from marks import about
from strategies import clusters_of, examples, label_documents, relabelled

LARGEST = 2**31 - 1
"""Mentions that a document may have."""


def links(n):
    return n * (n - 1) // 2


def blocks(table):
    """Return labels with a given contingency table: rows are key entities, columns response entities."""
    rows = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return (np.array(side, np.int64) for side in zip(*rows, strict=True))


def closed_form(table):
    """Count the links of a table in Python's integers."""
    key, response = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    shared = sum(links(n) for row in table for n in row)
    key_links, response_links, everything = sum(map(links, key)), sum(map(links, response)), links(sum(key))
    common = everything - key_links - response_links + shared
    coreference = [shared, key_links, shared, response_links]
    return coreference, [common, everything - key_links, common, everything - response_links]


def test_a_thousand_million_links():
    """One entity against two, and many against many: more than 10^9 links, each counted."""
    for table in ([[50_001, 1], [0, 1]], [[30_000, 20_001], [5, 0]], [[20_000, 7], [11, 30_000], [29_999, 1]]):
        key, response = blocks(table)
        coreference, rest = closed_form(table)
        assert max(coreference) > 10**9 or max(rest) > 10**9
        s = ac.score_labels(key, response, metrics="blanc,pairwise,rand,blanc-gold")
        assert list(map(int, s.counts["blanc"].ravel())) == [*coreference, *rest, *[len(key)] * 4]
        assert list(map(int, s.counts["pairwise"])) == coreference
        assert s["rand"].recall_num == coreference[0] + rest[0]
        swept = ac.sweep(key, [response], metrics="blanc")
        assert swept.counts["blanc"][0, 0].tolist() == s.counts["blanc"].tolist()


def test_cuts_of_a_large_cluster():
    """Merge by merge to one cluster of more than 10^9 links."""
    n = 50_000
    tree = np.zeros((n - 1, 4))
    tree[:, 0] = np.concatenate(([0], np.arange(n, 2 * n - 2)))
    tree[:, 1] = np.arange(1, n)
    tree[:, 2] = np.arange(1, n)
    found = ac.sweep_linkage(np.arange(n) // 25_000, tree, thresholds=[0, n], metrics="pairwise").counts["pairwise"]
    assert found[:, 0].astype(int).tolist() == [
        [0, 2 * links(25_000), 0, 0],
        [2 * links(25_000), 2 * links(25_000), 2 * links(25_000), links(n)],
    ]


def test_what_the_kernel_adds_up_is_exact_before_it_becomes_a_float():
    key, response = blocks([[50_001, 3], [2, 60_000]])
    chunk = cells_of(Clusterings.from_labels(key, response))
    n = chunk.totals
    assert {array.dtype for array in n} == {np.dtype(np.int64)}
    assert [n.key_links[0], n.response_links[0], n.shared_links[0]] == [
        links(50_004) + links(60_002),
        links(50_003) + links(60_003),
        links(50_001) + links(3) + links(2) + links(60_000),
    ]


def test_no_document_can_have_links_that_wrap():
    """The largest document that is let in has fewer than 2^63 links, and so have all intermediate sums."""
    n = LARGEST
    pairs, worst = links(n), n * (n - 1)
    assert max(worst, 2 * pairs, pairs + pairs + pairs) < 2**63
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


@pytest.mark.parametrize("scale", [1.0, 2.0**20, 2.0**45])
@pytest.mark.parametrize("whole", [True, False])
def test_corpus_totals_in_any_order(scale, whole):
    """Exact below 2^53, and rounded once beyond; the order of the documents is never seen."""
    rng = np.random.default_rng(0)
    rows = rng.random((3000, 4)) * scale * 2.0**10
    rows = np.rint(rows) if whole else rows
    found = {column_sums(rows[None, rng.permutation(len(rows))]).tobytes() for _ in range(5)}
    assert len(found) == 1
    for total, column in zip(np.frombuffer(found.pop()), rows.T, strict=True):
        true = sum(map(Fraction, column.tolist()))
        assert abs(Fraction(float(total)) - true) <= Fraction(math.ulp(float(true)))
        if whole and true < 2**53:
            assert total == true


def test_an_accumulator_does_not_wrap():
    """Its sums are float64: beyond 2^53 they are rounded, at 2^63 nothing happens."""
    a = ac.Accumulator("pairwise")
    a.update([0] * 4, [0] * 4)
    a.state[1:] = 2.0**63
    a.update([0] * 4, [0] * 4)
    assert (a.state[1:] >= 2.0**63).all()
    assert a.compute()["pairwise"].f1 == 1.0


# -- offsets -----------------------------------------------------------------------------------------------------------

N = 6
LABELS = np.array([0, 0, 1, -1, 1, 2])
BAD_OFFSETS = {
    "decrease": [0, 4, 3, N],
    "overlap": [0, 5, 2, 5, N],
    "pass the end": [0, 3, N + 1],
    "stop short": [0, 3],
    "start late": [1, N],
    "start before": [-1, N],
    "wrap": np.array([0, 2**63 + 3, N], np.uint64),
    "far": [0, 2**62, N],
    "none": [],
    "a number": 3,
    "fractions": [0.0, float(N)],
    "nested": [[0, N]],
}
PAIRS = np.array([[0, 1], [1, 2]])
DOORS = {
    "score_labels_batch": lambda offsets: ac.score_labels_batch(LABELS, LABELS, offsets),
    "in threads": lambda offsets: ac.score_labels_batch(LABELS, LABELS, offsets, threads=2),
    "sweep": lambda offsets: ac.sweep(LABELS, [LABELS], offsets),
    "sweep_linkage": lambda offsets: ac.sweep_linkage(LABELS, [], [0.5], offsets),
    "sweep_pairs": lambda offsets: ac.sweep_pairs(LABELS, PAIRS, [0.5, 0.5], [0.1], offsets),
    "sweep_antecedents": lambda offsets: ac.sweep_antecedents(LABELS, [-1] * N, [0.5] * N, [0.1], offsets),
    "Accumulator": lambda offsets: ac.Accumulator().update(LABELS, LABELS, offsets),
    "Clusterings": lambda offsets: Clusterings.from_labels(LABELS, LABELS, offsets),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=list(DOORS))
def test_bad_offsets(door):
    for name, offsets in BAD_OFFSETS.items():
        with about(name), pytest.raises(ac.InputError, match="offsets"):
            door(offsets)


BAD_LABELS = [
    [0, 1, -2],
    [0.5, 1.0, 2.0],
    [[0, 1, 2]],
    ["a", "b", 1],
    [0, 1, float("inf")],
    [0, 1, 1j],
    [0, 1],
    np.array([0, 1, -(2**63)]),
]


@pytest.mark.parametrize("labels", BAD_LABELS, ids=str)
@pytest.mark.parametrize("side", [0, 1])
def test_bad_labels(labels, side):
    good = [0, 0, 1]
    sides = (labels, good) if side == 0 else (good, labels)
    with pytest.raises(ac.InputError):
        ac.score_labels(*sides)
    if np.ndim(labels) == 1:
        with pytest.raises(ac.InputError):
            ac.sweep(sides[0], [sides[1]])


@pytest.mark.parametrize("dtype", ["<u8", ">u8"])
def test_labels_past_2_to_the_63(dtype):
    """Ids that do not fit int64 are numbered, or refused: none becomes -1, which means absent."""
    labels = np.array([2**64 - 1, 2**64 - 1, 2**63, 5], dtype)
    s = ac.score_labels(labels, [0, 0, 1, 2])
    assert s["muc"].f1 == s.conll == 1.0
    swept = ac.sweep([0, 0, 1, 2], np.stack([labels, labels[::-1]]))
    assert swept["muc"].f1.tolist() == [1.0, ac.score_labels([0, 0, 1, 2], [5, 4, 3, 3])["muc"].f1]


# -- nothing depends on the order, the threads, the chunks or the machine ----------------------------------------------

DTYPES = ["i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8"]


@given(st.lists(label_documents(), min_size=1, max_size=6), st.data())
@examples(0.5)
def test_corpus_scores_are_the_same_to_the_bit(documents, data):
    """Under another order of documents, number of threads, size of chunks, byte order, width and stride."""
    metrics = [name for name in METRICS if not METRICS[name].gold_mentions]

    def score(order, dtype="<i8", stride=1, threads=1):
        key, response = ([x for d in order for x in documents[d][side]] for side in range(2))
        offsets = np.cumsum([0, *(len(documents[d][0]) for d in order)])
        spread = (np.array(side, dtype).repeat(stride)[::stride] for side in (key, response))
        return ac.score_labels_batch(*spread, offsets.astype(dtype), metrics=metrics, threads=threads)

    plain = score(range(len(documents)))
    order = data.draw(st.permutations(range(len(documents))))
    other = score(order, data.draw(st.sampled_from(DTYPES)), data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3)))
    for metric in plain.counts:
        assert other.corpus.counts[metric].tolist() == plain.corpus.counts[metric].tolist()
        assert other.counts[metric].tolist() == plain.counts[metric][list(order)].tolist()


@pytest.mark.parametrize("chunk", [1, 7, 100, 10**9])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_chunks(chunk, threads):
    rng = np.random.default_rng(1)
    key, response = rng.integers(-1, 6, (2, 3000))
    offsets = [0, *np.sort(rng.integers(0, 3000, 99)).tolist(), 3000]
    clusterings = Clusterings.from_labels(key, response, offsets)
    metrics = [metric for metric in METRICS.values() if metric.counter and not metric.gold_mentions]
    whole = count_documents(clusterings, metrics)
    cut = count_documents(clusterings, metrics, threads=threads, chunk=chunk)
    assert cut.rows.tobytes() == whole.rows.tobytes()


@given(label_documents(), st.data())
@examples(0.3)
def test_neither_labels_nor_their_seed_show(document, data):
    """Any other distinct labels, and any order of the hash, give the same counts; they are the oracle's."""
    from arraycoref.scoring import clusterings

    key, response = (data.draw(relabelled(labels)) for labels in document)
    seed = clusterings.LABEL_SEED
    try:
        clusterings.LABEL_SEED = np.uint64(data.draw(st.integers(0, 2**64 - 1)))
        s = ac.score_labels(key, response, metrics="bcub,muc")
    finally:
        clusterings.LABEL_SEED = seed
    for name in ("muc", "bcub"):
        exact = oracle.LINEAR[name](clusters_of(document[0]), clusters_of(document[1]))
        assert s.counts[name].tolist() == pytest.approx([float(value) for value in exact], abs=1e-12)


@pytest.mark.parametrize("n_documents", [1, 3])
def test_one_scored_document_has_its_own_sums(n_documents):
    """To the last bit, in a sweep or beside documents that were not scored, as where it is scored by itself."""
    sums = np.random.default_rng(1).random((2, 9, 4)) / 3
    rows = np.full((2, n_documents, 9, 4), np.nan)
    rows[:, 0] = sums
    names = ("mentions", "muc", "bcub", "ceafm", "ceafe", "lea", "pairwise", "ari", "rand")
    assert Counts(None, names, rows).total().rows.tobytes() == sums.tobytes()
