"""Labels of any kind, and policies for what is irregular, against the oracle."""

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from test_properties import METRICS, PROFILE, ROWS, check, oracle_counts

import arraycoref as ac
import oracle
from alike import alike
from arraycoref.scoring.batch import LARGEST_CHUNK
from strategies import documents, examples, repeated_documents


def test_labels_are_told_apart_beyond_double_precision():
    key = np.array([2**53, 2**53 + 1, 2**63 - 1, 2**63 - 2], dtype=np.int64)
    assert ac.score_labels(key, key)["pairwise"].recall_den == 0


@given(repeated_documents(), st.sampled_from(["first", "last", "drop"]), st.sampled_from(["keep", "drop"]), PROFILE)
@examples(1.5)
@example(([[1, 1], [2]], [[1, 2], [2, 2]]), "drop", "keep", "paper")
@example(([[1], [1, 2]], [[1], [1]]), "last", "keep", "paper")
def test_duplicates(document, policy, singletons, profile):
    """Singletons go after them."""
    options = {"duplicates": policy, "singletons": singletons}
    key, response = oracle.apply_policies(*document, **options)
    check(ac.score(*document, **options, metrics=METRICS, profile=profile), oracle_counts(key, response), profile)


@given(repeated_documents())
@examples(0.5)
def test_duplicates_by_default(document):
    """`paper` refuses a repeated mention on either side; `conll` counts it in each entity."""
    if any(side != oracle.resolve_duplicates(side, "first") for side in document):
        with pytest.raises(ac.DuplicateMentionError):
            ac.score(*document)
    else:
        check(ac.score(*document, metrics=METRICS), oracle_counts(*document))
    both = ac.score(*document, profile="conll", duplicates="both", metrics=METRICS)
    assert alike(ac.score(*document, profile="conll", metrics=METRICS), both)


def test_documents_of_later_chunks_are_named():
    offsets = np.arange(4) * LARGEST_CHUNK
    key, response = np.zeros((2, offsets[-1]), np.int64)
    response[offsets[2] + 1] = -2
    with pytest.raises(ac.InputError, match=r"response label -2 of mention 1 in document 2;"):
        ac.score_labels_batch(key, response, offsets)
    response[offsets[2] + 1] = -1
    for names, name in ((None, "2"), (["a", "b", "c"], "'c'")):
        with pytest.raises(ac.InputError, match=f"in document {name} they share"):
            ac.score_labels_batch(key, response, offsets, metrics="rand", names=names)


@given(documents(), PROFILE)
@examples()
def test_singletons_dropped(document, profile):
    key, response = oracle.apply_policies(*document, singletons="drop")
    scores = ac.score(*document, singletons="drop", metrics=METRICS, profile=profile)
    check(scores, oracle_counts(key, response), profile)
    kept = ac.score(*document, singletons="keep", metrics=METRICS, profile=profile)
    check(kept, oracle_counts(*document), profile)


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
        ({"profile": "conll", "missing_documents": "error"}, "d2"),
        ({"profile": "conll", "extra_documents": "error"}, "d9"),
    ],
)
def test_documents_of_one_side_refused(options, named):
    with pytest.raises(ac.DocumentMismatchError, match=named):
        ac.score_batch(KEYS, RESPONSES, **options)


def test_sides_without_a_common_document():
    with pytest.raises(
        ac.DocumentMismatchError,
        match="key and response have no document in common: missing from the response are 2 of 2",
    ):
        ac.score_batch({"a": [["x"]], "b": []}, {"c": []}, missing_documents="skip", extra_documents="ignore")
