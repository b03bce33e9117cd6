"""Labels of any kind, and policies for what is irregular, against the oracle."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from test_properties import METRICS, PROFILE, ROWS, check, close, counts, everything, oracle_counts

import arraycoref as ac
import oracle
from arraycoref.interop.tables import score_table_files
from arraycoref.read import read_documents
from arraycoref.scoring.batch import LARGEST_CHUNK
from arraycoref.stats import figures as plot
from strategies import documents, examples, repeated_documents

# -- labels as they come -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, ">i4"])
def test_integer_labels_of_any_width(dtype):
    key, response = [5, 5, -1, 7, 7], [1, 2, 2, 3, 3]
    expected = everything(ac.score([[0, 1], [3, 4]], [[0], [1, 2], [3, 4]], metrics=METRICS))
    scores = ac.score_labels(np.array(key, dtype=dtype), np.array(response, dtype=dtype), metrics=METRICS)
    assert everything(scores) == close(expected)
    assert everything(ac.score_labels(key, response, metrics=METRICS)) == close(expected)


def test_labels_are_told_apart_beyond_double_precision():
    key = np.array([2**53, 2**53 + 1, 2**63 - 1, 2**63 - 2], dtype=np.int64)
    assert ac.score_labels(key, key)["pairwise"].recall_den == 0


def test_label_vectors_are_left_alone():
    key, response = np.array([9, 9, -1, 4]), np.array([3, -1, 3, 3])
    key.flags.writeable = response.flags.writeable = False
    assert counts(ac.score_labels(key, response), "mentions") == [2, 3, 2, 3]


@pytest.mark.parametrize(
    ("key", "response"),
    [([0, 1], [0]), ([0.5, 1.0], [0.0, 1.0]), ([[0], [1]], [[0], [1]]), ([0, -2], [0, 0]), ([0, 0], [-(2**63), 1])],
    ids=["lengths", "fractions", "two dimensions", "below -1", "lowest 64-bit integer"],
)
def test_labels_that_cannot_be_scored(key, response):
    with pytest.raises(ac.InputError):
        ac.score_labels(np.array(key), np.array(response))


@pytest.mark.parametrize("labels", [[0, True, 1], (np.False_, 2, 1), [True, np.int64(1), 2]])
def test_booleans_beside_numbers_are_no_labels(labels):
    with pytest.raises(ac.InputError, match=r"key: label [01] is .*(True|False).*; expected whole numbers or texts"):
        ac.score_labels(labels, [0, 0, 1])
    with pytest.raises(ac.InputError, match="expected whole numbers or texts"):
        ac.score([["a", "b"]], dict(zip("abc", labels, strict=True)))


@pytest.mark.parametrize("offsets", [[0, 3], [1, 4], [0, 3, 2, 4], [[0, 4]], []])
def test_offsets_that_cannot_be_right(offsets):
    labels = np.array([0, 0, 1, 1])
    with pytest.raises(ac.InputError):
        ac.score_labels_batch(labels, labels, np.array(offsets, dtype=np.int64))


# -- policies ----------------------------------------------------------------------------------------------------------


@given(repeated_documents(), st.sampled_from(["first", "last", "drop"]), PROFILE)
@examples()
@example(([[1, 1], [2]], [[1, 2], [2, 2]]), "drop", "paper")
@example(([[1], [1, 2]], [[1], [1]]), "last", "paper")
def test_duplicates(document, policy, profile):
    key, response = oracle.apply_policies(*document, duplicates=policy)
    scores = ac.score(*document, duplicates=policy, metrics=METRICS, profile=profile)
    check(scores, oracle_counts(key, response), profile)


@given(repeated_documents())
@examples(0.5)
def test_duplicates_by_default(document):
    """`paper` refuses a repeated mention on either side; `conll` keeps the first of the response, refuses the key's."""
    key, response = document
    repeats = [side != oracle.resolve_duplicates(side, "first") for side in document]
    if any(repeats):
        with pytest.raises(ac.DuplicateMentionError):
            ac.score(key, response)
    if repeats[0]:
        with pytest.raises(ac.DuplicateMentionError):
            ac.score(key, response, profile="conll")
    else:
        rows = oracle_counts(key, oracle.resolve_duplicates(response, "first"))
        check(ac.score(key, response, profile="conll", metrics=METRICS), rows, "conll")


@pytest.mark.parametrize("side", ["key", "response"])
def test_a_duplicate_is_named(side):
    clean = {"one": [["a", "b"]], "two": [["c", "d"]]}
    dirty = {"one": [["a", "b"]], "two": [["c", "d"], ["the-mention", "the-mention"]]}
    with pytest.raises(ac.DuplicateMentionError, match="the-mention") as caught:
        ac.score_batch(*((dirty, clean) if side == "key" else (clean, dirty)))
    assert "two" in str(caught.value)
    assert side in str(caught.value)


def test_a_duplicate_is_named_where_a_document_begins():
    with pytest.raises(ac.DuplicateMentionError, match="document 'two': mention 'x'"):
        ac.score_batch({"one": [["a", "b"]], "two": [["x", "x"]]}, {"one": [["a", "b"]], "two": []})


def test_documents_of_later_chunks_are_named():
    offsets = np.arange(4) * LARGEST_CHUNK
    key, response = np.zeros((2, offsets[-1]), np.int64)
    response[offsets[2] + 1] = -2
    with pytest.raises(ac.InputError, match=r"response label -2 of mention 1 in document 2;"):
        ac.score_labels_batch(key, response, offsets)
    response[offsets[2] + 1] = -1
    for names, name in ((None, "2"), (["a", "b", "c"], "'c'")):
        with pytest.raises(ac.InputError, match=f"in document {name} key"):
            ac.score_labels_batch(key, response, offsets, metrics="rand", names=names)


@given(documents(), PROFILE)
@examples()
def test_singletons_dropped(document, profile):
    key, response = oracle.apply_policies(*document, singletons="drop")
    scores = ac.score(*document, singletons="drop", metrics=METRICS, profile=profile)
    check(scores, oracle_counts(key, response), profile)
    kept = ac.score(*document, singletons="keep", metrics=METRICS, profile=profile)
    check(kept, oracle_counts(*document), profile)


@given(repeated_documents(), st.sampled_from(["first", "last", "drop"]))
@examples(0.5)
def test_singletons_go_after_duplicates(document, policy):
    key, response = oracle.apply_policies(*document, duplicates=policy, singletons="drop")
    scores = ac.score(*document, duplicates=policy, singletons="drop", metrics=METRICS)
    check(scores, oracle_counts(key, response))


KEYS = {"d1": [["a", "b"]], "d2": [["c", "d"], ["e"]], "d3": [["f", "g"]]}
RESPONSES = {"d3": [["f", "g"]], "d1": [["a"], ["b"]], "d9": [["x", "y"]]}


def expected_corpus(names):
    rows = [oracle_counts(KEYS[name], RESPONSES.get(name, [])) for name in names]
    return {name: oracle.total([row[name] for row in rows]) for name in (*ROWS, "blanc")}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"missing_documents": "empty", "extra_documents": "ignore"}, ["d1", "d2", "d3"]),
        ({"missing_documents": "skip", "extra_documents": "ignore"}, ["d1", "d3"]),
        ({"profile": "conll"}, ["d1", "d2", "d3"]),
        ({"profile": "conll", "missing_documents": "skip"}, ["d1", "d3"]),
    ],
)
def test_documents_of_one_side(options, names):
    batch = ac.score_batch(KEYS, RESPONSES, metrics=METRICS, **options)
    assert list(batch.names) == names
    check(batch, expected_corpus(names), options.get("profile", "paper"))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({}, "d2|d9"),
        ({"extra_documents": "ignore"}, "d2"),
        ({"missing_documents": "empty"}, "d9"),
        ({"profile": "conll", "missing_documents": "error"}, "d2"),
        ({"profile": "conll", "extra_documents": "error"}, "d9"),
    ],
)
def test_documents_of_one_side_refused(options, named):
    with pytest.raises(ac.DocumentMismatchError, match=named):
        ac.score_batch(KEYS, RESPONSES, **options)


def test_sequences_of_different_lengths_are_refused():
    with pytest.raises(ac.InputError):
        ac.score_batch([[["a"]], [["b"]]], [[["a"]]])


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": ("bcubed",)},
        {"profile": "perl"},
        {"duplicates": "keep"},
        {"singletons": "remove"},
        {"singletons": np.array(["keep", "drop"])},
        {"metrics": [np.array(["muc", "lea"])]},
        {"beta": -1.0},
        {"beta": float("nan")},
        {"beta": 0.0},
        {"beta": float("inf")},
    ],
)
def test_unknown_options_are_refused(options):
    with pytest.raises(ac.InputError):
        ac.score([["a", "b"]], [["a", "b"]], **options)


def test_one_error_tree():
    for error in (ac.InputError, ac.DuplicateMentionError, ac.DocumentMismatchError, ac.ReadError):
        assert issubclass(error, ac.ArraycorefError)
    assert issubclass(ac.DuplicateMentionError, ac.InputError)
    assert issubclass(ac.DocumentMismatchError, ac.InputError)


WRONG_KINDS = {
    "BatchScores is no Comparison; expected what arraycoref.compare returns": plot.plot_scores,
    "int is no Correlation; expected what arraycoref.correlate returns": lambda _: plot.plot_correlation(5),
    "metrics is 5; expected names": lambda b: b.counts.only(5),
    "no metrics named; expected some of: mentions, muc": lambda b: b.counts.only([]),
    "unknown metric 'ari'; expected one of: mentions, muc": lambda b: b.counts.only(["muc", "ari"]),
    "sums of shape (10, 4) are totals; expected sums of documents": lambda b: b.counts.total().n_documents,
    "are totals; expected sums of documents, (D, K, 4)": lambda b: b.counts.total().total(),
}


@pytest.mark.parametrize("said", WRONG_KINDS)
def test_arguments_of_the_wrong_kind_are_refused_in_words(said):
    b = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4])
    with pytest.raises(ac.InputError, match=re.escape(said)):
        WRONG_KINDS[said](b)


@pytest.mark.parametrize("offsets", [np.ma.array([0, 1, 2], mask=[0, 1, 0]), np.ma.array([0, 2], mask=[0, 1])])
def test_offsets_that_are_missing(offsets):
    with pytest.raises(ac.InputError, match=r"offsets (run from 0 to -1|decrease from 0 to -1)"):
        ac.score_labels_batch([0, 0], [0, 1], offsets)


def test_names_of_few_documents_are_listed_whole():
    b = ac.score_labels_batch([0, 0], [0, 1], [0, 1, 2], names=["x", "y"], metrics="muc")
    with pytest.raises(ac.UnknownNameError, match=r"expected one of: muc, x, y$"):
        b["z"]
    with pytest.raises(ac.UnknownNameError, match=r"expected one of: x, y$"):
        b.document("z")
    many = ac.score_labels_batch([], [], [0] * 20, metrics="muc")
    with pytest.raises(ac.UnknownNameError, match=r"expected one of: muc, 0, 1, 2, 3, 4, \.\.\.$"):
        many["z"]


def test_counts_of_some_metrics_by_one_name():
    counts = ac.score_labels_batch([0, 0, 1, 1], [0, 1, 1, 1], [0, 2, 4]).counts
    assert counts.only("muc").metrics == ("muc",)
    assert np.array_equal(counts.only("lea,muc").rows, np.stack([counts["lea"], counts["muc"]], axis=1))
    with pytest.raises(ac.OptionError, match="metrics is None; expected names"):
        counts.only(None)


def pair():
    return iter(["a", "b"])


ONE = {
    "documents": lambda: iter([["a", "b"]]),
    "clusters": lambda: [pair()],
    "clusters of a mapping": lambda: {"x": pair()},
    "clusters of an iterator": lambda: (each for each in [pair()]),
}


@pytest.mark.parametrize("kind", ONE)
def test_one_iterator_is_not_both_sides(kind):
    """The second is empty, so that every mention would be lacking there."""
    given = [ONE[kind]()] * 2
    if kind == "clusters of an iterator":
        one = pair()
        given = [iter([one]), iter([one])]
    with pytest.raises(ac.InputError, match=r"key of document 0.* and response of document 0.* are one iterator"):
        ac.score(*given)
    assert ac.score(ONE[kind](), ONE[kind]())["bcub"].f1 == 1.0


@pytest.mark.parametrize("kind", ONE)
def test_one_iterator_is_not_two_documents(kind):
    one = ONE[kind]()
    key = {"x": [["a", "b"]], "y": [["a", "b"]]}
    with pytest.raises(ac.InputError, match=r"response of document 'x'.* and response of document 'y'.* are one"):
        ac.score_batch(key, {"x": one, "y": one})


@pytest.mark.parametrize("holder", [list, iter, lambda clusters: dict(enumerate(clusters))])
def test_one_iterator_is_not_two_clusters(holder):
    one = pair()
    with pytest.raises(ac.InputError, match="key of document 0: cluster 0 and key of document 0: cluster 1 are one"):
        ac.score(holder([one, one]), [["a", "b"]])


def test_one_iterator_is_not_two_responses_of_a_sweep():
    for second in (False, True):
        one = pair()
        key, responses = ([one], {"x": [one]}) if second else ([["a", "b"]], {"x": [one], "y": [one]})
        with pytest.raises(ac.InputError, match="are one iterator"):
            ac.sweep(key, responses)


def test_an_iterator_is_no_mention():
    """It is equal to nothing of the other side, whatever it yields."""
    for mention in (iter((0, 1)), (0, iter((1, 2)))):
        with pytest.raises(ac.InputError, match=r"key of document 0: mention .* for example, and no iterator"):
            ac.score([[mention]], [[(0, 1)]])


NO_FUNCTION = (3, "x", [], {}, np.array(1), np.array([1, 2]))


@pytest.mark.parametrize("odd", NO_FUNCTION)
def test_what_is_called_is_a_function(odd):
    """Whether or not there is anything to call it with."""
    folder = Path(ac.__file__).parent / "cli"
    files = [folder / "demo_key.conll", folder / "demo_response.conll"]
    with pytest.raises(ac.OptionError, match=r"report is .*; expected a function"):
        ac.score_files(*files, report=odd)
    with pytest.raises(ac.OptionError, match=r"report is .*; expected a function"):
        score_table_files(*files, report=odd)
    for what in ("report", "note"):
        with pytest.raises(ac.OptionError, match=rf"{what} is .*; expected a function"):
            read_documents(files[0], **{what: odd})
    if not isinstance(odd, str):
        with pytest.raises(ac.OptionError, match=r"checkpoint is .*; expected the path of a file"):
            ac.sweep([], {"x": []}, checkpoint=odd)


def test_arrays_in_place_of_names():
    for odd in (np.array(1), np.array("muc"), 3):
        with pytest.raises(ac.OptionError, match=r"metrics is .*; expected names"):
            ac.score([], [], metrics=odd)
        with pytest.raises(ac.InputError, match=r"names is .*; expected a list of strings"):
            ac.score_batch([[]], [[]], names=odd)
        with pytest.raises(ac.InputError, match=r".* names no column; expected a text"):
            ac.score_table({}, {}, mention=odd)
    with pytest.raises(ac.UnknownNameError, match="unknown metric array"):
        ac.score_batch([[]], [[]]).documents[np.array(["muc"])]
    with pytest.raises(ac.OptionError, match=r"keep_documents is array.*; expected True or False"):
        ac.Accumulator(keep_documents=np.array([1]))


def test_names_of_columns_are_no_names_of_documents():
    frame = pytest.importorskip("pandas").DataFrame({"x": ["a", "b"], "y": ["c", "d"]})
    with pytest.raises(ac.InputError, match=r"(?s)names is .*; expected a list of strings"):
        ac.score_batch([[], []], [[], []], names=frame)
