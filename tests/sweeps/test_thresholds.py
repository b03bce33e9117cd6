"""Cuts of dendrograms against scipy's fcluster and against components found by hand."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

import arraycoref as ac
from arraycoref.scoring.metrics.registry import METRICS
from arraycoref.sweeps import sweep_antecedents, sweep_linkage, sweep_pairs
from marks import cases
from strategies import examples

ALL = [name for name, metric in METRICS.items() if not metric.gold_mentions]
METHODS = ["single", "complete", "average", "weighted", "centroid", "median", "ward"]


def agree(found, batch, what=""):
    for metric, counts in batch.counts.items():
        np.testing.assert_allclose(found.counts[metric], counts, rtol=1e-12, atol=1e-12, err_msg=f"{metric} {what}")


def cut(tree, threshold, n):
    return fcluster(tree, threshold, "distance") if n > 1 and np.isfinite(threshold) else np.arange(n)


# a few random points may look like a distance matrix to scipy, which then says so
@pytest.mark.filterwarnings("ignore::scipy.cluster.hierarchy.ClusterWarning")
@examples()
@given(st.integers(2, 30), st.sampled_from(METHODS), st.booleans(), st.integers(0, 2**32))
def test_every_cut_is_that_of_fcluster(n, method, ties, seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (n, 2)).astype(float) if ties else rng.normal(size=(n, 2))
    key = rng.integers(-1, max(1, n // 3), n)
    tree = linkage(points, method)
    found = sweep_linkage(key, tree, metrics=ALL)
    heights = {setting["threshold"] for setting in found.settings}
    assert -np.inf in heights
    for batch, setting in zip(found, found.settings, strict=True):
        labels = cut(tree, setting["threshold"], n)
        agree(batch, ac.score_labels_batch(key, labels, [0, n], metrics=ALL), setting)


@pytest.mark.parametrize("singletons", ["keep", "drop"])
@pytest.mark.parametrize("threads", [1, 2])
def test_thresholds_in_any_order_over_documents(singletons, threads):
    rng = np.random.default_rng(1)
    sizes = [30, 1, 0, 2, 25]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    key = rng.integers(-1, 5, offsets[-1])
    trees = [linkage(rng.normal(size=(n, 2)), "average") if n > 1 else np.empty((0, 4)) for n in sizes]
    thresholds = [1.0, 0.2, 5.0, 0.01, 0.5]
    present = rng.random(offsets[-1]) < 0.9
    options = {"singletons": singletons, "metrics": ALL}
    found = sweep_linkage(key, trees, thresholds, offsets, present=present, threads=threads, **options)
    assert [setting["threshold"] for setting in found.settings] == thresholds
    for batch, threshold in zip(found, thresholds, strict=True):
        labels = np.concatenate([cut(tree, threshold, n) for tree, n in zip(trees, sizes, strict=True)])
        labels = np.where(present, labels, -1)
        agree(batch, ac.score_labels_batch(key, labels, offsets, **options), threshold)


def test_rounding_does_not_grow_with_the_number_of_merges():
    rng = np.random.default_rng(2)
    n = 4000
    key = rng.integers(0, 700, n)
    tree = linkage(rng.normal(size=(n, 1)) + key[:, None], "single")
    found = sweep_linkage(key, tree)
    assert len(found) == n
    for position in range(0, n, 500):
        batch = ac.score_labels_batch(
            key, cut(tree, found.settings[position]["threshold"], n), [0, n], metrics=found.metrics
        )
        for metric, counts in batch.counts.items():
            np.testing.assert_allclose(found[position].counts[metric], counts, rtol=4e-15, err_msg=metric)


def test_gold_metrics():
    tree = linkage(np.array([[0.0], [1.0], [5.0]]))
    found = sweep_linkage([0, 0, 1], tree, [2.0], metrics="rand,blanc-gold")
    assert found["rand"].f1.tolist() == [1.0]
    with pytest.raises(ac.InputError, match="gold mentions"):
        sweep_linkage([0, 0, -1], tree, [2.0], metrics="rand")


@pytest.mark.parametrize(
    ("tree", "options", "message"),
    [
        (np.zeros((3, 4)), {}, r"shape \(3, 4\).*expected numbers, \(2, 4\)"),
        ([[0, 1, 0.5, 2], [0, 2, 1.0, 3]], {}, "row 1 merges clusters 0 and 2"),
        ([[0, 1, 0.5, 2], [4, 2, 1.0, 3]], {}, "row 1 merges clusters 4"),
        ([[0, 1, np.nan, 2], [2, 3, 1.0, 3]], {}, "row 0 has no distance"),
        ([[0, 1, 0.5, 2], [2, 3, 1.0, 3]], {"thresholds": [0.5, 0.5]}, "0.5 appears twice"),
        ([[0, 1, 0.5, 2], [2, 3, 1.0, 3]], {"thresholds": [np.nan]}, "expected numbers"),
        ([[0, 1, 0.5, 2], [2, 3, 1.0, 3]], {"thresholds": ["a"]}, "thresholds"),
        ([[0, 1, 0.5, 2], [2, 3, 1.0, 3]], {"present": [1, 1, 1]}, "expected booleans"),
        ([[0, 1, 0.5, 2], [2, 3, 1.0, 3]], {"offsets": [0, 1, 3]}, "linkage matrices for 2 documents"),
        ([[], [[0, 1, 0.5, 2]]], {"offsets": [0, 1, 3]}, "no thresholds for 2 documents"),
    ],
)
def test_bad_linkages(tree, options, message):
    if message.startswith("linkage matrices"):
        tree = np.array(tree)
    with pytest.raises(ac.InputError, match=message):
        sweep_linkage([0, 0, 1], tree if "2 documents" in message else np.array(tree), **options)


def components(n, links):
    """Label by brute force: merge until nothing changes."""
    labels = list(range(n))
    for a, b in links:
        old, new = labels[a], labels[b]
        labels = [new if label == old else label for label in labels]
    return labels


@examples()
@given(st.integers(1, 12), st.data())
def test_pairs(n, data):
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.1, 0.2, 0.5, 0.9, -np.inf]))
    pairs = data.draw(st.lists(pair, max_size=25))
    key = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)))
    links = np.array([p[:2] for p in pairs], np.int64).reshape(-1, 2)
    scores = np.array([p[2] for p in pairs])
    found = sweep_pairs(key, links, scores, metrics=ALL)
    assert found.settings[0] == {"threshold": np.inf}
    for batch, setting in zip(found, found.settings, strict=True):
        linked = [p[:2] for p in pairs if p[2] >= setting["threshold"] and p[2] > -np.inf]
        agree(batch, ac.score_labels_batch(key, components(n, linked), [0, n], metrics=ALL), setting)


def test_pairs_of_documents():
    key, offsets = np.array([0, 0, 1, 0, 0, 1]), [0, 3, 6]
    found = sweep_pairs(key, ([0, 3, 1], [1, 4, 2]), [0.9, 0.5, 0.2], [0.6, 0.1], offsets, names=["a", "b"])
    agree(found[0], ac.score_labels_batch(key, [0, 0, 1, 2, 3, 4], offsets, metrics=found.metrics))
    agree(found[1], ac.score_labels_batch(key, [0, 0, 0, 2, 2, 4], offsets, metrics=found.metrics))
    assert found.document_names == ("a", "b")
    for pairs, scores, message in [
        ([[0, 3]], [1.0], "mentions of two documents"),
        ([[0, 6]], [1.0], "expected mentions from 0 to 5"),
        ([[0, 1]], [np.nan], "score nan"),
        ([[0, 1]], [1.0, 2.0], "shapes"),
        ([[0, 1, 2]], [1.0], r"expected \(E, 2\)"),
        ([[0.0, 1.0]], [1.0], "dtypes"),
    ]:
        with pytest.raises(ac.InputError, match=message):
            sweep_pairs(key, np.array(pairs), scores, [0.5], offsets)


def test_antecedents_by_score():
    key = np.array([0, 0, 1, 0, 0, 1])
    found = sweep_antecedents(key, [-1, 0, 1, -1, 0, 2], [9, 0.8, 0.3, 9, 0.6, 9], [0.7, 0.2], [0, 3, 6])
    agree(found[0], ac.score_labels_batch(key, [0, 0, 1, 2, 3, 4], [0, 3, 6], metrics=found.metrics))
    agree(found[1], ac.score_labels_batch(key, [0, 0, 0, 2, 2, 4], [0, 3, 6], metrics=found.metrics))
    with pytest.raises(ac.InputError, match="antecedent 3; expected -1 or a mention from 0 to 2"):
        sweep_antecedents(key, [3, 0, 1, -1, 0, 2], np.ones(6), [0.5], [0, 3, 6])
    for antecedents, scores, bounds in (([-1] * 6, [1] * 5, None), ([-1] * 5, [1] * 5, None), ([-1], [1], [0, 6])):
        with pytest.raises(ac.InputError, match=r"antecedents have shape .*; expected \(6,\) each, one per mention"):
            sweep_antecedents(key, antecedents, scores, [0.5], bounds)
    with pytest.raises(ac.InputError, match="mention 4 has score nan"):
        sweep_antecedents(key, [-1, 0, 1, -1, 0, 2], [np.nan, 0.8, 0.3, np.nan, np.nan, 9], [0.5], [0, 3, 6])


RAGGED = [[0, 1, 0.5, 2], [2, 3]]


@cases("key", [[0, 0], [0], []])
@cases("tree", [RAGGED, [RAGGED, [[0, 1]]], 5, None, "ab", {1: 2}, [[0, 1, "x", 2]], [[0, 2**70, 0.5, 2]]])
def test_what_is_no_linkage(key, tree):
    for sides in ((key, tree), ([*key, *key, 0, 0], tree, [0.5], [0, len(key), 2 * len(key) + 2])):
        with pytest.raises(ac.InputError, match="linkage"):
            sweep_linkage(*sides)


def test_scores_and_thresholds_of_other_libraries():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    expected = sweep_pairs([7, 7, 8], [[0, 1], [1, 2]], [0.9, 0.2], [0.1, 0.5], metrics="muc")
    scores, thresholds = polars.Series([0.9, 0.2]), pyarrow.array([0.1, 0.5])
    found = sweep_pairs(polars.Series([7, 7, 8]), [[0, 1], [1, 2]], scores, thresholds, metrics="muc")
    assert np.array_equal(found.sums, expected.sums)
    for first in (0.9, 9):
        with pytest.raises(ac.InputError, match="pair 1 has score nan"):
            sweep_pairs([7, 7, 8], [[0, 1], [1, 2]], polars.Series([first, None]))
    whole = polars.Series([None, 9, None])
    assert len(sweep_antecedents([7, 7, 8], [-1, 0, -1], whole)) == 2
    with pytest.raises(ac.InputError, match="mention 2 has score nan"):
        sweep_antecedents([7, 7, 8], [-1, 0, 1], whole)


def test_read_only_arrays_compile_nothing_anew():
    """As columns of pandas and files mapped to memory are; each kernel would be compiled once more, for seconds."""
    from arraycoref.kernels import links as kernels

    tree, present = np.array([[0, 1, 0.5, 2], [2, 3, 2.0, 3]]), np.array([True, True, False])
    counts = []
    for _ in range(2):
        sweep_linkage([0, 0, 1], tree, present=present, metrics="muc,ceafe")
        followed = (kernels.leaf_merges, kernels.follow_merges, kernels.merged_labels)
        counts.append([len(getattr(kernel, "signatures", [])) for kernel in followed])
        tree.flags.writeable = present.flags.writeable = False
    assert counts[0] == counts[1]


def test_no_threshold_comes_twice():
    """Infinite scores and distances are linked by the first threshold, from which they do not differ."""
    pairs = sweep_pairs([7, 7, 8], [[0, 1], [1, 2]], [np.inf, 0.2], metrics="muc")
    assert pairs.settings == ({"threshold": np.inf}, {"threshold": 0.2})
    assert pairs["muc"].recall.tolist() == [1.0, 1.0]
    cuts = sweep_linkage([7, 7, 8], [[0, 1, -np.inf, 2], [2, 3, 2.0, 3]], metrics="muc")
    assert cuts.settings == ({"threshold": -np.inf}, {"threshold": 2.0})
    with pytest.raises(ac.InputError, match=r"9007199254740992\.0 appears twice"):
        sweep_linkage([0, 0, 1], [[0, 1, 0.5, 2], [2, 3, 1.0, 3]], [2**53, 2**53 + 1])


def test_series_of_other_indices_are_not_taken_by_position():
    pandas = pytest.importorskip("pandas")
    first, second, scores = (pandas.Series(each) for each in ([0, 1], [1, 2], [0.9, 0.2]))
    expected = sweep_pairs([7, 7, 8], [[0, 1], [1, 2]], [0.9, 0.2])
    assert sweep_pairs([7, 7, 8], (first, second), scores) == expected
    links = pandas.Series([-1, 0, 1], index=["a", "b", "c"])
    assert sweep_antecedents([7, 7, 8], links, [0, 0.9, 0.2]) == expected
    other = pandas.Series([0.2, 0.9, 0.0], index=["c", "b", "a"])
    for call, message in (
        (lambda: sweep_pairs([7, 7, 8], (first, second[::-1]), scores), r"pairs\[0\] and pairs\[1\] have different"),
        (lambda: sweep_pairs([7, 7, 8], (first, second), scores[::-1]), r"pairs\[0\] and scores have different"),
        (lambda: sweep_antecedents([7, 7, 8], links, other), "antecedents and scores have different indices"),
        (lambda: sweep_antecedents(other.astype(int), links, [0, 0.9, 0.2]), "key and antecedents have different"),
        (lambda: sweep_linkage(other.astype(int), [[0, 1, 0.5, 2]], present=links >= 0), "key and present have"),
    ):
        with pytest.raises(ac.InputError, match=message):
            call()
