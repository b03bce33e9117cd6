"""Cuts of dendrograms and scored links, against scipy's fcluster and components found by hand, scored as any batch."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

import arraycoref as ac
from arraycoref.scoring.metrics.registry import METRIC_NAMES, METRICS
from arraycoref.sweeps import sweep_antecedents, sweep_linkage, sweep_pairs
from strategies import clusters_of, examples

ALL = [name for name in METRIC_NAMES if not METRICS[name].gold_mentions]
METHODS = ["single", "complete", "average", "weighted", "centroid", "median", "ward"]
THRESHOLDS = [0.3, -np.inf, 2.5, 1.0]

# a few random points may look like a distance matrix to scipy, which then says so
pytestmark = [
    pytest.mark.filterwarnings("ignore::scipy.cluster.hierarchy.ClusterWarning"),
    pytest.mark.usefixtures("engine"),
]


def agree(found, batch, what=""):
    for metric, counts in batch.counts.items():
        np.testing.assert_allclose(found.counts[metric], counts, rtol=1e-12, atol=1e-12, err_msg=f"{metric} {what}")


def cut(tree, threshold, n):
    """Label n leaves as scipy cuts the tree."""
    return fcluster(tree, threshold, "distance") if n > 1 and np.isfinite(threshold) else np.arange(n)


def components(n, links):
    """Label by brute force: merge until nothing changes."""
    labels = list(range(n))
    for a, b in links:
        old, new = labels[a], labels[b]
        labels = [new if label == old else label for label in labels]
    return labels


@examples()
@given(st.integers(2, 30), st.sampled_from(METHODS), st.booleans(), st.integers(0, 2**32))
def test_every_cut_is_that_of_fcluster(n, method, ties, seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (n, 2)).astype(float) if ties else rng.normal(size=(n, 2))
    key = rng.integers(-1, max(1, n // 3), n)
    tree = linkage(points, method)
    found = sweep_linkage(key, tree, metrics=ALL)
    assert found.settings[0] == {"threshold": -np.inf}
    for setting, batch in found.items():
        labels = cut(tree, setting["threshold"], n)
        agree(batch, ac.score_labels_batch(key, labels, [0, n], metrics=ALL), setting)


@pytest.mark.parametrize("singletons", ["keep", "drop"])
@pytest.mark.parametrize("over_present", [False, True])
def test_thresholds_in_any_order_over_documents(singletons, over_present):
    """Trees over all mentions, or over those of the response only."""
    rng = np.random.default_rng(1)
    sizes = [30, 1, 0, 2, 25]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    key, present = rng.integers(-1, 5, offsets[-1]), rng.random(offsets[-1]) < 0.7
    leaves = [
        first + np.flatnonzero(present[first:end] | (not over_present)) for first, end in itertools.pairwise(offsets)
    ]
    trees = [linkage(rng.normal(size=(p.size, 2)), "average") if p.size > 1 else np.empty((0, 4)) for p in leaves]
    options = {"singletons": singletons, "metrics": ALL}
    found = sweep_linkage(key, trees, THRESHOLDS, offsets, present=present, threads=2, **options)
    assert found.parameters == {"threshold": THRESHOLDS}
    for threshold, batch in zip(THRESHOLDS, found.values(), strict=True):
        labels = np.full(key.size, -1)
        for tree, part in zip(trees, leaves, strict=True):
            labels[part] = cut(tree, threshold, part.size)
        agree(batch, ac.score_labels_batch(key, np.where(present, labels, -1), offsets, **options), threshold)


@examples()
@given(st.integers(1, 12), st.data())
def test_pairs(n, data):
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from([0.1, 0.5, np.inf, -np.inf]))
    pairs = data.draw(st.lists(pair, max_size=25))
    key = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)))
    links, scores = np.array([p[:2] for p in pairs], np.int64).reshape(-1, 2), np.array([p[2] for p in pairs])
    found = sweep_pairs(key, links, scores, metrics=ALL)
    assert found.settings[0] == {"threshold": np.inf}
    for setting, batch in found.items():
        linked = [p[:2] for p in pairs if p[2] >= setting["threshold"] and p[2] > -np.inf]
        agree(batch, ac.score_labels_batch(key, components(n, linked), [0, n], metrics=ALL), setting)


def test_the_best_cut_is_that_of_the_conll_average():
    cuts = sweep_linkage([0, 0, 1, 1], [[0, 1, 0.5, 2], [2, 3, 0.6, 2], [4, 5, 2.0, 4]])
    best = cuts.best(resamples=20)
    assert (best.how.metric, best.setting) == ("conll", {"threshold": 0.6})
    assert str(best).splitlines()[2].split()[:2] == ["1", "0.6"]
    assert best.score.estimate == 1


def test_pairs_and_antecedents_of_documents():
    key, offsets = np.array([0, 0, 1, 0, 0, 1]), [0, 3, 6]
    pairs = sweep_pairs(key, ([0, 3, 1], [1, 4, 2]), [0.9, 0.5, 0.2], [0.6, 0.1], offsets, names=["a", "b"])
    links, scores = [-1, 0, 1, -1, 0, 2], [np.nan, 0.8, 0.1, np.nan, 0.3, np.nan]
    antecedents = sweep_antecedents(key, links, scores, [0.6, 0.1], offsets, names=["a", "b"])
    for found in (pairs, antecedents):
        agree(found.batch(0), ac.score_labels_batch(key, [0, 0, 1, 2, 3, 4], offsets, metrics=found.metrics))
        agree(found.batch(1), ac.score_labels_batch(key, [0, 0, 0, 2, 2, 4], offsets, metrics=found.metrics))
        assert found.document_names == ("a", "b")
    for pairs, scores, message in [
        ([[0, 3]], [1.0], r"pair 0 is \(0, 3\), mentions of two documents"),
        ([[0, 6]], [1.0], "expected mentions from 0 to 5"),
        ([[0, 1]], [np.nan], "with score nan"),
    ]:
        with pytest.raises(ac.InputError, match=message):
            sweep_pairs(key, np.array(pairs), scores, [0.5], offsets)
    with pytest.raises(ac.InputError, match="antecedent 3; expected -1 or a mention from 0 to 2"):
        sweep_antecedents(key, [3, 0, 1, -1, 0, 2], np.ones(6), [0.5], offsets)


def test_what_does_not_belong_to_the_key():
    pandas = pytest.importorskip("pandas")
    tree = [[0, 1, 0.5, 2], [2, 3, 1.0, 3]]
    other = pandas.Series([-1, 0, 1], index=["c", "b", "a"])
    for call, message in (
        (lambda: sweep_linkage([0, 0, -1], tree[:1]), "document 0 has 1 rows for 3 mentions; expected one row less"),
        (lambda: sweep_linkage([0, 0, -1], [tree[0], [0, 2, 1.0, 3]]), "linkage of document 0: .*more than once"),
        (lambda: sweep_linkage([0, 0, -1], [[0, 1, np.nan, 2], tree[1]]), "row 0 has nan"),
        (lambda: sweep_antecedents([7, 7, 8], other, other[::-1]), "antecedents and scores have different indices"),
        (lambda: sweep_linkage(other, tree, present=other[::-1] >= 0), "key and present have"),
    ):
        with pytest.raises(ac.InputError, match=message):
            call()


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


@examples()
@given(corpora(), st.sampled_from(["keep", "drop"]), st.data())
def test_own_mentions_are_scored_as_their_clusters_are(corpus, singletons, data):
    key, mentions, trees = corpus
    shuffled = {name: mentions[name] for name in data.draw(st.permutations(list(mentions)))}
    options = {"metrics": ALL, "singletons": singletons}
    cuts = sweep_linkage(key, trees, THRESHOLDS, mentions=shuffled, **options)
    pairs, scores = {}, {}
    for name, found in mentions.items():
        leaf = st.integers(0, max(0, len(found) - 1))
        drawn = data.draw(
            st.lists(st.tuples(leaf, leaf, st.sampled_from([0.3, 1.0, 2.0])), max_size=12 if found else 0)
        )
        pairs[name], scores[name] = [pair[:2] for pair in drawn], [pair[2] for pair in drawn]
    linked = sweep_pairs(key, pairs, scores, THRESHOLDS, mentions=shuffled, **options)
    for t, threshold in enumerate(THRESHOLDS):
        by_cut = {d: clusters_of(cut(trees[d], threshold, len(mentions[d])), mentions[d]) for d in key}
        agree(cuts.batch(t), ac.score_batch(key, by_cut, **options), threshold)
        links = {d: [p for p, s in zip(pairs[d], scores[d], strict=True) if s >= threshold] for d in key}
        by_link = {d: clusters_of(components(len(mentions[d]), links[d]), mentions[d]) for d in key}
        agree(linked.batch(t), ac.score_batch(key, by_link, **options), threshold)


def test_antecedents_of_own_mentions():
    key, mentions = {"one": [["a", "b"], ["c"]], "two": [["d", "e"]]}, {"two": ["e", "x", "d"], "one": ["b", "a"]}
    antecedents, scores = {"one": [-1, 0], "two": [-1, 0, 0]}, {"one": [0, 0.9], "two": [9, 0.2, 0.6]}
    found = sweep_antecedents(key, antecedents, scores, [0.8, 0.5], mentions=mentions, metrics=ALL)
    one = [["b", "a"]]
    agree(found.batch(0), ac.score_batch(key, {"one": one, "two": [["e"], ["x"], ["d"]]}, metrics=ALL))
    agree(found.batch(1), ac.score_batch(key, {"one": one, "two": [["e", "d"], ["x"]]}, metrics=ALL))
    for wrong, message in (
        ({"scores": {"one": [0, 0.9]}}, "document 'two' is in mentions and not in scores"),
        ({"antecedents": {**antecedents, "two": [-1, 0, 3]}}, "document 'two': mention 2 has antecedent 3"),
    ):
        with pytest.raises(ac.InputError, match=message):
            sweep_antecedents(key, **{"antecedents": antecedents, "scores": scores} | wrong, mentions=mentions)


PAIR = [[0, 1, 0.5, 2]]
KEY, LEAVES = {"one": [["a", "b"], ["c"]], "two": [["d", "e"]]}, {"one": ["a", "b"], "two": ["e", "d"]}


def test_documents_on_one_side():
    part, trees = {"one": LEAVES["one"], "three": ["z", "y"]}, {"one": PAIR, "three": PAIR}
    with pytest.raises(
        ac.DocumentMismatchError, match=r"mentions: missing from the response: 1 of 2 documents \('two'\)"
    ):
        sweep_linkage(KEY, trees, [1.0], mentions=part)
    spans = np.array([[3, 4], [0, 1]])
    assert sweep_linkage([[(0, 1), [3, 4]]], PAIR, [1.0], mentions=spans, metrics="muc")["muc"].f1.tolist() == [1.0]
    for missing in ("empty", "skip"):
        options = {"missing_documents": missing, "extra_documents": "ignore", "metrics": ALL}
        found = sweep_linkage(KEY, trees, [1.0, 0.1], mentions=part, **options)
        assert found.document_names == ("one", "two")
        assert found.scored.tolist() == [[True, missing == "empty"]] * 2
        agree(found.batch(0), ac.score_batch(KEY, {"one": [["a", "b"]], "three": [["z", "y"]]}, **options))


def test_sweeps_of_other_mentions_have_the_same_key():
    trees = {"one": PAIR, "two": PAIR}
    first = sweep_linkage(KEY, trees, [1.0], mentions=LEAVES)
    second = sweep_linkage(KEY, trees, [2.0], mentions={"one": ["c", "x"], "two": ["y", "d"]})
    assert len(first + second + ac.sweep(KEY, [{"one": [["a", "b"]], "two": [["d", "e"]]}])) == 3
    with pytest.raises(ac.InputError, match="different key"):
        first + sweep_linkage({**KEY, "one": [["a", "c"], ["b"], ["x"]]}, trees, [2.0], mentions=LEAVES)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"mentions": {"one": ["a", "a"], "two": ["e", "d"]}}, ac.DuplicateMentionError, "'a' is in clusters 0 and 1"),
        (
            {"mentions": {"one": ["a", "a"], "two": ["e", "d"]}, "duplicates": "first"},
            ac.DuplicateMentionError,
            "two leaves",
        ),
        ({"mentions": {**LEAVES, "one": ["a"]}}, ac.InputError, "linkage of document one has 1 rows for 1 mentions"),
        ({"mentions": ["a", "b"]}, ac.InputError, "expected both or neither"),
        ({"key": {"one": [["a"], ["a"]], "two": []}}, ac.DuplicateMentionError, "key of document 'one'"),
    ],
)
def test_what_does_not_fit(changes, error, message):
    given = {"key": KEY, "linkage": {"one": PAIR, "two": PAIR}, "thresholds": [1.0], "mentions": LEAVES}
    with pytest.raises(error, match=message):
        sweep_linkage(**{**given, **changes})


def is_shortest(text, value, end):
    """Whether no decimal of fewer significant digits is between the value and the next score, of those nearby."""
    digits = len(text.lower().split("e")[0].replace("-", "").replace(".", "").strip("0"))
    unit = math.floor(math.log10(abs(value))) - digits + 2
    nearby = [float(f"{math.floor(value / 10.0**unit) + k}e{unit}") for k in (0, 1)] if digits > 1 else []
    return not any(min(value, end) < t < max(value, end) for t in nearby)


@examples()
@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 2**32))
def test_a_printed_threshold_makes_the_same_links(n, decimals, seed):
    rng = np.random.default_rng(seed)
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    scores = rng.normal(size=len(pairs)).round(decimals) * 10.0 ** rng.integers(-3, 4)
    found = sweep_pairs(rng.integers(0, 3, n), pairs, scores, metrics="muc")
    thresholds = [setting["threshold"] for setting in found.settings]
    printed = [str(t) for t in thresholds]
    assert len({*printed}) == len(printed)
    for t, text in zip(thresholds, printed, strict=True):
        assert ((scores >= float(text)) == (scores >= t)).all()
        lower = scores[scores < t].max(initial=-np.inf)
        assert not np.isfinite(t) or t == 0 or is_shortest(text, t, lower)
    tree = linkage(rng.normal(size=(n, 2)), "average")
    cuts = sweep_linkage(rng.integers(0, 3, n), tree, metrics="muc")
    for t in (setting["threshold"] for setting in cuts.settings):
        assert ((tree[:, 2] <= float(str(t))) == (tree[:, 2] <= t)).all()


def test_only_text_is_short():
    scores = [0.91234567, 0.51234567, 0.5]
    found = sweep_pairs([0, 0, 1, 1], [(0, 1), (1, 2), (2, 3)], scores, metrics="muc")
    assert [str(setting["threshold"]) for setting in found.settings] == ["inf", "0.9", "0.51", "0.5"]
    assert [setting["threshold"] for setting in found.settings] == [np.inf, *scores]
    best = found.best("muc")
    assert "0.51 " in str(best) or "0.9 " in str(best)
    assert {row["threshold"] for row in json.loads(best.render("json"))["rows"]} == {"inf", *scores}
    assert "0.91234567" in best.render("csv")
    assert found.plot("muc").axes[0].get_lines()[0].get_label().split()[-1] in ("0.9", "0.51", "0.5")
    typed = sweep_pairs([0, 0, 1, 1], [(0, 1), (1, 2), (2, 3)], scores, [0.75], metrics="muc")
    assert str(typed.settings[0]["threshold"]) == "0.75"
