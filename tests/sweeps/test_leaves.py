"""Dendrograms over a system's own mentions, against the ordinary batch on the clusters of each cut."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

import arraycoref as ac
from arraycoref.scoring.metrics.registry import METRICS
from strategies import clusters_of, examples

ALL = [name for name, metric in METRICS.items() if not metric.gold_mentions]
THRESHOLDS = [0.3, -np.inf, 2.5, 1.0]


def agree(found, batch, what=""):
    assert found.names == batch.names
    for metric, counts in batch.counts.items():
        np.testing.assert_allclose(found.counts[metric], counts, rtol=1e-12, atol=1e-12, err_msg=f"{metric} {what}")


def cut(tree, threshold, mentions):
    """Cluster a document's mentions as scipy cuts the tree."""
    n = len(mentions)
    labels = fcluster(tree, threshold, "distance") if n > 1 and np.isfinite(threshold) else range(n)
    return clusters_of(labels, mentions)


def linked(pairs, scores, threshold, mentions):
    """Cluster by hand: merge until nothing changes."""
    labels = list(range(len(mentions)))
    for (a, b), score in zip(pairs, scores, strict=True):
        if score >= threshold:
            labels = [labels[a] if label == labels[b] else label for label in labels]
    return clusters_of(labels, mentions)


@st.composite
def corpora(draw):
    """Draw a key, and a system's mentions and dendrogram in each document: some of the key's, and others."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    key, mentions, trees = {}, {}, {}
    for d in range(draw(st.integers(1, 4))):
        n = draw(st.integers(0, 8))
        spans = [(start, start + 1) for start in range(n)]
        key[f"d{d}"] = clusters_of(rng.integers(0, max(1, n // 2), n), spans)
        found = [span for span in spans if rng.random() < 0.6]
        found += [(100 + i, 200) for i in range(draw(st.integers(0, 4)))]
        mentions[f"d{d}"] = [found[i] for i in rng.permutation(len(found))]
        points = rng.normal(size=(len(found), 2))
        trees[f"d{d}"] = linkage(points, "average") if len(found) > 1 else np.empty((0, 4))
    return key, mentions, trees


# a few random points may look like a distance matrix to scipy, which then says so
@pytest.mark.filterwarnings("ignore::scipy.cluster.hierarchy.ClusterWarning")
@examples()
@given(corpora(), st.sampled_from(["keep", "drop"]), st.randoms(use_true_random=False))
def test_every_cut_is_scored_as_its_clusters_are(corpus, singletons, random):
    key, mentions, trees = corpus
    shuffled = dict(random.sample(list(mentions.items()), len(mentions)))
    options = {"metrics": ALL, "singletons": singletons}
    found = ac.sweep_linkage(key, trees, THRESHOLDS, mentions=shuffled, **options)
    for batch, threshold in zip(found, THRESHOLDS, strict=True):
        response = {name: cut(trees[name], threshold, mentions[name]) for name in key}
        agree(batch, ac.score_batch(key, response, **options), threshold)


@examples()
@given(corpora(), st.data())
def test_linked_pairs_are_scored_as_their_components_are(corpus, data):
    key, mentions, _ = corpus
    pairs, scores = {}, {}
    for name, found in mentions.items():
        leaf = st.integers(0, max(0, len(found) - 1))
        pairs[name] = data.draw(st.lists(st.tuples(leaf, leaf), max_size=12 if found else 0))
        scores[name] = data.draw(st.lists(st.sampled_from([0.3, 1.0, 2.0]), min_size=len(pairs[name]), max_size=12))
        scores[name] = scores[name][: len(pairs[name])]
    found = ac.sweep_pairs(key, pairs, scores, THRESHOLDS, mentions=mentions, metrics=ALL)
    for batch, threshold in zip(found, THRESHOLDS, strict=True):
        response = {name: linked(pairs[name], scores[name], threshold, mentions[name]) for name in key}
        agree(batch, ac.score_batch(key, response, metrics=ALL), threshold)


def test_every_cut_of_one_document():
    key, mentions = [["a", "b", "c"], ["d"], ["e", "f"]], ["x", "c", "e", "a", "d"]
    tree = linkage(np.array([[0.0], [1.0], [1.5], [4.0], [4.1]]))
    found = ac.sweep_linkage(key, tree, mentions=mentions, metrics=ALL)
    assert len(found) == 5
    for batch, setting in zip(found, found.settings, strict=True):
        agree(batch, ac.score_batch([key], [cut(tree, setting["threshold"], mentions)], metrics=ALL))
    alone = found[0]["mentions"]
    assert (alone.recall, alone.precision) == (4 / 6, 4 / 5)


def test_antecedents_of_mentions():
    key, mentions = {"one": [["a", "b"], ["c"]], "two": [["d", "e"]]}, {"two": ["e", "x", "d"], "one": ["b", "a"]}
    antecedents, scores = {"one": [-1, 0], "two": [-1, 0, 0]}, {"one": [0, 0.9], "two": [9, 0.2, 0.6]}
    found = ac.sweep_antecedents(key, antecedents, scores, [0.8, 0.5], mentions=mentions, metrics=ALL)
    one = [["b", "a"]]
    agree(found[0], ac.score_batch(key, {"one": one, "two": [["e"], ["x"], ["d"]]}, metrics=ALL))
    agree(found[1], ac.score_batch(key, {"one": one, "two": [["e", "d"], ["x"]]}, metrics=ALL))
    for wrong, message in (
        ({"antecedents": [-1, 0, -1, 0, 0]}, "antecedents is no mapping from names of documents"),
        ({"scores": [0.0] * 5}, "scores is no mapping from names of documents"),
        ({"scores": {"one": [0, 0.9]}}, "document 'two' is in scores or mentions only"),
        ({"antecedents": {**antecedents, "two": [-1, 0, 3]}}, "document 'two': mention 2 has antecedent 3"),
        ({"antecedents": {**antecedents, "two": [-1, 0]}}, "document 'two': antecedents have shape"),
        ({"scores": {**scores, "two": [9, 0.2, None]}}, "document 'two': "),
    ):
        given = {"antecedents": antecedents, "scores": scores, **wrong}
        with pytest.raises(ac.InputError, match=message):
            ac.sweep_antecedents(key, **given, thresholds=[0.5], mentions=mentions)


PAIR = [[0, 1, 0.5, 2]]
KEY, LEAVES = {"one": [["a", "b"], ["c"]], "two": [["d", "e"]]}, {"one": ["a", "b"], "two": ["e", "d"]}


def test_documents_on_one_side():
    part, trees = {"one": LEAVES["one"], "three": ["z", "y"]}, {"one": PAIR, "three": PAIR}
    with pytest.raises(ac.DocumentMismatchError, match=r"mentions: the response lacks 1 of 2 documents \('two'\)"):
        ac.sweep_linkage(KEY, trees, [1.0], mentions=part)
    for missing in ("empty", "skip"):
        options = {"missing_documents": missing, "extra_documents": "ignore", "metrics": ALL}
        found = ac.sweep_linkage(KEY, trees, [1.0, 0.1], mentions=part, **options)
        assert found.document_names == ("one", "two")
        assert found.scored.tolist() == [[True, missing == "empty"]] * 2
        response = {"one": [["a", "b"]], "three": [["z", "y"]]}
        agree(found[0], ac.score_batch(KEY, response, **options))
    assert "muc" in ac.sweep_linkage(KEY, trees, [1.0], mentions=part, profile="conll")


def test_sweeps_of_other_mentions_have_the_same_key():
    trees = {"one": PAIR, "two": PAIR}
    first = ac.sweep_linkage(KEY, trees, [1.0], mentions=LEAVES)
    second = ac.sweep_linkage(KEY, trees, [2.0], mentions={"one": ["c", "x"], "two": ["y", "d"]})
    labelled = ac.sweep(KEY, [{"one": [["a", "b"]], "two": [["d", "e"]]}], metrics=first.metrics)
    assert len(first + second + labelled) == 3
    with pytest.raises(ac.InputError, match="another key"):
        first + ac.sweep_linkage({**KEY, "one": [["a", "c"], ["b"]]}, trees, [2.0], mentions=LEAVES)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"mentions": {"one": ["a", "a"], "two": ["e", "d"]}}, ac.DuplicateMentionError, "'a' is leaf 0 and leaf 1"),
        ({"mentions": {**LEAVES, "one": ["a"]}}, ac.InputError, r"linkage of document 'one' has shape \(1, 4\)"),
        ({"mentions": {**LEAVES, "one": "ab"}}, ac.InputError, "mentions of document 'one' is 'ab'"),
        ({"mentions": {**LEAVES, "one": {"a", "b"}}}, ac.InputError, "mentions of document 'one' is {.*in their order"),
        ({"mentions": {**LEAVES, "one": [{}, "b"]}}, ac.InputError, "not hashable"),
        ({"mentions": ["a", "b"]}, ac.InputError, "expected both or neither"),
        ({"linkage": [PAIR, PAIR]}, ac.InputError, "linkage is no mapping from names of documents"),
        ({"linkage": {"one": PAIR}}, ac.InputError, "document 'two' is in linkage or mentions only"),
        (
            {"linkage": {"1": PAIR, 1: PAIR}},
            ac.InputError,
            "linkage has two documents named '1'; expected unique",
        ),
        (
            {"linkage": {"one": PAIR, "two": PAIR, "six": PAIR}},
            ac.InputError,
            "document 'six' is in linkage or mentions only",
        ),
        ({"mentions": None}, ac.InputError, "key is a mapping; expected labels, or mentions="),
        ({"offsets": [0, 1, 2]}, ac.InputError, "offsets was given beside mentions"),
        ({"present": [True]}, ac.InputError, "present was given beside mentions"),
        ({"names": ["x", "y"]}, ac.InputError, "names was given beside mentions"),
        ({"key": {"one": [["a"], ["a"]], "two": []}}, ac.DuplicateMentionError, "key of document 'one'"),
        ({"thresholds": None}, ac.InputError, "no thresholds for 2 documents"),
    ],
)
def test_what_does_not_fit(changes, error, message):
    given = {"key": KEY, "linkage": {"one": PAIR, "two": PAIR}, "thresholds": [1.0], "mentions": LEAVES}
    with pytest.raises(error, match=message):
        ac.sweep_linkage(**{**given, **changes})


def test_pairs_name_the_document():
    for pairs, message in (([[0, 2]], "document 'two': pair 0 is"), ([[0, 1, 2]], "document 'two': pairs have shape")):
        with pytest.raises(ac.InputError, match=message):
            ac.sweep_pairs(KEY, {"one": [], "two": pairs}, {"one": [], "two": [1.0]}, [0.5], mentions=LEAVES)


def test_spans_of_an_array():
    spans = np.array([[3, 4], [0, 1]])
    found = ac.sweep_linkage([[(0, 1), [3, 4]]], PAIR, [1.0], mentions=spans, metrics="muc")
    assert found["muc"].f1.tolist() == [1.0]


@pytest.mark.parametrize("singletons", ["keep", "drop"])
def test_label_arrays_whose_absent_mentions_have_no_leaf(singletons):
    rng = np.random.default_rng(3)
    sizes = [12, 5, 0, 1, 20]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    key = rng.integers(-1, 5, offsets[-1])
    present = rng.random(offsets[-1]) < 0.6
    leaves = [np.flatnonzero(present[first:end]) for first, end in itertools.pairwise(offsets)]
    trees = [linkage(rng.normal(size=(p.size, 2))) if p.size > 1 else np.empty((0, 4)) for p in leaves]
    options = {"singletons": singletons, "metrics": ALL}
    found = ac.sweep_linkage(key, trees, THRESHOLDS, offsets, present=present, **options)
    for batch, threshold in zip(found, THRESHOLDS, strict=True):
        labels = np.full(key.size, -1)
        for first, part, tree in zip(offsets, leaves, trees, strict=False):
            for label, cluster in enumerate(cut(tree, threshold, part.tolist())):
                labels[first + np.array(cluster)] = label
        agree(batch, ac.score_labels_batch(key, labels, offsets, **options), threshold)
    with pytest.raises(ac.InputError, match=r"linkage of document 0 has shape \(3, 4\)"):
        ac.sweep_linkage(key[:12], np.zeros((3, 4)), present=present[:12])


def test_no_documents_and_documents_without_mentions():
    for metrics in (ALL, "ceafe,blanc"):
        nothing = ac.sweep_linkage({}, {}, [1.0, 2.0], mentions={}, metrics=metrics)
        assert (len(nothing), nothing.n_documents, nothing["blanc"].f1.size) == (2, 0, 2)
    empty = np.empty((0, 4))
    found = ac.sweep_linkage({"a": [], "b": [["x"]]}, {"a": empty, "b": empty}, [1.0], mentions={"a": [], "b": []})
    assert found["mentions"].recall.tolist() == [0.0]
    assert ac.sweep_linkage([["x", "y"]], empty, mentions=["x"], metrics="muc")["muc"].f1.tolist() == [0.0]
    with pytest.raises(ac.InputError, match="document"):
        ac.sweep_linkage({"1": [["x"]]}, {"1": empty}, [1.0], mentions={1: ["x"], "1": ["y"]})
