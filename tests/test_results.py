"""What scoring returns: access, names, equality, pickles, tables; and that no number depends on threads or chunks."""

import math
import pickle

import numpy as np
import pytest

import arraycoref as ac
from arraycoref import batch as batch_module
from arraycoref.scores import score_row, score_rows


@pytest.fixture
def scored():
    keys = {"one": [list("abc"), list("defg")], "two": [list("ab"), ["c"]], "muc": []}
    responses = {"one": [list("ab"), list("cd"), list("fghi")], "two": [list("abc")], "muc": []}
    return ac.score_batch(keys, responses)


def test_corpus_document_and_arrays_agree(scored):
    assert scored.names == ("one", "two", "muc")
    assert len(scored) == 3
    for position, document in enumerate(scored):
        for metric in scored.metrics:
            assert document[metric].f1 == scored.documents[metric].f1[position]
    assert scored["one"] == scored[0] == scored.document("one")
    assert scored[-2].name == "two"
    assert scored.documents.conll.shape == (3,)
    assert scored.macro.conll == pytest.approx(scored.documents.conll.mean())
    assert (
        scored.conll
        == scored["conll"].f1
        == pytest.approx((scored["muc"].f1 + scored["bcub"].f1 + scored["ceafe"].f1) / 3)
    )


def test_a_metric_wins_over_a_document_of_its_name(scored):
    assert scored["muc"].recall_num == scored.counts["muc"][:, 0].sum()
    assert scored.document("muc").name == "muc"


def test_scores_without_a_single_ratio_say_so(scored):
    assert math.isnan(scored["blanc"].recall_num)
    assert math.isnan(scored["conll"].recall)
    assert scored["blanc"].coreference.recall_den == scored.counts["blanc"][:, 1].sum()


def test_counts_are_rows_of_sums_and_read_only(scored):
    assert {metric: counts.shape for metric, counts in scored.counts.items()} == {
        metric: (3, 12 if metric == "blanc" else 4) for metric in scored.metrics if metric != "conll"
    }
    with pytest.raises(ValueError, match="read-only"):
        scored.counts["muc"][0, 0] = 1


def test_pickle_and_equality(scored):
    for result in (scored, scored[0], scored.documents, scored.macro):
        copy = pickle.loads(pickle.dumps(result))
        assert copy["muc"].f1 == pytest.approx(result["muc"].f1)
    assert pickle.loads(pickle.dumps(scored)) == scored
    assert pickle.loads(pickle.dumps(scored[0])) == scored[0]
    assert scored[0] != scored[1]
    assert scored != ac.score_batch([[["a"]]], [[["a"]]])


def test_unknown_names_are_refused(scored):
    for call in (lambda: scored["nothing"], lambda: scored[0]["nothing"], lambda: scored.document("nothing")):
        with pytest.raises(ac.UnknownNameError, match="nothing"):
            call()
    with pytest.raises(IndexError):
        scored[3]
    with pytest.raises(ac.InputError, match="bcub, ceafe"):
        _ = ac.score([["a"]], [["a"]], metrics="muc").conll
    with pytest.raises(ac.InputError, match="no metrics"):
        ac.score([["a"]], [["a"]], metrics=[])


def test_tables_and_dictionaries(scored):
    frame = scored.to_frame("pandas")
    assert list(frame["name"]) == ["one", "two", "muc"]
    assert list(frame["muc_f1"]) == scored.documents["muc"].f1.tolist()
    assert scored.to_dict()["scores"]["blanc"]["coreference"]["recall_num"] == scored["blanc"].coreference.recall_num
    assert "muc" in repr(scored)
    assert "muc" in repr(scored[0])


def test_numbers_do_not_depend_on_threads_or_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    offsets = np.concatenate(([0], np.cumsum(rng.integers(0, 40, 300))))
    key, response = rng.integers(-1, 9, (2, offsets[-1]))
    expected = ac.score_labels_batch(key, response, offsets)
    for size in (1, 100, 10**6):
        monkeypatch.setattr(batch_module, "LARGEST_CHUNK", size)
        for threads in (1, 2, 5, 0):
            assert ac.score_labels_batch(key, response, offsets, threads=threads) == expected
    with pytest.raises(ac.InputError, match="threads is -1"):
        ac.score_labels_batch(key, response, offsets, threads=-1)


def test_corpus_does_not_depend_on_the_order_of_documents():
    rng = np.random.default_rng(1)
    documents = [rng.integers(-1, 9, (2, 30)) for _ in range(200)]
    order = rng.permutation(200)

    def corpus(chosen):
        key, response = np.concatenate(chosen, axis=1)
        return ac.score_labels_batch(key, response, np.arange(0, 6001, 30)).corpus

    assert corpus(documents) == corpus([documents[d] for d in order])


@pytest.mark.parametrize("profile", ["paper", "conll"])
@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_one_row_and_many_are_scored_to_the_same_bit(profile, beta):
    rng = np.random.default_rng(2)
    for width in (4, 12):
        sums = rng.integers(0, 3, (400, width)) * rng.choice([1.0, 1 / 3], (400, width))
        many = score_rows(sums, profile, beta)
        for row, recall, precision, f1 in zip(sums, many.recall, many.precision, many.f1, strict=True):
            one = score_row(row.tolist(), profile, beta)
            assert (one.recall, one.precision, one.f1) == (recall, precision, f1)


def test_progress_is_told():
    told = []
    ac.score_labels_batch([0, 0, 1], [0, 1, 1], [0, 2, 3], progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2, 2)


def test_names_are_checked():
    with pytest.raises(ac.InputError, match="2 names for 1 documents"):
        ac.score_labels_batch([0], [0], [0, 1], names=["a", "b"])
    with pytest.raises(ac.InputError, match="two documents are named 'a'"):
        ac.score_batch([[], []], [[], []], names=["a", "a"])
    with pytest.raises(ac.InputError, match="mapping"):
        ac.score_batch({"a": []}, [[]])


def test_mentions_and_clusters_that_are_none():
    assert ac.score([[[0, 1], [2, 3]]], [[(0, 1), (2, 3)]])["muc"].f1 == 1.0  # spans as JSON has them
    assert ac.score([["a", "b"], []], [["a", "b"]])["ceafe"].f1 == 1.0  # a cluster without mentions is no entity
    for key in (5, "abc", [5], [{"a": 1}], {"a": []}, [[{"a": 1}]]):
        with pytest.raises(ac.InputError):
            ac.score(key, [["a"]])
