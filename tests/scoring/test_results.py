"""What scoring returns: access, names, tables; and that no number depends on threads or chunks."""

import dataclasses
import math

import numpy as np
import pandas
import pyarrow
import pytest

import arraycoref as ac
from alike import alike
from arraycoref.options.policies import PROFILES
from arraycoref.scoring.batch import count_documents
from arraycoref.scoring.clusterings import Clusterings
from arraycoref.scoring.counts import Counts, score_counts
from arraycoref.scoring.metrics.registry import METRICS, counted_metrics
from arraycoref.scoring.signature import signature


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
    assert alike(scored["one"], scored[0])
    assert alike(scored[0], scored.document("one"))
    assert scored[-2].name == "two"
    assert scored.macro.conll == pytest.approx(scored.documents.conll.mean())
    parts = scored["muc"].f1 + scored["bcub"].f1 + scored["ceafe"].f1
    assert scored.conll == scored["conll"].f1 == pytest.approx(parts / 3)


def test_what_has_no_single_ratio(scored):
    assert math.isnan(scored["blanc"].recall_num)
    assert math.isnan(scored["conll"].recall)
    assert scored["blanc"].coreference.recall_den == scored.counts["blanc"][:, 0, 1].sum()


def test_counts_are_rows_of_sums_and_read_only(scored):
    assert {metric: counts.shape for metric, counts in scored.counts.items()} == {
        metric: (3, 3, 4) if metric == "blanc" else (3, 4) for metric in scored.metrics if metric != "conll"
    }
    for counts in (scored.counts, scored.corpus.counts):
        with pytest.raises(ValueError, match="read-only"):
            counts["muc"][..., 0] = 1


def test_unknown_names_are_refused(scored):
    for call in (lambda: scored["nothing"], lambda: scored[0]["nothing"], lambda: scored.document("nothing")):
        with pytest.raises(ac.UnknownNameError, match="nothing"):
            call()
    with pytest.raises(IndexError, match="out of range"):
        scored[3]
    with pytest.raises(ac.InputError, match="bcub, ceafe"):
        _ = ac.score([["a"]], [["a"]], metrics="muc").conll


def test_tables_and_dictionaries(scored):
    frame = scored.to_frame("pandas")
    assert list(frame["name"]) == ["one", "two", "muc"]
    assert list(frame["muc_f1"]) == scored.documents["muc"].f1.tolist()
    assert scored.to_dict()["scores"]["blanc"]["coreference"]["recall_num"] == scored["blanc"].coreference.recall_num
    assert repr(scored.documents) == f"<DocumentScores, arrays of shape (3,): {', '.join(scored.metrics)}>"
    assert repr(scored.macro).startswith("<Scores of 3 documents, percent, profile paper, average:macro\n")
    none = ac.score_batch([], [])
    assert list(none.to_frame("pandas").columns) == list(scored.columns())


def test_numbers_do_not_depend_on_threads_or_chunks():
    rng = np.random.default_rng(0)
    offsets = np.concatenate(([0], np.cumsum(rng.integers(0, 40, 300))))
    key, response = rng.integers(-1, 9, (2, offsets[-1]))
    clusterings, metrics = Clusterings.from_labels(key, response, offsets), counted_metrics(ac.DEFAULT_METRICS)
    expected = ac.score_labels_batch(key, response, offsets).counts
    for chunk in (1, 100, 10**6):
        for threads in (1, 2, 5, 0):
            assert alike(count_documents(clusterings, metrics, threads=threads, chunk=chunk), expected)


@pytest.mark.parametrize(("n_key", "n_response"), [(179, 179), (4, 5_000), (400, 400)])
def test_few_entities_of_many_mentions(n_key, n_response):
    """Compiled code makes room for the pairs of entities, or for the mentions: it counts what NumPy does."""
    rng = np.random.default_rng(5)
    labels = rng.integers(-1, n_key, 40_000), rng.integers(-1, n_response, 40_000)
    assert alike(*(ac.score_labels(*labels, engine=engine).counts for engine in ("numba", "numpy")))


@pytest.mark.parametrize("profile", ["paper", "conll"])
@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_one_row_and_many_are_scored_to_the_same_bit(profile, beta):
    rng = np.random.default_rng(2)
    names = tuple(name for name, metric in METRICS.items() if metric.counted_by)
    n_groups = sum(len(METRICS[name].groups) for name in names)
    rows = rng.integers(0, 3, (400, n_groups, 4)) * rng.choice([1.0, 1 / 3], (400, n_groups, 4))
    how = dataclasses.replace(signature(PROFILES[profile]), beta=beta)
    for name in METRICS:
        many = score_counts(Counts(None, names, rows), name, how)
        for row, recall, precision, f1 in zip(rows, many.recall, many.precision, many.f1, strict=True):
            one = score_counts(Counts(None, names, row), name, how)
            np.testing.assert_array_equal((one.recall, one.precision, one.f1), (recall, precision, f1))


def test_names_are_checked():
    with pytest.raises(ac.InputError, match="2 names for 1 documents"):
        ac.score_labels_batch([0], [0], [0, 1], names=["a", "b"])
    with pytest.raises(ac.InputError, match="two documents are named 'a'"):
        ac.score_batch([[], []], [[], []], names=["a", "a"])
    with pytest.raises(ac.InputError, match="mapping"):
        ac.score_batch({"a": []}, [[]])


def test_names_serve_results_and_messages():
    key, wrong = [["a", "b"]], [["q", "q"]]
    for names in (pandas.Series(["x", "y"], index=[1, 0]), pyarrow.array(["x", "y"]), np.array(["x", "y"])):
        found = ac.score_batch([key, key], [key, key], names=names).names
        assert found == ("x", "y")
        assert set(map(type, found)) == {str}
    with pytest.raises(ac.DuplicateMentionError, match="key of document 'y'"):
        ac.score_batch([key, wrong], [key, key], names=["x", "y"])
    with pytest.raises(ac.InputError, match="response label -7 of mention 1 in document 'q'"):
        ac.score_labels_batch([1, 1, 1], [1, 1, -7], [0, 1, 3], names=["p", "q"])


def test_results_are_mappings(scored):
    for result in (scored, scored[0], scored.documents, scored.macro):
        assert "rand" not in result
        assert tuple(result.keys()) == result.metrics
        assert all(alike(result[metric], score) for metric, score in result.items())
    assert "two" in scored
    assert scored["muc"].recall_num == scored.counts["muc"][:, 0].sum()  # a metric wins over a document of its name
    assert scored.document("muc").name == "muc"


def test_metrics_are_named_once():
    assert ac.score([["a"]], [["a"]], metrics="muc,muc bcub").metrics == ("muc", "bcub")
    assert ac.score_labels_batch([], [], [0]).macro["muc"].f1 == 0  # no documents have means too


def test_names_of_metrics_have_other_spellings():
    asked = "B3, bcubed b_cubed CEAF_M ceaf_e phi4 Avg cluster ceaf-phi1 BLANC-gold"
    s = ac.score([["a"]], [["a"]], metrics=asked)
    assert s.metrics == ("bcub", "ceafm", "ceafe", "conll", "cluster", "blanc-gold")
    assert "B_Cubed" in s
    b = ac.score_labels_batch([0, 0, 1, 1] * 3, [0, 1, 1, 1] * 3, [0, 4, 8, 12], names=["a", "b", "avg"])
    assert b["B3"].f1 == b["bcub"].f1 < 1
    assert isinstance(b["avg"], ac.Scores)  # a document's own name wins
    runs = ac.sweep([0, 0, 1], [[0, 0, 0]])
    assert all("B3" in result and "nothing" not in result for result in (b, b.corpus, b.macro, b.documents, runs))
    compared = ac.compare({"x": b, "avg": b}, metric="PHI4", test="randomization", resamples=10)
    assert (compared.how.metric, compared.how.test) == ("ceafe", "randomization")
    assert runs.best("B3", "recall").how.metric == "bcub"
    with pytest.raises(ac.UnknownNameError, match="unknown metric 'bcubd'; did you mean 'bcub'") as error:
        ac.score([["a"]], [["a"]], metrics="bcubd")
    assert "bcub-rn" in error.value.known
    assert "bcub-rn" not in str(error.value)


def test_slices_are_batches(scored):
    some = scored[1:]
    assert isinstance(some, ac.BatchScores)
    assert some.names == ("two", "muc")
    assert alike(some["two"], scored["two"])
    assert alike(scored[::-1][0], scored[2])
    assert scored[5:].names == ()
    unnamed = ac.score_labels_batch([0, 0, 1], [0, 0, 0], [0, 2, 3])
    assert unnamed[1:].names == ("1",)


def test_some_documents_are_a_batch(scored):
    for chosen in (
        [0, 2],
        (0, 2),
        np.array([0, 2]),
        [True, False, True],
        np.array([True, False, True]),
        slice(0, 3, 2),
    ):
        some = scored[chosen]
        assert some.names == ("one", "muc")
        assert some["muc"].recall_den == scored["one"]["muc"].recall_den
    assert len(scored[[]]) == 0
    with pytest.raises(IndexError):
        scored[[True, False]]
    recall, precision, f1 = scored["muc"]
    assert (recall, precision, f1) == (scored["muc"].recall, scored["muc"].precision, scored["muc"].f1)


def test_documents_by_group(scored):
    genres = {"two": "y", "one": "x", "muc": "x", "not scored": "z"}
    for labels in (["x", "y", "x"], np.array(["x", "y", "x"]), genres):
        groups = scored.by(labels)
        assert [groups[name].names for name in groups] == [("one", "muc"), ("two",)]
        assert groups.total is scored
        assert sum(b["bcub"].recall_num for b in groups.values()) == pytest.approx(scored["bcub"].recall_num)
    assert {name: b.names for name, b in scored.by("(u)|(o)").items()} == {"o": ("one", "two"), "u": ("muc",)}
    assert {name: b.names for name, b in scored.by("(u)").items()} == {"u": ("muc",), "(other)": ("one", "two")}
    rows = list(groups.report().rows())
    assert list(rows[0])[:2] == ["group", "metric"]
    assert {row["group"] for row in rows} == {*groups, "total"}
    runs = ac.Runs.from_scores({"a": scored, "b": scored})
    assert {name: part.document_names for name, part in runs.by(["x", "y", "x"]).items()} == {
        "x": ("one", "muc"),
        "y": ("two",),
    }
    for labels, error, message in (
        ("q$", ac.InputError, "by 'q.' is not found in 'one'"),
        ("(", ac.OptionError, "by is '[(]', which is not a regular expression"),
        (["x"], ac.InputError, "got 1 labels for 3 documents"),
        ({"one": "x", "a": "x", "b": "x"}, ac.InputError, "got 1 labels for 3 documents"),
    ):
        with pytest.raises(error, match=message):
            scored.by(labels)


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
