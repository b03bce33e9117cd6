"""One clustering on Dask, by its contingency cells, against the same clusters scored in memory."""

import numpy as np
import pytest
from long_tables import KINDS, assert_close, dask_frame, frame, random_rows, write_parquet

import arraycoref as ac

pytest.importorskip("dask.dataframe")

from arraycoref.interop.dask import score_table

pytestmark = pytest.mark.usefixtures("threads")


def entities(rows):
    """The clusters of rows (anything, mention, label)."""
    found = {}
    for _, mention, label in rows:
        found.setdefault(label, []).append(mention)
    return list(found.values())


def giant(seed, order="scattered"):
    """Rows of one clustering: entities of two documents may share a mention's number, so mentions are made distinct."""
    key, response = random_rows(np.random.default_rng(seed), order=order)
    return [[(0, d * 100 + m, d * 7 + e) for d, m, e in rows] for rows in (key, response)]


@pytest.mark.parametrize("order", ["sorted", "scattered"])
@pytest.mark.parametrize("kind", KINDS)
def test_any_partitions(kind, order, tmp_path):
    rows = [[KINDS[kind](0, m, e % 8) for _, m, e in side] for side in giant(1, order)]
    expected = ac.score_batch([entities(rows[0])], [entities(rows[1])])
    assert_close(ac.score_table(*map(frame, rows), document=None), expected)
    folders = [write_parquet(tmp_path / side, some) for side, some in zip(("key", "response"), rows, strict=True)]
    assert_close(score_table(*folders, document=None), expected)
    for n_key, n_response in [(1, 1), (9, 2)]:
        sides = dask_frame(rows[0], n_key), dask_frame(rows[1], n_response)
        assert_close(score_table(*sides, document=None), expected)
    corpus = score_table(*sides, document=None, keep_documents=False)
    assert corpus["muc"].f1 == pytest.approx(expected["muc"].f1, rel=1e-12)


def test_options():
    key, response = giant(2)
    for options in ({"singletons": "drop"}, {"metrics": "ceafe,conll,ceaf-phi1", "profile": "conll", "beta": 0.5}):
        expected = ac.score_batch([entities(key)], [entities(response)], **options)
        assert_close(score_table(dask_frame(key, 4), dask_frame(response, 3), document=None, **options), expected)


def test_metrics_for_gold_mentions():
    key, response = giant(3)
    with pytest.raises(ac.InputError, match="rand is defined on gold mentions only, but in document 0 key"):
        score_table(dask_frame(key, 2), dask_frame(response, 2), document=None, metrics="rand")
    mentions = sorted({mention for _, mention, _ in key})
    key, response = ([(0, m, m % n) for m in mentions] for n in (5, 7))
    expected = ac.score_batch([entities(key)], [entities(response)], metrics="rand,blanc-gold")
    found = score_table(dask_frame(key, 4), dask_frame(response, 2), document=None, metrics="rand,blanc-gold")
    assert_close(found, expected)


def test_repeated_mentions():
    key = [(0, "x", 0), (0, "y", 0), (0, "z", 1)]
    response = [(0, "x", 7), (0, "y", 7), (0, "x", 2), (0, "z", 2)]
    sides = [dask_frame(rows, 3) for rows in (key, response)]
    with pytest.raises(ac.DuplicateMentionError, match="response: mention 'x' is in two rows, partition 0 of"):
        score_table(*sides, document=None)
    kept = {"first": [["x", "y"], ["z"]], "last": [["y"], ["x", "z"]], "drop": [["y"], ["z"]]}
    for policy, clusters in kept.items():
        found = score_table(*sides, document=None, duplicates=policy)
        for metric, counts in ac.score([["x", "y"], ["z"]], clusters).counts.items():
            np.testing.assert_allclose(found.counts[metric][0], counts, rtol=1e-12)


def test_nothing_and_one_side_only():
    rows, warnings = [(0, m, m // 2) for m in range(20)], []
    told = {"document": None, "on_error": warnings.append}
    assert score_table(dask_frame([], 2), dask_frame([], 3), **told)["conll"].f1 == 0.0
    for key, response, empty in [(rows, [], "response"), ([], rows, "key")]:
        warnings.clear()
        expected = ac.score_batch([entities(key)], [entities(response)])
        assert_close(score_table(dask_frame(key, 3), dask_frame(response, 3), **told), expected)
        assert [str(warning) for warning in warnings] == [f"{empty}: no document of the {empty} has a mention"]
