"""What tools and users hold in memory, scored as it is: the same as its clusters, written out by hand."""

from types import SimpleNamespace as Object

import numpy as np
import pytest
from test_table_files import rows

import arraycoref as ac
from alike import alike
from arraycoref.interop.tools import read_stanza
from marks import cases

pytestmark = pytest.mark.usefixtures("engine")


def chain(*mentions):
    return Object(mentions=[Object(sentence=s, start_word=i, end_word=j) for s, i, j in mentions])


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


def test_series_of_different_indices_are_refused():
    """Labels are compared by position, so that other mentions would be compared."""
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ac.InputError, match="key has 3 labels and response 2"):
        ac.score_labels(pandas.Series([0, 0, 1]), pandas.Series([0, 0]))
    key, response = pandas.Series([0, 0, 1]), pandas.Series([0, 0, 1], [2, 1, 0])
    with pytest.raises(ac.InputError, match="key and response have different indices; expected the same, as after"):
        ac.score_labels(key, response)
    with pytest.raises(ac.InputError, match="key and response 0 have different indices"):
        ac.sweep(key, [pandas.Series([0, 0, 1], [0, 1, 7])])
    frame = pandas.DataFrame({"k": [0, 0, 1], "r": [0, 0, 1]}, index=[5, 5, 6])
    assert ac.score_labels(frame["k"], frame["r"])["bcub"].f1 == 1.0  # one index, whatever it holds


def test_stanza():
    one = Object(coref=[chain((0, 0, 2), (1, 3, 4)), chain((1, (0, 1), (0, 1)))])
    assert read_stanza(one) == [[(0, 0, 2), (1, 3, 4)], [(1, (0, 1), (0, 1))]]
    other = [[(0, 0, 2), (1, 3, 4), (1, 7, 8)]]
    assert alike(ac.score(other, one), ac.score(other, read_stanza(one)))
    assert ac.score_batch([other], [one])["muc"].recall == 0.5
    assert ac.sweep(other, [one, Object(coref=[])], metrics="muc")["muc"].recall.tolist() == [0.5, 0.0]
    with pytest.raises(ac.InputError, match="no chains in"):
        ac.score(other, Object(coref=None))


@cases(
    "given,message",
    [
        ({"a": ["x"], "b": ["y"]}, r"such as list\(clusters.values"),
        ([["x"], {"y": 1}], "cluster 1 is {'y': 1}; expected an iterable of mentions"),
        ("ab", "expected an iterable of clusters"),
        ([0, 0, 1], "cluster 0 is 0; .* score_labels takes a label for each mention"),
        (
            np.array([0, 0, 1]),
            "score_labels takes a label for each mention, score_labels_batch those of many",
        ),
        (np.zeros((2, 3), int), "score_labels_batch takes labels of many documents, Accumulator.update rows of them"),
        (Object(columns=["mention"]), "score_table takes tables with a row for each mention"),
    ],
)
def test_what_is_no_clustering(given, message):
    for call in (lambda: ac.score(given, [["a"]]), lambda: ac.score_batch([given], [[["a"]]])):
        with pytest.raises(ac.InputError, match=message):
            call()


def test_what_is_no_list_of_clusterings():
    for given, message in (
        (np.array([0, 1]), "score_labels takes a label for each mention, score_labels_batch those of many"),
        (np.zeros((2, 3), int), "score_labels_batch"),
        (Object(columns=["mention"]), "keys is .*score_table takes tables"),
    ):
        with pytest.raises(ac.InputError, match=message):
            ac.score_batch(given, given)


@pytest.mark.parametrize("row", rows("interop.md", "What coreference tools hold in memory"), ids=lambda row: row[0])
def test_the_table_of_the_page(row):
    pandas = pytest.importorskip("pandas")
    mentions = [Object(sentence=0, start_word=0, end_word=1), Object(sentence=1, start_word=(2, 1), end_word=(2, 1))]
    known = {
        "key": [["Ada", "she"], ["Bob"]],
        "series": pandas.Series([5, 5, 6, -1], ["she", "Ada", "Bob", "it"]),
        "other": pandas.Series([7, 8, 8, -1], ["Bob", "Ada", "she", "it"]),
        "words_of_sentences": [[(0, 0, 1), (1, (2, 1), (2, 1))]],
        "stanza_doc": Object(coref=[Object(mentions=mentions)]),
        "tokens": [[(0, 2), (5, 6)]],
        "spacy_doc": Object(spans={"coref_clusters_1": [Object(start=0, end=2), Object(start=5, end=6)]}, _=Object()),
    }
    scores = eval(row[2].strip("`"), {"ac": ac, **known})
    assert scores["bcub"].f1 == scores["mentions"].f1 == 1.0


@pytest.mark.parametrize("batch", [[[["a", "b"], ["c"]], [["d", "e"]]], {"x": [["a", "b"]], "y": [["c"]]}])
def test_many_documents_are_no_entities(batch):
    with pytest.raises(ac.InputError, match="score_batch takes"):
        ac.score(batch, batch)
