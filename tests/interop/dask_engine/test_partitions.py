"""Many documents, and one clustering, on Dask against the same clusters scored in memory, however the rows are cut."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from long_tables import KINDS, assert_close, clusters, dask_frame, frame, random_rows, write_parquet

import arraycoref as ac
from alike import alike
from strategies import examples

pytest.importorskip("dask.dataframe")

from arraycoref.interop.dask import score_table
from arraycoref.interop.tables import score_parquet

pytestmark = pytest.mark.usefixtures("threads")


@pytest.mark.parametrize("order", ["sorted", "scattered"])
@pytest.mark.parametrize("kind", KINDS)
def test_any_partitions(kind, order, tmp_path):
    rows = [[KINDS[kind](*row) for row in side] for side in random_rows(np.random.default_rng(5), order=order)]
    expected = ac.score_batch(*map(clusters, rows))
    assert_close(ac.score_table(*map(frame, rows)), expected)
    folders = [write_parquet(tmp_path / side, some) for side, some in zip(("key", "response"), rows, strict=True)]
    assert_close(score_parquet(*folders), expected)
    for sides in (
        [dask_frame(rows[0], 1), dask_frame(rows[1], 1)],
        [dask_frame(rows[0], 3), dask_frame(rows[1], 5)],
        folders,
        (str(folders[0] / "*.parquet"), sorted(folders[1].glob("0*"))),
        [folder.as_uri() for folder in folders],
        (dask_frame(rows[0], 3), folders[1]),
    ):
        assert_close(score_table(*sides), expected)


@pytest.mark.parametrize("kind", ["numbers", "texts", "unsigned"])
@pytest.mark.parametrize("sizes", [(7, 7), (3, 11), (11, 3), (500, 7), (7, 500)])
def test_sorted_files_are_not_shuffled(kind, sizes, tmp_path, monkeypatch):
    """Row groups cut documents, which then lie in two of them, or in more."""
    rows = [sorted(KINDS[kind](*row) for row in side) for side in random_rows(np.random.default_rng(9))]
    expected = ac.score_batch(*map(clusters, rows))
    names = ("key", "response")
    sides = [write_parquet(tmp_path / side, some, 3, n) for side, some, n in zip(names, rows, sizes, strict=True)]
    monkeypatch.delattr("dask.dataframe.from_delayed")
    assert_close(score_table(*sides), expected)
    corpus = score_table(*sides, keep_documents=False)
    assert alike(corpus["muc"], expected["muc"])
    one = score_table(*sides, document=None, mention=["document", "mention"])
    assert one["mentions"].recall == expected["mentions"].recall


def test_partitions_of_whole_documents():
    """In the order of the partitions; those in the same place have the same documents."""
    rows = [
        [row for d in (4, 1, 3, 0, 2) for row in side if row[0] == d] for side in random_rows(np.random.default_rng(3))
    ]
    expected = ac.score_batch(*map(clusters, rows))
    import dask.dataframe as dd

    sides = []
    for side in rows:
        halves = [frame([row for row in side if (row[0] in (4, 1, 3)) == first]) for first in (True, False)]
        sides.append(dd.concat([dd.from_pandas(half, npartitions=1) for half in halves]).clear_divisions())
    assert_close(score_table(*sides, whole_documents=True), expected)


def test_documents_in_the_index():
    key, response = random_rows(np.random.default_rng(6))
    expected = ac.score_table(frame(key), frame(response))
    import dask.dataframe as dd

    for n in (1, 3):
        sides = [dd.from_pandas(frame(rows).set_index("document"), npartitions=n) for rows in (key, response)]
        assert sides[0].known_divisions
        assert_close(score_table(*sides), expected)


def test_mentions_of_two_columns_and_other_names():
    key, response = random_rows(np.random.default_rng(7), order="scattered")
    expected = ac.score_table(frame(key), frame(response))
    sides = []
    for rows in (key, response):
        table = dask_frame(rows, 4).rename(columns={"document": "d", "label": "e"})
        sides.append(table.assign(start=table.mention // 3, end=table.mention % 3))
    names = {"document": "d", "mention": ["start", "end"], "label": "e"}
    assert_close(score_table(*sides, **names), expected)
    assert_close(ac.score_table(*(side.compute() for side in sides), **names), expected)


def test_options():
    whole = random_rows(np.random.default_rng(8))
    less = [row for row in whole[0] if row[0] != 3], [row for row in whole[1] if row[0] % 5]
    for (key, response), options in (
        (whole, {"metrics": "muc,cluster", "beta": 2.0}),
        (whole, {"singletons": "drop"}),
        (less, {"missing_documents": "skip", "extra_documents": "ignore"}),
    ):
        expected = ac.score_batch(clusters(key), clusters(response), **options)
        assert_close(score_table(dask_frame(key, 5), dask_frame(response, 3), **options), expected)
        corpus = score_table(dask_frame(key, 2), dask_frame(response, 3), keep_documents=False, **options)
        assert corpus.n_documents == len(expected)
        assert alike(corpus["muc"], expected["muc"])


def test_progress_and_nothing():
    key, response = random_rows(np.random.default_rng(11))
    calls = []
    score_table(dask_frame(key, 4), dask_frame(response, 4), progress=lambda *call: calls.append(call))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert len(score_table(dask_frame([], 2), dask_frame([], 1))) == 0
    assert score_table(dask_frame([], 2), dask_frame([], 1), keep_documents=False)["muc"].f1 == 0.0


ROWS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-9, 9), st.integers(-1, 3)), max_size=25)


@pytest.mark.filterwarnings("ignore:.*(no document of the|mentions is shared):arraycoref.ReadWarning")
@examples(0.2)
@given(ROWS, ROWS, st.integers(1, 5), st.integers(1, 5), st.sampled_from(["both", "first", "last", "drop"]))
def test_any_tables(key, response, n_key, n_response, policy):
    """Repeated mentions, documents on one side, rows that say nothing: the same as in memory."""
    assume(not key or not response or {row[0] for row in key} & {row[0] for row in response})
    options = {"duplicates": policy, "missing_documents": "empty", "extra_documents": "ignore"}
    expected = ac.score_table(frame(key), frame(response), **options)
    assert_close(score_table(dask_frame(key, n_key), dask_frame(response, n_response), **options), expected)
    if policy == "both":
        return
    by_hand = ac.score_batch(_settled(key, policy), _settled(response, policy), **options)
    assert expected.names == by_hand.names
    for metric, counts in by_hand.counts.items():
        np.testing.assert_allclose(expected.counts[metric], counts, rtol=1e-12)


def _settled(rows, policy):
    """Clusters by the definition of the policies, with dictionaries."""
    labels = {}
    for document, mention, label in rows:
        labels.setdefault(str(document), {})
        if label >= 0:
            labels[str(document)].setdefault(mention, []).append(label)
    found = {}
    for document, mentions in labels.items():
        entities = {}
        for mention, several in mentions.items():
            if policy != "drop" or len(several) == 1:
                entities.setdefault(several[0 if policy == "first" else -1], []).append(mention)
        found[document] = list(entities.values())
    return found


def alone(rows):
    """The one document of rows of one clustering."""
    return list(clusters(rows).values()) or [[]]


def giant(seed, order="scattered"):
    """Rows of one clustering: entities of two documents may share a mention's number, so mentions are made distinct."""
    key, response = random_rows(np.random.default_rng(seed), order=order)
    return [[(0, d * 100 + m, d * 7 + e) for d, m, e in rows] for rows in (key, response)]


@pytest.mark.parametrize("order", ["sorted", "scattered"])
@pytest.mark.parametrize("kind", KINDS)
def test_any_partitions_of_one_clustering(kind, order, tmp_path):
    rows = [[KINDS[kind](0, m, e % 8) for _, m, e in side] for side in giant(1, order)]
    expected = ac.score_batch(*map(alone, rows))
    assert_close(ac.score_table(*map(frame, rows), document=None), expected)
    folders = [write_parquet(tmp_path / side, some) for side, some in zip(("key", "response"), rows, strict=True)]
    assert_close(score_table(*folders, document=None), expected)
    for n_key, n_response in [(1, 1), (9, 2)]:
        sides = dask_frame(rows[0], n_key), dask_frame(rows[1], n_response)
        assert_close(score_table(*sides, document=None), expected)
    corpus = score_table(*sides, document=None, keep_documents=False)
    assert corpus["muc"].f1 == pytest.approx(expected["muc"].f1, rel=1e-12)


def test_repeated_mentions_of_one_clustering():
    key = [(0, "x", 0), (0, "y", 0), (0, "z", 1)]
    response = [(0, "x", 7), (0, "y", 7), (0, "x", 2), (0, "z", 2)]
    sides = [dask_frame(rows, 3) for rows in (key, response)]
    with pytest.raises(ac.DuplicateMentionError, match="response: mention 'x' is in two rows, partition 0 of"):
        score_table(*sides, document=None)
    kept = {"first": [["x", "y"], ["z"]], "last": [["y"], ["x", "z"]], "drop": [["y"], ["z"]]}
    for policy, left in kept.items():
        found = score_table(*sides, document=None, duplicates=policy)
        assert_close(found, ac.score_batch([[["x", "y"], ["z"]]], [left], duplicates=policy))
    with pytest.raises(ac.OptionError, match="a clustering in partitions cannot count them"):
        score_table(*sides, document=None, duplicates="both")


def test_nothing_and_one_side_only():
    rows, warnings = [(0, m, m // 2) for m in range(20)], []
    told = {"document": None, "on_error": warnings.append}
    assert score_table(dask_frame([], 2), dask_frame([], 3), **told)["conll"].f1 == 0.0
    for key, response, empty in [(rows, [], "response"), ([], rows, "key")]:
        warnings.clear()
        expected = ac.score_batch(alone(key), alone(response))
        assert_close(score_table(dask_frame(key, 3), dask_frame(response, 3), **told), expected)
        assert [str(warning) for warning in warnings] == [f"{empty}: no document of the {empty} has a mention"]


def test_restricted_partitions():
    """Documents of which nothing is left are not scored, wherever they are; nothing of all is refused."""
    rows = random_rows(np.random.default_rng(11))
    rows = [rows[0], [row for row in rows[1] if row[0] not in (2, 5)] + [(2, 99, 0), (5, 98, 0)]]
    options = {"restrict": "shared", "metrics": "ari,vmeasure,muc"}
    expected = ac.score_batch(*map(clusters, rows), **options)
    assert len(expected) == 10
    scores = score_table(dask_frame(rows[0], 3), dask_frame(rows[1], 5), **options)
    assert_close(scores, expected)
    assert scores.notes == expected.notes
    corpus = score_table(dask_frame(rows[0], 3), dask_frame(rows[1], 5), keep_documents=False, **options)
    assert (corpus.n_documents, corpus["ari"].f1) == (10, pytest.approx(expected["ari"].f1))
    other = [(d, m + 1000, label) for d, m, label in rows[0]]
    for kept in (True, False):
        with pytest.raises(ac.InputError, match="no mention is left"):
            score_table(dask_frame(rows[0], 3), dask_frame(other, 5), keep_documents=kept, on_error=print, **options)
