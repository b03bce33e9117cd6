"""What tools and users hold in memory, scored as it is: the same as its clusters, written out by hand."""

from types import SimpleNamespace as Object

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import arraycoref as ac
from arraycoref.interop.readers import read_stanza
from arraycoref.match.objects import from_memberships

KEY = [["a", "b", "c"], ["d", "e"]]
RESPONSE = [["a", "b"], ["c", "d", "f"]]
MEMBERS = {"Ada": ["a", "b", "c"], "Bob": {"d", "e"}}
LABELS = {"a": 0, "b": 0, "c": 5, "d": 5, "f": 5, "e": -1}

labelled = st.dictionaries(st.integers(0, 9), st.integers(-1, 3))


@pytest.fixture(scope="module")
def expected():
    return ac.score(KEY, RESPONSE)


def figures(scores):
    return [
        x for metric in scores.metrics for x in (scores[metric].recall, scores[metric].precision, scores[metric].f1)
    ]


def same(*found):
    """Whether scores are equal; the order of clusters may move the last digit."""
    first, *others = map(figures, found)
    return all(other == pytest.approx(first, rel=1e-12, nan_ok=True) for other in others)


def clusters_of(labels):
    return [{m for m in labels if labels[m] == label} for label in set(labels.values()) - {-1}]


def chain(*mentions):
    return Object(mentions=[Object(sentence=s, start_word=i, end_word=j) for s, i, j in mentions])


def doc(**groups):
    spans = {name: [Object(start=i, end=j) for i, j in group] for name, group in groups.items()}
    return Object(spans=spans, _=Object())


def test_mappings(expected):
    assert same(ac.score(MEMBERS, LABELS), expected)
    assert same(ac.score(MEMBERS, {"x": ("a", "b"), "y": frozenset("cdf"), "z": []}), expected)
    assert same(ac.score({m: e for e, members in MEMBERS.items() for m in members}, RESPONSE), expected)
    spans = {(0, 1): "x", (2, 2): "x", (4, 5): None}
    assert ac.score(spans, [[(0, 1), (2, 2)]])["muc"].f1 == 1.0
    arrays = {7: np.array([[0, 1], [2, 2]])}
    assert ac.score(arrays, spans)["muc"].f1 == 1.0
    assert ac.score({"x": iter([[0, 1], [2, 2]])}, spans)["muc"].f1 == 1.0
    assert ac.score({}, {})["mentions"].f1 == 0.0
    batch = ac.score_batch({"x": MEMBERS, "y": KEY}, {"y": LABELS, "x": RESPONSE})
    assert same(batch["x"], batch["y"], expected)


@settings(deadline=None)
@given(labelled, labelled)
def test_labels_by_mention(key, response):
    assert same(ac.score(key, response), ac.score(clusters_of(key), clusters_of(response)))


def test_indices_name_the_settings_of_a_sweep():
    xarray, pandas = pytest.importorskip("xarray"), pytest.importorskip("pandas")
    mentions = {"mention": ["a", "b", "c", "d"]}
    key = xarray.DataArray([0, 0, 1, 1], mentions, "mention")
    rows = xarray.DataArray([[0, 0, 1, 1], [0, 1, 1, 1]], {"lr": [0.1, 0.2], **mentions}, ("lr", "mention"))
    series = pandas.Series(list(rows.to_numpy()), [0.1, 0.2])
    for ours, responses in ((key, rows), (key.to_numpy(), rows), (key.to_numpy(), series)):
        found = ac.sweep(ours, responses, metrics="muc")
        assert found.settings == (0.1, 0.2)
        assert found["muc"].f1.tolist() == [1.0, 0.5]
        assert ac.sweep(ours, responses, settings=["x", "y"]).settings == ("x", "y")
    assert ac.sweep(key, rows.drop_vars("lr")).settings == (0, 1)
    with pytest.raises(ac.InputError, match=r"response 0\.1 has 2 labels; expected 4"):
        ac.sweep(key, rows[:, :2])


def test_series_of_different_indices_are_refused():
    """Labels are compared by position, so that other mentions would be compared."""
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ac.InputError, match="key has 3 labels and response 2"):
        ac.score_labels(pandas.Series([0, 0, 1]), pandas.Series([0, 0]))
    key, response = pandas.Series([0, 0, 1]), pandas.Series([0, 0, 1], [2, 1, 0])
    with pytest.raises(ac.InputError, match="key and response have different indices; expected the same, as after"):
        ac.score_labels(key, response)
    with pytest.raises(ac.InputError, match="response 0 and the key have different indices"):
        ac.sweep(key, [pandas.Series([0, 0, 1], [0, 1, 7])])
    frame = pandas.DataFrame({"k": [0, 0, 1], "r": [0, 0, 1]}, index=[5, 5, 6])
    assert ac.score_labels(frame["k"], frame["r"])["bcub"].f1 == 1.0  # one index, whatever it holds


def test_stanza():
    one = Object(coref=[chain((0, 0, 2), (1, 3, 4)), chain((1, (0, 1), (0, 1)))])
    assert read_stanza(one) == [[(0, 0, 2), (1, 3, 4)], [(1, (0, 1), (0, 1))]]
    other = [[(0, 0, 2), (1, 3, 4), (1, 7, 8)]]
    assert same(ac.score(other, one), ac.score(other, read_stanza(one)))
    assert ac.score_batch([other], [one])["muc"].recall == 0.5
    assert ac.sweep(other, [one, Object(coref=[])], metrics="muc")["muc"].recall.tolist() == [0.5, 0.0]
    with pytest.raises(ac.InputError, match="no chains in"):
        ac.score(other, Object(coref=None))


def test_spacy():
    one = doc(coref_clusters_1=[(0, 2), (5, 6)], coref_head_clusters_1=[(1, 2)], sc=[(3, 4)])
    assert ac.score([[(0, 2), (5, 6)]], one)["bcub"].f1 == 1.0
    assert ac.score_batch({"x": one}, {"x": one})["mentions"].precision_num == 2
    with pytest.raises(ac.InputError, match=r"named coref_clusters...; it has: sc"):
        ac.score(one, doc(sc=[(3, 4)]))


def test_real_documents_of_spacy():
    spacy = pytest.importorskip("spacy")
    parsed = spacy.blank("en")("Ada Lovelace said that she wrote it .")
    parsed.spans["coref_clusters_1"] = [parsed[0:2], parsed[4:5]]
    assert ac.score([[(0, 2), (4, 5)]], parsed)["bcub"].f1 == 1.0


def test_dedupe(expected):
    found = [(("a", "b"), np.array([0.9, 0.8])), (("c", "d", "f"), (0.9, 1.0, 0.5))]
    assert same(ac.score(KEY, found), expected)
    single = (np.float32(0.7),) * 2  # clusters of two records have these, from the array of dedupe's scores
    mixed = [(("a", "b"), single), (("c", "d", "f"), np.array([0.9, 1.0, 0.5], np.float32))]
    for given_as in (list, tuple, iter):
        assert same(ac.score(KEY, given_as(mixed)), expected)
    accumulator = ac.Accumulator()
    accumulator.update(KEY, mixed)
    assert same(accumulator.compute(), expected)
    pairs = [((0, 1), (3, 4)), ((5, 5), (7, 8))]  # clusters of two mentions, as tuples
    assert ac.score(pairs, pairs)["mentions"].recall_den == 4
    times = [((0.5, 1.0), (0.2, 0.3))]
    assert ac.score(times, times)["mentions"].recall_den == 2


def test_s2and(expected):
    gold = {c: {"cluster_id": c, "signature_ids": list(members), "model_version": -1} for c, members in MEMBERS.items()}
    assert same(ac.score(gold, {"p": ["a", "b"], "q": ["c", "d", "f"]}), expected)


def test_clusim(expected):
    elements = {"a": [0], "b": [0], "c": [5], "d": [5], "f": [5]}
    assert same(ac.score(KEY, Object(elm2clu_dict=elements)), ac.score(KEY, from_memberships(elements)), expected)
    with pytest.raises(ac.InputError, match="looks like a mapping from elements to their clusters"):
        ac.score(KEY, elements)
    for clusters, message in (([0, 5], r"in 2 clusters, \[0, 5\]"), ([], "in no cluster"), (3, "has 3")):
        with pytest.raises(ac.InputError, match=f"response of document 0: element 'd' .*{message}"):
            ac.score(KEY, Object(elm2clu_dict=elements | {"d": clusters}))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": ["x"], "b": 3}, "has members for 'a' and a label for 'b'"),
        ({"doc": {"c": ["x"]}}, "what 'doc' maps to is a mapping itself, .*score_batch"),
        ({"doc": [["a", "b"], ["c"]]}, "mentions of 'doc' are lists of mentions themselves, .*score_batch"),
        ({"doc": [[(0, 1), (2, 2)]]}, "mentions of 'doc' are lists of mentions themselves, .*score_batch"),
        ({"doc": [{(0, 1), (2, 2)}]}, "mentions of 'doc' are lists of mentions themselves, .*score_batch"),
        ({"a": -2}, "mention 'a' has the label -2"),
        ({"a": 0.5}, "0.5"),
        ({"a": "x", "b": 1}, "document 0.*texts"),
        ("ab", "expected an iterable of clusters"),
        (Object(), "expected an iterable of clusters"),
    ],
)
def test_what_is_no_clustering(given, message):
    with pytest.raises(ac.InputError, match=message):
        ac.score(given, KEY)
    with pytest.raises(ac.InputError, match=message.replace("document 0", "document 'n'")):
        ac.score_batch({"n": KEY}, {"n": given})
    with pytest.raises(ac.InputError, match=message):
        ac.sweep(KEY, [given])
