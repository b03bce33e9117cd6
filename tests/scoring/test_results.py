"""What scoring returns: access, names, equality, pickles, tables; and that no number depends on threads or chunks."""

import dataclasses
import math
import pickle

import numpy as np
import pandas
import pytest

import arraycoref as ac
from arraycoref.options import PROFILES, signature
from arraycoref.scoring.batch import count_documents
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts
from arraycoref.scoring.metrics.registry import METRICS, counted_metrics
from arraycoref.scoring.scores import score_counts


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
    assert scored["blanc"].coreference.recall_den == scored.counts["blanc"][:, 0, 1].sum()


def test_counts_are_rows_of_sums_and_read_only(scored):
    assert {metric: counts.shape for metric, counts in scored.counts.items()} == {
        metric: (3, 3, 4) if metric == "blanc" else (3, 4) for metric in scored.metrics if metric != "conll"
    }
    with pytest.raises(ValueError, match="read-only"):
        scored.counts["muc"][0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        scored.corpus.counts["muc"][0] = 1  # from which the corpus is scored again


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


def test_numbers_do_not_depend_on_threads_or_chunks():
    rng = np.random.default_rng(0)
    offsets = np.concatenate(([0], np.cumsum(rng.integers(0, 40, 300))))
    key, response = rng.integers(-1, 9, (2, offsets[-1]))
    clusterings, metrics = Clusterings.from_labels(key, response, offsets), counted_metrics(ac.DEFAULT_METRICS)
    expected = ac.score_labels_batch(key, response, offsets).counts
    for chunk in (1, 100, 10**6):
        for threads in (1, 2, 5, 0):
            assert count_documents(clusterings, metrics, threads=threads, chunk=chunk) == expected
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
    names = tuple(name for name, metric in METRICS.items() if metric.counter)
    n_groups = sum(len(METRICS[name].groups) for name in names)
    rows = rng.integers(0, 3, (400, n_groups, 4)) * rng.choice([1.0, 1 / 3], (400, n_groups, 4))
    how = dataclasses.replace(signature(PROFILES[profile]), beta=beta)
    for name in METRICS:
        many = score_counts(Counts(None, names, rows), name, how)
        for row, recall, precision, f1 in zip(rows, many.recall, many.precision, many.f1, strict=True):
            one = score_counts(Counts(None, names, row), name, how)
            np.testing.assert_array_equal((one.recall, one.precision, one.f1), (recall, precision, f1))


def test_progress_is_told():
    told = []
    ac.score_labels_batch([0, 0, 1], [0, 1, 1], [0, 2, 3], progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2, 2)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_counts_documents_of_any_size(threads):
    sizes = [300, *[1] * 50, 200]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    labels = np.zeros(offsets[-1], np.int64)
    told = []
    clusterings, metrics = Clusterings.from_labels(labels, labels, offsets), counted_metrics(ac.DEFAULT_METRICS)

    def progress(*numbers):
        told.append(numbers)

    count_documents(clusterings, metrics, threads=threads, progress=progress, chunk=100)
    assert {total for _, total in told} == {52}
    steps = np.diff([0, *(done for done, _ in told)])
    assert sorted(steps.tolist()) == [1, 1, 50]


def test_names_are_checked():
    with pytest.raises(ac.InputError, match="2 names for 1 documents"):
        ac.score_labels_batch([0], [0], [0, 1], names=["a", "b"])
    with pytest.raises(ac.InputError, match="two documents are named 'a'"):
        ac.score_batch([[], []], [[], []], names=["a", "a"])
    with pytest.raises(ac.InputError, match="mapping"):
        ac.score_batch({"a": []}, [[]])
    for names in ("ab", {"a", "b"}, {"a": 1, "b": 2}, 5):
        with pytest.raises(ac.InputError, match="names is"):
            ac.score_batch([[], []], [[], []], names=names)
        with pytest.raises(ac.InputError, match="names is"):
            ac.score_labels_batch([0, 0], [0, 0], [0, 1, 2], names=names)
    for names in ([1, 2], ["a", None], [["a"], ["b"]]):
        with pytest.raises(ac.InputError, match=r"document . is named .*; expected a string"):
            ac.score_batch([[], []], [[], []], names=names)
    for keys in ({1: [], 0: []}, {("a", 0): []}):
        with pytest.raises(ac.InputError, match=r"document 0 is named .*; expected a string"):
            ac.score_batch(keys, keys)


def test_names_in_any_sequence_serve_results_and_messages():
    import pandas as pd
    import pyarrow as pa

    key, wrong = [["a", "b"]], [["q", "q"]]
    dictionary, arrow = {"x": 1, "y": 2}, pa.array(["x", "y"])
    for names in (
        pd.Series(["x", "y"], index=[1, 0]),
        pd.Series(["x", "y"], index=[5, 6]),
        iter(["x", "y"]),
        dictionary.keys(),
        arrow,
        np.array(["x", "y"]),
    ):
        found = ac.score_batch([key, key], [key, key], names=names).names
        assert found == ("x", "y")
        assert set(map(type, found)) == {str}
    with pytest.raises(ac.DuplicateMentionError, match="key of document 'y'"):
        ac.score_batch([key, wrong], [key, key], names=pd.Series(["x", "y"], index=[1, 0]))
    with pytest.raises(ac.InputError, match="response label -7 of mention 1 in document 'q'"):
        ac.score_labels_batch([1, 1, 1], [1, 1, -7], [0, 1, 3], names=["p", "q"])
    with pytest.raises(ac.InputError, match="in document 'q' key"):
        ac.score_labels_batch([0, 0, 0], [0, 0, -1], [0, 1, 3], names=["p", "q"], metrics="rand")
    with pytest.raises(ac.InputError, match="offsets is None"):
        ac.score_labels_batch([0], [0], None)


def test_mentions_and_clusters_that_are_none():
    assert ac.score([[[0, 1], [2, 3]]], [[(0, 1), (2, 3)]])["muc"].f1 == 1.0  # spans as JSON has them
    assert ac.score([["a", "b"], []], [["a", "b"]])["ceafe"].f1 == 1.0  # a cluster without mentions is no entity
    for key in (
        5,
        "abc",
        [b"ab"],
        [5],
        [{"a": 1}],
        [[{"a": 1}]],
        ["abc"],
        np.array(5),
        [np.array(5)],
        [[["a"], 5, {}]],
    ):
        with pytest.raises(ac.InputError, match="key of document 0"):
            ac.score(key, [["a"]])
    with pytest.raises(
        ac.InputError, match=r"response of document 0: mention \{'a': 1\} is not hashable; expected a tuple"
    ):
        ac.score([["a"]], [["a"], [{"a": 1}]])
    endless = []
    endless.append(endless)
    with pytest.raises(ac.InputError, match="not hashable"):
        ac.score([[endless]], [["a"]])
    for keys in (5, None, "ab"):
        with pytest.raises(ac.InputError, match="keys is"):
            ac.score_batch(keys, [[["a"]]])
    with pytest.raises(ac.InputError, match="cluster 0 is 'a'"):
        ac.score_batch([["a", "b"]], [["a", "b"]])  # a level too few


def test_in_and_get_are_those_of_mappings(scored):
    for result in (scored[0], scored.documents, scored.macro):
        assert "muc" in result
        assert "rand" not in result
        assert 5 not in result
        assert result.get("rand") is None
        assert result.get("muc") == result["muc"]
    for result in (scored, scored[0], scored.documents, scored.macro):
        assert tuple(result.keys()) == result.metrics
        assert dict(result.items()) == dict(zip(result.keys(), result.values(), strict=True)) == dict(result)
        assert all(result[metric] == score for metric, score in result.items())
    assert "muc" in scored
    assert "two" in scored
    assert "three" not in scored
    assert 5 not in scored
    assert [] not in scored
    assert all(document in scored for document in scored)
    assert ac.score_batch({"two": []}, {"two": []})[0] not in scored
    with pytest.raises(KeyError, match="unknown metric 'rand'; expected one of: mentions"):
        scored[0]["rand"]


def test_scores_compare_by_their_numbers(scored):
    again = pickle.loads(pickle.dumps(scored))
    for result, copy in ((scored, again), (scored[0], again[0]), (scored.macro, again.macro)):
        assert {metric: result[metric] for metric in scored.metrics} == {m: copy[m] for m in scored.metrics}
        assert hash(result["conll"]) == hash(copy["conll"])
        assert hash(result["blanc"]) == hash(copy["blanc"])
    assert scored.documents == again.documents
    assert scored.macro == again.macro
    assert scored.documents["blanc"] == again.documents["blanc"]
    assert scored["blanc"] != scored["muc"]
    assert scored["muc"] != scored["lea"]
    assert scored.documents["muc"] != scored.documents["lea"]
    assert scored.documents["muc"] != scored["muc"]
    other = ac.score_batch([[["a", "b"]]], [[["a", "b"]]])
    assert scored.documents != other.documents
    assert scored.macro != other.macro
    assert scored["muc"] != 5
    none = [ac.Score(*[np.float32("nan")] * 7) for _ in range(2)]
    assert none[0] == none[1]
    assert hash(none[0]) == hash(none[1])


def test_results_of_other_policies_or_names_are_others():
    key = [["a", "b"]]
    assert ac.score(key, key) != ac.score(key, key, profile="conll")
    assert ac.score_batch([key], [key]) != ac.score_batch([key], [key], beta=2)
    assert ac.score_batch({"x": key}, {"x": key}) != ac.score_batch({"y": key}, {"y": key})
    assert ac.score_batch({"x": key}, {"x": key})["x"] != ac.score_batch({"y": key}, {"y": key})["y"]
    assert "|dup:error/first|" in str(ac.score(key, key, profile="conll").signature)


def test_metrics_are_named_once():
    assert ac.score([["a"]], [["a"]], metrics="muc,muc bcub").metrics == ("muc", "bcub")


def test_no_documents_have_means_too():
    assert ac.score_labels_batch([], [], [0]).macro["muc"].f1 == 0


def test_slices_are_batches(scored):
    some = scored[1:]
    assert isinstance(some, ac.BatchScores)
    assert some.names == ("two", "muc")
    assert some["two"] == scored["two"]
    assert some["bcub"].recall_den == 3
    assert scored[::-1][0] == scored[2]
    assert scored[5:].names == ()
    unnamed = ac.score_labels_batch([0, 0, 1], [0, 0, 0], [0, 2, 3])
    assert unnamed[1:].names == ("1",)
    assert unnamed[np.int64(1)] == unnamed[1]
    with pytest.raises(IndexError, match="no document has position 2; there are 2"):
        unnamed[2]
    with pytest.raises(TypeError):
        unnamed[1.0]


def test_means_and_documents_show_what_they_are(scored):
    assert repr(scored.documents) == f"<DocumentScores, arrays of shape (3,): {', '.join(scored.metrics)}>"
    assert repr(scored.macro).startswith("<MacroScores of 3 documents, percent, profile paper\n")
    assert f"{100 * scored.macro['bcub'].recall:.2f}" in repr(scored.macro)
    assert scored.macro._repr_html_().startswith("<table><caption>MacroScores of 3 documents")


def test_an_empty_table_has_the_columns_of_any_other(scored):
    none = ac.score_batch([], [])
    for backend, names in (("pandas", list), ("polars", lambda f: f.columns), ("pyarrow", lambda t: t.column_names)):
        assert names(none.to_frame(backend)) == names(scored.to_frame(backend))
        assert [name for name in names(scored.to_frame(backend)) if "conll" in name] == ["conll_f1"]
    assert str(none.to_frame("pyarrow").schema.field("name").type) == "string"


def test_options_that_make_no_sense():
    key = [["a", "b"]]
    for options, message in (
        ({"threads": 1.5}, "threads is 1.5"),
        ({"threads": 1.0}, "threads is 1.0; expected 1 or more, or 0 for one per core, as an integer"),
        ({"threads": True}, "threads is True"),
        ({"threads": "2"}, "threads is '2'"),
        ({"threads": None}, "threads is None"),
    ):
        with pytest.raises(ac.OptionError, match=message):
            ac.score_batch([key], [key], **options)
    for options, message in (
        ({"beta": "2"}, "beta is '2'"),
        ({"beta": None}, "beta is None"),
        ({"beta": math.nan}, "beta is nan"),
        ({"beta": np.float32("inf")}, "beta is "),
        ({"beta": 1e155}, "beta is 1e"),
        ({"beta": 2**2000}, "beta is 114"),
        ({"metrics": 5}, "metrics is 5"),
    ):
        with pytest.raises(ac.OptionError, match=message):
            ac.score(key, key, **options)
    for options in ({"metrics": [["muc"]]}, {"profile": ["paper"]}, {"duplicates": ["first"]}):
        with pytest.raises(ac.UnknownNameError):
            ac.score(key, key, **options)
    with pytest.raises(TypeError, match="unexpected keyword argument 'threads'; expected some of: profile"):
        ac.score(key, key, threads=2)
    assert ac.score_labels_batch([0] * 9, [0] * 9, [0, 9], threads=np.int8(2))["muc"].f1 == 1.0
    assert ac.score(key, [["a"], ["b"]], beta=1e150)["bcub"].f1 == pytest.approx(0.5)


def test_documents_that_are_missing_are_counted():
    keys = {str(d): [["a"]] for d in range(6)}
    with pytest.raises(ac.DocumentMismatchError, match=r"lacks 5 of 6 documents \('1', '2', '3' and 2 more\)"):
        ac.score_batch(keys, {"0": [["a"]]})


def test_sides_without_a_common_document():
    options = {"missing_documents": "skip", "extra_documents": "ignore"}
    keys, responses = {"a": [["x"]], "b": []}, {"c": [["x"]]}
    with pytest.raises(ac.DocumentMismatchError, match="none of the key's 2 documents is among the response's 1"):
        ac.score_batch(keys, responses, **options)
    key, response = ({"document": [d], "mention": [0], "label": [0]} for d in "ab")
    with pytest.raises(ac.DocumentMismatchError, match="none of the key's 1 documents is among the response's 1"):
        ac.score_table(pandas.DataFrame(key), pandas.DataFrame(response), **options)
    assert len(ac.score_batch({}, {}, **options)) == 0


def test_totals_of_documents_none_of_which_was_scored():
    keys = {d: [["x", "y"]] for d in "abc"}
    swept = ac.sweep(keys, [{"c": [["x", "y"]]}], missing_documents="skip", metrics="muc")
    b = dataclasses.replace(swept[0], counts=swept.counts.setting(0))
    for some in (b[:1], b[:2]):
        assert some.corpus.n_documents == 0
        assert some.counts.total().rows.tolist() == [[0.0] * 4]
        assert some["muc"].f1 == 0.0
    assert b.corpus.n_documents == b[2:].corpus.n_documents == 1
    assert b["muc"].f1 == b[2:]["muc"].f1 == 1.0


def test_positions_may_be_in_any_sequence(scored):
    for named in (scored.counts, dataclasses.replace(scored.counts, names=None)):
        for taken in [(0, 1), [0, 1], range(2), np.array([0, 1])]:
            assert named.take(taken) == named.take(slice(2))
        assert named.take(()).rows.shape == named.take(slice(0)).rows.shape
        assert named.take((1,)) == named.take(slice(1, 2))
        with pytest.raises(ac.InputError, match="shape"):
            named.take(1)
